//! `api/log`: what the program logged on a row at a time.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::causes::FrameLine;
use crate::timeline::{Log, RowId, Timeline};

/// Texts are cut to this many characters: a log may be a megabyte long.
const CHARS_MAX: usize = 10_000;

#[derive(Deserialize)]
pub(super) struct Asked {
    track: String,
    at: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Those of that moment.
    logs: Vec<LogLine<'a>>,
}

#[derive(Serialize)]
struct LogLine<'a> {
    at_ns: u64,
    key: &'a str,
    text: String,
    /// Who wrote it.
    task: Option<String>,
    /// What that one runs.
    name: &'a str,
    /// What it belongs to, and what that is called.
    user_task: Option<String>,
    user_task_name: &'a str,
    /// Where it was written, innermost first.
    stack: &'a [FrameLine],
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let timeline = subject.timeline();
    let unknown = || Refusal::unknown(format!("there is no track {}", asked.track));
    let row = RowId::parse(&asked.track).ok_or_else(unknown)?;
    let logs = timeline.logs.between(asked.at, asked.at.saturating_add(1));
    let logs = logs.filter(|log| timeline.rows_of_log(log).any(|it| it == row));
    let logs: Vec<LogLine<'_>> = logs.map(|log| line(&timeline, log)).collect();
    if logs.is_empty() {
        return Err(Refusal::unknown("there is no such log"));
    }
    answer::json(&Line { logs })
}

fn line<'a>(timeline: &'a Timeline, log: &Log) -> LogLine<'a> {
    let task = log.life.and_then(|life| timeline.tasks.get(life));
    let user_task = timeline.user_tasks.get(log.user_task);
    let names = &timeline.user_tasks.names;
    let name = user_task.and_then(|row| names.get(row.name as usize));
    LogLine {
        at_ns: log.at_ns,
        key: timeline.logs.key(log),
        text: timeline.logs.text(log).chars().take(CHARS_MAX).collect(),
        task: task.map(|task| format!("task:{}", task.id.0)),
        name: log.life.map_or("", |life| timeline.name_of(life)),
        user_task: user_task.map(|row| format!("user:{}", row.id.0)),
        user_task_name: name.map_or("", |name| &name.name),
        stack: timeline.causes.frames(log.stack),
    }
}
