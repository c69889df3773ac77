//! Clocks that stand still or go back.

use exectrace_format::TaskId;
use exectrace_format::role::State;
use exectrace_reader::{Cause, EventType, Kind, Reader, Repair};
use exectrace_testkit::Corpus;

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

#[test]
fn a_clock_that_goes_back_is_put_right_by_the_order() {
    use State::{NotExist, Runnable, Running, Waiting};
    let file = written(SKEWED);
    let told = Told::tolerantly(&file);
    let steps: Vec<_> = told.steps(TaskId(2));
    let states: Vec<_> = steps.iter().map(|(_, from, to)| (*from, *to)).collect();
    assert_eq!(
        states,
        [
            (NotExist, Runnable),
            (Runnable, Running),
            (Running, Waiting),
            (Waiting, Runnable)
        ]
    );
    let times: Vec<_> = told.events.iter().map(|event| event.time).collect();
    assert!(times.is_sorted(), "{times:?}");
    let repairs = told.reader.repairs();
    // It waits from tick 119 on, and is made ready at tick 114.
    assert_eq!((repairs.count(Repair::TimeOrder), repairs.skew_ns), (1, 5));
    assert!(told.reader.loss().is_none());
}

#[test]
fn a_trace_of_go_1_5_with_a_clock_that_goes_back_opens() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let file = corpus.trace("go-testdata-v1/stress_1_5_unordered").bytes();
    let fault = Reader::new(&file).map_or_else(Some, |mut events| events.find_map(Result::err));
    assert_eq!(fault.map(|fault| fault.cause), Some(Cause::TimeOrder));
    let told = Told::tolerantly(&file);
    assert!(told.events.is_sorted_by_key(|event| event.time));
    let repairs = told.reader.repairs();
    assert!(repairs.count(Repair::TimeOrder) > 0 && repairs.skew_ns > 0);
    assert!(told.reader.loss().is_none());
}

/// A thread of C calls back: its task is first heard of when it comes back from a system call.
const CALLBACK: &str = "go 1.19 trace
    Batch worker=0 ticks=100
    Frequency ticks_per_second=1000000000
    GoCreate dt=1 task=1 start_stack=0 stack=0
    ProcStart dt=1 thread=7
    GoStart dt=1 task=1 seq=1
    GoBlock dt=40 stack=0
    Batch worker=1 ticks=100
    ProcStart dt=5 thread=8
    GoSysExit dt=5 task=17 seq=1 real_ticks=0
    GoStart dt=1 task=17 seq=2
    GoSysCall dt=5 stack=0
    GoSysBlock dt=1";

#[test]
fn a_task_may_be_in_a_system_call_from_the_begin() {
    use State::{NotExist, Runnable, Running, Syscall, Waiting};
    let file = written(CALLBACK);
    assert!(
        Reader::new(&file)
            .expect("has a header")
            .any(|event| event.is_err())
    );
    let told = Told::tolerantly(&file);
    let steps = told.steps(TaskId(17));
    let states: Vec<_> = steps.iter().map(|(_, from, to)| (*from, *to)).collect();
    assert_eq!(
        states[1..],
        [(Syscall, Runnable), (Runnable, Running), (Running, Syscall)]
    );
    assert_eq!(states[0].1, Syscall);
    let inferred = told
        .events
        .iter()
        .filter(|event| event.event_type == EventType::Inferred);
    assert_eq!(inferred.count(), 1);
    assert!(told.reader.repairs().count(Repair::TaskState) > 0);
    assert!(told.reader.loss().is_none());
    // The other one is as it was.
    let steps: Vec<_> = told
        .steps(TaskId(1))
        .iter()
        .map(|(_, from, to)| (*from, *to))
        .collect();
    assert_eq!(
        steps,
        [
            (NotExist, Runnable),
            (Runnable, Running),
            (Running, Waiting)
        ]
    );
}
