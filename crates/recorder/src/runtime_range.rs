//! Ranges of a runtime's garbage collector: what begins and ends once at a time, whatever thread says so.
//!
//! Go's readers refuse a second begin, an end without a begin, and a begin that is not strictly later than the last end. Each
//! range has one word, `tick << 1 | open`, and the tasks' rule: write first, then swap, and wind back if the swap fails.

use std::sync::atomic::{AtomicU64, Ordering};

use exectrace_format::go_v1::Event;

use crate::lane_writer::LaneWriter;

/// The state of one range of the process.
#[derive(Debug)]
pub(crate) struct RuntimeRange {
    word: AtomicU64,
    /// How often it began in the session of the word's tick.
    begun: AtomicU64,
}

impl RuntimeRange {
    pub(crate) const fn new() -> Self {
        Self {
            word: AtomicU64::new(0),
            begun: AtomicU64::new(0),
        }
    }

    /// Begins the range. `event` is given how often it began before in this session. False when it is open already.
    pub(crate) fn begin<E: Event>(
        &self,
        writer: &mut LaneWriter,
        event: impl Fn(u64) -> E,
    ) -> bool {
        if !writer.room(1) {
            return false;
        }
        let mark = writer.mark();
        // Acquire: shows `begun`; pairs with the swaps below.
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let known = word >> 1 >= writer.stamp().start_tick();
            if known && word & 1 == 1 {
                return false;
            }
            // Relaxed: ordered by the word.
            let begun = if known {
                self.begun.load(Ordering::Relaxed)
            } else {
                0
            };
            let tick = writer.tick_after(word >> 1);
            writer.emit(tick, &event(begun));
            // AcqRel: one thread begins; what it stores then is seen by the one that ends.
            match self.word.compare_exchange(
                word,
                tick << 1 | 1,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => {
                    self.begun.store(begun + 1, Ordering::Relaxed); // Relaxed: published by the end's swap.
                    return true;
                }
                Err(now) => word = now,
            }
            writer.rewind(mark);
        }
    }

    /// Ends the range. False when the session did not see it begin.
    pub(crate) fn end<E: Event>(&self, writer: &mut LaneWriter, event: &E) -> bool {
        if !writer.room(1) {
            return false;
        }
        let mark = writer.mark();
        // Acquire: as in `begin`.
        let word = self.word.load(Ordering::Acquire);
        if word & 1 == 0 || word >> 1 < writer.stamp().start_tick() {
            return false;
        }
        let tick = writer.tick_after(word >> 1);
        writer.emit(tick, event);
        // AcqRel: publishes `begun` for the next begin.
        let ended =
            self.word
                .compare_exchange(word, tick << 1, Ordering::AcqRel, Ordering::Acquire);
        if ended.is_err() {
            writer.rewind(mark);
        }
        ended.is_ok()
    }
}
