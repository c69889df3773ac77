//! Which intervals of rows are meant, a bit each.

/// Which intervals of rows are meant.
#[derive(Debug, Default)]
pub(super) struct Marks {
    bits: Vec<u64>,
    count: u64,
    /// Of each row the bit of its first interval, doubled, and 1 more if any of it is meant: there may be millions.
    rows: Vec<u64>,
}

impl Marks {
    /// Appends a row: whether each of its intervals is meant.
    pub(super) fn add_row(&mut self, are_meant: impl Iterator<Item = bool>) {
        let first = self.count;
        let mut has_any = false;
        for is_meant in are_meant {
            let bit = self.count % u64::from(u64::BITS);
            if bit == 0 {
                self.bits.push(0);
            }
            if let Some(bits) = self.bits.last_mut() {
                *bits |= u64::from(is_meant) << bit;
            }
            self.count += 1;
            has_any |= is_meant;
        }
        self.rows.push((first << 1) | u64::from(has_any));
    }

    /// Whether an interval of a row is meant.
    pub(super) fn has(&self, row: usize, index: u32) -> bool {
        let Some(row) = self.rows.get(row) else {
            return false;
        };
        let bit = (row >> 1) + u64::from(index);
        let bits = self.bits.get((bit / u64::from(u64::BITS)) as usize);
        bits.is_some_and(|bits| bits >> (bit % u64::from(u64::BITS)) & 1 == 1)
    }

    /// Whether any interval of a row is.
    pub(super) fn has_any(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_own_bits() {
        let mut marks = Marks::default();
        let is_meant = |row: usize, index: u32| (row * 31 + index as usize * 7).is_multiple_of(5);
        for row in 0..100 {
            marks.add_row((0..row as u32).map(|index| is_meant(row, index)));
        }
        for row in 0..100 {
            let meant: Vec<u32> = (0..row as u32).filter(|&it| is_meant(row, it)).collect();
            let marked: Vec<u32> = (0..row as u32).filter(|&it| marks.has(row, it)).collect();
            assert_eq!(marked, meant, "row {row}");
            assert_eq!(marks.has_any(row), !meant.is_empty(), "row {row}");
        }
        assert!(!marks.has_any(100) && !marks.has(100, 0));
    }
}
