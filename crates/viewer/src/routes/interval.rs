//! `api/interval`: all that is known of one interval.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::causes::FrameLine;
use crate::timeline::{RowId, Timeline};
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
    answer::json(&Line {
        count,
        ..line(&timeline, &asked.track, row, drawn)
    })
}

fn line<'a>(timeline: &'a Timeline, id: &str, row: RowId, drawn: Drawn) -> Line<'a> {
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
        group: task.and_then(|task| Some(format!("group:{}", task.group?))),
        state: drawn.shade.name(),
        reason: causes.reason(cause),
        from_ns: drawn.begin_ns,
        to_ns: drawn.end_ns,
        open_left: is_first && task.is_some_and(|task| !task.is_created),
        open_right: is_last && task.is_some_and(|task| !task.has_ended),
        worker: own.and_then(|own| worker(&own)),
        begin_stack: causes.stack(cause),
        end_stack: next.map_or(&[], |next| causes.stack(next.cause)),
        waker: [own, next]
            .into_iter()
            .flatten()
            .find_map(|it| waker(timeline, &it)),
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
