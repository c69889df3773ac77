//! Format v1.

use exectrace_format::role::State;
use exectrace_format::{ThreadId, WorkerId, text};
use exectrace_reader::{Cause, Error, Kind, Reader, Repair, Timestamp};

use super::{Read, read, steps};

/// A worker runs task 1, and task 2 could run. A tick is a nanosecond, and time begins at tick 1010.
pub(crate) const BEGIN: &str = "
    Frequency ticks_per_second=1000000000
    Batch worker=0 ticks=1000
    GoCreate dt=10 task=1
    GoCreate dt=10 task=2
    ProcStart dt=10 thread=7
    GoStart dt=10 task=1 seq=1
    ";

#[track_caller]
pub(crate) fn file(version: &str, lines: &str) -> Vec<u8> {
    text::parse(&format!("go {version} trace\n{lines}")).expect("is a trace")
}

/// The fault for which a strict reader refuses a file.
#[track_caller]
pub(crate) fn fault(file: &[u8]) -> Error {
    let fault = match Reader::new(file) {
        Ok(mut reader) => reader.find_map(Result::err),
        Err(fault) => Some(fault),
    };
    fault.expect("strict mode refuses it")
}

/// What is read from these events, which are refused for what is repaired like this and in no other way, with so many events
/// inferred, and of which nothing is lost.
#[track_caller]
fn repaired(events: &str, repair: Repair, inferred: usize) -> Read {
    let file = file("1.19", &format!("{BEGIN}{events}"));
    let read = read(&file);
    assert!(read.loss.is_none(), "{}", read.loss);
    assert_eq!(read.repairs.total(), read.repairs.count(repair));
    assert_eq!(read.repairs.by_kind[&repair].first, fault(&file));
    assert_eq!(read.inferred(), inferred);
    read
}

#[test]
fn a_whole_file_has_nothing_to_tell() {
    let read = read(&file("1.19", &format!("{BEGIN}GoEnd dt=1")));
    assert!(read.loss.is_none() && read.repairs.is_none());
    assert_eq!(
        read.types(),
        ["GoCreate", "GoCreate", "ProcStart", "GoStart", "GoEnd"]
    );
}

#[test]
fn what_waits_for_a_lost_event_comes_in_its_time() {
    use State::{Runnable, Running, Undetermined, Waiting};
    let file = file(
        "1.19",
        &format!(
            "{BEGIN}
            GoUnblock dt=10 task=9 seq=4
            GoSched dt=10
            GoStart dt=10 task=9 seq=5
            Batch worker=1 ticks=5000000
            ProcStart dt=1 thread=8
            GoStart dt=1 task=2 seq=1"
        ),
    );
    let fault = fault(&file);
    assert_eq!(fault.cause, Cause::NoOrder);
    let read = read(&file);
    assert_eq!(
        steps(&read, 9),
        [
            (Undetermined, Waiting, true),
            (Waiting, Runnable, false),
            (Runnable, Running, false)
        ]
    );
    assert_eq!(read.repairs.by_kind[&Repair::Order].first, fault);
    assert_eq!(read.repairs.count(Repair::TaskState), 1);
    assert_eq!(read.repairs.total(), 2);
    // It has not waited for worker 1.
    assert_eq!(read.events[5].time, Timestamp(40));
}

#[test]
fn tasks_are_in_the_state_that_events_of_them_demand() {
    use State::{NotExist, Runnable, Running, Waiting};
    let steps_after = |events: &str, id: u64| -> Vec<_> {
        let read = read(&file("1.19", &format!("{BEGIN}{events}")));
        assert!(read.loss.is_none() && read.repairs.count(Repair::TaskState) == 1);
        steps(&read, id)
    };
    let again = "GoEnd dt=1\nGoCreate dt=1 task=1";
    assert_eq!(
        steps_after(again, 1)[2..],
        [(Running, NotExist, false), (NotExist, Runnable, false)]
    );
    let after_the_end = "GoEnd dt=1\nGoUnblock dt=1 task=1 seq=2";
    assert_eq!(
        steps_after(after_the_end, 1)[2..],
        [
            (Running, NotExist, false),
            (NotExist, Waiting, true),
            (Waiting, Runnable, false)
        ]
    );
    // One that waits for ever is woken, and created anew.
    let woken = "GoStop dt=1\nGoUnblock dt=1 task=1 seq=2";
    assert_eq!(
        steps_after(woken, 1)[2..],
        [(Running, Waiting, false), (Waiting, Runnable, false)]
    );
    let again = "GoStop dt=1\nGoCreate dt=1 task=1";
    assert_eq!(
        steps_after(again, 1)[2..],
        [
            (Running, Waiting, false),
            (Waiting, NotExist, true),
            (NotExist, Runnable, false)
        ]
    );
    let waiting = "GoSched dt=1\nGoStart dt=1 task=2 seq=1\nGoWaiting dt=1 task=2";
    assert_eq!(
        steps_after(waiting, 2)[1..],
        [
            (Runnable, Running, false),
            (Running, Runnable, true),
            (Runnable, Waiting, false)
        ]
    );
}

#[test]
fn a_sample_may_be_older_than_its_task() {
    let sample = "CPUSample dt=5 real_ticks=1041 worker=0 task=3\nGoCreate dt=50 task=3";
    let read = repaired(sample, Repair::TaskState, 0);
    assert_eq!(read.types()[4..], ["CPUSample", "GoCreate"]);
}

#[test]
fn a_worker_runs_one_task() {
    use State::{Runnable, Running, Undetermined};
    let read = repaired("GoStart dt=1 task=2 seq=1", Repair::Thread, 1);
    assert_eq!(steps(&read, 1)[2], (Running, Undetermined, true));
    assert_eq!(steps(&read, 2)[1], (Runnable, Running, false));
    repaired("ProcStop dt=1", Repair::Thread, 1);
}

#[test]
fn workers_are_started_and_stopped() {
    use State::{Idle, Running, Undetermined};
    let transitions = |read: &Read| -> Vec<_> {
        let step = |event: &exectrace_reader::Event| match event.kind {
            Kind::WorkerTransition { worker, from, to } => Some((worker.0, from, to)),
            _ => None,
        };
        read.events.iter().filter_map(step).collect()
    };
    let read = repaired(
        "GoEnd dt=1\nProcStart dt=1 thread=9",
        Repair::WorkerState,
        1,
    );
    assert_eq!(
        transitions(&read)[1..],
        [(0, Running, Idle), (0, Idle, Running)]
    );
    let read = repaired(
        "Batch worker=3 ticks=2000\nProcStop dt=1",
        Repair::WorkerState,
        1,
    );
    assert_eq!(
        transitions(&read)[1..],
        [(3, Undetermined, Running), (3, Running, Idle)]
    );
    repaired(
        "GoEnd dt=1\nProcStop dt=1\nProcStop dt=1",
        Repair::WorkerState,
        1,
    );
}

#[test]
fn ranges_begin_before_they_end() {
    for events in [
        "GCDone dt=1",
        "GCSTWDone dt=1",
        "GCSweepDone dt=1",
        "GCStart dt=1 seq=0\nGCStart dt=1 seq=1",
        "GCSTWStart dt=1 kind=0\nGCSTWStart dt=1 kind=1\nGCSTWDone dt=1",
        "GCSweepStart dt=1\nGCSweepStart dt=1",
        "GCMarkAssistStart dt=1\nGCMarkAssistStart dt=1",
    ] {
        repaired(events, Repair::Range, 1);
    }
    repaired("GCStart dt=1 seq=5", Repair::Order, 0);
}

#[test]
fn a_user_task_begins_after_its_end() {
    let read = repaired(
        "UserTaskCreate dt=1 user_task=1 parent=5\nUserTaskCreate dt=1 user_task=1",
        Repair::UserTask,
        1,
    );
    let Kind::UserTaskEnd { begin, .. } = read.events[5].kind else {
        panic!("{:?}", read.events[5]);
    };
    assert_eq!(begin.expect("is known").parent.0, 5);
}

#[test]
fn the_end_of_a_region_ends_that_region_alone() {
    let (begin, end) = (
        "UserRegion dt=1 mode=0 user_task=",
        "UserRegion dt=1 mode=1 user_task=",
    );
    repaired(
        &format!("{begin}1\n{begin}2\n{end}1\n{end}2"),
        Repair::Region,
        0,
    );
    repaired(&format!("{begin}1\n{end}2\n{end}1"), Repair::Region, 1);
}

#[test]
fn what_nobody_can_place_is_left_out() {
    for (events, bytes) in [
        ("GoEnd dt=1\nGoEnd dt=1", 2),
        ("GoEnd dt=1\nGoSysBlock dt=1", 2),
        ("UserRegion dt=1 mode=2", 7),
        ("GCSTWStart dt=1 kind=7", 3),
        ("GoSysExitLocal dt=1 task=2", 4),
        ("GoUnblock dt=1 task=1 seq=7", 6),
    ] {
        let file = file("1.19", &format!("{BEGIN}{events}\nGCStart dt=1 seq=0"));
        let read = read(&file);
        assert_eq!((read.loss.bytes, read.loss.events), (bytes, 1), "{events}");
        assert!(read.loss.is_exact && read.repairs.count(Repair::TaskState) == 0);
        assert_eq!(read.loss.gaps[0].error.offset, fault(&file).offset);
        assert_eq!(read.types().last(), Some(&"GCStart"), "{events}");
        assert!(
            read.loss
                .time
                .is_some_and(|(from, to)| from == to && from > Timestamp(0))
        );
    }
}

#[test]
fn times_that_go_back_are_moved_on() {
    // CASES A9: the clock of worker 1's processor lags behind by 500 ns.
    let file = file(
        "1.19",
        &format!(
            "{BEGIN}
            GoCreate dt=960 task=3
            Batch worker=1 ticks=1400
            ProcStart dt=50 thread=8
            GoStart dt=50 task=3 seq=1
            GCMarkAssistStart dt=100
            GoEnd dt=800"
        ),
    );
    let fault = fault(&file);
    assert_eq!(fault.cause, Cause::TimeOrder);
    let read = read(&file);
    assert!(read.loss.is_none() && read.inferred() == 0);
    // The start comes after the creation, and so does what follows it, until time has caught up.
    assert_eq!(read.repairs.count(Repair::TimeOrder), 2);
    assert_eq!(read.repairs.by_kind[&Repair::TimeOrder].first, fault);
    assert_eq!(read.repairs.skew_ns, 500);
    assert_eq!(read.repairs.skewed, Some((ThreadId(8), WorkerId(1))));
    let times: Vec<_> = read.events[5..].iter().map(|event| event.time.0).collect();
    assert_eq!(times, [990, 990, 990, 1390]);
}

#[test]
fn a_leap_of_time_ends_with_the_batch() {
    // The time of the collector's event has a wrong bit; it was 20.
    let file = file(
        "1.19",
        &format!(
            "{BEGIN}
            GCStart dt=1048596 seq=0
            GoSysBlock dt=10
            GoSysExit dt=10 task=1 seq=2 real_ticks=1095
            GoStart dt=10 task=1 seq=3
            Batch worker=0 ticks=1100
            GCDone dt=0
            Batch worker=1 ticks=1200
            ProcStart dt=10 thread=8"
        ),
    );
    // A strict reader takes the end of the call for early.
    assert!(matches!(fault(&file).cause, Cause::TaskState { .. }));
    let read = read(&file);
    assert_eq!((read.repairs.total(), read.inferred()), (1, 0));
    // As far as the next batch of the worker says.
    assert_eq!(read.repairs.skew_ns, (1 << 20) - 10);
    assert_eq!(read.repairs.skewed, Some((ThreadId::NONE, WorkerId(0))));
    let times: Vec<_> = read.events[4..].iter().map(|event| event.time.0).collect();
    assert_eq!(times, [60, 70, 85, 90, 90, 200]);
}

#[test]
fn before_1_7_the_order_is_that_of_the_sequence() {
    let file = file(
        "1.5",
        "Batch worker=0 sequence=0 ticks=100
        GoCreate sequence=1 dt=0 task=1
        ProcStart sequence=1 dt=100 thread=7
        Batch worker=1 sequence=0 ticks=100
        ProcStart sequence=3 dt=60 thread=8
        GoStart sequence=1 dt=60 task=1
        Frequency ticks_per_second=1000000000 sequence=0",
    );
    assert_eq!(fault(&file).cause, Cause::TimeOrder);
    let read = read(&file);
    assert_eq!(read.repairs.by_kind[&Repair::TimeOrder].first, fault(&file));
    assert_eq!((read.repairs.total(), read.repairs.skew_ns), (1, 40));
    assert_eq!(read.repairs.skewed, Some((ThreadId(8), WorkerId(1))));
    let times: Vec<_> = read.events.iter().map(|event| event.time.0).collect();
    assert_eq!(times, [0, 100, 100, 120]);
}

#[test]
fn a_run_of_no_time_is_over() {
    // CASES A10: start, system call and block share a tick.
    let read = read(&file(
        "1.19",
        &format!(
            "{BEGIN}GoSched dt=10\nGoStart dt=0 task=1 seq=2\nGoSysCall dt=0\nGoBlockNet dt=0"
        ),
    ));
    assert!(read.loss.is_none() && read.repairs.is_none());
    let last = steps(&read, 1)[3..].to_vec();
    let wanted = [
        (State::Runnable, State::Running, false),
        (State::Running, State::Waiting, false),
    ];
    assert_eq!(last, wanted);
    assert_eq!(read.events[5].time, read.events[7].time);
}

#[test]
fn a_foreign_thread_comes_back_from_a_call_that_nobody_has_seen() {
    use State::{Runnable, Running, Syscall, Undetermined};
    // CASES A11: a callback into Go.
    let events = "
        GoSched dt=10
        GoSysExit dt=10 task=17 seq=5
        GoStart dt=10 task=17 seq=6
        GoSched dt=10
        GoStart dt=10 task=1 seq=2";
    let read = read(&file("1.19", &format!("{BEGIN}{events}")));
    assert!(read.loss.is_none());
    assert_eq!(
        steps(&read, 17),
        [
            (Undetermined, Syscall, true),
            (Syscall, Runnable, false),
            (Runnable, Running, false),
            (Running, Runnable, false)
        ]
    );
    assert_eq!(
        (read.inferred(), read.repairs.count(Repair::TaskState)),
        (1, 1)
    );
    assert_eq!(read.repairs.count(Repair::Order), 1);
}

#[test]
fn ends_of_system_calls_that_never_blocked_are_told_where_they_stand() {
    let stray = "
        GoWaiting dt=10 task=2
        GoSysExit dt=500 task=2 seq=2 real_ticks=1100";
    let told = repaired(stray, Repair::TimeOrder, 0);
    assert_eq!(told.events[5].time, Timestamp(540));
    // The end is said to be before the block.
    let early = "
        GoSysBlock dt=100
        GoSysExit dt=100 task=1 seq=2 real_ticks=1105";
    let read = read(&file("1.19", &format!("{BEGIN}{early}")));
    assert_eq!((read.repairs.total(), read.inferred()), (1, 0));
    assert_eq!(
        (read.events[5].time, read.repairs.skew_ns),
        (Timestamp(230), 35)
    );
}

#[test]
fn a_process_that_died_leaves_events_without_tables() {
    // CASES A15.
    let mut lines = BEGIN.replace("Frequency ticks_per_second=1000000000", "");
    lines += "UserRegion dt=100 mode=0 name=5 stack=9\nUserRegion dt=1 mode=1 name=5 stack=9";
    let file = file("1.19", &lines);
    assert_eq!(fault(&file).cause, Cause::NoFrequency);
    let read = read(&file);
    assert_eq!(read.repairs.count(Repair::Clock), 1);
    assert_eq!(read.events[4].time, Timestamp(130 * 64));
    // The string and the stack, once each.
    assert_eq!(read.repairs.count(Repair::Name), 2);
    let mut reader = Reader::tolerant(&file).expect("has a header");
    let region = reader.nth(4).expect("is there").expect("is no error");
    let Kind::UserRegionBegin { name, .. } = region.kind else {
        panic!("{region:?}");
    };
    assert_eq!(reader.tables().text(name), "#5");
    let frame = reader.tables().frames(region.stack).next();
    let function = frame.expect("a frame").function;
    assert_eq!(reader.tables().text(function), "stack #9");
}

#[test]
fn thousands_of_workers_may_wait() {
    // Each waits for the task that the one before starts, and none of the first hundred can come at all.
    let mut lines = String::from("Frequency ticks_per_second=1000000000\n");
    for worker in (0..3000).rev() {
        lines += &format!(
            "Batch worker={worker} ticks={}\nGoStart dt=1 task={worker} seq=1\nGoCreate dt=1 task={}\nGoEnd dt=1\n",
            10 * worker + 1,
            worker + 1
        );
    }
    let whole = lines.replace("GoStart dt=1 task=0 seq=1\n", "").replace(
        "Batch worker=0 ticks=1\n",
        "Batch worker=0 ticks=1\nGoCreate dt=0 task=100000\nGoStart dt=0 task=100000 seq=1\n",
    );
    let read_whole = read(&file("1.19", &whole));
    assert!(read_whole.repairs.is_none(), "{}", read_whole.repairs);
    assert_eq!(read_whole.events.len(), 9001);
    let orphans = lines.replace("GoCreate", "GoUnblock");
    let read = read(&file("1.19", &orphans));
    assert!(read.events.len() >= 9000);
    assert!(read.repairs.count(Repair::Order) >= 3000);
}

#[test]
fn a_header_alone_is_no_damage() {
    let file = file("1.19", "");
    assert_eq!(fault(&file).cause, Cause::Empty);
    let read = read(&file);
    assert!(read.events.is_empty() && read.loss.is_none() && read.repairs.is_none());
}

#[test]
fn names_of_a_whole_file_are_as_strict_as_its_reader() {
    let read = read(&file("1.19", &format!("{BEGIN}UserLog dt=1 key=5 stack=9")));
    assert!(read.repairs.is_none());
    assert_eq!(read.events[4].stack.0, 0);
}

#[test]
fn the_first_meaning_of_an_id_holds() {
    let strings = "String string=1 text=\"first\"\nString string=1 text=\"second\"\n";
    let read = repaired(&format!("{strings}UserLog dt=1 key=1"), Repair::Table, 0);
    assert_eq!(read.events.len(), 5);
    let file = file("1.19", &format!("{BEGIN}{strings}UserLog dt=1 key=1"));
    let mut reader = Reader::tolerant(&file).expect("has a header");
    let log = reader.nth(4).expect("is there").expect("is no error");
    let Kind::UserLog { key, .. } = log.kind else {
        panic!("{log:?}");
    };
    assert_eq!(reader.tables().text(key), "first");
}

#[test]
fn a_clock_that_stands_is_replaced() {
    let zero = BEGIN.replace("1000000000", "0");
    let file = file("1.19", &zero);
    let read = read(&file);
    assert_eq!(read.repairs.by_kind[&Repair::Clock].first, fault(&file));
    assert_eq!(
        (read.repairs.total(), read.events[1].time),
        (1, Timestamp(640))
    );
}

#[test]
fn of_two_clocks_the_one_that_goes_is_taken() {
    let file = file("1.19", &format!("{BEGIN}Frequency ticks_per_second=0"));
    let read = read(&file);
    assert_eq!(read.loss.gaps[0].error, fault(&file));
    assert_eq!((read.loss.bytes, read.loss.events), (2, 0));
    assert!(read.repairs.is_none());
    assert_eq!(read.events[1].time, Timestamp(10));
}
