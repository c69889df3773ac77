//! The life of a session: starts, limits, ends, and the pull form.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use exectrace::hook::{BlockReason, Task, heap_live};
use exectrace::{EndReason, Error, PullSession, Recorder};
use exectrace_testkit::accepts;

use crate::emitted::{Emitted, assert_holds, entry};
use crate::in_time;
use crate::support::{Memory, Recorded, record, save, turn};

#[test]
fn a_second_start_says_that_a_recording_is_running() {
    let _turn = turn();
    let session = exectrace::start(io::sink()).expect("no other session");
    for _ in 0..2 {
        let error = exectrace::start(io::sink()).expect_err("a session is running");
        assert!(matches!(error, Error::AlreadyRunning), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("a recording is running already"), "{text}");
    }
    // The refusals did the session no harm.
    let mut emitted = Emitted::default();
    emitted.life(2);
    emitted.assert_written(&session.stop());
}

#[test]
fn a_session_in_which_nothing_happens_is_a_recording() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || ());
    let statistics = &recorded.statistics;
    assert_eq!(
        (statistics.end, statistics.workers),
        (EndReason::Stopped, 0)
    );
    assert!(statistics.is_complete(), "{statistics}");
    // Go 1.27 makes no profile of a recording without tasks, so its pages are not asked for.
    recorded.check(accepts);
}

#[test]
fn a_limit_of_bytes_ends_the_session() {
    let _turn = turn();
    let memory = Memory::default();
    let recorder = Recorder::new().bytes_max(300_000);
    let session = recorder.start(memory.clone()).expect("no other session");
    let begun = Instant::now();
    let mut lives = 0;
    while !session.has_ended() {
        Emitted::default().life(1_000);
        lives += 1;
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not end");
    }
    let statistics = session.stop();
    assert_eq!(statistics.end, EndReason::BytesMax);
    assert!(statistics.is_complete() && lives > 0, "{statistics}");
    assert!(statistics.bytes_written >= 300_000, "{statistics}");
    assert_holds(&memory.bytes(), &statistics);
    save(&memory, statistics).check(accepts);
}

#[test]
fn a_limit_of_time_ends_the_session() {
    let _turn = turn();
    let memory = Memory::default();
    let recorder = Recorder::new().time_max(Duration::from_millis(200));
    let session = recorder.start(memory.clone()).expect("no other session");
    let mut emitted = Emitted::default();
    emitted.life(10);
    in_time(|| {
        while exectrace::is_enabled() {
            thread::yield_now();
        }
    });
    let statistics = session.stop();
    assert_eq!(statistics.end, EndReason::TimeMax);
    assert!(
        statistics.duration >= Duration::from_millis(200),
        "{statistics}"
    );
    emitted.assert_written(&statistics);
    save(&memory, statistics).check(accepts);
}

#[test]
fn a_session_that_is_dropped_leaves_a_whole_file() {
    let _turn = turn();
    let memory = Memory::default();
    let session = exectrace::start(memory.clone()).expect("no other session");
    let mut emitted = Emitted::default();
    emitted.life(10);
    drop(session);
    let (recorded, _) = record(Recorder::new(), || emitted.clone().life(1));
    let counts = crate::emitted::events_in(&memory.bytes());
    assert_eq!((counts["GoCreate"], counts["GoUnblock"]), (1, 10));
    let dropped = save(&memory, recorded.statistics);
    accepts(&dropped.path);
}

fn pull() -> PullSession {
    Recorder::new().start_pull().expect("no other session")
}

#[test]
fn a_pulled_recording_comes_whole() {
    let _turn = turn();
    let mut session = pull();
    let mut emitted = Emitted::default();
    emitted.life(20_000);
    session.request_stop();
    let mut memory = Memory::default();
    while let Some(chunk) = session.read() {
        io::Write::write_all(&mut memory, &chunk).expect("memory takes all");
    }
    assert!(session.read().is_none());
    let statistics = session.stop();
    emitted.assert_written(&statistics);
    assert_holds(&memory.bytes(), &statistics);
    save(&memory, statistics).check(accepts);
}

#[test]
fn what_is_not_pulled_is_accounted_for() {
    let _turn = turn();
    for chunks in [0, 1, 3] {
        let mut session = pull();
        let mut emitted = Emitted::default();
        let mut bytes = 0;
        for _ in 0..chunks {
            // A chunk comes when there is a full batch.
            emitted.heap(40_000);
            let chunk = session.read_timeout(Duration::from_secs(30));
            bytes += chunk.expect("a chunk").len() as u64;
        }
        emitted.heap(400_000);
        let statistics = in_time(move || session.stop());
        assert_eq!(statistics.end, EndReason::SinkFailed);
        assert!(statistics.bytes_written >= bytes && statistics.bytes_unwritten > 0);
        emitted.assert_accounted(&statistics);
    }
}

#[test]
fn a_pulled_session_can_be_dropped_at_any_time() {
    let _turn = turn();
    for chunks in [0, 2] {
        let mut session = pull();
        for _ in 0..chunks {
            Emitted::default().heap(40_000);
            let chunk = session.read_timeout(Duration::from_secs(30));
            assert!(chunk.is_ok_and(|chunk| !chunk.is_empty()));
        }
        // More chunks than wait unread.
        for _ in 0..10 {
            Emitted::default().heap(20_000);
            thread::sleep(Duration::from_millis(15));
        }
        in_time(move || drop(session));
    }
    let (recorded, ()) = record(Recorder::new(), || Emitted::default().life(1));
    recorded.check(accepts);
}

/// Starts within a run of a task, which the recording thus hears of in the middle.
#[test]
fn a_traced_task_may_start_and_stop_the_session() {
    let _turn = turn();
    let task = Task::new(entry());
    task.start().block(BlockReason::Net);
    let memory = Memory::default();
    // Started and stopped in one run.
    let run = task.start();
    let session = exectrace::start(memory.clone()).expect("no other session");
    heap_live(1);
    let statistics = session.stop();
    run.block(BlockReason::Net);
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("GoStart"), 1);
    save(&memory, statistics).check(accepts);
    // Started in one run, stopped in another.
    let memory = Memory::default();
    let run = task.start();
    let session = exectrace::start(memory.clone()).expect("no other session");
    run.block(BlockReason::Net);
    let run = task.start();
    let statistics = session.stop();
    run.end();
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("GoBlockNet"), 1);
    assert_eq!(statistics.events.of("GoStart"), 2);
    save(&memory, statistics).check(accepts);
}

fn tasks(count: usize) -> Vec<Task> {
    (0..count).map(|_| Task::new(entry())).collect()
}

fn introduced(recorder: Recorder, tasks: &[Task]) -> Recorded {
    let (recorded, ()) = record(recorder, || {
        // The first and the last take part; the collector introduces the others, or them too.
        for task in [&tasks[0], &tasks[tasks.len() - 1]] {
            task.start().block(BlockReason::Net);
        }
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    let counts = |kind| statistics.events.of(kind);
    assert_eq!(counts("GoCreate"), tasks.len() as u64, "{statistics:?}");
    assert!(
        counts("GoWaiting") >= tasks.len() as u64 - 2,
        "{statistics:?}"
    );
    recorded
}

#[test]
fn twenty_thousand_idle_tasks_are_introduced() {
    let _turn = turn();
    let tasks = tasks(20_000);
    introduced(Recorder::new(), &tasks).check(accepts);
    // Half of them are gone by the next session, whose recording knows only of the others.
    let mut tasks = tasks;
    tasks.truncate(10_000);
    introduced(Recorder::new(), &tasks).check(accepts);
}

#[test]
fn idle_tasks_may_need_more_than_the_memory_budget() {
    let _turn = turn();
    introduced(Recorder::new().memory_budget(1 << 20), &tasks(200_000));
}
