//! What stands before a return address: proof that a word on the stack is one.
//!
//! Code of libraries keeps no frame pointers. A word that merely looks like an address in code may be left from a call long
//! over, and a wrong frame is worse than a missing one. So a word is believed only if the instruction before it is a call, and
//! the call leads to the function that is known to have been running: its target lies at or a little before that address.

use super::code::Code;

/// Whether a call leads to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// It does.
    There,
    /// It leads elsewhere, or there is no call.
    Elsewhere,
    /// The call goes through a register or a table, so that nobody can tell.
    Unknown,
}

/// Whether the call before `return_address` leads to a function that holds `pc`, with at most `reach` bytes of it before `pc`.
///
/// # Signal safety
/// Reads code, by system call.
pub(super) fn leads_to(code: &impl Code, return_address: u64, pc: u64, reach: u64) -> Leads {
    if !code.contains(return_address) {
        return Leads::Elsewhere;
    }
    let holds = |target: u64| target <= pc && pc - target < reach;
    let call = machine::call_before(code, return_address);
    if let Some(target) = call.target
        && code.contains(target)
    {
        if holds(target) || machine::jump_at(code, target).is_some_and(holds) {
            return Leads::There;
        }
        return Leads::Elsewhere;
    }
    if call.is_indirect {
        Leads::Unknown
    } else {
        Leads::Elsewhere
    }
}

/// The call in front of a return address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Call {
    target: Option<u64>,
    /// The bytes can be read as a call through a register or through memory.
    is_indirect: bool,
}

#[cfg(target_arch = "aarch64")]
use aarch64 as machine;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod machine {
    use super::{Call, Code};

    pub(super) fn call_before(_code: &impl Code, _return_address: u64) -> Call {
        Call::default()
    }

    pub(super) fn jump_at(_code: &impl Code, _address: u64) -> Option<u64> {
        None
    }
}

#[cfg(any(target_arch = "x86_64", test))]
mod x86_64 {
    use super::{Call, Code};

    /// The longest call.
    const CALL_BYTES: usize = 7;
    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

    /// `e8 rel32`, `ff 15 rel32` (through a table at a fixed place), else `ff /2` in any form.
    pub(super) fn call_before(code: &impl Code, return_address: u64) -> Call {
        let mut bytes = [0; CALL_BYTES];
        let start = return_address.wrapping_sub(CALL_BYTES as u64);
        if !code.read(start, &mut bytes) {
            return Call::default();
        }
        let [.., a, b, c, d] = bytes;
        let relative = i32::from_le_bytes([a, b, c, d]);
        let place = return_address.wrapping_add_signed(i64::from(relative));
        if bytes[1] == 0xff && bytes[2] == 0x15 {
            return Call {
                target: pointer_at(code, place),
                is_indirect: true,
            };
        }
        Call {
            target: (bytes[2] == 0xe8).then_some(place),
            is_indirect: is_indirect(&bytes),
        }
    }

    /// A call by register is 2 bytes long, through memory 2, 3, 6 or 7; prefixes stand before.
    fn is_indirect(bytes: &[u8; CALL_BYTES]) -> bool {
        [2, 3, 4, 6, 7].into_iter().any(|length| {
            let [opcode, form, ..] = bytes[CALL_BYTES - length..] else {
                return false;
            };
            let (mode, register, memory) = (form >> 6, form >> 3 & 7, form & 7);
            let operand = match (mode, memory) {
                (3, _) => 0,
                (0, 5) => 4,
                (0, 4) => 1,
                (0, _) => 0,
                (1, 4) => 2,
                (1, _) => 1,
                (_, 4) => 5,
                _ => 4,
            };
            opcode == 0xff && register == 2 && length == 2 + operand
        })
    }

    /// Where a stub leads: `jmp rel32`, or `jmp` through a table as in a procedure linkage table.
    pub(super) fn jump_at(code: &impl Code, address: u64) -> Option<u64> {
        let mut bytes = [0; 11];
        if !code.read(address, &mut bytes) {
            return None;
        }
        let mut at = 0;
        if bytes.starts_with(&ENDBR64) {
            at += ENDBR64.len();
        }
        if bytes[at] == 0xf2 {
            at += 1;
        }
        let (is_through_table, operand) = match bytes[at..] {
            [0xe9, ..] => (false, at + 1),
            [0xff, 0x25, ..] => (true, at + 2),
            _ => return None,
        };
        let [a, b, c, d, ..] = bytes[operand..] else {
            return None;
        };
        let after = address.wrapping_add(operand as u64 + 4);
        let relative = i32::from_le_bytes([a, b, c, d]);
        let place = after.wrapping_add_signed(i64::from(relative));
        if is_through_table {
            pointer_at(code, place)
        } else {
            Some(place)
        }
    }

    fn pointer_at(code: &impl Code, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        code.read(address, &mut bytes)
            .then(|| u64::from_le_bytes(bytes))
    }
}

#[cfg(any(target_arch = "aarch64", test))]
mod aarch64 {
    use super::{Call, Code};

    /// `bl`, or `blr` through a register.
    pub(super) fn call_before(code: &impl Code, return_address: u64) -> Call {
        let place = return_address.wrapping_sub(4);
        let Some([instruction]) = instructions_at(code, place) else {
            return Call::default();
        };
        let is_bl = instruction >> 26 == 0b10_0101;
        Call {
            target: is_bl.then(|| branch_target(place, instruction)),
            is_indirect: instruction & 0xffff_fc1f == 0xd63f_0000,
        }
    }

    /// Where a stub leads: `b`, or `adrp x16; ldr x17, [x16, …]; add …; br x17` as in a procedure linkage table.
    pub(super) fn jump_at(code: &impl Code, address: u64) -> Option<u64> {
        const BTI_C: u32 = 0xd503_245f;
        let mut address = address;
        let mut stub: [u32; 2] = instructions_at(code, address)?;
        if stub[0] == BTI_C {
            address = address.wrapping_add(4);
            stub = instructions_at(code, address)?;
        }
        if stub[0] >> 26 == 0b00_0101 {
            return Some(branch_target(address, stub[0]));
        }
        let is_page_to_x16 = stub[0] & 0x9f00_001f == 0x9000_0010;
        let is_load_of_x17 = stub[1] & 0xffc0_03ff == 0xf940_0211;
        if !is_page_to_x16 || !is_load_of_x17 {
            return None;
        }
        let pages = (stub[0] >> 5 & 0x7_ffff) << 2 | stub[0] >> 29 & 3;
        // 21 bits with their sign.
        let pages = i64::from((pages << 11) as i32 >> 11);
        let page = (address & !0xfff).wrapping_add_signed(pages << 12);
        let offset = u64::from(stub[1] >> 10 & 0xfff) * 8;
        let mut bytes = [0; 8];
        code.read(page.wrapping_add(offset), &mut bytes)
            .then(|| u64::from_le_bytes(bytes))
    }

    fn branch_target(place: u64, instruction: u32) -> u64 {
        // 26 bits with their sign, in instructions.
        let distance = i64::from((instruction << 6) as i32 >> 6) * 4;
        place.wrapping_add_signed(distance)
    }

    fn instructions_at<const COUNT: usize>(code: &impl Code, address: u64) -> Option<[u32; COUNT]> {
        let mut instructions = [0; COUNT];
        for (index, instruction) in instructions.iter_mut().enumerate() {
            let mut bytes = [0; 4];
            if !code.read(address.wrapping_add(4 * index as u64), &mut bytes) {
                return None;
            }
            *instruction = u32::from_le_bytes(bytes);
        }
        Some(instructions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes at an address, all of them code.
    struct At(u64, Vec<u8>);

    impl Code for At {
        fn contains(&self, address: u64) -> bool {
            self.0 <= address && address <= self.0 + self.1.len() as u64
        }

        fn is_programs(&self, _address: u64) -> bool {
            false
        }

        fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
            let Some(start) = address.checked_sub(self.0) else {
                return false;
            };
            let start = start as usize;
            match self.1.get(start..start + bytes.len()) {
                Some(found) => {
                    bytes.copy_from_slice(found);
                    true
                }
                None => false,
            }
        }
    }

    const BASE: u64 = 0x1000;

    fn with(parts: &[(usize, &[u8])]) -> At {
        let mut bytes = vec![0x90; 256];
        for (at, part) in parts {
            bytes[*at..at + part.len()].copy_from_slice(part);
        }
        At(BASE, bytes)
    }

    #[track_caller]
    fn check_call(bytes: &[u8], expect: Call) {
        let code = with(&[(32 - bytes.len(), bytes)]);
        assert_eq!(x86_64::call_before(&code, BASE + 32), expect, "{bytes:x?}");
    }

    #[test]
    fn calls_of_x86_64_are_told_by_their_bytes() {
        let direct = Call {
            target: Some(BASE + 32 + 0x40),
            is_indirect: false,
        };
        check_call(&[0xe8, 0x40, 0, 0, 0], direct);
        check_call(&[0x67, 0xe8, 0x40, 0, 0, 0], direct);
        let indirect = Call {
            target: None,
            is_indirect: true,
        };
        for bytes in [
            &[0xff, 0xd0][..],
            &[0x41, 0xff, 0xd4],
            &[0xff, 0x10],
            &[0xff, 0x50, 0x18],
            &[0xff, 0x14, 0xc8],
            &[0xff, 0x54, 0x24, 0x08],
            &[0xff, 0x90, 0x18, 1, 0, 0],
            &[0xff, 0x94, 0x24, 0x18, 1, 0, 0],
        ] {
            check_call(bytes, indirect);
        }
        for bytes in [
            &[0xff, 0xe0][..],
            &[0xc3],
            &[0xff, 0x60, 0x18],
            &[0x90, 0x90],
        ] {
            check_call(bytes, Call::default());
        }
    }

    #[test]
    fn a_call_through_a_table_and_a_stub_is_followed() {
        // At 10 a call through the table at 64, at 30 a call of the stub at 80, which leads through the table at 72.
        let code = with(&[
            (4, &[0xff, 0x15, 54, 0, 0, 0]),
            (25, &[0xe8, 50, 0, 0, 0]),
            (64, &(BASE + 200).to_le_bytes()),
            (72, &(BASE + 220).to_le_bytes()),
            (
                80,
                &[
                    0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xed, 0xff, 0xff, 0xff,
                ],
            ),
        ]);
        assert_eq!(
            x86_64::call_before(&code, BASE + 10).target,
            Some(BASE + 200)
        );
        assert_eq!(
            x86_64::call_before(&code, BASE + 30).target,
            Some(BASE + 80)
        );
        assert_eq!(x86_64::jump_at(&code, BASE + 80), Some(BASE + 220));
        let jump = with(&[(80, &[0xe9, 0x10, 0, 0, 0])]);
        assert_eq!(x86_64::jump_at(&jump, BASE + 80), Some(BASE + 95 + 6));
        assert_eq!(x86_64::jump_at(&code, BASE), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_call_must_lead_to_the_function_that_ran() {
        let code = with(&[
            (5, &[0xe8, 90, 0, 0, 0]),
            (20, &[0xff, 0xd0]),
            (40, &[0xe8, 0, 0, 0, 0x70]),
        ]);
        let verdict = |return_address, pc| leads_to(&code, BASE + return_address, BASE + pc, 64);
        assert_eq!(verdict(10, 100), Leads::There);
        assert_eq!(verdict(10, 163), Leads::There);
        assert_eq!(verdict(10, 164), Leads::Elsewhere);
        assert_eq!(verdict(10, 99), Leads::Elsewhere);
        assert_eq!(verdict(22, 100), Leads::Unknown);
        assert_eq!(verdict(45, 100), Leads::Elsewhere);
        assert_eq!(verdict(60, 100), Leads::Elsewhere);
        assert_eq!(verdict(300, 100), Leads::Elsewhere);
        assert_eq!(verdict(2, 100), Leads::Elsewhere);
    }

    #[test]
    fn calls_of_aarch64_are_told_by_their_bits() {
        let words = |parts: &[(usize, u32)]| {
            let parts: Vec<(usize, [u8; 4])> = parts
                .iter()
                .map(|&(at, word)| (at, word.to_le_bytes()))
                .collect();
            let parts: Vec<(usize, &[u8])> =
                parts.iter().map(|(at, word)| (*at, &word[..])).collect();
            with(&parts)
        };
        // bl +16 at 16, bl -8 at 32, blr x8 at 40, b +32 at 48.
        let code = words(&[
            (16, 0x9400_0004),
            (32, 0x97ff_fffe),
            (40, 0xd63f_0100),
            (48, 0x1400_0008),
        ]);
        let target = |at| aarch64::call_before(&code, BASE + at).target;
        assert_eq!(target(20), Some(BASE + 32));
        assert_eq!(target(36), Some(BASE + 24));
        assert_eq!(target(44), None);
        assert!(aarch64::call_before(&code, BASE + 44).is_indirect);
        assert_eq!(aarch64::call_before(&code, BASE + 8), Call::default());
        assert_eq!(aarch64::jump_at(&code, BASE + 48), Some(BASE + 80));
        // bti c; adrp x16, this page; ldr x17, [x16, #128]; at 128 the table.
        let mut stub = words(&[(64, 0xd503_245f), (68, 0x9000_0010), (72, 0xf940_4211)]);
        stub.1[128..136].copy_from_slice(&0xabcd_u64.to_le_bytes());
        assert_eq!(aarch64::jump_at(&stub, BASE + 64), Some(0xabcd));
        assert_eq!(aarch64::jump_at(&stub, BASE), None);
    }
}
