//! Samples on their way into a recording: CPUSample events, in batches of their own.

use std::time::{Duration, Instant};

use exectrace_format::go_v1::{CPUSample, Event};
use exectrace_format::{StackId, TaskId, WorkerId};

use super::{Sample, Sampler};
use crate::gate::SessionStamp;
use crate::intern_table::{Chunk, StackHash};
use crate::tables::Tables;

/// Samples do not wait longer than this for other events, so that a file whose program died has them.
const WAIT_MAX: Duration = Duration::from_millis(250);

/// The buffers are looked into so often: a look costs more than the few samples that come in between.
const TAKE_EVERY: Duration = Duration::from_millis(50);

/// The events that wait to be written.
#[derive(Debug)]
pub(crate) struct TraceSamples {
    records: Vec<u8>,
    waiting: u32,
    oldest: Option<Instant>,
    taken: Instant,
}

impl TraceSamples {
    pub(crate) fn new() -> Self {
        Self {
            records: Vec::new(),
            waiting: 0,
            oldest: None,
            taken: Instant::now(),
        }
    }

    /// Whether it is time to take what the sampler has.
    pub(crate) fn take_is_due(&self) -> bool {
        self.taken.elapsed() >= TAKE_EVERY
    }

    /// Takes what the sampler has: makes an event of each sample and interns its stack.
    pub(crate) fn take(
        &mut self,
        sampler: &mut Sampler,
        tables: &'static Tables,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) {
        self.taken = Instant::now();
        sampler.drain(|sample| {
            let stack = intern(sample.stack, tables, stamp, chunk);
            self.append(sample, stack, stamp.start_tick());
        });
    }

    fn append(&mut self, sample: &Sample<'_>, stack: u32, start_tick: u64) {
        let event = CPUSample {
            // The session's first tick lies a little after its start.
            real_ticks: sample.tick.max(start_tick),
            worker: WorkerId(sample.worker),
            task: TaskId(sample.running),
            stack: StackId(u64::from(stack)),
        };
        for _ in 0..sample.weight {
            event.append(0, &mut self.records);
        }
        self.waiting += sample.weight;
        self.oldest.get_or_insert_with(Instant::now);
    }

    /// Whether there are events that have waited long enough.
    pub(crate) fn are_due(&self) -> bool {
        self.oldest
            .is_some_and(|oldest| oldest.elapsed() >= WAIT_MAX)
    }

    /// The records that wait, and how many there are. They belong into a batch of their own.
    pub(crate) fn take_records(&mut self) -> Option<(Vec<u8>, u32)> {
        self.oldest.take()?;
        let waiting = std::mem::take(&mut self.waiting);
        Some((std::mem::take(&mut self.records), waiting))
    }
}

/// The id of a sample's stack; 0 if the table is full.
fn intern(stack: &[u64], tables: &'static Tables, stamp: SessionStamp, chunk: &mut Chunk) -> u32 {
    tables
        .stacks
        .intern(stack, StackHash::of(stack), stamp, chunk)
        .map_or(0, |entry| entry.id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_as_many_events_as_it_has_weight_and_none_is_before_the_session() {
        let mut samples = TraceSamples::new();
        assert!(samples.take_records().is_none() && !samples.are_due());
        let sample = Sample {
            tick: 90,
            worker: -1,
            running: 7,
            task: 7,
            user_task: 0,
            weight: 3,
            thread: 1,
            stack: &[],
        };
        samples.append(&sample, 5, 100);
        let (records, count) = samples.take_records().expect("three events wait");
        let mut expect = Vec::new();
        let event = CPUSample {
            real_ticks: 100,
            worker: WorkerId(-1),
            task: TaskId(7),
            stack: StackId(5),
        };
        for _ in 0..3 {
            event.append(0, &mut expect);
        }
        assert_eq!((records, count), (expect, 3));
        assert!(samples.take_records().is_none());
    }
}
