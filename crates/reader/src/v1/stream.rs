//! All events of a file in order of time: those of workers, CPU samples, and the ends of system calls at their real times.
//!
//! The end of a system call that blocked is written when the task has a worker again; its real time stands in the event. So that
//! no event need be held back for one that comes later, the first pass has collected these.

use exectrace_format::go_v1::EventType;

use super::cursor::{Cursor, RawEvent};
use super::index::{Index, LateExit, Sample};
use super::order::Order;
use crate::id_map::IdMap;
use crate::{Cause, Error};

/// Events in order of time.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    order: Order<'a>,
    /// The next of the workers' events.
    upcoming: Option<RawEvent<'a>>,
    samples: std::iter::Peekable<std::vec::IntoIter<Sample>>,
    late_exits: std::iter::Peekable<std::vec::IntoIter<LateExit>>,
    /// Ends that are later than their events, which happens in damaged files: by time.
    early_exits: Vec<RawEvent<'a>>,
    /// When each task's system call was seen to block.
    blocks: IdMap<i64>,
}

impl<'a> Stream<'a> {
    /// Opens the events of a file from version 1.7 on.
    pub(super) fn open(index: &mut Index<'a>, file: &'a [u8]) -> Result<Self, Error> {
        let mut stream = Self {
            order: Order::new(cursors(index, file)),
            upcoming: None,
            samples: std::mem::take(&mut index.samples).into_iter().peekable(),
            late_exits: std::mem::take(&mut index.late_exits).into_iter().peekable(),
            early_exits: Vec::new(),
            blocks: IdMap::default(),
        };
        stream.refill()?;
        Ok(stream)
    }

    /// The next event; `None` after the last one.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<RawEvent<'a>>, Error> {
        let ticks = self.upcoming.map_or(i64::MAX, |event| event.ticks);
        // What was written at a tick comes before a call that ended at it, but for one that was late itself.
        if let Some(event) = self.beside(ticks) {
            return Ok(Some(event));
        }
        let event = self.upcoming.take();
        if event.is_some() {
            self.refill()?;
        }
        Ok(event)
    }

    /// What stands beside the workers' events and comes before one at `ticks`.
    #[inline]
    fn beside(&mut self, ticks: i64) -> Option<RawEvent<'a>> {
        let is_last = self.upcoming.is_none();
        let is_due = |time: i64| time < ticks || is_last;
        let exit = self.late_exits.peek().map(|exit| exit.ticks);
        let sample = self.samples.peek().map(|sample| sample.ticks);
        let early = self.early_exits.last().map(|exit| exit.ticks);
        if exit.is_none() && sample.is_none() && early.is_none() {
            return None;
        }
        let least = [exit, sample, early].into_iter().flatten().min()?;
        if !(is_due(least) || early == Some(least) && least <= ticks) {
            return None;
        }
        if early == Some(least) {
            self.early_exits.pop()
        } else if exit == Some(least) {
            self.late_exits.next().map(|exit| of_exit(&exit))
        } else {
            self.samples.next().map(|sample| of_sample(&sample))
        }
    }

    /// Gets the next of the workers' events that is not told elsewhere.
    #[inline]
    fn refill(&mut self) -> Result<(), Error> {
        loop {
            let Some(event) = self.order.next()? else {
                return Ok(());
            };
            match event.event_type {
                EventType::GoSysBlock | EventType::GoInSyscall => {
                    self.blocks.insert(event.owner, event.ticks);
                }
                EventType::GoSysExit if event.args[2] != 0 => {
                    let is_in_place = self.exits_in_place(event)?;
                    if !is_in_place {
                        continue;
                    }
                }
                _ => {}
            }
            self.upcoming = Some(event);
            return Ok(());
        }
    }

    /// Checks a system call's end. Whether it happened when its event was written.
    fn exits_in_place(&mut self, event: RawEvent<'a>) -> Result<bool, Error> {
        let real = event.args[2] as i64;
        let fault = match self.blocks.get(&event.owner) {
            None | Some(0) => Some(Cause::StraySyscallExit),
            Some(&block) if real < block => Some(Cause::TimeOrder),
            _ => None,
        };
        if let Some(cause) = fault {
            return Err(Error::at(cause, event.offset));
        }
        if real > event.ticks {
            let event = RawEvent {
                ticks: real,
                ..event
            };
            let at = self.early_exits.partition_point(|exit| exit.ticks > real);
            self.early_exits.insert(at, event);
        }
        Ok(real == event.ticks)
    }
}

/// A cursor for each worker that has events.
pub(super) fn cursors<'a>(index: &mut Index<'a>, file: &'a [u8]) -> Vec<Cursor<'a>> {
    let version = index.version;
    std::mem::take(&mut index.workers)
        .into_iter()
        .filter_map(|worker| Cursor::open(worker, file, version))
        .collect()
}

fn of_exit<'a>(exit: &LateExit) -> RawEvent<'a> {
    RawEvent {
        event_type: EventType::GoSysExit,
        ticks: exit.ticks,
        sequence: 0,
        offset: exit.offset,
        worker: exit.worker,
        owner: exit.task,
        before: 0,
        args: [exit.task, 0, 0, 0],
        message: &[],
    }
}

pub(super) fn of_sample<'a>(sample: &Sample) -> RawEvent<'a> {
    RawEvent {
        event_type: EventType::CPUSample,
        ticks: sample.ticks,
        sequence: 0,
        offset: sample.offset,
        worker: sample.worker,
        owner: sample.task,
        before: sample.task,
        args: [0, 0, 0, sample.stack],
        message: &[],
    }
}
