//! Where a thread's events stand.

use exectrace_format::ThreadId;
use exectrace_format::go_v2::ShortEvent;

use super::ahead::Ahead;
use super::decoder::Decoder;
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
    rows: Rows<'a>,
}

/// Where further rows come from.
#[derive(Debug)]
enum Rows<'a> {
    /// They are decoded when they are needed.
    Here { decoder: Decoder<'a>, length: usize },
    /// A second thread decodes them ahead.
    Ahead(Ahead<'a>),
}

/// So many events of a thread are decoded at once when it has many.
const ROW_MAX: usize = 64;

impl<'a> Cursor<'a> {
    /// Before the first event of a thread.
    pub(super) fn new(thread: ThreadId, place: Option<usize>, decoder: Decoder<'a>) -> Self {
        Self::of(thread, place, Rows::Here { decoder, length: 1 })
    }

    /// The same where a second thread decodes.
    pub(super) fn ahead(thread: ThreadId, place: Option<usize>, ahead: Ahead<'a>) -> Self {
        Self::of(thread, place, Rows::Ahead(ahead))
    }

    fn of(thread: ThreadId, place: Option<usize>, rows: Rows<'a>) -> Self {
        Self {
            thread,
            place,
            row: Row::default(),
            at: 0,
            point: Point::default(),
            rest: (0, 0),
            rows,
        }
    }

    /// The event to come.
    #[inline]
    pub(super) fn next(&self) -> Upcoming {
        self.row.at(self.at, self.point)
    }

    /// When it is.
    #[inline(always)]
    pub(super) fn time_ns(&self) -> i64 {
        self.row.time_ns(self.at, self.point)
    }

    /// That and those after it that are decoded, and the point before them.
    #[inline(always)]
    pub(super) fn upcoming(&self) -> (&[ShortEvent], Point) {
        (&self.row.events[self.at..self.row.len], self.point)
    }

    /// So many of those have happened, up to a point. False at the end.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: usize, point: Point) -> Result<bool, Box<Error>> {
        self.at += count;
        self.point = point;
        if self.at < self.row.len {
            return Ok(true);
        }
        self.refill()
    }

    /// Moves to the next event. False at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<bool, Box<Error>> {
        if self.at >= self.row.len {
            return self.refill();
        }
        let point = self.row.behind(self.at, self.point);
        self.skip(1, point)
    }

    /// The event to come contradicts the trace.
    #[cold]
    pub(super) fn error(&self, cause: Cause) -> Error {
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
    fn refill(&mut self) -> Result<bool, Box<Error>> {
        if self.row.fault.is_none() {
            match &mut self.rows {
                Rows::Here { decoder, length } => {
                    decoder.fill(&mut self.row, *length);
                    *length = (2 * *length).min(ROW_MAX);
                }
                Rows::Ahead(ahead) => ahead.next(&mut self.row),
            }
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
