//! Tables by ids that come from a counter, as those of strings and stacks do.

use crate::id_map::IdMap;

/// Values by id: in a row where the ids are dense, in a map where they are not.
#[derive(Clone, Debug)]
pub(crate) struct IdTable<T> {
    dense: Vec<Option<T>>,
    sparse: IdMap<T>,
    len: usize,
}

impl<T> Default for IdTable<T> {
    fn default() -> Self {
        Self {
            dense: Vec::new(),
            sparse: IdMap::default(),
            len: 0,
        }
    }
}

/// Places in the row beyond twice the number of values.
const SPARE: usize = 1024;

impl<T> IdTable<T> {
    /// Puts a value in; gives it back if the id is taken.
    pub(crate) fn insert(&mut self, id: u64, value: T) -> Result<(), T> {
        if self.get(id).is_some() {
            return Err(value);
        }
        self.len += 1;
        if id < (2 * self.len + SPARE) as u64 {
            let index = id as usize;
            if index >= self.dense.len() {
                self.dense.resize_with(index + 1, || None);
            }
            self.dense[index] = Some(value);
        } else {
            self.sparse.insert(id, value);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        match self.dense.get(id as usize) {
            Some(Some(value)) => Some(value),
            _ => self.sparse.get(&id),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        match self.dense.get_mut(id as usize) {
            Some(Some(value)) => Some(value),
            _ => self.sparse.get_mut(&id),
        }
    }

    /// The row: values by id, as far as there are any.
    pub(crate) fn dense(&self) -> &[Option<T>] {
        &self.dense
    }

    /// How long the row is: larger ids are in the map.
    pub(crate) fn dense_len(&self) -> usize {
        self.dense.len()
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_ids_are_found_again_and_none_is_taken_twice() {
        let ids = [0, 5, 1023, 1024, 70_000, u64::MAX, 1_025, 2, 1_500];
        let mut table = IdTable::default();
        for (number, id) in ids.into_iter().enumerate() {
            assert_eq!(table.insert(id, number), Ok(()));
        }
        for (number, id) in ids.into_iter().enumerate() {
            assert_eq!(table.get(id), Some(&number));
            assert_eq!(table.insert(id, 99), Err(99));
        }
        assert_eq!(table.len(), ids.len());
        assert_eq!(table.get(3), None);
    }
}
