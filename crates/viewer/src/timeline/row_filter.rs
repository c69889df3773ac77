//! A filter of the command line on the rows of a timeline: which intervals it means, and which rows have any.
//!
//! What tasks did it asks interval by interval, as profiles do. One that asks for more than intervals have, such as how long a
//! task ran in all, is about tasks: those that it means are meant with all that they did. User tasks and regions are asked by
//! themselves. Rows that do not have what a filter asks for are let through.

mod marks;
mod records;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use exectrace_analysis::{Field, Filter, FilterError, RecordKind, SharedFilter};

use self::marks::Marks;
use self::records::{IntervalRecord, IntervalRow, LifeRecord, RegionRecord, UserTaskRecord};
use super::{RowId, Timeline, user_tasks};
use crate::grid::Grid;
use crate::track::{Drawn, Intervals, Runs};

/// A filter on rows, and what it was found to mean. Of a timeline to which nothing is added any more.
#[derive(Debug)]
pub(crate) struct RowFilter {
    /// What it asks of tasks, or of what they did.
    tasks: Option<OfTasks>,
    /// What it asks of user tasks and regions.
    annotations: Option<Filter>,
    /// What it means, found out the first time that somebody looks.
    lives: OnceLock<Marks>,
    workers: OnceLock<BTreeMap<i64, Marks>>,
    threads: OnceLock<BTreeMap<u64, Marks>>,
}

/// What is asked of tasks.
#[derive(Debug)]
enum OfTasks {
    /// Of each interval.
    Intervals(Filter),
    /// Of the task as a whole.
    Lives(Filter),
}

/// The kinds of records that rows are made of.
const KINDS: [RecordKind; 3] = [
    RecordKind::Task,
    RecordKind::Stretch,
    RecordKind::Annotation,
];

impl RowFilter {
    /// Reads a filter.
    ///
    /// # Errors
    ///
    /// Where the text makes no sense, and what would.
    pub(crate) fn parse(text: &str) -> Result<Self, FilterError> {
        let shared = SharedFilter::parse(text, KINDS.into_iter().collect())?;
        let kinds = shared.kinds();
        let of = |kind| kinds.contains(kind).then(|| shared.of(kind));
        // A row does not tell for which user tasks its task worked.
        let intervals = of(RecordKind::Stretch).filter(|filter| {
            !filter.asks_about(Field::UserTask) && !filter.asks_about(Field::UserTaskName)
        });
        let tasks = match intervals {
            Some(filter) => Some(OfTasks::Intervals(filter)),
            None => of(RecordKind::Task).map(OfTasks::Lives),
        };
        Ok(Self {
            tasks,
            annotations: of(RecordKind::Annotation),
            lives: OnceLock::new(),
            workers: OnceLock::new(),
            threads: OnceLock::new(),
        })
    }

    /// Whether a row has what it asks for; of others it means all.
    pub(crate) fn asks(&self, row: RowId) -> bool {
        match row {
            RowId::Task(_) | RowId::Worker(_) | RowId::Thread(_) | RowId::Group(_) => {
                self.tasks.is_some()
            }
            RowId::UserTask(_)
            | RowId::UserGroup(_)
            | RowId::RegionGroup(_)
            | RowId::Regions(..) => self.annotations.is_some(),
            RowId::Collecting | RowId::Stopped => false,
        }
    }

    /// What a screen can show of that which it means of a row; `None` where there is no such row.
    pub(crate) fn runs(&self, timeline: &Timeline, row: RowId, grid: Grid) -> Option<Runs> {
        if !self.asks(row) {
            return timeline.runs(row, grid);
        }
        let (from_ns, to_ns) = (grid.begin_ns(), grid.end_ns());
        match row {
            RowId::Group(group) => {
                let marks = self.lives(timeline);
                let group = timeline.groups.get(group as usize)?;
                Some(group.runs_of_members(grid, |life, from_ns, to_ns| {
                    let row = life as usize;
                    let intervals = marks
                        .has_any(row)
                        .then(|| timeline.tasks.overlapping(life, from_ns, to_ns));
                    let intervals = intervals.into_iter().flatten();
                    intervals.filter(move |drawn| marks.has(row, drawn.index))
                }))
            }
            RowId::UserGroup(name) => {
                let group = timeline.user_tasks.names.get(name as usize)?;
                Some(group.runs_of_members(grid, |member, from_ns, to_ns| {
                    self.user_task(timeline, member, from_ns, to_ns).into_iter()
                }))
            }
            RowId::RegionGroup(name) => {
                let group = timeline.region_names.groups.get(name as usize)?;
                Some(group.runs_of_members(grid, |life, from_ns, to_ns| {
                    self.regions(timeline, &group.name, life, (from_ns, to_ns))
                }))
            }
            RowId::UserTask(id) => {
                let mut runs = Runs::new(grid);
                let place = timeline.user_tasks.place(id)?;
                let drawn = self.user_task(timeline, place, from_ns, to_ns);
                drawn.into_iter().for_each(|drawn| runs.add(drawn));
                Some(runs)
            }
            _ => {
                let mut runs = Runs::new(grid);
                self.look(timeline, row, (from_ns, to_ns), |drawn| {
                    runs.add(drawn);
                    false
                })?;
                Some(runs)
            }
        }
    }

    /// Whether it means anything of a row in a stretch of time.
    pub(crate) fn means_any(&self, timeline: &Timeline, row: RowId, span: (u64, u64)) -> bool {
        if !self.asks(row) {
            return true;
        }
        let (from_ns, to_ns) = span;
        match row {
            RowId::Group(group) => {
                let marks = self.lives(timeline);
                let group = timeline.groups.get(group as usize);
                let members = group.map(|group| group.members.near(from_ns, to_ns));
                let mut members = members.into_iter().flatten();
                members.any(|life| {
                    let row = life as usize;
                    let mut intervals = marks
                        .has_any(row)
                        .then(|| timeline.tasks.overlapping(life, from_ns, to_ns))
                        .into_iter()
                        .flatten();
                    intervals.any(|drawn| marks.has(row, drawn.index))
                })
            }
            RowId::UserGroup(name) => {
                let group = timeline.user_tasks.names.get(name as usize);
                let members = group.map(|group| group.members.near(from_ns, to_ns));
                let mut members = members.into_iter().flatten();
                members.any(|member| self.user_task(timeline, member, from_ns, to_ns).is_some())
            }
            RowId::RegionGroup(name) => {
                let group = timeline.region_names.groups.get(name as usize);
                let mut members = group.into_iter().flat_map(|group| {
                    let lives = group.members.near(from_ns, to_ns);
                    lives.flat_map(|life| self.regions(timeline, &group.name, life, span))
                });
                members.next().is_some()
            }
            RowId::UserTask(id) => timeline
                .user_tasks
                .place(id)
                .is_some_and(|place| self.user_task(timeline, place, from_ns, to_ns).is_some()),
            _ => self.look(timeline, row, span, |_| true).unwrap_or(false),
        }
    }

    /// Looks at the intervals that it means of a row which has some of its own, until one is what was looked for, and says whether
    /// one was; `None` where there is no such row.
    fn look(
        &self,
        timeline: &Timeline,
        row: RowId,
        (from_ns, to_ns): (u64, u64),
        is_found: impl FnMut(Drawn) -> bool,
    ) -> Option<bool> {
        let intervals = timeline.intervals(row)?;
        if let RowId::Regions(task, _) = row {
            let life = timeline.life(task)?;
            let regions = intervals.overlapping(from_ns, to_ns);
            let mut meant = regions.filter(|drawn| self.means_region(timeline, life, drawn));
            return Some(meant.any(is_found));
        }
        let (marks, place) = match row {
            RowId::Task(task) => (self.lives(timeline), timeline.life(task)? as usize),
            RowId::Worker(worker) => (self.workers(timeline).get(&worker)?, 0),
            RowId::Thread(thread) => (self.threads(timeline).get(&thread)?, 0),
            _ => return None,
        };
        if !marks.has_any(place) {
            return Some(false);
        }
        let mut meant = intervals
            .overlapping(from_ns, to_ns)
            .filter(|drawn| marks.has(place, drawn.index));
        Some(meant.any(is_found))
    }

    /// The regions of a name that it means of a life in a stretch of time.
    fn regions(
        &self,
        timeline: &Timeline,
        name: &str,
        life: u32,
        (from_ns, to_ns): (u64, u64),
    ) -> impl Iterator<Item = Drawn> {
        let regions = timeline.regions_named(name, life, from_ns, to_ns);
        regions.filter(move |drawn| self.means_region(timeline, life, drawn))
    }

    /// Whether it means anything of the regions of a name that a task had in a stretch of time.
    pub(crate) fn means_any_region(
        &self,
        timeline: &Timeline,
        (name, task): (u32, RowId),
        span: (u64, u64),
    ) -> bool {
        let RowId::Task(task) = task else {
            return false;
        };
        let group = timeline.region_names.groups.get(name as usize);
        let of = group.zip(timeline.life(task));
        let regions = of.map(|(group, life)| self.regions(timeline, &group.name, life, span));
        regions.into_iter().flatten().next().is_some()
    }

    fn means_region(&self, timeline: &Timeline, life: u32, drawn: &Drawn) -> bool {
        let filter = self.annotations.as_ref();
        filter.is_some_and(|filter| {
            filter.lets_through(&RegionRecord {
                timeline,
                life,
                drawn,
            })
        })
    }

    /// A user task as an interval, if it is meant and a stretch of time has something of it.
    fn user_task(
        &self,
        timeline: &Timeline,
        place: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> Option<Drawn> {
        let row = timeline.user_tasks.rows.get(place as usize)?;
        let drawn = user_tasks::drawn(row, timeline.end_ns);
        let reaches_in = drawn.end_ns > from_ns || drawn.begin_ns >= from_ns;
        let filter = self.annotations.as_ref()?;
        let is_meant = drawn.begin_ns < to_ns
            && reaches_in
            && filter.lets_through(&UserTaskRecord {
                timeline,
                row,
                drawn: &drawn,
            });
        is_meant.then_some(drawn)
    }

    /// What it means of each life.
    fn lives(&self, timeline: &Timeline) -> &Marks {
        self.lives.get_or_init(|| {
            let mut marks = Marks::default();
            for life in 0..timeline.tasks.len() as u32 {
                let intervals = timeline.tasks.intervals(life);
                match &self.tasks {
                    Some(OfTasks::Lives(filter)) => {
                        let is_meant = filter.lets_through(&LifeRecord::of(timeline, life));
                        marks.add_row((0..intervals.len()).map(|_| is_meant));
                    }
                    _ => self.mark(timeline, IntervalRow::Task(life), intervals, &mut marks),
                }
            }
            marks
        })
    }

    /// What it means of each worker.
    fn workers(&self, timeline: &Timeline) -> &BTreeMap<i64, Marks> {
        self.workers.get_or_init(|| {
            let rows = timeline.workers.iter().map(|(&worker, row)| {
                let mut marks = Marks::default();
                let row = row.track.intervals();
                self.mark(timeline, IntervalRow::Worker(worker), row, &mut marks);
                (worker, marks)
            });
            rows.collect()
        })
    }

    /// What it means of each thread.
    fn threads(&self, timeline: &Timeline) -> &BTreeMap<u64, Marks> {
        self.threads.get_or_init(|| {
            let rows = timeline.threads.iter().map(|(&thread, row)| {
                let mut marks = Marks::default();
                let row = row.track.intervals();
                self.mark(timeline, IntervalRow::Thread(thread), row, &mut marks);
                (thread, marks)
            });
            rows.collect()
        })
    }

    /// Marks what it means of the intervals of a row.
    fn mark(
        &self,
        timeline: &Timeline,
        row: IntervalRow,
        intervals: Intervals<'_>,
        marks: &mut Marks,
    ) {
        match &self.tasks {
            Some(OfTasks::Intervals(filter)) => {
                let mut before = None;
                marks.add_row(intervals.iter().map(|drawn| {
                    let record = IntervalRecord {
                        timeline,
                        row,
                        drawn,
                        before,
                    };
                    before = Some(drawn);
                    filter.lets_through(&record)
                }));
            }
            // What a task that is meant did is meant wherever it did it.
            Some(OfTasks::Lives(_)) => {
                let lives = self.lives(timeline);
                marks.add_row(
                    intervals
                        .iter()
                        .map(|drawn| lives.has_any(drawn.cause as usize)),
                );
            }
            None => marks.add_row(intervals.iter().map(|_| true)),
        }
    }
}
