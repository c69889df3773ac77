//! What a session has to say of itself when it has ended.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::time::Duration;

use exectrace_format::go_v1::EventType;

use crate::batch::Counts;
use crate::clock::{self, ClockSource};

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EndReason {
    /// It was stopped, or its handle dropped.
    Stopped,
    /// It had written the most bytes that it was allowed.
    BytesMax,
    /// It had run for the longest time that it was allowed.
    TimeMax,
    /// The sink was too slow: batches had filled the memory budget.
    BudgetSpent,
    /// The sink gave an error: see [`Statistics::sink_error`].
    SinkFailed,
    /// The sink panicked, or the recorder's own collector did; the program goes on.
    CollectorFailed,
    /// The process is a child of the one that records, made by `fork`: it has no recording to end.
    OtherProcess,
}

/// How stacks were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StackMethod {
    /// By frame pointers, and they were there.
    FramePointers,
    /// By frame pointers, but the program was built without: stacks have a frame or two. Build with
    /// `-C force-frame-pointers=yes`.
    WithoutFramePointers,
    /// No stack was taken.
    None,
}

/// Events by kind, as Go names the kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventCounts(BTreeMap<&'static str, u64>);

impl EventCounts {
    pub(crate) fn add(&mut self, counts: &Counts) {
        for (number, &count) in counts.iter().enumerate() {
            let Some(event_type) = u8::try_from(number).ok().and_then(EventType::from_number)
            else {
                continue;
            };
            self.add_some(event_type, count);
        }
    }

    pub(crate) fn add_some(&mut self, event_type: EventType, count: impl Into<u64>) {
        let count = count.into();
        // As Go lists them: a Local form is the plain event, written shorter.
        let event_type = match event_type {
            EventType::GoStartLocal => EventType::GoStart,
            EventType::GoUnblockLocal => EventType::GoUnblock,
            other => other,
        };
        if count != 0 {
            *self.0.entry(event_type.spec().name).or_default() += count;
        }
    }

    /// Adds what is in `whole` and not in `part`.
    pub(crate) fn add_difference(&mut self, whole: &Self, part: &Self) {
        for (name, count) in &whole.0 {
            let rest = count.saturating_sub(part.of(name));
            if rest != 0 {
                *self.0.entry(name).or_default() += rest;
            }
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            *self.0.entry(name).or_default() += count;
        }
    }

    /// Events of the kind that Go calls `name`.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// All events.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The kinds of which there are events, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(&name, &count)| (name, count))
    }
}

/// The account of a session that has ended: what was written and what was not.
///
/// Every event that a hook emitted is either in [`events`](Self::events) or in [`dropped`](Self::dropped) and
/// [`dropped_without_room`](Self::dropped_without_room).
#[derive(Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Why the session ended.
    pub end: EndReason,
    /// The sink's error, if it gave one.
    pub sink_error: Option<io::Error>,
    /// How long the session ran.
    pub duration: Duration,
    /// Bytes that the sink took.
    pub bytes_written: u64,
    /// Bytes that were ready but that the sink did not take.
    pub bytes_unwritten: u64,
    /// Events in the recording, by kind.
    pub events: EventCounts,
    /// Events that were emitted but are not in the recording, by kind.
    pub dropped: EventCounts,
    /// Hooks that found no room when the memory budget was spent, one of a thread at most; the session ended there.
    pub dropped_without_room: u64,
    /// Hooks that ran inside another hook of their thread (an allocator in a signal handler, say) and wrote nothing.
    pub nested_hooks: u64,
    /// Batches of threads that did not leave a hook for ten seconds; their events are lost and cannot be counted.
    pub lost_batches: u64,
    /// Tasks that the recording knows.
    pub tasks: u64,
    /// Tasks that got no record because memory was refused.
    pub untraced_tasks: u64,
    /// Threads that took part.
    pub workers: u64,
    /// Entries of the stack table.
    pub stacks: u64,
    /// Entries of the string table.
    pub strings: u64,
    /// Stacks and strings that found no room in the tables, and user tasks that memory was refused for; their events stand
    /// without.
    pub refused_entries: u64,
    /// Calls of adapters' leaf classifiers and describers that panicked: such a leaf stands without its reason, and such an
    /// adapter is asked no more.
    pub failed_callbacks: u64,
    /// Stacks that were deeper than 128 frames and cut.
    pub cut_stacks: u64,
    /// Stacks that led to an address without code, as those of functions without frame pointers do, and end there.
    pub broken_stacks: u64,
    /// Names and messages that were cut to fit.
    pub cut_texts: u64,
    /// Events whose time was more than a millisecond ahead of the clock, to come after their cause.
    pub clamped_times: u64,
    /// How stacks were taken.
    pub stack_method: StackMethod,
    /// Where times come from.
    pub clock: ClockSource,
    /// CPU seconds, user and system, that the process used meanwhile.
    pub cpu_time: Duration,
    /// What the CPU sampler did; `None` without one.
    pub cpu_samples: Option<CpuSampleStatistics>,
    /// The most memory that batches took at once, bytes.
    pub batch_bytes_max: usize,
    /// Memory of the string and stack tables, bytes.
    pub table_bytes: usize,
}

/// What the CPU sampler did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CpuSampleStatistics {
    /// Samples in the recording, or in the profile.
    pub written: u64,
    /// Samples that were taken but lost: buffers were full or in use, or the sink failed. What was taken is either written or
    /// lost.
    pub lost: u64,
    /// The rate that was asked for, per second of CPU time.
    pub wished_hz: u32,
    /// The rate that the kernel grants: no more than its tick.
    pub effective_hz: u32,
    /// Threads that had a timer.
    pub threads: u64,
    /// Threads that the kernel refused a timer (see `ulimit -i`); of their time there are no samples.
    pub refused_threads: u64,
    /// The program gave `SIGPROF` another action meanwhile: from then on no samples were taken, unless a handler passes the
    /// signal on.
    pub lost_signal: bool,
}

impl Statistics {
    /// What a child of `fork` can tell of its parent's recording.
    pub(crate) fn of_another_process() -> Self {
        Self {
            end: EndReason::OtherProcess,
            sink_error: None,
            duration: Duration::ZERO,
            bytes_written: 0,
            bytes_unwritten: 0,
            events: EventCounts::default(),
            dropped: EventCounts::default(),
            dropped_without_room: 0,
            nested_hooks: 0,
            lost_batches: 0,
            tasks: 0,
            untraced_tasks: 0,
            workers: 0,
            stacks: 0,
            strings: 0,
            refused_entries: 0,
            failed_callbacks: 0,
            cut_stacks: 0,
            broken_stacks: 0,
            cut_texts: 0,
            clamped_times: 0,
            stack_method: StackMethod::None,
            clock: clock::source(),
            cpu_time: Duration::ZERO,
            cpu_samples: None,
            batch_bytes_max: 0,
            table_bytes: 0,
        }
    }

    /// Everything that was emitted and is not in the recording.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.total() + self.dropped_without_room
    }

    /// Whether the recording holds all that was emitted, and the sink took it without an error, its flush included.
    pub fn is_complete(&self) -> bool {
        self.dropped_total() == 0
            && self.lost_batches == 0
            && self.bytes_unwritten == 0
            && self.sink_error.is_none()
            && self.end != EndReason::CollectorFailed
    }
}

impl fmt::Display for Statistics {
    /// A summary of several lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} events in {:.3} s, {} bytes, dropped: {}",
            self.events.total(),
            self.duration.as_secs_f64(),
            self.bytes_written,
            self.dropped_total()
        )?;
        write!(
            f,
            "{} tasks, {} workers, {} stacks, {} strings",
            self.tasks, self.workers, self.stacks, self.strings
        )?;
        if let Some(samples) = &self.cpu_samples {
            write!(
                f,
                ", {} CPU samples at {} Hz, lost: {}",
                samples.written, samples.effective_hz, samples.lost
            )?;
        }
        match self.end {
            EndReason::Stopped => {}
            EndReason::BytesMax => write!(f, "\nended: the limit of bytes was reached")?,
            EndReason::TimeMax => write!(f, "\nended: the limit of time was reached")?,
            EndReason::BudgetSpent => {
                write!(f, "\nended: the sink was too slow for the memory budget")?
            }
            EndReason::SinkFailed => write!(f, "\nended: the sink failed")?,
            EndReason::CollectorFailed => write!(f, "\nended: the sink or the collector panicked")?,
            EndReason::OtherProcess => write!(f, "\nthe recording is the parent process's")?,
        }
        match (&self.sink_error, self.bytes_unwritten) {
            (None, _) => {}
            (Some(error), 0) => write!(
                f,
                "\nthe sink's error: {error}; it came with the last flush, so the sink may have lost what it held back"
            )?,
            (Some(error), bytes) => {
                write!(f, "\nthe sink's error: {error}; {bytes} bytes not written")?
            }
        }
        if self.refused_entries > 0 {
            write!(
                f,
                "\n{} stacks and strings found no room in the tables and are missing",
                self.refused_entries
            )?;
        }
        if self.failed_callbacks > 0 {
            write!(
                f,
                "\npanics of adapters' classifiers and describers: {}; what they had to say is missing",
                self.failed_callbacks
            )?;
        }
        if self.cpu_samples.is_some_and(|samples| samples.lost_signal) {
            write!(
                f,
                "\nCPU samples may be missing: the program gave SIGPROF another action while they were taken"
            )?;
        }
        if self.stack_method == StackMethod::WithoutFramePointers {
            write!(
                f,
                "\nstacks are short: build with RUSTFLAGS=\"-C force-frame-pointers=yes\""
            )?;
        }
        Ok(())
    }
}
