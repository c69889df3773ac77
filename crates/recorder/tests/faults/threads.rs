//! Threads that end, panic or are gone while their hooks are still called.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use exectrace::hook::{
    BlockReason, Blocked, Run, Sweep, Syscall, Task, adopt_thread, heap_live, worker_parks,
};
use exectrace::{Recorder, Region, UserTask};
use exectrace_testkit::{accepts, opens};

use crate::emitted::{Emitted, entry};
use crate::support::{record, turn};

#[test]
fn a_panic_unwinds_through_hooks_unharmed() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        let payload = thread::spawn(|| {
            let task = Task::new(entry());
            let _run = task.start();
            let _user_task = UserTask::new("doomed");
            let _region = Region::new("doomed");
            std::panic::panic_any(42_u32);
        })
        .join()
        .expect_err("the thread panics");
        assert_eq!(payload.downcast_ref(), Some(&42_u32));
        let task = Task::new(entry());
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _run = task.start();
            let inner = Task::new(entry());
            let _inner_run = inner.start();
            let _syscall = Syscall::enter();
            panic!("this task panics");
        }));
        assert!(caught.is_err());
        // The thread goes on.
        Emitted::default().life(1);
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("UserTaskEnd"), 1);
    recorded.check(accepts);
}

/// Each thread leaves something open; the next one gets its lane.
#[test]
fn a_thread_that_ends_in_the_middle_leaves_nothing_to_the_next() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        for kind in 0..40 {
            thread::spawn(move || {
                let task = Task::new(entry());
                let inner = Task::new(entry());
                let run = task.start_detached();
                match kind % 8 {
                    0 => {}
                    1 => std::mem::forget(Syscall::enter()),
                    2 => std::mem::forget(Blocked::new(BlockReason::Sync)),
                    3 => std::mem::forget(Sweep::start()),
                    4 => std::mem::forget(Region::new("open")),
                    5 => std::mem::forget(UserTask::new("open")),
                    6 => std::mem::forget(inner.start()),
                    _ => worker_parks(),
                }
                std::mem::forget(run);
                // Dropped by a thread on which they do not run.
                (task, inner)
            })
            .join()
            .expect("no panic");
            thread::spawn(|| {
                Sweep::start().done(2, 1);
                Emitted::default().life(2);
            })
            .join()
            .expect("no panic");
        }
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    // Each sweep of a second thread is there.
    assert!(statistics.events.of("GCSweepDone") >= 40, "{statistics:?}");
    recorded.check(opens);
}

#[test]
fn many_short_threads_do_not_use_up_the_budget() {
    let _turn = turn();
    let recorder = Recorder::new().memory_budget(1 << 20);
    let (recorded, ()) = crate::support::record(recorder, || {
        for _ in 0..100 {
            thread::spawn(|| Emitted::default().life(1))
                .join()
                .expect("no panic");
        }
    });
    assert!(recorded.statistics.is_complete(), "{}", recorded.statistics);
    assert_eq!(recorded.statistics.events.of("GoEnd"), 100);
    recorded.check(accepts);
}

/// Calls hooks when the thread's locals are destroyed, after the recorder's own is gone.
struct Late {
    run: Option<(Run<'static>, Task)>,
}

/// Stands in no name of the program.
const LATE_KEY: &str = "xq-of-a-thread-that-is-gone";

static LATE: AtomicU64 = AtomicU64::new(0);

impl Drop for Late {
    fn drop(&mut self) {
        heap_live(7);
        drop(self.run.take());
        Emitted::default().life(1);
        drop(Region::new("late"));
        drop(UserTask::new("late"));
        drop(Blocked::new(BlockReason::Sync));
        drop(Syscall::enter());
        exectrace::log(LATE_KEY, "");
        worker_parks();
        adopt_thread();
        LATE.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    static LATE_HOOKS: RefCell<Late> = const { RefCell::new(Late { run: None }) };
}

#[test]
fn hooks_of_a_thread_that_is_gone_do_nothing() {
    let _turn = turn();
    let before = LATE.load(Ordering::Relaxed);
    let (recorded, ()) = record(Recorder::new(), || {
        for keeps_a_run in [false, true, false, true] {
            thread::spawn(move || {
                // Made first, so destroyed last.
                LATE_HOOKS.with(|late| {
                    heap_live(1);
                    if keeps_a_run {
                        let task = Task::new(entry());
                        late.borrow_mut().run = Some((task.start_detached(), task));
                    }
                });
            })
            .join()
            .expect("no panic");
        }
        Emitted::default().life(1);
    });
    assert_eq!(LATE.load(Ordering::Relaxed) - before, 4);
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("HeapAlloc"), 4);
    let file = std::fs::read(&recorded.path).expect("the file is there");
    let key = LATE_KEY.as_bytes();
    assert!(!file.windows(key.len()).any(|bytes| bytes == key));
    recorded.check(accepts);
}
