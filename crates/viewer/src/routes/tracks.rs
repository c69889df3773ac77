//! `api/tracks`: which rows there are.

use std::cmp::Reverse;

use axum::extract::{Query, State};
use exectrace_reader::TaskId;
use serde::{Deserialize, Serialize};

use super::answer::{self, Answer, Refusal};
use super::{Shared, filtered};
use crate::subject::Subject;
use crate::timeline::{Group, RowFilter, RowId, Timeline};

/// So many are told, unless others are asked for.
const MOST: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    by: By,
    /// Whose members are meant.
    parent: Option<String>,
    from: Option<u64>,
    to: Option<u64>,
    /// What names must have in them.
    search: Option<String>,
    /// What they must have something of.
    #[serde(rename = "where")]
    filter: Option<String>,
    most: Option<usize>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    #[default]
    Worker,
    Thread,
    Group,
    UserTask,
    Region,
}

#[derive(Serialize)]
struct Line {
    revision: u64,
    tracks: Vec<TrackLine>,
    truncated: bool,
    total: usize,
}

/// A row.
#[derive(Serialize)]
pub(super) struct TrackLine {
    id: String,
    name: String,
    /// What else is to be said of it.
    detail: String,
    /// How many tasks are in it, or rows of regions.
    members: usize,
    has_children: bool,
}

impl By {
    /// A row of this kind.
    fn example(self) -> RowId {
        match self {
            Self::Worker => RowId::Worker(0),
            Self::Thread => RowId::Thread(0),
            Self::Group => RowId::Group(0),
            Self::UserTask => RowId::UserGroup(0),
            Self::Region => RowId::RegionGroup(0),
        }
    }
}

pub(super) async fn answer(
    State(subject): State<Shared>,
    Query(mut asked): Query<Asked>,
) -> Answer {
    let filter = asked.filter.take();
    filtered::answer(subject, filter.as_deref(), move |subject, filter| {
        tracks(subject, &asked, filter)
    })
    .await
}

fn tracks(subject: &Subject, asked: &Asked, filter: Option<&RowFilter>) -> Answer {
    let revision = subject.lock().revision;
    let timeline = subject.timeline();
    let mut tracks = match &asked.parent {
        Some(parent) => members(&timeline, parent, asked)?,
        None => rows(&timeline, asked.by),
    };
    if let Some(filter) = filter {
        let parent = asked.parent.as_deref().and_then(RowId::parse);
        let is_asked_for = match parent {
            // Where a filter does not ask for regions they are let through.
            Some(RowId::Task(_)) => true,
            Some(parent) => filter.asks(parent),
            None => filter.asks(asked.by.example()),
        };
        if !is_asked_for {
            return Err(Refusal::nonsense(
                "these tracks do not have what the filter asks for; others may",
            ));
        }
        let span = (asked.from.unwrap_or(0), asked.to.unwrap_or(u64::MAX));
        tracks.retain(|track| match (RowId::parse(&track.id), parent) {
            (Some(task), Some(RowId::RegionGroup(name))) => {
                filter.means_any_region(&timeline, (name, task), span)
            }
            (row, _) => row.is_some_and(|row| filter.means_any(&timeline, row, span)),
        });
    }
    if let Some(search) = &asked.search {
        let search = search.to_lowercase();
        tracks.retain(|track| {
            let is_in = |text: &str| text.to_lowercase().contains(&search);
            is_in(&track.id) || is_in(&track.name)
        });
    }
    let total = tracks.len();
    let most = asked.most.unwrap_or(MOST);
    tracks.truncate(most);
    answer::json(&Line {
        revision,
        tracks,
        truncated: total > most,
        total,
    })
}

fn rows(timeline: &Timeline, by: By) -> Vec<TrackLine> {
    match by {
        By::Worker => {
            let rows = timeline.workers.iter();
            let rows = rows.map(|(id, row)| line(format!("worker:{id}"), &row.name));
            ranges(timeline).chain(rows).collect()
        }
        By::Thread => {
            let rows = timeline.threads.iter();
            let rows = rows.map(|(id, row)| line(format!("thread:{id}"), &row.name));
            ranges(timeline).chain(rows).collect()
        }
        By::Group => group_lines("group", &timeline.groups),
        By::UserTask => group_lines("users", &timeline.user_tasks.names),
        By::Region => group_lines("region", &timeline.region_names.groups),
    }
}

/// Those that have most intervals first.
fn group_lines(kind: &str, groups: &[Group]) -> Vec<TrackLine> {
    let mut groups: Vec<(usize, &Group)> = groups.iter().enumerate().collect();
    groups.sort_by_key(|(place, group)| (Reverse(group.intervals), *place));
    let lines = groups.into_iter().filter(|(_, group)| group.intervals > 0);
    lines
        .map(|(place, group)| TrackLine {
            id: format!("{kind}:{place}"),
            name: group.name.clone(),
            detail: String::new(),
            members: group.members.len(),
            has_children: true,
        })
        .collect()
}

/// What happened to all at once, as far as it did.
fn ranges(timeline: &Timeline) -> impl Iterator<Item = TrackLine> {
    let rows = [
        (
            "gc",
            "the garbage collector is at work",
            &timeline.collecting,
        ),
        ("stopped", "the world is stopped", &timeline.stopped),
    ];
    let rows = rows
        .into_iter()
        .filter(|(_, _, track)| track.intervals().len() > 0);
    rows.map(|(id, name, _)| line(id.to_owned(), name))
}

/// A row that has no others in it.
fn line(id: String, name: &str) -> TrackLine {
    TrackLine {
        name: name.to_owned(),
        id,
        detail: String::new(),
        members: 0,
        has_children: false,
    }
}

/// The tasks, or user tasks, of a group that were there in the window.
fn members(timeline: &Timeline, parent: &str, asked: &Asked) -> Result<Vec<TrackLine>, Refusal> {
    let unknown = || Refusal::unknown(format!("there is no group {parent}"));
    let (from, to) = (asked.from.unwrap_or(0), asked.to.unwrap_or(u64::MAX));
    let group = match RowId::parse(parent).ok_or_else(unknown)? {
        RowId::Task(task) => return regions(timeline, task).ok_or_else(unknown),
        RowId::Group(group) => timeline.groups.get(group as usize),
        RowId::UserGroup(name) => {
            let group = timeline.user_tasks.names.get(name as usize);
            return Ok(user_tasks(timeline, group.ok_or_else(unknown)?, (from, to)));
        }
        RowId::RegionGroup(name) => {
            let group = timeline.region_names.groups.get(name as usize);
            return Ok(with_regions(
                timeline,
                group.ok_or_else(unknown)?,
                (from, to),
            ));
        }
        _ => None,
    };
    let group = group.ok_or_else(unknown)?;
    let members = group.members.near(from, to);
    let was_there = |life: u32| {
        let mut intervals = timeline.tasks.overlapping(life, from, to);
        intervals.next().is_some()
    };
    let members = members.filter(|&life| was_there(life));
    let rows = members.filter_map(|life| Some((life, timeline.tasks.get(life)?)));
    let lines = rows.map(|(life, row)| {
        let regions = timeline.regions.depth(life);
        TrackLine {
            id: format!("task:{}", row.id.0),
            name: group.name.clone(),
            detail: String::new(),
            members: regions,
            has_children: regions > 0,
        }
    });
    Ok(lines.collect())
}

/// The rows of a task's user regions, the outermost first.
fn regions(timeline: &Timeline, task: TaskId) -> Option<Vec<TrackLine>> {
    let depth = timeline.regions.depth(timeline.life(task)?);
    let ids = (0..depth).map(|depth| format!("regions:{}.{depth}", task.0));
    (depth > 0).then(|| ids.map(|id| line(id, "")).collect())
}

/// The tasks that had regions of a name in a stretch of time.
fn with_regions(timeline: &Timeline, group: &Group, (from, to): (u64, u64)) -> Vec<TrackLine> {
    let lives = group.members.near(from, to);
    let lives = lives.filter(|&life| {
        let mut regions = timeline.regions_named(&group.name, life, from, to);
        regions.next().is_some()
    });
    let rows = lives.filter_map(|life| Some((life, timeline.tasks.get(life)?)));
    rows.map(|(life, row)| TrackLine {
        id: format!("task:{}", row.id.0),
        name: String::new(),
        // Their names tell them apart: they may run anything.
        detail: timeline.name_of(life).to_owned(),
        members: timeline.regions.depth(life),
        has_children: true,
    })
    .collect()
}

/// The user tasks of a name that were there in a stretch of time.
fn user_tasks(timeline: &Timeline, group: &Group, (from, to): (u64, u64)) -> Vec<TrackLine> {
    let members = group.members.near(from, to.saturating_add(1));
    let rows = members.map(|member| &timeline.user_tasks.rows[member as usize]);
    let rows = rows.filter(|row| row.begin_ns <= to && row.end_ns.is_none_or(|end| end >= from));
    rows.map(|row| TrackLine {
        id: format!("user:{}", row.id.0),
        name: group.name.clone(),
        detail: String::from(if row.has_begun {
            ""
        } else {
            "began before the trace"
        }),
        members: 1,
        has_children: false,
    })
    .collect()
}
