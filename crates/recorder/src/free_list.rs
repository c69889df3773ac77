//! A stack of free places, by index, without a lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Free places of a slab: each has a link of its own, which holds index + 1 of the next (0 ends the list).
#[derive(Debug)]
pub(crate) struct FreeList {
    /// Version (high half) and index + 1 of the top (low half). The version makes a swap with a stale top fail.
    top: AtomicU64,
}

impl FreeList {
    pub(crate) const fn new() -> Self {
        Self {
            top: AtomicU64::new(0),
        }
    }

    /// Gives place `index` back, whose link is `link`.
    ///
    /// # Signal safety
    /// Lock-free.
    pub(crate) fn push(&self, index: u32, link: &AtomicU32) {
        // Relaxed: only used to link.
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            // Relaxed: published by the swap.
            link.store(top as u32, Ordering::Relaxed);
            // Release: publishes the link and what stands in the place; pairs with the Acquire in `pop`.
            let pushed = next_version(top, index + 1);
            match self
                .top
                .compare_exchange_weak(top, pushed, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    /// Takes a free place. `link_of` finds a place's link, which stays readable when others take the place.
    ///
    /// # Signal safety
    /// Lock-free.
    pub(crate) fn pop<'a>(&self, link_of: impl Fn(u32) -> Option<&'a AtomicU32>) -> Option<u32> {
        // Acquire: shows the link; pairs with the Release in `push`.
        let mut top = self.top.load(Ordering::Acquire);
        loop {
            let index = (top as u32).checked_sub(1)?;
            // Relaxed: if it is stale, the swap fails by its version.
            let next = link_of(index)?.load(Ordering::Relaxed);
            let popped = next_version(top, next);
            // Acquire: takes the place over; on failure as above.
            match self
                .top
                .compare_exchange_weak(top, popped, Ordering::Acquire, Ordering::Acquire)
            {
                Ok(_) => return Some(index),
                Err(now) => top = now,
            }
        }
    }
}

/// The version after that of `old`, with `low` as its low half.
fn next_version(old: u64, low: u32) -> u64 {
    ((old >> 32).wrapping_add(1) << 32) | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_last_first_and_never_to_two_threads() {
        let links: Vec<AtomicU32> = (0..8).map(|_| AtomicU32::new(0)).collect();
        let holders: Vec<AtomicU32> = (0..8).map(|_| AtomicU32::new(0)).collect();
        let list = FreeList::new();
        assert_eq!(list.pop(|index| links.get(index as usize)), None);
        for index in 0..8 {
            list.push(index, &links[index as usize]);
        }
        assert_eq!(list.pop(|index| links.get(index as usize)), Some(7));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        let Some(index) = list.pop(|index| links.get(index as usize)) else {
                            continue;
                        };
                        let holder = &holders[index as usize];
                        assert_eq!(holder.fetch_add(1, Ordering::Relaxed), 0);
                        holder.fetch_sub(1, Ordering::Relaxed);
                        list.push(index, &links[index as usize]);
                    }
                });
            }
        });
    }
}
