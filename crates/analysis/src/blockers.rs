//! Which code made others wait.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{Event, StackId, State, StringId, TaskId, Timestamp};

use crate::frame_list::FrameList;
use crate::key_hasher::BuildKeyHasher;
use crate::selector::{Member, Selector};
use crate::stretch::Stretch;
use crate::{Analysis, Context, Interval, NamedFrame, Selection};

/// Adds up how long tasks waited, by where they waited and by who ended it: the stack of the one that woke them.
///
/// Waits that nobody has ended, and those of which what is looked at does not show the end, are counted apart.
#[derive(Clone, Debug)]
pub struct Blockers {
    selector: Selector,
    waits: HashMap<Key, Waits, BuildKeyHasher>,
    open: Vec<(Member, i64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    stack: StackId,
    waker_stack: StackId,
    reason: StringId,
    /// Whether a task has woken.
    by_task: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    place: Place,
    member: Member,
}

#[derive(Clone, Copy, Debug)]
struct Waits {
    count: u64,
    ns: i64,
    longest: Longest,
}

/// The longest wait of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Longest {
    /// Who waited.
    pub task: TaskId,
    /// Since when.
    pub begin: Timestamp,
    /// How long, in nanoseconds.
    pub ns: i64,
}

/// Which code made others wait.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockersReport {
    /// Those that made others wait longest in all come first.
    pub blockers: Vec<Blocker>,
    /// How many waits were ended.
    pub count: u64,
    /// How long those were in all, in nanoseconds.
    pub ns: i64,
    /// How many waits were not.
    pub open_count: u64,
    /// How long those were.
    pub open_ns: i64,
    /// The frames that stacks are made of.
    pub frames: Vec<NamedFrame>,
}

/// What made tasks wait at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocker {
    /// Who ended the waits.
    pub waker: Waker,
    /// Where: the frames of the waker's stack, innermost first, as places in the report's list; none where no stack is told.
    pub waker_stack: Vec<u32>,
    /// Where tasks waited, likewise.
    pub stack: Vec<u32>,
    /// What for, in the trace's words; empty where nothing is told.
    pub reason: String,
    /// How many waits there were.
    pub count: u64,
    /// How long they were in all, in nanoseconds.
    pub ns: i64,
    /// The longest.
    pub longest: Longest,
}

/// Who ends waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Waker {
    /// Code: a task, or a thread outside of any.
    Code,
    /// Time: nobody else woke one that slept.
    Timer,
    /// The network, likewise.
    Network,
    /// None of the program's tasks: a timer that a channel or a lock has, or the language's runtime.
    Runtime,
}

impl Default for Blockers {
    fn default() -> Self {
        Self::of(Selection::default())
    }
}

impl Blockers {
    /// Who made some tasks wait.
    #[must_use]
    pub fn of(selection: Selection) -> Self {
        Self {
            selector: Selector::new(selection),
            waits: HashMap::default(),
            open: Vec::new(),
        }
    }
}

impl Analysis for Blockers {
    type Report = BlockersReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.selector.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.selector.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let ns = interval.ns();
        if interval.state != State::Waiting || ns <= 0 {
            return;
        }
        let Some(member) = self.selector.takes(&Stretch::of(interval), context) else {
            return;
        };
        if interval.is_open_right {
            self.open.push((member, ns));
            return;
        }
        let (begin, end) = (&interval.begin, &interval.end);
        let place = Place {
            stack: begin.stack,
            waker_stack: end.writer_stack,
            reason: interval.reason,
            by_task: end.writer != TaskId(0),
        };
        let longest = Longest {
            task: interval.task,
            begin: begin.time,
            ns,
        };
        let waits = Waits {
            count: 1,
            ns,
            longest,
        };
        let key = Key { place, member };
        self.waits
            .entry(key)
            .and_modify(|all| all.add(&waits))
            .or_insert(waits);
    }

    fn report(self, context: &Context<'_>) -> BlockersReport {
        let members = self.selector.members(context);
        let mut places: BTreeMap<Place, Waits> = BTreeMap::new();
        for (key, waits) in &self.waits {
            if members.has(key.member) {
                places
                    .entry(key.place)
                    .and_modify(|all| all.add(waits))
                    .or_insert(*waits);
            }
        }
        let (mut list, tables) = (FrameList::default(), context.tables);
        let blockers = places.into_iter().map(|(place, waits)| {
            let reason = tables.text(place.reason).into_owned();
            let waker_stack = list.stack(place.waker_stack, tables);
            Blocker {
                waker: place.waker(&reason, &waker_stack, &list.frames),
                waker_stack,
                stack: list.stack(place.stack, tables),
                reason,
                count: waits.count,
                ns: waits.ns,
                longest: waits.longest,
            }
        });
        let mut blockers: Vec<Blocker> = blockers.collect();
        // Stable, so that of equal ones the order is that of ids, which is that of the trace.
        blockers.sort_by_key(|blocker| Reverse((blocker.ns, blocker.count)));
        let open = self.open.iter().filter(|(member, _)| members.has(*member));
        let open_ns = open.clone().map(|(_, ns)| ns);
        BlockersReport {
            count: blockers.iter().map(|blocker| blocker.count).sum(),
            ns: saturating_sum(blockers.iter().map(|blocker| &blocker.ns)),
            open_count: open.count() as u64,
            open_ns: saturating_sum(open_ns),
            blockers,
            frames: list.frames,
        }
    }
}

fn saturating_sum<'a>(values: impl Iterator<Item = &'a i64>) -> i64 {
    values.fold(0, |sum, &value| sum.saturating_add(value))
}

impl Place {
    /// Who wakes. A runtime may find out in the name of a task that time or the network has come: then all of its stack is the
    /// runtime's.
    fn waker(&self, reason: &str, stack: &[u32], frames: &[NamedFrame]) -> Waker {
        let is_told = self.by_task || !stack.is_empty();
        let mut frames = stack.iter().map(|&place| &frames[place as usize]);
        let is_of_runtime = !is_told || !stack.is_empty() && frames.all(NamedFrame::is_of_library);
        match reason {
            "sleep" if is_of_runtime => Waker::Timer,
            "network" if is_of_runtime => Waker::Network,
            _ if is_told => Waker::Code,
            _ => Waker::Runtime,
        }
    }
}

impl Waits {
    /// Adds others. Of waits that are equally long the first counts, whatever the order in which they come here.
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.ns = self.ns.saturating_add(other.ns);
        let order = |longest: &Longest| (Reverse(longest.ns), longest.begin, longest.task);
        if order(&other.longest) < order(&self.longest) {
            self.longest = other.longest;
        }
    }
}

impl BlockersReport {
    /// Frames by their places.
    pub fn frames_of<'a>(
        &'a self,
        stack: &'a [u32],
    ) -> impl DoubleEndedIterator<Item = &'a NamedFrame> + Clone {
        let places = stack.iter();
        places.filter_map(|&place| self.frames.get(place as usize))
    }
}
