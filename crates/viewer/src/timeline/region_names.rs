//! User regions by name: all of a name as one row, whichever tasks they are of.

use std::collections::HashMap;

use exectrace_reader::StringId;
use rustc_hash::FxBuildHasher;

use super::Group;
use super::lot::Names;
use crate::track::Drawn;

/// The names of the user regions of a trace.
#[derive(Debug, Default)]
pub(crate) struct RegionNames {
    /// The members of each are the lives that have had such regions.
    pub(crate) groups: Vec<Group>,
    ids: HashMap<StringId, u32, FxBuildHasher>,
    /// Of lives that have not ended, where they stand among the members of which names.
    places: HashMap<u32, HashMap<u32, u32, FxBuildHasher>, FxBuildHasher>,
}

impl RegionNames {
    /// A region of a life has ended.
    pub(super) fn add(&mut self, life: u32, name: StringId, drawn: &Drawn, names: &Names) {
        let next = self.groups.len() as u32;
        let id = *self.ids.entry(name).or_insert(next);
        if id == next {
            let name = names.text(name).to_owned();
            self.groups.push(Group::new(name));
        }
        let group = &mut self.groups[id as usize];
        let places = self.places.entry(life).or_default();
        places
            .entry(id)
            .or_insert_with(|| group.members.add(life, drawn.begin_ns));
        group.push(drawn);
    }

    /// Nothing more comes of a life.
    pub(super) fn leave(&mut self, life: u32, end_ns: u64) {
        for (id, place) in self.places.remove(&life).into_iter().flatten() {
            self.groups[id as usize].members.end(place, end_ns);
        }
    }

    /// All was read.
    pub(super) fn finish(&mut self) {
        self.groups.iter_mut().for_each(Group::finish);
    }
}
