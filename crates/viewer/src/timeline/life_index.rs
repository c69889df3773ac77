//! Which life a task's id means. Ids come from a counter in most traces, so that neighbours share a page: a map from ids would take
//! eight times the memory, and spread what is asked for together.

use std::collections::HashMap;

use exectrace_reader::TaskId;
use rustc_hash::FxBuildHasher;

/// Ids of a page: ids that are far from all others, as damage makes them, take a page each.
const PAGE: u64 = 16;

/// No life.
const NONE: u32 = u32::MAX;

/// The last life of each task.
#[derive(Debug, Default)]
pub(super) struct LifeIndex {
    /// Which page holds the ids of a number.
    directory: HashMap<u64, u32, FxBuildHasher>,
    pages: Vec<[u32; PAGE as usize]>,
}

impl LifeIndex {
    /// A task's id means this life from now on.
    pub(super) fn insert(&mut self, task: TaskId, life: u32) {
        let next = self.pages.len() as u32;
        let page = *self.directory.entry(task.0 / PAGE).or_insert(next);
        if page == next {
            self.pages.push([NONE; PAGE as usize]);
        }
        self.pages[page as usize][place(task)] = life;
    }

    /// The life that it means, if there is one.
    pub(super) fn get(&self, task: TaskId) -> Option<u32> {
        let page = *self.directory.get(&(task.0 / PAGE))?;
        let life = self.pages[page as usize][place(task)];
        (life != NONE).then_some(life)
    }
}

fn place(task: TaskId) -> usize {
    (task.0 % PAGE) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_means_its_last_life() {
        let far = (0..100).map(|number| u64::MAX - number * 1_000);
        let ids: Vec<u64> = (5..3_000).chain(far).chain(7..50).collect();
        let mut index = LifeIndex::default();
        for (life, &id) in (0..).zip(&ids) {
            index.insert(TaskId(id), life);
        }
        for &id in &ids {
            let last = ids.iter().rposition(|&other| other == id);
            assert_eq!(index.get(TaskId(id)), last.map(|last| last as u32), "{id}");
        }
        for id in [0, 4, 3_000, 1 << 40, u64::MAX - 1] {
            assert_eq!(index.get(TaskId(id)), None, "{id}");
        }
    }
}
