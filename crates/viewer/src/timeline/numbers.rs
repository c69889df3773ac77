//! Numbers in a row that take no more room than the largest of them needs: most are small, and many rows are all zeros.

use std::ops::Range;

/// Numbers in a row.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    /// So many zeros.
    Zeros(usize),
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::Zeros(0)
    }
}

impl Numbers {
    pub(super) fn push(&mut self, number: u64) {
        match self {
            Self::Zeros(count) if number == 0 => *count += 1,
            Self::Zeros(count) => {
                *self = Self::Narrow(vec![0; *count]);
                self.push(number);
            }
            Self::Narrow(numbers) => match u32::try_from(number) {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    *self = Self::Wide(numbers.iter().copied().map(u64::from).collect());
                    self.push(number);
                }
            },
            Self::Wide(numbers) => numbers.push(number),
        }
    }

    /// Gives back memory that no number will be put into.
    pub(super) fn shrink(&mut self) {
        match self {
            Self::Zeros(_) => {}
            Self::Narrow(numbers) => numbers.shrink_to_fit(),
            Self::Wide(numbers) => numbers.shrink_to_fit(),
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Zeros(count) => *count,
            Self::Narrow(numbers) => numbers.len(),
            Self::Wide(numbers) => numbers.len(),
        }
    }

    /// Tells those of some places, which must be there, but for zeros, each with how many places are before it.
    #[inline]
    pub(super) fn each(&self, places: &Range<usize>, mut tell: impl FnMut(usize, u64)) {
        match self {
            Self::Zeros(_) => {}
            Self::Narrow(numbers) => {
                let numbers = numbers[places.clone()].iter().enumerate();
                numbers.for_each(|(place, number)| tell(place, u64::from(*number)));
            }
            Self::Wide(numbers) => {
                let numbers = numbers[places.clone()].iter().enumerate();
                numbers.for_each(|(place, number)| tell(place, *number));
            }
        }
    }

    /// How many there are before the first that is as large as a limit, where each is larger than the one before.
    pub(super) fn count_below(&self, limit: u64) -> usize {
        match self {
            Self::Zeros(count) => *count * usize::from(limit > 0),
            Self::Narrow(numbers) => numbers.partition_point(|number| u64::from(*number) < limit),
            Self::Wide(numbers) => numbers.partition_point(|number| *number < limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_what_they_are_when_larger_ones_come() {
        let all = [0, 0, 0, 1, 7, 0, u64::from(u32::MAX), 1 << 32, 5, u64::MAX];
        for count in 0..=all.len() {
            let mut numbers = Numbers::default();
            all[..count].iter().for_each(|number| numbers.push(*number));
            numbers.shrink();
            assert_eq!(numbers.len(), count);
            for from in 0..=count {
                let mut told = vec![0; count - from];
                numbers.each(&(from..count), |place, number| told[place] = number);
                assert_eq!(told, all[from..count]);
            }
        }
    }

    #[test]
    fn places_are_found_by_size() {
        for all in [[0, 3, 9], [0, 3, 1 << 40]] {
            let mut numbers = Numbers::default();
            all.iter().for_each(|number| numbers.push(*number));
            for limit in [0, 1, 3, 4, 9, 10, 1 << 40, u64::MAX] {
                let below = all.iter().filter(|number| **number < limit).count();
                assert_eq!(numbers.count_below(limit), below, "{all:?}, {limit}");
            }
        }
        assert_eq!(Numbers::Zeros(1).count_below(0), 0);
        assert_eq!(Numbers::Zeros(1).count_below(1), 1);
    }
}
