//! The threads' next events, the earliest first.
//!
//! Events of equal times come in an order that no rule of the format gives. So that it is the order of Go's reader, the heap
//! here is its heap, step by step.

use super::cursor::Cursor;
use super::go_sort;

/// A binary heap by time.
#[derive(Debug, Default)]
pub(super) struct Frontier<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The cursors that have an event to come, by its time: small, since the heap's steps move them.
    heap: Vec<Place>,
}

/// A cursor in the heap.
#[derive(Clone, Copy, Debug)]
struct Place {
    time_ns: i64,
    cursor: usize,
}

impl<'a> Frontier<'a> {
    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(super) fn push(&mut self, cursor: Cursor<'a>) {
        self.heap.push(Place {
            time_ns: cursor.next().time_ns,
            cursor: self.cursors.len(),
        });
        self.cursors.push(cursor);
        self.sift_up(self.heap.len() - 1);
    }

    /// The time of the earliest event.
    #[inline]
    pub(super) fn time_ns(&self) -> Option<i64> {
        self.heap.first().map(|place| place.time_ns)
    }

    /// The earliest time of the other cursors: up to it the first one stays where it is.
    #[inline]
    pub(super) fn second_ns(&self) -> Option<i64> {
        let seconds = self.heap.get(1..)?.iter().take(2);
        seconds.map(|place| place.time_ns).min()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> &mut Cursor<'a> {
        &mut self.cursors[self.heap[index].cursor]
    }

    /// The cursor has moved on.
    #[inline]
    pub(super) fn restore(&mut self, index: usize) {
        let place = &mut self.heap[index];
        place.time_ns = self.cursors[place.cursor].next().time_ns;
        if self.sift_up(index) == index {
            self.sift_down(index);
        }
    }

    /// The cursor has no more events.
    pub(super) fn remove(&mut self, index: usize) {
        let mut index = index;
        while index > 0 {
            self.heap.swap((index - 1) / 2, index);
            index = (index - 1) / 2;
        }
        self.heap.swap_remove(0);
        self.sift_down(0);
    }

    /// Puts the cursors in order of time; a heap it is still.
    pub(super) fn sort(&mut self) {
        go_sort::sort(&mut self.heap, |place| place.time_ns);
    }

    #[inline]
    fn sift_up(&mut self, mut index: usize) -> usize {
        while index > 0 {
            let parent = (index - 1) / 2;
            if self.time(parent) <= self.time(index) {
                break;
            }
            self.heap.swap(parent, index);
            index = parent;
        }
        index
    }

    #[inline]
    fn sift_down(&mut self, mut index: usize) {
        loop {
            let mut least = index;
            for child in [2 * index + 1, 2 * index + 2] {
                if child < self.heap.len() && self.time(child) < self.time(least) {
                    least = child;
                }
            }
            if least == index {
                return;
            }
            self.heap.swap(least, index);
            index = least;
        }
    }

    #[inline]
    fn time(&self, index: usize) -> i64 {
        self.heap[index].time_ns
    }
}
