//! A trace as a whole: what is in it, and whether it is one.

use std::collections::BTreeMap;
use std::time::SystemTime;

use exectrace_format::{Error as FormatError, Format, Version};

use crate::wall_clock::WallClock;
use crate::{
    Cause, Contents, Description, Error, Inventory, Kind, Loss, Mode, Reader, Repair, Repairs,
};

/// What is in a trace, read to its end or to its first fault.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Survey, Verdict};
/// let file = exectrace_format::text::parse("\
///     go 1.19 trace
///     Batch worker=0 ticks=1000
///     GoCreate dt=5 task=1
///     Frequency ticks_per_second=1000000000").unwrap();
/// let survey = Survey::of(&file);
/// assert_eq!((survey.verdict, survey.fault), (Verdict::Accepted, None));
/// assert_eq!(survey.event_counts["GoCreate"], 1);
/// assert_eq!(survey.inventory.tasks_created(), 1);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The version that the header names; `None` for one that is not known, or no header.
    pub version: Option<Version>,
    /// The version that the file was read as: of one that is not known, a tolerant reader takes the one before.
    pub read_as: Option<Version>,
    /// What can be made of the file.
    pub verdict: Verdict,
    /// What is wrong with it first; for a tolerant reader of all that it lost or put right.
    pub fault: Option<Error>,
    /// What is lost, and what the recorder could not write; a strict reader does not say what comes after the fault.
    pub loss: Loss,
    /// What was put right; a strict reader puts nothing right.
    pub repairs: Repairs,
    /// What its events are about.
    pub inventory: Inventory,
    /// Events by Go's names for their kinds.
    pub event_counts: BTreeMap<String, u64>,
    /// What its tables hold.
    pub contents: Contents,
    /// What it says about itself.
    pub description: Description,
    /// What the wall clock showed at the first event, where the trace says it.
    pub start: Option<SystemTime>,
    /// Some events that are not syncs were read.
    has_events: bool,
}

/// What can be made of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It can be read to its end, and nothing is missing.
    Accepted,
    /// There are events before the first fault, or something is lost or was put right.
    Partial,
    /// There are none.
    Refused,
}

/// So many events lie between two words to a watcher: about a millisecond.
const WATCH_EVENTS: u64 = 1 << 13;

impl Verdict {
    /// The verdict as a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Partial => "partial",
            Self::Refused => "refused",
        }
    }
}

impl Survey {
    /// Reads a whole file, to its end or to its first fault.
    #[must_use]
    pub fn of(file: &[u8]) -> Self {
        Self::watched(file, Mode::Strict, |_| ())
    }

    /// Reads all of a file that makes sense.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_reader::{Survey, Verdict};
    /// let survey = Survey::tolerant(b"go 1.26 trace\0\0\0 and more");
    /// assert_eq!(survey.verdict, Verdict::Refused);
    /// assert_eq!(survey.loss.bytes, 9);
    /// ```
    #[must_use]
    pub fn tolerant(file: &[u8]) -> Self {
        Self::watched(file, Mode::Tolerant, |_| ())
    }

    /// The same in the one way or the other, for a watcher, who is told now and then about how many bytes of the file have been read.
    ///
    /// # Examples
    ///
    /// ```
    /// use exectrace_reader::{Mode, Survey};
    /// let file = b"go 1.19 trace\0\0\0";
    /// let survey = Survey::watched(file, Mode::Strict, |bytes| eprintln!("{} %", 100 * bytes / file.len() as u64));
    /// assert!(survey.is_empty());
    /// ```
    #[must_use]
    pub fn watched(file: &[u8], mode: Mode, mut watcher: impl FnMut(u64)) -> Self {
        let mut bytes_read = 0;
        let mut survey = Self::empty(Version::of(file).ok());
        let mut reader = match Reader::open(file, mode) {
            Ok(reader) => reader,
            Err(fault) => {
                survey.fault = Some(fault);
                return survey;
            }
        };
        survey.read_as = Some(reader.version());
        loop {
            let (event, reader) = match reader.lend_next() {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(fault) => {
                    survey.fault = Some(fault);
                    break;
                }
            };
            // Threads take turns, and so their places in the file go back and forth.
            bytes_read = bytes_read.max(event.offset);
            survey.inventory.add(event);
            let events = survey.inventory.counted().events;
            if events.is_multiple_of(WATCH_EVENTS) {
                watcher(bytes_read);
            }
            survey.has_events |= event.kind != Kind::Sync;
            if let Kind::UserLog { .. } = event.kind {
                survey.description.add(event, reader.tables());
            }
        }
        survey.event_counts = survey.inventory.by_kind(&reader);
        survey.contents = reader.contents();
        survey.loss = reader.loss().clone();
        survey.repairs = reader.repairs().clone();
        survey.fault = survey.fault.or_else(|| survey.first_damage());
        survey.description.add_to(&mut survey.loss);
        let lacks_nothing = survey.loss.is_none() || mode == Mode::Strict;
        survey.verdict = match survey.fault {
            None if lacks_nothing => Verdict::Accepted,
            _ if survey.has_events => Verdict::Partial,
            _ => Verdict::Refused,
        };
        survey.start = survey.description.start().or_else(|| {
            let (first, _) = survey.inventory.span()?;
            WallClock::of_go(file)?.at(first)
        });
        survey
    }

    /// What is wrong first, for a tolerant reader: with the version, with what is lost, with what was put right.
    fn first_damage(&self) -> Option<Error> {
        let by_kind = &self.repairs.by_kind;
        let version = by_kind.get(&Repair::Version).map(|repaired| repaired.first);
        let gaps = self.loss.gaps.iter().map(|gap| gap.error);
        let repairs = by_kind.values().map(|repaired| repaired.first);
        let first =
            |errors: &mut dyn Iterator<Item = Error>| errors.min_by_key(|error| error.offset);
        version
            .or_else(|| first(&mut gaps.into_iter()))
            .or_else(|| first(&mut repairs.into_iter()))
    }

    fn empty(version: Option<Version>) -> Self {
        Self {
            version,
            read_as: version,
            verdict: Verdict::Refused,
            fault: None,
            loss: Loss::default(),
            repairs: Repairs::default(),
            inventory: Inventory::default(),
            event_counts: BTreeMap::new(),
            contents: Contents::default(),
            description: Description::default(),
            start: None,
            has_events: false,
        }
    }

    /// The same as Go's own readers have it.
    ///
    /// That of format v1 gives all events of a file or none; for v2 the file is partial when a whole generation comes before
    /// the fault.
    #[must_use]
    pub fn as_in_go(self) -> Self {
        if self.fault.is_none() {
            return self;
        }
        let Some(Format::V2) = self.version.map(Version::format) else {
            return Self {
                fault: self.fault,
                contents: self.contents,
                ..Self::empty(self.version)
            };
        };
        let counted = self.inventory.counted();
        // Another sync follows a generation.
        let verdict = if counted.syncs >= 2 && self.has_events {
            Verdict::Partial
        } else {
            Verdict::Refused
        };
        Self { verdict, ..self }
    }

    /// Whether the file has a header and no event.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_empty_to_go = self
            .fault
            .is_some_and(|fault| matches!(fault.cause, Cause::Empty));
        self.version.is_some() && !self.has_events && (self.fault.is_none() || is_empty_to_go)
    }

    /// The two numbers of the version that the header names, known or not.
    #[must_use]
    pub fn header(&self) -> Option<(u32, u32)> {
        if let Some(version) = self.version {
            return Some((1, version.minor()));
        }
        match self.fault?.cause {
            Cause::Format(FormatError::UnsupportedVersion { major, minor }) => Some((major, minor)),
            _ => None,
        }
    }

    /// The format; of a version that is not known, that of the versions beside it.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        let header = self.header()?;
        let is_v2 = header >= (1, Version::Go1_22.minor());
        Some(if is_v2 { Format::V2 } else { Format::V1 })
    }
}

#[cfg(test)]
mod tests {
    use exectrace_format::text;

    use super::*;

    const V2_GENERATION: &str = "\
        EventBatch generation=1 thread=-1 time=1\n\
        Sync\n\
        ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500\n\
        Frequency units_per_second=1000000000\n\
        EventBatch generation=1 thread=7 time=1\n\
        ProcStatus dt=1 worker=0 status=1\n\
        EndOfGeneration\n";

    #[track_caller]
    fn check(lines: &str, ours: Verdict, in_go: Verdict, is_empty: bool) -> Survey {
        let file = text::parse(lines).expect("is a trace");
        let survey = Survey::of(&file);
        assert_eq!(survey.verdict, ours, "{:?}", survey.fault);
        assert_eq!(survey.is_empty(), is_empty);
        let strict = survey.clone().as_in_go();
        assert_eq!((strict.verdict, strict.fault), (in_go, survey.fault));
        survey
    }

    #[test]
    fn what_comes_before_a_fault_counts_in_v2_if_a_generation_does() {
        use Verdict::{Accepted, Partial, Refused};
        let whole = format!("go 1.26 trace\n{V2_GENERATION}");
        let survey = check(&whole, Accepted, Accepted, false);
        let start = survey.start.expect("is said");
        let since = start.duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(since.expect("is later").as_nanos(), 1_000_000_499);
        let next = V2_GENERATION.replace("generation=1", "generation=2");
        check(&format!("{whole}{}", next), Accepted, Accepted, false);
        check(
            &format!("{whole}{}", next.replace("status=1", "status=9")),
            Partial,
            Partial,
            false,
        );
        check(
            &whole.replace("EndOf", "ProcStatus dt=1 worker=1 status=9\nEndOf"),
            Partial,
            Refused,
            false,
        );
        check(
            &whole.replace("status=1", "status=9"),
            Refused,
            Refused,
            false,
        );
        check("go 1.26 trace", Accepted, Accepted, true);
    }

    #[test]
    fn a_generation_that_has_only_begun_counts() {
        let begun = "\
            EventBatch generation=2 thread=-1 time=1\n\
            Sync\n\
            ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500\n\
            Frequency units_per_second=1000000000\n";
        let file = format!("go 1.26 trace\n{V2_GENERATION}{begun}");
        let survey = check(&file, Verdict::Accepted, Verdict::Accepted, false);
        assert_eq!(survey.contents.generations, Some(2));
    }

    #[test]
    fn a_tolerant_survey_says_what_is_lost_before_what_was_put_right() {
        let whole = format!("go 1.26 trace\n{V2_GENERATION}");
        let file = text::parse(&whole).expect("is a trace");
        let survey = Survey::tolerant(&file);
        assert_eq!((survey.verdict, survey.fault), (Verdict::Accepted, None));
        let faulty = whole.replace(
            "EndOf",
            "GoStart dt=1 task=9 seq=4\nGoStop dt=1\nGoStop dt=1\nEndOf",
        );
        let mut file = text::parse(&faulty).expect("is a trace");
        let survey = Survey::tolerant(&file);
        assert_eq!(survey.verdict, Verdict::Partial);
        assert_eq!(survey.fault, Some(survey.loss.gaps[0].error));
        assert_eq!(survey.repairs.count(Repair::TaskState), 1);
        assert_eq!(survey.inventory.counted().inferred, 1);
        file[5] = b'3';
        let survey = Survey::tolerant(&file);
        assert_eq!((survey.header(), survey.version), (Some((1, 36)), None));
        assert_eq!(survey.read_as, Some(Version::Go1_26));
        assert_eq!(survey.verdict, Verdict::Partial);
        assert!(survey.inventory.counted().events > 3);
    }

    #[test]
    fn a_watcher_sees_how_far_it_is() {
        let events = "GoCreate dt=1 task=1\nGoStart dt=1 task=1 seq=1\nGoEnd dt=1\n".to_owned();
        let mut lines = String::from(
            "go 1.19 trace\nBatch worker=0 ticks=1\nFrequency ticks_per_second=1000\nProcStart dt=1 thread=1\n",
        );
        for task in 1..=10_000 {
            lines += &events.replace("task=1", &format!("task={task}"));
        }
        let file = text::parse(&lines).expect("is a trace");
        let mut seen = Vec::new();
        let survey = Survey::watched(&file, Mode::Strict, |bytes| seen.push(bytes));
        assert_eq!(survey.fault, None);
        assert_eq!(seen.len(), 3, "{seen:?}");
        assert!(seen.is_sorted());
        assert!(
            seen[0] > file.len() as u64 / 5 && seen[2] < file.len() as u64,
            "{seen:?}"
        );
    }

    #[test]
    fn what_comes_before_a_fault_does_not_count_in_v1() {
        use Verdict::{Accepted, Partial, Refused};
        let begin = "go 1.19 trace\nBatch worker=0 ticks=1\nFrequency ticks_per_second=1000\nGoCreate dt=1 task=1\n";
        check(begin, Accepted, Accepted, false);
        let fault = check(&format!("{begin}GoEnd dt=1"), Partial, Refused, false);
        assert_eq!(fault.event_counts["GoCreate"], 1);
        assert_eq!(fault.as_in_go().event_counts.len(), 0);
        check("go 1.19 trace", Refused, Refused, true);
    }

    #[test]
    fn a_header_tells_the_format_also_where_the_version_is_unknown() {
        #[track_caller]
        fn check(file: &[u8], header: Option<(u32, u32)>, format: Option<Format>) {
            let survey = Survey::of(file);
            assert_eq!((survey.header(), survey.format()), (header, format));
            assert!(survey.fault.is_some());
        }
        check(b"go 1.20 trace\0\0\0", Some((1, 20)), Some(Format::V1));
        check(b"go 1.27 trace\0\0\0", Some((1, 27)), Some(Format::V2));
        check(b"go 2.1 trace\0\0\0\0", Some((2, 1)), Some(Format::V2));
        check(b"go 1.19 trace\0\0\0", Some((1, 19)), Some(Format::V1));
        check(b"something else entirely", None, None);
        check(b"", None, None);
    }
}
