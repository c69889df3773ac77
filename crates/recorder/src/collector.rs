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
//! Frequency too, so that a file whose program died can be read as far as it goes. It alone ends a session, whatever the cause.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use exectrace_format::go_v1::{self, Batch, Event, EventType, Frequency};
use exectrace_format::{StackId, StringId, Version, WorkerId};

use crate::batch::{BatchPool, BatchPtr, EVENT_TYPES};
use crate::clock::{self, ClockPair};
use crate::description::Description;
use crate::gate::SessionStamp;
use crate::intern_table::Chunk;
use crate::lane;
use crate::output::Output;
use crate::patches;
use crate::recorder::Shared;
use crate::sampler::Sampler;
use crate::sampler::trace_samples::TraceSamples;
use crate::session::{self, Closing, Turn};
use crate::session_word;
use crate::stack_frames::{self, StackFrames};
use crate::statistics::{CpuSampleStatistics, EndReason, StackMethod, Statistics};
use crate::tables::Tables;
use crate::task;
use crate::task_slab;
use crate::thread_role::ThreadRole;

/// How long the collector sleeps between two looks: batches of 64 KiB fill slower than this even at 10^8 events a second.
const PERIOD: Duration = Duration::from_millis(10);

/// The worker number under which tables, samples and the recorder's own events stand: no lane has it.
const TABLE_WORKER: i64 = 900_000;

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
    stacks: u64,
    strings: u64,
    frequency_written: bool,
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
            description: Description::new(start_pair),
            sampler,
            samples: TraceSamples::new(),
            stacks: 0,
            strings: 0,
            frequency_written: false,
            _turn: turn,
        }
    }

    /// The collector's life: until the session ends.
    pub(crate) fn run(mut self) -> Statistics {
        lane::set_role(ThreadRole::Recorder);
        self.output.buffer.extend(Version::Go1_19.header());
        if let Some(sampler) = &mut self.sampler {
            sampler.begin();
        }
        task_slab::for_each_live(task::introduce);
        self.description.at_start();
        self.description
            .of_sampling(self.sampler.as_ref().map(Sampler::rate));
        let end = loop {
            if let Some(end) = self.end() {
                break end;
            }
            self.look();
            std::thread::park_timeout(PERIOD);
        };
        self.close(end)
    }

    /// Why the session is over, if it is.
    fn end(&self) -> Option<EndReason> {
        if self.output.error.is_some() {
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
        self.description.of_threads();
        self.description.of_adapters();
        if let Some(sampler) = &mut self.sampler {
            sampler.look();
        }
        if self.samples.take_is_due() {
            self.take_samples();
        }
        let full = session::take_full();
        if full.is_empty() && !self.samples.are_due() {
            return;
        }
        self.write_batches(full);
        self.output.write_out();
    }

    /// Takes what the sampler has.
    fn take_samples(&mut self) {
        if let Some(sampler) = &mut self.sampler {
            self.samples
                .take(sampler, self.tables, self.stamp, &mut self.chunk);
        }
    }

    fn write_batches(&mut self, batches: Vec<BatchPtr>) {
        // The tables are taken after the batches, so that they hold all that the batches use.
        self.write_tables();
        self.write_samples();
        for mut batch in batches {
            let patches = batch.patches();
            let mut counts = batch.head().counts;
            patches::apply(&patches, batch.records(), &mut counts, &self.frames);
            self.output.buffer.extend_from_slice(batch.records());
            self.output.events.add(&counts);
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
            let frames = self
                .frames
                .of(stack, self.tables, self.stamp, &mut self.chunk);
            let id = StackId(u64::from(stack.id()));
            if go_v1::write_stack(&mut records, id, frames) > 0 {
                self.stacks += 1;
            }
        }
        if !records.is_empty() {
            stack_frames::release_pages();
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
        let mut counts = [0; EVENT_TYPES];
        counts[EventType::CPUSample as usize] = count;
        self.output.events.add(&counts);
    }

    fn begin_table_batch(&mut self, ticks: u64) {
        let batch = Batch {
            worker: WorkerId(TABLE_WORKER),
            ticks,
        };
        batch.append(0, &mut self.output.buffer);
    }

    fn write_frequency(&mut self) {
        let ticks_per_second = clock::ticks_per_second();
        Frequency { ticks_per_second }.append(0, &mut self.output.buffer);
    }

    /// Ends the session and writes what is left.
    fn close(mut self, end: EndReason) -> Statistics {
        if let Some(sampler) = &mut self.sampler {
            sampler.stop();
        }
        self.take_samples();
        self.description.of_threads();
        let lost_samples = self.sampler.as_ref().map_or(0, |it| it.account().lost);
        self.description.at_end(self.start_cpu_ns, lost_samples);
        let mut closing = session::close(self.stamp);
        let duration = self.started.elapsed();
        let cpu_time = self.cpu_time();
        let mut batches = session::take_full();
        batches.append(&mut closing.batches);
        self.write_batches(batches);
        self.begin_table_batch(self.stamp.start_tick());
        self.write_frequency();
        self.output.write_out();
        self.output.finish();
        self.into_statistics(end, &closing, duration, cpu_time)
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
        let output = self.output;
        let end = if output.error.is_some() {
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
            }
        });
        let refused = self.tables.stacks.take_refused() + self.tables.strings.take_refused();
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
            workers: session::joined().saturating_sub(1),
            stacks: self.stacks,
            strings: self.strings,
            refused_entries: refused,
            cut_stacks: closing.cut_stacks,
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
