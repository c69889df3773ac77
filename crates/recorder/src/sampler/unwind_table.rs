//! The rules of a program or library, by address, for handlers: one sorted list. A look-up is a binary search.

use super::unwind_rule::UnwindRule;

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
pub(super) struct UnwindRow {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) rule: UnwindRule,
}

/// Memory of a row in a table.
pub(super) const ROW_BYTES: usize = size_of::<u32>() + size_of::<UnwindRule>();

impl UnwindTable {
    /// The table of the code from `start` to `end`. `None` if no row is about it.
    pub(super) fn of_rows((start, end): (u64, u64), mut rows: Vec<UnwindRow>) -> Option<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::unwind_rule::{From, Saved, Unwind};

    fn rule(words: usize) -> UnwindRule {
        UnwindRule::new(Unwind::Frame {
            from: From::StackPointer,
            offset_bytes: words * 8,
            fp: Saved::No,
            return_address: Saved::Below(1),
        })
    }

    fn row(start: u64, end: u64, words: usize) -> UnwindRow {
        UnwindRow {
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
    }
}
