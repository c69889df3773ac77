//! Stacks by frame pointers, in the hook: 1.3 ns a frame, with guarded loads.
//!
//! ```text
//!  frame pointer ──► [ caller's frame pointer │ return address ]      both inside the thread's stack,
//!                          │                                          aligned, each higher than the last
//!                          └──► [ … │ … ]
//! ```
//!
//! A frame pointer that leaves the bounds, is not aligned or does not rise ends the walk: code without frame pointers makes
//! stacks short, never wrong loads. There is no DWARF unwinding here: it locks and allocates.
#![expect(unsafe_code, reason = "loads of the thread's own stack")]

use std::sync::atomic::{AtomicBool, Ordering};

use crate::intern_table::{HashValue, StackHash};
use crate::walk_cache::{Frame, HookKind};

/// Most frames of a stack, as in Go.
pub(crate) const FRAMES_MAX: usize = 128;

/// Where a thread's stack lies: `[low, high)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackBounds {
    /// The lowest address.
    pub low: usize,
    /// The first address above.
    pub high: usize,
}

/// The program was built without frame pointers, so walks find nothing.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// From now on hooks take no stacks, for the process's life.
pub(crate) fn give_up() {
    // Relaxed: a hook that sees it late takes one more.
    GIVEN_UP.store(true, Ordering::Relaxed);
}

/// Whether hooks take no stacks.
#[inline(always)]
pub(crate) fn is_given_up() -> bool {
    // Relaxed: as above.
    GIVEN_UP.load(Ordering::Relaxed)
}

impl StackBounds {
    #[inline(always)]
    pub(crate) fn contains(self, address: usize) -> bool {
        self.low <= address && address < self.high
    }
}

/// A walk that is to be made: where it begins, and how far it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Where the innermost frame lies, inside the thread's stack; 0 if there is none.
    pub(crate) frame: usize,
    /// The end of the thread's stack, or where those of its task end.
    high: usize,
    frames_max: usize,
    /// For which kind of hook.
    pub(crate) hook: HookKind,
}

impl Walk {
    /// One that finds nothing.
    pub(crate) const NONE: Self = Self {
        frame: 0,
        high: 0,
        frames_max: 0,
        hook: HookKind::Other,
    };

    /// From the function that this is inlined into, at most `frames_max` frames far.
    #[inline(always)]
    pub(crate) fn here(hook: HookKind, bounds: StackBounds, frames_max: usize) -> Self {
        let (frame, stack) = (frame_pointer(), stack_pointer());
        // What lies below the stack pointer may not be mapped yet.
        let is_inside = bounds.contains(stack) && frame >= stack;
        Self {
            frame: if is_inside { frame } else { 0 },
            high: bounds.high,
            frames_max: frames_max.min(FRAMES_MAX),
            hook,
        }
    }
}

/// Return addresses, innermost first, and their hash.
#[derive(Debug)]
pub(crate) struct StackBuffer {
    pcs: [u64; FRAMES_MAX],
    length: usize,
    hash: HashValue,
    cut: bool,
    /// The last walk ended at what its last frame says, not at what lies beyond.
    ended_for_sure: bool,
}

impl StackBuffer {
    pub(crate) const fn new() -> Self {
        Self {
            pcs: [0; FRAMES_MAX],
            length: 0,
            hash: HashValue::EMPTY,
            cut: false,
            ended_for_sure: false,
        }
    }

    #[inline]
    pub(crate) fn pcs(&self) -> &[u64] {
        &self.pcs[..self.length]
    }

    #[inline]
    pub(crate) fn hash(&self) -> HashValue {
        self.hash
    }

    /// Whether frames were left out because there were too many.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// A stack of the given addresses.
    #[cfg(test)]
    pub(crate) fn set(&mut self, pcs: &[u64]) {
        self.length = pcs.len().min(FRAMES_MAX);
        self.pcs[..self.length].copy_from_slice(&pcs[..self.length]);
        self.cut = pcs.len() > FRAMES_MAX;
        self.ended_for_sure = false;
        self.hash = StackHash::of(pcs);
    }

    /// Makes a walk of the calling thread's stack. Only a stack of more than [`FRAMES_MAX`] counts as cut.
    ///
    /// # Signal safety
    /// Loads of the stack alone.
    #[inline(always)]
    pub(crate) fn walk(&mut self, walk: &Walk) {
        let mut frame = walk.frame;
        let mut low = LEAST_PC as usize;
        let mut hash = StackHash::new();
        let mut length = 0;
        // Two words must lie below `high`.
        let high = walk.high.saturating_sub(16);
        for place in &mut self.pcs[..walk.frames_max] {
            let Some((next, pc)) = frame_at(frame, low, high) else {
                break;
            };
            hash.feed(length, pc);
            *place = pc;
            length += 1;
            low = frame + 16;
            frame = next;
        }
        self.cut = length == FRAMES_MAX && frame_at(frame, low, high).is_some();
        self.ended_for_sure = length == walk.frames_max || !may_be_at(frame, low, high);
        self.length = length;
        self.hash = hash.finish();
    }

    /// The frames of the last walk. `None` if a word beyond the last one told that there are no more.
    pub(crate) fn frames(&self, walk: &Walk) -> Option<impl ExactSizeIterator<Item = Frame>> {
        let mut frame = walk.frame;
        self.ended_for_sure.then(|| {
            self.pcs().iter().map(move |&pc| {
                // SAFETY: the walk that was just made found a frame there.
                let next = unsafe { (frame as *const usize).read() };
                frame = next;
                Frame { next, pc }
            })
        })
    }
}

/// Whether a frame can lie at this place, from `low` to `high`, whatever is there.
#[inline(always)]
fn may_be_at(frame: usize, low: usize, high: usize) -> bool {
    low <= frame && frame <= high && frame.is_multiple_of(8)
}

/// The next frame and the return address, if a frame lies at this place, from `low` to `high`: of those the caller knows that
/// they are in the thread's own stack, two words further too.
#[inline(always)]
fn frame_at(frame: usize, low: usize, high: usize) -> Option<(usize, u64)> {
    if !may_be_at(frame, low, high) {
        return None;
    }
    let words = frame as *const u64;
    // SAFETY: aligned, and inside the thread's own stack, which is mapped as long as the thread runs.
    let next = unsafe { words.read() };
    // SAFETY: the word above.
    let words = unsafe { words.add(1) };
    // SAFETY: as above.
    let pc = unsafe { words.read() };
    (pc >= LEAST_PC).then_some((next as usize, pc))
}

/// No code lies in the lowest page.
const LEAST_PC: u64 = 4096;

/// The frame pointer of the function that this is inlined into; garbage in code without frame pointers.
#[inline(always)]
fn frame_pointer() -> usize {
    let frame: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: copies a register.
    unsafe {
        core::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: copies a register.
    unsafe {
        core::arch::asm!("mov {}, x29", out(reg) frame, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        frame = 0;
    }
    frame
}

/// An address at the lower end of what the thread uses of its stack.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let stack: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: copies a register.
    unsafe {
        core::arch::asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: copies a register.
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) stack, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        stack = 0;
    }
    stack
}

/// The bounds of the calling thread's stack; empty where the system does not tell.
pub(crate) fn own_bounds() -> StackBounds {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: every thread has a handle.
    let own = unsafe { libc::pthread_self() };
    // SAFETY: asks about the calling thread; writes the attributes if it answers 0.
    if unsafe { libc::pthread_getattr_np(own, attributes.as_mut_ptr()) } != 0 {
        return StackBounds::default();
    }
    let mut base = std::ptr::null_mut();
    let mut size_bytes = 0;
    // SAFETY: the attributes were written above; base and size are locals.
    let answer =
        unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &mut base, &mut size_bytes) };
    // SAFETY: the attributes were written above, and are not used again.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    if answer != 0 {
        return StackBounds::default();
    }
    StackBounds {
        low: base.addr(),
        high: base.addr() + size_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn descend(depth: usize, buffer: &mut StackBuffer, bounds: StackBounds) -> usize {
        if depth == 0 {
            buffer.walk(&Walk::here(HookKind::Other, bounds, FRAMES_MAX));
            return 0;
        }
        std::hint::black_box(descend(depth - 1, buffer, bounds)) + 1
    }

    #[test]
    fn a_walk_sees_each_call_and_the_same_call_gives_the_same_hash() {
        let bounds = own_bounds();
        let mut shallow = StackBuffer::new();
        let mut deep = StackBuffer::new();
        descend(3, &mut shallow, bounds);
        descend(13, &mut deep, bounds);
        assert_eq!(deep.pcs().len(), shallow.pcs().len() + 10);
        let mut hashes = [HashValue::EMPTY; 2];
        // One call, also in optimised code.
        for hash in std::hint::black_box(&mut hashes[..]) {
            descend(5, &mut deep, bounds);
            *hash = deep.hash();
        }
        assert_eq!(hashes[0], hashes[1]);
        assert_ne!(deep.hash(), shallow.hash());
        let mut copy = StackBuffer::new();
        copy.set(deep.pcs());
        assert_eq!(copy.hash(), deep.hash());
    }

    #[test]
    fn a_stack_deeper_than_128_is_cut_and_says_so() {
        let mut buffer = StackBuffer::new();
        descend(300, &mut buffer, own_bounds());
        assert_eq!(buffer.pcs().len(), FRAMES_MAX);
        assert!(buffer.is_cut());
    }

    #[test]
    fn a_walk_goes_as_far_as_it_is_asked_to() {
        fn walk(depth: usize, buffer: &mut StackBuffer, frames_max: usize) -> usize {
            if depth == 0 {
                buffer.walk(&Walk::here(HookKind::Other, own_bounds(), frames_max));
                return 0;
            }
            std::hint::black_box(walk(depth - 1, buffer, frames_max)) + 1
        }
        let (mut short, mut long) = (StackBuffer::new(), StackBuffer::new());
        for (buffer, frames_max) in [(&mut short, 4), (&mut long, FRAMES_MAX)] {
            walk(10, buffer, frames_max);
        }
        assert_eq!(short.pcs(), &long.pcs()[..4]);
        assert!(!short.is_cut());
    }

    #[test]
    fn outside_of_the_bounds_nothing_is_loaded() {
        let mut buffer = StackBuffer::new();
        buffer.walk(&Walk::here(
            HookKind::Other,
            StackBounds::default(),
            FRAMES_MAX,
        ));
        assert!(buffer.pcs().is_empty());
        let own = own_bounds();
        let elsewhere = StackBounds {
            low: own.low,
            high: own.low + 4096,
        };
        buffer.walk(&Walk::here(HookKind::Other, elsewhere, FRAMES_MAX));
        assert!(buffer.pcs().is_empty());
    }
}
