//! What of a trace can be compared with another one.

use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{Event, Kind, State, StringId};

use super::quantity::{Measure, TaskState, Topic};
use super::series::{Instance, Series, TimeBlocks};
use super::slices::{Slice, Slices};
use super::stack_times::StackTimes;
use crate::functions::Functions;
use crate::key_hasher::BuildKeyHasher;
use crate::lives::Life;
use crate::profile::samples_hz;
use crate::{Analysis, Annotations, AnnotationsReport, Context, Interval, Profile, ProfileType};

/// Measures a trace, so that a [`Comparison`](crate::Comparison) can tell how another one differs.
#[derive(Clone, Debug)]
pub struct Measures {
    annotations: Annotations,
    /// What each life did: places of the list.
    lives: Slices<u32>,
    doings: Doings,
    cpu: StackTimes,
    off_cpu: StackTimes,
    /// Where tasks stop.
    stops: Profile,
    has_begun: bool,
}

/// A state of a task, and why it is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Doing {
    state: TaskState,
    reason: StringId,
}

/// All that tasks did, each once: there are few, and very many slices that have one.
#[derive(Clone, Debug, Default)]
struct Doings {
    all: Vec<Doing>,
    places: HashMap<Doing, u32, BuildKeyHasher>,
}

impl Doings {
    fn place(&mut self, doing: Doing) -> u32 {
        let next = self.all.len() as u32;
        let place = *self.places.entry(doing).or_insert(next);
        if place == next {
            self.all.push(doing);
        }
        place
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeasuresReport {
    /// How long the trace, or the window, is, in nanoseconds.
    pub span_ns: i64,
    /// Into how many blocks of time it is divided; none if it is too short.
    pub(super) time_blocks: usize,
    pub(super) quantities: BTreeMap<(Topic, Measure), Series>,
}

impl Default for Measures {
    fn default() -> Self {
        Self {
            annotations: Annotations::default(),
            lives: Slices::default(),
            doings: Doings::default(),
            cpu: StackTimes::default(),
            off_cpu: StackTimes::default(),
            stops: Profile::new(ProfileType::OffCpu),
            has_begun: false,
        }
    }
}

impl Measures {
    /// Time counts since the begin of what is looked at.
    fn begin(&mut self, context: &Context<'_>) {
        if !self.has_begun {
            self.has_begun = true;
            let from = context.window.from();
            let begin = from.map_or(context.begin, |from| from.max(context.begin));
            self.lives.begin(begin);
            self.cpu.begin(begin);
            self.off_cpu.begin(begin);
        }
    }
}

impl Analysis for Measures {
    type Report = MeasuresReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.begin(context);
        if event.kind == Kind::Sample {
            self.cpu.add(event.stack, event.time, 1);
        }
        self.annotations.event(event, context);
        self.stops.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.outside(event, context);
        self.stops.outside(event, context);
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        self.begin(context);
        let state = match interval.state {
            State::Running => TaskState::Running,
            State::Runnable => TaskState::Runnable,
            State::Waiting | State::Idle => TaskState::Blocked,
            State::Syscall => TaskState::Syscall,
            State::Undetermined | State::NotExist => return,
        };
        let reason = match state {
            TaskState::Blocked => interval.reason,
            _ => StringId(0),
        };
        let doing = Doing { state, reason };
        let (end, ns) = (interval.end.time, interval.ns());
        if state != TaskState::Running {
            // Also of what takes no time: where a task stops holds for what follows.
            let (stack, _) = self.stops.place(interval);
            self.off_cpu.add(stack, end, ns);
        }
        let place = self.doings.place(doing);
        self.lives.add(interval.life.0 as usize, place, end, ns);
    }

    fn report(self, context: &Context<'_>) -> MeasuresReport {
        let mut report = MeasuresReport {
            span_ns: 0,
            time_blocks: 0,
            quantities: BTreeMap::new(),
        };
        let Some((from, to)) = context.span() else {
            return report;
        };
        report.span_ns = to.since_ns(from);
        let (rows, width_ns) = self.lives.until(to);
        let blocks = TimeBlocks::new(from, report.span_ns, width_ns);
        report.time_blocks = blocks.count();
        report.annotations(&self.annotations.report(context), context);
        let mut groups = Groups::new(&blocks, &self.doings.all);
        for (life, slices) in context.lives.iter().map(|(_, life)| life).zip(&rows) {
            groups.add(life, slices, context);
        }
        report.groups(groups, context);
        let ns = 1e9 / samples_hz(context);
        let quantities = &mut report.quantities;
        let (cpu, off_cpu) = (ProfileType::Cpu, ProfileType::OffCpu);
        self.cpu.report(cpu, ns, (to, &blocks), context, quantities);
        self.off_cpu
            .report(off_cpu, 1.0, (to, &blocks), context, quantities);
        report
    }
}

impl MeasuresReport {
    /// How long those user tasks and regions took that ended in the window and began in the trace.
    fn annotations(&mut self, annotations: &AnnotationsReport, context: &Context<'_>) {
        let mut by_topic: BTreeMap<Topic, Vec<_>> = BTreeMap::new();
        let text = |name| context.tables.text(name).into_owned();
        let user_tasks = annotations.user_tasks.iter();
        let user_tasks = user_tasks.filter_map(|it| {
            let (begin, end) = (it.begin?.time, it.end?.time);
            Some(((true, it.name), begin, end))
        });
        let regions = annotations.regions.iter();
        let regions = regions.filter_map(|it| {
            let end = it.end.map(|end| end.time).or(it.task_end)?;
            Some(((false, it.name), it.begin?.time, end))
        });
        let mut by_name: BTreeMap<(bool, StringId), Vec<_>> = BTreeMap::new();
        for (key, begin, end) in user_tasks.chain(regions) {
            if context.window.contains(end) {
                by_name.entry(key).or_default().push((begin, end));
            }
        }
        for ((is_user_task, name), instances) in by_name {
            let topic = if is_user_task {
                Topic::UserTask(text(name))
            } else {
                Topic::Region(text(name))
            };
            by_topic.entry(topic).or_default().extend(instances);
        }
        for (topic, mut instances) in by_topic {
            instances.sort();
            let instances = instances.into_iter().map(|(begin, end)| {
                let ns = end.since_ns(begin);
                let value = ns;
                Instance { begin, ns, value }
            });
            self.took(&topic, &instances.collect::<Vec<_>>());
        }
    }

    fn took(&mut self, topic: &Topic, instances: &[Instance]) {
        for percent in [50, 90, 99] {
            if let Some(series) = Series::percentile(instances, percent) {
                let measure = Measure::Took(percent as u8);
                self.quantities.insert((topic.clone(), measure), series);
            }
        }
    }

    fn groups(&mut self, groups: Groups<'_>, context: &Context<'_>) {
        let blocks = groups.blocks;
        for (name, group) in groups.by_name {
            let topic = Topic::Group(name);
            let mut add = |measure, series| {
                self.quantities.insert((topic.clone(), measure), series);
            };
            let mut created = blocks.rate(group.created as f64, &group.created_by_block);
            created.value *= 1e9;
            created.blocks.iter_mut().for_each(|rate| *rate *= 1e9);
            add(Measure::Created, created);
            let mut sums: BTreeMap<Measure, BlockSums> = BTreeMap::new();
            for (doing, of_doing) in group.sums {
                let state = sums.entry(Measure::Share(doing.state)).or_default();
                state.add_all(&of_doing);
                if doing.state == TaskState::Blocked {
                    let reason = context.tables.text(doing.reason).into_owned();
                    let blocked = sums.entry(Measure::Blocked(reason)).or_default();
                    blocked.add_all(&of_doing);
                }
            }
            for (measure, sums) in sums {
                add(measure, blocks.rate(sums.sum, &sums.blocks));
            }
            for state in TaskState::ALL {
                let times = group.whole.iter().map(|whole| Instance {
                    value: whole.times[state as usize],
                    ..whole.life
                });
                if let Some(series) = Series::percentile(&times.collect::<Vec<_>>(), 50) {
                    add(Measure::PerTask(state), series);
                }
            }
            let lives = group.whole.iter().map(|whole| whole.life);
            self.took(&topic, &lives.collect::<Vec<_>>());
        }
    }
}

/// Tasks by the function that they run.
struct Groups<'a> {
    blocks: &'a TimeBlocks,
    doings: &'a [Doing],
    functions: Functions,
    by_name: HashMap<String, Group>,
}

#[derive(Default)]
struct Group {
    created: u64,
    created_by_block: Vec<f64>,
    sums: BTreeMap<Doing, BlockSums>,
    /// Tasks that were created and ended in the window.
    whole: Vec<Whole>,
}

/// A task of which all is known.
struct Whole {
    life: Instance,
    /// How long it was in each state.
    times: [i64; TaskState::ALL.len()],
}

/// A sum, and that of each block.
#[derive(Clone, Default)]
pub(super) struct BlockSums {
    pub(super) sum: f64,
    pub(super) blocks: Vec<f64>,
}

impl<'a> Groups<'a> {
    fn new(blocks: &'a TimeBlocks, doings: &'a [Doing]) -> Self {
        Self {
            blocks,
            doings,
            functions: Functions::default(),
            by_name: HashMap::new(),
        }
    }

    fn add(&mut self, life: &Life, slices: &[Slice<u32>], context: &Context<'_>) {
        let function = self.functions.of(life, context.tables);
        let group = self.by_name.entry(function).or_default();
        let mut times = [0; TaskState::ALL.len()];
        for slice in slices {
            let doing = self.doings[slice.kind as usize];
            let sums = group.sums.entry(doing).or_default();
            sums.add(self.blocks, slice.bucket, slice.amount as f64);
            let time = &mut times[doing.state as usize];
            *time += slice.amount;
        }
        let is_inside = |time| context.window.contains(time);
        if life.is_created && is_inside(life.begin) {
            group.created += 1;
            group.created_by_block.resize(self.blocks.count(), 0.0);
            if let Some(block) = self.blocks.of_time(life.begin) {
                group.created_by_block[block] += 1.0;
            }
            if let Some(end) = life.end.filter(|&end| is_inside(end)) {
                let ns = end.since_ns(life.begin);
                let life = Instance {
                    begin: life.begin,
                    ns,
                    value: ns,
                };
                group.whole.push(Whole { life, times });
            }
        }
    }
}

impl BlockSums {
    /// Adds to the block of a bucket.
    pub(super) fn add(&mut self, blocks: &TimeBlocks, bucket: u8, amount: f64) {
        self.sum += amount;
        self.blocks.resize(blocks.count(), 0.0);
        if let Some(block) = blocks.of_bucket(usize::from(bucket)) {
            self.blocks[block] += amount;
        }
    }

    /// Adds others.
    pub(super) fn add_all(&mut self, other: &Self) {
        self.sum += other.sum;
        self.blocks.resize(other.blocks.len(), 0.0);
        for (sum, other) in self.blocks.iter_mut().zip(&other.blocks) {
            *sum += other;
        }
    }
}
