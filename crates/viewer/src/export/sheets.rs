//! Rows of the timeline in an exported page, at several levels of detail.
//!
//! A sheet is what the server says of some rows in a stretch of time at one level, with differences where numbers rise. Levels are four apart, so a
//! page finds for whatever it wants to draw a sheet that is as fine, and not much finer. Where a row has no interval shorter than a
//! bucket a finer sheet would say the same: the row is there in full, and has none. So the next level is only of rows and stretches that
//! have more to tell, and levels are made from coarse to fine, for all rows, until all is told or the room is used up.

use std::collections::{BTreeSet, VecDeque};
use std::io;

use serde::Serialize;

use super::archive::Archive;
use super::differences;
use super::question::Question;
use super::span::Span;
use crate::grid::Grid;
use crate::routes::runs;
use crate::timeline::{RowId, Timeline};
use crate::wire::{self, Header};

/// How much narrower the buckets of the next level are, as a power of two.
const STEP: u32 = 2;

/// Buckets of a tile, as a power of two: what a page draws at once. A sheet has whole ones.
const TILE_SHIFT: u32 = 10;

/// Rows of a sheet.
const ROWS_MAX: usize = 32;

/// What a sheet has at most before it is packed, unless it is a single tile: a page unpacks it as a whole.
const BYTES_MAX: usize = 1 << 20;

/// A row of many has something in each bucket, however narrow: of a stretch it has so many at most, a dozen screens.
const BUCKETS_OF_MANY_MAX: u64 = 1 << 14;

/// Buckets are told by 32 bits.
const BUCKETS_MAX: u64 = 1 << 31;

/// All sheets, and what stands in them.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    pub(super) lines: Vec<SheetLine>,
    pub(super) labels: Labels,
}

/// Where to find what is told of some rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct SheetLine {
    tracks: Vec<String>,
    /// Buckets are two to the power of this wide.
    shift: u32,
    from_ns: u64,
    to_ns: u64,
}

/// What labels of intervals stand for has to be told, too.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The lives on rows of workers and threads.
    pub(super) tasks: BTreeSet<u32>,
    /// The causes on rows of tasks.
    pub(super) causes: BTreeSet<u32>,
}

/// Rows that are to be told of, in a stretch of time at a level.
#[derive(Clone, Debug)]
struct Wanted {
    rows: Vec<String>,
    shift: u32,
    span: Span,
}

impl Sheets {
    /// Tells of rows at one level, wherever there is something.
    pub(super) fn coarse(
        &mut self,
        timeline: &Timeline,
        archive: &mut Archive,
        rows: &[String],
        share: f64,
    ) -> io::Result<bool> {
        let span = Span::whole(timeline);
        let shift = coarsest(span);
        for rows in sheets_of(rows) {
            let wanted = Wanted::of(rows, span, shift);
            if self.add(timeline, archive, &wanted, share)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells of rows in a stretch of time, finer and finer. Gives the widest bucket that anything is left in untold, in nanoseconds: 0 if
    /// all is told.
    pub(super) fn refine(
        &mut self,
        timeline: &Timeline,
        archive: &mut Archive,
        rows: &[String],
        span: Span,
        share: f64,
    ) -> io::Result<u64> {
        let shift = coarsest(Span::whole(timeline));
        let chunks = sheets_of(rows);
        // Two levels are asked for of each sheet, and this one was told of the whole trace.
        let first =
            chunks.filter_map(|rows| Wanted::of(rows, span, shift).finer(rows.to_vec(), span));
        let mut queue: VecDeque<Wanted> = first.collect();
        let mut step_ns = 0;
        while let Some(wanted) = queue.pop_front() {
            if let Some(halves) = wanted.halves_if_too_long() {
                queue.extend(halves);
                continue;
            }
            match self.add(timeline, archive, &wanted, share)? {
                Some(Added::All(rows)) => {
                    let rows = wanted.worth_refining(rows, span);
                    queue.extend(wanted.finer(rows, span));
                }
                // In the order of levels: what is next in the queue may be finer.
                Some(Added::TooLong(halves)) => {
                    halves.into_iter().rev().for_each(|it| queue.push_front(it))
                }
                None => step_ns = step_ns.max(1 << (wanted.shift + STEP)),
            }
        }
        Ok(step_ns)
    }

    fn add(
        &mut self,
        timeline: &Timeline,
        archive: &mut Archive,
        wanted: &Wanted,
        share: f64,
    ) -> io::Result<Option<Added>> {
        let grid = wanted.grid();
        let mut bytes = wire::begin(&Header {
            tracks: wanted.rows.len() as u32,
            grid,
            revision: 0,
        });
        let mut rows = Vec::new();
        let mut labels = Labels::default();
        for id in &wanted.rows {
            let row = RowId::parse(id);
            let runs = row.and_then(|row| runs::append(&mut bytes, timeline, row, grid));
            let runs = runs.ok_or_else(|| io::Error::other(format!("there is no track {id}")))?;
            if runs.len() > 0 {
                rows.push(id.clone());
            }
            labels.add(row, runs.intervals.iter().map(|drawn| drawn.cause));
            if bytes.len() > BYTES_MAX
                && let Some(halves) = wanted.halves()
            {
                return Ok(Some(Added::TooLong(halves)));
            }
        }
        differences::take(&mut bytes);
        let name = Question::new("sheet").with("number", self.lines.len());
        if !archive.add(name, &bytes, share)? {
            return Ok(None);
        }
        self.lines.push(wanted.line());
        self.labels.tasks.extend(labels.tasks);
        self.labels.causes.extend(labels.causes);
        Ok(Some(Added::All(rows)))
    }
}

/// What came of adding a sheet.
enum Added {
    /// It is there; these rows have more to tell.
    All(Vec<String>),
    /// It is to be added in parts.
    TooLong([Wanted; 2]),
}

/// The level at which a whole trace is a screen or two.
fn coarsest(whole: Span) -> u32 {
    (whole.ns() >> (TILE_SHIFT + 1)).max(1).ilog2()
}

impl Wanted {
    /// Rows at a level, in a stretch that has whole tiles.
    fn of(rows: &[String], span: Span, shift: u32) -> Self {
        Self {
            rows: rows.to_vec(),
            shift,
            span: span.outwards(1 << tile_shift(shift)),
        }
    }

    /// Those of its rows that are to be told of at the next level, in a stretch that is to be refined.
    fn worth_refining(&self, mut rows: Vec<String>, span: Span) -> Vec<String> {
        if span.ns() >> self.shift > BUCKETS_OF_MANY_MAX {
            rows.retain(|id| !is_of_many(id));
        }
        rows
    }

    /// The same stretch, or what of it is in `span`, at the next level; `None` where that would tell nothing more.
    fn finer(&self, rows: Vec<String>, span: Span) -> Option<Self> {
        if self.shift == 0 || rows.is_empty() {
            return None;
        }
        let shift = self.shift.saturating_sub(STEP);
        let span = span.outwards(1 << tile_shift(shift)).within(self.span)?;
        Some(Self { rows, shift, span })
    }

    fn grid(&self) -> Grid {
        Grid {
            shift: self.shift,
            first: self.span.from_ns >> self.shift,
            count: self.span.ns() >> self.shift,
        }
    }

    fn halves_if_too_long(&self) -> Option<[Self; 2]> {
        let is_too_long = self.grid().count > BUCKETS_MAX;
        is_too_long.then(|| self.halves()).flatten()
    }

    /// The same in two stretches; `None` where it is a single tile.
    fn halves(&self) -> Option<[Self; 2]> {
        let shift = tile_shift(self.shift);
        let tiles = self.span.ns() >> shift;
        if tiles < 2 {
            return None;
        }
        let middle_ns = self.span.from_ns + ((tiles / 2) << shift);
        let of = |from_ns, to_ns| Self {
            span: Span { from_ns, to_ns },
            ..self.clone()
        };
        Some([
            of(self.span.from_ns, middle_ns),
            of(middle_ns, self.span.to_ns),
        ])
    }

    fn line(&self) -> SheetLine {
        SheetLine {
            tracks: self.rows.clone(),
            shift: self.shift,
            from_ns: self.span.from_ns,
            to_ns: self.span.to_ns,
        }
    }
}

/// The rows of each sheet: a kind is not asked for with another.
fn sheets_of(rows: &[String]) -> impl Iterator<Item = &[String]> {
    let kinds = rows.chunk_by(|one, other| kind(one) == kind(other));
    kinds.flat_map(|rows| rows.chunks(ROWS_MAX))
}

fn kind(id: &str) -> &str {
    id.split_once(':').map_or("", |(kind, _)| kind)
}

/// Whether a row is that of a group.
fn is_of_many(id: &str) -> bool {
    matches!(
        RowId::parse(id),
        Some(RowId::Group(_) | RowId::UserGroup(_) | RowId::RegionGroup(_))
    )
}

/// How long a tile is, as a power of two, of the coarsest level that a sheet is used for.
fn tile_shift(shift: u32) -> u32 {
    shift + TILE_SHIFT + STEP - 1
}

impl Labels {
    fn add(&mut self, row: Option<RowId>, labels: impl Iterator<Item = u32>) {
        match row {
            Some(RowId::Task(_) | RowId::Regions(..)) => {
                self.causes.extend(labels.filter(|label| *label > 0))
            }
            Some(RowId::Worker(_) | RowId::Thread(_)) => self.tasks.extend(labels),
            _ => {}
        }
    }
}
