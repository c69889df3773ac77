//! A scripted scheduler drives every hook on several threads at once; Go's own tools take what comes out.

mod support;

use std::sync::Barrier;
use std::thread;

use exectrace::hook::{
    BlockReason, Blocked, MarkAssist, StopTheWorldKind, Sweep, Syscall, Task, gc_done, gc_start,
    heap_goal, heap_live, short_syscall, start_the_world, stop_the_world, worker_parks,
};
use exectrace::{Recorder, Region, UserTask};
use exectrace_testkit::opens_widely;
use support::{record, turn};

const REASONS: [BlockReason; 9] = [
    BlockReason::Other,
    BlockReason::Sleep,
    BlockReason::Net,
    BlockReason::Receive,
    BlockReason::Send,
    BlockReason::Sync,
    BlockReason::Cond,
    BlockReason::Select,
    BlockReason::GcAssist,
];

fn scripted_entry() {}

fn entry() -> *const () {
    scripted_entry as fn() as *const ()
}

/// The life of a few tasks on one thread, with everything that can happen to them.
fn worker(number: usize) {
    for round in 0..20 {
        let task = Task::new(entry());
        let waker = task.reference();
        for reason in REASONS {
            task.start().block(reason);
            if round % 2 == 0 {
                waker.wake();
                waker.wake();
            }
        }
        task.start().yields();
        task.start_labelled("GC (idle)").preempt();
        let run = task.start();
        annotate(number);
        short_syscall();
        drop(Syscall::enter());
        drop(Blocked::new(BlockReason::Sync));
        let inner = Task::new(entry());
        inner.start().block(BlockReason::Net);
        drop(inner);
        let sweep = Sweep::start();
        let assist = MarkAssist::start();
        heap_live(1_000_000 + round);
        drop(assist);
        sweep.done(4096, 1024);
        run.end();
        worker_parks();
        let hopeless = Task::new(entry());
        hopeless.start().block(BlockReason::Forever);
    }
}

fn annotate(number: usize) {
    let _user_task = UserTask::new("request");
    let _outer = Region::new("outer");
    exectrace::log("worker", number.to_string());
    let inner = Region::new("inner");
    let out_of_order = Region::new("innermost");
    drop(inner);
    drop(out_of_order);
    exectrace::log("", b"\xff\xfe not text");
}

fn run_all() {
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for number in 0..4 {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                worker(number);
            });
        }
        scope.spawn(|| {
            for _ in 0..10 {
                gc_start();
                stop_the_world(StopTheWorldKind::SweepTermination);
                start_the_world();
                heap_goal(4 << 20);
                gc_done();
            }
        });
    });
}

#[test]
fn every_hook_on_several_threads_is_accepted_by_both_tools() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), run_all);
    let accepted = recorded.check(opens_widely);
    assert!(recorded.statistics.is_complete(), "{}", recorded.statistics);
    let Some(dump) = accepted.v1 else {
        return;
    };
    let kinds: Vec<String> = dump.counts().into_keys().collect();
    for kind in [
        "Gomaxprocs",
        "ProcStart",
        "ProcStop",
        "GCStart",
        "GCDone",
        "GCSTWStart",
        "GCSTWDone",
        "GCSweepStart",
        "GCSweepDone",
        "GoCreate",
        "GoStart",
        "GoEnd",
        "GoStop",
        "GoSched",
        "GoPreempt",
        "GoSleep",
        "GoBlock",
        "GoUnblock",
        "GoBlockSend",
        "GoBlockRecv",
        "GoBlockSelect",
        "GoBlockSync",
        "GoBlockCond",
        "GoBlockNet",
        "GoSysCall",
        "GoSysExit",
        "GoSysBlock",
        "HeapAlloc",
        "HeapGoal",
        "GoStartLabel",
        "GoBlockGC",
        "GCMarkAssistStart",
        "GCMarkAssistDone",
        "UserTaskCreate",
        "UserTaskEnd",
        "UserRegion",
        "UserLog",
    ] {
        assert!(
            kinds.iter().any(|other| other == kind),
            "{kind} is missing in {kinds:?}"
        );
    }
}

#[test]
fn a_task_that_runs_when_the_session_stops_is_ended_for_the_readers() {
    let _turn = turn();
    let task = Task::new(entry());
    let (recorded, run) = record(Recorder::new(), || task.start());
    run.end();
    recorded.check(opens_widely);
    assert_eq!(recorded.statistics.events.of("GoSched"), 1);
    assert_eq!(recorded.statistics.events.of("ProcStop"), 1);
}
