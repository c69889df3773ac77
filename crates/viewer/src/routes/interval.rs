//! `api/interval`: all that is known of one interval.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::causes::FrameLine;
use crate::timeline::{RowId, Timeline};
use crate::track::{Drawn, Shade, Track};

#[derive(Deserialize)]
pub(super) struct Asked {
    track: String,
    /// Its number on the track, or a time.
    index: Option<usize>,
    at: Option<u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    track: String,
    index: u32,
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
    waker: Option<WakerLine<'a>>,
}

/// Who let a task go on.
#[derive(Serialize)]
struct WakerLine<'a> {
    task: Option<String>,
    name: &'a str,
    stack: &'a [FrameLine],
    at_ns: u64,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let timeline = subject.timeline();
    let unknown = || Refusal::unknown(format!("there is no track {}", asked.track));
    let row = RowId::parse(&asked.track).ok_or_else(unknown)?;
    let track = timeline.track(row).ok_or_else(unknown)?;
    let drawn = match (asked.index, asked.at) {
        (Some(index), _) => track.interval(index),
        (None, Some(at)) => track.at(at),
        (None, None) => return Err(Refusal::nonsense("index or at is missing")),
    };
    let drawn = drawn.ok_or_else(|| Refusal::unknown("there is no such interval"))?;
    answer::json(&line(&timeline, &asked.track, row, drawn))
}

fn line<'a>(timeline: &'a Timeline, id: &str, row: RowId, drawn: Drawn) -> Line<'a> {
    // An interval of a worker or thread is one of the task that ran.
    let life = match row {
        RowId::Task(task) => timeline.life(task),
        RowId::Worker(_) | RowId::Thread(_) => Some(drawn.cause),
        _ => None,
    };
    let task = life.and_then(|life| timeline.tasks.get(life as usize));
    let own = task.and_then(|task| of_task(&task.track, row, drawn));
    let causes = &timeline.causes;
    let next = task.zip(own).and_then(|(task, own)| {
        let next = own.index as usize + 1;
        task.track.interval(next)
    });
    let cause = own.map_or(0, |own| own.cause);
    let track = task.map(|task| &task.track);
    let is_last = own
        .zip(track)
        .is_some_and(|(own, track)| own.index as usize + 1 == track.len());
    Line {
        track: id.to_owned(),
        index: drawn.index,
        task: task.map(|task| format!("task:{}", task.id.0)),
        name: life.map_or("", |life| timeline.name_of(life)),
        group: task.map(|task| format!("group:{}", task.group)),
        state: state(drawn.shade),
        reason: causes.reason(cause),
        from_ns: drawn.begin_ns,
        to_ns: drawn.end_ns,
        open_left: own
            .zip(track)
            .is_some_and(|(own, it)| own.index == 0 && it.is_open_left),
        open_right: is_last && track.is_some_and(|it| it.is_open_right),
        worker: worker(own),
        begin_stack: causes.stack(cause),
        end_stack: next.map_or(&[], |next| causes.stack(next.cause)),
        waker: own.and_then(|own| waker(timeline, own)),
    }
}

/// The interval on the task's own track.
fn of_task(track: &Track, row: RowId, drawn: Drawn) -> Option<Drawn> {
    match row {
        RowId::Task(_) => Some(drawn),
        _ => track.at(drawn.begin_ns),
    }
}

fn worker(own: Option<Drawn>) -> Option<String> {
    let own = own.filter(|own| own.shade == Shade::Running && own.other != 0)?;
    Some(format!("worker:{}", own.other - 1))
}

/// Who put a task into the queue.
fn waker(timeline: &Timeline, own: Drawn) -> Option<WakerLine<'_>> {
    if own.shade != Shade::Runnable {
        return None;
    }
    let life = own.other.checked_sub(1)?;
    let task = timeline.tasks.get(life as usize)?;
    Some(WakerLine {
        task: Some(format!("task:{}", task.id.0)),
        name: timeline.name_of(life),
        stack: timeline.causes.writer_stack(own.cause),
        at_ns: own.begin_ns,
    })
}

fn state(shade: Shade) -> &'static str {
    match shade {
        Shade::Nothing => "nothing",
        Shade::Running => "running",
        Shade::Runnable => "runnable",
        Shade::Waiting => "waiting",
        Shade::Syscall => "syscall",
        Shade::Undetermined => "undetermined",
        Shade::Open => "open",
    }
}
