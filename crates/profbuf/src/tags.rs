//! The tag ring's memory.
#![expect(
    unsafe_code,
    reason = "tags are shared between a writer and a reader without a lock"
)]

use std::cell::UnsafeCell;

use crate::sync::Shadow;

/// A ring of tags, one for each record of the data ring.
///
/// A slot belongs to the writer or to the reader as the words of its record do. A slot of the
/// writer's holds none: the reader takes the value out before it gives the slot back, and so
/// no write ever drops a value.
pub(crate) struct Tags<T> {
    slots: Box<[UnsafeCell<Option<T>>]>,
    shadow: Shadow,
}

// SAFETY: a value moves in on one thread and is used and moved out on another, which `T: Send`
// allows; every access goes through a method whose contract is that it does not conflict.
unsafe impl<T: Send> Sync for Tags<T> {}

impl<T> Tags<T> {
    /// A ring of `len` slots, a power of two, all none.
    pub(crate) fn new(len: u32) -> Self {
        assert!(len.is_power_of_two());
        Self {
            slots: (0..len).map(|_| UnsafeCell::new(None)).collect(),
            shadow: Shadow::new(len as usize),
        }
    }

    /// The ring's length in slots.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Moves a tag into the slot of this count.
    ///
    /// # Safety
    ///
    /// The slot belongs to the writer, who calls.
    #[inline]
    pub(crate) unsafe fn put(&self, count: u32, tag: T) {
        let slot = self.slot(count);
        self.shadow.write(slot, 1);
        let target = self.slots[slot].get();
        // SAFETY: the pointer is that of a cell, and the slot is the caller's alone. It holds
        // none, so that nothing needs to be dropped.
        unsafe { target.write(Some(tag)) }
    }

    /// The tag in the slot of this count.
    ///
    /// # Safety
    ///
    /// The slot belongs to the reader, who calls, and neither takes the tag nor gives the slot
    /// back while the reference lives.
    #[inline]
    pub(crate) unsafe fn get(&self, count: u32) -> Option<&T> {
        let slot = self.slot(count);
        self.shadow.read(slot, 1);
        let target = self.slots[slot].get();
        // SAFETY: the pointer is that of a cell, and nobody changes the slot meanwhile.
        let tag = unsafe { &*target };
        tag.as_ref()
    }

    /// Moves the tag out of the slot of this count.
    ///
    /// # Safety
    ///
    /// The slot belongs to the reader, who calls, and no reference to the tag is left.
    #[inline]
    pub(crate) unsafe fn take(&self, count: u32) -> Option<T> {
        let slot = self.slot(count);
        self.shadow.write(slot, 1);
        let target = self.slots[slot].get();
        // SAFETY: the pointer is that of a cell, and the slot is the caller's alone.
        let tag = unsafe { &mut *target };
        tag.take()
    }

    /// Where the tag of this count lies.
    #[inline]
    fn slot(&self, count: u32) -> usize {
        count as usize & (self.slots.len() - 1)
    }
}
