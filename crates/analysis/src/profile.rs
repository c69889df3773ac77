//! Where time was spent, by stack: CPU samples, and the states in which tasks do not run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{
    Event, Kind, StackId, State, StringId, TaskId, ThreadId, Timestamp, WorkerId,
};

use crate::frame_list::FrameList;
use crate::key_hasher::BuildKeyHasher;
use crate::selector::{Member, Selector};
use crate::stretch::Stretch;
use crate::{
    Analysis, Context, Interval, LifeId, ProfileFunction, ProfileReport, ProfileStack, ProfileSums,
    ProfileType, Selection,
};

/// Samples in a second of CPU time where nothing else is told: Go takes so many, and its traces do not tell.
const SAMPLE_HZ: f64 = 100.0;

/// Adds up time, or samples, by stack.
///
/// A stretch of no length counts as none. One that began before what is looked at, or that goes on after it, counts as far as it
/// is inside, unless [`Profile::ended`] says otherwise.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{Pass, Profile, ProfileType, Window};
/// use exectrace_reader::Reader;
///
/// # let file = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=0 ticks=1000
/// #     Frequency ticks_per_second=1000000000
/// #     String string=1 text=\"app::receive\"
/// #     Stack stack=1 frame=0x10,1,0,5
/// #     ProcStart dt=1 thread=7
/// #     GoCreate dt=4 task=1
/// #     GoStart dt=5 task=1 seq=1
/// #     GoBlockRecv dt=20 stack=1
/// #     GoUnblock dt=30 task=1 seq=2").unwrap();
/// let mut reader = Reader::tolerant(&file)?;
/// let mut pass = Pass::new(Window::WHOLE, Profile::new(ProfileType::Sync));
/// while let Some(event) = reader.next() {
///     pass.event(&event?, reader.tables());
/// }
/// let report = pass.report(reader.tables());
/// assert_eq!((report.sums.count, report.sums.ns), (1, 30));
/// assert_eq!(report.functions[0].function, "app::receive");
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    profile_type: ProfileType,
    is_ended_only: bool,
    selector: Selector,
    sums: HashMap<Key, ProfileSums, BuildKeyHasher>,
    /// Where each life stopped last; kept for off-CPU profiles alone.
    stops: Vec<StackId>,
    /// The system calls that tasks began last and that nothing else tells of; format v1 alone has such.
    calls: HashMap<TaskId, Call, BuildKeyHasher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    stack: StackId,
    state: State,
    reason: StringId,
    member: Member,
}

/// A system call of format v1.
#[derive(Clone, Copy, Debug)]
struct Call {
    begin: Timestamp,
    worker: WorkerId,
    thread: ThreadId,
    stack: StackId,
}

impl Profile {
    /// A profile of all tasks.
    #[must_use]
    pub fn new(profile_type: ProfileType) -> Self {
        Self::of(profile_type, Selection::default())
    }

    /// A profile of some tasks.
    #[must_use]
    pub fn of(profile_type: ProfileType, selection: Selection) -> Self {
        Self {
            profile_type,
            is_ended_only: false,
            selector: Selector::new(selection),
            sums: HashMap::default(),
            stops: Vec::new(),
            calls: HashMap::default(),
        }
    }

    /// The same of what begins and ends in what is looked at alone, as Go has it.
    #[must_use]
    pub fn ended(mut self) -> Self {
        self.is_ended_only = true;
        self
    }

    /// The stack at which a state is counted, and since when.
    pub(crate) fn place(&mut self, interval: &Interval) -> (StackId, Timestamp) {
        let (begin, state) = (&interval.begin, interval.state);
        if self.profile_type == ProfileType::Sched {
            return (begin.writer_stack, begin.time);
        }
        let (mut stack, mut since) = (begin.stack, begin.time);
        if state == State::Syscall
            && stack == StackId(0)
            && let Some(call) = self.calls.remove(&interval.task)
        {
            stack = call.stack;
            if self.profile_type == ProfileType::Syscall {
                since = since.min(call.begin);
            }
        }
        if self.profile_type == ProfileType::OffCpu {
            stack = self.stop(interval.life, stack);
        }
        (stack, since)
    }

    /// Where a life has stopped: here, or where it did last if this is not told.
    fn stop(&mut self, life: LifeId, stack: StackId) -> StackId {
        let place = life.0 as usize;
        if self.stops.len() <= place {
            self.stops.resize(place + 1, StackId(0));
        }
        if stack != StackId(0) {
            self.stops[place] = stack;
        }
        self.stops[place]
    }
}

impl Profile {
    fn add(&mut self, key: Key, ns: i64, is_open: bool) {
        if ns > 0 && !(is_open && self.is_ended_only) {
            self.sums.entry(key).or_default().add_one(ns, is_open);
        }
    }

    fn sample(&mut self, event: &Event, context: &Context<'_>) {
        let sample = Stretch::sample(event, context);
        if let Some(member) = self.selector.takes(&sample, context) {
            let key = Key {
                stack: event.stack,
                state: State::Running,
                reason: StringId(0),
                member,
            };
            // For how long it stands is known in the end.
            self.sums.entry(key).or_default().count += 1;
        }
    }

    /// Follows what is told of system calls.
    fn follow(&mut self, event: &Event, context: &Context<'_>) {
        match event.kind {
            Kind::SyscallBegin => {
                let call = Call {
                    begin: event.time,
                    worker: event.worker,
                    thread: event.thread,
                    stack: event.stack,
                };
                self.calls.insert(event.task, call);
            }
            Kind::TaskTransition {
                task,
                from: State::Running,
                to: State::Syscall,
                ..
            } if self.profile_type == ProfileType::Syscall => self.block(task, event.time, context),
            _ => {}
        }
    }

    /// A call has blocked: if that is behind the window, it may have begun inside.
    fn block(&mut self, task: TaskId, time: Timestamp, context: &Context<'_>) {
        let window = context.window;
        if window.to().is_some_and(|to| to <= time)
            && let Some(life) = context.life
            && let Some(call) = self.calls.remove(&task)
            && let Some((begin, end)) = window.clip(call.begin, time)
        {
            let blocked = Stretch {
                task,
                life: Some(life),
                state: State::Syscall,
                reason: StringId(0),
                begin,
                end: Some(end),
                worker: call.worker,
                thread: call.thread,
                is_open_left: call.begin < begin,
                is_open_right: true,
            };
            if let Some(member) = self.selector.takes(&blocked, context) {
                let key = Key {
                    stack: call.stack,
                    state: State::Syscall,
                    reason: StringId(0),
                    member,
                };
                self.add(key, end.since_ns(begin), true);
            }
        }
    }
}

impl Analysis for Profile {
    type Report = ProfileReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if event.kind == Kind::Sample && self.profile_type == ProfileType::Cpu {
            self.sample(event, context);
        }
        self.outside(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if self.profile_type.has_state(State::Syscall) {
            self.follow(event, context);
        }
        self.selector.event(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        if !self.profile_type.has_state(interval.state) {
            return;
        }
        let (stack, since) = self.place(interval);
        let begin = context.window.from().map_or(since, |from| from.max(since));
        let mut stretch = Stretch::of(interval);
        stretch.begin = begin;
        stretch.is_open_left |= since < begin;
        let is_open = stretch.is_open_left || stretch.is_open_right;
        if let Some(member) = self.selector.takes(&stretch, context) {
            let key = Key {
                stack,
                state: interval.state,
                reason: interval.reason,
                member,
            };
            self.add(key, interval.end.time.since_ns(begin), is_open);
        }
    }

    fn report(self, context: &Context<'_>) -> ProfileReport {
        let (members, tables) = (self.selector.members(context), context.tables);
        let mut by_stack: HashMap<(StackId, State, StringId), ProfileSums> = HashMap::new();
        for (key, sums) in &self.sums {
            if members.has(key.member) {
                let stack = by_stack.entry((key.stack, key.state, key.reason));
                stack.or_default().add(sums);
            }
        }
        let hz = samples_hz(context);
        let mut list = FrameList::default();
        let mut stacks = Vec::new();
        // In the order of ids, so that frames are always numbered alike.
        let by_stack: BTreeMap<_, _> = by_stack.into_iter().collect();
        for ((stack, state, reason), mut sums) in by_stack {
            if state == State::Running {
                // What is more than the largest integer becomes that.
                sums.ns = (sums.count as f64 * 1e9 / hz) as i64;
            }
            let reason = tables.text(reason).into_owned();
            if self.profile_type.has_reason(&reason) {
                stacks.push(ProfileStack {
                    frames: list.stack(stack, tables),
                    state,
                    reason,
                    sums,
                });
            }
        }
        // Stable, so that of equal ones the order is that of ids, which is that of the trace.
        stacks.sort_by_key(|stack| Reverse((stack.sums.ns, stack.sums.count)));
        let mut report = ProfileReport {
            profile_type: self.profile_type,
            sums: ProfileSums::default(),
            functions: Vec::new(),
            stacks,
            frames: list.frames,
        };
        add_up(&mut report);
        report
    }
}

/// CPU samples in a second of CPU time.
pub(crate) fn samples_hz(context: &Context<'_>) -> f64 {
    let rate = context.description.sample_rate().map(|it| it.effective_hz);
    rate.filter(|&hz| hz > 0.0).unwrap_or(SAMPLE_HZ)
}

/// Adds up stacks, as a whole and by function.
fn add_up(report: &mut ProfileReport) {
    let mut functions: Vec<ProfileFunction> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = |name: &str| match places.get(name) {
        Some(&place) => place,
        None => {
            places.insert(name.to_owned(), functions.len());
            functions.push(ProfileFunction::new(name));
            functions.len() - 1
        }
    };
    let by_frame: Vec<usize> = report.frames.iter().map(|it| place(&it.name())).collect();
    // What has no stack has a function without a name.
    let has_none = report.stacks.iter().any(|stack| stack.frames.is_empty());
    let none = has_none.then(|| place(""));
    // The last stack that counts for a function: one that calls itself counts once.
    let mut last = vec![usize::MAX; functions.len()];
    for (index, stack) in report.stacks.iter().enumerate() {
        report.sums.add(&stack.sums);
        let frames = stack.frames.iter().map(|&frame| by_frame[frame as usize]);
        let empty = none.filter(|_| stack.frames.is_empty());
        for (depth, place) in frames.chain(empty).enumerate() {
            let function = &mut functions[place];
            if depth == 0 {
                function.flat.add(&stack.sums);
            }
            if std::mem::replace(&mut last[place], index) != index {
                function.cumulative.add(&stack.sums);
            }
        }
    }
    functions.sort_by(|a, b| {
        let times = |it: &ProfileFunction| (it.flat.ns, it.cumulative.ns);
        let longest_first = times(b).cmp(&times(a));
        longest_first.then_with(|| a.function.cmp(&b.function))
    });
    report.functions = functions;
}
