//! The stack of an interrupted thread, innermost first.
//!
//! ```text
//!  interrupted pc ──► functions without a frame: their callers found by proof ──► chain of frame pointers
//! ```
//!
//! The frame pointer belongs to the innermost function that has set up a frame, which need not be the one that was
//! interrupted: libc's functions set up none, and every other has none yet in its first instructions and none any more in its
//! last. The chain alone would leave out the caller of such a function. So before it is followed, each word above the stack
//! pointer is asked whether it is the return address into the caller: see [`super::call_site`]. When the frame pointer is
//! proved to be the function's own, or when nothing can be proved, the chain takes over.

use super::call_site::{Leads, leads_to};
use super::code::Code;
use super::interrupted::Interrupted;
use super::stack_memory::StackMemory;

/// Functions without a frame that are walked through, at most.
const FRAMELESS_MAX: usize = 8;

/// Words in which a return address is looked for: libc's larger functions keep so many.
const SCAN_WORDS: usize = 64;

/// Words below a return address in which the caller's frame pointer may have been saved: what a function must preserve.
const SAVED_WORDS: usize = 8;

/// A function that is found by scanning is not longer than this: the tighter, the surer.
const SCAN_REACH: u64 = 4096;

/// A function whose frame it is is not longer than this: the wider, the more often the plain chain is believed.
const FRAME_REACH: u64 = 1 << 16;

/// Frame pointers are not further away: the largest stacks are smaller.
const STACK_BYTES_MAX: usize = 256 << 20;

/// Walks the stack of the interrupted code into `pcs`; answers how many there are, at least one unless the pc is 0. The first
/// is the interrupted address and one, since all are looked up at the address before.
///
/// # Signal safety
/// Loads, and system calls that read memory; at most some hundred steps.
pub(super) fn walk(
    at: Interrupted,
    code: &impl Code,
    memory: &mut StackMemory<'_>,
    pcs: &mut [u64],
) -> usize {
    if at.pc == 0 {
        return 0;
    }
    let mut stack = Stack { pcs, length: 0 };
    stack.push(at.pc.wrapping_add(1));
    let mut frames = Frames {
        code,
        memory,
        pc: at.pc,
        from: at.sp,
        fp: at.fp,
        highest: at.sp.saturating_add(STACK_BYTES_MAX),
    };
    if let Some(link) = at.link
        && !frames.is_own()
        && leads_to(code, link, at.pc, SCAN_REACH) == Leads::There
    {
        stack.push(link);
        frames.pc = link;
    }
    for _ in 0..FRAMELESS_MAX {
        if frames.is_own() {
            break;
        }
        let Some(caller) = frames.scan() else {
            break;
        };
        stack.push(caller);
    }
    while let Some(caller) = frames.next_in_chain() {
        if !stack.push(caller) {
            break;
        }
    }
    stack.length
}

struct Stack<'pcs> {
    pcs: &'pcs mut [u64],
    length: usize,
}

impl Stack<'_> {
    /// False if there is no room.
    fn push(&mut self, pc: u64) -> bool {
        match self.pcs.get_mut(self.length) {
            Some(place) => {
                *place = pc;
                self.length += 1;
                true
            }
            None => false,
        }
    }
}

/// How far a walk has come.
struct Frames<'walk, 'window, C> {
    code: &'walk C,
    memory: &'walk mut StackMemory<'window>,
    /// An address in the function whose caller is looked for.
    pc: u64,
    /// What lies below has been walked.
    from: usize,
    fp: usize,
    highest: usize,
}

impl<C: Code> Frames<'_, '_, C> {
    /// Whether the frame pointer is that of the function at `pc`, as far as can be told.
    fn is_own(&mut self) -> bool {
        match self.verdict_on(self.fp, self.from, self.pc) {
            Leads::There => true,
            Leads::Elsewhere => false,
            // The program has frame pointers, libraries have not.
            Leads::Unknown => self.code.is_programs(self.pc),
        }
    }

    /// Whether a frame at `fp`, at or above `from`, returns from the function at `pc`.
    fn verdict_on(&mut self, fp: usize, from: usize, pc: u64) -> Leads {
        if fp < from || fp > self.highest {
            return Leads::Elsewhere;
        }
        match self.memory.word(fp.wrapping_add(8)) {
            Some(return_address) => leads_to(self.code, return_address, pc, FRAME_REACH),
            None => Leads::Elsewhere,
        }
    }

    /// Looks for the return address of the function at `pc`, which has no frame.
    fn scan(&mut self) -> Option<u64> {
        let mut at = self.from.checked_next_multiple_of(8)?;
        for _ in 0..SCAN_WORDS {
            let word = self.memory.word(at)?;
            if leads_to(self.code, word, self.pc, SCAN_REACH) == Leads::There {
                self.step_over(at, word);
                return Some(word);
            }
            at = at.checked_add(8)?;
        }
        None
    }

    /// Goes on with the caller, whose return address stands at `at`.
    fn step_over(&mut self, at: usize, return_address: u64) {
        let below = self.from;
        self.pc = return_address;
        self.from = at + 8;
        if self.fp >= self.from && self.fp <= self.highest {
            // The function left the frame pointer alone.
            return;
        }
        let saved = (1..=SAVED_WORDS).find_map(|words| {
            let place = at.checked_sub(8 * words).filter(|&place| place >= below)?;
            let fp = usize::try_from(self.memory.word(place)?).ok()?;
            let verdict = self.verdict_on(fp, at + 8, return_address);
            (verdict == Leads::There).then_some(fp)
        });
        self.fp = saved.unwrap_or(0);
    }

    /// The next return address by frame pointers.
    fn next_in_chain(&mut self) -> Option<u64> {
        if self.fp < self.from || self.fp > self.highest {
            return None;
        }
        let next = self.memory.word(self.fp)?;
        let return_address = self.memory.word(self.fp.wrapping_add(8))?;
        if !self.code.contains(return_address) {
            return None;
        }
        self.from = self.fp + 16;
        self.fp = usize::try_from(next).ok()?;
        Some(return_address)
    }
}
