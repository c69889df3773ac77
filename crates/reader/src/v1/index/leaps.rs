//! Leaps of time within a batch, as a wrong number makes them: the worker's next batch says by how much they are too long.
//!
//! What follows a leap would else come after all other workers' events, whose times would have to be moved there.

use std::collections::HashSet;

use exectrace_format::go_v1::{EventType, Record, Records};
use exectrace_format::{ThreadId, Version, WorkerId};

use super::{Index, Stretch};
use crate::damage::Damage;
use crate::{Cause, Error};

/// The longest step of time in a batch.
#[derive(Clone, Copy, Debug)]
struct Leap {
    /// The place of its stretch.
    part: usize,
    /// The event that makes it.
    offset: u64,
    ticks_before: i64,
    delta: i64,
}

/// Shortens leaps so that the events of a worker are in order of time.
pub(super) fn shorten(file: &[u8], index: &mut Index<'_>, damage: &mut Damage) {
    // In version 1.5 the order is not that of time.
    if index.version == Version::Go1_5 {
        return;
    }
    let ns_per_tick = 1e9 / index.ticks_per_second as f64;
    let mut batches = Batches {
        file,
        version: index.version,
        not_late: HashSet::new(),
    };
    for worker in &mut index.workers {
        let is_back = |pair: &[Stretch]| pair[1].ticks < pair[0].end_ticks;
        if !worker.stretches.windows(2).any(is_back) {
            continue;
        }
        let stretches = std::mem::take(&mut worker.stretches);
        for (place, stretch) in stretches.iter().enumerate() {
            worker.stretches.push(*stretch);
            let Some(next) = stretches.get(place + 1) else {
                break;
            };
            if let Some((offset, ticks)) = batches.shorten(&mut worker.stretches, next) {
                let error = Error::at(Cause::TimeOrder, offset);
                let skew_ns = (ticks as f64 * ns_per_tick) as u64;
                damage.skew(error, skew_ns, ThreadId::NONE, WorkerId(worker.number));
            }
        }
    }
    let not_late = batches.not_late;
    if !not_late.is_empty() {
        index
            .late_exits
            .retain(|exit| !not_late.contains(&exit.offset));
    }
}

/// The batches of a file.
struct Batches<'a> {
    file: &'a [u8],
    version: Version,
    /// Ends of system calls that are not later than they happened any more.
    not_late: HashSet<u64>,
}

impl Batches<'_> {
    /// Shortens the leap of the batch that ends with the last stretch, before that of the next batch. Where, and by how much.
    fn shorten(&mut self, stretches: &mut Vec<Stretch>, next: &Stretch) -> Option<(u64, i64)> {
        let last = *stretches.last()?;
        if last.batch == next.batch || last.end_ticks <= next.ticks {
            return None;
        }
        let first = stretches.iter().rposition(|it| it.batch != last.batch);
        let first = first.map_or(0, |before| before + 1);
        let (leap, end_ticks) = self.leap(stretches, first)?;
        let excess = end_ticks.checked_sub(self.first_ticks(next)?)?;
        if excess <= 0 || leap.delta < excess {
            return None;
        }
        let part = stretches[leap.part];
        let rest = Stretch {
            begin: leap.offset,
            ticks: leap.ticks_before,
            ..part
        };
        stretches[leap.part].end = leap.offset;
        stretches[leap.part].end_ticks = leap.ticks_before;
        stretches.insert(leap.part + 1, rest);
        for stretch in &mut stretches[leap.part + 1..] {
            stretch.ticks = stretch.ticks.wrapping_sub(excess);
            stretch.end_ticks = stretch.end_ticks.wrapping_sub(excess);
        }
        for stretch in &stretches[leap.part + 1..] {
            self.look_at_exits(stretch, excess);
        }
        Some((leap.offset, excess))
    }

    /// The longest leap of the stretches from `first` on, and the time of their last event.
    fn leap(&self, stretches: &[Stretch], first: usize) -> Option<(Leap, i64)> {
        let mut leap: Option<Leap> = None;
        let mut end_ticks = None;
        for (part, stretch) in stretches.iter().enumerate().skip(first) {
            for (record, ticks) in self.timed(stretch) {
                let delta = record.delta as i64;
                if leap.is_none_or(|leap| leap.delta < delta) {
                    leap = Some(Leap {
                        part,
                        offset: record.offset,
                        ticks_before: ticks.wrapping_sub(delta),
                        delta,
                    });
                }
                if record.event_type != EventType::CPUSample {
                    end_ticks = Some(ticks);
                }
            }
        }
        Some((leap?, end_ticks?))
    }

    /// The time of the first event of a stretch.
    fn first_ticks(&self, stretch: &Stretch) -> Option<i64> {
        let mut events = self.timed(stretch);
        let event = events.find(|(record, _)| record.event_type != EventType::CPUSample);
        event.map(|(_, ticks)| ticks)
    }

    /// Looks for ends of system calls that were late by no more than the excess.
    fn look_at_exits(&mut self, stretch: &Stretch, excess: i64) {
        let mut not_late = Vec::new();
        for (record, ticks) in self.timed(stretch) {
            let real = record.args[2] as i64;
            let was_late = real != 0 && real < ticks.wrapping_add(excess);
            if record.event_type == EventType::GoSysExit && was_late && real >= ticks {
                not_late.push(record.offset);
            }
        }
        self.not_late.extend(not_late);
    }

    /// The records with a time, and when that is.
    fn timed(&self, stretch: &Stretch) -> impl Iterator<Item = (Record<'_>, i64)> {
        let bytes = &self.file[stretch.begin as usize..stretch.end as usize];
        let records = Records::resume(self.version, bytes, stretch.begin);
        let mut ticks = stretch.ticks;
        records
            .flatten()
            .filter(|record| record.event_type.spec().is_timed())
            .map(move |record| {
                ticks = ticks.wrapping_add(record.delta as i64);
                (record, ticks)
            })
    }
}
