//! Where a thread's events stand.

use exectrace_format::ThreadId;

use super::decoder::Decoder;
use super::plain::{InBatch, InRow};
use super::row::{Point, Row, Upcoming};
use super::task_rules;
use crate::{Cause, Error};

/// One thread's events of a generation.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) thread: ThreadId,
    /// The thread's place in the order; `None` for events that were written without a thread.
    pub(super) place: Option<usize>,
    /// Events that are decoded: those from `at` on are to come.
    row: Row,
    at: usize,
    /// Before the event at `at`.
    point: Point,
    /// After a fault: how many bytes of its batch are left, and the time of the last event before it.
    rest: (u64, i64),
    /// The time of the event to come, if it is not decoded, but known to be the decoder's next one.
    near_ns: Option<i64>,
    /// Those behind the row, …
    decoder: Decoder<'a>,
    /// … of which so many come into the next one.
    length: usize,
}

/// So many events of a thread are decoded at once, when few happen between those of other threads.
const ROW_MAX: usize = 64;
/// After so many that happened from the batch's bytes the next ones are expected to do so, too: then rows are short.
const RUN_MIN: usize = 8;

impl<'a> Cursor<'a> {
    /// Before the first event of a thread.
    pub(super) fn new(thread: ThreadId, place: Option<usize>, decoder: Decoder<'a>) -> Self {
        Self {
            thread,
            place,
            row: Row::default(),
            at: 0,
            point: Point::default(),
            rest: (0, 0),
            near_ns: None,
            decoder,
            length: 1,
        }
    }

    /// The event to come.
    #[inline]
    pub(super) fn next(&mut self) -> Upcoming {
        self.decode();
        self.row.at(self.at, self.point)
    }

    /// When it is.
    #[inline(always)]
    pub(super) fn time_ns(&self) -> i64 {
        match self.near_ns {
            Some(time_ns) => time_ns,
            None => self.row.time_ns(self.at, self.point),
        }
    }

    /// The same, if the event is not decoded.
    #[inline(always)]
    pub(super) fn near_ns(&self) -> Option<i64> {
        self.near_ns
    }

    /// Whether no event to come is decoded: then [`Self::refill`] must see to it before anything else is asked, unless its time is
    /// known.
    #[inline(always)]
    pub(super) fn is_at_end_of_row(&self) -> bool {
        self.at >= self.row.len
    }

    /// The events that are decoded.
    #[inline(always)]
    pub(super) fn in_row(&self) -> InRow<'_> {
        InRow {
            events: &self.row.events[self.at..self.row.len],
            point: self.point,
        }
    }

    /// So many of those have happened, up to a point.
    #[inline(always)]
    pub(super) fn pass(&mut self, count: usize, point: Point) {
        self.at += count;
        self.point = point;
    }

    /// The one to come has happened.
    #[inline]
    pub(super) fn pass_one(&mut self) {
        let point = self.row.behind(self.at, self.point);
        self.pass(1, point);
    }

    /// Those that follow a row that is at its end and are not decoded, unless a fault comes first.
    #[inline(always)]
    pub(super) fn in_batch(&self) -> Option<InBatch<'a>> {
        match self.row.fault {
            None => self.decoder.in_batch(),
            Some(_) => None,
        }
    }

    /// So many of those have happened, and these are left. The first of them comes at `near_ns`, if that is known.
    #[inline(always)]
    pub(super) fn go_on(&mut self, count: usize, left: InBatch<'a>, near_ns: Option<i64>) {
        self.decoder.go_on(left);
        self.near_ns = near_ns;
        if count >= RUN_MIN {
            self.length = 1;
        }
    }

    /// Decodes the event to come, if only its time is known.
    #[inline]
    fn decode(&mut self) {
        if self.near_ns.is_some() {
            let decoded = self.refill();
            debug_assert!(matches!(decoded, Ok(true)), "{decoded:?}");
        }
    }

    /// Moves to the next event. False at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, Box<Error>> {
        self.decode();
        if !self.is_at_end_of_row() {
            self.pass_one();
        }
        if self.is_at_end_of_row() {
            return self.refill();
        }
        Ok(true)
    }

    /// The event to come contradicts the trace.
    #[cold]
    pub(super) fn error(&mut self, cause: Cause) -> Error {
        let next = self.next();
        Error {
            cause,
            offset: next.offset,
            generation: None,
            thread: Some(self.thread),
            task: task_rules::subject(next.event_type, &next.args),
        }
    }

    /// After a fault: how many bytes of its batch are left, and the time of the last event before it.
    pub(super) fn rest(&self) -> (u64, i64) {
        self.rest
    }

    /// Gets the next row. False if there is none.
    #[inline(never)]
    pub(super) fn refill(&mut self) -> Result<bool, Box<Error>> {
        self.near_ns = None;
        if self.row.fault.is_none() {
            self.decoder.fill(&mut self.row, self.length);
            self.length = (2 * self.length).min(ROW_MAX);
            (self.at, self.point) = (0, self.row.begin);
            if self.row.len > 0 {
                return Ok(true);
            }
        }
        let Some(fault) = self.row.fault.take() else {
            return Ok(false);
        };
        self.rest = (fault.rest_bytes, fault.time_ns);
        Err(Box::new(fault.error))
    }
}
