//! `api/marks`: CPU samples and logs on rows.

use std::collections::HashMap;

use axum::extract::{Query, State};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer};
use crate::causes::FrameLine;
use crate::grid::Grid;
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
    /// Samples.
    marks: Vec<MarkLine<'a>>,
    logs: Vec<LogLine<'a>>,
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

/// The logs of a row in a pixel.
#[derive(Serialize)]
struct LogLine<'a> {
    track: &'a str,
    /// When the first was written.
    at_ns: u64,
    count: u32,
    /// What that says, as far as there is room for.
    text: String,
}

/// No tick has room for a longer text.
const CHARS_MAX: usize = 120;

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let grid = answer::grid(asked.from, asked.to, asked.width)?;
    let timeline = subject.timeline();
    let rows = asked.tracks.split(',');
    let rows: Rows<'_> = rows
        .filter_map(|id| Some((RowId::parse(id)?, id)))
        .collect();
    let marks = samples(&timeline, &rows, &asked, grid);
    let logs = logs(&timeline, &rows, &asked, grid);
    answer::json(&Line { marks, logs })
}

/// What is asked for, by row.
type Rows<'a> = HashMap<RowId, &'a str, FxBuildHasher>;

/// Where the line of a row and a pixel is.
type Places = HashMap<(RowId, u64), usize, FxBuildHasher>;

fn samples<'a>(
    timeline: &'a Timeline,
    rows: &Rows<'a>,
    asked: &Asked,
    grid: Grid,
) -> Vec<MarkLine<'a>> {
    let samples = &timeline.samples;
    let start = samples.partition_point(|sample| sample.at_ns < asked.from);
    let samples = samples[start..].iter();
    let samples = samples.take_while(|sample| sample.at_ns < asked.to);
    let mut marks: Vec<MarkLine<'_>> = Vec::new();
    let mut last = Places::default();
    for sample in samples {
        for row in rows_of(timeline, sample) {
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
    marks
}

fn logs<'a>(timeline: &Timeline, rows: &Rows<'a>, asked: &Asked, grid: Grid) -> Vec<LogLine<'a>> {
    let mut lines: Vec<LogLine<'a>> = Vec::new();
    let mut last = Places::default();
    for log in timeline.logs.between(asked.from, asked.to) {
        for row in timeline.rows_of_log(log) {
            let Some(track) = rows.get(&row) else {
                continue;
            };
            let place = last
                .entry((row, log.at_ns >> grid.shift))
                .or_insert(lines.len());
            if let Some(line) = lines.get_mut(*place) {
                line.count += 1;
            } else {
                lines.push(LogLine {
                    track,
                    at_ns: log.at_ns,
                    count: 1,
                    text: timeline.logs.text(log).chars().take(CHARS_MAX).collect(),
                });
            }
        }
    }
    lines
}

/// The rows that a sample is shown on.
fn rows_of(timeline: &Timeline, sample: &SampleMark) -> impl Iterator<Item = RowId> {
    let task = sample.life.and_then(|life| timeline.tasks.get(life));
    let rows = [
        task.map(|task| RowId::Task(task.id)),
        task.and_then(|task| task.group()).map(RowId::Group),
        Some(RowId::Worker(sample.worker)),
        Some(RowId::Thread(sample.thread)),
    ];
    rows.into_iter().flatten()
}
