//! Memory that never moves and that the global allocator knows nothing of.
//!
//! The recorder's hooks may run inside an allocator, so none of their memory comes from one. A [`Reservation`] is a stretch
//! of address space whose pages come into being when first touched; an [`Arena`] hands it out once and never takes it back.
#![expect(unsafe_code, reason = "mmap, and pointers into what it gives")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A stretch of anonymous memory, zero until written.
#[derive(Debug)]
pub(crate) struct Reservation {
    base: NonNull<u8>,
    size_bytes: usize,
}

// SAFETY: it is an address and a length; who may touch which part is the business of those that hand parts out.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves address space without reserving memory. `None` where the system refuses (an address-space limit).
    pub(crate) fn new(size_bytes: usize) -> Option<Self> {
        // SAFETY: a new private mapping touches nothing that exists.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast())?;
        Some(Self { base, size_bytes })
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// The address of byte `offset`, which must lie inside.
    #[inline]
    pub(crate) fn at(&self, offset: usize) -> NonNull<u8> {
        assert!(
            offset < self.size_bytes,
            "offset outside of the reservation"
        );
        // SAFETY: inside the mapping, as just asserted.
        unsafe { self.base.add(offset) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nobody holds a reference into it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size_bytes) };
    }
}

/// Hands out a reservation from its start to its end.
#[derive(Debug)]
pub(crate) struct Arena {
    reservation: Reservation,
    used: AtomicUsize,
}

impl Arena {
    pub(crate) fn new(size_bytes: usize) -> Option<Self> {
        Some(Self {
            reservation: Reservation::new(size_bytes)?,
            used: AtomicUsize::new(0),
        })
    }

    /// A stretch of `size_bytes`, aligned to 8 if all sizes asked for are multiples of 8. `None` when the arena is spent.
    ///
    /// # Signal safety
    /// One atomic addition.
    pub(crate) fn take(&self, size_bytes: usize) -> Option<NonNull<u8>> {
        debug_assert_eq!(size_bytes % 8, 0);
        let limit = self.reservation.size_bytes();
        // Relaxed: only the counts must be disjoint; what is put there is published by others.
        let start = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                let end = used.checked_add(size_bytes)?;
                (end <= limit).then_some(end)
            });
        Some(self.reservation.at(start.ok()?))
    }

    /// Bytes handed out so far.
    pub(crate) fn used_bytes(&self) -> usize {
        // Relaxed: a figure for a report.
        self.used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_hands_out_disjoint_stretches_until_it_is_spent() {
        let arena = Arena::new(64).expect("64 bytes of address space");
        let first = arena.take(24).expect("24 of 64");
        let second = arena.take(40).expect("40 of 40");
        assert_eq!(second.addr().get() - first.addr().get(), 24);
        assert!(arena.take(8).is_none());
        assert_eq!(arena.used_bytes(), 64);
    }
}
