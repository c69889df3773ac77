//! Sinks that fail: the session ends, the program goes on.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use exectrace::hook::{BlockReason, MarkAssist, Task, TaskRef, heap_goal};
use exectrace::{EndReason, Recorder, Region, Session, UserTask};
use exectrace_format::go_v1::Records;
use exectrace_testkit::{accepts, opens};

use crate::emitted::{Emitted, assert_holds, entry};
use crate::in_time;
use crate::sinks::{Custom, after, gated};
use crate::support::{Memory, record, save, turn};

/// More than a batch, so that the collector has something to write before the session is stopped.
const EVENTS: u64 = 40_000;

/// What a session leaves to the next one must not be spoiled.
#[track_caller]
fn assert_a_new_session_works() {
    let (recorded, emitted) = record(Recorder::new(), || {
        let mut emitted = Emitted::default();
        emitted.life(3);
        emitted
    });
    emitted.assert_written(&recorded.statistics);
    recorded.check(accepts);
}

#[test]
fn an_error_midway_ends_the_session_and_all_is_accounted_for() {
    let _turn = turn();
    for room in [0, 7, 16, 1_000, 70_001, 150_000] {
        let full = || Err(io::ErrorKind::StorageFull.into());
        let (memory, go_on, sink) = after(room, full);
        let session = exectrace::start(sink).expect("no other session");
        let mut emitted = Emitted::default();
        emitted.heap(EVENTS);
        emitted.life(500);
        drop(go_on);
        // The program goes on whether or not the session has ended.
        let statistics = session.stop();
        assert_eq!(statistics.end, EndReason::SinkFailed);
        let kind = statistics.sink_error.as_ref().map(io::Error::kind);
        assert_eq!(kind, Some(io::ErrorKind::StorageFull));
        assert!(statistics.bytes_unwritten > 0 && !statistics.is_complete());
        emitted.assert_accounted(&statistics);
        if room >= 16 {
            assert_holds(&memory.bytes(), &statistics);
        }
        assert!(statistics.to_string().contains("the sink's error"));
    }
    assert_a_new_session_works();
}

#[test]
fn the_session_ends_soon_after_an_error_without_a_stop() {
    let _turn = turn();
    let sink = Custom::new(|_| Err(io::ErrorKind::BrokenPipe.into()));
    let session = exectrace::start(sink).expect("no other session");
    let mut calls = 0_u64;
    let begun = Instant::now();
    while exectrace::is_enabled() {
        heap_goal(calls);
        calls += 1;
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not end");
    }
    while !session.has_ended() {
        thread::yield_now();
    }
    let statistics = session.stop();
    assert_eq!(statistics.end, EndReason::SinkFailed);
    // The session may have ended between the last look at it and the last call.
    let accounted = statistics.events.of("HeapGoal") + statistics.dropped.of("HeapGoal");
    assert!(
        accounted == calls || accounted + 1 == calls,
        "{accounted} of {calls}"
    );
    assert_eq!(statistics.bytes_written, 0);
}

#[test]
fn a_sink_that_takes_nothing_has_failed() {
    let _turn = turn();
    let (_memory, go_on, sink) = after(100, || Ok(0));
    let session = exectrace::start(sink).expect("no other session");
    let mut emitted = Emitted::default();
    emitted.life(10);
    drop(go_on);
    let statistics = session.stop();
    let kind = statistics.sink_error.as_ref().map(io::Error::kind);
    assert_eq!(
        (statistics.end, kind),
        (EndReason::SinkFailed, Some(io::ErrorKind::WriteZero))
    );
    emitted.assert_accounted(&statistics);
}

#[test]
fn a_sink_that_claims_more_than_it_was_given_is_not_believed() {
    let _turn = turn();
    let session = exectrace::start(Custom::new(|bytes| Ok(bytes.len() + 1_000)));
    let mut emitted = Emitted::default();
    emitted.life(10);
    let statistics = session.expect("no other session").stop();
    emitted.assert_written(&statistics);
}

#[test]
fn one_byte_at_a_time_with_interruptions_is_enough() {
    let _turn = turn();
    let memory = Memory::default();
    let (mut kept, mut calls) = (memory.clone(), 0_u64);
    let sink = Custom::new(move |bytes| {
        calls += 1;
        if calls % 3 == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        kept.write(&bytes[..1])
    });
    let session = exectrace::start(sink).expect("no other session");
    let mut emitted = Emitted::default();
    emitted.life(2_000);
    let statistics = session.stop();
    emitted.assert_written(&statistics);
    assert_holds(&memory.bytes(), &statistics);
    save(&memory, statistics).check(accepts);
}

/// Two threads run tasks and wake each other's until no session is running.
fn wake_one_another(tasks: &[Task; 2], wakers: &[TaskRef; 2]) {
    thread::scope(|scope| {
        for own in 0..2 {
            scope.spawn(move || {
                while exectrace::is_enabled() {
                    tasks[own].start().block(BlockReason::Net);
                    wakers[1 - own].wake();
                }
            });
        }
    });
}

#[test]
fn a_sink_that_blocks_ends_the_session_by_its_budget_and_holds_nobody_up() {
    let _turn = turn();
    let memory = Memory::default();
    let (mut kept, mut blocked) = (memory.clone(), false);
    let sink = Custom::new(move |bytes| {
        if !std::mem::replace(&mut blocked, true) {
            thread::sleep(Duration::from_secs(5));
        }
        kept.write(bytes)
    });
    let tasks = [Task::new(entry()), Task::new(entry())];
    let wakers = [tasks[0].reference(), tasks[1].reference()];
    let begun = Instant::now();
    let session = Recorder::new().memory_budget(1 << 20).start(sink);
    let session = session.expect("no other session");
    wake_one_another(&tasks, &wakers);
    assert!(
        begun.elapsed() < Duration::from_secs(4),
        "the threads waited for the sink"
    );
    let statistics = session.stop();
    assert_eq!(statistics.end, EndReason::BudgetSpent);
    // One thread found no room; the other may have been in a hook that then found none either.
    assert!(
        (1..=2).contains(&statistics.dropped_without_room),
        "{statistics:?}"
    );
    assert_eq!(statistics.dropped.total(), 0);
    assert!(statistics.batch_bytes_max <= 1 << 20, "{statistics:?}");
    save(&memory, statistics).check(accepts);
    assert_a_new_session_works();
}

/// A message that fills batches fast.
const FILLER_BYTES: usize = 50_000;

#[test]
fn a_budget_that_is_spent_loses_one_hook_and_says_so_in_the_file() {
    let _turn = turn();
    let (memory, go_on, sink) = gated();
    let session = Recorder::new().memory_budget(1 << 20).start(sink);
    let session = session.expect("no other session");
    let task = Task::new(entry());
    // Runs when the session ends, so that its end must be written where nothing else finds room.
    let run = task.start();
    let mut calls = 0;
    while exectrace::is_enabled() {
        exectrace::log("filler", [b'f'; FILLER_BYTES]);
        calls += 1;
    }
    drop(go_on);
    let statistics = session.stop();
    run.end();
    assert_eq!(statistics.end, EndReason::BudgetSpent);
    assert_eq!(statistics.dropped_without_room, 1);
    let file = memory.bytes();
    assert_holds(&file, &statistics);
    let records = Records::of_file(&file).expect("a header");
    let written = records
        .filter_map(Result::ok)
        .filter(|record| record.rest.len() == FILLER_BYTES);
    assert_eq!(written.count() + 1, calls);
    let accepted = save(&memory, statistics).check(opens);
    if let Some(dump) = accepted.v1 {
        let log = dump
            .named("UserLog")
            .find(|line| line.argument("category") == Some("exectrace.dropped"))
            .expect("the loss stands in the file");
        let message = log.argument("message").unwrap_or_default();
        assert!(message.contains("hooks=1"), "{message}");
    }
}

#[test]
fn a_sink_that_panics_ends_the_session_alone() {
    let _turn = turn();
    for room in [0, 16, 100_000] {
        let (memory, go_on, sink) = after(room, || panic!("this sink panics"));
        let session = exectrace::start(sink).expect("no other session");
        let mut emitted = Emitted::default();
        emitted.heap(EVENTS);
        emitted.life(100);
        drop(go_on);
        let statistics = session.stop();
        assert_eq!(statistics.end, EndReason::CollectorFailed);
        assert!(statistics.sink_error.is_none());
        emitted.assert_accounted(&statistics);
        if room > 0 {
            assert_holds(&memory.bytes(), &statistics);
        }
        assert_a_new_session_works();
    }
}

/// Fails when it is flushed, or panics when it is dropped.
#[derive(Clone, Copy)]
enum Late {
    FlushFails,
    FlushPanics,
    DropPanics,
}

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::FlushFails => Err(io::ErrorKind::StorageFull.into()),
            Self::FlushPanics => panic!("this flush panics"),
            Self::DropPanics => Ok(()),
        }
    }
}

/// Panics as its sink says.
struct Dropped(Late);

impl Write for Dropped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        assert!(!matches!(self.0, Late::DropPanics), "this drop panics");
    }
}

#[test]
fn a_flush_that_fails_and_a_drop_that_panics_are_told() {
    let _turn = turn();
    for (late, end) in [
        (Late::FlushFails, EndReason::SinkFailed),
        (Late::FlushPanics, EndReason::CollectorFailed),
        (Late::DropPanics, EndReason::CollectorFailed),
    ] {
        let session = exectrace::start(Dropped(late)).expect("no other session");
        let mut emitted = Emitted::default();
        emitted.life(10);
        let statistics = session.stop();
        assert_eq!(statistics.end, end);
        assert!(!statistics.is_complete(), "{statistics}");
        emitted.assert_accounted(&statistics);
        let kind = statistics.sink_error.as_ref().map(io::Error::kind);
        let failed = matches!(late, Late::FlushFails);
        assert_eq!(kind, failed.then_some(io::ErrorKind::StorageFull));
        let text = statistics.to_string();
        assert_eq!(text.contains("it came with the last flush"), failed);
        assert!(!text.contains("bytes not written"), "{text}");
    }
    assert_a_new_session_works();
}

#[test]
fn a_sink_may_use_hooks_and_annotations_itself() {
    let _turn = turn();
    let memory = Memory::default();
    let mut kept = memory.clone();
    let sink = Custom::new(move |bytes| {
        let task = Task::new(entry());
        let run = task.start();
        let user_task = UserTask::new("write");
        let region = Region::new("write");
        exectrace::log("bytes", bytes.len().to_string());
        drop(MarkAssist::start());
        let taken = kept.write(bytes);
        drop(region);
        drop(user_task);
        run.end();
        taken
    });
    let session = exectrace::start(sink).expect("no other session");
    let mut emitted = Emitted::default();
    for _ in 0..3 {
        emitted.heap(15_000);
        thread::sleep(Duration::from_millis(15));
    }
    let statistics = session.stop();
    emitted.assert_written(&statistics);
    assert!(
        statistics.events.of("GCMarkAssistStart") > 0,
        "{statistics:?}"
    );
    save(&memory, statistics).check(opens);
}

#[test]
fn a_sink_may_drop_the_session() {
    let _turn = turn();
    let place: Arc<Mutex<Option<Session>>> = Arc::default();
    let of_sink = place.clone();
    let sink = Custom::new(move |bytes| {
        drop(of_sink.lock().expect("no panic").take());
        Ok(bytes.len())
    });
    let mut guard = place.lock().expect("no panic");
    *guard = Some(exectrace::start(sink).expect("no other session"));
    drop(guard);
    in_time(|| {
        while exectrace::is_enabled() {
            heap_goal(1);
        }
        // Its collector is still at work for a moment.
        loop {
            match exectrace::start(io::sink()) {
                Ok(session) => break session.stop(),
                Err(_) => thread::yield_now(),
            }
        }
    });
}

#[test]
fn a_sink_that_stops_the_session_is_told_that_it_cannot() {
    let _turn = turn();
    let place: Arc<Mutex<Option<Session>>> = Arc::default();
    let (of_sink, (told, message)) = (place.clone(), std::sync::mpsc::channel());
    let sink = Custom::new(move |bytes| {
        let session = of_sink.lock().expect("no panic").take();
        if let Some(session) = session {
            let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.stop()));
            let panic = stopped.expect_err("a stop waits for the sink");
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            told.send(text).expect("the test waits");
        }
        Ok(bytes.len())
    });
    let mut guard = place.lock().expect("no panic");
    *guard = Some(exectrace::start(sink).expect("no other session"));
    drop(guard);
    let text = message
        .recv_timeout(Duration::from_secs(30))
        .expect("the sink is called");
    let text = text.expect("the message is a plain text");
    assert!(text.contains("drop the session"), "{text}");
    assert!(!text.contains("deadlock"), "{text}");
    // The request was heard: the session is over, and the next can start.
    in_time(|| {
        loop {
            match exectrace::start(io::sink()) {
                Ok(session) => break session.stop(),
                Err(_) => thread::yield_now(),
            }
        }
    });
}
