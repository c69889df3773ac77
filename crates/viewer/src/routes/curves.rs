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
    let names = asked.names.split(',');
    let curves = names.map(|name| (name, curve(&timeline, name, grid)));
    answer::json(&Line {
        from_ns: grid.begin_ns(),
        bucket_ns: grid.bucket_ns(),
        curves: curves.collect(),
    })
}

fn curve(timeline: &Timeline, name: &str, grid: Grid) -> Option<Vec<f64>> {
    let mut sums = vec![0; grid.count as usize];
    let shade = match name {
        "running" | "busy_workers" => Shade::Running,
        "runnable" => Shade::Runnable,
        "waiting" => Shade::Waiting,
        "syscall" => Shade::Syscall,
        "gc" | "stopped" => {
            let track = if name == "gc" {
                &timeline.collecting
            } else {
                &timeline.stopped
            };
            add(&track.runs(grid), Shade::Open, &mut sums);
            return Some(averages(&sums, grid));
        }
        "heap" => return greatest(&timeline.heap, grid),
        "goal" => return greatest(&timeline.goal, grid),
        _ => return None,
    };
    for group in &timeline.groups {
        add(&timeline.group_runs(group, grid), shade, &mut sums);
    }
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
