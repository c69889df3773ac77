//! Hooks in a signal handler, which may have interrupted a hook.
#![expect(unsafe_code, reason = "a signal handler, and signals for it")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use exectrace::Recorder;
use exectrace::hook::{BlockReason, Task, heap_goal, heap_live};
use exectrace_testkit::accepts;

use crate::emitted::entry;
use crate::support::{record, turn};

/// How often the handler called its hook.
static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handler(_: libc::c_int) {
    heap_goal(HANDLED.fetch_add(1, Ordering::Relaxed));
}

fn install() {
    // SAFETY: zero bytes are a valid action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as extern "C" fn(libc::c_int) as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the action is a local, and the handler calls a hook and an atomic alone.
    let answer = unsafe { libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut()) };
    assert_eq!(answer, 0);
}

#[test]
fn a_hook_inside_a_hook_writes_nothing_and_is_counted() {
    let _turn = turn();
    install();
    HANDLED.store(0, Ordering::Relaxed);
    let end = AtomicBool::new(false);
    let (recorded, calls) = record(Recorder::new(), || {
        // The thread's first hook makes its lane, which a handler must not.
        heap_live(0);
        // SAFETY: asks for the calling thread's own handle.
        let thread = unsafe { libc::pthread_self() };
        thread::scope(|scope| {
            scope.spawn(|| {
                while !end.load(Ordering::Relaxed) {
                    // SAFETY: the thread waits for the end of this scope.
                    unsafe { libc::pthread_kill(thread, libc::SIGUSR1) };
                    thread::sleep(Duration::from_micros(20));
                }
            });
            let task = Task::new(entry());
            let waker = task.reference();
            let mut calls = 1;
            for _ in 0..10_000 {
                task.start().block(BlockReason::Net);
                waker.wake();
                heap_live(calls);
                calls += 1;
            }
            end.store(true, Ordering::Relaxed);
            calls
        })
    });
    let statistics = &recorded.statistics;
    let handled = HANDLED.load(Ordering::Relaxed);
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("HeapAlloc"), calls);
    assert_eq!(statistics.events.of("GoUnblock"), 10_000);
    // Each call of the handler is an event, or is counted as one inside a hook.
    let written = statistics.events.of("HeapGoal");
    assert_eq!(written + statistics.nested_hooks, handled, "{statistics:?}");
    assert!(
        statistics.nested_hooks > 0,
        "{handled} signals, none in a hook"
    );
    recorded.check(accepts);
}
