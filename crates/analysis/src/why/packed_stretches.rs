//! States of tasks in a dozen bytes each, in the order in which they ended.
//!
//! ```text
//! record = state                      a byte, whose highest bit says that the end is not seen
//!          duration  back             varints; `back` is the distance to the task's record before, 0 for none
//!          reason  stack              varints
//!          waker  waker_stack         varints, only of who was blocked
//! ```
//!
//! From a record one goes back to all that the same task did before. To begin near the time that is asked for, each task's every
//! 64th record has a [`Mark`].

use exectrace_reader::{StackId, State, StringId, TaskId, Timestamp};

/// How many records of a task have one mark.
const MARKED: u32 = 64;

/// The records of all tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedStretches {
    /// Of [`PIECE`] bytes each, so that none of it is ever copied.
    pieces: Vec<Vec<u8>>,
    /// Of the tasks that have so many records.
    marks: Vec<Vec<Mark>>,
}

/// How many bytes are allocated together.
const PIECE: usize = 1 << 20;

/// More than the longest record has: a byte, and six numbers.
const RECORD_MAX: usize = 64;

/// What is known of one task's records.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// When the first one begins.
    pub(super) begin: Timestamp,
    /// When the last one ends, and where it is.
    last: Mark,
    len: u32,
    /// The place of its marks, from 1 on; 0 for none.
    marks: u32,
}

/// A record, and when it ends.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    end: Timestamp,
    place: usize,
}

/// A state of a task, which begins where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) state: State,
    pub(super) is_open_right: bool,
    pub(super) begin: Timestamp,
    pub(super) end: Timestamp,
    pub(super) reason: StringId,
    pub(super) stack: StackId,
    /// Who wrote the event that ended it. This and what follows is kept of who was blocked, and 0 for others.
    pub(super) waker: TaskId,
    pub(super) waker_stack: StackId,
}

const STATES: [State; 7] = [
    State::Undetermined,
    State::NotExist,
    State::Runnable,
    State::Running,
    State::Waiting,
    State::Syscall,
    State::Idle,
];

/// Set in a record's first byte if its end is not seen.
const OPEN: u8 = 0x80;

fn is_blocked(state: State) -> bool {
    matches!(state, State::Waiting | State::Idle)
}

impl Row {
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl PackedStretches {
    /// Adds what a task did next.
    pub(super) fn add(&mut self, row: &mut Row, stretch: &Stretch) {
        let place = self.next_place();
        if row.is_empty() {
            row.begin = stretch.begin;
            row.last.end = stretch.begin;
        }
        let back = match row.len {
            0 => 0,
            _ => place - row.last.place,
        };
        let state = STATES.iter().position(|state| *state == stretch.state);
        let open = if stretch.is_open_right { OPEN } else { 0 };
        let bytes = self.pieces.last_mut().expect("has room");
        bytes.push(state.unwrap_or(0) as u8 | open);
        // Made-up times can be farther apart than an `i64` holds, but not than a `u64`.
        let end = stretch.end.max(row.last.end);
        push(bytes, end.0.wrapping_sub(row.last.end.0) as u64);
        push(bytes, back as u64);
        push(bytes, stretch.reason.0);
        push(bytes, stretch.stack.0);
        if is_blocked(stretch.state) {
            push(bytes, stretch.waker.0);
            push(bytes, stretch.waker_stack.0);
        }
        row.last = Mark { end, place };
        row.len += 1;
        if row.len.is_multiple_of(MARKED) {
            if row.marks == 0 {
                self.marks.push(Vec::new());
                row.marks = self.marks.len() as u32;
            }
            self.marks[row.marks as usize - 1].push(row.last);
        }
    }

    /// What a task did from a moment to another, the last first, as a whole where it reaches beyond.
    pub(super) fn back_from(
        &self,
        row: &Row,
        from: Timestamp,
        to: Timestamp,
    ) -> impl Iterator<Item = Stretch> {
        let marks = (row.marks as usize).checked_sub(1);
        let marks = marks.map_or(&[][..], |place| &self.marks[place]);
        let mark = marks.get(marks.partition_point(|mark| mark.end < to));
        let mut next = (row.len > 0).then_some(*mark.unwrap_or(&row.last));
        let all = std::iter::from_fn(move || {
            let (stretch, before) = self.read(next?);
            next = before;
            Some(stretch)
        });
        all.skip_while(move |stretch| stretch.begin >= to)
            .take_while(move |stretch| stretch.end > from)
    }

    /// A record, and the one before it.
    fn read(&self, mark: Mark) -> (Stretch, Option<Mark>) {
        let record = &self.pieces[mark.place / PIECE][mark.place % PIECE..];
        let (first, mut rest) = (record[0], &record[1..]);
        let state = STATES[usize::from(first & !OPEN)];
        let (duration_ns, back) = (take(&mut rest), take(&mut rest) as usize);
        let (reason, stack) = (StringId(take(&mut rest)), StackId(take(&mut rest)));
        let mut of_blocked = || {
            if is_blocked(state) {
                take(&mut rest)
            } else {
                0
            }
        };
        let stretch = Stretch {
            state,
            is_open_right: first & OPEN != 0,
            begin: Timestamp(mark.end.0.wrapping_sub(duration_ns as i64)),
            end: mark.end,
            reason,
            stack,
            waker: TaskId(of_blocked()),
            waker_stack: StackId(of_blocked()),
        };
        let before = (back > 0).then(|| Mark {
            end: stretch.begin,
            place: mark.place - back,
        });
        (stretch, before)
    }

    /// Where the next record goes.
    fn next_place(&mut self) -> usize {
        let has_room = |piece: &Vec<u8>| piece.len() + RECORD_MAX <= PIECE;
        if !self.pieces.last().is_some_and(has_room) {
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        let last = self.pieces.len() - 1;
        last * PIECE + self.pieces[last].len()
    }
}

/// Adds a number: seven bits a byte, the lowest first, the highest bit says that there are more.
fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number that was pushed.
fn take(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stretch() -> impl Strategy<Value = (usize, i64, u64, bool)> {
        (0..STATES.len(), 0..300_i64, any::<u64>(), any::<bool>())
    }

    #[test]
    fn times_may_lie_as_far_apart_as_can_be() {
        let stretch = Stretch {
            state: State::Running,
            is_open_right: true,
            begin: Timestamp(i64::MIN),
            end: Timestamp(i64::MAX),
            reason: StringId(0),
            stack: StackId(0),
            waker: TaskId(0),
            waker_stack: StackId(0),
        };
        let (mut packed, mut row) = (PackedStretches::default(), Row::default());
        packed.add(&mut row, &stretch);
        let found: Vec<Stretch> = packed
            .back_from(&row, Timestamp(-1), Timestamp(1))
            .collect();
        assert_eq!(found, [stretch]);
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_by_time(
            added in prop::collection::vec((0..2_usize, stretch()), 0..600),
            from in 0..40_000_i64,
            ns in 0..20_000_i64,
        ) {
            let mut packed = PackedStretches::default();
            let mut rows = [Row::default(), Row::default()];
            let mut ends = [Timestamp(7), Timestamp(700)];
            let mut expect = [Vec::new(), Vec::new()];
            for (whose, (state, ns, id, is_open_right)) in added {
                let is_blocked = is_blocked(STATES[state]);
                let of_blocked = |id| if is_blocked { id } else { 0 };
                let stretch = Stretch {
                    state: STATES[state],
                    is_open_right,
                    begin: ends[whose],
                    end: Timestamp(ends[whose].0 + ns),
                    reason: StringId(id >> 5),
                    stack: StackId(id),
                    waker: TaskId(of_blocked(id >> 9)),
                    waker_stack: StackId(of_blocked(id >> 40)),
                };
                ends[whose] = stretch.end;
                packed.add(&mut rows[whose], &stretch);
                expect[whose].push(stretch);
            }
            let (from, to) = (Timestamp(from), Timestamp(from + ns));
            for (row, mut expect) in rows.iter().zip(expect) {
                expect.retain(|it| it.begin < to && it.end > from);
                expect.reverse();
                let found: Vec<Stretch> = packed.back_from(row, from, to).collect();
                prop_assert_eq!(found, expect);
            }
        }
    }
}
