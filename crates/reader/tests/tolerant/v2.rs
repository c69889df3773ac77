//! Format v2.

use exectrace_format::limits::V2_THREADS_MAX;
use exectrace_format::role::State;
use exectrace_format::{text, varint};
use exectrace_reader::{Cause, Kind, Reader, Repair, Validator};

use super::{Read, read, steps};
use crate::judge::{Judgement, judge};

/// The batches of a generation that are not events.
const TABLES: &str = "
    EventBatch generation=1 thread=-1 time=1
    Sync
    ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500
    Frequency units_per_second=1000000000
    EventBatch generation=1 thread=-1 time=1
    Strings
    String string=1 text=\"name\"
    ";
/// The begin of a thread's events.
const THREAD: &str = "
    EventBatch generation=1 thread=7 time=10
    ProcStatus dt=1 worker=0 status=1
    GoStatus dt=1 task=1 thread=7 status=2
    ";

#[track_caller]
fn file(lines: &str) -> Vec<u8> {
    text::parse(&format!("go 1.26 trace\n{lines}")).expect("is a trace")
}

/// A generation with these events of a thread that has a worker and runs task 1.
#[track_caller]
fn generation(events: &str) -> Vec<u8> {
    file(&format!("{TABLES}{THREAD}{events}\nEndOfGeneration"))
}

/// What is read from that is refused for this, repaired by this, and of which nothing is lost.
#[track_caller]
fn repaired(events: &str, repair: Repair) -> Read {
    let file = generation(events);
    let fault = Reader::new(&file)
        .expect("has a header")
        .find_map(Result::err);
    let fault = fault.expect("strict mode refuses it");
    let read = read(&file);
    assert!(read.loss.is_none(), "{}", read.loss);
    let found = read.repairs.by_kind.get(&repair);
    let found = found.unwrap_or_else(|| panic!("{}", read.repairs));
    assert_eq!(found.first, fault);
    read
}

#[test]
fn a_whole_file_has_nothing_to_tell() {
    let read = read(&generation("GoBlock dt=1 reason=1 stack=0"));
    assert!(read.loss.is_none() && read.repairs.is_none());
    assert_eq!(
        read.types(),
        ["Sync", "ProcStatus", "GoStatus", "GoBlock", "Sync"]
    );
}

#[test]
fn a_generation_may_have_the_number_of_an_earlier_one() {
    let first = format!("{TABLES}{THREAD}GCMarkAssistBegin dt=1 stack=0\nGCMarkAssistEnd dt=1");
    // Go's reader knows the first one by its number, in which a range may be active that was seen to end.
    let again = format!("{TABLES}{THREAD}GCMarkAssistActive dt=1 task=1");
    let file = file(&format!(
        "{first}\nEndOfGeneration\n{again}\nEndOfGeneration"
    ));
    assert_eq!(judge(&file), Ok(Judgement::Whole));
    let mut reader = Reader::tolerant(&file).expect("has a header");
    assert_eq!(reader.generation(), None);
    let generations = reader.by_ref().filter(|event| {
        let event = event.as_ref().expect("no event is an error");
        matches!(event.kind, Kind::Sync)
    });
    assert_eq!(generations.count(), 3);
    assert_eq!(reader.generation(), Some(1));
}

#[test]
fn a_task_that_nobody_has_heard_of_is_introduced() {
    use State::{Runnable, Running, Undetermined};
    let read = repaired(
        "GoStop dt=1 reason=1 stack=0\nGoStart dt=1 task=9 seq=4",
        Repair::TaskState,
    );
    assert_eq!(
        steps(&read, 9),
        [(Undetermined, Runnable, true), (Runnable, Running, false)]
    );
}

#[test]
fn what_a_lost_event_did_is_inferred() {
    use State::{Runnable, Running, Undetermined, Waiting};
    // The block is missing.
    let read = repaired("GoUnblock dt=1 task=1 seq=1 stack=0", Repair::TaskState);
    assert_eq!(
        steps(&read, 1),
        [
            (Undetermined, Running, false),
            (Running, Waiting, true),
            (Waiting, Runnable, false)
        ]
    );
    // The end of what ran before is missing.
    let read = repaired(
        "GoCreate dt=1 task=2 start_stack=0 stack=0\nGoStart dt=1 task=2 seq=1",
        Repair::Thread,
    );
    assert_eq!(steps(&read, 1)[1], (Running, Undetermined, true));
    assert_eq!(steps(&read, 2)[1], (Runnable, Running, false));
}

#[test]
fn workers_are_where_their_events_say() {
    repaired("ProcStart dt=1 worker=5 seq=3", Repair::WorkerState);
    repaired(
        "ProcSteal dt=1 worker=5 seq=3 thread=99",
        Repair::WorkerState,
    );
    repaired("GoSyscallEnd dt=1", Repair::TaskState);
    repaired("GoSyscallEndBlocked dt=1", Repair::TaskState);
    repaired(
        "GoSyscallBegin dt=1 worker_seq=6 stack=0",
        Repair::WorkerState,
    );
    repaired("ProcStop dt=1\nHeapAlloc dt=1 live_bytes=5", Repair::Thread);
}

/// Another thread, with the worker of the first.
const SECOND_THREAD: &str = "
    EventBatch generation=1 thread=8 time=20
    ProcStatus dt=1 worker=0 status=1
    ";

#[test]
fn statuses_are_taken_at_their_word_where_go_takes_them() {
    for events in [
        "GoStatus dt=1 task=2 thread=7 status=2\nGoStop dt=1 reason=1 stack=0",
        &format!("{SECOND_THREAD}GoStatus dt=1 task=2 thread=8 status=2"),
        &format!(
            "{SECOND_THREAD}GoStatus dt=1 task=2 thread=8 status=1\nGoStart dt=1 task=2 seq=1"
        ),
        &format!("{SECOND_THREAD}GoStatus dt=1 task=1 thread=8 status=2"),
        "ProcStatus dt=1 worker=5 status=1\nGoStatus dt=1 task=1 thread=7 status=2",
        &format!(
            "GoSyscallBegin dt=15 worker_seq=1 stack=0\nGoSyscallEnd dt=1\nProcStop dt=1
            {SECOND_THREAD}ProcStop dt=1"
        ),
    ] {
        let file = generation(events);
        assert_eq!(judge(&file), Ok(Judgement::Whole), "{events}");
        let mut validator = Validator::new();
        let events_told = Reader::new(&file).expect("has a header").flatten();
        let violations = events_told.filter(|event| validator.event(event).is_err());
        assert_ne!(violations.count(), 0, "{events}");
    }
}

#[test]
fn ranges_begin_before_they_end() {
    for events in [
        "STWEnd dt=1",
        "GCEnd dt=1 seq=4",
        "GCSweepEnd dt=1 swept_bytes=1 reclaimed_bytes=1",
        "GCMarkAssistEnd dt=1",
        "GCBegin dt=1 seq=1 stack=0\nGCBegin dt=1 seq=2 stack=0",
        "GCSweepBegin dt=1 stack=0\nGCSweepBegin dt=1 stack=0",
        "STWBegin dt=1 kind=1 stack=0\nSTWBegin dt=1 kind=1 stack=0",
    ] {
        assert_eq!(repaired(events, Repair::Range).inferred(), 1, "{events}");
    }
}

#[test]
fn the_end_of_a_region_ends_that_region_alone() {
    let inner_and_outer = "
        UserRegionBegin dt=1 user_task=1 name=1 stack=0
        UserRegionBegin dt=1 user_task=2 name=1 stack=0
        UserRegionEnd dt=1 user_task=1 name=1 stack=0
        UserRegionEnd dt=1 user_task=2 name=1 stack=0";
    let read = repaired(inner_and_outer, Repair::Region);
    assert_eq!((read.repairs.total(), read.inferred()), (1, 0));
    // One that began nowhere takes no other with it.
    let twice = "
        UserRegionBegin dt=1 user_task=1 name=1 stack=0
        UserRegionEnd dt=1 user_task=2 name=1 stack=0
        UserRegionEnd dt=1 user_task=1 name=1 stack=0";
    let read = repaired(twice, Repair::Region);
    assert_eq!((read.repairs.total(), read.inferred()), (1, 1));
}

#[test]
fn ids_that_no_table_explains_are_told() {
    let file = generation("GoBlock dt=1 reason=77 stack=88");
    let mut reader = Reader::tolerant(&file).expect("has a header");
    let events: Vec<_> = reader
        .by_ref()
        .map(|event| event.expect("is told"))
        .collect();
    let Kind::TaskTransition { reason, stack, .. } = events[3].kind else {
        panic!("{:?}", events[3]);
    };
    assert_eq!(reader.tables().text(reason), "#77");
    let function = reader.tables().frames(stack).map(|frame| frame.function);
    let function = reader.tables().text(function.last().expect("a frame"));
    assert_eq!(function, "stack #88");
    assert_eq!(reader.repairs().count(Repair::Name), 2);
}

#[test]
fn what_nobody_can_place_is_left_out() {
    let read = read(&generation(
        "GoStop dt=1 reason=1 stack=0\nGoStop dt=1 reason=1 stack=0",
    ));
    // Type, time, reason and stack are a byte each.
    assert_eq!((read.loss.bytes, read.loss.events), (4, 1));
    assert!(read.loss.is_exact && read.repairs.is_none());
    assert_eq!(read.loss.gaps[0].error.task, None);
    assert_eq!(read.types().len(), 5);
}

#[test]
fn the_number_that_stands_for_no_task_is_created_once() {
    // Go's reader takes it for a task where it is created.
    let create = "GoCreateBlocked dt=1 task=18446744073709551615 start_stack=0 stack=0\n";
    assert_eq!(judge(&generation(create)), Ok(Judgement::Whole));
    let read = read(&generation(&create.repeat(2)));
    assert!(read.repairs.is_none(), "{}", read.repairs);
    assert_eq!((read.loss.events, read.loss.is_exact), (1, true));
    assert_eq!(read.loss.gaps[0].error.cause, Cause::TaskExists);
}

#[test]
fn the_rest_of_a_batch_is_lost_behind_what_is_no_event() {
    let lines =
        format!("{TABLES}{THREAD}GoBlock dt=1 reason=1 stack=0\nGoBlock dt=1 reason=1 stack=0");
    let mut file = file(&lines);
    let length = file.len();
    file[length - 4] = 0xff;
    file.extend([52]);
    let read = read(&file);
    assert_eq!((read.loss.bytes, read.loss.events), (4, 1));
    assert!(!read.loss.is_exact);
    assert_eq!(read.loss.gaps[0].error.offset, length as u64 - 4);
    assert!(read.types().contains(&"GoBlock"));
}

#[test]
fn a_file_cut_in_a_batch_keeps_its_begin() {
    let whole = file(&format!("{TABLES}{THREAD}GoBlock dt=1 reason=1 stack=0"));
    let read = read(&whole[..whole.len() - 2]);
    assert!(read.types().contains(&"GoStatus"));
    // What the batch lacks, and the half of an event.
    assert_eq!((read.loss.bytes, read.loss.is_exact), (4, false));
    assert_eq!(read.repairs.count(Repair::End), 1);
}

#[test]
fn a_damaged_batch_costs_only_itself() {
    let mut file = file(&format!("{TABLES}{THREAD}GoBlock dt=1 reason=1 stack=0"));
    let damaged = file.len();
    let rest = text::parse(
        "go 1.26 trace
        EventBatch generation=1 thread=8 time=12
        ProcStatus dt=1 worker=1 status=1
        GoStatus dt=1 task=2 thread=8 status=2
        EventBatch generation=1 thread=9 time=30
        ProcStatus dt=1 worker=2 status=1
        EndOfGeneration
        EventBatch generation=2 thread=-1 time=40
        Sync
        ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500
        Frequency units_per_second=1000000000
        EventBatch generation=2 thread=9 time=40
        ProcStatus dt=1 worker=2 status=1
        EndOfGeneration",
    );
    file.extend(&rest.expect("is a trace")[16..]);
    file[damaged] = 0xff;
    let read = read(&file);
    // Header and content of the batch of thread 8.
    assert_eq!((read.loss.bytes, read.loss.events), (14, 1));
    assert_eq!(read.loss.gap_count, 1);
    let (from, to) = read.loss.time.expect("is known");
    assert_eq!((from.0, to.0), (10, 30));
    assert_eq!(
        read.types()
            .iter()
            .filter(|&&name| name == "ProcStatus")
            .count(),
        3
    );
    assert_eq!(
        read.types().iter().filter(|&&name| name == "Sync").count(),
        3
    );
}

#[test]
fn a_batch_of_an_old_generation_is_counted_as_lost() {
    let mut file = generation("");
    let late = text::parse(
        "go 1.26 trace
        EventBatch generation=2 thread=7 time=20
        ProcStatus dt=1 worker=0 status=1
        EventBatch generation=1 thread=7 time=15
        GoBlock dt=1 reason=0 stack=0
        GoBlock dt=1 reason=0 stack=0
        EventBatch generation=2 thread=-1 time=20
        Sync
        ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=500
        Frequency units_per_second=1000000000
        EndOfGeneration",
    );
    file.extend(&late.expect("is a trace")[16..]);
    let read = read(&file);
    assert_eq!((read.loss.events, read.loss.is_exact), (2, true));
    assert!(matches!(
        read.loss.gaps[0].error.cause,
        Cause::GenerationOutOfOrder { open: 2, found: 1 }
    ));
}

#[test]
fn a_batch_from_far_ahead_is_read_as_go_reads_it() {
    // Another thread goes on with what this one has created.
    let far = "
        EventBatch generation=1 thread=7 time=9000000000000000000
        GoCreate dt=1 task=2 start_stack=0 stack=0
        EventBatch generation=1 thread=8 time=20
        ProcStatus dt=1 worker=1 status=1
        GoStart dt=1 task=2 seq=1
        GoStop dt=1 reason=1 stack=0";
    let file = generation(far);
    assert_eq!(judge(&file), Ok(Judgement::Whole));
    let read = read(&file);
    let times: Vec<i64> = read.events.iter().map(|event| event.time.0).collect();
    let ahead = 9_000_000_000_000_000_001;
    assert_eq!(times[3..], [21, ahead, ahead + 1, ahead + 2, ahead + 3]);
    // Go's reader counts on behind the last time that there is.
    let last = "
        EventBatch generation=1 thread=7 time=9223372036854774784
        GoCreate dt=1023 task=2 start_stack=0 stack=0
        GoCreate dt=1 task=3 start_stack=0 stack=0";
    assert_eq!(judge(&generation(last)), Ok(Judgement::Whole));
}

#[test]
fn of_more_threads_than_a_process_has_the_last_are_lost() {
    const TOO_MANY: usize = 1500;
    let mut file = generation("");
    let end = file.pop().expect("the generation ends");
    let mut rest = 0;
    // There is one already.
    for number in 1..V2_THREADS_MAX + TOO_MANY {
        if number == V2_THREADS_MAX {
            rest = file.len();
        }
        file.extend([1, 1]);
        varint::push(&mut file, 1000 + number as u64);
        // The status of a worker that is idle.
        file.extend([10, 4, 13, 1, 9, 2]);
    }
    let lost = file.len() - rest;
    file.push(end);
    let fault = Reader::new(&file)
        .expect("has a header")
        .find_map(Result::err)
        .expect("strict mode refuses it");
    assert_eq!(
        (fault.cause, fault.offset),
        (Cause::TooManyThreads, rest as u64)
    );
    let read = read(&file);
    assert_eq!(read.events.len(), 4 + V2_THREADS_MAX - 1);
    let loss = read.loss;
    assert_eq!(
        (loss.bytes, loss.events, loss.is_exact),
        (lost as u64, TOO_MANY as u64, true)
    );
    assert_eq!((loss.gap_count, loss.gaps.len()), (TOO_MANY as u64, 1000));
    assert_eq!(loss.gaps[0].error.cause, fault.cause);
}

#[test]
fn a_generation_without_a_clock_has_the_usual_one() {
    let read = read(&file(&format!("{THREAD}EndOfGeneration")));
    assert_eq!(read.repairs.count(Repair::Clock), 1);
    assert_eq!(read.events[1].time.0, 11 * 64);
}

#[test]
fn a_newer_version_is_read_as_the_one_before() {
    let mut file = generation("");
    file[..16].copy_from_slice(b"go 1.31 trace\0\0\0");
    let read = read(&file);
    assert_eq!(read.repairs.count(Repair::Version), 1);
    assert_eq!(read.events.len(), 4);
}

#[test]
fn a_header_alone_is_no_damage() {
    for header in [b"go 1.26 trace\0\0\0", b"go 1.22 trace\0\0\0"] {
        let read = read(header);
        assert!(read.loss.is_none() && read.repairs.is_none());
        assert!(read.types().iter().all(|&name| name == "Sync"));
    }
    assert!(Reader::tolerant(b"go 1.4 trace\0\0\0\0").is_err());
    assert!(Reader::tolerant(b"something else").is_err());
}
