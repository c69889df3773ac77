//! The collector: the thread that makes a file out of batches, tables and samples.
//!
//! ```text
//!  full batches ─┐
//!  new strings  ─┼─► patch, describe, frame ──► output ──► sink
//!  new stacks   ─┤
//!  CPU samples  ─┘
//! ```
//!
//! It looks every few milliseconds. Strings and stacks go out in front of the batches that came with them, and a first
//! Frequency too, so that a file whose program died can be read as far as it goes: see [`Session`](crate::Session). It alone
//! ends a session, whatever the cause.
//!
//! A panic, of the sink or of its own, ends the session as well: hooks are let out, the lanes' batches taken, what can still be
//! written is, and the rest counts as dropped.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exectrace_format::go_v1::{self, Batch, Event, EventType, Frequency};
use exectrace_format::{Frame, StackId, StringId, WorkerId};

use crate::batch::{BatchPool, BatchPtr};
use crate::clock::{self, ClockPair};
use crate::description::Description;
use crate::gate::SessionStamp;
use crate::heap;
use crate::intern_table::Chunk;
use crate::lane;
use crate::output::{Output, contain};
use crate::patches;
use crate::recorder::Shared;
use crate::sampler::Sampler;
use crate::sampler::trace_samples::TraceSamples;
use crate::session::{self, Closing, Turn};
use crate::session_word;
use crate::stack_frames::{self, StackFrames};
use crate::stack_walk;
use crate::statistics::{CpuSampleStatistics, EndReason, StackMethod, Statistics};
use crate::tables::{StackEntry, Tables};
use crate::task;
use crate::task_slab;
use crate::thread_role::ThreadRole;
use crate::user_task_record;
use crate::worker_numbers;

/// How long the collector sleeps between two looks: batches of 64 KiB fill slower than this even at 10^8 events a second.
const PERIOD: Duration = Duration::from_millis(10);

/// And while nothing calls for more: waking up is most of what a look costs.
const QUIET_PERIOD: Duration = Duration::from_millis(20);

/// How long pages of the program's files stay once they were read: in a session's first seconds new stacks come all the time, and to
/// read the same pages again for each costs more than the work itself.
const PAGES_KEPT: Duration = Duration::from_secs(1);

/// Of so much memory for batches 10^8 events a second fill less than half in a quiet period.
const QUIET_BUDGET_BYTES: usize = 32 << 20;

/// So many live tasks are introduced between two looks: they fill a fraction of the least memory budget.
const INTRODUCED_AT_ONCE: usize = 4096;

/// When a session ends by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) bytes_max: Option<u64>,
    pub(crate) time_max: Option<Duration>,
}

/// The collector of one session.
pub(crate) struct Collector {
    output: Output,
    shared: Arc<Shared>,
    limits: Limits,
    pool: &'static BatchPool,
    tables: &'static Tables,
    stamp: SessionStamp,
    started: Instant,
    start_cpu_ns: u64,
    frames: StackFrames,
    chunk: Chunk,
    description: Description,
    sampler: Option<Sampler>,
    samples: TraceSamples,
    /// Batches that have come and are not yet in the output.
    pending: VecDeque<BatchPtr>,
    stacks: u64,
    strings: u64,
    frequency_written: bool,
    /// When stacks were last looked up, if the pages that were read for that are still there.
    looked_up: Option<Instant>,
    /// Some work of ours panicked.
    failed: bool,
    _turn: Turn,
}

impl Collector {
    #[expect(
        clippy::too_many_arguments,
        reason = "all that a session is made of, handed over once"
    )]
    pub(crate) fn new(
        sink: Box<dyn Write + Send>,
        shared: Arc<Shared>,
        limits: Limits,
        pool: &'static BatchPool,
        tables: &'static Tables,
        stamp: SessionStamp,
        start_pair: ClockPair,
        sampler: Option<Sampler>,
        turn: Turn,
    ) -> Self {
        Self {
            output: Output::new(sink),
            shared,
            limits,
            pool,
            tables,
            stamp,
            started: Instant::now(),
            start_cpu_ns: clock::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID),
            frames: StackFrames::default(),
            chunk: Chunk::empty(),
            description: Description::new(start_pair, stamp),
            sampler,
            samples: TraceSamples::new(),
            pending: VecDeque::new(),
            stacks: 0,
            strings: 0,
            frequency_written: false,
            looked_up: None,
            failed: false,
            _turn: turn,
        }
    }

    /// The collector's life: until the session ends.
    pub(crate) fn run(mut self) -> Statistics {
        let end = contain(|| self.collect());
        self.failed |= contain(|| self.stop_sampling()).is_none();
        let closing = session::close(self.stamp);
        let duration = self.started.elapsed();
        let cpu_time = self.cpu_time();
        self.pending.extend(session::take_full());
        self.pending.extend(&closing.batches);
        let written = contain(|| self.write_rest(&closing, cpu_time));
        if written.is_none() {
            self.failed = true;
            self.drop_pending();
        }
        stack_frames::release_pages();
        self.output.write_out();
        self.output.finish();
        let end = end.unwrap_or(EndReason::CollectorFailed);
        self.into_statistics(end, &closing, duration, cpu_time)
    }

    fn stop_sampling(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            sampler.stop();
        }
        self.take_samples();
    }

    /// From the session's start to its end.
    fn collect(&mut self) -> EndReason {
        lane::set_role(ThreadRole::Recorder);
        self.introduce_tasks();
        heap::tell_at_start();
        self.description.at_start();
        self.description
            .of_sampling(self.sampler.as_ref().map(Sampler::rate));
        // After what describes the session, since it looks at the program's code, which takes a while; but before the first
        // write, since the sink may take longer still.
        if let Some(sampler) = &mut self.sampler {
            sampler.begin();
        }
        self.look_at_batches();
        loop {
            heap::tell();
            if let Some(end) = self.end() {
                return end;
            }
            self.look();
            std::thread::park_timeout(self.period());
        }
    }

    /// How long to sleep until the next look.
    fn period(&self) -> Duration {
        let is_quiet = !heap::is_in_use() && self.sampler.as_ref().is_none_or(Sampler::is_quiet);
        let period = period(is_quiet, self.pool.budget_bytes());
        match self.limits.time_max {
            Some(max) => period.min(max.saturating_sub(self.started.elapsed())),
            None => period,
        }
    }

    /// Lets the recording know of the tasks that live already.
    fn introduce_tasks(&mut self) {
        let mut introduced = 0;
        task_slab::for_each_live(|record| {
            introduced += 1;
            if introduced % INTRODUCED_AT_ONCE == 0 {
                self.look_at_batches();
            }
            task::introduce(record)
        });
    }

    /// Why the session is over, if it is.
    fn end(&self) -> Option<EndReason> {
        if self.failed || self.output.has_panicked() {
            return Some(EndReason::CollectorFailed);
        }
        if self.output.has_failed() {
            return Some(EndReason::SinkFailed);
        }
        // Relaxed: only a hook without room clears the word before we do.
        if session_word::word().load(std::sync::atomic::Ordering::Relaxed) != self.stamp.word() {
            return Some(EndReason::BudgetSpent);
        }
        if self
            .limits
            .bytes_max
            .is_some_and(|max| self.output.bytes_total() >= max)
        {
            return Some(EndReason::BytesMax);
        }
        if self
            .limits
            .time_max
            .is_some_and(|max| self.started.elapsed() >= max)
        {
            return Some(EndReason::TimeMax);
        }
        self.shared
            .stop_is_requested()
            .then_some(EndReason::Stopped)
    }

    /// Takes what has come and gives it to the sink.
    fn look(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            sampler.look();
        }
        if self.samples.take_is_due() {
            self.take_samples();
        }
        self.look_at_batches();
        self.release_pages();
    }

    /// Gives back the pages that were read to look stacks up, once none was looked up for a while.
    fn release_pages(&mut self) {
        let is_over = |at: Instant| at.elapsed() >= PAGES_KEPT;
        if self.looked_up.is_some_and(is_over) {
            self.looked_up = None;
            stack_frames::release_pages();
        }
    }

    fn look_at_batches(&mut self) {
        self.description.of_threads(self.stamp);
        self.description.of_adapters();
        self.pending.extend(session::take_full());
        let nothing = self.pending.is_empty() && self.description.is_told();
        if nothing && !self.samples.are_due() {
            return;
        }
        self.write_pending();
        self.output.write_out();
    }

    /// Takes what the sampler has.
    fn take_samples(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            self.samples
                .take(sampler, self.tables, self.stamp, &mut self.chunk);
        }
    }

    /// Moves into the output what has come.
    fn write_pending(&mut self) {
        let (tables, stamp) = (self.tables, self.stamp);
        let (logs, count) = self.description.records(tables, stamp, &mut self.chunk);
        // The tables are taken after what uses them, so that they hold all of it.
        self.write_tables();
        self.output.buffer.extend(logs);
        self.output.count(EventType::UserLog, count);
        self.write_samples();
        while let Some(mut batch) = self.pending.front().copied() {
            if batch.head().session == self.stamp.word() {
                let patches = batch.patches();
                let mut counts = batch.head().counts;
                patches::apply(&patches, batch.records(), &mut counts, &self.frames);
                self.output.buffer.extend_from_slice(batch.records());
                self.output.events.add(&counts);
            }
            self.take_off(batch);
        }
    }

    /// What has come and cannot be written counts as dropped.
    fn drop_pending(&mut self) {
        if let Some((records, count)) = self.samples.take_records() {
            self.output.dropped.add_some(EventType::CPUSample, count);
            self.output.bytes_unwritten += records.len() as u64;
        }
        while let Some(mut batch) = self.pending.front().copied() {
            if batch.head().session == self.stamp.word() {
                self.output.dropped.add(&batch.head().counts);
                self.output.bytes_unwritten += batch.records().len() as u64;
            }
            self.take_off(batch);
        }
    }

    /// The first batch that has come is done with. That of a former session, whose thread was stuck in its hook for too long, is
    /// of another pool.
    fn take_off(&mut self, mut batch: BatchPtr) {
        self.pending.pop_front();
        if batch.head().session == self.stamp.word() {
            self.pool.give_back(batch);
        }
    }

    /// Writes the strings and stacks that the session has begun to use, in a batch of their own.
    fn write_tables(&mut self) {
        let stacks = self.tables.stacks.take_used();
        let mut records = Vec::new();
        for stack in stacks {
            // Names may take long; new threads don't wait for them.
            if let Some(sampler) = &mut self.sampler {
                sampler.follow_threads();
            }
            self.write_stack(stack, &mut records);
        }
        if !records.is_empty() {
            self.looked_up = Some(Instant::now());
        }
        let mut strings = Vec::new();
        for string in self.tables.strings.take_used() {
            go_v1::write_string(
                &mut strings,
                StringId(u64::from(string.id())),
                string.content(),
            );
            self.strings += 1;
        }
        if records.is_empty() && strings.is_empty() && self.frequency_written {
            return;
        }
        self.begin_table_batch(self.stamp.start_tick());
        if !self.frequency_written {
            self.write_frequency();
            self.frequency_written = true;
        }
        self.output.buffer.extend(strings);
        self.output.buffer.extend(records);
    }

    /// Writes the samples that wait, in a batch of their own.
    fn write_samples(&mut self) {
        let Some((records, count)) = self.samples.take_records() else {
            return;
        };
        self.begin_table_batch(self.stamp.start_tick());
        self.output.buffer.extend(records);
        self.output.count(EventType::CPUSample, count);
    }

    /// Writes a stack. Should looking it up panic, its addresses' names are unknown.
    fn write_stack(&mut self, stack: &'static StackEntry, records: &mut Vec<u8>) {
        let id = StackId(u64::from(stack.id()));
        let (tables, stamp) = (self.tables, self.stamp);
        let (frames, chunk) = (&mut self.frames, &mut self.chunk);
        let written = contain(|| {
            let frames = frames.of(stack, tables, stamp, chunk);
            go_v1::write_stack(records, id, frames)
        });
        let written = written.unwrap_or_else(|| {
            self.failed = true;
            let unknown = |&pc| Frame {
                pc,
                ..Frame::default()
            };
            let frames: Vec<Frame> = stack.content().iter().map(unknown).collect();
            go_v1::write_stack(records, id, &frames)
        });
        self.stacks += u64::from(written > 0);
        if self.frames.are_hopeless() {
            stack_walk::give_up();
        }
    }

    fn begin_table_batch(&mut self, ticks: u64) {
        let batch = Batch {
            worker: WorkerId(i64::from(worker_numbers::TABLES)),
            ticks,
        };
        batch.append(0, &mut self.output.buffer);
    }

    fn write_frequency(&mut self) {
        let ticks_per_second = clock::ticks_per_second();
        Frequency { ticks_per_second }.append(0, &mut self.output.buffer);
    }

    /// Moves into the output what is left, and what the recording has to say at its end. The session is closed.
    fn write_rest(&mut self, closing: &Closing, cpu_time: Duration) {
        self.description.of_threads(self.stamp);
        let lost_samples = self.sampler.as_ref().map_or(0, |it| it.account().lost);
        // Looks at the last stacks first: their classifier may panic, which the description is to tell.
        self.write_pending();
        let panics = self.frames.classifier_panics();
        self.description
            .at_end(cpu_time, closing, lost_samples, panics);
        self.write_pending();
        self.begin_table_batch(self.stamp.start_tick());
        self.write_frequency();
    }

    fn cpu_time(&self) -> Duration {
        let now_ns = clock::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID);
        Duration::from_nanos(now_ns.saturating_sub(self.start_cpu_ns))
    }

    fn into_statistics(
        self,
        end: EndReason,
        closing: &Closing,
        duration: Duration,
        cpu_time: Duration,
    ) -> Statistics {
        let mut output = self.output;
        output
            .dropped
            .add_some(EventType::UserRegion, closing.dropped_regions);
        let end = if self.failed || output.has_panicked() {
            EndReason::CollectorFailed
        } else if output.error.is_some() {
            EndReason::SinkFailed
        } else {
            end
        };
        let cpu_samples = self.sampler.as_ref().map(|sampler| {
            let account = sampler.account();
            let rate = sampler.rate();
            CpuSampleStatistics {
                written: output.written.of("CPUSample"),
                lost: account.lost + output.dropped.of("CPUSample"),
                wished_hz: rate.wished_hz,
                effective_hz: rate.effective_hz,
                threads: account.threads,
                refused_threads: account.refused_threads,
                lost_signal: account.lost_signal,
            }
        });
        let refused = self.tables.stacks.take_refused()
            + self.tables.strings.take_refused()
            + user_task_record::take_refused();
        let statistics = Statistics {
            end,
            duration,
            bytes_written: output.bytes_written,
            bytes_unwritten: output.bytes_unwritten,
            tasks: output.written.of("GoCreate"),
            events: output.written,
            dropped: output.dropped,
            sink_error: output.error,
            dropped_without_room: closing.lost_events,
            nested_hooks: closing.busy,
            lost_batches: closing.leaked_batches,
            untraced_tasks: task_slab::take_refused(),
            workers: session::joined(),
            stacks: self.stacks,
            strings: self.strings,
            refused_entries: refused,
            cut_stacks: closing.cut_stacks,
            broken_stacks: self.frames.broken(),
            failed_callbacks: self.frames.classifier_panics() + self.description.describer_panics(),
            cut_texts: closing.cut_texts,
            clamped_times: closing.clamps,
            stack_method: if self.stacks == 0 {
                StackMethod::None
            } else {
                self.frames.method()
            },
            clock: clock::source(),
            cpu_time,
            cpu_samples,
            batch_bytes_max: self.pool.touched_bytes(),
            table_bytes: self.tables.used_bytes(),
        };
        if closing.leaked_batches == 0 {
            session::free_pool(self.pool);
        }
        statistics
    }
}

/// How long the collector may sleep, with so much memory for batches.
fn period(is_quiet: bool, budget_bytes: usize) -> Duration {
    if is_quiet && budget_bytes >= QUIET_BUDGET_BYTES {
        QUIET_PERIOD
    } else {
        PERIOD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_rarer_only_where_nothing_calls_for_more() {
        assert_eq!(period(true, QUIET_BUDGET_BYTES), QUIET_PERIOD);
        assert_eq!(period(false, QUIET_BUDGET_BYTES), PERIOD);
        assert_eq!(period(true, QUIET_BUDGET_BYTES - 1), PERIOD);
        // What the memory was chosen by: 10^8 events of 8 bytes a second fill less than half of it meanwhile.
        let filled = 8e8 * QUIET_PERIOD.as_secs_f64();
        assert!(filled < QUIET_BUDGET_BYTES as f64 / 2.0, "{filled} bytes");
    }
}
