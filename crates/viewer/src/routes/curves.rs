//! `api/curves`: how much there was of something, over time.

use std::collections::BTreeMap;

use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::answer::{self, Answer};
use crate::grid::Grid;
use crate::timeline::{Timeline, ValueCurve};
use crate::track::{Runs, Shade};

#[derive(Deserialize)]
pub(super) struct Asked {
    /// Which, with commas between them.
    names: String,
    from: u64,
    to: u64,
    width: u32,
}

#[derive(Serialize)]
struct Line<'a> {
    from_ns: u64,
    bucket_ns: u64,
    /// How much there was in each bucket, on average, or of `heap` and `goal` at most, in bytes; null for what the trace does not
    /// tell.
    curves: BTreeMap<&'a str, Option<Vec<f64>>>,
}

pub(super) async fn answer(State(subject): State<Shared>, Query(asked): Query<Asked>) -> Answer {
    let grid = answer::grid(asked.from, asked.to, asked.width)?;
    let timeline = subject.timeline();
    let names: Vec<&str> = asked.names.split(',').collect();
    let states: Vec<Shade> = names.iter().filter_map(|name| state(name)).collect();
    let counts = counts(&timeline, &states, grid);
    let curves = names.into_iter().map(|name| {
        let curve = match state(name) {
            Some(shade) => counts.get(&shade).cloned(),
            None => curve(&timeline, name, grid),
        };
        (name, curve)
    });
    answer::json(&Line {
        from_ns: grid.begin_ns(),
        bucket_ns: grid.bucket_ns(),
        curves: curves.collect(),
    })
}

/// The state whose tasks a curve counts.
fn state(name: &str) -> Option<Shade> {
    match name {
        "running" | "busy_workers" => Some(Shade::Running),
        "runnable" => Some(Shade::Runnable),
        "waiting" => Some(Shade::Waiting),
        "syscall" => Some(Shade::Syscall),
        _ => None,
    }
}

/// How many tasks were in each state: each function's are looked at once for all of them.
fn counts(timeline: &Timeline, states: &[Shade], grid: Grid) -> BTreeMap<Shade, Vec<f64>> {
    let empty = || vec![0; grid.count as usize];
    let sums = states.iter().map(|&shade| (shade, empty()));
    let mut sums: BTreeMap<Shade, Vec<u64>> = sums.collect();
    if !sums.is_empty() {
        for group in &timeline.groups {
            let runs = timeline.group_runs(group, grid);
            for (shade, sums) in &mut sums {
                add(&runs, *shade, sums);
            }
        }
    }
    let curves = sums.into_iter();
    curves
        .map(|(shade, sums)| (shade, averages(&sums, grid)))
        .collect()
}

fn curve(timeline: &Timeline, name: &str, grid: Grid) -> Option<Vec<f64>> {
    let track = match name {
        "gc" => &timeline.collecting,
        "stopped" => &timeline.stopped,
        "heap" => return greatest(&timeline.heap, grid),
        "goal" => return greatest(&timeline.goal, grid),
        _ => return None,
    };
    let mut sums = vec![0; grid.count as usize];
    add(&track.runs(grid), Shade::Open, &mut sums);
    Some(averages(&sums, grid))
}

/// The most that a value was in each bucket; none if it was never told.
fn greatest(curve: &ValueCurve, grid: Grid) -> Option<Vec<f64>> {
    let values = curve.greatest(grid).into_iter().map(|value| value as f64);
    (!curve.is_empty()).then(|| values.collect())
}

/// Adds the time in a state to each bucket.
fn add(runs: &Runs, shade: Shade, sums: &mut [u64]) {
    let grid = runs.grid();
    runs.for_each(|bucket, mix| {
        sums[(bucket - grid.first) as usize] += mix.ns[shade.place()];
    });
    for drawn in runs.intervals.iter().filter(|drawn| drawn.shade == shade) {
        let begin_ns = drawn.begin_ns.max(grid.begin_ns());
        let end_ns = drawn.end_ns.min(grid.end_ns());
        for bucket in begin_ns >> grid.shift..=end_ns.saturating_sub(1) >> grid.shift {
            let from_ns = (bucket << grid.shift).max(begin_ns);
            let to_ns = ((bucket + 1) << grid.shift).min(end_ns);
            if let Some(sum) = sums.get_mut((bucket - grid.first) as usize) {
                *sum += to_ns.saturating_sub(from_ns);
            }
        }
    }
}

fn averages(sums: &[u64], grid: Grid) -> Vec<f64> {
    let bucket_ns = grid.bucket_ns() as f64;
    sums.iter().map(|&ns| ns as f64 / bucket_ns).collect()
}
