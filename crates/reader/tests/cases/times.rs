//! Clocks that stand still or go back.

use exectrace_format::TaskId;
use exectrace_format::role::State;
use exectrace_reader::{Cause, Kind, Reader};

use super::{Told, written};

#[test]
fn what_takes_no_time_is_told_in_its_order() {
    // A coarse clock: the task starts, enters a system call and waits for the network, all in one tick.
    let file = written(
        "go 1.19 trace
        Batch worker=0 ticks=100
        Frequency ticks_per_second=1000000000
        GoCreate dt=5 task=1 start_stack=0 stack=0
        ProcStart dt=1 thread=7
        GoStart dt=1 task=1 seq=1
        GoSysCall dt=0 stack=0
        GoBlockNet dt=0 stack=0
        HeapAlloc dt=100 live_bytes=1",
    );
    let told = Told::strictly(&file);
    assert_eq!(
        told.steps(TaskId(1)),
        [
            (0, State::NotExist, State::Runnable),
            (2, State::Runnable, State::Running),
            (2, State::Running, State::Waiting),
        ]
    );
    let call = told
        .events
        .iter()
        .find(|event| event.kind == Kind::SyscallBegin);
    assert_eq!(call.map(|event| event.time.0), Some(2));
    // It waits until the end, at 102 ns, and does not run.
    assert_eq!(
        told.events.last().map(|event| (event.time.0, event.task)),
        Some((102, TaskId(0)))
    );
}

/// Task 2 is made ready, by a worker whose clock is 5 ns slow, before it waits.
const SKEWED: &str = "go 1.19 trace
    Batch worker=0 ticks=100
    Frequency ticks_per_second=1000000000
    GoCreate dt=1 task=1 start_stack=0 stack=0
    GoCreate dt=1 task=2 start_stack=0 stack=0
    ProcStart dt=1 thread=7
    GoStart dt=1 task=1 seq=1
    GoUnblock dt=10 task=2 seq=2 stack=0
    GoBlock dt=20 stack=0
    Batch worker=1 ticks=100
    ProcStart dt=5 thread=8
    GoStart dt=5 task=2 seq=1
    GoBlock dt=9 stack=0";

#[test]
fn strictly_a_clock_may_not_go_back() {
    let file = written(SKEWED);
    let mut events = Reader::new(&file).expect("has a header");
    let fault = events.find_map(Result::err).expect("Go refuses it");
    assert_eq!(fault.cause, Cause::TimeOrder);
}
