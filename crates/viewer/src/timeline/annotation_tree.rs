//! What the author of a program has annotated as a tree: user tasks in those that they are parts of, regions in the regions around
//! them or in their user tasks, and what was logged in these.

use std::collections::{BTreeSet, HashMap, HashSet};

use exectrace_reader::{TaskId, UserTaskId};

use super::user_tasks::{self, UserTaskRow};
use super::{Log, RegionNote, Timeline};
use crate::track::Drawn;

/// Annotations below a user task, or of a task, each after what it is in.
#[derive(Debug, Default)]
pub(crate) struct AnnotationTree<'a> {
    annotations: Vec<Annotation<'a>>,
    /// What each is in.
    parents: Vec<Option<usize>>,
}

/// A user task, a region or a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotation<'a> {
    pub(crate) told: Told<'a>,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    /// Whose it is; `None` of what no task did.
    pub(crate) life: Option<u32>,
    /// The user task itself, or that of the region or the log; 0 for none.
    user_task: UserTaskId,
}

/// Which one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told<'a> {
    UserTask(&'a UserTaskRow),
    /// A region, and how many are above its row.
    Region(Drawn, u32),
    Log(&'a Log),
}

impl Told<'_> {
    /// The order of what begins at the same time: each after what it may be in.
    fn rank(&self) -> (u32, u32) {
        match self {
            Self::UserTask(row) => (0, u32::from(row.has_begun)),
            Self::Region(_, above) => (1, *above),
            Self::Log(_) => (2, 0),
        }
    }
}

impl<'a> AnnotationTree<'a> {
    /// All below a user task, itself first; `None` where there is no such one.
    pub(crate) fn below(timeline: &'a Timeline, id: UserTaskId) -> Option<Self> {
        timeline.user_tasks.get(id)?;
        let mut ids = HashSet::from([id]);
        // One begins after that which it is a part of, but for one that began before the trace, which is the first here.
        for row in &timeline.user_tasks.rows {
            if row.has_begun && ids.contains(&row.parent) {
                ids.insert(row.id);
            }
        }
        let mut lives: Vec<u32> = timeline.regions.lives().collect();
        lives.retain(|&life| {
            let mut regions = regions_of(timeline, life);
            regions.any(|region| ids.contains(&region.user_task))
        });
        // In order, so that what begins at the same time comes in the same order whenever it is asked for.
        let lives: BTreeSet<u32> = lives.into_iter().collect();
        let is_asked_for = |annotation: &Annotation<'_>| {
            ids.contains(&annotation.user_task)
                || annotation.life.is_some_and(|life| lives.contains(&life))
        };
        let mut found = user_tasks_of(timeline, |row| ids.contains(&row.id));
        found.extend(lives.iter().flat_map(|&life| regions_of(timeline, life)));
        found.extend(logs_of(timeline).filter(is_asked_for));
        let tree = Self::of(found);
        let roots = (0..tree.annotations.len()).filter(|&place| {
            let told = &tree.annotations[place].told;
            matches!(told, Told::UserTask(row) if row.id == id)
        });
        let roots = roots.collect();
        Some(tree.in_order(roots))
    }

    /// All that a task has begun or logged; `None` where there is no such task.
    pub(crate) fn of_task(timeline: &'a Timeline, id: TaskId) -> Option<Self> {
        let life = timeline.life(id)?;
        let mut found = user_tasks_of(timeline, |row| row.has_begun && row.task == id);
        found.extend(regions_of(timeline, life));
        found.extend(logs_of(timeline).filter(|log| log.life == Some(life)));
        let tree = Self::of(found);
        let roots = (0..tree.annotations.len()).filter(|&place| tree.parents[place].is_none());
        let roots = roots.collect();
        Some(tree.in_order(roots))
    }

    /// Each with the number of those that it is in.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (usize, &Annotation<'a>)> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.annotations.len());
        for parent in &self.parents {
            depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        }
        depths.into_iter().zip(&self.annotations)
    }

    /// Finds out what each is in.
    fn of(mut annotations: Vec<Annotation<'a>>) -> Self {
        annotations.sort_by_key(|it| (it.begin_ns, it.told.rank()));
        let mut parents = Vec::with_capacity(annotations.len());
        let mut user_tasks: HashMap<UserTaskId, usize> = HashMap::new();
        // Of each life the regions that have begun, the outermost first.
        let mut open: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, annotation) in annotations.iter().enumerate() {
            let of_user_task = |id| user_tasks.get(&id).copied();
            let parent = match (annotation.told, annotation.life) {
                (Told::UserTask(row), _) => of_user_task(row.parent),
                (told, Some(life)) => {
                    let open = open.entry(life).or_default();
                    // What has ended is around nothing that comes, nor is what lies as deep.
                    while let Some(outer) = open.last().map(|&outer| &annotations[outer])
                        && (outer.end_ns < annotation.begin_ns || outer.told.rank() >= told.rank())
                    {
                        open.pop();
                    }
                    let around = open.last().copied();
                    if let Told::Region(..) = told {
                        open.push(place);
                    }
                    innermost(&annotations, annotation, around, of_user_task)
                }
                (_, None) => of_user_task(annotation.user_task),
            };
            parents.push(parent);
            if let Told::UserTask(row) = annotation.told {
                user_tasks.insert(row.id, place);
            }
        }
        Self {
            annotations,
            parents,
        }
    }

    /// Those below some, each after what it is in.
    fn in_order(&self, roots: Vec<usize>) -> Self {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.annotations.len()];
        for (place, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(place);
            }
        }
        let mut ordered = Self::default();
        let roots = roots.into_iter().rev().map(|place| (place, None));
        let mut next: Vec<(usize, Option<usize>)> = roots.collect();
        while let Some((place, parent)) = next.pop() {
            let own = ordered.annotations.len();
            ordered.annotations.push(self.annotations[place]);
            ordered.parents.push(parent);
            let below = children[place].iter().rev();
            next.extend(below.map(|&child| (child, Some(own))));
        }
        ordered
    }
}

/// What a region or a log is in: its user task, unless the region around it has the same, or none.
fn innermost(
    annotations: &[Annotation<'_>],
    annotation: &Annotation<'_>,
    around: Option<usize>,
    of_user_task: impl Fn(UserTaskId) -> Option<usize>,
) -> Option<usize> {
    let own = of_user_task(annotation.user_task);
    let is_of_same = |outer: usize| annotations[outer].user_task == annotation.user_task;
    match (around, own) {
        (Some(outer), Some(_)) if is_of_same(outer) => around,
        (Some(_), None) => around,
        _ => own,
    }
}

/// The user tasks that are asked for.
fn user_tasks_of(
    timeline: &Timeline,
    is_asked_for: impl Fn(&UserTaskRow) -> bool,
) -> Vec<Annotation<'_>> {
    let rows = timeline.user_tasks.rows.iter();
    let rows = rows.filter(|row| is_asked_for(row)).map(|row| {
        let drawn = user_tasks::drawn(row, timeline.end_ns);
        Annotation {
            told: Told::UserTask(row),
            begin_ns: drawn.begin_ns,
            end_ns: drawn.end_ns,
            life: timeline.life(row.task),
            user_task: row.id,
        }
    });
    rows.collect()
}

/// The regions of a life.
fn regions_of(timeline: &Timeline, life: u32) -> impl Iterator<Item = Annotation<'_>> {
    let rows = (0..).zip(timeline.regions.rows(life));
    rows.flat_map(move |(above, intervals)| {
        intervals.iter().map(move |drawn| {
            let user_task = RegionNote::of(&drawn).user_task;
            let row = user_task.and_then(|place| timeline.user_tasks.rows.get(place as usize));
            Annotation {
                told: Told::Region(drawn, above),
                begin_ns: drawn.begin_ns,
                end_ns: drawn.end_ns,
                life: Some(life),
                user_task: row.map_or(UserTaskId(0), |row| row.id),
            }
        })
    })
}

fn logs_of(timeline: &Timeline) -> impl Iterator<Item = Annotation<'_>> {
    timeline.logs.iter().map(|log| Annotation {
        told: Told::Log(log),
        begin_ns: log.at_ns,
        end_ns: log.at_ns,
        life: log.life,
        user_task: log.user_task,
    })
}
