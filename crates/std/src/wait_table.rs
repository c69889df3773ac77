//! The tasks of threads that wait, by the place where they do.
//!
//! A thread that waits leaves its task here, and whoever lets it go on finds the task and wakes it: first in, first out, as
//! the system wakes threads, too. All objects share one table, so that a lock is a number larger than the standard library's
//! and no more. The table is touched only when a thread really waits and a session sees it.
//!
//! What is written is a foresight: the standard library does not say whom it wakes. Two rules keep a wrong guess from
//! spoiling the next one. Where one at a time gets in ([`WaitTable::wake_first`]), the first thread stays first until it is in.
//! Where each wake lets another one go ([`WaitTable::wake_next`]), an entry is marked as let go; a thread that goes on
//! unmarked went instead of a marked one, whose mark is taken back.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use exectrace::hook::TaskRef;

/// Where threads wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// At a lock, a condition, an end of a channel: its address. Who waits borrows it, so it stays there.
    Object(usize),
    /// The thread is parked.
    Parked(ThreadId),
    /// For the end of the thread.
    EndOf(ThreadId),
    /// For the threads of the scope at this address.
    Scope(usize),
}

#[derive(Debug)]
struct Entry {
    place: Place,
    task: TaskRef,
    let_go: bool,
}

/// Tasks of waiting threads, the longest wait first.
#[derive(Debug)]
pub(crate) struct WaitTable {
    shards: [Mutex<Vec<Entry>>; SHARDS],
}

/// More than threads can collide in at the same moment, on machines of today.
const SHARDS: usize = 64;

/// The table of the process.
pub(crate) static WAITING: WaitTable = WaitTable::new();

impl WaitTable {
    const fn new() -> Self {
        Self {
            shards: [const { Mutex::new(Vec::new()) }; SHARDS],
        }
    }

    /// The task waits at the place from now on.
    pub(crate) fn add(&self, place: Place, task: TaskRef) {
        let entry = Entry {
            place,
            task,
            let_go: false,
        };
        // The program's allocator may use our locks: it is never called while the shard is locked.
        let mut spare = Vec::new();
        loop {
            let mut entries = self.shard(place);
            if entries.len() == entries.capacity() {
                if spare.capacity() <= entries.len() {
                    let wanted = (entries.len() * 2).max(8);
                    drop(entries);
                    spare = Vec::with_capacity(wanted);
                    continue;
                }
                spare.append(&mut entries);
                std::mem::swap(&mut *entries, &mut spare);
            }
            entries.push(entry);
            return;
        }
    }

    /// The task with that id no longer waits there. `was_let_go`: not because of a time-out.
    pub(crate) fn remove(&self, place: Place, id: u64, was_let_go: bool) {
        let mut entries = self.shard(place);
        let own = |entry: &Entry| entry.place == place && entry.task.id() == id;
        let Some(index) = entries.iter().position(own) else {
            return;
        };
        let removed = entries.remove(index);
        if was_let_go
            && !removed.let_go
            && let Some(other) = entries
                .iter_mut()
                .find(|entry| entry.place == place && entry.let_go)
        {
            other.let_go = false;
        }
    }

    /// The task that has waited longest is about to get in.
    pub(crate) fn wake_first(&self, place: Place) {
        let entries = self.shard(place);
        if let Some(entry) = entries.iter().find(|entry| entry.place == place) {
            entry.task.wake();
        }
    }

    /// One more task is about to go on: the one that has waited longest of those not let go yet.
    pub(crate) fn wake_next(&self, place: Place) {
        let mut entries = self.shard(place);
        let next = entries
            .iter_mut()
            .find(|entry| entry.place == place && !entry.let_go);
        if let Some(entry) = next {
            entry.let_go = true;
            entry.task.wake();
        }
    }

    /// All tasks that wait there are about to go on.
    pub(crate) fn wake_all(&self, place: Place) {
        let mut entries = self.shard(place);
        for entry in entries.iter_mut().filter(|entry| entry.place == place) {
            entry.let_go = true;
            entry.task.wake();
        }
    }

    fn shard(&self, place: Place) -> MutexGuard<'_, Vec<Entry>> {
        let mut hasher = DefaultHasher::new();
        place.hash(&mut hasher);
        let shard = &self.shards[hasher.finish() as usize % SHARDS];
        // Nothing panics while it is locked.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exectrace::hook::Task;

    const PLACE: Place = Place::Object(4);

    fn tasks<const N: usize>() -> [Task; N] {
        std::array::from_fn(|_| Task::new(std::ptr::null()))
    }

    /// Which of the tasks that wait at the place count as let go.
    fn let_go(table: &WaitTable, tasks: &[Task]) -> Vec<usize> {
        let entries = table.shard(PLACE);
        let is_let_go = |task: &Task| {
            entries
                .iter()
                .any(|entry| entry.place == PLACE && entry.task.id() == task.id() && entry.let_go)
        };
        (0..tasks.len())
            .filter(|&index| is_let_go(&tasks[index]))
            .collect()
    }

    fn table_of(tasks: &[Task]) -> WaitTable {
        let table = WaitTable::new();
        for task in tasks {
            table.add(PLACE, task.reference());
        }
        table
    }

    #[test]
    fn each_wake_lets_the_next_one_go() {
        let tasks = tasks::<3>();
        let table = table_of(&tasks);
        table.wake_next(PLACE);
        assert_eq!(let_go(&table, &tasks), [0]);
        table.wake_next(PLACE);
        assert_eq!(let_go(&table, &tasks), [0, 1]);
        table.remove(PLACE, tasks[0].id(), true);
        table.wake_next(PLACE);
        assert_eq!(let_go(&table, &tasks), [1, 2]);
        table.wake_next(PLACE);
    }

    #[test]
    fn who_goes_unmarked_goes_instead_of_a_marked_one() {
        let tasks = tasks::<3>();
        let table = table_of(&tasks);
        table.wake_next(PLACE);
        table.remove(PLACE, tasks[1].id(), true);
        assert_eq!(let_go(&table, &tasks), [] as [usize; 0]);
        table.wake_next(PLACE);
        assert_eq!(let_go(&table, &tasks), [0], "the mark comes back to it");
    }

    #[test]
    fn a_time_out_takes_no_mark_back() {
        let tasks = tasks::<2>();
        let table = table_of(&tasks);
        table.wake_next(PLACE);
        table.remove(PLACE, tasks[1].id(), false);
        assert_eq!(let_go(&table, &tasks), [0]);
    }

    #[test]
    fn the_first_stays_first_until_it_is_in() {
        let tasks = tasks::<2>();
        let table = table_of(&tasks);
        table.wake_first(PLACE);
        table.wake_first(PLACE);
        assert_eq!(let_go(&table, &tasks), [] as [usize; 0]);
        table.wake_all(PLACE);
        assert_eq!(let_go(&table, &tasks), [0, 1]);
    }

    #[test]
    fn places_are_apart_and_any_number_waits() {
        let tasks = tasks::<100>();
        let table = table_of(&tasks);
        for (index, task) in tasks.iter().enumerate() {
            table.add(Place::Scope(index * 8), task.reference());
            table.add(Place::Object(index * 8), task.reference());
        }
        table.wake_next(PLACE);
        table.wake_all(Place::Object(8));
        table.wake_all(Place::EndOf(std::thread::current().id()));
        assert_eq!(let_go(&table, &tasks), [0]);
        for task in &tasks {
            table.remove(PLACE, task.id(), true);
        }
        table.wake_all(PLACE);
        for (index, task) in tasks.iter().enumerate() {
            table.remove(Place::Scope(index * 8), task.id(), true);
            table.remove(Place::Object(index * 8), task.id(), true);
        }
        let empty = |shard: &Mutex<Vec<Entry>>| shard.lock().expect("no panic").is_empty();
        assert!(table.shards.iter().all(empty));
    }
}
