//! Cursors whose events wait for nothing, the earliest first.

/// A binary heap, by the time of the events and then by place.
///
/// Times and places lie apart: the processor waits when it reads two numbers at once that were written one by one.
#[derive(Debug, Default)]
pub(super) struct Ready {
    ticks: Vec<i64>,
    places: Vec<usize>,
}

impl Ready {
    /// The time and the place of the earliest.
    #[inline]
    pub(super) fn first(&self) -> Option<(i64, usize)> {
        Some((*self.ticks.first()?, *self.places.first()?))
    }

    pub(super) fn push(&mut self, ticks: i64, place: usize) {
        self.ticks.push(ticks);
        self.places.push(place);
        let mut index = self.ticks.len() - 1;
        while index > 0 && self.key(index) < self.key((index - 1) / 2) {
            self.swap(index, (index - 1) / 2);
            index = (index - 1) / 2;
        }
    }

    /// The first cursor is the first as long as the times of its events are before this one.
    #[inline]
    pub(super) fn limit(&self) -> i64 {
        let mut limit = i64::MAX;
        for index in 1..self.ticks.len().min(3) {
            let is_before = self.places[0] < self.places[index];
            limit = limit.min(self.ticks[index].saturating_add(i64::from(is_before)));
        }
        limit
    }

    /// The first cursor has come to an event of this time.
    #[inline]
    pub(super) fn put_off(&mut self, ticks: i64) {
        let Some((first, others)) = self.ticks.split_first_mut() else {
            return;
        };
        *first = ticks;
        if others.iter().take(2).any(|&other| ticks >= other) {
            self.sift_down();
        }
    }

    /// The first cursor's next event must wait.
    pub(super) fn pop(&mut self) {
        if !self.ticks.is_empty() {
            self.ticks.swap_remove(0);
            self.places.swap_remove(0);
            self.sift_down();
        }
    }

    /// Brings the first to its place.
    fn sift_down(&mut self) {
        let mut index = 0;
        loop {
            let mut least = index;
            for child in [2 * index + 1, 2 * index + 2] {
                if child < self.ticks.len() && self.key(child) < self.key(least) {
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
    fn key(&self, index: usize) -> (i64, usize) {
        (self.ticks[index], self.places[index])
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        self.ticks.swap(a, b);
        self.places.swap(a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_of_equals_the_one_of_the_lower_place() {
        let mut ready = Ready::default();
        let mut expect = Vec::new();
        for place in 0..40 {
            let ticks = place as i64 * 7 % 5;
            ready.push(ticks, place);
            expect.push((ticks, place));
        }
        // Some come back later than they went.
        for _ in 0..60 {
            expect.sort_unstable();
            let (ticks, place) = expect[0];
            assert_eq!(ready.first(), Some((ticks, place)));
            let later = ticks + place as i64 % 3;
            expect[0].0 = later;
            let is_first = expect.iter().min() == Some(&expect[0]);
            assert_eq!(later < ready.limit(), is_first);
            ready.put_off(later);
        }
        expect.sort_unstable();
        for key in expect {
            assert_eq!(ready.first(), Some(key));
            ready.pop();
        }
        assert_eq!(ready.first(), None);
        ready.put_off(1);
        assert_eq!(ready.first(), None);
    }
}
