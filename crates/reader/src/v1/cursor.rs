//! One worker's events, decoded as they are needed.

use exectrace_format::Version;
use exectrace_format::go_v1::{EventType, Records};

use super::index::{Stretch, Worker};

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
    pub(super) args: [u64; exectrace_format::limits::V1_ARGS_MAX],
    pub(super) message: &'a [u8],
}

/// So many events are decoded in a row, of a worker that has many: between those of others, one by one, it takes longer.
const ROW_MAX: usize = 32;

/// One worker's events.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// An event of the worker that says nothing.
    blank: RawEvent<'a>,
    /// Events that are decoded: those from `at` to `end` are to come.
    row: Vec<RawEvent<'a>>,
    at: usize,
    end: usize,
    file: &'a [u8],
    version: Version,
    stretches: std::vec::IntoIter<Stretch>,
    records: Records<'a>,
    /// The time and, in version 1.5, the sequence number of the last record that is decoded.
    ticks: i64,
    sequence: i64,
    /// The task that runs on the worker, in the order of the file.
    task: u64,
}

impl<'a> Cursor<'a> {
    /// At the worker's first event; `None` if it has none.
    pub(super) fn open(
        worker: Worker,
        place: usize,
        file: &'a [u8],
        version: Version,
    ) -> Option<Self> {
        let blank = RawEvent {
            event_type: EventType::Batch,
            ticks: 0,
            sequence: 0,
            offset: 0,
            worker: worker.number,
            place,
            owner: 0,
            before: 0,
            args: [0; exectrace_format::limits::V1_ARGS_MAX],
            message: &[],
        };
        let mut cursor = Self {
            blank,
            row: Vec::new(),
            at: 0,
            end: 0,
            file,
            version,
            stretches: worker.stretches.into_iter(),
            records: Records::resume(version, &[], 0),
            ticks: 0,
            sequence: 0,
            task: 0,
        };
        cursor.refill().then_some(cursor)
    }

    /// The event to come.
    #[inline(always)]
    pub(super) fn next(&self) -> &RawEvent<'a> {
        &self.row[self.at]
    }

    /// Moves to the next event. False at the end.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> bool {
        self.at += 1;
        self.at < self.end || self.refill()
    }

    /// Decodes the next events. False if there are none.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        let length = (2 * self.row.len()).clamp(1, ROW_MAX);
        self.row.resize(length, self.blank);
        (self.at, self.end) = (0, 0);
        loop {
            self.decode();
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

    /// Decodes events of the open stretch, as many as the row has room for.
    #[inline]
    fn decode(&mut self) {
        // A copy, which need not be in memory.
        let mut records = self.records.clone();
        while let Some(next) = self.row.get_mut(self.end) {
            match records.advance(&mut next.args) {
                Some(Ok(head)) => {
                    use EventType as E;
                    match head.event_type {
                        E::Batch | E::Frequency | E::Stack | E::String | E::TimerGoroutine => {
                            continue;
                        }
                        _ => {}
                    }
                    self.ticks = self.ticks.wrapping_add(head.delta as i64);
                    self.sequence = self.sequence.wrapping_add(head.sequence as i64);
                    if head.event_type == E::CPUSample {
                        continue;
                    }
                    next.event_type = head.event_type;
                    next.ticks = self.ticks;
                    next.sequence = self.sequence;
                    next.offset = head.offset;
                    next.message = head.rest;
                    next.before = self.task;
                    (next.owner, self.task) = tasks(head.event_type, self.task, next.args[0]);
                    self.end += 1;
                }
                // The first pass has seen that all can be decoded.
                Some(Err(_)) => {}
                None => break,
            }
        }
        self.records = records;
    }
}

/// The task that an event belongs to, and the one that runs after it; `running` runs before.
#[inline]
fn tasks(event_type: EventType, running: u64, first_arg: u64) -> (u64, u64) {
    use EventType as E;
    match event_type {
        E::GoStart | E::GoStartLocal | E::GoStartLabel => (first_arg, first_arg),
        E::GCStart | E::GCDone | E::GCSTWStart | E::GCSTWDone => (0, running),
        E::GoSysExit | E::GoWaiting | E::GoInSyscall => (first_arg, running),
        event_type if stops(event_type) || event_type == E::GoSysBlock => (running, 0),
        _ => (running, running),
    }
}

/// Whether the running task ends, yields or waits.
pub(super) const fn stops(event_type: EventType) -> bool {
    use EventType as E;
    matches!(event_type, E::GoEnd | E::GoStop | E::GoSched | E::GoPreempt) || waits(event_type)
}

/// Whether the running task waits, other than in a system call.
pub(super) const fn waits(event_type: EventType) -> bool {
    use EventType as E;
    matches!(
        event_type,
        E::GoSleep
            | E::GoBlock
            | E::GoBlockSend
            | E::GoBlockRecv
            | E::GoBlockSelect
            | E::GoBlockSync
            | E::GoBlockCond
            | E::GoBlockNet
            | E::GoBlockGC
    )
}
