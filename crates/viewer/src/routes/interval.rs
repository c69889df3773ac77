//! `api/interval`: all that is known of one interval.

use axum::extract::{Query, State};
use exectrace_reader::TaskId;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::causes::FrameLine;
use crate::timeline::{RegionNote, RowId, Timeline};
use crate::track::{Drawn, Shade};

#[derive(Deserialize)]
pub(super) struct Asked {
    track: String,
    /// Its number on the track, or a time: what is there, or else what was before it.
    index: Option<u32>,
    at: Option<u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    track: String,
    index: u32,
    /// How many the row has.
    count: u32,
    task: Option<String>,
    /// What the task runs.
    name: &'a str,
    group: Option<String>,
    state: &'static str,
    reason: &'a str,
    from_ns: u64,
    to_ns: u64,
    open_left: bool,
    open_right: bool,
    worker: Option<String>,
    /// That a region belongs to.
    user_task: Option<String>,
    begin_stack: &'a [FrameLine],
    /// Where the task is after it.
    end_stack: &'a [FrameLine],
    /// Who put it into the queue, for this interval or the next.
    waker: Option<WakerLine<'a>>,
}

/// Who let a task go on.
#[derive(Serialize)]
struct WakerLine<'a> {
    task: String,
    /// What that one runs.
    name: &'a str,
    stack: &'a [FrameLine],
    at_ns: u64,
    /// Where that one ran then, and the number of the interval on its row.
    worker: Option<String>,
    index: Option<u32>,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let timeline = subject.timeline();
    let unknown = || Refusal::unknown(format!("there is no track {}", asked.track));
    let row = RowId::parse(&asked.track).ok_or_else(unknown)?;
    let intervals = timeline.intervals(row).ok_or_else(unknown)?;
    let drawn = match (asked.index, asked.at) {
        (Some(index), _) => intervals.get(index),
        (None, Some(at)) => intervals.near(at),
        (None, None) => return Err(Refusal::nonsense("index or at is missing")),
    };
    let drawn = drawn.ok_or_else(|| Refusal::unknown("there is no such interval"))?;
    let count = intervals.len();
    let line = line(&timeline, &asked.track, row, drawn);
    answer::json(&Line { count, ..line })
}

fn line<'a>(timeline: &'a Timeline, id: &str, row: RowId, drawn: Drawn) -> Line<'a> {
    if let RowId::Regions(task, _) = row {
        return region(timeline, id, task, drawn);
    }
    // An interval of a worker or thread is one of the task that ran.
    let life = match row {
        RowId::Task(task) => timeline.life(task),
        RowId::Worker(_) | RowId::Thread(_) => Some(drawn.cause),
        _ => None,
    };
    let task = life.and_then(|life| timeline.tasks.get(life));
    let own = life.map(|life| timeline.tasks.intervals(life));
    let intervals = own.unwrap_or_default();
    let own = match row {
        RowId::Task(_) => Some(drawn),
        _ => intervals.at(drawn.begin_ns),
    };
    let next = own.and_then(|own| intervals.get(own.index + 1));
    let causes = &timeline.causes;
    let cause = own.filter(|_| task.is_some()).map_or(0, |own| own.cause);
    let is_first = own.is_some_and(|own| own.index == 0);
    let is_last = own.is_some() && next.is_none();
    Line {
        track: id.to_owned(),
        index: drawn.index,
        count: 0,
        task: task.map(|task| format!("task:{}", task.id.0)),
        name: life.map_or("", |life| timeline.name_of(life)),
        group: task.and_then(|task| Some(format!("group:{}", task.group()?))),
        state: drawn.shade.name(),
        reason: causes.reason(cause),
        from_ns: drawn.begin_ns,
        to_ns: drawn.end_ns,
        open_left: is_first && task.is_some_and(|task| !task.is_created()),
        open_right: is_last && task.is_some_and(|task| !task.has_ended()),
        worker: own.and_then(|own| worker(&own)),
        user_task: None,
        begin_stack: causes.stack(cause),
        end_stack: next.map_or(&[], |next| causes.stack(next.cause)),
        waker: [own, next]
            .into_iter()
            .flatten()
            .find_map(|it| waker(timeline, &it)),
    }
}

/// A user region, with the stacks at both of its ends.
fn region<'a>(timeline: &'a Timeline, id: &str, task: TaskId, drawn: Drawn) -> Line<'a> {
    let life = timeline.life(task);
    let row = life.and_then(|life| timeline.tasks.get(life));
    let note = RegionNote::of(&drawn);
    let user_task = note.user_task.map(|place| place as usize);
    let user_task = user_task.and_then(|place| timeline.user_tasks.rows.get(place));
    let causes = &timeline.causes;
    let begin_stack = causes.stack(drawn.cause);
    // One that began before the trace begins with it.
    let open_left = note.is_cut && drawn.begin_ns == 0;
    Line {
        track: id.to_owned(),
        index: drawn.index,
        count: 0,
        task: Some(format!("task:{}", task.0)),
        name: life.map_or("", |life| timeline.name_of(life)),
        group: row.and_then(|row| Some(format!("group:{}", row.group()?))),
        state: drawn.shade.name(),
        reason: causes.reason(drawn.cause),
        from_ns: drawn.begin_ns,
        to_ns: drawn.end_ns,
        open_left,
        open_right: note.is_cut && !open_left,
        worker: None,
        user_task: user_task.map(|row| format!("user:{}", row.id.0)),
        begin_stack,
        end_stack: causes.writer_stack(drawn.cause),
        waker: None,
    }
}

/// The worker that a task ran on.
fn worker(own: &Drawn) -> Option<String> {
    let is_told = own.shade == Shade::Running && own.other > 0;
    is_told.then(|| format!("worker:{}", own.other - 1))
}

/// Who put a task into the queue.
fn waker<'a>(timeline: &'a Timeline, own: &Drawn) -> Option<WakerLine<'a>> {
    if own.shade != Shade::Runnable {
        return None;
    }
    let life = own.other.checked_sub(1)?;
    let task = timeline.tasks.get(life)?;
    let ran = timeline.tasks.intervals(life).at(own.begin_ns);
    Some(WakerLine {
        task: format!("task:{}", task.id.0),
        name: timeline.name_of(life),
        stack: timeline.causes.writer_stack(own.cause),
        at_ns: own.begin_ns,
        worker: ran.as_ref().and_then(worker),
        index: ran.map(|ran| ran.index),
    })
}
