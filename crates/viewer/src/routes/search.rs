//! `api/search`: where a text is among the names and texts of a trace.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};
use crate::timeline::{Log, RowId, Timeline};

/// So much is told of a message: some of what stands before the text, and of the rest.
const CHARS_BEFORE: usize = 40;
const CHARS_MAX: usize = 200;

/// So many are told of a kind.
const HITS_A_KIND: usize = 20;

#[derive(Deserialize)]
pub(super) struct Asked {
    q: String,
}

#[derive(Serialize)]
struct Line {
    hits: Vec<Hit>,
    /// There are more.
    truncated: bool,
}

#[derive(Serialize)]
struct Hit {
    kind: &'static str,
    /// The row, as other questions take it.
    id: String,
    name: String,
    /// From when to when there is something of it.
    from_ns: u64,
    to_ns: u64,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let text = asked.q.trim();
    if text.is_empty() {
        return Err(Refusal::nonsense("there is nothing to look for"));
    }
    let timeline = subject.timeline();
    let mut line = Line {
        hits: Vec::new(),
        truncated: false,
    };
    line.add(by_id(&timeline, text).into_iter());
    let text = text.to_lowercase();
    let is_in = |name: &str| name.to_lowercase().contains(&text);
    let whole = |kind, id, name: &str| Hit {
        kind,
        id,
        name: name.to_owned(),
        from_ns: 0,
        to_ns: timeline.end_ns,
    };
    let groups = (0..)
        .zip(&timeline.groups)
        .filter(|(_, group)| is_in(&group.name));
    line.add(
        groups
            .map(|(place, group): (u32, _)| whole("group", format!("group:{place}"), &group.name)),
    );
    let names = (0..).zip(&timeline.user_tasks.names);
    let names = names.filter(|(_, group)| is_in(&group.name));
    line.add(
        names.map(|(place, group): (u32, _)| {
            whole("user_task", format!("users:{place}"), &group.name)
        }),
    );
    let workers = timeline.workers.iter().filter(|(_, row)| is_in(&row.name));
    line.add(workers.map(|(id, row)| whole("worker", format!("worker:{id}"), &row.name)));
    let threads = timeline.threads.iter().filter(|(_, row)| is_in(&row.name));
    line.add(threads.map(|(id, row)| whole("thread", format!("thread:{id}"), &row.name)));
    let regions = (0..).zip(&timeline.region_names.groups);
    let regions = regions.filter(|(_, group)| is_in(&group.name));
    line.add(
        regions.map(|(place, group): (u32, _)| {
            whole("region", format!("region:{place}"), &group.name)
        }),
    );
    let functions = timeline.causes.functions().filter(|name| is_in(name));
    line.add(functions.map(|name| whole("function", String::new(), name)));
    line.add(
        timeline
            .logs
            .iter()
            .filter_map(|log| log_hit(&timeline, log, &text)),
    );
    answer::json(&line)
}

/// A log that has a text in lower case in its key or message.
fn log_hit(timeline: &Timeline, log: &Log, text: &str) -> Option<Hit> {
    let told = timeline.logs.text(log);
    let key = timeline.logs.key(log);
    let lower = told.to_lowercase();
    let place = lower.find(text);
    if place.is_none() && !key.to_lowercase().contains(text) {
        return None;
    }
    // Of a long message what is around the text.
    let before = lower[..place.unwrap_or(0)].chars().count();
    let part = told.chars().skip(before.saturating_sub(CHARS_BEFORE));
    let part: String = part.take(CHARS_MAX).collect();
    let row = timeline.rows_of_log(log).next()?;
    Some(Hit {
        kind: "log",
        id: row.to_string(),
        name: if key.is_empty() {
            part
        } else {
            format!("{key}: {part}")
        },
        from_ns: log.at_ns,
        to_ns: log.at_ns,
    })
}

impl Line {
    fn add(&mut self, mut hits: impl Iterator<Item = Hit>) {
        self.hits.extend(hits.by_ref().take(HITS_A_KIND));
        self.truncated |= hits.next().is_some();
    }
}

/// What is meant by a number, or by an id as other questions take it.
fn by_id(timeline: &Timeline, text: &str) -> Vec<Hit> {
    let ids = if text.contains(':') {
        vec![text.to_owned()]
    } else {
        let kinds = ["task", "worker", "thread", "user"].iter();
        kinds.map(|kind| format!("{kind}:{text}")).collect()
    };
    let hits = ids.into_iter().filter_map(|id| hit(timeline, id));
    hits.collect()
}

fn hit(timeline: &Timeline, id: String) -> Option<Hit> {
    let (kind, name, span) = match RowId::parse(&id)? {
        RowId::Task(task) => {
            let life = timeline.life(task)?;
            let first = timeline.tasks.intervals(life).get(0)?;
            let span = (first.begin_ns, timeline.tasks.get(life)?.end_ns);
            ("task", timeline.name_of(life), span)
        }
        RowId::UserTask(user_task) => {
            let row = timeline.user_tasks.get(user_task)?;
            let name = &timeline.user_tasks.names.get(row.name as usize)?.name;
            let end_ns = row.end_ns.unwrap_or(timeline.end_ns);
            ("user_task", name.as_str(), (row.begin_ns, end_ns))
        }
        RowId::Worker(worker) => {
            let name = &timeline.workers.get(&worker)?.name;
            ("worker", name.as_str(), (0, timeline.end_ns))
        }
        RowId::Thread(thread) => {
            let name = &timeline.threads.get(&thread)?.name;
            ("thread", name.as_str(), (0, timeline.end_ns))
        }
        _ => return None,
    };
    Some(Hit {
        kind,
        name: name.to_owned(),
        id,
        from_ns: span.0,
        to_ns: span.1,
    })
}
