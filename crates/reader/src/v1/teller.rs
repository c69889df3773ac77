//! Events in order into what they mean, each checked.

use exectrace_format::go_v1::EventType;
use exectrace_format::{StringId, TaskId, ThreadId, WorkerId};

use super::checks::Checks;
use super::cursor::RawEvent;
use super::meaning::{Meanings, Names};
use super::rules::rule;
use super::task::Tasks;
use crate::block::Block;
use crate::event::{Event, EventType as AnyType};
use crate::{Cause, Error, Timestamp};

/// What is needed to tell an event.
#[derive(Debug)]
pub(super) struct Teller<'a> {
    pub(super) names: Names<'a>,
    pub(super) tasks: Tasks,
    pub(super) checks: Checks,
    pub(super) meanings: Meanings,
    /// The thread of each worker.
    pub(super) threads: Vec<ThreadId>,
    /// Ticks of the first event, from which times count.
    pub(super) begin_ticks: Option<i64>,
    /// Ticks of the event that was told last.
    pub(super) last_ticks: i64,
    pub(super) ns_per_tick: f64,
}

impl<'a> Teller<'a> {
    /// Checks an event and appends what it means.
    pub(super) fn tell(&mut self, raw: &RawEvent<'a>, told: &mut Block<'_>) -> Result<(), Error> {
        let name = self.push(raw, told);
        if let Err(cause) = self.checks.event(&mut self.tasks, raw, name) {
            told.pop();
            return Err(fault(cause, raw));
        }
        self.last_ticks = raw.ticks;
        Ok(())
    }

    /// Appends what an event means. The answer is a region's name.
    pub(super) fn push(&mut self, raw: &RawEvent<'a>, told: &mut Block<'_>) -> StringId {
        if raw.event_type == EventType::ProcStart {
            self.threads[raw.place] = ThreadId(raw.args[0]);
        }
        let begin_ticks = *self.begin_ticks.get_or_insert(raw.ticks);
        let thread = self.threads.get(raw.place).copied();
        let told = told.push(Event {
            time: time(raw.ticks, begin_ticks, self.ns_per_tick),
            offset: raw.offset,
            task: TaskId(raw.before),
            worker: WorkerId(raw.worker),
            thread: thread.unwrap_or(ThreadId::NONE),
            ..Event::blank(AnyType::V1(rule(raw.event_type).told))
        });
        self.meanings.tell(raw, &mut self.names, told)
    }
}

/// The time of an event of a trace that begins at `begin_ticks`. One that no number can tell, as only damage makes it, is the largest:
/// time must not go back.
#[inline(always)]
pub(super) fn time(ticks: i64, begin_ticks: i64, ns_per_tick: f64) -> Timestamp {
    Timestamp((ticks.saturating_sub(begin_ticks) as f64 * ns_per_tick) as i64)
}

/// The error that an event is.
#[cold]
pub(super) fn fault(cause: Cause, raw: &RawEvent<'_>) -> Error {
    let mut error = Error::at(cause, raw.offset);
    error.task = (raw.owner != 0).then_some(TaskId(raw.owner));
    error
}
