//! Starting a recording: the options, and the handle of the running session.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use crate::batch::BatchPool;
use crate::clock::{self, ClockPair, ClockSource};
use crate::collector::{Collector, Limits};
use crate::error::Error;
use crate::gate::Mode;
use crate::membarrier;
use crate::region;
use crate::sampler::{self, Sampler, Sampling};
use crate::session::{self, Turn};
use crate::session_word;
use crate::statistics::Statistics;
use crate::tables;

/// Memory for batches in flight unless set: 64 MiB.
pub const MEMORY_BUDGET_BYTES: usize = 64 << 20;

/// Chunks that a pulled session holds ready before its collector waits.
const PULL_CHUNKS: usize = 4;

/// How a recording is to be made.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// # fn main() -> Result<(), exectrace::Error> {
/// let session = exectrace::Recorder::new()
///     .time_max(Duration::from_secs(60))
///     .bytes_max(100 << 20)
///     .start(std::io::sink())?;
/// // The program's work.
/// let statistics = session.stop();
/// assert!(statistics.is_complete());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Recorder {
    budget_bytes: usize,
    limits: Limits,
    /// `None`: no CPU samples.
    samples_hz: Option<u32>,
    chain_signal: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl Recorder {
    /// A recording without limits, with the usual memory budget and 100 CPU samples per second of CPU time.
    pub fn new() -> Self {
        Self {
            budget_bytes: MEMORY_BUDGET_BYTES,
            limits: Limits::default(),
            samples_hz: Some(sampler::HZ),
            chain_signal: false,
        }
    }

    /// Memory for batches in flight, in bytes; at least 1 MiB is taken. When the sink is so slow that it is spent, the
    /// recording ends there, as a valid file, and the program goes on.
    pub fn memory_budget(mut self, bytes: usize) -> Self {
        self.budget_bytes = bytes.max(1 << 20);
        self
    }

    /// The recording ends by itself once it has so many bytes. What is in memory then is still written.
    pub fn bytes_max(mut self, bytes: u64) -> Self {
        self.limits.bytes_max = Some(bytes);
        self
    }

    /// The recording ends by itself after so long a time.
    pub fn time_max(mut self, time: Duration) -> Self {
        self.limits.time_max = Some(time);
        self
    }

    /// Takes so many samples per second of each thread's CPU time; 100 unless set, and at most as many as the kernel ticks:
    /// [`CpuSampleStatistics::effective_hz`](crate::CpuSampleStatistics::effective_hz) tells. 0 takes none.
    ///
    /// Samples interrupt threads by `SIGPROF`. System calls that can be restarted are; the few that the kernel never restarts
    /// (`epoll_wait`, `poll`, `select`, `nanosleep`, waits on futexes with a time) may return `EINTR` where they did not before:
    /// a thread that waits uses no CPU time, so that this is rare, but possible. The signal stays handled after the recording.
    pub fn cpu_samples(mut self, hz: u32) -> Self {
        self.samples_hz = (hz > 0).then_some(hz);
        self
    }

    /// Takes no CPU samples, and leaves `SIGPROF` alone.
    pub fn without_cpu_samples(mut self) -> Self {
        self.samples_hz = None;
        self
    }

    /// If the program handles `SIGPROF` itself, its handler is called for all signals that are not the recorder's. Without
    /// this such a program cannot record CPU samples.
    pub fn chain_profiling_signal(mut self) -> Self {
        self.chain_signal = true;
        self
    }

    /// Starts a recording into `sink`. Its writes are large; a buffer in between is of no use.
    ///
    /// The sink is written by a thread of the recorder. If it gives an error, the recording ends, the program goes on, and the
    /// error stands in the statistics.
    ///
    /// # Errors
    /// [`Error::AlreadyRunning`] while another session has not ended, [`Error::OutOfMemory`] and [`Error::CollectorThread`]
    /// where the system refuses. With CPU samples, [`Error::ProfilingSignalInUse`] if the program handles `SIGPROF` itself and
    /// did not ask for [`Recorder::chain_profiling_signal`], and [`Error::SamplerRunning`] while a profiler takes samples.
    pub fn start(self, sink: impl Write + Send + 'static) -> Result<Session, Error> {
        self.start_boxed(Box::new(sink))
    }

    /// Starts a recording whose bytes the program takes chunk by chunk, to ship them elsewhere.
    ///
    /// # Errors
    /// As [`Recorder::start`].
    ///
    /// # Examples
    ///
    /// ```
    /// # fn main() -> Result<(), exectrace::Error> {
    /// let mut session = exectrace::Recorder::new().start_pull()?;
    /// session.request_stop();
    /// let mut bytes = Vec::new();
    /// while let Some(chunk) = session.read() {
    ///     bytes.extend(chunk);
    /// }
    /// assert!(bytes.starts_with(b"go 1.19 trace"));
    /// assert!(session.stop().is_complete());
    /// # Ok(())
    /// # }
    /// ```
    pub fn start_pull(self) -> Result<PullSession, Error> {
        let (sender, chunks) = sync_channel(PULL_CHUNKS);
        let session = self.start(ChunkSink { sender })?;
        Ok(PullSession { chunks, session })
    }

    fn sampler(&self) -> Result<Option<Sampler>, Error> {
        let sampling = self.samples_hz.map(|hz| Sampling {
            hz,
            chain: self.chain_signal,
        });
        sampling.map(Sampler::prepare).transpose()
    }

    fn start_boxed(self, sink: Box<dyn Write + Send>) -> Result<Session, Error> {
        let turn = Turn::take().ok_or(Error::AlreadyRunning)?;
        clock::prepare();
        session_word::protect_from_fork();
        region::prepare();
        let mode = Mode {
            fence: !membarrier::is_available(),
            system_clock: clock::source() == ClockSource::Monotonic,
        };
        let tables = tables::ensure().ok_or(Error::OutOfMemory {
            size_bytes: tables::ARENA_BYTES,
        })?;
        let pool = BatchPool::new(self.budget_bytes).ok_or(Error::OutOfMemory {
            size_bytes: self.budget_bytes,
        })?;
        let sampler = self.sampler()?;
        let shared = Arc::new(Shared::default());
        let (hand_over, collectors) = sync_channel::<Collector>(1);
        let thread = std::thread::Builder::new()
            .name("exectrace".into())
            .spawn(move || collectors.recv().ok().map(Collector::run))
            .map_err(Error::CollectorThread)?;
        let pair = ClockPair::take();
        let pool: &'static BatchPool = Box::leak(Box::new(pool));
        let stamp = session::open(pool, clock::now(), mode);
        let collector = Collector::new(
            sink,
            shared.clone(),
            self.limits,
            pool,
            tables,
            stamp,
            pair,
            sampler,
            turn,
        );
        // The thread waits for it, and can't have ended.
        let _ = hand_over.send(collector);
        Ok(Session {
            collector: thread.thread().clone(),
            thread: Some(thread),
            shared,
            process: std::process::id(),
        })
    }
}

/// Starts a recording into `sink` with the usual options: see [`Recorder`].
///
/// # Errors
/// As [`Recorder::start`].
///
/// # Examples
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = exectrace::start(std::fs::File::create("service.trace")?)?;
/// // The program's work.
/// println!("{}", session.stop());
/// # Ok(())
/// # }
/// ```
pub fn start(sink: impl Write + Send + 'static) -> Result<Session, Error> {
    Recorder::new().start(sink)
}

/// Whether a recording is running: for annotations that are dear to make.
#[inline]
pub fn is_enabled() -> bool {
    session_word::is_on()
}

/// What a session's handle and its collector tell each other.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    stop: AtomicBool,
}

impl Shared {
    pub(crate) fn stop_is_requested(&self) -> bool {
        // Acquire: pairs with the Release in `request_stop`.
        self.stop.load(Ordering::Acquire)
    }
}

/// A running recording. Dropping it stops it, without the statistics.
///
/// In a child of `fork` the handle does nothing: the recording is the parent's.
///
/// # A program that ends without stopping
///
/// A process that exits, or is killed, with a session running leaves a file of whole records, but maybe for the last one: the
/// header, a Frequency, what the recording says of itself, and every batch that was full, each behind the strings and stacks
/// that it uses. What is missing are the batches that threads had not filled, of 4 KiB for a thread's first and 64 KiB for later
/// ones. Go's tools may refuse such a file, since an event in it may have its cause in a batch that is missing.
#[derive(Debug)]
#[must_use = "a session that is dropped is stopped"]
pub struct Session {
    shared: Arc<Shared>,
    collector: Thread,
    thread: Option<JoinHandle<Option<Statistics>>>,
    process: u32,
}

impl Session {
    /// Stops the recording, waits until all is written, and returns the account.
    ///
    /// The program goes on meanwhile: no other thread is made to wait. May be called from inside a traced task.
    ///
    /// In a child of `fork` it does nothing; the account is empty and its end is [`EndReason::OtherProcess`].
    ///
    /// # Panics
    /// When the sink calls it, which cannot wait for itself. It may drop the session instead.
    ///
    /// [`EndReason::OtherProcess`]: crate::EndReason::OtherProcess
    pub fn stop(mut self) -> Statistics {
        self.request_stop();
        self.join().unwrap_or_else(Statistics::of_another_process)
    }

    /// Whether the recording has ended, by itself or by a request.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Asks for the end without waiting for it.
    pub fn request_stop(&self) {
        // Release: pairs with the Acquire in `stop_is_requested`.
        self.shared.stop.store(true, Ordering::Release);
        if self.is_ours() {
            self.collector.unpark();
        }
    }

    /// Whether this is the process that recorded, and no child of it.
    fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// Whether the calling thread is the collector, which calls the sink.
    fn is_called_by_collector(&self) -> bool {
        std::thread::current().id() == self.collector.id()
    }

    fn join(&mut self) -> Option<Statistics> {
        let thread = self.thread.take()?;
        if !self.is_ours() {
            // The thread is the parent's; joining it here would wait for ever.
            std::mem::forget(thread);
            return None;
        }
        assert!(
            !self.is_called_by_collector(),
            "the sink of a recording cannot stop it, since a stop waits for the sink: drop the session, or call `request_stop`"
        );
        match thread.join() {
            Ok(statistics) => statistics,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.request_stop();
        if let Some(thread) = self.thread.take() {
            if !self.is_ours() {
                std::mem::forget(thread);
            } else if !self.is_called_by_collector() {
                // Nobody is left to be told of a panic.
                let _ = thread.join();
            }
        }
    }
}

/// A running recording whose bytes the program takes: see [`Recorder::start_pull`].
#[derive(Debug)]
#[must_use = "a session that is dropped is stopped"]
pub struct PullSession {
    /// Declared first, so dropped first: the collector must not wait for a reader when the session is stopped.
    chunks: Receiver<Vec<u8>>,
    session: Session,
}

impl PullSession {
    /// The next chunk; waits for it. `None` when the recording has ended and all of it was read, and in a child of `fork`.
    pub fn read(&mut self) -> Option<Vec<u8>> {
        self.session.is_ours().then(|| self.chunks.recv().ok())?
    }

    /// The next chunk; waits for it so long at most.
    ///
    /// # Errors
    /// [`RecvTimeoutError::Timeout`] if none came; [`RecvTimeoutError::Disconnected`] when the recording has ended and all of
    /// it was read, and in a child of `fork`.
    pub fn read_timeout(&mut self, timeout: Duration) -> Result<Vec<u8>, RecvTimeoutError> {
        if self.session.is_ours() {
            self.chunks.recv_timeout(timeout)
        } else {
            Err(RecvTimeoutError::Disconnected)
        }
    }

    /// Asks for the end. What is left must still be read.
    pub fn request_stop(&self) {
        self.session.request_stop();
    }

    /// Ends the recording and returns the account. What has not been read is lost, and stands in the account as unwritten.
    pub fn stop(self) -> Statistics {
        let Self { chunks, session } = self;
        drop(chunks);
        session.stop()
    }
}

/// The sink of a pulled session.
struct ChunkSink {
    sender: SyncSender<Vec<u8>>,
}

impl Write for ChunkSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sender.send(bytes.to_vec()).map_err(|_| {
            io::Error::new(
                io::ErrorKind::BrokenPipe,
                "the rest of the recording was not read",
            )
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
