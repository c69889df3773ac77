//! What the crate takes from a threading library: std's, or loom's under `--cfg loom`.
//!
//! Atomics and threads are swapped by name. Plain memory is not: the reader borrows whole
//! stretches of the data ring as slices, which loom's cell, one per value, cannot give. So
//! plain memory lies in std's cells, and a [`Shadow`] beside it tells loom of each access.

#[cfg(not(loom))]
pub(crate) use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering, fence},
    },
    thread::{self, Thread},
};

#[cfg(loom)]
pub(crate) use loom::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering, fence},
    },
    thread::{self, Thread},
};

/// Reports accesses to plain memory to loom, one cell per value; nothing without loom.
pub(crate) struct Shadow {
    #[cfg(loom)]
    cells: Box<[loom::cell::UnsafeCell<()>]>,
}

impl Shadow {
    /// A shadow of `len` values.
    #[cfg_attr(not(loom), expect(unused_variables, reason = "only loom keeps cells"))]
    pub(crate) fn new(len: usize) -> Self {
        Self {
            #[cfg(loom)]
            cells: (0..len).map(|_| loom::cell::UnsafeCell::new(())).collect(),
        }
    }

    /// Says that `len` values from `at` are being read, shared.
    #[cfg(loom)]
    pub(crate) fn read(&self, at: usize, len: usize) {
        for cell in &self.cells[at..at + len] {
            cell.with(|_| ());
        }
    }

    /// Says that `len` values from `at` are being written, alone.
    #[cfg(loom)]
    pub(crate) fn write(&self, at: usize, len: usize) {
        for cell in &self.cells[at..at + len] {
            cell.with_mut(|_| ());
        }
    }

    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn read(&self, _at: usize, _len: usize) {}

    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn write(&self, _at: usize, _len: usize) {}
}
