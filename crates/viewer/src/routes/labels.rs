//! `api/labels`: what the labels of intervals stand for.

use std::collections::BTreeMap;

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer, Refusal};

/// So many at once: a screen has no room for more texts.
const LABELS_MAX: usize = 2_000;

/// Names are cut to this many characters.
const CHARS_MAX: usize = 200;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// Labels of rows of workers and threads, with commas between them.
    tasks: Option<String>,
    /// Labels of rows of tasks.
    causes: Option<String>,
}

#[derive(Serialize)]
struct Line {
    tasks: BTreeMap<u32, TaskLine>,
    /// What tasks waited for.
    causes: BTreeMap<u32, String>,
}

#[derive(Serialize)]
struct TaskLine {
    id: String,
    name: String,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let timeline = subject.timeline();
    let mut line = Line {
        tasks: BTreeMap::new(),
        causes: BTreeMap::new(),
    };
    for life in numbers(asked.tasks.as_deref())? {
        if let Some(task) = timeline.tasks.get(life) {
            let task = TaskLine {
                id: format!("task:{}", task.id.0),
                name: timeline.name_of(life).chars().take(CHARS_MAX).collect(),
            };
            line.tasks.insert(life, task);
        }
    }
    for cause in numbers(asked.causes.as_deref())? {
        let reason = timeline.causes.reason(cause);
        line.causes
            .insert(cause, reason.chars().take(CHARS_MAX).collect());
    }
    answer::json(&line)
}

fn numbers(text: Option<&str>) -> Result<Vec<u32>, Refusal> {
    let texts = text.into_iter().flat_map(|text| text.split(','));
    let numbers = texts.filter(|text| !text.is_empty()).map(str::parse);
    let numbers: Result<Vec<u32>, _> = numbers.collect();
    let numbers = numbers.map_err(|error| Refusal::nonsense(format!("not a label: {error}")))?;
    if numbers.len() > LABELS_MAX {
        return Err(Refusal::nonsense(format!(
            "more than {LABELS_MAX} labels at once"
        )));
    }
    Ok(numbers)
}
