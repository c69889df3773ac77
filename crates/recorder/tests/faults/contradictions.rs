//! Hooks that contradict each other, which safe code can call: no recording is spoiled by them.

use std::sync::Barrier;
use std::thread;

use exectrace::hook::{
    BlockReason, Blocked, MarkAssist, StopTheWorldKind, Syscall, Task, gc_done, gc_start,
    short_syscall, start_the_world, stop_the_world, worker_parks,
};
use exectrace::{Recorder, Region, UserTask};
use exectrace_testkit::{accepts, opens};

use crate::emitted::{Emitted, entry};
use crate::support::{Recorded, record, turn};

/// Records `work` and some ordinary life after it; both of Go's tools take it.
#[track_caller]
fn check(work: impl FnOnce()) -> Recorded {
    let (recorded, ()) = record(Recorder::new(), || {
        work();
        Emitted::default().life(2);
    });
    assert!(recorded.statistics.is_complete(), "{}", recorded.statistics);
    recorded.check(accepts);
    recorded
}

fn task() -> Task {
    Task::new(entry())
}

#[test]
fn a_run_that_is_forgotten_ends_with_its_task() {
    let _turn = turn();
    let recorded = check(|| {
        let task = task();
        std::mem::forget(task.start());
        drop(task);
    });
    assert_eq!(recorded.statistics.events.of("GoEnd"), 2);
}

#[test]
fn a_task_may_be_dropped_by_another_thread_than_its_forgotten_run_is_on() {
    let _turn = turn();
    check(|| {
        let task = task();
        thread::scope(|scope| {
            scope.spawn(|| {
                std::mem::forget(task.start());
                Emitted::default().life(1);
            });
        });
        let own = self::task();
        let run = own.start();
        drop(task);
        run.end();
    });
}

#[test]
fn runs_may_end_out_of_order() {
    let _turn = turn();
    check(|| {
        let (first, second, third) = (task(), task(), task());
        let outer = first.start();
        let middle = second.start();
        let inner = third.start_blocking();
        outer.block(BlockReason::Net);
        inner.yields();
        middle.end();
        first.start().end();
        second.start().end();
        third.start().end();
    });
}

#[test]
fn a_run_is_plain_only_on_a_thread_without_one_and_all_its_ends_are_told() {
    let _turn = turn();
    let recorded = check(|| {
        let task = task();
        // The thread has no worker in this session yet.
        assert!(task.start_plainly().is_none());
        let own = self::task();
        let run = own.start();
        assert!(task.start_plainly().is_none());
        run.block(BlockReason::Net);
        let plain = || task.start_plainly().expect("a worker that is free");
        plain().wait(&[]);
        task.reference().wake();
        plain().wait_woken(&[]);
        plain().block(BlockReason::Select);
        task.reference().wake();
        assert!(own.start_plainly().is_none(), "nobody has woken it");
        // What the thread runs next runs in nothing.
        let run = plain();
        worker_parks();
        run.end();
    });
    for (event, count) in [
        ("GoBlock", 1),
        ("GoSched", 1),
        ("GoBlockSelect", 1),
        // Both tasks, and the one of the life that follows.
        ("GoEnd", 3),
    ] {
        assert_eq!(recorded.statistics.events.of(event), count, "{event}");
    }
}

#[test]
fn a_plain_run_may_outlive_the_session_that_saw_it_begin() {
    let _turn = turn();
    let (first, (task, run)) = record(Recorder::new(), || {
        let task: &'static Task = Box::leak(Box::new(task()));
        task.start().wait(&[]);
        task.reference().wake();
        (task, task.start_plainly().expect("a worker that is free"))
    });
    first.check(accepts);
    run.wait(&[]);
    let (second, ()) = record(Recorder::new(), || {
        task.start().end();
        Emitted::default().life(2);
    });
    assert_eq!(second.statistics.events.of("GoBlock"), 0);
    second.check(accepts);
}

#[test]
fn a_task_may_seem_to_run_twice() {
    let _turn = turn();
    check(|| {
        let task = task();
        let here = task.start();
        thread::scope(|scope| {
            scope.spawn(|| {
                let own = self::task();
                let outer = own.start();
                task.start().block(BlockReason::Net);
                outer.yields();
                task.start().yields();
            });
        });
        let again = task.start();
        here.block(BlockReason::Send);
        again.yields();
        task.start().end();
    });
}

#[test]
fn guards_may_outlive_the_run_they_began_in() {
    let _turn = turn();
    check(|| {
        let (first, second) = (task(), task());
        let run = first.start();
        let syscall = Syscall::enter();
        run.end();
        drop(syscall);
        let run = second.start();
        let syscall = Syscall::enter();
        let blocked = Blocked::new(BlockReason::Sync);
        let assist = MarkAssist::start();
        short_syscall();
        drop(syscall);
        run.yields();
        drop(blocked);
        drop(assist);
        let run = second.start();
        let blocked = Blocked::new(BlockReason::Sync);
        let syscall = Syscall::enter();
        run.block(BlockReason::Net);
        drop(blocked);
        drop(syscall);
        second.start().end();
    });
}

#[test]
fn a_wait_may_begin_and_end_in_another_tasks_run() {
    let _turn = turn();
    check(|| {
        let (first, second) = (task(), task());
        let outer = first.start();
        let blocked = Blocked::new(BlockReason::Sync);
        let inner = second.start();
        drop(blocked);
        worker_parks();
        inner.block(BlockReason::Net);
        outer.end();
        second.start().end();
    });
}

/// Regions of closures that block: the tasks are in system calls, and each has its own.
#[test]
fn regions_within_system_calls_are_the_tasks_own() {
    let _turn = turn();
    let barrier = Barrier::new(2);
    let recorded = check(|| {
        thread::scope(|scope| {
            for number in 0..2 {
                let barrier = &barrier;
                scope.spawn(move || {
                    let task = task();
                    let run = task.start();
                    let outer = Region::new("outer");
                    let syscall = Syscall::enter();
                    barrier.wait();
                    let region = Region::new(["red", "blue"][number]);
                    barrier.wait();
                    let inner = Region::new("inner");
                    drop(inner);
                    if number == 0 {
                        drop(region);
                        barrier.wait();
                        drop(syscall);
                    } else {
                        barrier.wait();
                        drop(syscall);
                        drop(region);
                    }
                    drop(outer);
                    run.end();
                });
            }
        });
    });
    assert_eq!(recorded.statistics.events.of("UserRegion"), 12);
    let Some(dump) = accepts(&recorded.path).v1 else {
        return;
    };
    assert!(dump.named("UserRegion").all(|line| line.task != 0));
}

#[test]
fn regions_of_a_call_that_was_there_before_the_session_are_the_tasks_own() {
    let _turn = turn();
    let task = task();
    let run = task.start();
    let syscall = Syscall::enter();
    let recorded = check(|| {
        let region = Region::new("late");
        let inner = Region::new("inner");
        drop(region);
        drop(inner);
        drop(syscall);
        drop(Region::new("after"));
        run.end();
    });
    assert_eq!(recorded.statistics.events.of("UserRegion"), 6);
}

#[test]
fn a_region_that_ends_while_its_task_waits_ends_with_the_tasks_next_one() {
    let _turn = turn();
    let recorded = check(|| {
        let task = task();
        let run = task.start();
        let outer = Region::new("outer");
        let inner = Region::new("inner");
        let blocked = Blocked::new(BlockReason::Sync);
        drop(inner);
        drop(Region::new("unseen"));
        drop(blocked);
        drop(outer);
        drop(UserTask::new("user task"));
        run.end();
    });
    assert_eq!(recorded.statistics.events.of("UserRegion"), 4);
}

#[test]
fn a_region_of_a_former_session_is_no_harm_to_the_next() {
    let _turn = turn();
    let task = task();
    let run = task.start();
    let mut region = None;
    check(|| region = Some(Region::new("of the first session")));
    check(|| {
        let inner = Region::new("of the second");
        drop(region);
        drop(inner);
        drop(Region::new("of the second too"));
    });
    run.end();
}

#[test]
fn collectors_of_garbage_may_contradict_themselves() {
    let _turn = turn();
    let recorded = check(|| {
        start_the_world();
        gc_done();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        gc_start();
                        stop_the_world(StopTheWorldKind::MarkTermination);
                        gc_start();
                        stop_the_world(StopTheWorldKind::SweepTermination);
                        gc_done();
                        start_the_world();
                    }
                });
            }
        });
    });
    assert!(recorded.statistics.events.of("GCSTWStart") > 0);
    // Go 1.27's pages break on a stop by nobody.
    opens(&recorded.path);
}
