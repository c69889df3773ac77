//! One worker's events, decoded as they are needed.

use exectrace_format::go_v1::{EventType, Records};
use exectrace_format::{Version, limits};

use super::index::{Stretch, Worker};
use super::order::InBatch;
use super::rules::{Effect, Who, rule};

/// An event of format v1 with what the records around it say: when, where, and whose.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEvent<'a> {
    pub(super) event_type: EventType,
    pub(super) ticks: i64,
    /// Version 1.5: its place among all events.
    pub(super) sequence: i64,
    pub(super) offset: u64,
    pub(super) worker: i64,
    /// The worker's place among those of the file.
    pub(super) place: usize,
    /// The task that the event belongs to, as Go's reader sees it; 0 for none.
    pub(super) owner: u64,
    /// The task that ran on the worker before.
    pub(super) before: u64,
    pub(super) args: [u64; limits::V1_ARGS_MAX],
    pub(super) message: &'a [u8],
}

/// What the record of an event says by itself. A line of the processor's cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoded {
    pub(super) ticks: i64,
    pub(super) offset: u64,
    pub(super) args: [u64; limits::V1_ARGS_MAX],
    /// Version 1.5: its place among all events.
    pub(super) sequence: i64,
    pub(super) event_type: EventType,
}

/// So many events of a worker are decoded at once, when few happen between those of others: one by one it takes longer.
const ROW_MAX: usize = 32;
/// After so many that happened from the bytes the next ones are expected to do so, too: then rows are short.
const RUN_MIN: usize = 8;

/// One worker's events.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// Events that are decoded: those from `at` to `end` are to come.
    row: Vec<Decoded>,
    at: usize,
    end: usize,
    /// The task that runs on the worker before the next event, in the order of the file.
    pub(super) task: u64,
    /// Where that task's word is, if somebody has looked.
    pub(super) task_slot: Option<usize>,
    /// The worker's place among those of the file, and its number.
    pub(super) place: usize,
    pub(super) worker: i64,
    file: &'a [u8],
    version: Version,
    /// So many events come into the next row.
    length: usize,
    stretches: std::vec::IntoIter<Stretch>,
    records: Records<'a>,
    /// The time and, in version 1.5, the sequence number of the last record that is decoded.
    ticks: i64,
    sequence: i64,
}

impl<'a> Cursor<'a> {
    /// At the worker's first event; `None` if it has none.
    pub(super) fn open(
        worker: Worker,
        place: usize,
        file: &'a [u8],
        version: Version,
    ) -> Option<Self> {
        let mut cursor = Self {
            row: Vec::new(),
            at: 0,
            end: 0,
            task: 0,
            task_slot: None,
            place,
            worker: worker.number,
            file,
            version,
            length: 1,
            stretches: worker.stretches.into_iter(),
            records: Records::resume(version, &[], 0),
            ticks: 0,
            sequence: 0,
        };
        cursor.refill().then_some(cursor)
    }

    /// The event to come.
    #[inline(always)]
    pub(super) fn next(&self) -> &Decoded {
        &self.row[self.at]
    }

    /// The same with all that is known of it.
    pub(super) fn event(&self) -> RawEvent<'a> {
        let next = self.next();
        RawEvent {
            event_type: next.event_type,
            ticks: next.ticks,
            sequence: next.sequence,
            offset: next.offset,
            worker: self.worker,
            place: self.place,
            owner: self.owner(),
            before: self.task,
            args: next.args,
            message: self.message(),
        }
    }

    /// The task that the event to come belongs to.
    #[inline]
    pub(super) fn owner(&self) -> u64 {
        let next = self.next();
        match rule(next.event_type).owner {
            Who::Argument => next.args[0],
            Who::Owner => self.task,
            Who::Nobody | Who::Collector => 0,
        }
    }

    /// The message of a log, which seldom is one.
    fn message(&self) -> &'a [u8] {
        let next = self.next();
        if next.event_type != EventType::UserLog {
            return &[];
        }
        let rest = &self.file[next.offset as usize..];
        let log = Records::resume(self.version, rest, next.offset).next();
        log.and_then(Result::ok).map_or(&[], |log| log.rest)
    }

    /// Moves to the next event. False at the end.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> bool {
        let next = self.next();
        match rule(next.event_type).effect {
            Effect::Nothing => {}
            Effect::Starts => (self.task, self.task_slot) = (next.args[0], None),
            Effect::Stops => (self.task, self.task_slot) = (0, None),
        }
        self.pass(1);
        !self.is_at_end_of_row() || self.refill()
    }

    /// Events that are decoded, from that to come on.
    #[inline(always)]
    pub(super) fn row(&self) -> &[Decoded] {
        &self.row[self.at..self.end]
    }

    /// Moves over so many events of the row; who does says what they made of the running task.
    #[inline(always)]
    pub(super) fn pass(&mut self, count: usize) {
        self.at += count;
    }

    /// Whether no event to come is decoded: then [`Self::refill`] must see to it before anything else is asked.
    #[inline(always)]
    pub(super) fn is_at_end_of_row(&self) -> bool {
        self.at >= self.end
    }

    /// Those that follow the row and are not decoded.
    #[inline(always)]
    pub(super) fn in_batch(&self) -> InBatch<'a> {
        InBatch {
            events: self.records.plain_ones(),
            ticks: self.ticks,
        }
    }

    /// So many of those have happened, and these are left.
    #[inline(always)]
    pub(super) fn go_on(&mut self, count: usize, left: InBatch<'a>) {
        self.records.go_on(left.events);
        self.ticks = left.ticks;
        if count >= RUN_MIN {
            self.length = 1;
        }
    }

    /// Decodes the next events. False if there are none.
    #[inline(never)]
    pub(super) fn refill(&mut self) -> bool {
        let length = self.length;
        self.length = (2 * length).min(ROW_MAX);
        if self.row.len() < length {
            self.row.resize(length, Decoded::BLANK);
        }
        (self.at, self.end) = (0, 0);
        loop {
            self.decode(length);
            if self.end == length {
                return true;
            }
            let Some(stretch) = self.stretches.next() else {
                return self.end > 0;
            };
            let bytes = &self.file[stretch.begin as usize..stretch.end as usize];
            self.records = Records::resume(self.version, bytes, stretch.begin);
            self.ticks = stretch.ticks;
            self.sequence = stretch.sequence;
        }
    }

    /// Decodes events of the open stretch, until the row has this length.
    #[inline]
    fn decode(&mut self, length: usize) {
        // Copies, which need not be in memory.
        let mut records = self.records.clone();
        let (mut ticks, mut sequence) = (self.ticks, self.sequence);
        let mut end = self.end;
        let row = &mut self.row[..length];
        loop {
            let mut plain = records.plain_ones();
            while let Some(next) = row.get_mut(end) {
                let Some((event_type, offset, delta)) = plain.advance(&mut next.args) else {
                    break;
                };
                ticks = ticks.wrapping_add(delta as i64);
                if event_type == EventType::CPUSample {
                    continue;
                }
                (next.event_type, next.offset) = (event_type, offset);
                (next.ticks, next.sequence) = (ticks, sequence);
                end += 1;
            }
            records.go_on(plain);
            let Some(next) = row.get_mut(end) else {
                break;
            };
            match records.advance(&mut next.args) {
                Some(Ok(head)) => {
                    if !is_event(head.event_type) {
                        continue;
                    }
                    ticks = ticks.wrapping_add(head.delta as i64);
                    sequence = sequence.wrapping_add(head.sequence as i64);
                    if head.event_type == EventType::CPUSample {
                        continue;
                    }
                    next.event_type = head.event_type;
                    next.ticks = ticks;
                    next.sequence = sequence;
                    next.offset = head.offset;
                    end += 1;
                }
                // The first pass has seen that all can be decoded.
                Some(Err(_)) => {}
                None => break,
            }
        }
        self.end = end;
        (self.ticks, self.sequence) = (ticks, sequence);
        self.records = records;
    }
}

/// Whether a record is an event, which has a time.
fn is_event(event_type: EventType) -> bool {
    use EventType as E;
    !matches!(
        event_type,
        E::Batch | E::Frequency | E::Stack | E::String | E::TimerGoroutine
    )
}

impl Decoded {
    /// An event that says nothing.
    const BLANK: Self = Self {
        ticks: 0,
        offset: 0,
        args: [0; limits::V1_ARGS_MAX],
        sequence: 0,
        event_type: EventType::Batch,
    };
}
