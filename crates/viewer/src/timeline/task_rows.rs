//! The rows of tasks: of millions that ran shortly, few bytes each.

use exectrace_reader::TaskId;

use super::place::{Arena, Place};
use crate::grid::Grid;
use crate::track::{Drawn, Intervals, Runs};

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
    /// When its last interval ends, as far as it is told.
    pub(crate) end_ns: u64,
    place: Place,
    /// The place of its group, or [`NO_GROUP`].
    group: u32,
    /// Its place among the members of that, with [`CREATED`] and [`ENDED`].
    member: u32,
}

// There are millions of them.
const _: () = assert!(size_of::<TaskRow>() == 40);

/// The group of a task of which it is not told what it runs.
const NO_GROUP: u32 = u32::MAX;

/// Bits beside a place among members: the task's creation is in the trace, and its end is.
const CREATED: u32 = 1 << 31;
const ENDED: u32 = 1 << 30;

impl TaskRow {
    /// The place of its group, which says what it runs; `None` until that is told.
    pub(crate) fn group(&self) -> Option<u32> {
        (self.group != NO_GROUP).then_some(self.group)
    }

    /// Its place among the members of its group.
    pub(super) fn member(&self) -> u32 {
        self.member & !(CREATED | ENDED)
    }

    /// Its creation is in the trace.
    pub(crate) fn is_created(&self) -> bool {
        self.member & CREATED != 0
    }

    /// Its end is.
    pub(crate) fn has_ended(&self) -> bool {
        self.member & ENDED != 0
    }
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
            row.group = group;
            row.member = member | (row.member & (CREATED | ENDED));
        }
    }

    pub(super) fn add(&mut self, id: TaskId, is_created: bool) {
        self.rows.push(TaskRow {
            id,
            end_ns: 0,
            place: Place::Nowhere,
            group: NO_GROUP,
            member: if is_created { CREATED } else { 0 },
        });
    }

    /// A life was there before the trace, whatever seemed.
    pub(super) fn set_older(&mut self, life: u32) {
        if let Some(row) = self.rows.get_mut(life as usize) {
            row.member &= !CREATED;
        }
    }

    /// Appends an interval to a life's row, and gives it as it is then.
    pub(super) fn push(&mut self, life: u32, drawn: Drawn) -> Option<Drawn> {
        let row = self.rows.get_mut(life as usize)?;
        let drawn = row.place.push(drawn)?;
        row.end_ns = drawn.end_ns;
        Some(drawn)
    }

    /// A life has ended: nothing comes after what its row has.
    pub(super) fn seal(&mut self, life: u32) {
        let Some(row) = self.rows.get_mut(life as usize) else {
            return;
        };
        row.member |= ENDED;
        row.place.seal(&mut self.arena);
    }

    /// The intervals of a life.
    pub(crate) fn intervals(&self, life: u32) -> Intervals<'_> {
        let row = self.get(life);
        row.map(|row| row.place.intervals(&self.arena))
            .unwrap_or_default()
    }

    /// Those of a life's intervals that a stretch of time has something of.
    pub(crate) fn overlapping(
        &self,
        life: u32,
        from_ns: u64,
        to_ns: u64,
    ) -> impl Iterator<Item = Drawn> {
        // Most lives near a stretch of time are over, which is told sooner than their intervals are decoded.
        let row = self.get(life).filter(|row| row.end_ns >= from_ns);
        let intervals = row.map(|row| row.place.intervals(&self.arena));
        intervals.unwrap_or_default().overlapping(from_ns, to_ns)
    }

    /// What a screen can show of a life.
    pub(crate) fn runs(&self, life: u32, grid: Grid) -> Runs {
        match self.get(life) {
            Some(row) => row.place.runs(&self.arena, grid),
            None => Runs::new(grid),
        }
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
            rows.add(TaskId(u64::from(life) + 1), true);
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
