//! Gomaxprocs: how many workers the recording has so far.
//!
//! Go 1.19's utilisation page keeps a table by worker from this event alone, and indexes it by worker at stops, sweeps and
//! assists. So each lane sees to it, before its first event, that the number is above its own; and the number never falls,
//! which takes the tasks' rule: `word = tick << 20 | workers`, the event first, then the swap.

use std::sync::atomic::{AtomicU64, Ordering};

use exectrace_format::StackId;
use exectrace_format::go_v1::Gomaxprocs;

use crate::lane_writer::LaneWriter;

const COUNT_BITS: u32 = 20;

static WORD: AtomicU64 = AtomicU64::new(0);

/// Sees to it that the recording has said that there are so many workers, before whatever the lane writes next.
pub(crate) fn raise_to(writer: &mut LaneWriter, workers: u32) {
    if !writer.room(1) {
        return;
    }
    let mark = writer.mark();
    // Acquire: shows the tick of the last change; pairs with the swap below.
    let mut word = WORD.load(Ordering::Acquire);
    loop {
        let tick = word >> COUNT_BITS;
        let known = tick >= writer.stamp().start_tick();
        let counted = word & ((1 << COUNT_BITS) - 1);
        if known && counted >= u64::from(workers) {
            // What follows on this lane comes after the change that counted it.
            writer.advance_to(tick);
            return;
        }
        let tick = writer.tick_after(tick);
        let event = Gomaxprocs {
            workers: u64::from(workers),
            stack: StackId(0),
        };
        writer.emit(tick, &event);
        let next = tick << COUNT_BITS | u64::from(workers);
        // AcqRel: publishes the change, and takes over the last one.
        match WORD.compare_exchange(word, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => word = now,
        }
        writer.rewind(mark);
    }
}
