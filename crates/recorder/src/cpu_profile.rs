//! CPU profiles without a recording.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use crate::error::Error;
use crate::lane;
use crate::pprof::{Group, Pprof, Taken};
use crate::sampler::{Sample, Sampler, Sampling};
use crate::statistics::CpuSampleStatistics;
use crate::thread_role::ThreadRole;

/// How long the profiler's thread sleeps between two looks.
const PERIOD: Duration = Duration::from_millis(10);

/// Takes CPU samples of all threads, until it is stopped. Needs no recording.
///
/// One at a time in a process, and none beside a recording with CPU samples. Dropping it stops it, without the profile. In a
/// child of `fork` it does nothing.
///
/// # Examples
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let profiler = exectrace::CpuProfiler::start(100)?;
/// // The program's work.
/// let profile = profiler.stop();
/// let mut bytes = Vec::new(); // Or a file: `go tool pprof cpu.pb.gz` reads it.
/// profile.write_pprof(&mut bytes)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a profiler that is dropped is stopped"]
pub struct CpuProfiler {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<CpuProfile>>,
    process: u32,
}

impl CpuProfiler {
    /// Starts taking so many samples per second of each thread's CPU time; at most as many as the kernel ticks:
    /// [`CpuSampleStatistics::effective_hz`] tells.
    ///
    /// Samples interrupt threads by `SIGPROF`: see [`Recorder::cpu_samples`](crate::Recorder::cpu_samples).
    ///
    /// # Errors
    /// [`Error::SamplerRunning`] while another profiler or a recording takes samples, [`Error::ProfilingSignalInUse`] if the
    /// program handles `SIGPROF` itself, [`Error::OutOfMemory`] and [`Error::CollectorThread`] where the system refuses.
    pub fn start(hz: u32) -> Result<Self, Error> {
        Self::start_with(Sampling { hz, chain: false })
    }

    /// As [`CpuProfiler::start`]. If the program handles `SIGPROF` itself, its handler is called for all signals that are not
    /// the profiler's.
    ///
    /// # Errors
    /// As [`CpuProfiler::start`], without [`Error::ProfilingSignalInUse`].
    pub fn start_chained(hz: u32) -> Result<Self, Error> {
        Self::start_with(Sampling { hz, chain: true })
    }

    fn start_with(sampling: Sampling) -> Result<Self, Error> {
        let sampler = Sampler::prepare(sampling)?;
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let thread = std::thread::Builder::new()
            .name("exectrace-cpu".into())
            .spawn(move || run(sampler, &asked))
            .map_err(Error::CollectorThread)?;
        Ok(Self {
            stop,
            thread: Some(thread),
            process: std::process::id(),
        })
    }

    /// Stops and returns the profile, its addresses resolved.
    ///
    /// # Panics
    /// In a child of `fork`, which has no profiler.
    pub fn stop(mut self) -> CpuProfile {
        let ended = self.join();
        match ended.expect("a child of fork has no profiler to stop") {
            Ok(profile) => profile,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn join(&mut self) -> Option<std::thread::Result<CpuProfile>> {
        let thread = self.thread.take()?;
        if self.process != std::process::id() {
            // The thread is the parent's; joining it here would wait for ever.
            std::mem::forget(thread);
            return None;
        }
        // Release: pairs with the Acquire in `run`.
        self.stop.store(true, Ordering::Release);
        thread.thread().unpark();
        Some(thread.join())
    }
}

impl Drop for CpuProfiler {
    fn drop(&mut self) {
        // A profiler that panicked takes no samples any more; there is nobody to tell.
        let _ = self.join();
    }
}

/// The life of the profiler's thread.
fn run(mut sampler: Sampler, stop: &AtomicBool) -> CpuProfile {
    lane::set_role(ThreadRole::Recorder);
    let mut samples = Samples::default();
    let started = SystemTime::now();
    let begin = Instant::now();
    sampler.begin();
    // Acquire: pairs with the Release in `join`.
    while !stop.load(Ordering::Acquire) {
        sampler.look();
        sampler.drain(|sample| samples.add(sample));
        std::thread::park_timeout(PERIOD);
    }
    sampler.stop();
    sampler.drain(|sample| samples.add(sample));
    let duration = begin.elapsed();
    samples.into_profile(&sampler, started, duration)
}

/// Samples by stack, task and user task.
#[derive(Debug, Default)]
struct Samples {
    stacks: HashMap<Box<[u64]>, u32>,
    counts: HashMap<Place, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place {
    stack: u32,
    task: u64,
    user_task: u64,
}

impl Samples {
    fn add(&mut self, sample: &Sample<'_>) {
        let stack = match self.stacks.get(sample.stack) {
            Some(&stack) => stack,
            None => {
                let next = self.stacks.len() as u32;
                self.stacks.insert(sample.stack.into(), next);
                next
            }
        };
        let place = Place {
            stack,
            task: sample.task,
            user_task: sample.user_task,
        };
        *self.counts.entry(place).or_default() += u64::from(sample.weight);
    }

    fn into_profile(
        self,
        sampler: &Sampler,
        started: SystemTime,
        duration: Duration,
    ) -> CpuProfile {
        let account = sampler.account();
        let rate = sampler.rate();
        let statistics = CpuSampleStatistics {
            written: self.counts.values().sum(),
            lost: account.lost,
            wished_hz: rate.wished_hz,
            effective_hz: rate.effective_hz,
            threads: account.threads,
            refused_threads: account.refused_threads,
            lost_signal: account.lost_signal,
        };
        let mut stacks: Vec<(u32, Box<[u64]>)> = Vec::with_capacity(self.stacks.len());
        stacks.extend(self.stacks.into_iter().map(|(stack, index)| (index, stack)));
        stacks.sort_unstable();
        let mut counts: Vec<(Place, u64)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let groups = counts.iter().map(|&(place, samples)| Group {
            stack: &stacks[place.stack as usize].1,
            task: place.task,
            user_task: place.user_task,
            samples,
        });
        let taken = Taken {
            started,
            duration,
            period_ns: rate.period_ns(),
        };
        let comment = format!(
            "exectrace {}: {} Hz wished, {} Hz granted, {} samples lost",
            env!("CARGO_PKG_VERSION"),
            statistics.wished_hz,
            statistics.effective_hz,
            statistics.lost
        );
        CpuProfile {
            pprof: Pprof::new(groups, taken, &[comment]),
            statistics,
            duration,
        }
    }
}

/// Where the CPU time went.
#[derive(Clone, Debug)]
pub struct CpuProfile {
    pprof: Pprof,
    statistics: CpuSampleStatistics,
    duration: Duration,
}

impl CpuProfile {
    /// How many samples there are, and at which rate they were taken.
    pub fn statistics(&self) -> CpuSampleStatistics {
        self.statistics
    }

    /// How long samples were taken.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Writes the profile in pprof's form, packed with gzip: what `go tool pprof` reads.
    ///
    /// Its samples are counted and given as CPU time, and carry the labels `task` and `user_task` where they were taken in one.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write_pprof(&self, sink: impl Write) -> io::Result<()> {
        self.pprof.write(sink)
    }
}
