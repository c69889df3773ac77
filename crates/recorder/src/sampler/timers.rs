//! The timers of all threads.

use std::collections::{HashMap, HashSet, VecDeque};

use super::slot::{Slot, Slots};
use super::timer::ThreadTimer;
use crate::clock;

/// Timers that are asked at each look whether their thread lives, in turn: 0.2 µs each.
const ASKED: usize = 8;

/// The timers, by the kernel's number of their thread.
#[derive(Debug)]
pub(super) struct Timers {
    period_ns: u64,
    armed: HashMap<i32, Armed>,
    /// The threads with a timer, the next one to be asked first; some may be gone.
    turns: VecDeque<i32>,
    left_out: Option<i32>,
    /// Threads that are there and have no timer because the kernel refused one.
    without: HashSet<i32>,
    made: u64,
    refused: u64,
    random: u64,
}

#[derive(Debug)]
struct Armed {
    timer: ThreadTimer,
    slot: &'static Slot,
}

impl Timers {
    pub(super) fn new(period_ns: u64) -> Self {
        Self {
            period_ns,
            armed: HashMap::new(),
            turns: VecDeque::new(),
            left_out: None,
            without: HashSet::new(),
            made: 0,
            refused: 0,
            random: clock::monotonic_ns() | 1,
        }
    }

    /// The thread gets no timer.
    pub(super) fn leave_out(&mut self, thread: i32) {
        self.left_out = Some(thread);
    }

    /// How many threads got a timer so far.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// How many threads were refused one.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Whether one of some threads has ended. Few threads are all asked at once, many in turn.
    pub(super) fn has_one_ended(&mut self) -> bool {
        for _ in 0..ASKED.min(self.turns.len()) {
            let Some(thread) = self.turns.pop_front() else {
                break;
            };
            let Some(armed) = self.armed.get(&thread) else {
                continue;
            };
            if !armed.timer.has_thread() {
                return true;
            }
            self.turns.push_back(thread);
        }
        false
    }

    /// Gives each of the threads a timer, and takes away those whose thread is gone.
    pub(super) fn follow(&mut self, threads: &[i32], slots: &mut Slots) {
        let living: HashSet<i32> = threads.iter().copied().collect();
        // A number is used again: the timer knows whether it is the same thread.
        let is_gone =
            |thread: &i32, armed: &mut Armed| !living.contains(thread) || !armed.timer.has_thread();
        for (_, armed) in self.armed.extract_if(is_gone) {
            armed.retire(slots);
        }
        self.without.retain(|thread| living.contains(thread));
        for &thread in threads {
            if !self.armed.contains_key(&thread) && self.left_out != Some(thread) {
                self.arm(thread, slots);
            }
        }
        if self.turns.len() > self.armed.len() {
            // Threads that are gone have left theirs behind.
            self.turns = self.armed.keys().copied().collect();
        }
    }

    fn arm(&mut self, thread: i32, slots: &mut Slots) {
        let Some(slot) = slots.take() else {
            self.refuse(thread);
            return;
        };
        match ThreadTimer::new(thread, slot.arm(thread)) {
            Ok(timer) => {
                timer.start(self.first_ns(), self.period_ns);
                self.armed.insert(thread, Armed { timer, slot });
                self.turns.push_back(thread);
                self.without.remove(&thread);
                self.made += 1;
            }
            Err(error) => {
                slots.give_back(slot);
                // The thread has ended since it was listed.
                if error.raw_os_error() != Some(libc::EINVAL) {
                    self.refuse(thread);
                }
            }
        }
    }

    fn refuse(&mut self, thread: i32) {
        if self.without.insert(thread) {
            self.refused += 1;
        }
    }

    /// When a thread's first sample comes: anywhere in the period, so that short-lived threads are met in proportion and the
    /// threads' samples don't come all at once.
    fn first_ns(&mut self) -> u64 {
        // Marsaglia's xorshift.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        1 + self.random % self.period_ns
    }

    /// Takes all timers away.
    pub(super) fn delete_all(&mut self, slots: &mut Slots) {
        self.turns.clear();
        for (_, armed) in self.armed.drain() {
            armed.retire(slots);
        }
    }
}

impl Armed {
    fn retire(self, slots: &mut Slots) {
        self.timer.delete();
        slots.give_back(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_samples_are_spread_over_the_period() {
        let mut timers = Timers::new(10_000_000);
        let mut firsts: Vec<u64> = (0..1000).map(|_| timers.first_ns()).collect();
        firsts.sort_unstable();
        assert!(firsts[0] >= 1 && firsts[999] <= 10_000_000);
        assert!(
            (4_000_000..6_000_000).contains(&firsts[500]),
            "{}",
            firsts[500]
        );
        assert!(firsts[100] < 2_000_000 && firsts[900] > 8_000_000);
    }

    #[test]
    fn a_thread_that_ended_is_noticed_though_there_are_many() {
        let mut slots = Slots::new().expect("address space");
        let mut timers = Timers::new(3_600_000_000_000);
        let (say, hear) = std::sync::mpsc::channel();
        let threads: Vec<_> = (0..3 * ASKED)
            .map(|_| {
                let say = say.clone();
                let (end, wait) = std::sync::mpsc::channel::<()>();
                let thread = std::thread::spawn(move || {
                    say.send(crate::thread_role::own_id_and_name().0)
                        .expect("the test waits");
                    let _ = wait.recv();
                });
                (end, thread)
            })
            .collect();
        let ids: Vec<i32> = hear.iter().take(threads.len()).collect();
        timers.follow(&ids, &mut slots);
        assert_eq!(timers.made(), ids.len() as u64);
        assert!((0..10).all(|_| !timers.has_one_ended()));
        for (end, thread) in threads {
            drop(end);
            thread.join().expect("no panic");
        }
        let is_noticed = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            timers.has_one_ended()
        });
        assert!(is_noticed);
        timers.follow(&[], &mut slots);
        assert!(timers.armed.is_empty());
        assert!(!timers.has_one_ended());
        timers.delete_all(&mut slots);
    }
}
