//! Threads as tasks: who made them, where they begin, how they end.

use std::panic;

use crate::support::{Recording, own_task, record, turn};
use exectrace_std::sync::{Mutex, RwLock, mpsc};
use exectrace_std::{Blocking, blocking, thread};
use exectrace_testkit::{V1Dump, V2Dump};

/// The events that a task makes itself, in order.
fn events_of(dump: &V1Dump, task: u64) -> Vec<&str> {
    let of_task = dump.lines.iter().filter(|line| line.task == task);
    of_task.map(|line| line.name.as_str()).collect()
}

/// Who created the task.
fn creator_of(dump: &V1Dump, task: u64) -> u64 {
    let created = dump
        .named("GoCreate")
        .find(|line| line.argument("g") == Some(&task.to_string()));
    created.expect("the task is created").task
}

/// The functions on the stack of the task's transition that is described so.
fn stack_of<'d>(dump: &'d V2Dump, task: u64, what: &str) -> Vec<&'d str> {
    let of_task = format!("GoID={task} ");
    let line = dump
        .of_kind("StateTransition")
        .find(|line| line.detail.starts_with(&of_task) && line.detail.contains(what))
        .unwrap_or_else(|| panic!("{what} of task {task}"));
    let stack = if what.contains("NotExist->") && !line.stack.is_empty() {
        &line.stack
    } else {
        &line.transition_stack
    };
    stack.iter().map(|frame| &*frame.function).collect()
}

#[inline(never)]
fn spawns() -> u64 {
    let thread = thread::spawn(own_task);
    thread.join().expect("no panic")
}

#[test]
fn a_thread_is_created_where_it_is_spawned() {
    let _turn = turn();
    let (accepted, (child, parent)) = record(|| {
        let parent = thread::spawn(|| (spawns(), own_task()));
        parent.join().expect("no panic")
    });
    if let Some(dump) = &accepted.v1 {
        assert_eq!(creator_of(dump, child), parent);
        assert_eq!(events_of(dump, child).last(), Some(&"GoEnd"));
        // The test's own thread is somebody, too.
        assert_ne!(creator_of(dump, parent), 0);
    }
    if let Some(dump) = &accepted.v2 {
        let stack = stack_of(dump, child, "NotExist->Runnable");
        let spawner = stack.iter().any(|name| name.ends_with("threads::spawns"));
        assert!(spawner, "{stack:?}");
    }
}

#[inline(never)]
fn waits_for(mutex: &Mutex<()>, sleeper: &crate::support::Sleeper) {
    sleeper.falls_asleep();
    drop(mutex.lock());
}

#[inline(never)]
fn lets_go(guard: exectrace_std::sync::MutexGuard<'_, ()>) {
    drop(guard);
}

#[test]
fn stacks_show_where_a_thread_waited_and_where_it_was_let_go() {
    let _turn = turn();
    let (accepted, asleep) = record(|| {
        let (mutex, sleeper) = (Mutex::new(()), crate::support::Sleeper::new());
        thread::scope(|scope| {
            let guard = mutex.lock().expect("no panic");
            scope.spawn(|| waits_for(&mutex, &sleeper));
            let asleep = sleeper.until_asleep();
            lets_go(guard);
            asleep
        })
    });
    let Some(dump) = &accepted.v2 else {
        return;
    };
    let stack = stack_of(dump, asleep, "Running->Waiting");
    let lock = stack[0].starts_with("exectrace_std::sync::mutex") && stack[0].contains("lock");
    assert!(lock, "{stack:?}");
    let own = stack
        .iter()
        .any(|name| name.ends_with("threads::waits_for"));
    assert!(own, "{stack:?}");
    let waker = dump
        .of_kind("StateTransition")
        .find(|line| {
            line.detail.starts_with(&format!("GoID={asleep} "))
                && line.detail.contains("Waiting->Runnable")
        })
        .expect("the task is woken");
    let waker: Vec<&str> = waker.stack.iter().map(|frame| &*frame.function).collect();
    let own = waker.iter().any(|name| name.ends_with("threads::lets_go"));
    assert!(own, "{waker:?}");
}

#[test]
fn a_panic_ends_the_thread_and_reaches_who_joins_it() {
    let _turn = turn();
    let (accepted, tasks) = record(|| {
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn({
            let tell = tell.clone();
            move || -> u64 {
                tell.send(own_task()).expect("received below");
                panic::resume_unwind(Box::new("a panic"))
            }
        });
        let panicked = thread.join().expect_err("the thread panics");
        assert_eq!(panicked.downcast_ref(), Some(&"a panic"));
        let scoped = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| {
                    tell.send(own_task()).expect("received below");
                    panic::resume_unwind(Box::new("another"))
                });
            });
        }));
        assert!(scoped.is_err(), "nobody joined the thread that panics");
        let owner = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            thread::scope(|scope| {
                scope.spawn(|| tell.send(own_task()).expect("received below"));
                panic::resume_unwind(Box::new("the owner"))
            })
        }));
        let owner = owner.expect_err("the owner panics");
        assert_eq!(owner.downcast_ref(), Some(&"the owner"));
        drop(tell);
        told.into_iter().collect::<Vec<u64>>()
    });
    assert_eq!(tasks.len(), 3);
    if let Some(dump) = &accepted.v1 {
        for task in tasks {
            assert_eq!(events_of(dump, task).last(), Some(&"GoEnd"));
        }
    }
}

#[test]
fn a_panic_poisons_and_wakes_as_before() {
    let _turn = turn();
    let (accepted, (asleep, panicked)) = record(|| {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let sleeper = crate::support::Sleeper::new();
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _guards = (
                    mutex.lock().expect("no panic"),
                    lock.write().expect("no panic"),
                );
                tell.send(own_task()).expect("received below");
                sleeper.until_asleep();
                panic::resume_unwind(Box::new(()))
            });
            let panicked = told.recv().expect("sent above");
            let waits = scope.spawn(|| {
                sleeper.falls_asleep();
                let poisoned = mutex.lock().expect_err("the holder panicked");
                (own_task(), **poisoned.get_ref())
            });
            let (asleep, value) = waits.join().expect("no panic");
            assert_eq!(value, 1);
            assert!(panics.join().is_err());
            assert!(mutex.is_poisoned() && lock.is_poisoned());
            (asleep, panicked)
        })
    });
    crate::support::assert_waits(&accepted, asleep, &[("GoBlockSync", panicked)]);
}

#[test]
fn a_thread_that_cannot_be_had_ends_unseen() {
    let _turn = turn();
    let (accepted, own) = record(|| {
        let huge = || thread::Builder::new().stack_size(usize::MAX / 4);
        assert!(huge().spawn(|| ()).is_err());
        thread::scope(|scope| {
            assert!(huge().spawn_scoped(scope, || ()).is_err());
            assert!(scope.spawn(|| true).join().expect("no panic"));
        });
        own_task()
    });
    if let Some(dump) = &accepted.v1 {
        let created = dump.named("GoCreate").filter(|line| line.task == own);
        let created: Vec<u64> = created
            .filter_map(|line| line.argument("g")?.parse().ok())
            .collect();
        assert_eq!(created.len(), 3);
        for task in created {
            let events = events_of(dump, task);
            let own = events.iter().filter(|name| **name != "GoUnblock");
            assert!(own.eq(&["GoStart", "GoEnd"]), "{events:?}");
        }
    }
}

#[test]
fn a_yield_is_shown_as_one() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let yields = || {
            thread::yield_now();
            own_task()
        };
        thread::spawn(yields).join().expect("no panic")
    });
    if let Some(dump) = &accepted.v1 {
        let expected = ["GoStart", "GoSched", "GoStart", "GoEnd"];
        let events = events_of(dump, task);
        let events: Vec<&str> = events
            .into_iter()
            .filter(|name| *name != "GoUnblock")
            .collect();
        assert_eq!(events, expected);
    }
}

#[test]
fn whatever_happens_in_a_call_of_the_system_is_part_of_it() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let (mutex, sleeper) = (Mutex::new(()), crate::support::Sleeper::new());
        thread::scope(|scope| {
            let calls = scope.spawn(|| {
                blocking(|| {
                    let guard = mutex.lock().expect("no panic");
                    scope.spawn(|| {
                        sleeper.falls_asleep();
                        drop(mutex.lock());
                    });
                    sleeper.until_asleep();
                    drop(guard);
                    thread::sleep(std::time::Duration::from_millis(1));
                    thread::yield_now();
                    let _inner = Blocking::enter();
                    let (sender, receiver) = mpsc::sync_channel(1);
                    thread::spawn(move || sender.send(1))
                        .join()
                        .expect("no panic")?;
                    receiver.recv().map_err(|_| mpsc::SendError(0))
                })
                .expect("no error");
                own_task()
            });
            calls.join().expect("no panic")
        })
    });
    if let Some(dump) = &accepted.v1 {
        let events = events_of(dump, task);
        let count = |name: &str| events.iter().filter(|event| **event == name).count();
        assert_eq!(count("GoSysCall"), 1, "{events:?}");
        assert_eq!(
            count("GoSleep") + count("GoSched") + count("GoBlockSync"),
            0
        );
    }
}

#[test]
fn user_tasks_go_on_in_the_threads_that_are_spawned() {
    let _turn = turn();
    let recording = Recording::start();
    let request = exectrace::UserTask::new("request");
    thread::spawn(|| exectrace::log("inside", "yes"))
        .join()
        .expect("no panic");
    let id = request.id().to_string();
    drop(request);
    let (_, accepted) = recording.check();
    if let Some(dump) = &accepted.v1 {
        let log = dump
            .named("UserLog")
            .find(|line| line.argument("category") == Some("inside"));
        let log = log.expect("the log is there");
        assert_eq!(log.argument("id"), Some(&*id));
    }
}

mod workers {
    //! Threads that are grouped by what they run.

    use exectrace_std::thread;

    use crate::support::own_task;

    pub(super) fn run() -> [u64; 4] {
        let threads = [
            thread::spawn(own_task),
            thread::spawn(|| (own_task(), 1).0),
            thread::spawn(|| (own_task(), 2).0),
        ];
        let [named, first, second] = threads.map(|thread| thread.join().expect("no panic"));
        let scoped = thread::scope(|scope| {
            let name = String::from("borrowed");
            let scoped = scope.spawn(move || (name.len(), own_task()).1);
            scoped.join().expect("no panic")
        });
        [named, first, second, scoped]
    }
}

#[test]
fn threads_are_grouped_by_their_closures() {
    let _turn = turn();
    let (accepted, tasks) = record(workers::run);
    let Some(dump) = &accepted.v2 else {
        return;
    };
    let starts = tasks.map(|task| {
        let of_task = format!("GoID={task} NotExist->Runnable");
        let line = dump
            .of_kind("StateTransition")
            .find(|line| line.detail.starts_with(&of_task))
            .expect("the task is created");
        assert_eq!(line.transition_stack.len(), 1, "{line:?}");
        &*line.transition_stack[0].function
    });
    let closure = "recordings::threads::workers::run::{{closure}}";
    assert_eq!(starts, ["fn() -> u64", closure, closure, closure]);
}
