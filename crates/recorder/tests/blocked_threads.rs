//! Threads that wait, yield and call the system as tasks of their own, and who lets them go on.

mod support;

use std::thread;

use exectrace::Recorder;
use exectrace::hook::{
    BlockReason, Blocked, Syscall, Task, TaskRef, ThreadRole, adopt_thread, set_thread_role,
};
use exectrace_testkit::{V1Dump, accepts};
use support::{record, turn};

fn entry() -> *const () {
    fn work() {}
    work as fn() as *const ()
}

/// Runs `work` on a thread that is a task; returns the task's id.
fn on_a_task(work: impl FnOnce(&Task) + Send) -> u64 {
    let task = Task::for_thread(entry());
    let id = task.id();
    thread::scope(|scope| {
        scope.spawn(move || {
            let run = task.start();
            work(&task);
            run.end();
        });
    });
    id
}

/// The names of the events that the task makes itself, in order.
fn events_of(dump: &V1Dump, task: u64) -> Vec<&str> {
    let of_task = dump.lines.iter().filter(|line| line.task == task);
    of_task.map(|line| line.name.as_str()).collect()
}

#[test]
fn a_yield_is_no_wait_and_keeps_the_worker() {
    let _turn = turn();
    let (recorded, task) = record(Recorder::new(), || on_a_task(|_| drop(Blocked::yielding())));
    assert_eq!(recorded.statistics.events.of("GoSched"), 1);
    assert_eq!(recorded.statistics.events.of("GoUnblock"), 0);
    let accepted = recorded.check(accepts);
    if let Some(dump) = accepted.v1 {
        let expected = ["GoStart", "GoSched", "GoStart", "GoEnd"];
        assert_eq!(events_of(&dump, task), expected);
    }
}

#[test]
fn a_yield_inside_of_another_task_keeps_that_task() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        let task = Task::new(entry());
        let run = task.start();
        let yielding = Blocked::yielding();
        assert!(yielding.task().is_none(), "the task is not the thread");
        drop(yielding);
        run.block(BlockReason::Net);
    });
    assert_eq!(recorded.statistics.events.of("GoBlockNet"), 1);
    assert_eq!(recorded.statistics.events.of("GoSched"), 1);
    recorded.check(accepts);
}

#[test]
fn a_wait_inside_of_a_system_call_is_part_of_the_call() {
    let _turn = turn();
    let (recorded, _) = record(Recorder::new(), || {
        on_a_task(|_| {
            let call = Syscall::enter();
            let wait = Blocked::new(BlockReason::Sync);
            assert!(wait.task().is_none(), "nobody sees the wait");
            drop(wait);
            drop(Blocked::yielding());
            drop(call);
        })
    });
    assert_eq!(recorded.statistics.events.of("GoBlockSync"), 0);
    assert_eq!(recorded.statistics.events.of("GoSched"), 0);
    assert_eq!(recorded.statistics.events.of("GoSysExit"), 1);
    recorded.check(accepts);
}

#[test]
fn a_wait_hands_out_the_task_that_others_wake() {
    let _turn = turn();
    let (recorded, (task, waker)) = record(Recorder::new(), || {
        let (to_waker, tasks) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            let waker = scope.spawn(move || {
                on_a_task(move |_| {
                    let task: exectrace::hook::TaskRef = tasks.recv().expect("sent below");
                    task.wake();
                })
            });
            let task = on_a_task(|own| {
                let wait = Blocked::new(BlockReason::Cond);
                let task = wait.task().expect("a session sees the wait");
                assert_eq!(task.id(), own.id());
                to_waker.send(task).expect("received above");
                // The wake, and with it the other thread, is over when the channel is closed.
                while to_waker.send(own.reference()).is_ok() {}
            });
            (task, waker.join().expect("no panic"))
        })
    });
    if let Some(dump) = recorded.check(accepts).v1 {
        let unblock = dump
            .named("GoUnblock")
            .find(|line| line.argument("g") == Some(&task.to_string()))
            .expect("the task is woken");
        assert_eq!(unblock.task, waker);
    }
    assert!(
        Blocked::new(BlockReason::Cond).task().is_none(),
        "no session is running"
    );
}

#[test]
fn an_adopted_thread_is_the_creator_of_what_it_spawns() {
    let _turn = turn();
    let (recorded, task) = record(Recorder::new(), || {
        thread::spawn(|| {
            adopt_thread();
            let task = Task::new(entry());
            let own = Blocked::new(BlockReason::Sync).task().map(|own| own.id());
            (task.id(), own.expect("the thread is a task"))
        })
        .join()
        .expect("no panic")
    });
    if let Some(dump) = recorded.check(accepts).v1 {
        let created = dump
            .named("GoCreate")
            .find(|line| line.argument("g") == Some(&task.0.to_string()))
            .expect("the task is created");
        assert_eq!(created.task, task.1);
    }
}

#[test]
fn a_thread_of_a_runtime_is_no_task() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        let worker = thread::spawn(|| {
            set_thread_role(ThreadRole::Worker);
            adopt_thread();
            drop(Blocked::new(BlockReason::Sync));
            drop(Syscall::enter());
            assert!(TaskRef::current().is_none());
            let task = Task::new(entry());
            task.start().end();
        });
        worker.join().expect("no panic");
    });
    let count = |name| recorded.statistics.events.of(name);
    assert_eq!(count("GoBlockSync") + count("GoSysCall"), 0);
    assert_eq!(count("GoPreempt"), 0, "the task is nested in none");
    recorded.check(accepts);
}

#[test]
fn short_threads_do_not_spend_the_budget() {
    let _turn = turn();
    // Room for 28 large batches and 64 small ones: each thread hands over one, which the collector may not give back at once.
    let recorder = Recorder::new().memory_budget(2 << 20);
    let (recorded, ()) = record(recorder, || {
        for _ in 0..60 {
            on_a_task(|_| ());
        }
    });
    assert!(recorded.statistics.is_complete(), "{}", recorded.statistics);
    assert_eq!(recorded.statistics.events.of("GoEnd"), 60);
    recorded.check(accepts);
}
