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
    /// The same by their texts: names of different bytes may be shown as the same text.
    texts: HashMap<String, u32>,
    /// Of lives that have not ended, where they stand among the members of which names.
    places: HashMap<u32, HashMap<u32, u32, FxBuildHasher>, FxBuildHasher>,
}

impl RegionNames {
    /// A region of a life has ended.
    pub(super) fn add(&mut self, life: u32, name: StringId, drawn: &Drawn, names: &Names) {
        let id = match self.ids.get(&name) {
            Some(&id) => id,
            None => self.add_name(name, names),
        };
        let group = &mut self.groups[id as usize];
        let places = self.places.entry(life).or_default();
        let place = places
            .entry(id)
            .or_insert_with(|| group.members.add(life, drawn.begin_ns));
        // What is around one of the same name ends later, and has begun earlier.
        group.members.begins(*place, drawn.begin_ns);
        group.push(drawn);
    }

    /// A name that was not asked for before, which may be shown as another is.
    fn add_name(&mut self, name: StringId, names: &Names) -> u32 {
        let text = names.text(name).to_owned();
        let next = self.groups.len() as u32;
        let id = *self.texts.entry(text.clone()).or_insert(next);
        if id == next {
            self.groups.push(Group::new(text));
        }
        self.ids.insert(name, id);
        id
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
        self.texts = HashMap::new();
    }
}
