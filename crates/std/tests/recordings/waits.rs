//! Each operation that waits: the event that says why, and who ended the wait.

use crate::support::{Sleeper, assert_waits, own_task, record, turn};
use exectrace_std::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock};
use exectrace_std::thread;
use exectrace_std::time::Duration;

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(1);

/// A thread does `wait`; once it sleeps, another one does `release`. Returns the tasks of both.
fn let_go(wait: impl FnOnce() + Send, release: impl FnOnce() + Send) -> (u64, u64) {
    let sleeper = Sleeper::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            sleeper.falls_asleep();
            wait();
        });
        let waker = scope.spawn(|| {
            let asleep = sleeper.until_asleep();
            release();
            (asleep, own_task())
        });
        waker.join().expect("no panic")
    })
}

#[test]
fn a_mutex_is_handed_over_by_who_unlocks_it() {
    let _turn = turn();
    let (accepted, (asleep, waker)) = record(|| {
        let mutex = Mutex::new(0);
        let sleeper = Sleeper::new();
        thread::scope(|scope| {
            let waker = scope.spawn(|| {
                let guard = mutex.lock().expect("no panic");
                let waiter = scope.spawn(|| {
                    sleeper.falls_asleep();
                    *mutex.lock().expect("no panic") += 1;
                });
                let asleep = sleeper.until_asleep();
                drop(guard);
                let own = own_task();
                waiter.join().expect("no panic");
                (asleep, own)
            });
            waker.join().expect("no panic")
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockSync", waker)]);
}

#[test]
fn the_first_to_wait_for_a_mutex_is_woken() {
    let _turn = turn();
    let (accepted, (asleep, holder)) = record(|| {
        let mutex = Mutex::new(());
        let sleepers = [const { Sleeper::new() }; 3];
        thread::scope(|scope| {
            let guard = mutex.lock().expect("no panic");
            let asleep = sleepers.each_ref().map(|sleeper| {
                let mutex = &mutex;
                scope.spawn(move || {
                    sleeper.falls_asleep();
                    drop(mutex.lock());
                });
                sleeper.until_asleep()
            });
            drop(guard);
            (asleep, own_task())
        })
    });
    assert_waits(&accepted, asleep[0], &[("GoBlockSync", holder)]);
    assert_waits(&accepted, asleep[1], &[("GoBlockSync", asleep[0])]);
    assert_waits(&accepted, asleep[2], &[("GoBlockSync", asleep[1])]);
}

#[test]
fn a_writer_is_let_in_by_the_last_reader() {
    let _turn = turn();
    let (accepted, (asleep, last)) = record(|| {
        let lock = RwLock::new(0);
        let sleeper = Sleeper::new();
        let (go, may_go) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            let first = lock.read().expect("no panic");
            let (has_it, second_has_it) = std::sync::mpsc::channel();
            let lock = &lock;
            let last = scope.spawn(move || {
                let guard = lock.read().expect("no panic");
                has_it.send(()).expect("received below");
                may_go.recv().expect("sent below");
                drop(guard);
                own_task()
            });
            second_has_it.recv().expect("sent above");
            scope.spawn(|| {
                sleeper.falls_asleep();
                *lock.write().expect("no panic") += 1;
            });
            let asleep = sleeper.until_asleep();
            drop(first);
            go.send(()).expect("received above");
            (asleep, last.join().expect("no panic"))
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockSync", last)]);
}

#[test]
fn readers_are_let_in_together_by_the_writer() {
    let _turn = turn();
    let (accepted, (asleep, writer)) = record(|| {
        let lock = RwLock::new(());
        let sleepers = [const { Sleeper::new() }; 3];
        thread::scope(|scope| {
            let guard = lock.write().expect("no panic");
            let asleep = sleepers.each_ref().map(|sleeper| {
                let lock = &lock;
                scope.spawn(move || {
                    sleeper.falls_asleep();
                    drop(lock.read());
                });
                sleeper.until_asleep()
            });
            drop(guard);
            (asleep, own_task())
        })
    });
    for asleep in asleep {
        assert_waits(&accepted, asleep, &[("GoBlockSync", writer)]);
    }
}

#[test]
fn a_condition_is_ended_by_who_notifies() {
    let _turn = turn();
    let (accepted, tasks) = record(|| {
        let (ready, changed) = (Mutex::new(0), Condvar::new());
        let sleepers = [const { Sleeper::new() }; 3];
        thread::scope(|scope| {
            let asleep = sleepers.each_ref().map(|sleeper| {
                let (ready, changed) = (&ready, &changed);
                scope.spawn(move || {
                    let mut guard = ready.lock().expect("no panic");
                    sleeper.falls_asleep();
                    guard = changed.wait(guard).expect("no panic");
                    *guard += 1;
                });
                sleeper.until_asleep()
            });
            let one = scope.spawn(|| {
                changed.notify_one();
                own_task()
            });
            let one = one.join().expect("no panic");
            while *ready.lock().expect("no panic") < 1 {}
            changed.notify_all();
            (asleep, one, own_task())
        })
    });
    let (asleep, one, all) = tasks;
    assert_waits(&accepted, asleep[0], &[("GoBlockCond", one)]);
    assert_waits(&accepted, asleep[1], &[("GoBlockCond", all)]);
    assert_waits(&accepted, asleep[2], &[("GoBlockCond", all)]);
}

#[test]
fn a_time_out_is_by_nobody() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let work = || {
            let (mutex, changed) = (Mutex::new(()), Condvar::new());
            let guard = mutex.lock().expect("no panic");
            // A wait may end early, but not the one with a condition.
            let (_guard, result) = changed
                .wait_timeout_while(guard, SHORT, |()| true)
                .expect("no panic");
            assert!(result.timed_out());
            own_task()
        };
        thread::spawn(work).join().expect("no panic")
    });
    let Some(dump) = &accepted.v1 else {
        return;
    };
    let waits = crate::support::waits_of(dump, task);
    assert!(!waits.is_empty());
    assert!(
        waits
            .iter()
            .all(|wait| *wait == ("GoBlockCond".to_owned(), 0)),
        "{waits:?}"
    );
}

#[test]
fn a_condition_lets_the_mutex_go() {
    let _turn = turn();
    let (accepted, (asleep, waiter)) = record(|| {
        let (mutex, changed) = (Mutex::new(false), Condvar::new());
        let sleeper = Sleeper::new();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let guard = mutex.lock().expect("no panic");
                scope.spawn(|| {
                    sleeper.falls_asleep();
                    *mutex.lock().expect("no panic") = true;
                    changed.notify_all();
                });
                let asleep = sleeper.until_asleep();
                drop(changed.wait_while(guard, |ready| !*ready));
                (asleep, own_task())
            });
            waiter.join().expect("no panic")
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockSync", waiter)]);
    assert_waits(&accepted, waiter, &[("GoBlockCond", asleep)]);
}

#[test]
fn a_barrier_is_opened_by_the_last_to_arrive() {
    let _turn = turn();
    let barrier = Barrier::new(3);
    let (accepted, (asleep, last)) = record(|| {
        let sleepers = [const { Sleeper::new() }; 2];
        thread::scope(|scope| {
            let asleep = sleepers.each_ref().map(|sleeper| {
                let barrier = &barrier;
                scope.spawn(move || {
                    sleeper.falls_asleep();
                    barrier.wait();
                });
                sleeper.until_asleep()
            });
            let last = scope.spawn(|| {
                assert!(barrier.wait().is_leader());
                own_task()
            });
            (asleep, last.join().expect("no panic"))
        })
    });
    for asleep in asleep {
        assert_waits(&accepted, asleep, &[("GoBlockSync", last)]);
    }
    assert_waits(&accepted, last, &[]);
}

#[test]
fn a_cell_is_waited_for_until_it_is_made() {
    let _turn = turn();
    let (accepted, (asleep, maker)) = record(|| {
        let cell = OnceLock::new();
        let sleepers = [const { Sleeper::new() }; 3];
        thread::scope(|scope| {
            let maker = scope.spawn(|| {
                let mut asleep = [0; 3];
                let made = cell.get_or_init(|| {
                    scope.spawn(|| {
                        sleepers[0].falls_asleep();
                        assert_eq!(*cell.get_or_init(|| 2), 1);
                    });
                    scope.spawn(|| {
                        sleepers[1].falls_asleep();
                        assert_eq!(*cell.wait(), 1);
                    });
                    scope.spawn(|| {
                        sleepers[2].falls_asleep();
                        assert_eq!(cell.set(3), Err(3));
                    });
                    asleep = sleepers.each_ref().map(Sleeper::until_asleep);
                    1
                });
                assert_eq!(*made, 1);
                (asleep, own_task())
            });
            maker.join().expect("no panic")
        })
    });
    for asleep in asleep {
        assert_waits(&accepted, asleep, &[("GoBlockSync", maker)]);
    }
}

#[test]
fn a_cell_whose_maker_panics_is_made_by_the_next() {
    let _turn = turn();
    let (accepted, (asleep, maker)) = record(|| {
        let cell = OnceLock::new();
        let sleeper = Sleeper::new();
        thread::scope(|scope| {
            let maker = scope.spawn(|| {
                let mut asleep = 0;
                let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    cell.get_or_init(|| {
                        scope.spawn(|| {
                            sleeper.falls_asleep();
                            assert_eq!(*cell.get_or_init(|| 2), 2);
                        });
                        asleep = sleeper.until_asleep();
                        std::panic::resume_unwind(Box::new(()))
                    });
                }));
                assert!(made.is_err());
                (asleep, own_task())
            });
            maker.join().expect("no panic")
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockSync", maker)]);
}

#[test]
fn a_sleep_is_ended_by_the_clock() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let sleeps = || {
            thread::sleep(SHORT);
            thread::sleep(Duration::ZERO);
            own_task()
        };
        thread::spawn(sleeps).join().expect("no panic")
    });
    assert_waits(&accepted, task, &[("GoSleep", 0)]);
}

#[test]
fn a_parked_thread_is_unparked_by_somebody() {
    let _turn = turn();
    for park in [thread::park, || thread::park_timeout(LONG)] {
        let parked = std::sync::OnceLock::new();
        let (accepted, (asleep, waker)) = record(|| {
            let_go(
                || {
                    parked.set(thread::current()).expect("set once");
                    park();
                },
                || parked.get().expect("set above").unpark(),
            )
        });
        assert_waits(&accepted, asleep, &[("GoBlock", waker)]);
    }
}

#[test]
fn a_park_for_a_time_is_ended_by_nobody() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let parks = || {
            thread::park_timeout(SHORT);
            own_task()
        };
        thread::spawn(parks).join().expect("no panic")
    });
    assert_waits(&accepted, task, &[("GoBlock", 0)]);
}

#[test]
fn a_join_is_ended_by_the_thread_that_ends() {
    let _turn = turn();
    let sleeper = std::sync::Arc::new(Sleeper::new());
    let (accepted, (joiner, ended)) = record(|| {
        let joiner = thread::spawn(move || {
            let ends = thread::spawn({
                let sleeper = std::sync::Arc::clone(&sleeper);
                move || {
                    sleeper.until_asleep();
                    own_task()
                }
            });
            sleeper.falls_asleep();
            let ended = ends.join().expect("no panic");
            (own_task(), ended)
        });
        joiner.join().expect("no panic")
    });
    assert_waits(&accepted, joiner, &[("GoBlockSync", ended)]);
}

#[test]
fn a_scope_is_ended_by_its_last_thread() {
    let _turn = turn();
    let (accepted, (owner, last)) = record(|| {
        let owner = thread::spawn(|| {
            let (sleeper, mut last) = (Sleeper::new(), 0);
            thread::scope(|scope| {
                let first = scope.spawn(|| ());
                while !first.is_finished() {
                    std::thread::yield_now();
                }
                scope.spawn(|| {
                    sleeper.until_asleep();
                    last = own_task();
                });
                sleeper.falls_asleep();
            });
            (own_task(), last)
        });
        owner.join().expect("no panic")
    });
    assert_waits(&accepted, owner, &[("GoBlockSync", last)]);
}

#[test]
fn a_thread_that_nobody_spawned_here_is_somebody() {
    let _turn = turn();
    let (accepted, (asleep, waker)) = record(|| {
        let mutex = Mutex::new(());
        let sleeper = Sleeper::new();
        std::thread::scope(|scope| {
            let waker = scope.spawn(|| {
                let guard = mutex.lock().expect("no panic");
                assert_eq!(own_task(), 0);
                let waiter = scope.spawn(|| {
                    sleeper.falls_asleep();
                    drop(mutex.lock());
                    own_task()
                });
                sleeper.until_asleep();
                drop(guard);
                (waiter.join().expect("no panic"), own_task())
            });
            waker.join().expect("no panic")
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockSync", waker)]);
}
