//! What tasks did, in few words.

use std::collections::HashMap;

use exectrace_reader::StringId;

use super::quantity::TaskState;
use crate::key_hasher::BuildKeyHasher;

/// A state of a task, and why it is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Doing {
    pub(super) state: TaskState,
    pub(super) reason: StringId,
}

/// All that tasks did, each once: there are few, and very many slices that have one.
#[derive(Clone, Debug, Default)]
pub(super) struct Doings {
    all: Vec<Doing>,
    places: HashMap<Doing, u32, BuildKeyHasher>,
}

impl Doings {
    pub(super) fn place(&mut self, doing: Doing) -> u32 {
        let next = self.all.len() as u32;
        let place = *self.places.entry(doing).or_insert(next);
        if place == next {
            self.all.push(doing);
        }
        place
    }

    pub(super) fn at(&self, place: u32) -> Doing {
        self.all[place as usize]
    }
}
