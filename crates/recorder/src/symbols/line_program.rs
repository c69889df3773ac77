//! Runs a line number program from any of its sequences.
//!
//! A unit's program describes each of its functions by a sequence of its own, one after the other. To keep the rows of a large
//! unit costs 24 bytes an instruction or so; to keep where each sequence starts costs 16 bytes a function, and one look-up
//! then runs one sequence. gimli reads the header of a program; its interpreter cannot start in the middle from a stored place.

use std::ops::Range;

use super::debug_info::Slice;

const EXTENDED: u8 = 0;
const COPY: u8 = 1;
const ADVANCE_PC: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const SET_FILE: u8 = 4;
const CONST_ADD_PC: u8 = 8;
const FIXED_ADVANCE_PC: u8 = 9;
const EXTENDED_END_SEQUENCE: u8 = 1;
const EXTENDED_SET_ADDRESS: u8 = 2;

/// A line number program.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineProgram<'b> {
    code: &'b [u8],
    /// How many operands each standard opcode has, from opcode 1 on.
    operands: &'b [u8],
    opcode_base: u8,
    line_base: i8,
    line_range: u8,
    instruction_len_min: u64,
}

/// Code of one source line begins here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) address: u64,
    pub(super) file: u64,
    /// 0 where the compiler names none.
    pub(super) line: u32,
}

/// A run of rows with rising addresses, and where its instructions begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) start: u64,
    size: u32,
    code_at: u32,
}

impl<'b> LineProgram<'b> {
    pub(super) fn new(header: &gimli::LineProgramHeader<Slice<'b>>) -> Self {
        Self {
            code: header.raw_program_buf().slice(),
            operands: header.standard_opcode_lengths().slice(),
            opcode_base: header.opcode_base(),
            line_base: header.line_base(),
            line_range: header.line_range(),
            instruction_len_min: u64::from(header.minimum_instruction_length()),
        }
    }

    /// All sequences of code that starts in `code`, by address. A malformed program ends early.
    pub(super) fn sequences(self, code: &Range<u64>) -> Box<[Sequence]> {
        let mut sequences = Vec::new();
        let mut rows = Rows::from(self, 0);
        let mut code_at = 0;
        let mut start = None;
        while let Some((row, is_end)) = rows.next_row() {
            let first = *start.get_or_insert(row.address);
            if !is_end {
                continue;
            }
            let size = row.address.checked_sub(first).map(u32::try_from);
            if let (true, Some(Ok(size)), Ok(code_at)) =
                (code.contains(&first), size, u32::try_from(code_at))
            {
                sequences.push(Sequence {
                    start: first,
                    size,
                    code_at,
                });
            }
            code_at = rows.at;
            start = None;
        }
        sequences.sort_unstable_by_key(|sequence| sequence.start);
        sequences.into_boxed_slice()
    }

    /// The last row of `sequence` at or before `address`.
    pub(super) fn row_at(self, sequence: Sequence, address: u64) -> Option<Row> {
        let mut rows = Rows::from(self, sequence.code_at as usize);
        let mut found = None;
        while let Some((row, is_end)) = rows.next_row() {
            if is_end || row.address > address {
                break;
            }
            found = Some(row);
        }
        found
    }
}

impl Sequence {
    pub(super) fn holds(&self, address: u64) -> bool {
        address
            .checked_sub(self.start)
            .is_some_and(|distance| distance < u64::from(self.size))
    }
}

/// The interpreter.
struct Rows<'b> {
    program: LineProgram<'b>,
    at: usize,
    row: Row,
}

impl<'b> Rows<'b> {
    const START: Row = Row {
        address: 0,
        file: 1,
        line: 1,
    };

    fn from(program: LineProgram<'b>, at: usize) -> Self {
        Self {
            program,
            at,
            row: Self::START,
        }
    }

    /// The next row, and whether it only ends its sequence. `None` at the end or where the program makes no sense.
    fn next_row(&mut self) -> Option<(Row, bool)> {
        loop {
            let opcode = self.byte()?;
            match opcode {
                special if special >= self.program.opcode_base => {
                    let adjusted = special - self.program.opcode_base;
                    self.advance(u64::from(adjusted.checked_div(self.program.line_range)?));
                    let step = i64::from(self.program.line_base)
                        + i64::from(adjusted % self.program.line_range);
                    self.add_line(step);
                    return Some((self.row, false));
                }
                EXTENDED => {
                    if self.extended()? {
                        let end = self.row;
                        self.row = Self::START;
                        return Some((end, true));
                    }
                }
                COPY => return Some((self.row, false)),
                standard => self.standard(standard)?,
            }
        }
    }

    fn standard(&mut self, opcode: u8) -> Option<()> {
        match opcode {
            ADVANCE_PC => {
                let operations = self.unsigned()?;
                self.advance(operations);
            }
            ADVANCE_LINE => {
                let step = self.signed()?;
                self.add_line(step);
            }
            SET_FILE => self.row.file = self.unsigned()?,
            CONST_ADD_PC => {
                let adjusted = u8::MAX - self.program.opcode_base;
                self.advance(u64::from(adjusted.checked_div(self.program.line_range)?));
            }
            FIXED_ADVANCE_PC => {
                let bytes = self.bytes(2)?.first_chunk()?;
                let step = u64::from(u16::from_le_bytes(*bytes));
                self.row.address = self.row.address.wrapping_add(step);
            }
            // Columns, statement marks and what later versions add: only the operands matter.
            other => {
                let operands = *self.program.operands.get(usize::from(other) - 1)?;
                for _ in 0..operands {
                    self.unsigned()?;
                }
            }
        }
        Some(())
    }

    /// Whether the sequence ends.
    fn extended(&mut self) -> Option<bool> {
        let len = usize::try_from(self.unsigned()?).ok()?;
        let (opcode, operand) = self.bytes(len)?.split_first()?;
        match *opcode {
            EXTENDED_END_SEQUENCE => return Some(true),
            EXTENDED_SET_ADDRESS => {
                self.row.address = match operand.len() {
                    8 => u64::from_le_bytes(*operand.first_chunk()?),
                    4 => u64::from(u32::from_le_bytes(*operand.first_chunk()?)),
                    _ => return None,
                };
            }
            _ => {}
        }
        Some(false)
    }

    fn advance(&mut self, operations: u64) {
        let step = operations.wrapping_mul(self.program.instruction_len_min);
        self.row.address = self.row.address.wrapping_add(step);
    }

    fn add_line(&mut self, step: i64) {
        // A line beyond 32 bits is nonsense, whatever is left of it.
        self.row.line = i64::from(self.row.line).wrapping_add(step) as u32;
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.program.code.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let bytes = self.program.code.get(self.at..)?.get(..len)?;
        self.at += len;
        Some(bytes)
    }

    fn unsigned(&mut self) -> Option<u64> {
        Some(self.leb128()?.0)
    }

    fn signed(&mut self) -> Option<i64> {
        let (value, bits) = self.leb128()?;
        let unused = 64 - bits.min(64);
        Some(((value << unused) as i64) >> unused)
    }

    /// The value and how many bits it had; bits beyond 64 are dropped.
    fn leb128(&mut self) -> Option<(u64, u32)> {
        let mut value = 0;
        let mut bits = 0u32;
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(bits).unwrap_or(0);
            bits = bits.saturating_add(7);
            if byte & 0x80 == 0 {
                return Some((value, bits));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(code: &[u8]) -> LineProgram<'_> {
        LineProgram {
            code,
            operands: &[0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1],
            opcode_base: 13,
            line_base: -3,
            line_range: 12,
            instruction_len_min: 1,
        }
    }

    const EVERYWHERE: Range<u64> = 0x1000..0x10000;

    /// Two functions: the second lies before the first.
    #[rustfmt::skip]
    const TWO: &[u8] = &[
        0, 9, 2, 0, 0x20, 0, 0, 0, 0, 0, 0, // at 0x2000
        3, 9, 1,                            // line 10
        5, 7,                               // a column, not kept
        13 + 12 * 4 + 3 + 2,                // 4 bytes on, 2 lines on
        8,                                  // 20 bytes on: (255 - 13) / 12
        3, 0x7e, 4, 2, 1,                   // 2 lines back, file 2
        9, 4, 0,                            // 4 bytes on
        0, 1, 1,                            // the end at 0x201c
        0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, // at 0x1000
        1, 2, 0x80, 2, 0, 1, 1,             // line 1, the end at 0x1100
    ];

    #[track_caller]
    fn check(address: u64, expect: Option<(u64, u32)>) {
        let program = program(TWO);
        let sequences = program.sequences(&EVERYWHERE);
        let sequence = sequences.iter().find(|sequence| sequence.holds(address));
        let row = sequence.and_then(|sequence| program.row_at(*sequence, address));
        assert_eq!(row.map(|row| (row.file, row.line)), expect);
    }

    #[test]
    fn the_last_row_before_an_address_names_its_line() {
        check(0x0fff, None);
        check(0x1000, Some((1, 1)));
        check(0x10ff, Some((1, 1)));
        check(0x1100, None);
        check(0x2000, Some((1, 10)));
        check(0x2003, Some((1, 10)));
        check(0x2004, Some((1, 12)));
        check(0x2017, Some((1, 12)));
        check(0x2018, Some((2, 10)));
        check(0x201b, Some((2, 10)));
        check(0x201c, None);
    }

    #[test]
    fn functions_that_the_linker_dropped_are_left_out() {
        let starts = |code| {
            let sequences = program(TWO).sequences(&code);
            sequences.iter().map(|one| one.start).collect::<Vec<_>>()
        };
        assert_eq!(starts(EVERYWHERE), [0x1000, 0x2000]);
        assert_eq!(starts(0x1001..0x10000), [0x2000]);
    }

    #[test]
    fn a_program_cut_anywhere_ends_early() {
        for cut in 0..TWO.len() {
            assert!(program(&TWO[..cut]).sequences(&EVERYWHERE).len() < 2);
        }
    }

    #[test]
    fn a_program_that_makes_no_sense_ends() {
        let mut flat = program(&[255, 255]);
        flat.line_range = 0;
        assert!(flat.sequences(&EVERYWHERE).is_empty());
        let endless = [[0x80; 32].as_slice(), &[1]].concat();
        let code = [&[3], endless.as_slice()].concat();
        assert!(program(&code).sequences(&EVERYWHERE).is_empty());
        assert!(program(&[0, 0]).sequences(&EVERYWHERE).is_empty());
    }
}
