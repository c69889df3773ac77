//! User regions as rows: a row a task and depth, the outermost first.
//!
//! How deep a region lies is told when it begins. One that ends and has no begin began before the trace, around all that its task
//! has had since: it gets a row of its own above those.

use std::collections::HashMap;

use exectrace_reader::{StackId, StringId, UserTaskId};
use rustc_hash::FxBuildHasher;

use super::place::{Arena, Place};
use crate::grid::Grid;
use crate::track::{Drawn, Intervals, Runs, Shade};

/// The user regions of a trace.
#[derive(Debug, Default)]
pub(crate) struct UserRegions {
    rows: Vec<RegionRow>,
    arena: Arena,
    /// Of a life, the row that was made last.
    last: HashMap<u32, u32, FxBuildHasher>,
    /// What lives that have not ended have open.
    nests: HashMap<u32, Nest, FxBuildHasher>,
}

/// The regions that a life has had at a depth.
#[derive(Debug)]
struct RegionRow {
    /// Below zero for what began before the trace; the innermost of these has -1.
    depth: i32,
    /// The row of the life that was made before it.
    before: Option<u32>,
    place: Place,
}

/// What a life has open.
#[derive(Debug, Default)]
struct Nest {
    open: Vec<Region>,
    /// The region that ended last, if none has begun since.
    ended: Option<Identity>,
    /// How many began before the trace and have ended.
    outside: i32,
}

/// By what the end of a region tells which it ends.
type Identity = (UserTaskId, StringId);

/// A region, as far as its begin tells of it.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) identity: Identity,
    /// Where it began.
    pub(super) stack: StackId,
    /// Its begin or its end is not in the trace.
    pub(super) is_cut: bool,
    depth: i32,
    begin_ns: u64,
}

/// What an interval of such a row tells beside its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionNote {
    /// The place of its user task.
    pub(crate) user_task: Option<u32>,
    /// Its begin or its end is not in the trace.
    pub(crate) is_cut: bool,
}

impl RegionNote {
    fn pack(self) -> u32 {
        let place = self.user_task.map_or(0, |place| place + 1);
        (place << 1) | u32::from(self.is_cut)
    }

    /// That of an interval.
    pub(crate) fn of(drawn: &Drawn) -> Self {
        Self {
            user_task: (drawn.other >> 1).checked_sub(1),
            is_cut: drawn.other & 1 != 0,
        }
    }
}

impl UserRegions {
    /// A region of a life begins.
    pub(super) fn begin(&mut self, life: u32, identity: Identity, stack: StackId, at_ns: u64) {
        let nest = self.nests.entry(life).or_default();
        nest.ended = None;
        nest.open.push(Region {
            identity,
            stack,
            is_cut: false,
            depth: nest.open.last().map_or(0, |outer| outer.depth + 1),
            begin_ns: at_ns,
        });
    }

    /// A region of a life ends, and is given back. One that is not open ends nothing, if another is or the same has just ended.
    pub(super) fn end(&mut self, life: u32, identity: Identity) -> Option<Region> {
        let nest = self.nests.entry(life).or_default();
        let found = nest.open.iter().rposition(|it| it.identity == identity);
        let region = match found {
            Some(place) => nest.open.remove(place),
            None if nest.open.is_empty() && nest.ended != Some(identity) => {
                nest.outside += 1;
                Region {
                    identity,
                    stack: StackId(0),
                    is_cut: true,
                    depth: -nest.outside,
                    begin_ns: 0,
                }
            }
            None => return None,
        };
        nest.ended = Some(identity);
        Some(region)
    }

    /// Adds a region that has ended to its row, and gives it as it is then; `None` where nothing was to come.
    pub(super) fn add(
        &mut self,
        life: u32,
        region: &Region,
        (end_ns, cause, note): (u64, u32, RegionNote),
    ) -> Option<Drawn> {
        let row = self.row(life, region.depth);
        self.rows[row].place.push(Drawn {
            index: 0,
            begin_ns: region.begin_ns,
            end_ns,
            shade: Shade::Open,
            cause,
            other: note.pack(),
        })
    }

    /// A life ends, and gives back what it has open.
    pub(super) fn leave(&mut self, life: u32) -> Vec<Region> {
        let mut open = self.nests.remove(&life).unwrap_or_default().open;
        open.iter_mut().for_each(|region| region.is_cut = true);
        open
    }

    /// Nothing more comes of a life.
    pub(super) fn seal(&mut self, life: u32) {
        for row in Vec::from_iter(self.made(life)) {
            self.rows[row as usize].place.seal(&mut self.arena);
        }
    }

    /// The lives that have had regions and have not ended.
    pub(super) fn unsealed(&self) -> Vec<u32> {
        let mut lives: Vec<u32> = self.nests.keys().copied().collect();
        lives.sort_unstable();
        lives
    }

    /// The row of a depth.
    fn row(&mut self, life: u32, depth: i32) -> usize {
        let known = self
            .made(life)
            .find(|row| self.rows[*row as usize].depth == depth);
        if let Some(row) = known {
            return row as usize;
        }
        let next = self.rows.len();
        let before = self.last.insert(life, next as u32);
        self.rows.push(RegionRow {
            depth,
            before,
            place: Place::default(),
        });
        next
    }

    /// The rows of a life, the one that was made last first.
    fn made(&self, life: u32) -> impl Iterator<Item = u32> {
        let mut next = self.last.get(&life).copied();
        std::iter::from_fn(move || {
            let row = next?;
            next = self.rows[row as usize].before;
            Some(row)
        })
    }

    /// The lives that have any.
    pub(crate) fn lives(&self) -> impl Iterator<Item = u32> {
        self.last.keys().copied()
    }

    /// How many rows a life has.
    pub(crate) fn depth(&self, life: u32) -> usize {
        self.made(life).count()
    }

    /// The row of a life that has so many above it.
    fn at(&self, life: u32, above: u32) -> Option<&RegionRow> {
        self.in_order(life).get(above as usize).copied()
    }

    /// The rows of a life, the outermost first.
    fn in_order(&self, life: u32) -> Vec<&RegionRow> {
        let rows = self.made(life).map(|row| &self.rows[row as usize]);
        let mut rows: Vec<&RegionRow> = rows.collect();
        rows.sort_by_key(|row| row.depth);
        rows
    }

    /// The regions of a life in each of its rows, the outermost first.
    pub(crate) fn rows(&self, life: u32) -> impl Iterator<Item = Intervals<'_>> {
        let rows = self.in_order(life).into_iter();
        rows.map(|row| row.place.intervals(&self.arena))
    }

    /// The regions of a life in its row that has so many above it.
    pub(crate) fn intervals(&self, life: u32, above: u32) -> Option<Intervals<'_>> {
        Some(self.at(life, above)?.place.intervals(&self.arena))
    }

    /// What a screen can show of them.
    pub(crate) fn runs(&self, life: u32, above: u32, grid: Grid) -> Option<Runs> {
        Some(self.at(life, above)?.place.runs(&self.arena, grid))
    }

    /// The regions of a life, in all of its rows, that a stretch of time has something of.
    pub(crate) fn overlapping(
        &self,
        life: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> impl Iterator<Item = Drawn> {
        let rows = self.made(life).map(|row| &self.rows[row as usize].place);
        rows.flat_map(move |place| place.intervals(&self.arena).overlapping(from_ns, to_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: RegionNote = RegionNote {
        user_task: None,
        is_cut: false,
    };

    /// Begins and ends of the regions of a life, by their names, at 10, 20, and so on; what each row has then.
    fn rows(steps: &[(bool, u64)]) -> Vec<Vec<(u64, u64)>> {
        let mut regions = UserRegions::default();
        let mut at_ns = 0;
        for (begins, name) in steps {
            at_ns += 10;
            let identity = (UserTaskId(0), StringId(*name));
            if *begins {
                regions.begin(7, identity, StackId(0), at_ns);
            } else if let Some(region) = regions.end(7, identity) {
                regions.add(7, &region, (at_ns, 0, NOTE));
            }
        }
        for region in regions.leave(7) {
            regions.add(7, &region, (at_ns + 10, 0, NOTE));
        }
        regions.seal(7);
        let rows = (0..regions.depth(7) as u32).map(|above| {
            let intervals = regions.intervals(7, above).expect("is a row");
            intervals
                .iter()
                .map(|it| (it.begin_ns, it.end_ns))
                .collect()
        });
        rows.collect()
    }

    #[test]
    fn regions_lie_below_those_that_they_are_in() {
        let (begin, end) = (true, false);
        let steps = [
            (begin, 1),
            (begin, 2),
            (end, 2),
            (begin, 2),
            (end, 2),
            (end, 1),
            (begin, 3),
        ];
        assert_eq!(
            rows(&steps),
            [vec![(10, 60), (70, 80)], vec![(20, 30), (40, 50)]]
        );
    }

    #[test]
    fn what_began_before_the_trace_is_around_what_came_since() {
        let (begin, end) = (true, false);
        let steps = [(begin, 1), (end, 1), (end, 2), (end, 3), (begin, 1)];
        let expected = [vec![(0, 40)], vec![(0, 30)], vec![(10, 20), (50, 60)]];
        assert_eq!(rows(&steps), expected);
    }

    #[test]
    fn an_end_that_ends_nothing_draws_nothing() {
        let (begin, end) = (true, false);
        assert_eq!(rows(&[(begin, 1), (end, 1), (end, 1)]), [[(10, 20)]]);
        assert_eq!(rows(&[(begin, 1), (end, 2)]), [[(10, 30)]]);
    }

    #[test]
    fn an_outer_region_may_end_first() {
        let (begin, end) = (true, false);
        let steps = [
            (begin, 1),
            (begin, 2),
            (end, 1),
            (begin, 1),
            (end, 1),
            (end, 2),
        ];
        assert_eq!(
            rows(&steps),
            [vec![(10, 30)], vec![(20, 60)], vec![(40, 50)]]
        );
    }

    #[test]
    fn a_note_comes_back_from_an_interval() {
        for user_task in [None, Some(0), Some(5)] {
            for is_cut in [false, true] {
                let note = RegionNote { user_task, is_cut };
                let drawn = Drawn {
                    index: 0,
                    begin_ns: 1,
                    end_ns: 2,
                    shade: Shade::Open,
                    cause: 0,
                    other: note.pack(),
                };
                assert_eq!(RegionNote::of(&drawn), note);
            }
        }
    }
}
