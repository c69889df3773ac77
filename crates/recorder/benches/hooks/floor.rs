//! What the machine makes everybody pay: the least that hooks of this design can cost on it.
//!
//! An event needs to know whether a session runs and which lane is the thread's, a gate that is raised and lowered, a reading of the
//! clock, a few bytes stored, and a count; a change of a task's word that another thread may change too, or of a count of handles, an
//! atomic swap; a frame of a stack, two loads and two comparisons. That and nothing else is measured, with nobody contending: once with
//! everything in the nearest cache, and once amid a server's system calls, which leave little of what was there before.

use std::cell::Cell;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::time::Instant;

use crate::read_clock;

/// Operations of a round: so few that most rounds are not interrupted.
const OPERATIONS: u32 = 1_000;
/// Rounds, of which the quickest counts: what a busy machine adds is not the floor.
const ROUNDS: usize = 301;

/// Messages of a stretch amid which the floor is measured, and pairs of such stretches.
const MESSAGES: usize = 128;
const PAIRS: usize = 501;
/// Tasks of the server, which get their messages by turns.
const TASKS: usize = 64;

/// What some hooks cannot do without.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    /// Events written.
    pub(crate) events: u8,
    /// Changes of a word that is shared.
    pub(crate) swaps: u8,
    /// Frames of stacks.
    pub(crate) frames: usize,
}

/// What it costs amid the work of a server.
pub(crate) struct AmidMessages {
    /// The median of what it adds to a message.
    pub(crate) median_ns: f64,
    /// What it adds by the quickest stretches.
    pub(crate) quickest_ns: f64,
    /// A message without it, in the quickest stretch.
    pub(crate) message_ns: f64,
}

/// A frame of a stack as a walk sees it.
struct Frame<'stack> {
    caller: Option<&'stack Frame<'stack>>,
    pc: u64,
}

/// The session word: no session is 0.
static SESSION: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static LANE: Lane = const { Lane::new() };
}

/// An event of the calling thread, and what else its hook does.
#[inline(always)]
fn write(event: u8, work: impl FnOnce()) {
    // Relaxed: as in `Lane::write`.
    if SESSION.load(Ordering::Relaxed) != 0 {
        LANE.with(|lane| lane.write(event, work));
    }
}

impl Floor {
    /// What it costs here, in nanoseconds.
    pub(crate) fn measure_ns(self) -> f64 {
        beneath(self.frames, None, &mut |top| {
            let rounds = (0..ROUNDS).map(|_| self.round_ns(top));
            rounds.min().unwrap_or(0) as f64 / f64::from(OPERATIONS)
        })
    }

    fn round_ns(self, top: Option<&Frame<'_>>) -> u128 {
        let word = AtomicU64::new(0);
        let start = Instant::now();
        for _ in 0..OPERATIONS {
            for event in 0..self.events {
                write(event, || {
                    if event < self.swaps {
                        swap(&word);
                    }
                    if event == 0 {
                        walk(top);
                    }
                });
            }
        }
        let time_ns = start.elapsed().as_nanos();
        black_box(word);
        time_ns
    }

    /// What it costs a server a message, each event behind another of its system calls.
    pub(crate) fn measure_amid_messages(self) -> io::Result<AmidMessages> {
        let mut server = Server::new()?;
        beneath(self.frames, None, &mut |top| {
            let mut stretch = |with: bool| -> io::Result<f64> {
                let start = Instant::now();
                for number in 0..MESSAGES {
                    server.message(number, with.then_some((self, top)))?;
                }
                Ok(start.elapsed().as_nanos() as f64 / MESSAGES as f64)
            };
            let (mut added, mut quickest) = (Vec::new(), [f64::INFINITY; 2]);
            for pair in 0..PAIRS {
                // By turns first, so that what grows or wears off in time favours nobody.
                let is_first = pair % 2 == 0;
                let times = [stretch(is_first)?, stretch(!is_first)?];
                let [with, without] = if is_first {
                    times
                } else {
                    [times[1], times[0]]
                };
                added.push(with - without);
                quickest = [quickest[0].min(with), quickest[1].min(without)];
            }
            added.sort_by(f64::total_cmp);
            Ok(AmidMessages {
                median_ns: added[PAIRS / 2],
                quickest_ns: quickest[0] - quickest[1],
                message_ns: quickest[1],
            })
        })
    }
}

/// Calls `work` with so many frames more on a stack of which `top` is the innermost.
fn beneath<T>(
    more: usize,
    top: Option<&Frame<'_>>,
    work: &mut dyn FnMut(Option<&Frame<'_>>) -> T,
) -> T {
    if more == 0 {
        return work(top);
    }
    let frame = black_box(Frame {
        caller: top,
        pc: more as u64,
    });
    beneath(more - 1, Some(&frame), work)
}

/// Where a thread's events are written.
struct Lane {
    gate: AtomicU32,
    records: [Cell<[u8; 4]>; 1024],
    position: Cell<usize>,
    last: Cell<u64>,
    counts: [Cell<u32>; 64],
}

impl Lane {
    const fn new() -> Self {
        Self {
            gate: AtomicU32::new(0),
            records: [const { Cell::new([0; 4]) }; 1024],
            position: Cell::new(0),
            last: Cell::new(0),
            counts: [const { Cell::new(0) }; 64],
        }
    }

    /// A type, the time since the last event, and a number, as most events are; `work` is what else the hook does.
    #[inline(always)]
    fn write(&self, event: u8, work: impl FnOnce()) {
        // Relaxed: one thread, here and below; the processor charges the same for all orders.
        let gate = self.gate.load(Ordering::Relaxed);
        // Relaxed: as above.
        self.gate.store(gate + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        // Relaxed: as above.
        if SESSION.load(Ordering::Relaxed) != 0 {
            let now = read_clock();
            work();
            let position = self.position.get();
            let ticks = now.wrapping_sub(self.last.get()) as u8;
            self.records[position % 1024].set([event, ticks, 1, 0]);
            self.position.set(position + 1);
            self.last.set(now);
            let count = &self.counts[usize::from(event % 64)];
            count.set(count.get() + 1);
        }
        // Relaxed: as above.
        self.gate.store(gate + 2, Ordering::Relaxed);
    }
}

#[inline(always)]
fn swap(word: &AtomicU64) {
    // Relaxed: one thread; the processor charges the same for all orders.
    let old = word.load(Ordering::Relaxed);
    // Relaxed: as above.
    let _ = word.compare_exchange(old, old + 1, Ordering::Relaxed, Ordering::Relaxed);
}

#[inline(always)]
fn walk(top: Option<&Frame<'_>>) {
    // As if it were known what will be found.
    let (mut next, mut differing, mut known) = (top, 0_u64, 1);
    while let Some(frame) = next {
        differing |= frame.pc ^ known;
        known += 1;
        next = frame.caller;
    }
    black_box(differing);
}

/// A task's word, alone in its lines of the cache as a record is.
#[derive(Default)]
#[repr(align(128))]
struct Word(AtomicU64);

/// What sends itself messages over a connection, and has a task for each in turn.
struct Server {
    sender: TcpStream,
    receiver: TcpStream,
    words: Vec<Word>,
}

impl Server {
    fn new() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let sender = TcpStream::connect(listener.local_addr()?)?;
        let (receiver, _) = listener.accept()?;
        sender.set_nodelay(true)?;
        receiver.set_nonblocking(true)?;
        Ok(Self {
            sender,
            receiver,
            words: std::iter::repeat_with(Word::default).take(TASKS).collect(),
        })
    }

    /// Three system calls, and what is needed for so many events: the stack with the first, changes of the task's word with all.
    fn message(
        &mut self,
        number: usize,
        floor: Option<(Floor, Option<&Frame<'_>>)>,
    ) -> io::Result<()> {
        let mut bytes = [0; 16];
        for call in 0..3 {
            match call {
                0 => self.sender.write_all(&bytes)?,
                1 => self.receiver.read_exact(&mut bytes)?,
                _ => {
                    let nothing = self.receiver.read(&mut bytes);
                    assert!(nothing.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock));
                }
            }
            let Some((floor, top)) = floor else {
                continue;
            };
            if call < floor.events {
                write(call, || {
                    if call < floor.swaps {
                        swap(&self.words[number % TASKS].0);
                    }
                    if call == 0 {
                        walk(top);
                    }
                });
            }
        }
        Ok(())
    }
}
