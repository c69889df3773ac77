//! What a recording of exectrace says about itself.
//!
//! Go's format has no place for it, so it stands in user logs of no task whose keys begin with `exectrace.`: who wrote the
//! recording, of which process, by which clocks, and what was dropped. Go's own traces have none of it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use exectrace_format::{TaskId, UserTaskId};

use crate::{Event, Kind, Loss, Tables};

/// What all keys begin with.
const PREFIX: &[u8] = b"exectrace.";

/// The key of who wrote a recording.
pub(crate) const WRITER_KEY: &[u8] = b"exectrace.writer";

/// The longest message that is kept; those of the recorder are shorter.
const MESSAGE_BYTES_MAX: usize = 1 << 16;

/// What a recording says about itself; empty for a trace of Go's.
///
/// # Examples
///
/// ```
/// use exectrace_reader::Survey;
/// # let recording = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=900001 ticks=1000
/// #     UserLog dt=1 key=1 message=\"exectrace 0.1.0\"
/// #     String string=1 text=\"exectrace.writer\"
/// #     Frequency ticks_per_second=1000000000").unwrap();
/// let survey = Survey::of(&recording);
/// assert_eq!(survey.description.writer(), Some("exectrace 0.1.0"));
/// assert_eq!(survey.description.dropped(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// By key without its prefix: what was said last.
    last: BTreeMap<String, String>,
    /// What was said first of the clocks.
    clocks: Option<String>,
    threads: u64,
}

/// How often CPU samples were taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRate {
    /// What was asked for, in samples per second of CPU time.
    pub wished_hz: f64,
    /// What the system granted.
    pub effective_hz: f64,
}

/// What the recorder could not write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Events of hooks that found no room.
    pub hooks: u64,
    /// Batches whose thread never gave them back.
    pub batches: u64,
    /// Events of hooks that interrupted a hook.
    pub nested: u64,
    /// CPU samples.
    pub samples: u64,
    /// Regions that found no room among those that were open.
    pub regions: u64,
}

impl Description {
    /// Takes note of an event, if it says something about the recording. `tables` are those of the event's reader.
    pub fn add(&mut self, event: &Event, tables: &Tables<'_>) {
        let Kind::UserLog {
            user_task: UserTaskId(0),
            key,
            message,
        } = event.kind
        else {
            return;
        };
        let Some(key) = tables.string(key).strip_prefix(PREFIX) else {
            return;
        };
        let message = tables.string(message);
        if event.task != TaskId(0) || message.len() > MESSAGE_BYTES_MAX {
            return;
        }
        if key == b"thread" {
            self.threads += 1;
            return;
        }
        let message = String::from_utf8_lossy(message).into_owned();
        if key == b"clock" && self.clocks.is_none() {
            self.clocks = Some(message.clone());
        }
        let key = String::from_utf8_lossy(key).into_owned();
        self.last.insert(key, message);
    }

    /// The name and version of the writer.
    #[must_use]
    pub fn writer(&self) -> Option<&str> {
        self.last("writer")
    }

    /// The process that was recorded.
    #[must_use]
    pub fn process_id(&self) -> Option<u64> {
        number(self.last("process")?, "pid")
    }

    /// The program that was recorded, with its arguments.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        // Arguments hold blanks, so they are all that follows.
        let (_, arguments) = self.last("process")?.split_once("args=")?;
        Some(arguments)
    }

    /// How often CPU samples were taken, if they were.
    #[must_use]
    pub fn sample_rate(&self) -> Option<SampleRate> {
        let sampling = self.last("sampling")?;
        Some(SampleRate {
            wished_hz: number(sampling, "wished_hz")?,
            effective_hz: number(sampling, "effective_hz")?,
        })
    }

    /// The CPU time of the process while it was recorded.
    #[must_use]
    pub fn cpu_time(&self) -> Option<Duration> {
        let seconds = number(self.last("cpu")?, "seconds")?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// What the recorder could not write; `None` where nothing is said, which is so when nothing was dropped.
    #[must_use]
    pub fn dropped(&self) -> Option<Dropped> {
        let dropped = self.last("dropped")?;
        let count = |name| number(dropped, name).unwrap_or_default();
        Some(Dropped {
            hooks: count("hooks"),
            batches: count("batches"),
            nested: count("nested"),
            samples: count("cpu_samples"),
            regions: count("regions"),
        })
    }

    /// Whether the recording says that it has come to its end, as one does that was stopped.
    #[must_use]
    pub fn has_end(&self) -> bool {
        self.last("cpu").is_some()
    }

    /// Adds to a loss what the recording says of itself: what the recorder dropped, and whether there is an end.
    pub fn add_to(&self, loss: &mut Loss) {
        loss.dropped = self.dropped();
        loss.lacks_end = self.writer().is_some() && !self.has_end();
        loss.is_exact &= !loss.lacks_end;
    }

    /// When the recording began.
    #[must_use]
    pub fn start(&self) -> Option<SystemTime> {
        let clocks = self.clocks.as_deref()?;
        let wall_ns = number(clocks, "wall_ns")?;
        let ticks: u64 = number(clocks, "ticks")?;
        let since_start = ticks.checked_sub(number(clocks, "start_ticks")?)?;
        let frequency: f64 = number(clocks, "frequency")?;
        let elapsed = Duration::try_from_secs_f64(since_start as f64 / frequency).ok()?;
        let wall = UNIX_EPOCH.checked_add(Duration::from_nanos(wall_ns))?;
        wall.checked_sub(elapsed)
    }

    /// Descriptions of threads: one whenever a thread joined or changed.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.threads
    }

    /// All that was said, last of each key, without the keys' prefix; those of threads are only counted.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.last
            .iter()
            .map(|(key, message)| (key.as_str(), message.as_str()))
    }

    fn last(&self, key: &str) -> Option<&str> {
        self.last.get(key).map(String::as_str)
    }
}

/// The number after `name=` in a message.
fn number<T: std::str::FromStr>(message: &str, name: &str) -> Option<T> {
    let mut words = message.split(' ');
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use exectrace_format::text;

    use crate::{Description, Dropped, Loss, Survey};

    /// What a recording with these logs says, of the key's number and the message.
    fn said(logs: &[(&str, &str)]) -> Description {
        let mut file = String::from("go 1.19 trace\nBatch worker=900001 ticks=1000\n");
        for (index, (key, message)) in logs.iter().enumerate() {
            let id = index + 1;
            file += &format!("String string={id} text=\"{key}\"\n");
            file += &format!("UserLog dt=1 key={id} message=\"{message}\"\n");
        }
        file += "Frequency ticks_per_second=1000000000\n";
        let file = text::parse(&file).expect("is a trace");
        let survey = Survey::of(&file);
        assert_eq!(survey.fault, None);
        survey.description
    }

    #[test]
    fn what_is_said_is_understood() {
        let description = said(&[
            ("exectrace.writer", "exectrace 0.1.0"),
            (
                "exectrace.clock",
                "ticks=2000 wall_ns=10000000000 monotonic_ns=5 frequency=1000 start_ticks=500",
            ),
            ("exectrace.process", "pid=17 args=a b pid=9"),
            (
                "exectrace.sampling",
                "wished_hz=100 effective_hz=62.5 kernel_tick_hz=250",
            ),
            ("exectrace.thread", "worker=1 thread=2 role=worker name="),
            ("exectrace.thread", "worker=2 thread=3 role=worker name="),
            ("exectrace.cpu", "seconds=1.5 recorder_seconds=0.1"),
            ("exectrace.clock", "ticks=3000"),
            (
                "exectrace.dropped",
                "hooks=1 batches=2 nested=3 cpu_samples=4 regions=5",
            ),
        ]);
        assert_eq!(description.writer(), Some("exectrace 0.1.0"));
        assert_eq!(description.process_id(), Some(17));
        assert_eq!(description.program(), Some("a b pid=9"));
        let rate = description.sample_rate().expect("is said");
        assert_eq!((rate.wished_hz, rate.effective_hz), (100.0, 62.5));
        assert_eq!(description.cpu_time().expect("is said").as_millis(), 1500);
        assert_eq!(description.threads(), 2);
        let start = description.start().expect("is said");
        let since = start.duration_since(std::time::UNIX_EPOCH);
        assert_eq!(since.expect("is later").as_millis(), 8500);
        let dropped = Dropped {
            hooks: 1,
            batches: 2,
            nested: 3,
            samples: 4,
            regions: 5,
        };
        assert_eq!(description.dropped(), Some(dropped));
        let mut loss = Loss::default();
        description.add_to(&mut loss);
        assert_eq!((loss.dropped, loss.lacks_end), (Some(dropped), false));
    }

    #[test]
    fn nonsense_says_nothing() {
        let description = said(&[
            ("exectrace.clock", "wall_ns=-1 ticks=x"),
            ("exectrace.cpu", "seconds=-1"),
            ("exectrace.process", ""),
            ("exectrace.sampling", "wished_hz="),
            ("writer", "somebody"),
        ]);
        assert_eq!(description.start(), None);
        assert_eq!(description.cpu_time(), None);
        assert_eq!(
            (description.process_id(), description.program()),
            (None, None)
        );
        assert_eq!(description.sample_rate(), None);
        assert_eq!(description.writer(), None);
        // What nobody of ours has written need not say that it ends.
        let mut loss = Loss::default();
        description.add_to(&mut loss);
        assert!(loss.is_none());
        let description = said(&[("exectrace.writer", "exectrace 0.1.0")]);
        description.add_to(&mut loss);
        assert!(!loss.is_none() && loss.lacks_end && !loss.is_exact);
        let said_nothing = said(&[(
            "exectrace.clock",
            "wall_ns=1 ticks=2 start_ticks=3 frequency=0",
        )]);
        assert_eq!(said_nothing.start(), None);
    }
}
