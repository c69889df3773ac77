//! What a reader has put right so that events of a faulty trace can be told.

use std::collections::BTreeMap;
use std::fmt;

use exectrace_format::{ThreadId, WorkerId};

use crate::Error;

/// What was put right, by kind.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Reader, Repair};
///
/// // Nothing says that task 7 exists.
/// let file = exectrace_format::text::parse("\
///     go 1.26 trace
///     EventBatch generation=1 thread=50 time=1000
///     ProcStatus dt=1 worker=0 status=1
///     GoStart dt=5 task=7 seq=4
///     EventBatch generation=1 thread=-1 time=1000
///     Sync
///     ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500
///     Frequency units_per_second=1000000000
///     EndOfGeneration").unwrap();
/// let mut reader = Reader::tolerant(&file)?;
/// while reader.next_block()?.is_some() {}
/// assert_eq!(reader.repairs().count(Repair::TaskState), 1);
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repairs {
    /// How often, and what and where it was for the first time.
    pub by_kind: BTreeMap<Repair, Repaired>,
    /// The largest step of a clock against time that was put right, in nanoseconds.
    pub skew_ns: u64,
    /// Whose clock made it.
    pub skewed: Option<(ThreadId, WorkerId)>,
}

/// Repairs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// How many there were.
    pub count: u64,
    /// What was wrong first, and where.
    pub first: Error,
}

/// What is put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Repair {
    /// The version is not known; the file was read as if it were of the version before.
    Version,
    /// Nothing says how long a unit of time is; a usual length was taken.
    Clock,
    /// An event's time lies before that of an event that came first; it was moved there.
    TimeOrder,
    /// An event waits for one that does not come; it was told without it.
    Order,
    /// A generation has no end.
    End,
    /// A table says twice what an id stands for; the first holds.
    Table,
    /// No table says what an id stands for; the id itself is told.
    Name,
    /// The state of a task was inferred: from what an event of it demands.
    TaskState,
    /// The state of a worker was inferred.
    WorkerState,
    /// A thread runs another task, or has another worker, than its next event demands.
    Thread,
    /// The begin or the end of a range was inferred.
    Range,
    /// The begin of a region was inferred.
    Region,
    /// The end of a user task was inferred.
    UserTask,
}

impl Repair {
    /// The name, as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Clock => "clock",
            Self::TimeOrder => "time_order",
            Self::Order => "order",
            Self::End => "end",
            Self::Table => "table",
            Self::Name => "name",
            Self::TaskState => "task_state",
            Self::WorkerState => "worker_state",
            Self::Thread => "thread",
            Self::Range => "range",
            Self::Region => "region",
            Self::UserTask => "user_task",
        }
    }

    /// What was done, in a few words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Version => "read as the version before",
            Self::Clock => "a unit of time taken for 64 ns",
            Self::TimeOrder => "times moved on to that of an earlier event",
            Self::Order => "events told without what they wait for",
            Self::End => "generations ended that have no end",
            Self::Table => "second meanings of an id ignored",
            Self::Name => "ids told that no table explains",
            Self::TaskState => "states of tasks inferred",
            Self::WorkerState => "states of workers inferred",
            Self::Thread => "tasks and workers taken from threads",
            Self::Range => "begins and ends of ranges inferred",
            Self::Region => "begins of regions inferred",
            Self::UserTask => "ends of user tasks inferred",
        }
    }
}

impl Repairs {
    /// Whether nothing was put right.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// How many of a kind there were.
    #[must_use]
    pub fn count(&self, repair: Repair) -> u64 {
        self.by_kind
            .get(&repair)
            .map_or(0, |repaired| repaired.count)
    }

    /// How many there were.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.by_kind.values().map(|repaired| repaired.count).sum()
    }

    pub(crate) fn add(&mut self, repair: Repair, error: Error) {
        let repaired = self.by_kind.entry(repair).or_insert(Repaired {
            count: 0,
            first: error,
        });
        repaired.count += 1;
    }

    /// A clock went back by so much.
    pub(crate) fn add_skew(
        &mut self,
        error: Error,
        skew_ns: u64,
        thread: ThreadId,
        worker: WorkerId,
    ) {
        self.add(Repair::TimeOrder, error);
        if skew_ns >= self.skew_ns {
            self.skew_ns = skew_ns;
            self.skewed = Some((thread, worker));
        }
    }
}

impl fmt::Display for Repairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("nothing");
        }
        for (index, (repair, repaired)) in self.by_kind.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{} {}", repaired.count, repair.text())?;
        }
        if self.count(Repair::TimeOrder) > 0 {
            write!(f, " (by up to {} ns)", self.skew_ns)?;
        }
        Ok(())
    }
}
