//! Slots: where a thread's timer leads its signals.
//!
//! A signal brings the address of its thread's slot, its lowest bits the generation of the timer: a signal of a timer that
//! was deleted meanwhile, or of somebody else's, finds nothing. Slots stand in a slab that is never given back.
#![expect(
    unsafe_code,
    reason = "slots are reached by the address in a signal, in memory that is mapped and never moves"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use crate::lane::{self, Lane};
use crate::memory::Reservation;

/// More threads than a process has: the kernel's usual limit of threads altogether.
const SLOTS_MAX: usize = 32_768;

/// Address space of all slots.
pub(super) const SLAB_BYTES: usize = SLOTS_MAX * size_of::<Slot>();

/// Generations are from 1 to this; the bits of the address that are free.
const GENERATION_MAX: u32 = align_of::<Slot>() as u32 - 1;

/// One thread's place in the sampler.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct Slot {
    // Shared: stored by the sampler, looked at by the handler.
    /// Generation of the timer; 0 while there is none.
    armed: AtomicU32,
    // Fixed while armed.
    thread: AtomicI32,
    // The sampler's only.
    last_generation: AtomicU32,
    // The handler's only, but for the reset when a timer is made.
    lane: AtomicPtr<Lane>,
    /// How many lanes had been claimed when one was last looked for in vain.
    claims_seen: AtomicU32,
}

impl Slot {
    /// Prepares the slot for a timer of the thread; returns the value for its signals.
    pub(super) fn arm(&self, thread: i32) -> usize {
        // Relaxed: only the sampler stores here.
        let last = self.last_generation.load(Ordering::Relaxed);
        let generation = last % GENERATION_MAX + 1;
        // Relaxed: as above.
        self.last_generation.store(generation, Ordering::Relaxed);
        // Relaxed: published by the store below.
        self.thread.store(thread, Ordering::Relaxed);
        // Relaxed: as above.
        self.lane.store(std::ptr::null_mut(), Ordering::Relaxed);
        // Relaxed: as above; one less, so that the first signal looks.
        self.claims_seen
            .store(lane::claims().wrapping_sub(1), Ordering::Relaxed);
        // SeqCst: shows the thread; pairs with the load in `is_armed`.
        self.armed.store(generation, Ordering::SeqCst);
        std::ptr::from_ref(self).addr() | generation as usize
    }

    /// Signals on their way find nothing from now on.
    pub(super) fn disarm(&self) {
        // SeqCst: a handler that still finds it armed has said before that it is at work: see `Shards::wait_until_idle`.
        self.armed.store(0, Ordering::SeqCst);
    }

    /// Whether the timer of that generation is the slot's.
    ///
    /// # Signal safety
    /// One load.
    pub(super) fn is_armed(&self, generation: u32) -> bool {
        // SeqCst: pairs with the stores in `arm` and `disarm`.
        self.armed.load(Ordering::SeqCst) == generation
    }

    /// The thread that the slot's signals go to.
    ///
    /// # Signal safety
    /// One load.
    pub(super) fn thread(&self) -> u32 {
        // Relaxed: constant while the slot is armed.
        self.thread.load(Ordering::Relaxed).unsigned_abs()
    }

    /// The lane of the slot's thread, if it has one. Called by that thread's handler.
    ///
    /// # Signal safety
    /// Atomic loads and stores; walks the list of lanes, whose end is known, if a thread got a lane since it was last walked.
    pub(super) fn lane(&self) -> Option<&'static Lane> {
        let thread = u64::from(self.thread());
        // Relaxed: stored by this thread.
        let known = self.lane.load(Ordering::Relaxed);
        // SAFETY: lanes are never freed, and only lanes are stored here.
        if let Some(lane) = unsafe { known.as_ref() }
            && lane.is_of(thread)
        {
            return Some(lane);
        }
        let claims = lane::claims();
        // Relaxed: stored by this thread.
        if self.claims_seen.load(Ordering::Relaxed) == claims {
            return None;
        }
        let found = lane::all().find(|lane| lane.is_of(thread));
        let pointer = found.map_or(std::ptr::null_mut(), |lane| {
            std::ptr::from_ref(lane).cast_mut()
        });
        // Relaxed: for this thread.
        self.lane.store(pointer, Ordering::Relaxed);
        // Relaxed: as above.
        self.claims_seen.store(claims, Ordering::Relaxed);
        found
    }
}

/// The slab: zeroed memory is a free slot each.
static SLAB: OnceLock<Option<Reservation>> = OnceLock::new();
/// Slots ever used.
static FRESH: AtomicUsize = AtomicUsize::new(0);

/// The free slots.
#[derive(Debug)]
pub(super) struct Slots {
    slab: &'static Reservation,
    free: Vec<&'static Slot>,
}

impl Slots {
    /// Slots of the slab, which is made when it is first asked for. `None` where address space is refused.
    pub(super) fn new() -> Option<Self> {
        let slab = SLAB.get_or_init(|| Reservation::new(SLAB_BYTES));
        Some(Self {
            slab: slab.as_ref()?,
            free: Vec::new(),
        })
    }

    /// A slot without a timer. `None` when there are more threads than slots.
    pub(super) fn take(&mut self) -> Option<&'static Slot> {
        if let Some(slot) = self.free.pop() {
            return Some(slot);
        }
        // Relaxed: only the indexes must differ.
        let index = FRESH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |fresh| {
            (fresh < SLOTS_MAX).then_some(fresh + 1)
        });
        Some(slot_at(self.slab, index.ok()?))
    }

    /// Takes a slot back, after its timer was deleted.
    pub(super) fn give_back(&mut self, slot: &'static Slot) {
        slot.disarm();
        self.free.push(slot);
    }
}

fn slot_at(slab: &'static Reservation, index: usize) -> &'static Slot {
    let address = slab.at(index * size_of::<Slot>()).cast::<Slot>();
    // SAFETY: aligned since a mapping is, inside the slab, which is never unmapped; zero bytes are a free slot.
    unsafe { address.as_ref() }
}

/// The slot and the generation that a signal's value tells. `None` if the value is no slot's.
///
/// # Signal safety
/// A load and arithmetic.
pub(super) fn of_signal(value: usize) -> Option<(&'static Slot, u32)> {
    let slab = SLAB.get()?.as_ref()?;
    let generation = value % align_of::<Slot>();
    let offset = (value - generation).checked_sub(slab.at(0).addr().get())?;
    if generation == 0 || !offset.is_multiple_of(size_of::<Slot>()) || offset >= slab.size_bytes() {
        return None;
    }
    Some((slot_at(slab, offset / size_of::<Slot>()), generation as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_finds_its_slot_only_while_its_timer_is_the_slots() {
        let mut slots = Slots::new().expect("address space");
        let (first, second) = (slots.take(), slots.take());
        let (first, second) = (first.expect("a slot"), second.expect("a slot"));
        let value = first.arm(7);
        let (found, generation) = of_signal(value).expect("the value is a slot's");
        assert!(std::ptr::eq(found, first) && found.is_armed(generation));
        assert_eq!(found.thread(), 7);
        slots.give_back(first);
        assert!(!found.is_armed(generation));
        let again = slots.take().expect("it came back");
        assert!(std::ptr::eq(again, first));
        let next = again.arm(8);
        assert_ne!(next, value);
        assert!(!found.is_armed(generation));
        for _ in 0..3 * GENERATION_MAX {
            let value = second.arm(9);
            assert!(of_signal(value).is_some_and(|(slot, generation)| slot.is_armed(generation)));
        }
        for wrong in [
            0,
            1,
            value - size_of::<Slot>() * 2,
            value & !127,
            usize::MAX,
        ] {
            assert!(of_signal(wrong).is_none(), "{wrong:#x}");
        }
    }
}
