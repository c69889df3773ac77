//! What a wall clock showed, in traces that say so: those of Go from 1.25 on, and of exectrace.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use exectrace_format::go_v2::{BatchKind, EventType, Item, Items, Record};

use crate::{Description, Kind, Reader, Timestamp};

/// What the wall clock showed at one moment of a trace.
///
/// # Examples
///
/// ```
/// use exectrace_reader::WallClock;
///
/// # let recording = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=900001 ticks=0
/// #     Frequency ticks_per_second=1000000000
/// #     String string=1 text=\"exectrace.clock\"
/// #     UserLog dt=0 key=1 message=\"ticks=0 wall_ns=1003 frequency=1000000000 start_ticks=0\"").unwrap();
/// let clock = WallClock::of(&recording).expect("is said");
/// assert_eq!(clock.shift_ns(), Some(1003));
/// assert_eq!(WallClock::of(b"go 1.19 trace\0\0\0"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    at: Timestamp,
    showed: SystemTime,
}

impl WallClock {
    /// That of a trace, a whole file; `None` where it does not say it. A recording of exectrace is read as far as it says it, a trace
    /// of Go's that does not say it to its end.
    #[must_use]
    pub fn of(file: &[u8]) -> Option<Self> {
        Self::of_go(file).or_else(|| Self::of_recording(file))
    }

    /// That of the first generation of a trace of Go.
    pub(crate) fn of_go(file: &[u8]) -> Option<Self> {
        let items = Items::of_file(file).ok()?;
        let version = items.version();
        for item in items {
            let Item::Batch(batch) = item.ok()? else {
                return None;
            };
            if batch.kind(version) == BatchKind::Sync {
                let entries = batch.entries(version).map_while(Result::ok);
                return Self::of_entries(batch.time, entries);
            }
        }
        None
    }

    fn of_recording(file: &[u8]) -> Option<Self> {
        let mut reader = Reader::tolerant(file).ok()?;
        let mut description = Description::default();
        let mut first = None;
        while let Some(Ok(event)) = reader.next() {
            let at = *first.get_or_insert(event.time);
            if let Kind::UserLog { .. } = event.kind {
                description.add(&event, reader.tables());
                if let Some(showed) = description.start() {
                    return Some(Self { at, showed });
                }
            }
        }
        None
    }

    fn of_entries<'a>(time: u64, entries: impl Iterator<Item = Record<'a>>) -> Option<Self> {
        let (mut units_per_second, mut snapshot) = (None, None);
        for entry in entries {
            match entry.event_type {
                EventType::Frequency => units_per_second = Some(entry.args[0]),
                EventType::ClockSnapshot => snapshot = Some(entry),
                _ => {}
            }
        }
        let snapshot = snapshot?;
        let [_, wall_s, wall_ns, ..] = snapshot.args;
        let units = time.checked_add(snapshot.delta)?;
        let ns = units as f64 * (1e9 / units_per_second? as f64);
        let since_epoch = Duration::from_secs(wall_s).checked_add(Duration::from_nanos(wall_ns))?;
        Some(Self {
            at: Timestamp(ns as i64),
            showed: UNIX_EPOCH.checked_add(since_epoch)?,
        })
    }

    /// What is to be added to times so that they count from the epoch of Unix.
    #[must_use]
    pub fn shift_ns(self) -> Option<i64> {
        let showed = self.showed.duration_since(UNIX_EPOCH).ok()?;
        let shift_ns = i128::try_from(showed.as_nanos()).ok()? - i128::from(self.at.0);
        i64::try_from(shift_ns).ok()
    }

    /// What it showed at another moment.
    pub(crate) fn at(self, time: Timestamp) -> Option<SystemTime> {
        let ns = time.since_ns(self.at);
        let distance = Duration::from_nanos(ns.unsigned_abs());
        if ns < 0 {
            self.showed.checked_sub(distance)
        } else {
            self.showed.checked_add(distance)
        }
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::text;

    use super::*;

    #[test]
    fn it_showed_later_what_is_later() {
        let file = "go 1.26 trace\n\
            EventBatch generation=1 thread=-1 time=60\n\
            Sync\n\
            ClockSnapshot dt=4 monotonic_ns=64 wall_s=7 wall_ns=5\n\
            Frequency units_per_second=15625000\n";
        let file = text::parse(file).expect("is a trace");
        let clock = WallClock::of(&file).expect("is said");
        let ns = |time| {
            let showed = clock.at(Timestamp(time)).expect("is in range");
            showed
                .duration_since(UNIX_EPOCH)
                .expect("is later")
                .as_nanos()
        };
        assert_eq!(ns(4096), 7_000_000_005);
        assert_eq!(ns(5096), 7_000_001_005);
        assert_eq!(ns(0), 6_999_995_909);
    }

    #[test]
    fn without_a_snapshot_nobody_knows() {
        for file in [
            "go 1.19 trace\nBatch worker=0 ticks=1",
            "go 1.26 trace\nEventBatch generation=1 thread=1 time=60\nGoDestroy dt=1\nEndOfGeneration",
            "go 1.26 trace\nEventBatch generation=1 thread=-1 time=60\nSync\nFrequency units_per_second=1",
        ] {
            let file = text::parse(file).expect("is a trace");
            assert_eq!(WallClock::of(&file), None);
        }
    }
}
