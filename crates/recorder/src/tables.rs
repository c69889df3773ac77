//! The string table and the stack table of the process, and where they are found.
#![expect(
    unsafe_code,
    reason = "a pointer to tables that live as long as the process"
)]

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::gate::{Mode, SessionStamp};
use crate::intern_table::{Chunk, Entry, InternTable, StackHash};
use crate::stack_walk::StackBuffer;

/// An interned stack: return addresses, innermost first.
pub(crate) type StackEntry = Entry<u64>;

const STACK_BUCKET_BITS: u32 = 15;
const STRING_BUCKET_BITS: u32 = 13;
/// About 200,000 stacks of 30 frames.
const STACK_ARENA_BYTES: usize = 64 << 20;
const STRING_ARENA_BYTES: usize = 32 << 20;
/// Address space of both tables.
pub(crate) const ARENA_BYTES: usize = STACK_ARENA_BYTES + STRING_ARENA_BYTES;

/// The tables.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) strings: InternTable<u8>,
    pub(crate) stacks: InternTable<u64>,
    /// Stands for the start of a task whose own could not be interned: Go 1.19's pages need a frame there.
    unknown_start: OnceLock<&'static StackEntry>,
}

static TABLES: AtomicPtr<Tables> = AtomicPtr::new(std::ptr::null_mut());

impl Tables {
    /// The stack that holds `entry` alone, or the stand-in, used by the session.
    #[inline]
    pub(crate) fn start_stack(
        &'static self,
        entry: u64,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> u32 {
        let content = start_content(entry);
        match self
            .stacks
            .intern(&content, StackHash::of(&content), stamp, chunk)
        {
            Some(stack) => stack.id(),
            None => self.unknown_start.get().map_or(0, |unknown| {
                self.stacks.mark_used(unknown, stamp);
                unknown.id()
            }),
        }
    }

    /// The stack in `walked`; `None` when the table is full or the stack is empty.
    #[inline]
    pub(crate) fn stack(
        &'static self,
        walked: &StackBuffer,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> Option<&'static StackEntry> {
        if walked.pcs().is_empty() {
            return None;
        }
        self.stacks
            .intern(walked.pcs(), walked.hash(), stamp, chunk)
    }

    /// Bytes of memory in use.
    pub(crate) fn used_bytes(&self) -> usize {
        self.strings.used_bytes() + self.stacks.used_bytes()
    }
}

/// The tables, which are there once a session has been started.
#[inline(always)]
pub(crate) fn get() -> Option<&'static Tables> {
    // Acquire: shows the tables; pairs with the Release in `ensure`.
    let pointer = TABLES.load(Ordering::Acquire);
    // SAFETY: tables are never freed.
    unsafe { pointer.as_ref() }
}

/// The stack in `walked`, if the session has used it already: for hooks that call nothing.
#[inline(always)]
pub(crate) fn seen_stack(walked: &StackBuffer, stamp: SessionStamp) -> Option<&'static StackEntry> {
    get()?.stacks.seen(walked.pcs(), walked.hash(), stamp)
}

/// The stack that holds `entry` alone, as [`seen_stack`].
#[inline(always)]
pub(crate) fn seen_start_stack(entry: u64, stamp: SessionStamp) -> Option<&'static StackEntry> {
    let content = start_content(entry);
    get()?.stacks.seen(&content, StackHash::of(&content), stamp)
}

/// An entry point is no return address: one more than it is, so that looking up the address before finds it.
#[inline(always)]
fn start_content(entry: u64) -> [u64; 1] {
    [entry.wrapping_add(1)]
}

/// Makes the tables if they are not there. `None` where address space is refused.
pub(crate) fn ensure() -> Option<&'static Tables> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(tables) = get() {
        return Some(tables);
    }
    let tables: &'static Tables = Box::leak(Box::new(Tables {
        strings: InternTable::new(STRING_BUCKET_BITS, STRING_ARENA_BYTES)?,
        stacks: InternTable::new(STACK_BUCKET_BITS, STACK_ARENA_BYTES)?,
        unknown_start: OnceLock::new(),
    }));
    let unknown = unknown_start_function as fn() as usize as u64 + 1;
    let never = SessionStamp::new(0, Mode::default());
    let entry = tables.stacks.intern(
        &[unknown],
        StackHash::of(&[unknown]),
        never,
        &mut Chunk::empty(),
    )?;
    tables.unknown_start.get_or_init(|| entry);
    // Release: publishes the tables; pairs with the Acquire in `get`.
    TABLES.store(std::ptr::from_ref(tables).cast_mut(), Ordering::Release);
    Some(tables)
}

/// What the start of a task is called that has no name.
#[inline(never)]
fn unknown_start_function() {
    std::hint::black_box(());
}
