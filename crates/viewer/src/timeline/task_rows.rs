//! The rows of tasks: of millions that ran shortly, few bytes each.

use exectrace_reader::TaskId;

use crate::grid::Grid;
use crate::track::{self, Drawn, Intervals, PYRAMID_INTERVALS_MIN, Runs, Track};

/// Bytes of a piece of the arena.
const PIECE_BYTES: usize = 1 << 20;

/// The rows of tasks, by their lives.
#[derive(Debug, Default)]
pub(crate) struct TaskRows {
    rows: Vec<TaskRow>,
    arena: Arena,
}

/// A task's row.
#[derive(Debug)]
pub(crate) struct TaskRow {
    pub(crate) id: TaskId,
    /// The place of its group, which says what it runs; `None` until that is told.
    pub(crate) group: Option<u32>,
    /// Its place among the members of that.
    pub(super) member: u32,
    /// Its creation is in the trace.
    pub(crate) is_created: bool,
    /// Its end is.
    pub(crate) has_ended: bool,
    /// When its last interval ends, as far as it is told.
    pub(crate) end_ns: u64,
    place: Place,
}

/// Where a task's intervals are.
#[derive(Debug)]
enum Place {
    /// None were told.
    Nowhere,
    /// The task lives, or has long levels of detail.
    Own(Box<Track>),
    /// It has ended.
    Sealed { stretch: Stretch, count: u32 },
}

/// Bytes that never grow.
#[derive(Debug, Default)]
struct Arena {
    pieces: Vec<Vec<u8>>,
}

/// Some of them.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    piece: u32,
    begin: u32,
    length: u32,
}

impl TaskRows {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn get(&self, life: u32) -> Option<&TaskRow> {
        self.rows.get(life as usize)
    }

    /// It is told what a life runs; `member` is its place among those that run the same.
    pub(super) fn set_group(&mut self, life: u32, group: u32, member: u32) {
        if let Some(row) = self.rows.get_mut(life as usize) {
            row.group = Some(group);
            row.member = member;
        }
    }

    pub(super) fn add(&mut self, id: TaskId, group: Option<u32>, is_created: bool) {
        self.rows.push(TaskRow {
            id,
            group,
            member: 0,
            is_created,
            has_ended: false,
            end_ns: 0,
            place: Place::Nowhere,
        });
    }

    /// Appends an interval to a life's row, and gives it as it is then.
    pub(super) fn push(&mut self, life: u32, drawn: Drawn) -> Option<Drawn> {
        let row = self.rows.get_mut(life as usize)?;
        if let Place::Nowhere = row.place {
            row.place = Place::Own(Box::default());
        }
        match &mut row.place {
            Place::Own(track) => {
                let drawn = track.push(drawn);
                row.end_ns = drawn.end_ns;
                Some(drawn)
            }
            Place::Nowhere | Place::Sealed { .. } => None,
        }
    }

    /// A life has ended: nothing comes after what its row has.
    pub(super) fn seal(&mut self, life: u32) {
        let Some(row) = self.rows.get_mut(life as usize) else {
            return;
        };
        row.has_ended = true;
        let Place::Own(track) = &mut row.place else {
            return;
        };
        let intervals = track.intervals();
        if intervals.len() >= PYRAMID_INTERVALS_MIN {
            track.finish();
            return;
        }
        row.place = Place::Sealed {
            count: intervals.len(),
            stretch: self.arena.keep(intervals.bytes()),
        };
    }

    /// The intervals of a life.
    pub(crate) fn intervals(&self, life: u32) -> Intervals<'_> {
        match self.get(life).map(|row| &row.place) {
            Some(Place::Own(track)) => track.intervals(),
            Some(Place::Sealed { stretch, count }) => {
                Intervals::of_bytes(self.arena.bytes(*stretch), *count)
            }
            Some(Place::Nowhere) | None => Intervals::default(),
        }
    }

    /// What a screen can show of a life.
    pub(crate) fn runs(&self, life: u32, grid: Grid) -> Runs {
        match self.get(life).map(|row| &row.place) {
            Some(Place::Own(track)) => track.runs(grid),
            _ => track::runs(self.intervals(life), grid),
        }
    }
}

impl Arena {
    fn keep(&mut self, bytes: &[u8]) -> Stretch {
        let has_room = self
            .pieces
            .last()
            .is_some_and(|piece| piece.len() + bytes.len() <= PIECE_BYTES);
        if !has_room {
            self.pieces
                .push(Vec::with_capacity(PIECE_BYTES.max(bytes.len())));
        }
        let place = self.pieces.len() - 1;
        let piece = &mut self.pieces[place];
        let begin = piece.len();
        piece.extend(bytes);
        Stretch {
            piece: place as u32,
            begin: begin as u32,
            length: bytes.len() as u32,
        }
    }

    fn bytes(&self, stretch: Stretch) -> &[u8] {
        let begin = stretch.begin as usize;
        &self.pieces[stretch.piece as usize][begin..begin + stretch.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::Shade;

    const GRID: Grid = Grid {
        shift: 12,
        first: 0,
        count: 25,
    };

    #[test]
    fn a_row_is_the_same_after_its_task_has_ended() {
        let mut rows = TaskRows::default();
        for life in 0..100 {
            rows.add(TaskId(u64::from(life) + 1), Some(0), true);
            let count = if life == 50 { 3_000 } else { life * 7 % 90 + 1 };
            for number in 0..u64::from(count) {
                let begin_ns = number * 1000 + u64::from(life);
                rows.push(
                    life,
                    Drawn {
                        index: 0,
                        begin_ns,
                        end_ns: begin_ns + number % 900,
                        shade: Shade::Waiting,
                        cause: life,
                        other: 0,
                    },
                );
            }
            let before: Vec<_> = rows.intervals(life).iter().collect();
            let runs = rows.runs(life, GRID);
            rows.seal(life);
            assert!(rows.intervals(life).iter().eq(before));
            assert_eq!(rows.runs(life, GRID), runs);
            assert_eq!(
                rows.push(
                    life,
                    Drawn {
                        index: 0,
                        begin_ns: 0,
                        end_ns: 1,
                        shade: Shade::Open,
                        cause: 0,
                        other: 0
                    }
                )
                .is_none(),
                life != 50
            );
        }
        assert_eq!(rows.intervals(100).len(), 0);
    }
}
