//! The addresses that an entry of the debug information covers.

use gimli::{Attribute, AttributeValue, Range, RangeListsOffset};

use super::debug_info::{Slice, UnitRef};

/// The attributes that say it: a start with an end or a size, or a list.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct RangeAttributes {
    start: Option<u64>,
    end: Option<u64>,
    size: Option<u64>,
    list: Option<RangeListsOffset>,
}

impl RangeAttributes {
    /// Takes the attribute in if it is one of these.
    pub(super) fn note<'b>(
        &mut self,
        unit: UnitRef<'_, 'b>,
        attribute: &Attribute<Slice<'b>>,
    ) -> gimli::Result<()> {
        match attribute.name() {
            gimli::DW_AT_low_pc => self.start = unit.attr_address(attribute.value())?,
            gimli::DW_AT_high_pc => match attribute.value() {
                AttributeValue::Udata(size) => self.size = Some(size),
                value => self.end = unit.attr_address(value)?,
            },
            gimli::DW_AT_ranges => self.list = unit.attr_ranges_offset(attribute.value())?,
            _ => {}
        }
        Ok(())
    }

    /// Calls `visit` with each range that is not empty.
    pub(super) fn for_each(
        &self,
        unit: UnitRef<'_, '_>,
        mut visit: impl FnMut(Range),
    ) -> gimli::Result<()> {
        if let Some(list) = self.list {
            let mut list = unit.ranges(list)?;
            while let Some(range) = list.next()? {
                if range.begin < range.end {
                    visit(range);
                }
            }
        } else if let Some(begin) = self.start {
            let size_end = self.size.and_then(|size| begin.checked_add(size));
            match self.end.or(size_end) {
                Some(end) if begin < end => visit(Range { begin, end }),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether one of the ranges holds `address`.
    pub(super) fn hold(&self, unit: UnitRef<'_, '_>, address: u64) -> gimli::Result<bool> {
        let mut holds = false;
        self.for_each(unit, |range| {
            holds |= range.begin <= address && address < range.end;
        })?;
        Ok(holds)
    }
}
