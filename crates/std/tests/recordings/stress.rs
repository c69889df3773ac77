//! Threads that do everything at random while sessions start and stop: both of Go's tools take each recording.

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{Recording, turn};
use exectrace_std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use exectrace_std::sync::{Barrier, Condvar, Mutex, OnceLock, RwLock};
use exectrace_std::{blocking, thread};
use exectrace_testkit::Random;

fn moment(random: &mut Random) -> Duration {
    Duration::from_micros(random.below(300))
}

/// What the threads share.
struct Playground {
    over: AtomicBool,
    actions: AtomicU64,
    mutexes: [Mutex<u64>; 3],
    lock: RwLock<u64>,
    changed: Condvar,
    unbounded: Sender<u64>,
    bounded: SyncSender<u64>,
    threads: Mutex<Vec<thread::Thread>>,
}

impl Playground {
    fn new() -> (Self, Receiver<u64>, Receiver<u64>) {
        let (unbounded, numbers) = mpsc::channel();
        let (bounded, few_numbers) = mpsc::sync_channel(2);
        let playground = Self {
            over: AtomicBool::new(false),
            actions: AtomicU64::new(0),
            mutexes: [const { Mutex::new(0) }; 3],
            lock: RwLock::new(0),
            changed: Condvar::new(),
            unbounded,
            bounded,
            threads: Mutex::new(Vec::new()),
        };
        (playground, numbers, few_numbers)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// One of the threads, until it is over.
    fn play(&self, mut random: Random) {
        self.threads
            .lock()
            .expect("no panic")
            .push(thread::current());
        while !self.is_over() {
            self.act(&mut random);
            self.actions.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn act(&self, random: &mut Random) {
        match random.below(15) {
            0 | 1 => {
                let mut value = self.mutexes[random.below(3) as usize]
                    .lock()
                    .expect("no panic");
                *value += 1;
                if random.below(8) == 0 {
                    thread::sleep(moment(random));
                }
            }
            2 | 3 => {
                let _value = self.lock.read().expect("no panic");
                if random.below(4) == 0 {
                    thread::yield_now();
                }
            }
            4 => *self.lock.write().expect("no panic") += 1,
            5 => {
                let value = self.mutexes[0].lock().expect("no panic");
                let (value, _) = self
                    .changed
                    .wait_timeout(value, moment(random))
                    .expect("no panic");
                drop(value);
            }
            6 => self.changed.notify_one(),
            7 => self.changed.notify_all(),
            8 => self
                .bounded
                .send(random.below(9))
                .expect("received until it is over"),
            9 => self
                .unbounded
                .send(random.below(9))
                .expect("received until it is over"),
            10 => thread::park_timeout(moment(random)),
            11 => {
                let threads = self.threads.lock().expect("no panic");
                threads[random.below(threads.len() as u64) as usize].unpark();
            }
            12 => blocking(|| {
                let _value = self.mutexes[1].lock().expect("no panic");
            }),
            13 => meet(random),
            _ => {
                let panics = random.below(2) == 0;
                let child = thread::spawn(move || {
                    if panics {
                        panic::resume_unwind(Box::new(()));
                    }
                });
                assert_eq!(child.join().is_err(), panics);
            }
        }
    }

    /// Takes what is sent, at its leisure, until it is over.
    fn take(&self, numbers: &Receiver<u64>, mut random: Random) {
        while !self.is_over() {
            if numbers.recv_timeout(moment(&mut random)).is_ok() && random.below(16) == 0 {
                thread::sleep(moment(&mut random));
            }
        }
        // Whoever still waits for room has it.
        while numbers.recv_timeout(Duration::from_millis(100)).is_ok() {}
    }
}

/// A few threads meet at a barrier and make a cell together.
fn meet(random: &mut Random) {
    let parties = 2 + random.below(2) as usize;
    let (barrier, cell) = (Barrier::new(parties), OnceLock::new());
    let panics = random.below(4) == 0;
    thread::scope(|scope| {
        for _ in 0..parties {
            scope.spawn(|| {
                barrier.wait();
                let made = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                    *cell.get_or_init(|| {
                        thread::yield_now();
                        if panics {
                            panic::resume_unwind(Box::new(()));
                        }
                        parties
                    })
                }));
                assert_eq!(made.ok(), (!panics).then_some(parties));
            });
        }
    });
}

#[test]
fn everything_at_once_is_accepted_however_sessions_start_and_stop() {
    const SESSIONS: usize = 8;
    const ACTIONS: u64 = 1_500;
    let _turn = turn();
    let mut random = Random::from_environment();
    let (playground, numbers, few_numbers) = Playground::new();
    thread::scope(|scope| {
        let playground = &playground;
        // However this ends, the threads do, too.
        let over = Over(&playground.over);
        for _ in 0..6 {
            let own = random.split();
            scope.spawn(move || playground.play(own));
        }
        for inbox in [numbers, few_numbers] {
            let own = random.split();
            scope.spawn(move || playground.take(&inbox, own));
        }
        for _ in 0..SESSIONS {
            let recording = Recording::start();
            let begin = playground.actions.load(Ordering::Relaxed);
            while playground.actions.load(Ordering::Relaxed) < begin + ACTIONS {
                thread::sleep(Duration::from_millis(1));
            }
            let (statistics, _) = recording.check();
            let count = |name| statistics.events.of(name);
            for kind in ["GoCreate", "GoStart", "GoEnd", "GoUnblock", "GoSysExit"] {
                assert!(count(kind) > 0, "{kind}");
            }
            assert!(count("GoBlockSync") > 0);
            assert!(count("GoBlockCond") > 0);
        }
        drop(over);
    });
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
