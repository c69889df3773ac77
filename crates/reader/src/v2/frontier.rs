//! The threads' next events, the earliest first.
//!
//! Events of equal times come in an order that no rule of the format gives. So that it is the order of Go's reader, the heap
//! here is its heap, step by step.

use super::cursor::Cursor;
use super::go_sort;
use super::run::Pause;

/// A binary heap by time.
#[derive(Debug, Default)]
pub(super) struct Frontier<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The times of the events to come, in the heap's order.
    times: Vec<i64>,
    /// Whose they are. Apart from the times: the processor waits when it reads two numbers at once that were written one by one.
    places: Vec<usize>,
}

impl<'a> Frontier<'a> {
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    pub(super) fn push(&mut self, cursor: Cursor<'a>) {
        self.times.push(cursor.time_ns());
        self.places.push(self.cursors.len());
        self.cursors.push(cursor);
        self.sift_up(self.times.len() - 1);
    }

    /// The time of the earliest event.
    #[inline]
    pub(super) fn time_ns(&self) -> Option<i64> {
        self.times.first().copied()
    }

    /// The earliest time of the other cursors: up to it the first one stays where it is.
    #[inline]
    pub(super) fn second_ns(&self) -> i64 {
        match self.times[..] {
            [_, second, third, ..] => second.min(third),
            [_, second] => second,
            _ => i64::MAX,
        }
    }

    /// Where the cursor of the next event is, if events of the first one and of this one alone come up to a time, which is told. A
    /// heap it is as long as both are not later than that.
    #[inline]
    pub(super) fn rival(&self, until_ns: i64) -> Option<(usize, i64)> {
        let (rival, other) = match self.times[..] {
            [_, second, third, ..] if third < second => (2, second),
            [_, _, third, ..] => (1, third),
            [_, _] => (1, i64::MAX),
            _ => return None,
        };
        let below = self.times.get(2 * rival + 1..).unwrap_or_default();
        let below = below.iter().take(2);
        let before = below.fold(other, |least, &time| least.min(time));
        // Of events of one time only the heap knows which comes first.
        let limit_ns = before.saturating_sub(1).min(until_ns);
        (self.times[rival] <= limit_ns).then_some((rival, limit_ns))
    }

    /// The cursor's next event is another one than before, no earlier than its parent's and no later than its children's.
    #[inline]
    pub(super) fn set(&mut self, index: usize) {
        self.times[index] = self.cursors[self.places[index]].time_ns();
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> &mut Cursor<'a> {
        &mut self.cursors[self.places[index]]
    }

    /// Events of the cursor have happened.
    #[inline]
    pub(super) fn settle(&mut self, index: usize, pause: Pause) {
        if pause == Pause::End {
            return self.remove(index);
        }
        self.times[index] = self.cursors[self.places[index]].time_ns();
        if self.sift_up(index) == index {
            self.sift_down(index);
        }
    }

    /// The cursor has no more events.
    #[cold]
    fn remove(&mut self, index: usize) {
        let mut index = index;
        while index > 0 {
            self.swap((index - 1) / 2, index);
            index = (index - 1) / 2;
        }
        self.times.swap_remove(0);
        self.places.swap_remove(0);
        self.sift_down(0);
    }

    /// Puts the cursors in order of time; a heap it is still.
    pub(super) fn sort(&mut self) {
        let times = self.times.iter().copied();
        let mut heap: Vec<(i64, usize)> = times.zip(self.places.iter().copied()).collect();
        go_sort::sort(&mut heap, |&(time_ns, _)| time_ns);
        (self.times, self.places) = heap.into_iter().unzip();
    }

    #[inline]
    fn sift_up(&mut self, mut index: usize) -> usize {
        while index > 0 {
            let parent = (index - 1) / 2;
            if self.times[parent] <= self.times[index] {
                break;
            }
            self.swap(parent, index);
            index = parent;
        }
        index
    }

    #[inline]
    fn sift_down(&mut self, mut index: usize) {
        loop {
            let mut least = index;
            for child in [2 * index + 1, 2 * index + 2] {
                if child < self.times.len() && self.times[child] < self.times[least] {
                    least = child;
                }
            }
            if least == index {
                return;
            }
            self.swap(least, index);
            index = least;
        }
    }

    #[inline]
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.times.swap(a, b);
        self.places.swap(a, b);
    }
}
