//! `api/runs`: what a screen can show of some rows.

use axum::extract::{Query, State};
use serde::Deserialize;

use super::answer::{self, Answer, Refusal};
use super::{Shared, filtered};
use crate::grid::Grid;
use crate::subject::Subject;
use crate::timeline::{RowFilter, RowId, Timeline};
use crate::track::Runs;
use crate::wire::{self, Header};

/// No screen has more rows.
const TRACKS_MAX: usize = 512;

#[derive(Deserialize)]
pub(super) struct Asked {
    /// Their ids, with commas between them.
    tracks: String,
    from: u64,
    to: u64,
    width: u32,
    /// What they are to show.
    #[serde(rename = "where")]
    filter: Option<String>,
}

pub(super) async fn answer(
    State(subject): State<Shared>,
    Query(mut asked): Query<Asked>,
) -> Answer {
    let filter = asked.filter.take();
    filtered::answer(subject, filter.as_deref(), move |subject, filter| {
        runs(subject, &asked, filter)
    })
    .await
}

fn runs(subject: &Subject, asked: &Asked, filter: Option<&RowFilter>) -> Answer {
    let revision = subject.lock().revision;
    let grid = answer::grid(asked.from, asked.to, asked.width)?;
    let ids: Vec<&str> = asked.tracks.split(',').collect();
    if ids.len() > TRACKS_MAX {
        return Err(Refusal::nonsense(format!(
            "more than {TRACKS_MAX} tracks at once"
        )));
    }
    let timeline = subject.timeline();
    let header = Header {
        tracks: ids.len() as u32,
        grid,
        revision: revision as u32,
    };
    let mut bytes = wire::begin(&header);
    for id in ids {
        let unknown = || Refusal::unknown(format!("there is no track {id}"));
        let row = RowId::parse(id).ok_or_else(unknown)?;
        let runs = match filter {
            Some(filter) => filter.runs(&timeline, row, grid),
            None => timeline.runs(row, grid),
        };
        append_runs(&mut bytes, row, grid, &runs.ok_or_else(unknown)?);
    }
    Ok(answer::binary(bytes))
}

/// Appends what a screen can show of a row, and gives it; `None` where there is no such row.
pub(crate) fn append(
    bytes: &mut Vec<u8>,
    timeline: &Timeline,
    row: RowId,
    grid: Grid,
) -> Option<Runs> {
    let runs = timeline.runs(row, grid)?;
    append_runs(bytes, row, grid, &runs);
    Some(runs)
}

fn append_runs(bytes: &mut Vec<u8>, row: RowId, grid: Grid, runs: &Runs) {
    let full_ns = match row {
        // A row of a group is as high as can be.
        RowId::Group(_) | RowId::UserGroup(_) | RowId::RegionGroup(_) => runs.most_ns().max(1),
        _ => grid.bucket_ns(),
    };
    wire::append(bytes, runs, full_ns);
}
