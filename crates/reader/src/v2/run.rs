//! Whose events happen, and how many of them in a row.
//!
//! The thread with the earliest event goes on until another's comes first. Most events are plain, and happen from the batch's bytes;
//! what is not plain is decoded into a row and tried.

use super::cursor::Cursor;
use super::frontier::Frontier;
use super::generation::Generation;
use super::order::{Order, Stuck, Tried, cut, refused};
use super::plain::{InBatch, Pair, Side, Stop};
use super::told::Told;
use crate::tables::Tables;

/// Why a thread's events stopped happening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Its next one comes later.
    Later,
    /// Its next one must wait.
    NotYet,
    /// It has no more.
    End,
}

impl Order {
    /// Lets events happen, the earliest first, until the block is full, a time is past, or the earliest must wait for another.
    pub(super) fn run<'a>(
        &mut self,
        frontier: &mut Frontier<'a>,
        until_ns: i64,
        generation: &mut Generation<'a>,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<Tried, Box<Stuck>> {
        while !told.is_full() && frontier.time_ns().is_some_and(|ns| ns <= until_ns) {
            let stop = self.run_in_batches(frontier, until_ns, generation, told);
            if stop.is_some_and(|stop| stop.near_ns().is_some()) {
                continue;
            }
            let until_ns = frontier.second_ns().min(until_ns);
            let cursor = frontier.get_mut(0);
            let pause = self.run_cursor(cursor, stop, until_ns, generation, tables, told)?;
            frontier.settle(0, pause);
            if pause == Pause::NotYet {
                return Ok(Tried::NotYet);
            }
        }
        Ok(Tried::Happened)
    }

    /// Lets plain events happen that are not decoded yet: of the earliest thread, and by turns of the next one. `None` if the
    /// earliest one's are decoded; else why those of the one that is the earliest then wait.
    #[inline(always)]
    fn run_in_batches<'a>(
        &mut self,
        frontier: &mut Frontier<'a>,
        until_ns: i64,
        generation: &Generation<'a>,
        told: &mut Told<'_>,
    ) -> Option<Stop> {
        let first = self.side(frontier.get_mut(0))?;
        let rival = frontier.rival(until_ns);
        let rival = rival.and_then(|(index, limit_ns)| {
            let second = self.side(frontier.get_mut(index))?;
            Some((index, limit_ns, second))
        });
        let Some((index, limit_ns, second)) = rival else {
            let until_ns = frontier.second_ns().min(until_ns);
            let stop = self.run_alone(first, frontier.get_mut(0), until_ns, generation, told);
            if stop.near_ns().is_some() {
                frontier.settle(0, Pause::Later);
            }
            return Some(stop);
        };
        let mut pair = Pair::new(first, second);
        let before = told.len();
        let stop = self.run_plain(&mut pair, limit_ns, generation, told);
        let count = told.len() - before;
        if pair.is_second() {
            frontier.swap(0, index);
        }
        let [turn, waiting] = pair.into_turns();
        let waits_until = Some(waiting.next_ns);
        self.put_back(turn, frontier.get_mut(0), count, stop.near_ns());
        self.put_back(waiting, frontier.get_mut(index), count, waits_until);
        frontier.set(index);
        if stop.near_ns().is_some() {
            frontier.settle(0, Pause::Later);
        }
        Some(stop)
    }

    /// A thread whose next event is not decoded.
    #[inline(always)]
    fn side<'a>(&self, cursor: &Cursor<'a>) -> Option<Side<InBatch<'a>>> {
        if !cursor.is_at_end_of_row() {
            return None;
        }
        let (place, source) = (cursor.place?, cursor.in_batch()?);
        let now = self.now(self.threads[place]);
        Some(Side::new(source, now, cursor.near_ns()))
    }

    /// Its events up to here have happened, `count` of all. The next one comes at `near_ns`, if that is known.
    #[inline(always)]
    fn put_back<'a>(
        &mut self,
        side: Side<InBatch<'a>>,
        cursor: &mut Cursor<'a>,
        count: usize,
        near_ns: Option<i64>,
    ) {
        if let Some(place) = cursor.place {
            self.threads[place] = side.now.thread;
        }
        cursor.go_on(count, side.source, near_ns);
    }

    /// Lets plain events of a thread happen that are not decoded yet, without another's between.
    #[inline(always)]
    fn run_alone<'a>(
        &mut self,
        side: Side<InBatch<'a>>,
        cursor: &mut Cursor<'a>,
        until_ns: i64,
        generation: &Generation<'a>,
        told: &mut Told<'_>,
    ) -> Stop {
        let mut pair = Pair::alone(side);
        let before = told.len();
        let stop = self.run_plain(&mut pair, until_ns, generation, told);
        let [side, _] = pair.into_turns();
        self.put_back(side, cursor, told.len() - before, stop.near_ns());
        stop
    }

    /// Tries one event, that of the cursor at `index`.
    #[cold]
    pub(super) fn run_one<'a>(
        &mut self,
        frontier: &mut Frontier<'a>,
        index: usize,
        generation: &mut Generation<'a>,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<Tried, Box<Stuck>> {
        let cursor = frontier.get_mut(index);
        let tried = self.attempt(&cursor.next(), cursor.place, generation, tables, told);
        if tried.map_err(refused)? == Tried::NotYet {
            return Ok(Tried::NotYet);
        }
        let has_more = cursor.advance().map_err(cut)?;
        frontier.settle(index, if has_more { Pause::Later } else { Pause::End });
        Ok(Tried::Happened)
    }

    /// Lets events of a thread happen, as long as the next is not later than `until_ns` and there is room. `stop`: why those that
    /// are not decoded wait, if they were tried.
    #[inline(always)]
    fn run_cursor<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        mut stop: Option<Stop>,
        until_ns: i64,
        generation: &mut Generation<'a>,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<Pause, Box<Stuck>> {
        let place = cursor.place;
        loop {
            let mut is_special = false;
            if cursor.is_at_end_of_row() {
                if stop.is_none()
                    && let Some(side) = self.side(cursor)
                {
                    stop = Some(self.run_alone(side, cursor, until_ns, generation, told));
                }
                let stop = stop.take();
                if stop.is_some_and(|stop| stop.near_ns().is_some()) {
                    return Ok(Pause::Later);
                }
                is_special = stop == Some(Stop::Special);
                if !cursor.refill().map_err(cut)? {
                    return Ok(Pause::End);
                }
            }
            if let Some(place) = place
                && !is_special
            {
                let row = cursor.in_row();
                let length = row.events.len();
                let now = self.now(self.threads[place]);
                let mut pair = Pair::alone(Side::new(row, now, None));
                self.run_plain(&mut pair, until_ns, generation, told);
                let [Side { source, now, .. }, _] = pair.into_turns();
                self.threads[place] = now.thread;
                let (count, point) = (length - source.events.len(), source.point);
                cursor.pass(count, point);
                if cursor.is_at_end_of_row() {
                    continue;
                }
            }
            if cursor.time_ns() > until_ns || told.is_full() {
                return Ok(Pause::Later);
            }
            let tried = self.attempt(&cursor.next(), place, generation, tables, told);
            if tried.map_err(refused)? == Tried::NotYet {
                return Ok(Pause::NotYet);
            }
            cursor.pass_one();
        }
    }
}
