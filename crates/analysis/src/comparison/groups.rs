//! What is compared of tasks, by the function that they run.

use std::collections::{BTreeMap, HashMap};

use super::block_sums::BlockSums;
use super::doings::{Doing, Doings};
use super::quantity::{Measure, TaskState};
use super::series::{Instance, Series, TimeBlocks};
use super::slices::Slices;
use crate::functions::Functions;
use crate::lives::{Life, LifeId};
use crate::task_record::TaskRecord;
use crate::{Blocked, Context, Filter, StateTimes, TaskTime};

/// What all tasks did, as far as is known in the end.
#[derive(Clone, Copy)]
pub(super) struct Done<'a> {
    /// What each life did, and when: places of the list of doings.
    pub(super) lives: &'a Slices,
    pub(super) doings: &'a Doings,
    pub(super) blocks: &'a TimeBlocks,
    pub(super) context: &'a Context<'a>,
}

/// Tasks by the function that they run.
pub(super) struct Groups<'a> {
    done: Done<'a>,
    functions: Functions,
    pub(super) by_name: HashMap<String, Group>,
}

/// Tasks that run one function.
#[derive(Default)]
pub(super) struct Group {
    created: u64,
    created_by_block: Vec<f64>,
    sums: BTreeMap<Doing, BlockSums>,
    /// Tasks that were created and ended in the window.
    whole: Vec<LifeId>,
}

impl<'a> Groups<'a> {
    /// Those of the tasks that a filter lets through.
    pub(super) fn of(done: Done<'a>, filter: &Filter) -> Self {
        let mut groups = Self {
            done,
            functions: Functions::default(),
            by_name: HashMap::new(),
        };
        for (id, life) in done.context.lives.iter() {
            if filter.is_none() || groups.is_meant(id, life, filter) {
                groups.add(id, life);
            }
        }
        groups
    }

    fn is_meant(&mut self, id: LifeId, life: &Life, filter: &Filter) -> bool {
        let times = self.done.state_times(id);
        let task = TaskTime::of(life, times, &mut self.functions, self.done.context);
        let begin = self.done.context.begin;
        task.is_some_and(|mut task| {
            // Slices tell only what is known.
            let whole_ns = task.end.since_ns(task.begin);
            task.times.unknown_ns = whole_ns.saturating_sub(task.times.life_ns()).max(0);
            filter.lets_through(&TaskRecord { task: &task, begin })
        })
    }

    fn add(&mut self, id: LifeId, life: &Life) {
        let Done {
            lives,
            doings,
            blocks,
            context,
        } = self.done;
        let function = self.functions.of(life, context.tables);
        let group = self.by_name.entry(function).or_default();
        for slice in lives.row(id.0 as usize) {
            let sums = group.sums.entry(doings.at(slice.kind)).or_default();
            sums.add(blocks, slice.bucket, slice.amount as f64);
        }
        let is_inside = |time| context.window.contains(time);
        if life.is_created() && is_inside(life.begin) {
            group.created += 1;
            group.created_by_block.resize(blocks.count(), 0.0);
            if let Some(block) = blocks.of_time(life.begin) {
                group.created_by_block[block] += 1.0;
            }
            if life.end().is_some_and(is_inside) {
                group.whole.push(id);
            }
        }
    }
}

impl Done<'_> {
    fn state_times(&self, id: LifeId) -> StateTimes {
        let mut times = StateTimes::default();
        // Filters ask for the sum of all reasons.
        let reason = String::new();
        let ns = self.ns_in(id, TaskState::Blocked);
        times.blocked.push(Blocked { reason, ns });
        times.running_ns = self.ns_in(id, TaskState::Running);
        times.runnable_ns = self.ns_in(id, TaskState::Runnable);
        times.syscall_ns = self.ns_in(id, TaskState::Syscall);
        times
    }

    /// How long a life was in a state.
    fn ns_in(&self, id: LifeId, state: TaskState) -> i64 {
        let slices = self.lives.row(id.0 as usize);
        let in_state = slices.filter(|slice| self.doings.at(slice.kind).state == state);
        in_state.fold(0, |sum, slice| sum.saturating_add(slice.amount))
    }
}

impl Group {
    /// All that is measured of it.
    pub(super) fn measures(self, done: Done<'_>, mut add: impl FnMut(Measure, Series)) {
        let blocks = done.blocks;
        let mut created = blocks.rate(self.created as f64, &self.created_by_block);
        created.value *= 1e9;
        created.blocks.iter_mut().for_each(|rate| *rate *= 1e9);
        add(Measure::Created, created);
        let mut sums: BTreeMap<Measure, BlockSums> = BTreeMap::new();
        for (doing, of_doing) in self.sums {
            let state = sums.entry(Measure::Share(doing.state)).or_default();
            state.add_all(&of_doing);
            if doing.state == TaskState::Blocked {
                let reason = done.context.tables.text(doing.reason).into_owned();
                let blocked = sums.entry(Measure::Blocked(reason)).or_default();
                blocked.add_all(&of_doing);
            }
        }
        for (measure, sums) in sums {
            add(measure, blocks.rate(sums.sum, &sums.blocks));
        }
        let lives = self.whole.iter().map(|&id| {
            let life = &done.context.lives[id];
            let ns = life.end().map_or(0, |end| end.since_ns(life.begin));
            Instance {
                begin: life.begin,
                ns,
                value: ns,
            }
        });
        let mut instances: Vec<Instance> = lives.collect();
        for (measure, series) in Series::took(&instances) {
            add(measure, series);
        }
        for state in TaskState::ALL {
            for (instance, &id) in instances.iter_mut().zip(&self.whole) {
                instance.value = done.ns_in(id, state);
            }
            if let Some(series) = Series::percentile(&instances, 50) {
                add(Measure::PerTask(state), series);
            }
        }
    }
}
