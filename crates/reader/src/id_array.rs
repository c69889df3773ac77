//! Small values by ids that mostly come from a counter, such as the states of tasks.
//!
//! Tasks that live at the same time have ids that are near each other, so their values share pages and stay in the processor's
//! cache, where a hash would spread them over the memory. Ids that are far from all others, as damage makes them, go to a map.

use crate::id_map::IdMap;

/// A value for every id; the default one until it is set.
#[derive(Clone, Debug)]
pub(crate) struct IdArray<T> {
    /// Which page holds the ids of a number.
    directory: IdMap<u32>,
    /// Pages that were found lately, by the last bits of their numbers.
    recent: [(u64, u32); RECENT],
    /// The values of all pages, one page after another.
    values: Vec<T>,
    /// Pages of no id, to be given out again. All their values are the default one.
    spare: Vec<u32>,
    /// Values of ids that have no page.
    sparse: IdMap<T>,
    /// How often those were asked for.
    misses: usize,
}

/// Values of a page.
const PAGE: usize = 256;
/// Pages that are remembered.
const RECENT: usize = 64;
/// Pages that are made for the asking. Further ones must be worth it.
const PAGES_FREE: usize = 64;
/// For each page beyond those, so many values must have been asked for beside pages.
const MISSES_PER_PAGE: usize = 16;
/// No page has this number.
const NO_PAGE: u64 = u64::MAX;

impl<T> Default for IdArray<T> {
    fn default() -> Self {
        Self {
            directory: IdMap::default(),
            recent: [(NO_PAGE, 0); RECENT],
            values: Vec::new(),
            spare: Vec::new(),
            sparse: IdMap::default(),
            misses: 0,
        }
    }
}

impl<T: Copy + Default> IdArray<T> {
    /// The value of an id.
    #[inline]
    pub(crate) fn get(&mut self, id: u64) -> T {
        match self.page(id) {
            Some(page) => self.values[place(page, id)],
            None => self.sparse.get(&id).copied().unwrap_or_default(),
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: u64) -> &mut T {
        match self.page(id).or_else(|| self.new_page(id)) {
            Some(page) => &mut self.values[place(page, id)],
            None => self.sparse.entry(id).or_default(),
        }
    }

    /// The value of an id, to be changed, if there is a place for it already.
    #[inline]
    pub(crate) fn find(&mut self, id: u64) -> Option<&mut T> {
        match self.page(id) {
            Some(page) => self.values.get_mut(place(page, id)),
            None => self.sparse.get_mut(&id),
        }
    }

    /// The same, if the place is one of those that were found lately.
    #[inline(always)]
    pub(crate) fn recent(&mut self, id: u64) -> Option<&mut T> {
        let slot = self.recent_slot(id)?;
        self.values.get_mut(slot)
    }

    /// Where that place is.
    #[inline(always)]
    pub(crate) fn recent_slot(&self, id: u64) -> Option<usize> {
        let number = id / PAGE as u64;
        let (recent, page) = self.recent[number as usize % RECENT];
        (recent == number).then_some(place(page as usize, id))
    }

    /// Where the value of an id is, if it has a place in a row: the same one until somebody tidies.
    #[inline]
    pub(crate) fn slot(&mut self, id: u64) -> Option<usize> {
        self.page(id).map(|page| place(page, id))
    }

    /// The value at a place, if there is one.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Option<T> {
        self.values.get(slot).copied()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn at_mut(&mut self, slot: usize) -> Option<&mut T> {
        self.values.get_mut(slot)
    }

    #[inline]
    fn page(&mut self, id: u64) -> Option<usize> {
        let number = id / PAGE as u64;
        let (recent, page) = self.recent[number as usize % RECENT];
        if recent == number {
            return Some(page as usize);
        }
        self.look_up(number)
    }

    #[inline(never)]
    fn look_up(&mut self, number: u64) -> Option<usize> {
        let page = *self.directory.get(&number)?;
        self.recent[number as usize % RECENT] = (number, page);
        Some(page as usize)
    }

    /// Makes the page of an id, if it is worth it.
    #[cold]
    fn new_page(&mut self, id: u64) -> Option<usize> {
        self.misses += 1;
        let page = match self.spare.pop() {
            Some(page) => page as usize,
            None if self.pages() >= PAGES_FREE + self.misses / MISSES_PER_PAGE => return None,
            None => {
                let page = self.pages();
                self.values.resize((page + 1) * PAGE, T::default());
                page
            }
        };
        let first = id - id % PAGE as u64;
        for (value, index) in self.values[page * PAGE..][..PAGE].iter_mut().zip(0..) {
            if self.sparse.is_empty() {
                break;
            }
            if let Some(moved) = self.sparse.remove(&(first + index)) {
                *value = moved;
            }
        }
        self.directory.insert(id / PAGE as u64, page as u32);
        Some(page)
    }

    fn pages(&self) -> usize {
        self.values.len() / PAGE
    }
}

/// Where the value of an id is that belongs to a page.
#[inline(always)]
fn place(page: usize, id: u64) -> usize {
    page * PAGE + id as usize % PAGE
}

impl<T: Copy + Default + PartialEq> IdArray<T> {
    /// Takes back the pages that hold nothing but default values, for ids to come.
    pub(crate) fn tidy(&mut self) {
        let blank = T::default();
        self.directory.retain(|_, page| {
            let values = &self.values[*page as usize * PAGE..][..PAGE];
            let is_blank = values.iter().all(|value| *value == blank);
            if is_blank {
                self.spare.push(*page);
            }
            !is_blank
        });
        self.sparse.retain(|_, value| *value != blank);
        self.recent = [(NO_PAGE, 0); RECENT];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_keeps_its_value() {
        let mut array = IdArray::<u64>::default();
        let ids: Vec<u64> = (0..5000)
            .chain((0..500).map(|index| index * 100_000))
            .chain((0..200).map(|index| u64::MAX - index * 777))
            .chain(40_000..60_000)
            .collect();
        for &id in &ids {
            *array.get_mut(id) = id ^ 1;
        }
        for &id in &ids {
            assert_eq!(array.get(id), id ^ 1);
        }
        assert_eq!(array.get(5_001), 0);
        assert_eq!(array.get(u64::MAX - 1), 0);
    }

    #[test]
    fn scattered_ids_take_little_memory() {
        let mut array = IdArray::<u64>::default();
        for index in 0..10_000 {
            *array.get_mut(index * 1_000_000_007) = 1;
        }
        assert!(array.pages() <= PAGES_FREE + 10_000 / MISSES_PER_PAGE);
    }

    #[test]
    fn a_program_that_runs_for_long_has_pages_too() {
        let mut array = IdArray::<u64>::default();
        // The trace begins late in the life of a process.
        for id in 3_000_000_000..3_000_100_000 {
            *array.get_mut(id) = id;
        }
        assert!(array.sparse.is_empty());
        assert!(array.pages() < 400);
    }

    #[test]
    fn pages_of_ids_that_have_gone_are_used_again() {
        let mut array = IdArray::<u64>::default();
        let mut begin = 0;
        for _ in 0..100 {
            for id in begin..begin + 10_000 {
                *array.get_mut(id) = id + 1;
            }
            // One in ten pages has a value that stays.
            for id in begin..begin + 10_000 {
                if id % 2560 != 0 {
                    *array.get_mut(id) = 0;
                }
            }
            begin += 10_000;
            array.tidy();
        }
        for id in 0..begin {
            let expect = if id % 2560 == 0 { id + 1 } else { 0 };
            assert_eq!(array.get(id), expect, "{id}");
        }
        assert!(array.pages() < 500, "{}", array.pages());
    }
}
