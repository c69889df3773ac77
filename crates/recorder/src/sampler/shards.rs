//! Profiling buffers for handlers that run at once: a buffer has one writer, handlers are many.
//!
//! A handler takes the first shard that no other handler is in. There are twice as many shards as processors, so that it finds
//! one at once unless handlers were suspended in the middle; if there is none, its sample is lost and counted.
#![expect(
    unsafe_code,
    reason = "a shard's insides belong to the handler that took it"
)]

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use exectrace_profbuf::{Reader, Sizes, Writer, buffer};

use super::rule_cache::RuleCache;
use super::sample::HEADER_WORDS;
use super::stack_memory::WINDOW_WORDS;
use crate::stack_walk::FRAMES_MAX;

const SHARDS_MAX: usize = 16;

/// 128 KiB a shard: at 40 frames, 350 samples between two looks of the collector.
const SIZES: Sizes = Sizes {
    header_words: HEADER_WORDS,
    data_words: 1 << 14,
    tags: 1 << 10,
};

/// What a handler works with. Too large for its stack, which may be a few KiB.
pub(super) struct Workplace {
    pub(super) writer: Writer<()>,
    pub(super) pcs: [u64; FRAMES_MAX],
    pub(super) window: [u64; WINDOW_WORDS],
    pub(super) cache: RuleCache,
}

/// A shard. On cache lines of its own, so that handlers don't disturb each other.
#[repr(align(128))]
struct Shard {
    // Shared atomically.
    busy: AtomicBool,
    // Who set `busy`'s.
    workplace: UnsafeCell<Workplace>,
}

// SAFETY: the workplace is reached through `Shards::with_one` alone, which gives it to one handler at a time.
unsafe impl Sync for Shard {}

/// The shards, and the account of what went through them.
pub(super) struct Shards {
    shards: Box<[Shard]>,
    /// Handlers at work.
    at_work: AtomicU64,
    /// Samples taken, by weight.
    produced: AtomicU64,
    /// Samples that no buffer had room for, or no shard, by weight.
    lost: AtomicU64,
}

/// The shards of the process, once there are some. Never freed, since a handler may come late.
static SHARDS: AtomicPtr<Shards> = AtomicPtr::new(std::ptr::null_mut());

/// The shards of the process.
///
/// # Signal safety
/// One load.
pub(super) fn get() -> Option<&'static Shards> {
    // Acquire: shows the shards; pairs with the Release in `make`.
    let shards = SHARDS.load(Ordering::Acquire);
    // SAFETY: shards are never freed.
    unsafe { shards.as_ref() }
}

/// Makes the shards of the process. To be called once; the readers are their reading ends.
pub(super) fn make() -> Option<(&'static Shards, Vec<Reader<()>>)> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let count = (2 * processors).min(SHARDS_MAX);
    let mut shards = Vec::with_capacity(count);
    let mut readers = Vec::with_capacity(count);
    for _ in 0..count {
        let (writer, reader) = buffer(SIZES).ok()?;
        readers.push(reader);
        shards.push(Shard {
            busy: AtomicBool::new(false),
            workplace: UnsafeCell::new(Workplace {
                writer,
                pcs: [0; FRAMES_MAX],
                window: [0; WINDOW_WORDS],
                cache: RuleCache::new(),
            }),
        });
    }
    let shards: &'static Shards = Box::leak(Box::new(Shards {
        shards: shards.into(),
        at_work: AtomicU64::new(0),
        produced: AtomicU64::new(0),
        lost: AtomicU64::new(0),
    }));
    // Release: pairs with the Acquire in `get`.
    SHARDS.store(std::ptr::from_ref(shards).cast_mut(), Ordering::Release);
    Some((shards, readers))
}

impl Shards {
    /// A handler begins its work. [`Shards::handler_leaves`] must follow.
    ///
    /// # Signal safety
    /// One atomic addition.
    pub(super) fn handler_enters(&self) {
        // SeqCst: either the stopper sees us in `wait_until_idle`, or we see its `Slot::disarm`.
        self.at_work.fetch_add(1, Ordering::SeqCst);
    }

    /// A handler has done its work.
    ///
    /// # Signal safety
    /// One atomic subtraction.
    pub(super) fn handler_leaves(&self) {
        // Release: what the handler wrote and counted is done; pairs with the load in `wait_until_idle`.
        self.at_work.fetch_sub(1, Ordering::Release);
    }

    /// Waits until no handler is at work, after the slots were disarmed; not for ever, since a handler's thread may be
    /// suspended.
    pub(super) fn wait_until_idle(&self, longest: Duration) {
        let begin = Instant::now();
        // SeqCst: pairs with `handler_enters`; acquires what handlers did before `handler_leaves`.
        while self.at_work.load(Ordering::SeqCst) != 0 && begin.elapsed() < longest {
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// Gives `work` a workplace to itself, one near `start` if it is free. `None` if all are taken.
    ///
    /// # Signal safety
    /// One swap for each shard at most, no wait.
    pub(super) fn with_one<R>(
        &self,
        start: usize,
        work: impl FnOnce(&mut Workplace) -> R,
    ) -> Option<R> {
        let count = self.shards.len();
        let mut shards = (0..count).map(|ahead| &self.shards[(start + ahead) % count]);
        // Acquire: takes over what the last handler left; pairs with the Release below.
        let shard = shards.find(|shard| !shard.busy.swap(true, Ordering::Acquire))?;
        // SAFETY: `busy` was not set and is now, by us: nobody else is here until it is cleared.
        let workplace = unsafe { &mut *shard.workplace.get() };
        let result = work(workplace);
        // Release: hands the workplace over; pairs with the Acquire above.
        shard.busy.store(false, Ordering::Release);
        Some(result)
    }

    /// Counts samples as taken.
    ///
    /// # Signal safety
    /// One atomic addition.
    pub(super) fn count_produced(&self, weight: u64) {
        // Relaxed: a figure, read after `wait_until_idle`.
        self.produced.fetch_add(weight, Ordering::Relaxed);
    }

    /// Counts samples as lost, after they were counted as taken.
    ///
    /// # Signal safety
    /// One atomic addition.
    pub(super) fn count_lost(&self, weight: u64) {
        // Relaxed: as above.
        self.lost.fetch_add(weight, Ordering::Relaxed);
    }

    /// Samples taken since the shards were made.
    pub(super) fn produced(&self) -> u64 {
        // Relaxed: a figure.
        self.produced.load(Ordering::Relaxed)
    }

    /// Samples lost since the shards were made.
    pub(super) fn lost(&self) -> u64 {
        // Relaxed: a figure.
        self.lost.load(Ordering::Relaxed)
    }
}
