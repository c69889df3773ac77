//! All events of a file in order of time: those of workers, CPU samples, and the ends of system calls at their real times.
//!
//! The end of a system call that blocked is written when the task has a worker again; its real time stands in the event. So that
//! no event need be held back for one that comes later, the first pass has collected these.

mod mend;

use std::collections::BTreeMap;

use exectrace_format::go_v1::EventType;

use super::cursor::{Cursor, RawEvent};
use super::index::{Index, LateExit, Sample};
use super::order::Order;
use super::task::Tasks;
use super::teller::Teller;
use crate::block::Block;
use crate::id_map::IdMap;
use crate::{Cause, Error};
use mend::Tolerance;

/// Events in order of time.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    order: Order<'a>,
    samples: std::iter::Peekable<std::vec::IntoIter<Sample>>,
    late_exits: std::iter::Peekable<std::vec::IntoIter<LateExit>>,
    /// Ends that are later than their events, which happens in damaged files: by time, and by the order of the events.
    early_exits: BTreeMap<(i64, u64), RawEvent<'a>>,
    early_exits_ever: u64,
    /// The time of the first of all these; the last possible one when there are none.
    beside_ticks: i64,
    /// When each task's system call was seen to block.
    blocks: IdMap<i64>,
    tolerance: Option<Tolerance>,
}

/// Where the next event is.
pub(super) enum Upcoming<'a> {
    /// With a worker, which must be told to move on.
    Worker(usize),
    /// Beside the workers.
    Beside(RawEvent<'a>),
}

impl<'a> Stream<'a> {
    /// Opens the events of a file from version 1.7 on.
    pub(super) fn open(index: &mut Index<'a>, file: &'a [u8], tasks: &mut Tasks) -> Self {
        let mut stream = Self {
            order: Order::new(cursors(index, file), tasks),
            samples: std::mem::take(&mut index.samples).into_iter().peekable(),
            late_exits: std::mem::take(&mut index.late_exits).into_iter().peekable(),
            early_exits: BTreeMap::new(),
            early_exits_ever: 0,
            beside_ticks: i64::MAX,
            blocks: IdMap::default(),
            tolerance: None,
        };
        stream.look_beside();
        stream
    }

    /// Where the next event is; `None` after the last one.
    pub(super) fn upcoming(&mut self, tasks: &mut Tasks) -> Result<Option<Upcoming<'a>>, Error> {
        loop {
            let first = self.order.first()?;
            let ticks = first.map(|index| self.order.next(index).ticks);
            if ticks.is_none_or(|ticks| self.beside_ticks <= ticks)
                && let Some(event) = self.beside(ticks)
            {
                self.look_beside();
                if self.is_withheld(&event) {
                    continue;
                }
                return Ok(Some(Upcoming::Beside(event)));
            }
            let Some(index) = first else {
                return Ok(None);
            };
            match self.order.next(index).event_type {
                EventType::GoSysBlock | EventType::GoInSyscall => {
                    let event = self.order.event(index);
                    self.blocks.insert(event.owner, event.ticks);
                }
                EventType::GoSysExit => {
                    let event = self.order.event(index);
                    if event.args[2] != 0 && !self.exits_in_place(event)? {
                        self.order.take_any(index, tasks);
                        continue;
                    }
                }
                _ => {}
            }
            return Ok(Some(Upcoming::Worker(index)));
        }
    }

    /// A worker's event.
    pub(super) fn event(&self, index: usize) -> RawEvent<'a> {
        self.order.event(index)
    }

    /// The worker's event that is the next one has happened.
    pub(super) fn take(&mut self, index: usize, tasks: &mut Tasks) {
        self.order.take_any(index, tasks);
    }

    /// Tells the worker's events, from the next one of all, as long as they are usual ones and no others come first. Whether there
    /// was one.
    #[inline]
    pub(super) fn run(
        &mut self,
        index: usize,
        teller: &mut Teller<'a>,
        told: &mut Block<'_>,
    ) -> bool {
        self.order.run(index, self.beside_ticks, teller, told)
    }

    /// All events that are left.
    pub(super) fn all(mut self, tasks: &mut Tasks) -> Result<Vec<RawEvent<'a>>, Error> {
        let mut events = Vec::new();
        while let Some(upcoming) = self.upcoming(tasks)? {
            match upcoming {
                Upcoming::Beside(event) => events.push(event),
                Upcoming::Worker(index) => {
                    events.push(self.event(index));
                    self.take(index, tasks);
                }
            }
        }
        Ok(events)
    }

    /// Sees when the next event beside the workers' comes.
    fn look_beside(&mut self) {
        let exit = self.late_exits.peek().map(|exit| exit.ticks);
        let sample = self.samples.peek().map(|sample| sample.ticks);
        let early = self.early_exits.keys().next().map(|&(ticks, _)| ticks);
        let least = [exit, sample, early].into_iter().flatten().min();
        self.beside_ticks = least.unwrap_or(i64::MAX);
    }

    /// What stands beside the workers' events and comes before the next of them, at `ticks` if there is one.
    ///
    /// What was written at a tick comes before a call that ended at it, but for one that was late itself.
    #[inline(never)]
    fn beside(&mut self, ticks: Option<i64>) -> Option<RawEvent<'a>> {
        let exit = self.late_exits.peek().map(|exit| exit.ticks);
        let sample = self.samples.peek().map(|sample| sample.ticks);
        let early = self.early_exits.keys().next().map(|&(ticks, _)| ticks);
        let least = [exit, sample, early].into_iter().flatten().min()?;
        let is_due = ticks.is_none_or(|ticks| least < ticks || early == Some(ticks));
        if !is_due {
            return None;
        }
        if early == Some(least) {
            self.early_exits.pop_first().map(|(_, exit)| exit)
        } else if exit == Some(least) {
            self.late_exits.next().map(|exit| of_exit(&exit))
        } else {
            self.samples.next().map(|sample| of_sample(&sample))
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
            return match &mut self.tolerance {
                Some(tolerance) if tolerance.is_excused(&event) => {
                    Ok(tolerance.is_told_here(&event))
                }
                _ => Err(Error::at(cause, event.offset)),
            };
        }
        if real > event.ticks {
            let event = RawEvent {
                ticks: real,
                ..event
            };
            self.early_exits_ever += 1;
            self.early_exits
                .insert((real, self.early_exits_ever), event);
            self.look_beside();
        }
        Ok(real == event.ticks)
    }
}

/// The place of events that no worker's state is asked for.
pub(super) const NO_PLACE: usize = usize::MAX;

/// A cursor for each worker that has events.
pub(super) fn cursors<'a>(index: &mut Index<'a>, file: &'a [u8]) -> Vec<Cursor<'a>> {
    let version = index.version;
    let workers = std::mem::take(&mut index.workers);
    let mut cursors = Vec::with_capacity(workers.len());
    let workers = workers.into_iter().enumerate();
    cursors
        .extend(workers.filter_map(|(place, worker)| Cursor::open(worker, place, file, version)));
    cursors
}

fn of_exit<'a>(exit: &LateExit) -> RawEvent<'a> {
    RawEvent {
        event_type: EventType::GoSysExit,
        ticks: exit.ticks,
        sequence: 0,
        offset: exit.offset,
        worker: exit.worker,
        place: NO_PLACE,
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
        place: NO_PLACE,
        owner: sample.task,
        before: sample.task,
        args: [0, 0, 0, sample.stack],
        message: &[],
    }
}
