//! `api/marks`: CPU samples on rows.

use std::collections::HashMap;

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer};
use crate::causes::FrameLine;
use crate::timeline::{RowId, SampleMark, Timeline};

#[derive(Deserialize)]
pub(super) struct Asked {
    tracks: String,
    from: u64,
    to: u64,
    width: u32,
}

#[derive(Serialize)]
struct Line<'a> {
    marks: Vec<MarkLine<'a>>,
}

/// The samples of a row in a pixel.
#[derive(Serialize)]
struct MarkLine<'a> {
    track: &'a str,
    /// When the first was taken.
    at_ns: u64,
    count: u32,
    /// Where that was, innermost first.
    stack: &'a [FrameLine],
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let grid = answer::grid(asked.from, asked.to, asked.width)?;
    let timeline = subject.timeline();
    let samples = &timeline.samples;
    let start = samples.partition_point(|sample| sample.at_ns < asked.from);
    let samples = samples[start..].iter();
    let samples = samples.take_while(|sample| sample.at_ns < asked.to);
    let rows = asked.tracks.split(',');
    let rows: HashMap<RowId, &str> = rows
        .filter_map(|id| Some((RowId::parse(id)?, id)))
        .collect();
    let mut marks: Vec<MarkLine<'_>> = Vec::new();
    let mut last: HashMap<(RowId, u64), usize> = HashMap::new();
    for sample in samples {
        for row in rows_of(&timeline, sample) {
            let Some(track) = rows.get(&row) else {
                continue;
            };
            let place = last
                .entry((row, sample.at_ns >> grid.shift))
                .or_insert(marks.len());
            if let Some(mark) = marks.get_mut(*place) {
                mark.count += 1;
            } else {
                marks.push(MarkLine {
                    track,
                    at_ns: sample.at_ns,
                    count: 1,
                    stack: timeline.causes.frames(sample.stack),
                });
            }
        }
    }
    answer::json(&Line { marks })
}

/// The rows that a sample is shown on.
fn rows_of(timeline: &Timeline, sample: &SampleMark) -> impl Iterator<Item = RowId> {
    let task = sample.life.and_then(|life| timeline.tasks.get(life));
    let rows = [
        task.map(|task| RowId::Task(task.id)),
        task.and_then(|task| task.group).map(RowId::Group),
        Some(RowId::Worker(sample.worker)),
        Some(RowId::Thread(sample.thread)),
    ];
    rows.into_iter().flatten()
}
