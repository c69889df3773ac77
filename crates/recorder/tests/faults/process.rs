//! Processes that fork, or end with a session running.
//!
//! The scenario runs in a child: the test binary once more, told by its environment to play one.
#![expect(unsafe_code, reason = "fork")]

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use exectrace::hook::{BlockReason, Blocked, Task, heap_goal};
use exectrace::{EndReason, Recorder, Region, UserTask};
use exectrace_format::go_v1::{EventType, Records};
use exectrace_testkit::{Scratch, accepts};

use crate::emitted::{Emitted, entry, events_in};

const PLAY: &str = "EXECTRACE_TEST_SCENARIO";

/// Plays the scenario of the test `name` in a process of its own, which writes a file; returns where it is.
fn play(name: &str) -> (Scratch, PathBuf, ExitStatus) {
    let scratch = Scratch::new("process");
    let path = scratch.path().join("recording.trace");
    let status = Command::new(std::env::current_exe().expect("the test binary"))
        .args(["--exact", &format!("process::{name}"), "--nocapture"])
        .env(PLAY, &path)
        .status()
        .expect("the test binary runs again");
    (scratch, path, status)
}

/// The file to write, if this process is to play a scenario.
fn part() -> Option<File> {
    let path = std::env::var_os(PLAY)?;
    Some(File::create(path).expect("a file"))
}

/// Runs `work` in a child of `fork` that then exits in order; its exit code.
fn in_a_child(work: impl FnOnce()) -> i32 {
    // SAFETY: the scenario's other threads are the recorder's own, which the child does not need.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // A child that hangs must not outlive the test.
        // SAFETY: sets a timer of the child's own.
        unsafe { libc::alarm(20) };
        work();
        std::process::exit(0);
    }
    let mut status = -1;
    // SAFETY: waits for the child that was made above.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child);
    status
}

#[test]
fn a_child_of_fork_records_nothing_and_harms_nothing() {
    let Some(file) = part() else {
        let (_scratch, path, status) = play("a_child_of_fork_records_nothing_and_harms_nothing");
        assert!(status.success(), "{status}");
        accepts(&path);
        return;
    };
    let session = exectrace::start(file).expect("no other session");
    let mut session = Some(session);
    let mut emitted = Emitted::default();
    emitted.life(3);
    let task = Task::new(entry());
    let run = task.start();
    let region = Region::new("across the fork");
    for stops in [true, false] {
        let status = in_a_child(|| {
            assert!(!exectrace::is_enabled());
            Emitted::default().life(100);
            drop(Region::new("of the child"));
            drop(UserTask::new("of the child"));
            drop(Blocked::new(BlockReason::Sync));
            let session = session.take().expect("the child has the handle");
            if stops {
                let statistics = session.stop();
                assert_eq!(statistics.end, EndReason::OtherProcess);
                assert_eq!(statistics.events.total(), 0);
            } else {
                session.request_stop();
                drop(session);
            }
        });
        assert_eq!(status, 0, "the child ends in order");
    }
    drop(region);
    run.end();
    emitted.life(2);
    for kind in ["GoCreate", "GoStart", "GoEnd"] {
        emitted.add(kind, 1);
    }
    let session = session.take().expect("the parent still has the handle");
    let statistics = session.stop();
    emitted.assert_written(&statistics);
    assert_eq!(statistics.events.of("UserRegion"), 2);
}

#[test]
fn a_child_of_fork_has_nothing_to_pull() {
    let Some(_) = part() else {
        let (_scratch, _, status) = play("a_child_of_fork_has_nothing_to_pull");
        assert!(status.success(), "{status}");
        return;
    };
    let mut session = Recorder::new().start_pull().expect("no other session");
    let status = in_a_child(|| {
        assert!(session.read().is_none());
        assert!(session.read_timeout(Duration::from_secs(10)).is_err());
    });
    assert_eq!(status, 0);
    session.request_stop();
    assert!(session.read().is_some());
}

#[test]
fn a_child_may_record_itself_when_its_parent_does_not() {
    let Some(file) = part() else {
        let (_scratch, path, status) = play("a_child_may_record_itself_when_its_parent_does_not");
        assert!(status.success(), "{status}");
        accepts(&path);
        return;
    };
    let session = exectrace::start(std::io::sink()).expect("no other session");
    Emitted::default().life(2);
    assert!(session.stop().is_complete());
    let status = in_a_child(|| {
        let session = exectrace::start(file).expect("no other session");
        let mut emitted = Emitted::default();
        emitted.life(5);
        emitted.assert_written(&session.stop());
    });
    assert_eq!(status, 0);
}

/// The file of a process that ended with its session running: whole records, the tables before their use, a Frequency.
fn check_open_end(path: &Path) {
    let file = std::fs::read(path).expect("the file is there");
    let counts = events_in(&file);
    let full: u64 = counts.values().sum();
    assert!(full > 10_000, "the full batches are there: {counts:?}");
    let (mut strings, mut stacks) = (BTreeSet::from([0]), BTreeSet::from([0]));
    let mut frequencies = 0;
    for record in Records::of_file(&file)
        .expect("a header")
        .map_while(Result::ok)
    {
        let stack = match record.event_type {
            EventType::String => {
                strings.insert(record.args[0]);
                continue;
            }
            EventType::Stack => {
                stacks.insert(record.args[0]);
                for frame in record.frames(exectrace_format::Version::Go1_19) {
                    assert!(strings.contains(&frame.function.0), "{frame:?}");
                    assert!(strings.contains(&frame.file.0), "{frame:?}");
                }
                continue;
            }
            EventType::Frequency => {
                frequencies += 1;
                assert!(record.args[0] > 0);
                continue;
            }
            EventType::GoCreate => record.args[2],
            EventType::GoBlockRecv => record.args[0],
            EventType::GoUnblock => record.args[2],
            EventType::GoUnblockLocal => record.args[1],
            EventType::UserLog => {
                assert!(strings.contains(&record.args[1]));
                record.args[2]
            }
            _ => continue,
        };
        assert!(
            stacks.contains(&stack),
            "stack {stack} at {}",
            record.offset
        );
    }
    assert!(frequencies >= 1);
    assert!(counts["UserLog"] >= 3, "the recording says what it is");
}

/// Fills batches and waits until the collector has written them.
fn work_and_wait() {
    Emitted::default().life(20_000);
    wait_for_bytes(100_000);
}

fn wait_for_bytes(bytes: u64) {
    let path = std::env::var_os(PLAY).expect("a scenario is played");
    let begun = Instant::now();
    while std::fs::metadata(&path).map_or(0, |file| file.len()) < bytes {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_process_that_exits_without_a_stop_leaves_what_was_full() {
    let Some(file) = part() else {
        let (_scratch, path, status) =
            play("a_process_that_exits_without_a_stop_leaves_what_was_full");
        assert!(status.success(), "{status}");
        check_open_end(&path);
        return;
    };
    std::mem::forget(exectrace::start(file).expect("no other session"));
    work_and_wait();
    std::process::exit(0);
}

#[test]
fn a_process_that_is_killed_leaves_what_was_full() {
    let Some(file) = part() else {
        let (_scratch, path, status) = play("a_process_that_is_killed_leaves_what_was_full");
        assert!(!status.success(), "{status}");
        check_open_end(&path);
        return;
    };
    let _session = exectrace::start(file).expect("no other session");
    work_and_wait();
    // SAFETY: ends the process.
    unsafe { libc::raise(libc::SIGKILL) };
}

#[test]
fn a_process_that_ends_early_leaves_a_recording_all_the_same() {
    let Some(file) = part() else {
        let (_scratch, path, status) =
            play("a_process_that_ends_early_leaves_a_recording_all_the_same");
        assert!(status.success(), "{status}");
        let file = std::fs::read(&path).expect("the file is there");
        let counts = events_in(&file);
        assert!(counts["UserLog"] >= 3, "{counts:?}");
        accepts(&path);
        return;
    };
    std::mem::forget(exectrace::start(file).expect("no other session"));
    heap_goal(1);
    wait_for_bytes(100);
    std::process::exit(0);
}
