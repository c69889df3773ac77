//! `api/scatter`: how long what the program did for its users took, over time.
//!
//! That are user tasks; of a program that has none the tasks themselves, by the function that they run.

use std::cmp::Reverse;

use axum::extract::{Query, State};
use exectrace_analysis::Distribution;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::timeline::{Group, Timeline};

/// So many names are told.
const NAMES_MAX: usize = 50;

/// So many points of a column are told: the longest, and as many others.
const POINTS_A_COLUMN: usize = 8;

const COLUMNS_MAX: u64 = 1_000;

const WORST_MAX: usize = 10;

#[derive(Deserialize)]
pub(super) struct Asked {
    from: Option<u64>,
    to: Option<u64>,
    /// How many points there are over time, about.
    columns: Option<u64>,
    /// Whose points are meant; else those of the name that took longest in all.
    name: Option<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    names: Vec<NameLine<'a>>,
    name: &'a str,
    points: Vec<PointLine>,
    worst: Vec<PointLine>,
    total: usize,
}

/// What took time under a name.
#[derive(Serialize)]
struct NameLine<'a> {
    name: &'a str,
    kind: &'static str,
    count: usize,
    p50_ns: i64,
    p99_ns: i64,
    max_ns: i64,
}

#[derive(Serialize)]
struct PointLine {
    /// As `user:5` or `task:7`.
    id: String,
    /// The task that ran, or began it.
    task: Option<String>,
    begin_ns: u64,
    ns: u64,
}

/// Something that has a begin and an end in the window.
#[derive(Clone, Copy)]
struct Point {
    member: u32,
    begin_ns: u64,
    ns: u64,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let timeline = subject.timeline();
    let (from, to) = (asked.from.unwrap_or(0), asked.to.unwrap_or(timeline.end_ns));
    let columns = asked.columns.unwrap_or(200);
    if columns == 0 || columns > COLUMNS_MAX {
        return Err(Refusal::nonsense(format!(
            "columns must be from 1 to {COLUMNS_MAX}"
        )));
    }
    let has_user_tasks = timeline
        .user_tasks
        .rows
        .iter()
        .any(|row| row.has_begun && row.end_ns.is_some());
    let (groups, kind) = if has_user_tasks {
        (&timeline.user_tasks.names, Kind::UserTask)
    } else {
        (&timeline.groups, Kind::Task)
    };
    let mut named: Vec<(&Group, Vec<Point>)> = groups
        .iter()
        .map(|group| (group, kind.points(&timeline, group, from, to)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    named.sort_by_key(|(_, points)| {
        Reverse(
            points
                .iter()
                .map(|point| u128::from(point.ns))
                .sum::<u128>(),
        )
    });
    let names = named
        .iter()
        .take(NAMES_MAX)
        .filter_map(|(group, points)| name_line(group, kind, points));
    let names: Vec<NameLine<'_>> = names.collect();
    let shown = match &asked.name {
        Some(name) => named.iter().find(|(group, _)| group.name == *name),
        None => named.first(),
    };
    let no_points = (&Group::default(), Vec::new());
    let (group, points) = shown.unwrap_or(&no_points);
    let mut by_length = points.clone();
    by_length.sort_by_key(|point| (Reverse(point.ns), point.begin_ns));
    let told = chosen(points, (from, to), columns);
    let point_lines = |points: &[Point]| {
        points
            .iter()
            .map(|point| kind.line(&timeline, *point))
            .collect()
    };
    answer::json(&Line {
        names,
        name: &group.name,
        points: point_lines(&told),
        worst: point_lines(&by_length[..by_length.len().min(WORST_MAX)]),
        total: points.len(),
    })
}

fn name_line<'a>(group: &'a Group, kind: Kind, points: &[Point]) -> Option<NameLine<'a>> {
    let lengths = points.iter().map(|point| point.ns as i64).collect();
    let spread = Distribution::of(lengths)?;
    Some(NameLine {
        name: &group.name,
        kind: kind.name(),
        count: points.len(),
        p50_ns: spread.p50,
        p99_ns: spread.p99,
        max_ns: spread.max,
    })
}

/// Of each column those that took longest, and others that lie evenly between, in order of time.
fn chosen(points: &[Point], (from, to): (u64, u64), columns: u64) -> Vec<Point> {
    let column_ns = (to.saturating_sub(from) / columns).max(1);
    let column = |point: &Point| (point.begin_ns - from) / column_ns;
    let mut points = points.to_vec();
    points.sort_unstable_by_key(|point| (column(point), Reverse(point.ns), point.begin_ns));
    let mut told: Vec<Point> = Vec::new();
    for column in points.chunk_by(|one, other| column(one) == column(other)) {
        let (longest, others) = column.split_at(column.len().min(POINTS_A_COLUMN / 2));
        told.extend(longest);
        let step = others.len().div_ceil(POINTS_A_COLUMN / 2).max(1);
        told.extend(others.iter().step_by(step));
    }
    told.sort_by_key(|point| (point.begin_ns, point.member));
    told
}

#[derive(Clone, Copy)]
enum Kind {
    UserTask,
    Task,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::UserTask => "user_task",
            Self::Task => "task",
        }
    }

    /// Those of a group that began and ended in the window.
    fn points(self, timeline: &Timeline, group: &Group, from: u64, to: u64) -> Vec<Point> {
        let members = group.members.near(from, to.saturating_add(1));
        let spans = members.filter_map(|member| Some((member, self.span(timeline, member)?)));
        spans
            .filter(|(_, (begin_ns, end_ns))| *begin_ns >= from && *end_ns <= to)
            .map(|(member, (begin_ns, end_ns))| Point {
                member,
                begin_ns,
                ns: end_ns - begin_ns,
            })
            .collect()
    }

    /// From when to when a member is there, if the trace tells both.
    fn span(self, timeline: &Timeline, member: u32) -> Option<(u64, u64)> {
        match self {
            Self::UserTask => {
                let row = timeline.user_tasks.rows.get(member as usize)?;
                Some((row.has_begun.then_some(row.begin_ns)?, row.end_ns?))
            }
            Self::Task => {
                let row = timeline.tasks.get(member)?;
                let first = timeline.tasks.intervals(member).get(0)?;
                (row.is_created() && row.has_ended()).then_some((first.begin_ns, row.end_ns))
            }
        }
    }

    fn line(self, timeline: &Timeline, point: Point) -> PointLine {
        let (id, task) = match self {
            Self::UserTask => {
                let row = timeline.user_tasks.rows.get(point.member as usize);
                let task = row.map(|row| row.task.0).filter(|task| *task != 0);
                (
                    row.map(|row| format!("user:{}", row.id.0)),
                    task.map(|task| format!("task:{task}")),
                )
            }
            Self::Task => {
                let row = timeline.tasks.get(point.member);
                let id = row.map(|row| format!("task:{}", row.id.0));
                (id.clone(), id)
            }
        };
        PointLine {
            id: id.unwrap_or_default(),
            task,
            begin_ns: point.begin_ns,
            ns: point.ns,
        }
    }
}
