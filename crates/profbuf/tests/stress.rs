//! Signal handlers as writers: ten million records, each accounted for.
//!
//! Records are numbered, and everything in a record follows from its number. So the reader can
//! say what must come next: a record with that number, whole, or a loss that begins with it.
//! In the end it must have come to the number of records written: read + lost = written.
#![cfg(all(target_os = "linux", not(loom)))]
#![expect(
    unsafe_code,
    reason = "signal handlers are installed and share a writer"
)]

use std::{
    cell::UnsafeCell,
    ffi::c_int,
    num::NonZeroU64,
    os::unix::thread::JoinHandleExt,
    ptr,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use exectrace_profbuf::{Mode, Read, Reader, Sizes, Writer, buffer};

/// Small, so that it often fills and wraps.
const SIZES: Sizes = Sizes {
    header_words: 2,
    data_words: 1 << 12,
    tags: 1 << 8,
};

/// Longest stack.
const DEPTH: u64 = 12;

/// A writer that a signal handler takes by try-lock, as handlers on several threads must.
struct Sampler {
    is_taken: AtomicBool,
    /// The writer, and the number of records that it was given; for who took the lock.
    sampling: UnsafeCell<Option<(Writer<NonZeroU64>, u64)>>,
    /// Records for each signal.
    burst: u64,
    /// Numbers taken so far.
    written: AtomicU64,
    /// Records that the writer gave back.
    lost: AtomicU64,
    /// Whether one of them came back with another tag than its own.
    has_wrong_tag: AtomicBool,
}

// SAFETY: the cell is used only by who changed `is_taken` from false to true.
unsafe impl Sync for Sampler {}

impl Sampler {
    const fn new(burst: u64) -> Self {
        Self {
            is_taken: AtomicBool::new(false),
            sampling: UnsafeCell::new(None),
            burst,
            written: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            has_wrong_tag: AtomicBool::new(false),
        }
    }

    /// Uses the writer, or does nothing if it is taken. Safe in a signal handler if `using` is.
    fn try_use<R>(
        &self,
        using: impl FnOnce(&mut Option<(Writer<NonZeroU64>, u64)>) -> R,
    ) -> Option<R> {
        if self.is_taken.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: the lock was free and is ours, so that nobody else uses the cell.
        let result = using(unsafe { &mut *self.sampling.get() });
        self.is_taken.store(false, Ordering::Release);
        Some(result)
    }

    /// Uses the writer as soon as it is free. Not for a signal handler.
    fn wait_and_use<R>(&self, using: impl Fn(&mut Option<(Writer<NonZeroU64>, u64)>) -> R) -> R {
        loop {
            match self.try_use(&using) {
                Some(result) => return result,
                None => thread::yield_now(),
            }
        }
    }

    /// Starts anew and returns the reader.
    fn start(&self) -> Reader<NonZeroU64> {
        let (writer, reader) = buffer(SIZES).unwrap();
        let writer = std::cell::Cell::new(Some(writer));
        self.wait_and_use(|sampling| *sampling = writer.take().map(|writer| (writer, 0)));
        reader
    }

    /// Ends and returns the number of records written, lost ones included.
    fn stop(&self) -> u64 {
        let ended = self.wait_and_use(Option::take);
        assert!(!self.has_wrong_tag.load(Ordering::Relaxed));
        ended.map_or(0, |(_writer, written)| written)
    }

    /// What a signal does: writes a burst of records.
    fn sample(&self) {
        self.try_use(|sampling| {
            let Some((writer, number)) = sampling else {
                return;
            };
            for _ in 0..self.burst {
                self.write(writer, *number);
                *number += 1;
            }
            self.written.store(*number, Ordering::Relaxed);
        });
    }

    /// Writes the record of this number.
    fn write(&self, writer: &mut Writer<NonZeroU64>, number: u64) {
        let mut stack = [0; DEPTH as usize];
        let depth = depth(number);
        for (at, frame) in stack.iter_mut().enumerate().take(depth) {
            *frame = frame_of(number, at);
        }
        let written = writer.write(tag(number), number, &[1, !number], &stack[..depth]);
        if let Err(lost) = written {
            self.lost.fetch_add(1, Ordering::Relaxed);
            if lost.tag != tag(number) {
                self.has_wrong_tag.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn depth(number: u64) -> usize {
    (number.wrapping_mul(7) % (DEPTH + 1)) as usize
}

fn frame_of(number: u64, at: usize) -> u64 {
    number << 8 | at as u64
}

fn tag(number: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(number % 3)
}

/// What was read.
#[derive(Default)]
struct Account {
    read: u64,
    lost: u64,
}

impl Account {
    /// Reads once and checks every record; false at the end.
    fn read(&mut self, reader: &mut Reader<NonZeroU64>, mode: Mode) -> bool {
        let records = match reader.read(mode) {
            Read::Records(records) => records,
            Read::Empty => return true,
            Read::End => return false,
        };
        for record in records {
            let number = self.read + self.lost;
            assert_eq!(record.time, number);
            if let Some(count) = record.lost() {
                self.lost += count;
                continue;
            }
            self.read += 1;
            assert_eq!(record.header, [1, !number]);
            assert_eq!(record.tag.copied(), tag(number));
            assert_eq!(record.stack.len(), depth(number));
            for (at, &frame) in record.stack.iter().enumerate() {
                assert_eq!(frame, frame_of(number, at));
            }
        }
        true
    }
}

/// Installs a handler for good.
fn install(signal: c_int, handler: extern "C" fn(c_int)) {
    // SAFETY: all zeros is a value of this plain struct.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as libc::sighandler_t;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the action is a whole one, its handler never goes away and calls nothing that is
    // not safe in a handler, and no old action is asked for.
    let result = unsafe { libc::sigaction(signal, &action, ptr::null_mut()) };
    assert_eq!(result, 0);
}

/// Samples, and leaves errno as it was.
fn sample(sampler: &Sampler) {
    // SAFETY: the function has no preconditions.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the pointer is that of this thread's errno.
    let before = unsafe { *errno };
    sampler.sample();
    // SAFETY: the pointer is that of this thread's errno.
    unsafe { *errno = before };
}

#[test]
fn a_handler_on_a_thread_of_its_own() {
    static SAMPLER: Sampler = Sampler::new(2_000);
    const SIGNALS: u64 = 2_000;
    extern "C" fn handle(_signal: c_int) {
        sample(&SAMPLER);
    }

    let mut reader = SAMPLER.start();
    install(libc::SIGUSR1, handle);
    let sampled = thread::spawn(|| {
        for _ in 0..SIGNALS {
            // SAFETY: the signal has a handler.
            unsafe { libc::raise(libc::SIGUSR1) };
        }
        SAMPLER.stop()
    });
    let mut account = Account::default();
    while account.read(&mut reader, Mode::Blocking) {}
    let written = sampled.join().unwrap();
    assert_eq!(written, SIGNALS * SAMPLER.burst);
    assert_eq!(account.read + account.lost, written);
    assert_eq!(account.lost, SAMPLER.lost.load(Ordering::Relaxed));
    assert_ne!(account.read, 0);
}

#[test]
fn a_handler_that_interrupts_the_reader() {
    static SAMPLER: Sampler = Sampler::new(500);
    const RECORDS: u64 = 3_000_000;
    extern "C" fn handle(_signal: c_int) {
        sample(&SAMPLER);
    }

    let mut reader = SAMPLER.start();
    install(libc::SIGUSR2, handle);
    let reading = thread::spawn(move || {
        let mut account = Account::default();
        while account.read(&mut reader, Mode::Blocking) {}
        account
    });
    // The handler runs in the middle of a read, and wakes the very thread that it runs on.
    let reader_thread = reading.as_pthread_t();
    while SAMPLER.written.load(Ordering::Relaxed) < RECORDS {
        // SAFETY: the thread is not joined before the end, and the signal has a handler.
        unsafe { libc::pthread_kill(reader_thread, libc::SIGUSR2) };
        thread::yield_now();
    }
    let written = SAMPLER.stop();
    let account = reading.join().unwrap();
    assert_eq!(account.read + account.lost, written);
    assert_eq!(account.lost, SAMPLER.lost.load(Ordering::Relaxed));
    assert_ne!(account.read, 0);
    assert_ne!(account.lost, 0, "a burst is more than the buffer holds");
}

#[test]
fn a_timer_on_any_thread_and_a_reader_that_polls() {
    static SAMPLER: Sampler = Sampler::new(3_000);
    const RECORDS: u64 = 3_000_000;
    extern "C" fn handle(_signal: c_int) {
        sample(&SAMPLER);
    }

    let mut reader = SAMPLER.start();
    install(libc::SIGALRM, handle);
    set_timer(500);
    let mut account = Account::default();
    while SAMPLER.written.load(Ordering::Relaxed) < RECORDS {
        assert!(account.read(&mut reader, Mode::NonBlocking));
        thread::yield_now();
    }
    set_timer(0);
    let written = SAMPLER.stop();
    while account.read(&mut reader, Mode::NonBlocking) {}
    assert_eq!(account.read + account.lost, written);
    assert_eq!(account.lost, SAMPLER.lost.load(Ordering::Relaxed));
    assert_ne!(account.read, 0);
}

/// Sends SIGALRM to the process each so many microseconds; 0 ends it.
fn set_timer(microseconds: libc::suseconds_t) {
    let period = libc::timeval {
        tv_sec: 0,
        tv_usec: microseconds,
    };
    let timer = libc::itimerval {
        it_interval: period,
        it_value: period,
    };
    // SAFETY: the timer is a whole one, and no old one is asked for.
    let result = unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()) };
    assert_eq!(result, 0);
}
