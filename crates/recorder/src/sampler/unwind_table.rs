//! The rules of a program or library, by address: call frame information made small enough to be searched by a handler.
//!
//! Libraries keep no frame pointers; what they have is `.eh_frame`, whose programs take an interpreter and memory to run.
//! They are run once, on the collector's thread, into one sorted list of addresses and rules. A look-up is a binary search.

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EndianSlice, LittleEndian, Register, RegisterRule,
    UnwindContext, UnwindSection, UnwindTableRow,
};

use super::unwind_rule::{From, Saved, Unwind, UnwindRule};

type Bytes<'data> = EndianSlice<'data, LittleEndian>;

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

/// The rules of one stretch of code.
#[derive(Debug)]
pub(super) struct UnwindTable {
    start: u64,
    end: u64,
    /// By address, counted from `start`; a rule holds up to the next one.
    offsets: Box<[u32]>,
    rules: Box<[UnwindRule]>,
}

/// A rule and the addresses it holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    start: u64,
    end: u64,
    rule: UnwindRule,
}

impl UnwindTable {
    /// The table of the code from `start` to `end`, out of the `.eh_frame` that stands at `frames_address` in memory. `None` if
    /// it says nothing of that code, or more than `bytes_max` of memory would hold.
    pub(super) fn new(
        (start, end): (u64, u64),
        frames_address: u64,
        frames: &[u8],
        bytes_max: usize,
    ) -> Option<Self> {
        let rows_max = bytes_max / (size_of::<u32>() + size_of::<UnwindRule>());
        // Half of the rows end where no other begins.
        let rows = rows((start, end), frames_address, frames, rows_max / 2)?;
        Self::of_rows((start, end), rows)
    }

    fn of_rows((start, end): (u64, u64), mut rows: Vec<Row>) -> Option<Self> {
        u32::try_from(end.checked_sub(start)?).ok()?;
        rows.sort_by_key(|row| row.start);
        let mut offsets = Vec::with_capacity(rows.len());
        let mut rules = Vec::with_capacity(rows.len());
        let mut put = |address: u64, rule: UnwindRule| {
            if rules.last() != Some(&rule) {
                offsets.push((address - start) as u32);
                rules.push(rule);
            }
        };
        let mut next = start;
        for row in rows {
            // What overlaps is damaged; the first rule stands.
            let from = row.start.max(next);
            if from >= row.end {
                continue;
            }
            if from > next {
                put(next, UnwindRule::UNKNOWN);
            }
            put(from, row.rule);
            next = row.end;
        }
        put(next, UnwindRule::UNKNOWN);
        (offsets.len() > 1).then(|| Self {
            start,
            end,
            offsets: offsets.into(),
            rules: rules.into(),
        })
    }

    /// Bytes of memory that it takes.
    pub(super) fn size_bytes(&self) -> usize {
        std::mem::size_of_val(&*self.offsets) + std::mem::size_of_val(&*self.rules)
    }

    /// The rule at an address; unknown outside of the code.
    ///
    /// # Signal safety
    /// Loads.
    pub(super) fn rule_at(&self, address: u64) -> UnwindRule {
        if address < self.start || address >= self.end {
            return UnwindRule::UNKNOWN;
        }
        let offset = (address - self.start) as u32;
        let after = self.offsets.partition_point(|&start| start <= offset);
        after
            .checked_sub(1)
            .and_then(|index| self.rules.get(index))
            .copied()
            .unwrap_or(UnwindRule::UNKNOWN)
    }
}

/// The rows of all functions in the code; `None` if there are too many.
fn rows(
    (start, end): (u64, u64),
    frames_address: u64,
    frames: &[u8],
    rows_max: usize,
) -> Option<Vec<Row>> {
    let section = EhFrame::new(frames, LittleEndian);
    let bases = BaseAddresses::default()
        .set_eh_frame(frames_address)
        .set_text(start);
    let mut context = UnwindContext::new();
    let mut rows = Vec::new();
    let mut entries = section.entries(&bases);
    // Behind the last entry other things may stand: what is no entry ends the list.
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else {
            continue;
        };
        let Ok(function) = partial.parse(EhFrame::cie_from_offset) else {
            continue;
        };
        let return_address = function.cie().return_address_register();
        let Ok(mut table) = function.rows(&section, &bases, &mut context) else {
            continue;
        };
        while let Ok(Some(row)) = table.next_row() {
            let (row_start, row_end) = (row.start_address(), row.end_address().min(end));
            if start <= row_start && row_start < row_end {
                rows.push(Row {
                    start: row_start,
                    end: row_end,
                    rule: UnwindRule::new(unwind_of(row, return_address)),
                });
            }
        }
        if rows.len() > rows_max {
            return None;
        }
    }
    Some(rows)
}

fn unwind_of(row: &UnwindTableRow<<Bytes<'_> as gimli::Reader>::Offset>, link: Register) -> Unwind {
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

    fn rule(words: usize) -> UnwindRule {
        UnwindRule::new(Unwind::Frame {
            from: From::StackPointer,
            offset_bytes: words * 8,
            fp: Saved::No,
            return_address: Saved::Below(1),
        })
    }

    fn row(start: u64, end: u64, words: usize) -> Row {
        Row {
            start,
            end,
            rule: rule(words),
        }
    }

    #[test]
    fn a_rule_holds_to_the_next_one_or_to_the_end_of_its_function() {
        let rows = vec![row(140, 150, 3), row(110, 120, 1), row(120, 130, 2)];
        let table = UnwindTable::of_rows((100, 200), rows).expect("there are rules");
        let check = |address, expect| assert_eq!(table.rule_at(address), expect, "{address}");
        for (address, words) in [(110, 1), (119, 1), (120, 2), (129, 2), (140, 3), (149, 3)] {
            check(address, rule(words));
        }
        for address in [0, 99, 100, 109, 130, 139, 150, 199, 200, u64::MAX] {
            check(address, UnwindRule::UNKNOWN);
        }
    }

    #[test]
    fn equal_neighbours_are_one_row_and_overlaps_are_cut() {
        let rows = vec![row(100, 110, 1), row(110, 120, 1), row(115, 130, 2)];
        let table = UnwindTable::of_rows((100, 200), rows).expect("there are rules");
        assert_eq!(table.offsets.len(), 3);
        assert_eq!(table.rule_at(118), rule(1));
        assert_eq!(table.rule_at(120), rule(2));
    }

    #[test]
    fn code_of_which_nothing_is_said_has_no_table() {
        assert!(UnwindTable::of_rows((100, 200), Vec::new()).is_none());
        for garbage in [&[][..], &[0; 64], &[0xff; 64], &[7; 3]] {
            assert!(UnwindTable::new((0x1000, 0x2000), 0x3000, garbage, 1 << 20).is_none());
        }
    }
}
