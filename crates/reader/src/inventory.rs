//! What is in a trace, in numbers.

use std::collections::{BTreeMap, HashMap};

use exectrace_format::role::{Metric, Range, State};
use exectrace_format::{StringId, TaskId, ThreadId, WorkerId, go_v1, go_v2};

use crate::event::{Event, EventType, Kind};
use crate::id_array::IdArray;
use crate::{Reader, Timestamp};

/// Counts of events by kind, and of what they are about.
///
/// The names of kinds are Go's: of the record in format v1, of what its reader makes of it in v2.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    kinds: KindCounts,
    /// What is known of each task.
    tasks: IdArray<TaskMarks>,
    tasks_seen: usize,
    tasks_created: usize,
    workers: IdArray<bool>,
    workers_seen: usize,
    threads: IdArray<bool>,
    threads_seen: usize,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    workers_max: u64,
    counted: Counted,
}

/// What is known of a task.
#[derive(Clone, Copy, Debug, Default)]
struct TaskMarks {
    is_seen: bool,
    is_created: bool,
    waits_for_network: bool,
}

/// Events by kind.
#[derive(Clone, Debug)]
struct KindCounts {
    /// By the keys' places.
    slots: Vec<Option<(Key, u64)>>,
    /// Of keys whose place another one has.
    others: HashMap<Key, u64>,
}

/// Places of keys.
const PLACES: usize = 512;

/// What tells the kinds of events apart, before they have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Type(EventType),
    Sync,
    Task(State, State),
    Worker(State, State),
    Begin(Range, u64),
    Active(Range),
    End(Range, u64),
    Metric(Metric),
    Experiment,
}

/// Plain counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// All events that stand in the file.
    pub events: u64,
    /// Events that a tolerant reader has inferred, which are counted nowhere else.
    pub inferred: u64,
    /// User tasks that begin.
    pub user_tasks_begun: u64,
    /// User tasks that end.
    pub user_tasks_ended: u64,
    /// User regions that begin.
    pub user_regions_begun: u64,
    /// User regions that end.
    pub user_regions_ended: u64,
    /// User logs.
    pub user_logs: u64,
    /// CPU samples.
    pub samples: u64,
    /// Syncs.
    pub syncs: u64,
}

impl Inventory {
    /// Counts an event.
    pub fn add(&mut self, event: &Event) {
        if event.event_type == EventType::Inferred {
            self.counted.inferred += 1;
            return;
        }
        self.first.get_or_insert(event.time);
        self.last = Some(event.time);
        self.counted.add(event);
        self.kinds.add(Key::of(event));
        if event.thread != ThreadId::NONE {
            see(&mut self.threads, event.thread.0, &mut self.threads_seen);
        }
        self.see_task(event.task);
        if !self.is_nobodys(event) {
            self.see_worker(event.worker);
        }
        match event.kind {
            Kind::TaskTransition { task, from, .. } => {
                self.see_task(task);
                if from == State::NotExist {
                    let marks = self.tasks.get_mut(task.0);
                    let is_new = !std::mem::replace(&mut marks.is_created, true);
                    self.tasks_created += usize::from(is_new);
                }
            }
            Kind::WorkerTransition { worker, .. } => self.see_worker(worker),
            Kind::Metric {
                metric: Metric::Workers,
                value,
            } => self.workers_max = self.workers_max.max(value),
            _ => {}
        }
    }

    /// Whether Go's reader of format v1 counts the event to none of the real workers: it moves some to workers of its own.
    fn is_nobodys(&mut self, event: &Event) -> bool {
        use go_v1::EventType as E;
        let EventType::V1(event_type) = event.event_type else {
            return false;
        };
        match (event_type, event.kind) {
            (E::GoBlockNet, Kind::TaskTransition { task, .. }) => {
                self.tasks.get_mut(task.0).waits_for_network = true;
                false
            }
            (E::GoUnblock, Kind::TaskTransition { task, .. }) => {
                let marks = self.tasks.get_mut(task.0);
                std::mem::take(&mut marks.waits_for_network)
            }
            (E::GCStart | E::GoSysExit, _) => true,
            _ => event.worker.0 >= 1_000_000,
        }
    }

    fn see_task(&mut self, task: TaskId) {
        if task.0 != 0 && !self.tasks.get(task.0).is_seen {
            self.tasks.get_mut(task.0).is_seen = true;
            self.tasks_seen += 1;
        }
    }

    fn see_worker(&mut self, worker: WorkerId) {
        if worker != WorkerId::NONE {
            see(&mut self.workers, worker.0 as u64, &mut self.workers_seen);
        }
    }

    /// The plain counts.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.counted
    }

    /// The time of the first event and of the last.
    #[must_use]
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.first.zip(self.last)
    }

    /// Tasks that own an event or are named by a transition.
    #[must_use]
    pub fn tasks_seen(&self) -> usize {
        self.tasks_seen
    }

    /// Tasks whose creation is in the trace.
    #[must_use]
    pub fn tasks_created(&self) -> usize {
        self.tasks_created
    }

    /// Workers that own an event or are named by a transition.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers_seen
    }

    /// Threads that own an event; format v1 names none.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads_seen
    }

    /// The most workers that the program allowed itself.
    #[must_use]
    pub fn workers_max(&self) -> u64 {
        self.workers_max
    }

    /// Events by Go's name for their kind. `reader` is the one that the events came from.
    #[must_use]
    pub fn by_kind(&self, reader: &Reader<'_>) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (key, count) in self.kinds.iter() {
            *counts.entry(key.name(reader)).or_default() += count;
        }
        counts
    }
}

/// Marks an id as seen, and counts it if it is new.
fn see(ids: &mut IdArray<bool>, id: u64, count: &mut usize) {
    if !ids.get(id) {
        *ids.get_mut(id) = true;
        *count += 1;
    }
}

impl Default for KindCounts {
    fn default() -> Self {
        Self {
            slots: vec![None; PLACES],
            others: HashMap::new(),
        }
    }
}

impl KindCounts {
    fn add(&mut self, key: Key) {
        match &mut self.slots[key.place()] {
            Some((other, count)) if *other == key => *count += 1,
            Some(_) => *self.others.entry(key).or_default() += 1,
            free => *free = Some((key, 1)),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Key, u64)> {
        let slots = self.slots.iter().flatten();
        let others = self.others.iter().map(|(key, count)| (key, *count));
        slots.map(|(key, count)| (key, *count)).chain(others)
    }
}

impl Counted {
    fn add(&mut self, event: &Event) {
        self.events += 1;
        match event.kind {
            Kind::Sync => self.syncs += 1,
            Kind::Sample => self.samples += 1,
            Kind::UserTaskBegin { .. } => self.user_tasks_begun += 1,
            Kind::UserTaskEnd { .. } => self.user_tasks_ended += 1,
            Kind::UserRegionBegin { .. } => self.user_regions_begun += 1,
            Kind::UserRegionEnd { .. } => self.user_regions_ended += 1,
            Kind::UserLog { .. } => self.user_logs += 1,
            _ => {}
        }
    }
}

impl Key {
    fn of(event: &Event) -> Self {
        if let EventType::V1(_) = event.event_type {
            return Self::Type(event.event_type);
        }
        match event.kind {
            Kind::Sync => Self::Sync,
            Kind::TaskTransition { from, to, .. } => Self::Task(from, to),
            Kind::WorkerTransition { from, to, .. } => Self::Worker(from, to),
            Kind::RangeBegin { range, reason } => Self::Begin(range, reason.0),
            Kind::RangeActive { range, .. } => Self::Active(range),
            Kind::RangeEnd { range, reason, .. } => Self::End(range, reason.0),
            Kind::Metric { metric, .. } => Self::Metric(metric),
            Kind::Experiment { .. } => Self::Experiment,
            _ => Self::Type(event.event_type),
        }
    }

    /// Where the count stands. Keys that many events have do not share one; stops of the world do, whatever their reason.
    fn place(&self) -> usize {
        let pair = |from, to| 8 * from as usize + to as usize;
        let place = match *self {
            Self::Type(EventType::V1(event_type)) => event_type as usize % 64,
            Self::Type(EventType::V2(event_type)) => 64 + event_type as usize % 64,
            Self::Task(from, to) => 128 + pair(from, to),
            Self::Worker(from, to) => 192 + pair(from, to),
            Self::Begin(range, _) => 256 + range as usize,
            Self::Active(range) => 264 + range as usize,
            Self::End(range, _) => 272 + range as usize,
            Self::Metric(metric) => 280 + metric as usize,
            Self::Sync => 288,
            Self::Experiment => 289,
            Self::Type(EventType::Inferred) => 290,
        };
        place % PLACES
    }

    fn name(&self, reader: &Reader<'_>) -> String {
        let range_name = |range: Range, reason| match range {
            Range::StopTheWorld => {
                let reason = reader.tables().text(StringId(reason));
                format!("{} ({reason})", range.name())
            }
            _ => range.name().to_owned(),
        };
        match *self {
            Self::Sync => String::from("Sync"),
            Self::Experiment => String::from("Experimental"),
            Self::Task(from, to) => format!("G:{}>{}", from.name(), to.name()),
            Self::Worker(from, to) => format!("P:{}>{}", from.name(), to.name()),
            Self::Begin(range, reason) => format!("RangeBegin:{}", range_name(range, reason)),
            Self::Active(range) => format!("RangeActive:{}", range_name(range, 0)),
            Self::End(range, reason) => format!("RangeEnd:{}", range_name(range, reason)),
            Self::Metric(metric) => format!("Metric:{}", metric.name()),
            Self::Type(EventType::V1(event_type)) => {
                event_type.spec().name_in(reader.version()).to_owned()
            }
            Self::Type(EventType::V2(event_type)) => type_name(event_type).to_owned(),
            Self::Type(EventType::Inferred) => EventType::Inferred.name().to_owned(),
        }
    }
}

/// What Go's reader of format v2 calls an event that is no transition, range or metric.
fn type_name(event_type: go_v2::EventType) -> &'static str {
    use go_v2::EventType as E;
    match event_type {
        E::GoLabel => "Label",
        E::CPUSample => "StackSample",
        E::UserTaskBegin => "TaskBegin",
        E::UserTaskEnd => "TaskEnd",
        E::UserRegionBegin => "RegionBegin",
        E::UserRegionEnd => "RegionEnd",
        E::UserLog => "Log",
        other => other.spec().name,
    }
}
