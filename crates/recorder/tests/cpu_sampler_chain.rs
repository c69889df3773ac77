//! A program that handles `SIGPROF` itself, before and after the sampler does. A process of its own: handlers stay.
#![expect(unsafe_code, reason = "the program's own signal handlers")]

#[path = "support/burn.rs"]
mod burn;
mod support;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use burn::burn;
use exectrace::{Error, Recorder};
use exectrace_testkit::accepts;
use support::{record, turn};

static SHORT_CALLS: AtomicU32 = AtomicU32::new(0);
static LONG_CALLS: AtomicU32 = AtomicU32::new(0);
static LONG_HAS_DETAILS: AtomicBool = AtomicBool::new(true);
/// The handler that the long one passes signals on to.
static BELOW_LONG: AtomicUsize = AtomicUsize::new(0);

extern "C" fn short_handler(_signal: libc::c_int) {
    SHORT_CALLS.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn long_handler(
    signal: libc::c_int,
    details: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    type Long = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
    LONG_CALLS.fetch_add(1, Ordering::Relaxed);
    if details.is_null() || context.is_null() {
        LONG_HAS_DETAILS.store(false, Ordering::Relaxed);
    }
    let below = BELOW_LONG.load(Ordering::Relaxed);
    if below != 0 {
        // SAFETY: what was installed before was a handler of three arguments.
        let below = unsafe { std::mem::transmute::<usize, Long>(below) };
        below(signal, details, context);
    }
}

/// Installs a handler; returns the one before.
fn install(handler: usize, flags: libc::c_int) -> usize {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all zero bytes are a value.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    let mut former = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: both pointers are to locals that outlive the call; the handlers above are safe at any moment.
    let answer = unsafe { libc::sigaction(libc::SIGPROF, action, former.as_mut_ptr()) };
    assert_eq!(answer, 0);
    // SAFETY: written by the call.
    unsafe { former.assume_init() }.sa_sigaction
}

fn raise() {
    // SAFETY: the signal is handled.
    unsafe { libc::raise(libc::SIGPROF) };
}

/// Burns CPU and raises the signal so many times in between.
fn work(signals: u32) {
    for _ in 0..signals {
        burn(Duration::from_millis(4));
        raise();
    }
}

fn start_fails_for_the_signal() {
    let refused = Recorder::new().start(std::io::sink());
    assert!(matches!(refused, Err(Error::ProfilingSignalInUse)));
    let text = Error::ProfilingSignalInUse.to_string();
    assert!(text.contains("SIGPROF") && text.contains("chain_profiling_signal"));
}

/// Records with the program's handler chained, and checks that it got just the program's signals.
fn check_chained(calls: &AtomicU32) {
    const SIGNALS: u32 = 50;
    let before = calls.load(Ordering::Relaxed);
    let recorder = Recorder::new().cpu_samples(250).chain_profiling_signal();
    let (recorded, ()) = record(recorder, || work(SIGNALS));
    assert_eq!(calls.load(Ordering::Relaxed) - before, SIGNALS);
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert!(samples.written > 10 && samples.lost == 0, "{samples:?}");
    recorded.check(accepts);
    // The handler stays, and so does what it passes on.
    raise();
    assert_eq!(calls.load(Ordering::Relaxed) - before, SIGNALS + 1);
}

#[test]
fn a_handler_that_is_there_is_chained_or_the_start_is_refused() {
    let _turn = turn();
    install(short_handler as *const () as usize, 0);
    start_fails_for_the_signal();
    let (recorded, ()) = record(Recorder::new().without_cpu_samples(), || work(3));
    assert_eq!(recorded.statistics.cpu_samples, None);
    assert_eq!(SHORT_CALLS.load(Ordering::Relaxed), 3);

    check_chained(&SHORT_CALLS);
    // It is still there, below ours.
    start_fails_for_the_signal();
    check_chained(&SHORT_CALLS);

    // The program installs another handler, over ours, that passes all on to ours, which passes it to the first.
    let ours = install(long_handler as *const () as usize, libc::SA_SIGINFO);
    BELOW_LONG.store(ours, Ordering::Relaxed);
    start_fails_for_the_signal();
    check_chained(&LONG_CALLS);
    assert!(LONG_HAS_DETAILS.load(Ordering::Relaxed));

    // And one that passes nothing on.
    install(short_handler as *const () as usize, 0);
    start_fails_for_the_signal();
    check_chained(&SHORT_CALLS);
}
