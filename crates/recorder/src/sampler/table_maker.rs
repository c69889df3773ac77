//! Makes tables of unwinding rules out of call frame information, a little at a time.
//!
//! Libraries keep no frame pointers; what they have is `.eh_frame`, whose programs take an interpreter and memory to run. They
//! are run once, on the collector's thread, which has other things to do: libc takes 16 ms, a large program a second.

use std::time::Instant;

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameOffset, FrameDescriptionEntry, LittleEndian, Register,
    RegisterRule, UnwindContext, UnwindSection, UnwindTableRow,
};

use super::call_frames::CallFrames;
use super::unwind_rule::{From, Saved, Unwind, UnwindRule};
use super::unwind_table::{ROW_BYTES, UnwindRow, UnwindTable};

/// Entries between two looks at the clock.
const ENTRIES: usize = 32;

/// The numbers that DWARF gives to the registers that are followed.
struct Registers {
    sp: Register,
    fp: Register,
}

#[cfg(target_arch = "aarch64")]
const REGISTERS: Registers = Registers {
    sp: gimli::AArch64::SP,
    fp: gimli::AArch64::X29,
};
#[cfg(not(target_arch = "aarch64"))]
const REGISTERS: Registers = Registers {
    sp: gimli::X86_64::RSP,
    fp: gimli::X86_64::RBP,
};

/// A table in the making.
#[derive(Debug)]
pub(super) struct TableMaker {
    /// Start and end of the code.
    code: (u64, u64),
    frames: CallFrames,
    /// Where the next entry begins.
    at: usize,
    rows: Vec<UnwindRow>,
    rows_max: usize,
}

/// How far a table has come.
#[derive(Debug)]
pub(super) enum Progress {
    /// There is more to do.
    More(TableMaker),
    /// It is done. `None` if nothing is said of the code, or too much.
    Done(Option<UnwindTable>),
}

impl TableMaker {
    /// A table of the code from `code.0` to `code.1`, of at most so much memory.
    pub(super) fn new(code: (u64, u64), frames: CallFrames, bytes_max: usize) -> Self {
        Self {
            code,
            frames,
            at: 0,
            rows: Vec::new(),
            // At worst each row ends where no other begins.
            rows_max: bytes_max / ROW_BYTES / 2,
        }
    }

    /// Goes on, until it is done or `deadline` is over.
    pub(super) fn go_on(mut self, deadline: Instant) -> Progress {
        let frames = std::mem::take(&mut self.frames.bytes);
        let section = EhFrame::new(&frames, LittleEndian);
        let bases = BaseAddresses::default()
            .set_eh_frame(self.frames.address)
            .set_text(self.code.0);
        let mut context = UnwindContext::new();
        for number in 1.. {
            let Some(entry) = Entry::at(&frames, self.at) else {
                return Progress::Done(UnwindTable::of_rows(self.code, self.rows));
            };
            if entry.is_function {
                let offset = EhFrameOffset(self.at);
                let function = section.fde_from_offset(&bases, offset, EhFrame::cie_from_offset);
                if let Ok(function) = function {
                    self.add(&function, &section, &bases, &mut context);
                }
            }
            self.at = entry.end;
            if self.rows.len() > self.rows_max {
                return Progress::Done(None);
            }
            if number % ENTRIES == 0 && Instant::now() >= deadline {
                break;
            }
        }
        self.frames.bytes = frames;
        Progress::More(self)
    }

    fn add<'frames>(
        &mut self,
        function: &FrameDescriptionEntry<gimli::EndianSlice<'frames, LittleEndian>>,
        section: &EhFrame<gimli::EndianSlice<'frames, LittleEndian>>,
        bases: &BaseAddresses,
        context: &mut UnwindContext<usize>,
    ) {
        let return_address = function.cie().return_address_register();
        let Ok(mut table) = function.rows(section, bases, context) else {
            return;
        };
        let (code_start, code_end) = self.code;
        while let Ok(Some(row)) = table.next_row() {
            let (start, end) = (row.start_address(), row.end_address().min(code_end));
            if code_start <= start && start < end {
                self.rows.push(UnwindRow {
                    start,
                    end,
                    rule: UnwindRule::new(unwind_of(row, return_address)),
                });
            }
        }
    }
}

/// The bounds of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// It is a function's, not what functions have in common.
    is_function: bool,
    end: usize,
}

impl Entry {
    /// `None` at the end, or at what is no entry.
    fn at(frames: &[u8], at: usize) -> Option<Self> {
        const FIXED_BYTES: usize = 4;
        let length = u32::from_le_bytes(*frames.get(at..)?.first_chunk()?) as usize;
        let common = u32::from_le_bytes(*frames.get(at + FIXED_BYTES..)?.first_chunk()?);
        let end = at.checked_add(FIXED_BYTES)?.checked_add(length)?;
        (length >= FIXED_BYTES && end <= frames.len()).then_some(Self {
            is_function: common != 0,
            end,
        })
    }
}

fn unwind_of(row: &UnwindTableRow<usize>, link: Register) -> Unwind {
    let return_address = match row.register(link) {
        Some(RegisterRule::Undefined) => return Unwind::Outermost,
        rule => saved(rule),
    };
    let &CfaRule::RegisterAndOffset { register, offset } = row.cfa() else {
        return Unwind::Unknown;
    };
    let from = if register == REGISTERS.sp {
        From::StackPointer
    } else if register == REGISTERS.fp {
        From::FramePointer
    } else {
        return Unwind::Unknown;
    };
    match (usize::try_from(offset), return_address) {
        (Ok(offset_bytes), Saved::No | Saved::Below(_)) => Unwind::Frame {
            from,
            offset_bytes,
            fp: saved(row.register(REGISTERS.fp)),
            return_address,
        },
        _ => Unwind::Unknown,
    }
}

fn saved(rule: Option<RegisterRule<usize>>) -> Saved {
    match rule {
        None | Some(RegisterRule::SameValue) => Saved::No,
        Some(RegisterRule::Offset(offset)) if offset < 0 && offset % 8 == 0 => {
            match u8::try_from(-offset / 8) {
                Ok(words) if words < u8::MAX => Saved::Below(words),
                _ => Saved::Lost,
            }
        }
        _ => Saved::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn maker(bytes: &[u8]) -> TableMaker {
        let frames = CallFrames {
            address: 0x3000,
            bytes: bytes.to_vec(),
        };
        TableMaker::new((0x1000, 0x2000), frames, 1 << 20)
    }

    /// What functions have in common on x86-64, and one of 16 bytes at 0x1100: a push of the frame pointer, then its use.
    fn one_function() -> Vec<u8> {
        let mut bytes = vec![
            20, 0, 0, 0, 0, 0, 0, 0, 1, b'z', b'R', 0, 1, 0x78, 16, 1,
            0x1b, // pc-relative, signed 32 bits
            0x0c, 7, 8, 0x90, 1, 0, 0, // frame at rsp + 8, return address 8 below
        ];
        let place = 0x3000 + bytes.len() as i64 + 8;
        bytes.extend([28, 0, 0, 0, 28, 0, 0, 0]);
        bytes.extend(((0x1100 - place) as i32).to_le_bytes());
        bytes.extend(16_i32.to_le_bytes());
        // No more data; after 1 byte the frame is at rsp + 16, rbp 16 below it; after 3 more it is at rbp + 16.
        bytes.extend([
            0, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0, 0, 0, 0, 0, 0, 0,
        ]);
        bytes.extend([0; 4]);
        bytes
    }

    fn made(maker: TableMaker) -> Option<UnwindTable> {
        let mut maker = maker;
        loop {
            // The time is always over: as little as possible at a time.
            match maker.go_on(Instant::now() - Duration::from_secs(1)) {
                Progress::More(more) => maker = more,
                Progress::Done(table) => return table,
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_function_has_a_rule_at_each_instruction() {
        let table = made(maker(&one_function())).expect("one function");
        let frame = |from, offset_bytes, fp| Unwind::Frame {
            from,
            offset_bytes,
            fp,
            return_address: Saved::Below(1),
        };
        for (address, unwind) in [
            (0x10ff, Unwind::Unknown),
            (0x1100, frame(From::StackPointer, 8, Saved::No)),
            (0x1101, frame(From::StackPointer, 16, Saved::Below(2))),
            (0x1104, frame(From::FramePointer, 16, Saved::Below(2))),
            (0x110f, frame(From::FramePointer, 16, Saved::Below(2))),
            (0x1110, Unwind::Unknown),
        ] {
            assert_eq!(table.rule_at(address).get(), unwind, "{address:#x}");
        }
    }

    #[test]
    fn what_says_nothing_makes_no_table() {
        let function = one_function();
        for bytes in [&[][..], &[0; 64], &[0xff; 64], &[7; 3], &function[..40]] {
            assert!(made(maker(bytes)).is_none());
        }
    }

    #[test]
    fn a_table_that_is_too_large_is_none() {
        let mut small = maker(&one_function());
        small.rows_max = 2;
        assert!(made(small).is_none());
    }

    #[test]
    fn much_is_done_in_steps() {
        let function = one_function();
        let common = 24;
        let mut bytes = function[..common].to_vec();
        // The distance to what is common, and to the code, grow from one to the next.
        for number in 0..100_u32 {
            let mut entry = function[common..function.len() - 4].to_vec();
            let length = entry.len() as u32;
            entry[4..8].copy_from_slice(&(28 + number * length).to_le_bytes());
            let place = 0x3000 + bytes.len() as i64 + 8;
            let start = 0x1100 + i64::from(number) * 16;
            entry[8..12].copy_from_slice(&((start - place) as i32).to_le_bytes());
            bytes.extend(entry);
        }
        let past = Instant::now() - Duration::from_secs(1);
        let Progress::More(rest) = maker(&bytes).go_on(past) else {
            panic!("a hundred functions are more than one step");
        };
        let table = made(rest).expect("a hundred functions");
        assert_ne!(table.rule_at(0x1100 + 99 * 16), UnwindRule::UNKNOWN);
        assert_eq!(table.rule_at(0x1100 + 100 * 16), UnwindRule::UNKNOWN);
    }
}
