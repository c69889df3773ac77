//! One worker's events, decoded as they are needed.

use exectrace_format::Version;
use exectrace_format::go_v1::{EventType, Record, Records};

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

/// One worker's events.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    /// The event to come.
    pub(super) next: RawEvent<'a>,
    file: &'a [u8],
    version: Version,
    stretches: std::vec::IntoIter<Stretch>,
    records: Records<'a>,
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
        let mut cursor = Self {
            next: RawEvent {
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
            },
            file,
            version,
            stretches: worker.stretches.into_iter(),
            records: Records::resume(version, &[], 0),
            task: 0,
        };
        cursor.advance().then_some(cursor)
    }

    /// Moves to the next event. False at the end.
    #[inline]
    pub(super) fn advance(&mut self) -> bool {
        loop {
            match self.records.next() {
                Some(Ok(record)) => {
                    if self.set(&record) {
                        return true;
                    }
                }
                // The first pass has seen that all can be decoded.
                Some(Err(_)) => {}
                None => {
                    let Some(stretch) = self.stretches.next() else {
                        return false;
                    };
                    let bytes = &self.file[stretch.begin as usize..stretch.end as usize];
                    self.records = Records::resume(self.version, bytes, stretch.begin);
                    self.next.ticks = stretch.ticks;
                    self.next.sequence = stretch.sequence;
                }
            }
        }
    }

    /// Takes a record in. False if it is no event of the worker.
    #[inline]
    fn set(&mut self, record: &Record<'a>) -> bool {
        use EventType as E;
        let next = &mut self.next;
        match record.event_type {
            E::Batch | E::Frequency | E::Stack | E::String | E::TimerGoroutine => return false,
            _ => {}
        }
        next.ticks = next.ticks.wrapping_add(record.delta as i64);
        next.sequence = next.sequence.wrapping_add(record.sequence as i64);
        if record.event_type == E::CPUSample {
            return false;
        }
        next.event_type = record.event_type;
        next.offset = record.offset;
        next.args = record.args;
        next.message = record.rest;
        next.before = self.task;
        next.owner = self.task;
        match record.event_type {
            E::GoStart | E::GoStartLocal | E::GoStartLabel => {
                self.task = record.args[0];
                next.owner = self.task;
            }
            E::GCStart | E::GCDone | E::GCSTWStart | E::GCSTWDone => next.owner = 0,
            E::GoSysExit | E::GoWaiting | E::GoInSyscall => next.owner = record.args[0],
            event_type if stops(event_type) || event_type == E::GoSysBlock => self.task = 0,
            _ => {}
        }
        true
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
