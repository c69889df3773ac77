//! Sessions that start and stop while threads wait.

use exectrace_std::sync::mpsc;
use exectrace_std::sync::{Mutex, MutexGuard};
use exectrace_std::thread;
use exectrace_testkit::V1Dump;

use crate::support::{Recording, Sleeper, own_task, turn};

/// The events about a task, in order: its own, and those that create, introduce or wake it.
fn events_about(dump: &V1Dump, task: u64) -> Vec<(&str, u64)> {
    let task_text = task.to_string();
    let about = dump.lines.iter().filter(|line| {
        let is_its_own = line.task == task && !matches!(&*line.name, "GoUnblock" | "GoCreate");
        let is_about_it = matches!(&*line.name, "GoUnblock" | "GoCreate" | "GoWaiting")
            && line.argument("g") == Some(&task_text);
        is_its_own || is_about_it
    });
    about.map(|line| (&*line.name, line.task)).collect()
}

/// A thread waits for a mutex that is held; `meanwhile` gets its task, frees the mutex, and says what came of it.
fn while_a_thread_waits<R>(meanwhile: impl FnOnce(u64, MutexGuard<'_, ()>) -> R) -> R {
    let (mutex, sleeper) = (Mutex::new(()), Sleeper::new());
    thread::scope(|scope| {
        let guard = mutex.lock().expect("no panic");
        scope.spawn(|| {
            sleeper.falls_asleep();
            drop(mutex.lock());
        });
        let asleep = sleeper.until_asleep();
        meanwhile(asleep, guard)
    })
}

#[test]
fn a_wait_from_before_the_session_ends_by_nobody() {
    let _turn = turn();
    let (asleep, recording) = while_a_thread_waits(|asleep, guard| {
        let recording = Recording::start();
        drop(guard);
        (asleep, recording)
    });
    let (_, accepted) = recording.check();
    if let Some(dump) = &accepted.v1 {
        let events = events_about(dump, asleep);
        let names: Vec<&str> = events.iter().map(|(name, _)| *name).collect();
        // The collector may introduce it before it goes on.
        let introduced = ["GoCreate", "GoWaiting", "GoUnblock", "GoStart", "GoEnd"];
        let by_itself = ["GoCreate", "GoStart", "GoEnd"];
        assert!(names == introduced || names == by_itself, "{names:?}");
    }
}

#[test]
fn a_wait_from_an_earlier_session_is_ended_by_somebody() {
    let _turn = turn();
    let first = Recording::start();
    let (asleep, own, second) = while_a_thread_waits(|asleep, guard| {
        first.check();
        let second = Recording::start();
        drop(guard);
        (asleep, own_task(), second)
    });
    let (_, accepted) = second.check();
    if let Some(dump) = &accepted.v1 {
        let events = events_about(dump, asleep);
        let unblock = events.iter().find(|(name, _)| *name == "GoUnblock");
        assert_eq!(unblock, Some(&("GoUnblock", own)), "{events:?}");
    }
}

#[test]
fn a_wait_goes_on_when_the_session_is_over() {
    let _turn = turn();
    let recording = Recording::start();
    let asleep = while_a_thread_waits(|asleep, guard| {
        let (_, accepted) = recording.check();
        if let Some(dump) = &accepted.v1 {
            let events = events_about(dump, asleep);
            assert_eq!(events.last(), Some(&("GoBlockSync", asleep)));
        }
        drop(guard);
        asleep
    });
    assert_ne!(asleep, 0);
}

#[test]
fn a_session_can_be_started_and_stopped_by_a_traced_thread() {
    let _turn = turn();
    let (to_other, messages) = mpsc::sync_channel(0);
    let other = thread::spawn(move || messages.iter().count());
    let starts = thread::spawn(move || {
        for number in 0..5 {
            let recording = Recording::start();
            to_other.send(number).expect("received above");
            thread::yield_now();
            recording.check();
        }
    });
    starts.join().expect("no panic");
    assert_eq!(other.join().expect("no panic"), 5);
}

#[test]
fn threads_that_nobody_touches_are_in_the_recording() {
    let _turn = turn();
    let sleepers = [const { Sleeper::new() }; 20];
    thread::scope(|scope| {
        let parked = sleepers.each_ref().map(|sleeper| {
            let thread = scope.spawn(|| {
                sleeper.falls_asleep();
                thread::park();
            });
            (sleeper.until_asleep(), thread)
        });
        let recording = Recording::start();
        let (_, accepted) = recording.check();
        if let Some(dump) = &accepted.v1 {
            for (task, _) in &parked {
                let names: Vec<&str> = events_about(dump, *task).iter().map(|it| it.0).collect();
                assert_eq!(names, ["GoCreate", "GoWaiting"]);
            }
        }
        for (_, thread) in &parked {
            thread.thread().unpark();
        }
    });
}

#[test]
fn all_pages_of_both_tools_open() {
    let _turn = turn();
    let recording = Recording::start();
    let (jobs, inbox) = mpsc::sync_channel(2);
    let (results, finished) = mpsc::channel();
    let inbox = Mutex::new(inbox);
    thread::scope(|scope| {
        for _ in 0..3 {
            let (inbox, results) = (&inbox, results.clone());
            scope.spawn(move || {
                loop {
                    let job = inbox.lock().expect("no panic").recv();
                    let Ok(number) = job else {
                        break;
                    };
                    let _region = exectrace::Region::new("job");
                    thread::sleep(std::time::Duration::from_micros(number));
                    results.send(number).expect("received below");
                }
            });
        }
        drop(results);
        let request = exectrace::UserTask::new("request");
        scope.spawn(move || (0..50).try_for_each(|number| jobs.send(number)));
        assert_eq!(finished.iter().sum::<u64>(), 49 * 25);
        exectrace_std::blocking(thread::yield_now);
        drop(request);
    });
    recording.check_pages();
}
