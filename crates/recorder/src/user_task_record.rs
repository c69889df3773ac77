//! Records of user tasks, by which those who carry one know when it has ended.
//!
//! A user task may be dropped anywhere: in another task than the one that made it, or before another that was entered later. So
//! a task does not carry an id but a record, which says whether its user task lives; and if it does not, the next outer one that
//! lives is carried instead.
//!
//! ```text
//!  task ──► record of "request" ─ ─► "connection" ─ ─► … ─ ─► "server"      ──► counted    ─ ─► by id, not counted
//! ```
//!
//! Records are counted by who holds them: the user task itself, the tasks that carry it, those who will carry it again. Outer ones are
//! known by id and place alone, and found as long as the record at that place has that id: ids are never used twice. A chain of
//! user tasks that each begin inside the last one thus keeps no record of those that have ended. A record knows its nearest outer
//! ones, and the outermost.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::slab::{Place, Record, Slab};

/// Outer user tasks that a record knows: so many of those that live may end before it and in any order.
const OUTER_MAX: usize = 4;

/// The record of a user task that lives, or that somebody still carries.
#[derive(Debug)]
pub(crate) struct UserTaskRecord {
    /// The id in traces; 0 once the user task has ended.
    live_id: AtomicU64,
    /// Outer user tasks that lived when this one began, the nearest first.
    outer: [Outer; OUTER_MAX],
    /// Who holds the record.
    references: AtomicU32,
    place: Place,
}

#[derive(Debug)]
struct Outer {
    /// 0 for none.
    id: AtomicU64,
    index: AtomicU32,
}

static SLAB: Slab<UserTaskRecord> = Slab::new();
static REFUSED: AtomicU64 = AtomicU64::new(0);

// SAFETY: it is made of atomic integers.
#[expect(unsafe_code, reason = "a promise that zero bytes are a value")]
unsafe impl Record for UserTaskRecord {
    fn place(&self) -> &Place {
        &self.place
    }
}

/// User tasks that got no record since the last call: they are carried by nobody.
pub(crate) fn take_refused() -> u64 {
    // Relaxed: a figure for a report.
    REFUSED.swap(0, Ordering::Relaxed)
}

impl UserTaskRecord {
    /// The record of a new user task inside of the one that is carried, with one reference. `None`, counted, when the system has
    /// no memory.
    pub(crate) fn make(id: u64, carried: Option<&'static Self>) -> Option<&'static Self> {
        let Some(record) = SLAB.take() else {
            // Relaxed: a figure for a report.
            REFUSED.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        record.set_outer(carried);
        // Relaxed: published by the Release below.
        record.live_id.store(id, Ordering::Relaxed);
        // Release: who holds the record sees the rest; pairs with the Acquire in `hold`.
        record.references.store(1, Ordering::Release);
        Some(record)
    }

    /// Notes the outer user tasks that live: the carried one and those that it knows. Where there are too many, the outermost
    /// is worth more than those next to it, since it is likely to live longest.
    fn set_outer(&self, carried: Option<&Self>) {
        let mut living = [(0, 0); OUTER_MAX];
        let nearest = carried.map(|carried| (carried.own_live_id(), carried.place.index()));
        let nearest = nearest.filter(|&(id, _)| id != 0);
        let further = carried.into_iter().flat_map(Self::living_outer);
        for (number, outer) in nearest.into_iter().chain(further).enumerate() {
            living[number.min(OUTER_MAX - 1)] = outer;
        }
        for (outer, (id, index)) in self.outer.iter().zip(living) {
            // Relaxed: published with the record.
            outer.id.store(id, Ordering::Relaxed);
            // Relaxed: as above.
            outer.index.store(index, Ordering::Relaxed);
        }
    }

    /// Ids and indexes of outer user tasks that live, the nearest first. The caller holds the record.
    ///
    /// # Signal safety
    /// Loads.
    fn living_outer(&self) -> impl Iterator<Item = (u64, u32)> {
        self.outer.iter().filter_map(|outer| {
            // Relaxed: constant while the record is held.
            let id = outer.id.load(Ordering::Relaxed);
            // Relaxed: as above.
            let index = outer.index.load(Ordering::Relaxed);
            let lives = id != 0 && SLAB.at(index)?.own_live_id() == id;
            lives.then_some((id, index))
        })
    }

    /// Its id; 0 once it has ended.
    fn own_live_id(&self) -> u64 {
        // Relaxed: one word says all; an end that is seen late came at the same time.
        self.live_id.load(Ordering::Relaxed)
    }

    /// The id of what is carried by who carries this record, which the caller holds: its own, or that of the nearest outer
    /// one that lives; 0 for none.
    ///
    /// # Signal safety
    /// Loads.
    pub(crate) fn carried_id(&self) -> u64 {
        match self.own_live_id() {
            0 => self.living_outer().next().map_or(0, |(id, _)| id),
            id => id,
        }
    }

    /// The record itself if its user task lives, or that of the nearest outer one that does, with one more reference.
    pub(crate) fn hold_living(&'static self) -> Option<&'static Self> {
        if self.own_live_id() != 0 {
            self.retain();
            return Some(self);
        }
        self.living_outer().find_map(|(id, index)| {
            let outer = SLAB.at(index)?;
            outer.hold(id).then_some(outer)
        })
    }

    /// Adds a reference, if the record is still that of the living user task `id`.
    fn hold(&'static self, id: u64) -> bool {
        // Acquire: shows what the record's maker stored; pairs with the Release in `make`.
        let held = self
            .references
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |count| {
                (count != 0).then_some(count + 1)
            });
        if held.is_err() {
            return false;
        }
        let is_it = self.own_live_id() == id;
        if !is_it {
            self.release();
        }
        is_it
    }

    /// Whether the user task has ended.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.own_live_id() == 0
    }

    /// The user task has ended: nobody finds it any more.
    pub(crate) fn end(&self) {
        // Relaxed: as in `own_live_id`.
        self.live_id.store(0, Ordering::Relaxed);
    }

    /// One more who holds it.
    #[inline]
    pub(crate) fn retain(&self) {
        // Relaxed: the caller holds a reference already.
        self.references.fetch_add(1, Ordering::Relaxed);
    }

    /// One less; the last one gives the record back.
    #[inline]
    pub(crate) fn release(&'static self) {
        // Release: what this holder did comes before the record's next use; pairs with the Acquire below.
        if self.references.fetch_sub(1, Ordering::Release) == 1 {
            // Acquire: as above.
            self.references.load(Ordering::Acquire);
            SLAB.give_back(self);
        }
    }
}

/// What a task carries: the record of a user task, which this counts among its references, or nothing.
///
/// Changed by the thread that runs the task alone; its signal handler looks too.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Index + 1 of the record.
    record: AtomicU32,
}

impl Carried {
    #[inline]
    fn record(&self) -> Option<&'static UserTaskRecord> {
        // Relaxed: stored by the task's thread.
        let index = self.record.load(Ordering::Relaxed).checked_sub(1)?;
        SLAB.at(index)
    }

    /// The id of the user task that the task carries; 0 for none.
    ///
    /// # Signal safety
    /// Loads.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.record().map_or(0, UserTaskRecord::carried_id)
    }

    /// The record that the task carries, its user task alive: should that have ended, the task carries the nearest outer
    /// one from now on.
    #[inline]
    pub(crate) fn living(&self) -> Option<&'static UserTaskRecord> {
        let record = self.record()?;
        if record.has_ended() {
            self.put_down(record);
        }
        self.record()
    }

    /// The task carries the nearest outer one of `ended`, which it carried, or what lives of that.
    #[cold]
    fn put_down(&self, ended: &'static UserTaskRecord) {
        if let Some(former) = self.replace(ended.hold_living()) {
            former.release();
        }
    }

    /// Lets the task carry `record`, whose reference comes with it. The former's goes to the caller.
    #[inline]
    pub(crate) fn replace(
        &self,
        record: Option<&'static UserTaskRecord>,
    ) -> Option<&'static UserTaskRecord> {
        let former = self.record();
        let index = record.map_or(0, |record| record.place.index() + 1);
        // Relaxed: the task's threads follow one another, and a signal handler runs on this one.
        self.record.store(index, Ordering::Relaxed);
        former
    }

    /// Lets a new task, which nobody runs yet, carry what its maker carries.
    #[inline]
    pub(crate) fn inherit(&self, maker: &Self) {
        if let Some(record) = maker.living() {
            record.retain();
            self.replace(Some(record));
        }
    }

    /// Whether the task carries `record` itself.
    pub(crate) fn is(&self, record: &UserTaskRecord) -> bool {
        self.record()
            .is_some_and(|carried| std::ptr::eq(carried, record))
    }

    /// The task carries nothing any more.
    #[inline]
    pub(crate) fn clear(&self) {
        if let Some(former) = self.replace(None) {
            former.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids that no user task of another test of the process has.
    const FIRST: u64 = 1 << 40;

    fn make(id: u64, carried: &Carried) -> &'static UserTaskRecord {
        let record = UserTaskRecord::make(FIRST + id, carried.living()).expect("memory");
        record.retain();
        if let Some(former) = carried.replace(Some(record)) {
            former.release();
        }
        record
    }

    fn drop_user_task(record: &'static UserTaskRecord) {
        record.end();
        record.release();
    }

    #[test]
    fn one_that_has_ended_elsewhere_is_carried_no_more() {
        let task = Carried::default();
        let server = make(1, &task);
        let request = make(2, &task);
        assert_eq!(task.id(), FIRST + 2);
        let handler = Carried::default();
        handler.inherit(&task);
        drop_user_task(request);
        for carried in [&task, &handler] {
            assert_eq!(carried.id(), FIRST + 1);
            assert!(carried.living().is_some_and(|it| std::ptr::eq(it, server)));
        }
        drop_user_task(server);
        for carried in [&task, &handler] {
            assert_eq!(carried.id(), 0);
            assert!(carried.living().is_none());
        }
    }

    #[test]
    fn the_outermost_is_found_whatever_ended_in_between() {
        let task = Carried::default();
        let server = make(10, &task);
        let requests: Vec<_> = (11..30).map(|id| make(id, &task)).collect();
        for request in requests {
            drop_user_task(request);
        }
        assert_eq!(task.id(), FIRST + 10);
        drop_user_task(server);
        assert_eq!(task.id(), 0);
        task.clear();
    }

    #[test]
    fn a_record_that_is_used_again_is_not_taken_for_what_it_was() {
        let task = Carried::default();
        let outer = make(40, &task);
        let inner = make(41, &task);
        drop_user_task(outer);
        // Takes the outer one's place.
        let other = Carried::default();
        let next = make(42, &other);
        assert_eq!(next.place.index(), outer.place.index());
        drop_user_task(inner);
        assert_eq!(task.id(), 0);
        assert_eq!(other.id(), FIRST + 42);
        drop_user_task(next);
        other.clear();
        task.clear();
    }

    #[test]
    fn a_chain_of_any_length_needs_no_more_records_than_live() {
        let task = Carried::default();
        let mut last = make(50, &task);
        // Each begins inside of the last one, and outlives it.
        for id in 51..100_000 {
            let next = make(id, &task);
            drop_user_task(last);
            last = next;
        }
        drop_user_task(last);
        task.clear();
        // Other tests of the process have some too.
        assert!(SLAB.len() < 10_000, "{}", SLAB.len());
    }

    #[test]
    fn ends_on_other_threads_leave_no_one_with_the_dead() {
        let task = Carried::default();
        let root = make(1 << 20, &task);
        std::thread::scope(|scope| {
            let (send, receive) = std::sync::mpsc::channel::<&'static UserTaskRecord>();
            scope.spawn(move || receive.into_iter().for_each(drop_user_task));
            for id in 1..50_000 {
                let request = make((1 << 20) + id, &task);
                let handler = Carried::default();
                handler.inherit(&task);
                send.send(request).expect("a receiver");
                handler.clear();
            }
        });
        assert_eq!(task.id(), FIRST + (1 << 20));
        drop_user_task(root);
        task.clear();
    }
}
