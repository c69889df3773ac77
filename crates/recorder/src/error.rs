//! Why a session cannot be started.

use std::fmt;
use std::io;

/// Why a session cannot be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A session is running: there is one at a time in a process.
    AlreadyRunning,
    /// The system refused address space for batches or tables.
    OutOfMemory {
        /// How much was asked for.
        size_bytes: usize,
    },
    /// The collector's thread could not be started.
    CollectorThread(io::Error),
    /// CPU samples are being taken already, by a profiler or a session.
    SamplerRunning,
    /// The program, or a library of its, handles `SIGPROF` itself.
    ProfilingSignalInUse,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyRunning => f.write_str(
                "a recording is running already: a process has one at a time; stop it, or wait until it has ended",
            ),
            Self::OutOfMemory { size_bytes } => write!(
                f,
                "the system refused {size_bytes} bytes of address space for the recording: lower the memory budget or raise \
                 the limit (ulimit -v)"
            ),
            Self::CollectorThread(error) => {
                write!(f, "the thread that collects the recording cannot be started: {error}")
            }
            Self::SamplerRunning => f.write_str(
                "CPU samples are being taken already: stop the profiler, or record without samples (Recorder::without_cpu_samples)",
            ),
            Self::ProfilingSignalInUse => f.write_str(
                "the program has a handler for SIGPROF: ask to have it called for the signals that are not ours \
                 (Recorder::chain_profiling_signal), or record without samples (Recorder::without_cpu_samples)",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::CollectorThread(error) => Some(error),
            _ => None,
        }
    }
}
