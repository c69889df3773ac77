//! Moments of a trace, as people write them.

use std::fmt;
use std::str::FromStr;

use exectrace_reader::{MergeError, Timestamp, WallClock};
use jiff::civil::{DateTime, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp as Instant};

const SECOND_NS: i64 = 1_000_000_000;
const HOUR_NS: i64 = 3_600 * SECOND_NS;
const DAY_NS: i64 = 24 * HOUR_NS;

/// A moment of a trace, as `--from`, `--to` and `--at` take it.
///
/// # Examples
///
/// ```
/// use exectrace_json::Moment;
///
/// assert_eq!("20ms".parse(), Ok(Moment::Since(20_000_000)));
/// assert_eq!("00:00:01".parse(), Ok(Moment::TimeOfDay(1_000_000_000)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nanoseconds since the first event.
    Since(i64),
    /// Nanoseconds since 1970, of the wall clock.
    Instant(i64),
    /// Nanoseconds since midnight, of the wall clock in UTC.
    TimeOfDay(i64),
}

/// What a trace's times count from.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// The time of the first event.
    pub first: Timestamp,
    /// The trace, if its times are not those of the wall clock.
    pub file: Option<&'a [u8]>,
}

/// A text that is no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMoment;

/// A trace does not say what the wall clock showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoClock;

impl FromStr for Moment {
    type Err = NoMoment;

    fn from_str(text: &str) -> Result<Self, NoMoment> {
        let moment = if text.contains(':') {
            of_wall_clock(text)
        } else {
            of_duration(text)
        };
        moment.ok_or(NoMoment)
    }
}

impl fmt::Display for NoMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be a time since the first event, such as 1.5s, or one of the wall clock in UTC, \
             such as 02:13:05.120 or 2026-11-30T02:13:05Z",
        )
    }
}

impl std::error::Error for NoMoment {}

impl NoClock {
    /// What to do about it.
    pub const ADVICE: &str = "give times since its first event";
}

impl fmt::Display for NoClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lacks = MergeError {
            trace: 0,
            error: None,
        };
        write!(f, "{lacks}; {}", Self::ADVICE)
    }
}

impl std::error::Error for NoClock {}

/// A duration; one without a unit is in seconds.
fn of_duration(text: &str) -> Option<Moment> {
    let has_unit = !text.ends_with(|char: char| char.is_ascii_digit());
    let duration: SignedDuration = if has_unit {
        text.parse().ok()?
    } else {
        format!("{text}s").parse().ok()?
    };
    let ns = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    (!duration.is_negative()).then_some(Moment::Since(ns))
}

fn of_wall_clock(text: &str) -> Option<Moment> {
    if let Ok(time) = text.parse::<Time>()
        && !text.contains(['-', '+'])
    {
        let since_midnight = time.duration_since(Time::midnight());
        let ns = i64::try_from(since_midnight.as_nanos()).ok()?;
        return Some(Moment::TimeOfDay(ns));
    }
    let instant = text.parse::<Instant>().ok().or_else(|| {
        let local: DateTime = text.parse().ok()?;
        Offset::UTC.to_timestamp(local).ok()
    })?;
    i64::try_from(instant.as_nanosecond())
        .ok()
        .map(Moment::Instant)
}

impl Axis<'_> {
    /// When in the trace a moment is.
    ///
    /// # Errors
    ///
    /// When the moment is one of the wall clock, and the trace does not say what that showed.
    pub fn time(&self, moment: Moment) -> Result<Timestamp, NoClock> {
        let first = self.first.0;
        let time = match moment {
            Moment::Since(ns) => first.saturating_add(ns),
            Moment::Instant(instant) => instant.saturating_sub(self.shift_ns()?),
            Moment::TimeOfDay(since_midnight) => {
                let shift = self.shift_ns()?;
                let begin = first.saturating_add(shift);
                let midnight = begin - begin.rem_euclid(DAY_NS);
                // Up to an hour before the trace began is before it, all else is in the day after that.
                let late = midnight.saturating_add(since_midnight);
                let since_begin = late.saturating_sub(begin);
                let days = (since_begin + HOUR_NS).div_euclid(DAY_NS);
                late.saturating_sub(days.saturating_mul(DAY_NS))
                    .saturating_sub(shift)
            }
        };
        Ok(Timestamp(time))
    }

    fn shift_ns(&self) -> Result<i64, NoClock> {
        match self.file {
            None => Ok(0),
            Some(file) => WallClock::of(file)
                .and_then(WallClock::shift_ns)
                .ok_or(NoClock),
        }
    }
}

/// When something was, as texts tell it and `--from` takes it: in seconds since the trace's first event.
///
/// # Examples
///
/// ```
/// use exectrace_json::{Moment, since_first};
/// use exectrace_reader::Timestamp;
///
/// let told = since_first(Timestamp(1_000_676_800), Timestamp(1_000_000_000));
/// assert_eq!(told, "0.000676800s");
/// assert_eq!(told.parse(), Ok(Moment::Since(676_800)));
/// ```
#[must_use]
pub fn since_first(time: Timestamp, first: Timestamp) -> String {
    let since_ns = time.since_ns(first).max(0);
    format!("{}.{:09}s", since_ns / SECOND_NS, since_ns % SECOND_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Moment) {
        assert_eq!(text.parse(), Ok(expect), "{text}");
    }

    #[test]
    fn moments_are_written_as_people_do() {
        check("1.5s", Moment::Since(1_500_000_000));
        check("20ms", Moment::Since(20_000_000));
        check("7 us", Moment::Since(7_000));
        check("3ns", Moment::Since(3));
        check("7", Moment::Since(7 * SECOND_NS));
        check("0.000676800", Moment::Since(676_800));
        let time = 2 * HOUR_NS + 13 * 60 * SECOND_NS + 5 * SECOND_NS;
        check("02:13:05", Moment::TimeOfDay(time));
        check("02:13:05.120", Moment::TimeOfDay(time + 120_000_000));
        check("1970-01-02T02:13:05Z", Moment::Instant(DAY_NS + time));
        check("1970-01-02T03:13:05+01:00", Moment::Instant(DAY_NS + time));
        check("1970-01-02 02:13:05", Moment::Instant(DAY_NS + time));
        for text in [
            "",
            "-1s",
            "-1",
            "soon",
            "1.5.5",
            "25:00:00",
            "2:",
            "1970-13-01T00:00:00Z",
            "1e9",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_of_day_is_on_the_day_of_the_trace() {
        // The times of the trace count from 1970.
        let check = |begin: i64, moment: &str, expect: i64| {
            let axis = Axis {
                first: Timestamp(begin),
                file: None,
            };
            let moment = moment.parse().expect("is one");
            assert_eq!(
                axis.time(moment),
                Ok(Timestamp(expect)),
                "{begin} {moment:?}"
            );
        };
        let at = |day: i64, hour: i64| day * DAY_NS + hour * HOUR_NS;
        check(at(100, 12), "13:00", at(100, 13));
        check(at(100, 12), "12:00", at(100, 12));
        check(at(100, 12), "11:00", at(100, 11));
        check(at(100, 12), "10:00", at(101, 10));
        check(at(100, 23), "01:00", at(101, 1));
        check(at(100, 0), "23:00", at(99, 23));
        check(at(100, 0), "22:00", at(100, 22));
        check(at(100, 12), "1s", at(100, 12) + SECOND_NS);
        check(at(100, 12), "1970-04-11T13:00:00Z", at(100, 13));
    }

    #[test]
    fn without_a_clock_only_times_since_the_first_event_are_known() {
        let axis = Axis {
            first: Timestamp(5),
            file: Some(b"go 1.19 trace\0\0\0"),
        };
        assert_eq!(axis.time(Moment::Since(7)), Ok(Timestamp(12)));
        assert_eq!(axis.time(Moment::TimeOfDay(7)), Err(NoClock));
        assert_eq!(axis.time(Moment::Instant(7)), Err(NoClock));
    }
}
