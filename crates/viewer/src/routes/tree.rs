//! `api/tree`: what the program's author has annotated in a user task or in a task, as a tree.

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::answer::{self, Answer, Refusal};
use super::{Shared, in_turn};
use crate::subject::Subject;
use crate::timeline::{Annotation, AnnotationTree, RegionNote, RowId, Timeline, Told};

/// Names and texts are cut to this many characters.
const CHARS_MAX: usize = 200;

/// So many are told, unless others are asked for.
const MOST: usize = 150;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// A task or a user task.
    id: String,
    most: Option<usize>,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Each after what it is in.
    nodes: Vec<NodeLine<'a>>,
    /// How many there are in all.
    total: usize,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    kind: &'static str,
    /// How many it is in.
    depth: usize,
    /// The user task, or the row of the region, or a row of the log.
    track: String,
    /// The number of a region on its row.
    index: Option<u32>,
    /// The name, or the category of a log.
    name: String,
    /// What a log says.
    text: String,
    /// Who began or wrote it.
    task: Option<String>,
    task_name: &'a str,
    /// Of a user task all of its name.
    group: Option<String>,
    begin_ns: u64,
    end_ns: u64,
    is_open_left: bool,
    is_open_right: bool,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    // It looks at all annotations of the trace.
    in_turn::answer(subject, move |subject| tree(subject, &asked)).await
}

fn tree(subject: &Subject, asked: &Asked) -> Answer {
    let timeline = subject.timeline();
    let tree = match RowId::parse(&asked.id) {
        Some(RowId::Task(task)) => AnnotationTree::of_task(&timeline, task),
        Some(RowId::UserTask(user_task)) => AnnotationTree::below(&timeline, user_task),
        _ => None,
    };
    let unknown = || Refusal::unknown(format!("there is no task or user task {}", asked.id));
    let tree = tree.ok_or_else(unknown)?;
    let nodes = tree.iter().take(asked.most.unwrap_or(MOST));
    answer::json(&Line {
        total: tree.iter().len(),
        nodes: nodes
            .map(|(depth, annotation)| line(&timeline, depth, annotation))
            .collect(),
    })
}

fn line<'a>(timeline: &'a Timeline, depth: usize, annotation: &Annotation<'_>) -> NodeLine<'a> {
    let task = annotation.life.and_then(|life| timeline.tasks.get(life));
    let line = NodeLine {
        kind: "log",
        depth,
        track: String::new(),
        index: None,
        name: String::new(),
        text: String::new(),
        task: task.map(|task| RowId::Task(task.id).to_string()),
        task_name: annotation.life.map_or("", |life| timeline.name_of(life)),
        group: None,
        begin_ns: annotation.begin_ns,
        end_ns: annotation.end_ns,
        is_open_left: false,
        is_open_right: false,
    };
    match annotation.told {
        Told::UserTask(row) => NodeLine {
            kind: "user_task",
            track: RowId::UserTask(row.id).to_string(),
            name: cut(&timeline.user_tasks.names[row.name as usize].name),
            group: Some(RowId::UserGroup(row.name).to_string()),
            is_open_left: !row.has_begun,
            is_open_right: row.end_ns.is_none(),
            ..line
        },
        Told::Region(drawn, above) => {
            let is_cut = RegionNote::of(&drawn).is_cut;
            let is_open_left = is_cut && drawn.begin_ns == 0;
            NodeLine {
                kind: "region",
                track: task.map_or_else(String::new, |task| {
                    RowId::Regions(task.id, above).to_string()
                }),
                index: Some(drawn.index),
                name: cut(timeline.causes.reason(drawn.cause)),
                is_open_left,
                is_open_right: is_cut && !is_open_left,
                ..line
            }
        }
        Told::Log(log) => NodeLine {
            track: timeline
                .rows_of_log(log)
                .next()
                .map_or_else(String::new, |row| row.to_string()),
            name: cut(timeline.logs.key(log)),
            text: cut(timeline.logs.text(log)),
            ..line
        },
    }
}

fn cut(text: &str) -> String {
    text.chars().take(CHARS_MAX).collect()
}
