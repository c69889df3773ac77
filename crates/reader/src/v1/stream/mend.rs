//! The stream of a tolerant reader: it always goes on.

use std::collections::HashSet;

use exectrace_format::go_v1::EventType;

use super::{Index, RawEvent, Stream, Upcoming};
use crate::v1::account::Account;
use crate::v1::task::Tasks;
use crate::{Cause, Error, Repair};

/// Events wait so long, in seconds, for one that must come first, while others go on. Clocks of processors differ by less.
const PATIENCE_S: f64 = 0.001;
/// The same for a file from which much is missing: what waits in vain has its time moved, with all that come after it.
const PATIENCE_LEAST_S: f64 = 0.000_02;

/// Where a tolerant reader has given way.
#[derive(Debug)]
pub(super) struct Tolerance {
    /// For how many ticks an event may be late: halved each time when that was in vain.
    patience: i64,
    patience_least: i64,
    /// The end of a system call that makes no sense, but is told; by its place in the file.
    excused: Option<u64>,
    /// Ends that were not told at the time at which they are said to have happened: no call had blocked.
    withheld: HashSet<u64>,
}

impl Tolerance {
    #[cold]
    pub(super) fn is_excused(&self, event: &RawEvent<'_>) -> bool {
        self.excused == Some(event.offset)
    }

    /// Whether the end of a system call is told when it was written.
    #[cold]
    pub(super) fn is_told_here(&mut self, event: &RawEvent<'_>) -> bool {
        event.args[2] as i64 >= event.ticks || self.withheld.remove(&event.offset)
    }
}

impl<'a> Stream<'a> {
    /// The same for a tolerant reader.
    pub(in crate::v1) fn open_tolerant(
        index: &mut Index<'a>,
        file: &'a [u8],
        tasks: &mut Tasks,
    ) -> Self {
        let ticks = |seconds: f64| (index.ticks_per_second as f64 * seconds) as i64;
        let (patience, patience_least) = (ticks(PATIENCE_S), ticks(PATIENCE_LEAST_S));
        let mut stream = Self::open(index, file, tasks);
        stream.order.be_impatient();
        stream.tolerance = Some(Tolerance {
            patience,
            patience_least,
            excused: None,
            withheld: HashSet::new(),
        });
        stream
    }

    /// Where the next event is, whatever is wrong with it; `None` after the last one.
    #[inline]
    pub(in crate::v1) fn upcoming_any(
        &mut self,
        tasks: &mut Tasks,
        account: &mut Account<'_>,
    ) -> Option<Upcoming<'a>> {
        loop {
            let patience = self.tolerance.as_ref().map_or(i64::MAX, |it| it.patience);
            if self.order.is_overdue(patience) {
                self.lose_patience();
                self.force(tasks, account);
            }
            match self.upcoming(tasks) {
                Ok(upcoming) => return upcoming,
                Err(error) => self.give_way(error, tasks, account),
            }
        }
    }

    /// All events that are left.
    pub(in crate::v1) fn all_any(
        mut self,
        tasks: &mut Tasks,
        account: &mut Account<'_>,
    ) -> Vec<RawEvent<'a>> {
        let mut events = Vec::new();
        while let Some(upcoming) = self.upcoming_any(tasks, account) {
            match upcoming {
                Upcoming::Beside(event) => events.push(event),
                Upcoming::Worker(index) => {
                    let event = self.event(index);
                    account.see(&event);
                    events.push(event);
                    self.take(index, tasks);
                }
            }
        }
        events
    }

    /// Makes the event come that is refused with this error.
    #[cold]
    fn give_way(&mut self, error: Error, tasks: &mut Tasks, account: &mut Account<'_>) {
        match self.order.first() {
            Err(Error {
                cause: Cause::NoOrder,
                ..
            }) => self.force(tasks, account),
            Err(error) => {
                let (index, ticks) = self.order.excuse();
                account.skew(error, ticks, &self.order.event(index));
            }
            Ok(index) => {
                if let Some(tolerance) = &mut self.tolerance {
                    tolerance.excused = Some(error.offset);
                }
                let event = index.map(|index| self.order.event(index));
                let block = event.and_then(|event| self.blocks.get(&event.owner).copied());
                match (error.cause, event, block) {
                    (Cause::TimeOrder, Some(event), Some(block)) => {
                        let ticks = block.saturating_sub(event.args[2] as i64);
                        account.skew(error, ticks, &event);
                    }
                    _ => account.repair(Repair::TimeOrder, error),
                }
            }
        }
    }

    #[cold]
    fn lose_patience(&mut self) {
        if let Some(tolerance) = &mut self.tolerance {
            tolerance.patience = (tolerance.patience / 2).max(tolerance.patience_least);
        }
    }

    #[cold]
    fn force(&mut self, tasks: &mut Tasks, account: &mut Account<'_>) {
        if let Some(error) = self.order.force(tasks) {
            account.repair(Repair::Order, error);
        }
    }

    /// Whether an event beside the workers' is the end of a system call that has not blocked. It is told where it was written.
    #[inline]
    pub(super) fn is_withheld(&mut self, event: &RawEvent<'_>) -> bool {
        event.event_type == EventType::GoSysExit && self.tolerance.is_some() && self.withhold(event)
    }

    fn withhold(&mut self, event: &RawEvent<'_>) -> bool {
        // One that was early has been looked at.
        let is_late = event.args[2] == 0;
        let has_blocked = match self.blocks.get(&event.owner) {
            None | Some(0) => false,
            Some(&block) => block <= event.ticks,
        };
        if !is_late || has_blocked {
            return false;
        }
        if let Some(tolerance) = &mut self.tolerance {
            tolerance.withheld.insert(event.offset);
        }
        true
    }
}
