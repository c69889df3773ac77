//! What the program did for its users: user tasks, by name.

use std::collections::HashMap;

use exectrace_reader::{StringId, TaskId, UserTaskId};
use rustc_hash::FxBuildHasher;

use super::Group;
use super::lot::Names;
use crate::track::{Drawn, Shade};

/// The user tasks of a trace.
#[derive(Debug, Default)]
pub(crate) struct UserTasks {
    pub(crate) rows: Vec<UserTaskRow>,
    /// By name; the members of each are places among the rows.
    pub(crate) names: Vec<Group>,
    name_ids: HashMap<StringId, u32, FxBuildHasher>,
    /// The last row of each.
    ids: HashMap<u64, u32, FxBuildHasher>,
}

/// A user task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserTaskRow {
    pub(crate) id: UserTaskId,
    /// The place of its name, and its own among those of that name.
    pub(crate) name: u32,
    place: u32,
    /// The task that began it; 0 if that is not told.
    pub(crate) task: TaskId,
    /// The one that it is a part of; 0 if of none, or if that is not told.
    pub(crate) parent: UserTaskId,
    /// When it begins; the trace's begin if that is not told.
    pub(crate) begin_ns: u64,
    /// Its begin is in the trace.
    pub(crate) has_begun: bool,
    /// When it ends, if that is in the trace.
    pub(crate) end_ns: Option<u64>,
}

impl UserTasks {
    /// A user task begins.
    pub(super) fn begin(
        &mut self,
        id: UserTaskId,
        name: StringId,
        (task, parent, at_ns): (TaskId, UserTaskId, u64),
        names: &Names,
    ) {
        let name = self.name(name, names);
        self.add(UserTaskRow {
            id,
            name,
            place: 0,
            task,
            parent,
            begin_ns: at_ns,
            has_begun: true,
            end_ns: None,
        });
    }

    /// A user task ends; one that began before the trace is called by the name that its end tells.
    pub(super) fn end(&mut self, id: UserTaskId, name: StringId, at_ns: u64, names: &Names) {
        let is_open = |row: &u32| self.rows[*row as usize].end_ns.is_none();
        if !self.ids.get(&id.0).is_some_and(is_open) {
            let name = self.name(name, names);
            self.add(UserTaskRow {
                id,
                name,
                place: 0,
                task: TaskId(0),
                parent: UserTaskId(0),
                begin_ns: 0,
                has_begun: false,
                end_ns: None,
            });
        }
        let place = self.ids[&id.0];
        let row = &mut self.rows[place as usize];
        row.end_ns = Some(at_ns);
        let group = &mut self.names[row.name as usize];
        group.push(&drawn(row, at_ns));
        group.members.end(row.place, at_ns);
    }

    /// The trace ends: what is open is so until there.
    pub(super) fn finish(&mut self, end_ns: u64) {
        for row in self.rows.iter().filter(|row| row.end_ns.is_none()) {
            self.names[row.name as usize].push(&drawn(row, end_ns));
        }
        self.names.iter_mut().for_each(Group::finish);
    }

    /// The place of the last one of an id.
    pub(crate) fn place(&self, id: UserTaskId) -> Option<u32> {
        self.ids.get(&id.0).copied()
    }

    /// The last one of an id.
    pub(crate) fn get(&self, id: UserTaskId) -> Option<&UserTaskRow> {
        Some(&self.rows[self.place(id)? as usize])
    }

    fn add(&mut self, row: UserTaskRow) {
        let place = self.rows.len() as u32;
        self.ids.insert(row.id.0, place);
        let members = &mut self.names[row.name as usize].members;
        self.rows.push(UserTaskRow {
            place: members.add(place, row.begin_ns),
            ..row
        });
    }

    fn name(&mut self, name: StringId, names: &Names) -> u32 {
        let next = self.names.len() as u32;
        let id = *self.name_ids.entry(name).or_insert(next);
        if id == next {
            let name = names.text(name).to_owned();
            self.names.push(Group::new(name));
        }
        id
    }
}

/// A user task as an interval.
pub(crate) fn drawn(row: &UserTaskRow, trace_end_ns: u64) -> Drawn {
    Drawn {
        index: 0,
        begin_ns: row.begin_ns,
        end_ns: row.end_ns.unwrap_or(trace_end_ns).max(row.begin_ns),
        shade: Shade::Open,
        cause: 0,
        other: 0,
    }
}
