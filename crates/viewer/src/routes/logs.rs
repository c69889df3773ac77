//! `api/logs`: what the program logged in a stretch of time, on a row or at all.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::causes::FrameLine;
use crate::timeline::{Log, RowId, Timeline};

/// Texts are cut to this many characters: a log may be a megabyte long.
const CHARS_MAX: usize = 10_000;

/// So many are told, unless fewer are asked for.
const MOST: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    track: Option<String>,
    from: u64,
    /// Before which they were written.
    to: u64,
    most: Option<usize>,
    /// So many of the first are not told.
    skip: Option<usize>,
}

#[derive(Serialize)]
struct Line<'a> {
    logs: Vec<LogLine<'a>>,
    /// How many there are in all.
    total: usize,
}

#[derive(Serialize)]
struct LogLine<'a> {
    /// A row that it is on.
    track: String,
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
    let row = match &asked.track {
        Some(track) => {
            let unknown = || Refusal::unknown(format!("there is no track {track}"));
            Some(RowId::parse(track).ok_or_else(unknown)?)
        }
        None => None,
    };
    let is_on = |log: &&Log| row.is_none_or(|row| timeline.rows_of_log(log).any(|it| it == row));
    let mut logs = timeline.logs.between(asked.from, asked.to).filter(is_on);
    let skipped = logs.by_ref().take(asked.skip.unwrap_or(0)).count();
    let most = asked.most.unwrap_or(MOST).min(MOST);
    let told = logs
        .by_ref()
        .take(most)
        .map(|log| line(&timeline, log, row));
    let told: Vec<LogLine<'_>> = told.collect();
    answer::json(&Line {
        total: skipped + told.len() + logs.count(),
        logs: told,
    })
}

fn line<'a>(timeline: &'a Timeline, log: &Log, row: Option<RowId>) -> LogLine<'a> {
    let task = log.life.and_then(|life| timeline.tasks.get(life));
    let user_task = timeline.user_tasks.get(log.user_task);
    let names = &timeline.user_tasks.names;
    let name = user_task.and_then(|row| names.get(row.name as usize));
    let track = row.or_else(|| timeline.rows_of_log(log).next());
    LogLine {
        track: track.map(|row| row.to_string()).unwrap_or_default(),
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
