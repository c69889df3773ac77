//! The stack of an interrupted thread, innermost first.
//!
//! From a function to its caller leads the rule for its address, where there is one: also from libc's functions, which keep no
//! frame pointers, and from a function's first and last instructions, where its frame is not set up yet or not any more. Else
//! the frame pointer leads: exact in the middle of functions that have one, and one function too far at their ends, which the
//! interrupted instruction itself tells. Whatever leads, the stack pointer must rise and the return address must lie in code:
//! a missing frame is better than a wrong one.

use super::code::Code;
use super::interrupted::Interrupted;
use super::stack_memory::StackMemory;
use super::unwind_rule::{From, Saved, Unwind, UnwindRule};

/// Frame pointers are not further away: the largest stacks are smaller.
const STACK_BYTES_MAX: usize = 256 << 20;

/// Walks the stack of the interrupted code into `pcs`; answers how many there are, at least one unless the pc is 0. The first
/// is the interrupted address and one, since all are looked up at the address before.
///
/// # Signal safety
/// Loads, and system calls that read memory; some dozen of steps for each frame.
pub(super) fn walk(
    at: Interrupted,
    code: &mut impl Code,
    memory: &mut StackMemory<'_>,
    pcs: &mut [u64],
) -> usize {
    let mut frame = Frame {
        pc: at.pc,
        sp: at.sp,
        fp: at.fp,
        link: at.link,
    };
    let highest = at.sp.saturating_add(STACK_BYTES_MAX);
    let mut length = 0;
    for place in pcs {
        let is_innermost = length == 0;
        // A return address may be the first one of the next function, when the call never returns.
        let rule = code.rule_at(frame.pc.wrapping_sub(u64::from(!is_innermost)));
        if frame.pc == 0 || (rule.is_none() && !is_innermost) {
            break;
        }
        *place = frame.pc.wrapping_add(u64::from(is_innermost));
        length += 1;
        let unwind = rule.map_or(Unwind::Unknown, UnwindRule::get);
        let Some(caller) = frame.caller(unwind, is_innermost, code, memory) else {
            break;
        };
        // A function that has pushed nothing has its caller's stack pointer; only the innermost can be one.
        let rises = caller.sp > frame.sp || (is_innermost && caller.sp == frame.sp);
        if !rises || caller.sp > highest {
            break;
        }
        frame = caller;
    }
    length
}

/// Where a function stands.
#[derive(Clone, Copy, Debug)]
struct Frame {
    pc: u64,
    sp: usize,
    fp: usize,
    /// Where it returns to, on processors that keep that in a register, and in the innermost function alone; else 0.
    link: u64,
}

impl Frame {
    fn caller(
        &self,
        unwind: Unwind,
        is_innermost: bool,
        code: &impl Code,
        memory: &mut StackMemory<'_>,
    ) -> Option<Self> {
        match unwind {
            Unwind::Outermost => None,
            Unwind::Frame {
                from,
                offset_bytes,
                fp,
                return_address,
            } => {
                let base = match from {
                    From::StackPointer => self.sp,
                    From::FramePointer => self.fp,
                };
                let begin = base.checked_add(offset_bytes)?;
                // The lower word first: where memory is read by windows, both are in one.
                let fp = saved(fp, begin, self.fp as u64, memory)?;
                Some(Self {
                    pc: strip(saved(return_address, begin, self.link, memory)?),
                    sp: begin,
                    fp: fp as usize,
                    link: 0,
                })
            }
            Unwind::Unknown => {
                let own_frame = if is_innermost {
                    self.without_frame(code, memory)
                } else {
                    None
                };
                own_frame.or_else(|| self.by_frame_pointer(memory))
            }
        }
    }

    /// The caller of a function that has no frame at this instruction, though it has one in its middle.
    #[cfg(target_arch = "x86_64")]
    fn without_frame(&self, code: &impl Code, memory: &mut StackMemory<'_>) -> Option<Self> {
        const PUSH_FP: u8 = 0x55;
        let mut bytes = [0; 4];
        if !code.read(self.pc.wrapping_sub(1), &mut bytes) {
            return None;
        }
        let above_sp = match bytes {
            // A function's first instruction, its last one, and stubs that jump on through a table.
            [_, PUSH_FP | 0xc3, ..] => 0,
            [_, 0xff, 0x25, _] | [_, 0xf2, 0xff, 0x25] | [_, 0xf3, 0x0f, 0x1e] => 0,
            // The second one: the frame pointer takes over the stack pointer.
            [PUSH_FP, 0x48, 0x89, 0xe5] => 8,
            _ => return None,
        };
        let place = self.sp.checked_add(above_sp)?;
        Some(Self {
            pc: memory.word(place)?,
            sp: place.checked_add(8)?,
            fp: self.fp,
            link: 0,
        })
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn without_frame(&self, _code: &impl Code, _memory: &mut StackMemory<'_>) -> Option<Self> {
        None
    }

    fn by_frame_pointer(&self, memory: &mut StackMemory<'_>) -> Option<Self> {
        if self.fp < self.sp {
            return None;
        }
        let fp = memory.word(self.fp)?;
        let pc = memory.word(self.fp.checked_add(8)?)?;
        Some(Self {
            pc: strip(pc),
            sp: self.fp.checked_add(16)?,
            fp: usize::try_from(fp).ok()?,
            link: 0,
        })
    }
}

/// A register of the caller's, whose frame begins at `begin`.
fn saved(how: Saved, begin: usize, now: u64, memory: &mut StackMemory<'_>) -> Option<u64> {
    match how {
        Saved::No => Some(now),
        Saved::Lost => Some(0),
        Saved::Below(words) => memory.word(begin.checked_sub(8 * usize::from(words))?),
    }
}

/// A return address without the signature that some processors put into its highest bits.
fn strip(return_address: u64) -> u64 {
    if cfg!(target_arch = "aarch64") {
        return_address & ((1 << 48) - 1)
    } else {
        return_address
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::stack_memory::WINDOW_WORDS;

    /// Code from 0x1000 to 0x9000, with rules, and bytes at one place.
    #[derive(Default)]
    struct Known {
        rules: Vec<(u64, Unwind)>,
        bytes: (u64, [u8; 4]),
    }

    impl Code for Known {
        fn rule_at(&mut self, address: u64) -> Option<UnwindRule> {
            let rule = self.rules.iter().find(|(at, _)| *at == address);
            let unwind = rule.map_or(Unwind::Unknown, |&(_, unwind)| unwind);
            (0x1000..0x9000)
                .contains(&address)
                .then(|| UnwindRule::new(unwind))
        }

        fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
            bytes.copy_from_slice(&self.bytes.1);
            address == self.bytes.0
        }
    }

    /// The address of word `index` of the stack, as a word.
    fn at(stack: &[u64], index: usize) -> u64 {
        (stack.as_ptr().addr() + 8 * index) as u64
    }

    /// Walks from word `sp` on.
    fn walked(mut code: Known, stack: &[u64], sp: usize, fp: u64) -> Vec<u64> {
        let mut window = [0; WINDOW_WORDS];
        let mut memory = StackMemory::of_words(stack, sp, &mut window);
        let here = Interrupted {
            pc: 0x1100,
            sp: at(stack, sp) as usize,
            fp: fp as usize,
            link: 0,
        };
        let mut pcs = [0; 8];
        let length = walk(here, &mut code, &mut memory, &mut pcs);
        pcs[..length].to_vec()
    }

    fn frame(from: From, offset_words: usize, fp: Saved) -> Unwind {
        Unwind::Frame {
            from,
            offset_bytes: 8 * offset_words,
            fp,
            return_address: Saved::Below(1),
        }
    }

    /// Frames at words 4 and 8; the second is the last.
    fn stack_with_two_frames() -> Vec<u64> {
        let mut stack = vec![7; 16];
        stack[4] = at(&stack, 8);
        stack[5] = 0x2200;
        stack[8] = 0;
        stack[9] = 0x3300;
        stack
    }

    #[test]
    fn without_rules_frame_pointers_lead() {
        let stack = stack_with_two_frames();
        let fp = at(&stack, 4);
        assert_eq!(
            walked(Known::default(), &stack, 1, fp),
            [0x1101, 0x2200, 0x3300]
        );
        // A frame pointer below the stack pointer, out of the stack, or not aligned.
        for fp in [at(&stack, 0), at(&stack, 16), fp + 4, 0, u64::MAX] {
            assert_eq!(walked(Known::default(), &stack, 1, fp), [0x1101], "{fp:#x}");
        }
    }

    #[test]
    fn what_does_not_rise_or_is_no_code_ends_the_stack() {
        let mut stack = stack_with_two_frames();
        let fp = at(&stack, 4);
        stack[8] = fp;
        assert_eq!(
            walked(Known::default(), &stack, 1, fp),
            [0x1101, 0x2200, 0x3300]
        );
        stack[9] = 0x9001;
        assert_eq!(walked(Known::default(), &stack, 1, fp), [0x1101, 0x2200]);
    }

    #[test]
    fn a_rule_leads_through_a_function_without_frame_pointer() {
        let mut stack = stack_with_two_frames();
        // Two words pushed, the second the caller's frame pointer; then the return address.
        stack[2] = at(&stack, 4);
        stack[3] = 0x4400;
        let code = Known {
            rules: vec![(0x1100, frame(From::StackPointer, 3, Saved::Below(2)))],
            ..Known::default()
        };
        let expect = [0x1101, 0x4400, 0x2200, 0x3300];
        assert_eq!(walked(code, &stack, 1, 99), expect);
        // The same frame counted from the frame pointer.
        let code = Known {
            rules: vec![(0x1100, frame(From::FramePointer, 2, Saved::Below(2)))],
            ..Known::default()
        };
        assert_eq!(walked(code, &stack, 1, at(&stack, 2)), expect);
        // A frame pointer that is lost ends the chain behind it.
        let code = Known {
            rules: vec![(0x1100, frame(From::StackPointer, 3, Saved::Lost))],
            ..Known::default()
        };
        assert_eq!(walked(code, &stack, 1, 99), [0x1101, 0x4400]);
    }

    #[test]
    fn callers_are_looked_up_before_their_return_address() {
        let stack = stack_with_two_frames();
        let code = Known {
            rules: vec![
                (0x2200, frame(From::StackPointer, 1, Saved::No)),
                (0x21ff, Unwind::Outermost),
            ],
            ..Known::default()
        };
        assert_eq!(walked(code, &stack, 1, at(&stack, 4)), [0x1101, 0x2200]);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_interrupted_instruction_tells_that_there_is_no_frame_yet_or_any_more() {
        let mut stack = stack_with_two_frames();
        let fp = at(&stack, 4);
        stack[1] = 0x5500;
        stack[2] = 0x6600;
        for (bytes, caller) in [
            ([0x90, 0x55, 0x48, 0x89], 0x5500),
            ([0x5d, 0xc3, 0xcc, 0xcc], 0x5500),
            ([0xcc, 0xff, 0x25, 0x10], 0x5500),
            ([0xfa, 0xf2, 0xff, 0x25], 0x5500),
            ([0xcc, 0xf3, 0x0f, 0x1e], 0x5500),
            ([0x55, 0x48, 0x89, 0xe5], 0x6600),
        ] {
            let code = Known {
                bytes: (0x10ff, bytes),
                ..Known::default()
            };
            assert_eq!(
                walked(code, &stack, 1, fp),
                [0x1101, caller, 0x2200, 0x3300]
            );
        }
        let code = Known {
            bytes: (0x10ff, [0x55, 0x90, 0x90, 0x90]),
            ..Known::default()
        };
        assert_eq!(walked(code, &stack, 1, fp), [0x1101, 0x2200, 0x3300]);
    }

    #[test]
    fn a_stack_deeper_than_there_is_room_is_cut() {
        let mut stack = vec![0; 64];
        for frame in 0..20 {
            stack[2 * frame] = at(&stack, 2 * frame + 2);
            stack[2 * frame + 1] = 0x2000 + frame as u64;
        }
        assert_eq!(walked(Known::default(), &stack, 0, at(&stack, 0)).len(), 8);
    }
}
