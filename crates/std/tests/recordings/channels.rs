//! Waits at channels, and who ends them.

use crate::support::{Sleeper, assert_waits, own_task, record, turn, waits_of};
use exectrace_std::sync::mpsc::{self, RecvTimeoutError};
use exectrace_std::thread;
use exectrace_std::time::{Duration, Instant};

#[test]
fn a_message_ends_the_receivers_wait() {
    let _turn = turn();
    let (accepted, (asleep, sender)) = record(|| {
        let (numbers, inbox) = mpsc::channel();
        let sleeper = Sleeper::new();
        thread::scope(|scope| {
            let other = numbers.clone();
            scope.spawn(|| {
                sleeper.falls_asleep();
                assert_eq!(inbox.into_iter().next(), Some(7));
            });
            let asleep = sleeper.until_asleep();
            let sender = scope.spawn(move || {
                // One sender less is not the last.
                drop(other);
                own_task()
            });
            let gone = sender.join().expect("no panic");
            let sender = scope.spawn(move || {
                numbers.send(7).expect("received above");
                own_task()
            });
            let sender = sender.join().expect("no panic");
            assert_ne!(gone, sender);
            (asleep, sender)
        })
    });
    assert_waits(&accepted, asleep, &[("GoBlockRecv", sender)]);
}

#[test]
fn the_last_sender_to_go_ends_the_receivers_wait() {
    let _turn = turn();
    for bound in [None, Some(0), Some(3)] {
        let (accepted, (asleep, last)) = record(|| match bound {
            None => {
                let (sender, receiver) = mpsc::channel::<()>();
                goes_last(sender, move || assert!(receiver.recv().is_err()))
            }
            Some(bound) => {
                let (sender, receiver) = mpsc::sync_channel::<()>(bound);
                goes_last(sender, move || assert_eq!(receiver.iter().count(), 0))
            }
        });
        assert_waits(&accepted, asleep, &[("GoBlockRecv", last)]);
    }
}

/// A thread waits; once it sleeps, one handle goes in one thread and the last one in another. The waiting and the last task.
fn goes_last<S: Clone + Send>(sender: S, wait: impl FnOnce() + Send) -> (u64, u64) {
    let sleeper = Sleeper::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            sleeper.falls_asleep();
            wait();
        });
        let asleep = sleeper.until_asleep();
        let other = sender.clone();
        scope.spawn(|| drop(other)).join().expect("no panic");
        let last = scope.spawn(|| {
            drop(sender);
            own_task()
        });
        (asleep, last.join().expect("no panic"))
    })
}

#[test]
fn room_ends_the_senders_waits_in_order() {
    let _turn = turn();
    let (accepted, (asleep, receiver)) = record(|| {
        let (sender, inbox) = mpsc::sync_channel(1);
        sender.send(0).expect("room for one");
        let sleepers = [const { Sleeper::new() }; 2];
        thread::scope(|scope| {
            let mut number = 0;
            let asleep = sleepers.each_ref().map(|sleeper| {
                number += 1;
                let sender = sender.clone();
                scope.spawn(move || {
                    sleeper.falls_asleep();
                    sender.send(number).expect("received below");
                });
                sleeper.until_asleep()
            });
            let receiver = scope.spawn(move || {
                let numbers: Vec<i32> = (0..3).filter_map(|_| inbox.recv().ok()).collect();
                assert_eq!(numbers, [0, 1, 2]);
                own_task()
            });
            (asleep, receiver.join().expect("no panic"))
        })
    });
    assert_waits(&accepted, asleep[0], &[("GoBlockSend", receiver)]);
    assert_waits(&accepted, asleep[1], &[("GoBlockSend", receiver)]);
}

#[test]
fn the_receivers_end_ends_all_senders_waits() {
    let _turn = turn();
    let (accepted, (asleep, receiver)) = record(|| {
        let (sender, inbox) = mpsc::sync_channel(0);
        let sleepers = [const { Sleeper::new() }; 2];
        thread::scope(|scope| {
            let asleep = sleepers.each_ref().map(|sleeper| {
                let sender = sender.clone();
                scope.spawn(move || {
                    sleeper.falls_asleep();
                    assert!(sender.send(()).is_err());
                });
                sleeper.until_asleep()
            });
            drop(inbox);
            (asleep, own_task())
        })
    });
    for asleep in asleep {
        assert_waits(&accepted, asleep, &[("GoBlockSend", receiver)]);
    }
}

#[test]
fn a_rendezvous_is_ended_by_whoever_comes_second() {
    let _turn = turn();
    let (accepted, tasks) = record(|| {
        let (sender, inbox) = mpsc::sync_channel(0);
        let first = Sleeper::new();
        let second = Sleeper::new();
        thread::scope(|scope| {
            let sends = scope.spawn(|| {
                first.falls_asleep();
                sender.send(1).expect("received below");
                second.until_asleep();
                sender.send(2).expect("received below");
                own_task()
            });
            let receives = scope.spawn(|| {
                first.until_asleep();
                assert_eq!(inbox.recv(), Ok(1));
                second.falls_asleep();
                assert_eq!(inbox.recv(), Ok(2));
                drop(inbox);
                own_task()
            });
            (
                sends.join().expect("no panic"),
                receives.join().expect("no panic"),
            )
        })
    });
    let (sends, receives) = tasks;
    assert_waits(&accepted, sends, &[("GoBlockSend", receives)]);
    assert_waits(&accepted, receives, &[("GoBlockRecv", sends)]);
}

#[test]
fn a_wait_for_a_message_may_time_out() {
    let _turn = turn();
    let (accepted, task) = record(|| {
        let (sender, inbox) = mpsc::channel::<()>();
        let waits = move || {
            let patience = Duration::from_millis(1);
            assert_eq!(inbox.recv_timeout(patience), Err(RecvTimeoutError::Timeout));
            assert!(inbox.try_recv().is_err());
            assert_eq!(inbox.try_iter().count(), 0);
            own_task()
        };
        let task = thread::spawn(waits).join().expect("no panic");
        assert!(sender.send(()).is_err());
        task
    });
    assert_waits(&accepted, task, &[("GoBlockRecv", 0)]);
}

#[test]
fn in_a_full_channel_nearly_every_wait_is_ended_by_somebody() {
    let _turn = turn();
    const MESSAGES: usize = 2000;
    // Much longer than it takes to write that a wait begins: who then waits really does.
    const WORK: Duration = Duration::from_micros(50);
    let (accepted, tasks) = record(|| {
        let (sender, inbox) = mpsc::sync_channel(1);
        let sends = thread::spawn(move || {
            for number in 0..MESSAGES {
                sender.send(number).expect("received below");
            }
            own_task()
        });
        let receives = thread::spawn(move || {
            for (wanted, number) in inbox.iter().enumerate() {
                assert_eq!(wanted, number);
                work(WORK);
            }
            own_task()
        });
        [sends, receives].map(|thread| thread.join().expect("no panic"))
    });
    let Some(dump) = &accepted.v1 else {
        return;
    };
    let waits: Vec<(String, u64)> = tasks
        .iter()
        .flat_map(|task| waits_of(dump, *task))
        .filter(|(kind, _)| kind == "GoBlockSend" || kind == "GoBlockRecv")
        .collect();
    let by_nobody = waits.iter().filter(|(_, by)| *by == 0).count();
    assert!(waits.len() > MESSAGES / 2, "{}", waits.len());
    // Whose wait is over before it began was let go by nobody.
    assert!(
        by_nobody * 10 <= waits.len(),
        "{by_nobody} of {}",
        waits.len()
    );
}

/// Keeps a processor busy.
fn work(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}
