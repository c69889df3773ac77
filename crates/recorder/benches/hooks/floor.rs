//! What the machine makes everybody pay: the least that hooks of this design can cost on it.
//!
//! An event needs a reading of the clock and a few bytes stored; a change of a task's word that another thread may change too, an
//! atomic swap; a frame of a stack, a load from where the last one pointed. That and nothing else is measured, with nobody
//! contending and everything in the nearest cache.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::read_clock;

/// Operations of a round: so few that most rounds are not interrupted.
const OPERATIONS: u32 = 1_000;
/// Rounds, of which the quickest counts: what a busy machine adds is not the floor.
const ROUNDS: usize = 301;

/// What some hooks cannot do without.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    /// Events written.
    pub(crate) events: u8,
    /// Changes of a word that is shared.
    pub(crate) swaps: u8,
    /// Frames of stacks.
    pub(crate) frames: usize,
}

/// A frame of a stack as a walk sees it.
struct Frame<'stack> {
    caller: Option<&'stack Frame<'stack>>,
    pc: u64,
}

impl Floor {
    /// What it costs here, in nanoseconds.
    pub(crate) fn measure_ns(self) -> f64 {
        self.beneath(self.frames, None)
    }

    /// The same, with so many frames more on a stack of which `top` is the innermost.
    fn beneath(self, more: usize, top: Option<&Frame<'_>>) -> f64 {
        if more > 0 {
            let frame = black_box(Frame {
                caller: top,
                pc: more as u64,
            });
            return self.beneath(more - 1, Some(&frame));
        }
        let rounds = (0..ROUNDS).map(|_| self.round_ns(top));
        rounds.min().unwrap_or(0) as f64 / f64::from(OPERATIONS)
    }

    fn round_ns(self, top: Option<&Frame<'_>>) -> u128 {
        let (mut batch, mut position, mut last) = ([0; 4096], 0, 0);
        let word = AtomicU64::new(0);
        let start = Instant::now();
        for _ in 0..OPERATIONS {
            for event in 0..self.events {
                let now = read_clock();
                // A type, the time since the last event, and a number, as most events are.
                let place: &mut [u8; 4] = (&mut batch[position..][..4]).try_into().expect("four");
                *place = [event, now.wrapping_sub(last) as u8, 1, 0];
                (position, last) = ((position + 4) % 4092, now);
            }
            for _ in 0..self.swaps {
                // Relaxed: one thread; the processor charges the same for all orders.
                let old = word.load(Ordering::Relaxed);
                // Relaxed: as above.
                let _ = word.compare_exchange(old, old + 1, Ordering::Relaxed, Ordering::Relaxed);
            }
            let (mut next, mut sum) = (top, 0_u64);
            while let Some(frame) = next {
                sum = sum.wrapping_add(frame.pc);
                next = frame.caller;
            }
            black_box(sum);
        }
        let time_ns = start.elapsed().as_nanos();
        black_box((batch, word));
        time_ns
    }
}
