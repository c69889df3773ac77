//! Calls of the system that block.

use exectrace::hook::Syscall;

/// Runs `call`, which blocks in the operating system: reads a file, waits for a process, asks a database.
///
/// The recording shows the thread in a system call meanwhile, and its worker as free. What it does inside (locks, sleeps,
/// spawns) is part of the call.
///
/// # Examples
///
/// ```
/// let session = exectrace::start(std::io::sink())?;
/// let manifest = exectrace_std::blocking(|| std::fs::read_to_string("Cargo.toml"))?;
/// assert!(manifest.contains("[package]"));
/// assert_eq!(session.stop().events.of("GoSysExit"), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn blocking<R>(call: impl FnOnce() -> R) -> R {
    let _blocking = Blocking::enter();
    call()
}

/// The calling thread is in a call of the system that blocks, until this is dropped: [`blocking`] for where a closure is in
/// the way.
///
/// # Examples
///
/// ```
/// use exectrace_std::Blocking;
///
/// let call = Blocking::enter();
/// let now = std::fs::metadata("Cargo.toml")?.modified()?;
/// drop(call);
/// # let _ = now;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the call is over when this is dropped"]
pub struct Blocking {
    _call: Syscall,
}

impl Blocking {
    /// The calling thread is about to call the system. A call inside of another is part of it.
    #[inline]
    pub fn enter() -> Self {
        Self {
            _call: Syscall::enter(),
        }
    }
}
