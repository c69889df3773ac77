//! What a tolerant reader writes down while it puts events in order.

use exectrace_format::go_v1::EventType;
use exectrace_format::{ThreadId, WorkerId};

use super::cursor::RawEvent;
use crate::damage::Damage;
use crate::{Error, Repair};

/// The account, with what it needs to say whose clock it was.
pub(super) struct Account<'d> {
    pub(super) damage: &'d mut Damage,
    pub(super) ns_per_tick: f64,
    /// The thread of each worker.
    pub(super) threads: &'d mut [ThreadId],
}

impl Account<'_> {
    /// Takes in which thread has the worker from now on.
    #[inline]
    pub(super) fn see(&mut self, event: &RawEvent<'_>) {
        if event.event_type == EventType::ProcStart
            && let Some(thread) = self.threads.get_mut(event.place)
        {
            *thread = ThreadId(event.args[0]);
        }
    }

    pub(super) fn repair(&mut self, repair: Repair, error: Error) {
        self.damage.repair(repair, error);
    }

    /// The event's time has passed by so many ticks.
    pub(super) fn skew(&mut self, error: Error, ticks: i64, event: &RawEvent<'_>) {
        let thread = self.threads.get(event.place).copied();
        let skew_ns = (ticks as f64 * self.ns_per_tick) as u64;
        let worker = WorkerId(event.worker);
        self.damage
            .skew(error, skew_ns, thread.unwrap_or(ThreadId::NONE), worker);
    }
}
