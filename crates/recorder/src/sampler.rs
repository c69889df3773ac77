//! The CPU sampler: on a thread's own CPU clock, a signal interrupts it and its handler writes down where it was.
//!
//! ```text
//!  thread ◄── SIGPROF ── timer on its CPU clock         one a thread, by `timers` and `threads`
//!    │
//!    └─► handler ─► walk ─► shard of profiling buffers ─► drain, by the thread that owns the sampler
//! ```
//!
//! Time that a thread does not run costs nothing and gives no samples. Threads that nobody announced are found in the
//! process's directory of threads. The handler finds its thread's slot by the value in the signal, so that neither
//! thread-locals nor locks are needed.
//!
//! What is lost is counted: taken = drained + lost. Limits: a thread that has `SIGPROF` blocked gives no samples; a thread that
//! lives for less than the time between two looks may get no timer; samples in the kernel stand at the system call.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use exectrace_profbuf::{Mode, Read, Reader};

use self::code::CodeMap;
use self::rate::SampleRate;
pub(crate) use self::sample::Sample;
use self::shards::Shards;
use self::slot::Slots;
use self::threads::Threads;
use self::timers::Timers;
use crate::error::Error;
use crate::thread_role;

mod call_frames;
mod code;
mod handler;
mod interrupted;
pub(crate) mod rate;
mod rule_cache;
mod safe_read;
mod sample;
mod shards;
mod signal_action;
mod slot;
mod stack_memory;
mod table_maker;
mod threads;
mod timer;
mod timers;
pub(crate) mod trace_samples;
mod unwind_rule;
mod unwind_table;
mod walk;

/// Samples per second of CPU time unless set.
pub(crate) const HZ: u32 = 100;

/// How long a stop waits for handlers whose threads are suspended.
const STOP_WAIT: Duration = Duration::from_millis(200);

/// Code that was loaded since is looked for no more often.
const CODE_EVERY: Duration = Duration::from_secs(1);

/// How long one look may work on tables of unwinding rules: what else the looking thread has to do cannot wait.
const TABLES_TIME: Duration = Duration::from_millis(4);

/// How samples are to be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    pub(crate) hz: u32,
    /// Call the handler of `SIGPROF` that the program has.
    pub(crate) chain: bool,
}

/// The sampler while it is at work. There is one in a process.
pub(crate) struct Sampler {
    parts: Option<Parts>,
    rate: SampleRate,
    timers: Timers,
    threads: Threads,
    produced_before: u64,
    lost_before: u64,
    drained: u64,
    is_stopped: bool,
    lost_signal: bool,
    code_seen: Instant,
    process: u32,
}

/// What is made once in a process and handed from one sampler to the next.
struct Parts {
    shards: &'static Shards,
    readers: Vec<Reader<()>>,
    slots: Slots,
    code: CodeMap,
}

/// Where the parts are while no sampler is at work.
enum Shelf {
    Unmade,
    Idle(Parts),
    InUse,
}

static SHELF: Mutex<Shelf> = Mutex::new(Shelf::Unmade);

/// What a sampler did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Samples taken but lost, by weight.
    pub(crate) lost: u64,
    /// Threads that got a timer.
    pub(crate) threads: u64,
    /// Threads that the kernel refused a timer.
    pub(crate) refused_threads: u64,
    /// A drain found that the program had given the signal another action.
    pub(crate) lost_signal: bool,
}

impl Sampler {
    /// Makes all ready; no sample is taken before [`Sampler::begin`].
    ///
    /// # Errors
    /// [`Error::SamplerRunning`] while there is another one, [`Error::ProfilingSignalInUse`] if the program handles `SIGPROF`
    /// itself and `sampling` does not say to chain, [`Error::OutOfMemory`].
    pub(crate) fn prepare(sampling: Sampling) -> Result<Self, Error> {
        let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*shelf, Shelf::InUse) {
            return Err(Error::SamplerRunning);
        }
        signal_action::install(sampling.chain)?;
        let parts = match std::mem::replace(&mut *shelf, Shelf::Unmade) {
            Shelf::Idle(parts) => parts,
            Shelf::Unmade | Shelf::InUse => Parts::make().ok_or(Error::OutOfMemory {
                size_bytes: slot::SLAB_BYTES,
            })?,
        };
        *shelf = Shelf::InUse;
        safe_read::prepare();
        let rate = SampleRate::granted(sampling.hz);
        Ok(Self {
            produced_before: parts.shards.produced(),
            lost_before: parts.shards.lost(),
            parts: Some(parts),
            rate,
            timers: Timers::new(rate.period_ns()),
            threads: Threads::new(),
            drained: 0,
            is_stopped: false,
            lost_signal: false,
            code_seen: Instant::now(),
            process: std::process::id(),
        })
    }

    /// Starts sampling. The calling thread, which is to call all else too, gets no samples itself.
    pub(crate) fn begin(&mut self) {
        crate::clock::source();
        if let Some(parts) = &mut self.parts {
            parts.code.refresh();
            // Nearly all samples go through the C library and the program: their tables need not wait to be missed.
            code::of_process().note_running(libc::syscall as *const () as u64);
            code::of_process().note_running(handler::on_signal as *const () as u64);
        }
        self.timers.leave_out(thread_role::own_id_and_name().0);
        // What a late handler of the last sampler wrote.
        self.discard();
        self.look();
    }

    /// Sees to threads and to the code that they run in. To be called every few milliseconds.
    pub(crate) fn look(&mut self) {
        self.follow_threads();
        let Some(parts) = &mut self.parts else {
            return;
        };
        if self.code_seen.elapsed() > CODE_EVERY && parts.code.refresh_if_missed() {
            self.code_seen = Instant::now();
        }
        parts.code.make_wanted(Instant::now() + TABLES_TIME);
    }

    /// Whether looks may be rarer: no threads come and go, and no code waits for a table.
    pub(crate) fn is_quiet(&self) -> bool {
        let is_at_rest = |parts: &Parts| self.threads.are_settled() && !parts.code.is_making();
        self.parts.as_ref().is_none_or(is_at_rest)
    }

    /// Sees to it that each thread has a timer, when it is time to. Takes some microseconds when it is not.
    pub(crate) fn follow_threads(&mut self) {
        if let Some(parts) = &mut self.parts
            && !self.is_stopped
            && let Some(threads) = self.threads.due(self.timers.has_one_ended())
        {
            self.timers.follow(&threads, &mut parts.slots);
        }
    }

    /// Visits the samples that have come. Notices when the program has taken the signal away, after which none come.
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(&Sample<'_>)) {
        self.lost_signal |= !signal_action::is_ours();
        let Some(parts) = &mut self.parts else {
            return;
        };
        for reader in &mut parts.readers {
            while let Read::Records(records) = reader.read(Mode::NonBlocking) {
                for sample in records.filter_map(|record| Sample::of_record(&record)) {
                    self.drained += u64::from(sample.weight);
                    visit(&sample);
                }
            }
        }
    }

    fn discard(&mut self) {
        self.drain(|_| {});
        self.drained = 0;
    }

    /// Ends sampling: when this returns, all samples that were taken can be drained.
    pub(crate) fn stop(&mut self) {
        if let Some(parts) = &mut self.parts
            && self.process == std::process::id()
        {
            self.timers.delete_all(&mut parts.slots);
            parts.shards.wait_until_idle(STOP_WAIT);
            self.is_stopped = true;
        }
    }

    /// The rates.
    pub(crate) fn rate(&self) -> SampleRate {
        self.rate
    }

    /// What was done so far. After [`Sampler::stop`] and a last [`Sampler::drain`] it is final: what was taken and not drained
    /// is lost.
    pub(crate) fn account(&self) -> Account {
        let lost = self.parts.as_ref().map_or(0, |parts| {
            if self.is_stopped {
                let produced = parts.shards.produced() - self.produced_before;
                produced.saturating_sub(self.drained)
            } else {
                parts.shards.lost() - self.lost_before
            }
        });
        Account {
            lost,
            threads: self.timers.made(),
            refused_threads: self.timers.refused(),
            lost_signal: self.lost_signal,
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The timers are the parent's, and so is the sampler.
            return;
        }
        self.stop();
        if let Some(parts) = self.parts.take() {
            *SHELF.lock().unwrap_or_else(PoisonError::into_inner) = Shelf::Idle(parts);
        }
    }
}

impl Parts {
    fn make() -> Option<Self> {
        let slots = Slots::new()?;
        let (shards, readers) = shards::make()?;
        Some(Self {
            shards,
            readers,
            slots,
            code: CodeMap::new(code::of_process()),
        })
    }
}
