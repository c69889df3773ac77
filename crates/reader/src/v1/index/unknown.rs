//! Ids of a damaged file that no table explains.

use crate::id_map::IdMap;

/// What stands for each of them.
#[derive(Debug)]
pub(super) struct Unknown<I> {
    by_id: IdMap<I>,
    /// Those that were not yet told of.
    fresh: Vec<u64>,
}

/// More of them are not told: a file of nothing but ids must not fill the memory.
const IDS_MAX: usize = 1 << 16;

impl<I> Default for Unknown<I> {
    fn default() -> Self {
        Self {
            by_id: IdMap::default(),
            fresh: Vec::new(),
        }
    }
}

impl<I: Copy + Default> Unknown<I> {
    /// What stands for an id, made when it is seen first.
    #[cold]
    pub(super) fn id(&mut self, id: u64, make: impl FnOnce(u64) -> I) -> I {
        if let Some(&known) = self.by_id.get(&id) {
            return known;
        }
        if self.by_id.len() == IDS_MAX {
            return I::default();
        }
        self.fresh.push(id);
        let made = make(id);
        self.by_id.insert(id, made);
        made
    }

    /// Tells of those that came since the last time.
    #[inline]
    pub(super) fn drain(&mut self, tell: impl FnMut(u64)) {
        if !self.fresh.is_empty() {
            self.fresh.drain(..).for_each(tell);
        }
    }
}
