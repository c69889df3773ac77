//! The task word: one atomic per task that makes a recording free of contradictions, whatever the clocks say.
//!
//! `word = tick << 4 | local << 3 | state`. The tick of the last transition is version, session stamp and cause in one: a task whose tick
//! lies before the session's start is *unknown* to the session, so nothing is reset at a restart; and an event of a task is
//! always stamped later than the tick in its word, so that an effect never comes before its cause.
//!
//! | step | from | writes | to |
//! | --- | --- | --- | --- |
//! | wake | Waiting | GoUnblock(seq+1) | RunnableWoken |
//! | wake | IntroducedWaiting | GoUnblock(2) | IntroducedRunnable |
//! | wake | Running | – | RunningWoken, same tick |
//! | wake | unknown | GoCreate, GoWaiting, GoUnblock(2) | IntroducedRunnable |
//! | start | RunnableWoken / Runnable / IntroducedRunnable | GoStart(seq+2 / seq+1 / 3) | Running, then seq := that |
//! | start | Waiting / IntroducedWaiting | GoUnblock(seq+1 / 2) by task 0, GoStart(seq+2 / 3) | Running |
//! | start | unknown | GoCreate, GoStart(1) | Running |
//! | pause | Running / RunningWoken | GoBlock… / GoSched | Waiting / Runnable |
//! | pause for ever | Running | GoStop | Dead: readers take no event of the task after it |
//! | end | Running, RunningWoken | GoEnd | Dead |
//! | end | any other known state | as a start, then GoEnd | Dead |
//! | introduce | unknown | GoCreate, GoWaiting | IntroducedWaiting |
//!
//! A transition writes its events into the thread's own batch first and then swaps the word. If the swap fails, because
//! another thread was faster, the batch is wound back and the step is tried from the new state. Nobody waits.
//!
//! `seq` is the counter that Go's readers order by. Only the thread that runs the task writes it, while the state is Running.
//!
//! An unblock or a start right after an event of the task on the same lane needs no seq in the file: it is written in its Local
//! form. `lane` says where the task was created or started last, and is written as seq is; the word's `local` bit says that the
//! unblock after that is on the same lane too.

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum State {
    /// Blocked; `seq` is that of its last start.
    Waiting = 0,
    /// Woken: its unblock is written.
    RunnableWoken = 1,
    /// New, or it yielded.
    Runnable = 2,
    /// A thread runs it.
    Running = 3,
    /// A thread runs it, and a wake came meanwhile.
    RunningWoken = 4,
    /// Ended.
    Dead = 5,
    /// Introduced by a waker, which wrote its unblock with 2.
    IntroducedRunnable = 6,
    /// Introduced as waiting, which counts as 1.
    IntroducedWaiting = 7,
}

/// A task word taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u64);

impl Word {
    #[inline]
    pub(crate) fn new(tick: u64, state: State) -> Self {
        Self(tick << Self::TICK_SHIFT | state as u64)
    }

    const TICK_SHIFT: u32 = 4;
    const LOCAL: u64 = 1 << 3;

    /// The word of a task whose unblock was written on the lane of its last start.
    #[inline]
    fn with_local(self, local: bool) -> Self {
        Self(self.0 | if local { Self::LOCAL } else { 0 })
    }

    #[inline]
    fn is_local(self) -> bool {
        self.0 & Self::LOCAL != 0
    }

    #[inline]
    pub(crate) fn tick(self) -> u64 {
        self.0 >> Self::TICK_SHIFT
    }

    #[inline]
    pub(crate) fn state(self) -> State {
        match self.0 & 7 {
            0 => State::Waiting,
            1 => State::RunnableWoken,
            2 => State::Runnable,
            3 => State::Running,
            4 => State::RunningWoken,
            5 => State::Dead,
            6 => State::IntroducedRunnable,
            _ => State::IntroducedWaiting,
        }
    }

    /// As a comparison with [`Self::state`], for hot paths: the compiler makes a table of that.
    #[inline]
    fn is_in(self, state: State) -> bool {
        self.0 & 7 == state as u64
    }

    #[inline]
    fn is_known(self, start_tick: u64) -> bool {
        self.tick() >= start_tick
    }

    #[inline(always)]
    fn is_running(self, start_tick: u64) -> bool {
        let runs = self.is_in(State::Running) || self.is_in(State::RunningWoken);
        self.is_known(start_tick) && runs
    }
}

/// One event of a transition. The log knows the task, the stacks and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// GoCreate: the session hears of the task.
    Create,
    /// GoWaiting, after an introducing GoCreate.
    Waiting,
    /// GoUnblock, by whoever is current on the thread. `local`: the task's event before is on the same lane.
    Unblock { seq: u64, local: bool },
    /// GoUnblock by task 0, right before a start.
    UnblockByNobody { seq: u64, local: bool },
    /// GoStart.
    Start { seq: u64, local: bool },
    /// The kind of block that the log holds ready.
    Block,
    /// GoSched.
    Yield,
    /// GoEnd.
    End,
}

/// The thread's own batch, as a transition sees it.
pub(crate) trait TaskLog {
    /// A place to wind back to.
    type Mark: Copy;
    /// Tick at which the session began.
    fn start_tick(&self) -> u64;
    /// A number of the thread's lane that is not 0.
    fn lane(&self) -> u32;
    /// Whether an event later than `cause` can be stamped with what the clock says, where the log cares.
    fn is_on_time(&self, cause: u64) -> bool;
    /// Where the batch stands now.
    fn mark(&self) -> Self::Mark;
    /// Forgets all events since `mark`.
    fn rewind(&mut self, mark: Self::Mark);
    /// Writes an event later than `cause`, than all events of the thread and, clocks permitting, now. Returns its tick.
    fn write(&mut self, cause: u64, step: Step) -> u64;
}

/// How a run ends that is not the task's last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The task waits; if it was woken meanwhile it is runnable instead.
    Block,
    /// It waits for what nobody can bring: for readers its life is over.
    Forever,
    /// It wants to run again at once.
    Yield,
}

impl Pause {
    /// What it comes to for a task that was woken in its run, or was not.
    #[inline(always)]
    fn outcome(self, woken: bool) -> (Step, State, Paused) {
        match self {
            Self::Block if !woken => (Step::Block, State::Waiting, Paused::Blocked),
            Self::Forever if !woken => (Step::Block, State::Dead, Paused::Blocked),
            _ => (Step::Yield, State::Runnable, Paused::Yielded),
        }
    }
}

/// What a pause became.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paused {
    /// The task waits.
    Blocked,
    /// It was woken meanwhile, or yields: it is runnable.
    Yielded,
    /// The session did not see it run: nothing was written.
    Unseen,
}

/// The word of a task, its sequence counter, and the lane of its last start.
#[derive(Debug)]
pub(crate) struct TaskWord {
    word: AtomicU64,
    seq: AtomicU64,
    lane: AtomicU32,
}

impl TaskWord {
    /// A task that no session has heard of. Outside of the models, words are made by [`Self::reset`] in their slab.
    #[cfg(loom)]
    pub(crate) fn unknown() -> Self {
        Self {
            word: AtomicU64::new(Word::new(0, State::Runnable).0),
            seq: AtomicU64::new(0),
            lane: AtomicU32::new(0),
        }
    }

    /// Makes the word that of a new task that no session has heard of. Only for a slot that nobody else sees.
    pub(crate) fn reset(&self) {
        // Relaxed: the slot is handed on through the task's own spawn, which synchronises.
        self.seq.store(0, Ordering::Relaxed);
        // Relaxed: as above.
        self.lane.store(0, Ordering::Relaxed);
        // Relaxed: as above.
        self.word
            .store(Word::new(0, State::Runnable).0, Ordering::Relaxed);
    }

    #[inline]
    fn load(&self) -> Word {
        // Acquire: shows the seq and the tick that the last transition left; pairs with the AcqRel swaps below.
        Word(self.word.load(Ordering::Acquire))
    }

    #[inline]
    fn swap(&self, from: Word, to: Word) -> bool {
        // AcqRel: publishes seq and what the thread did before; takes over what the last transition published.
        self.word
            .compare_exchange(from.0, to.0, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// As a swap, of a task that runs and is runnable or dead next: others only note in its word that it was woken, which makes no
    /// difference then. Loom does not know that a swap by others comes before the store if it found what was there before.
    #[inline]
    fn put(&self, word: Word) {
        #[cfg(not(loom))]
        // Release: as the swaps.
        self.word.store(word.0, Ordering::Release);
        #[cfg(loom)]
        self.word.swap(word.0, Ordering::Release);
    }

    #[inline]
    fn seq(&self) -> u64 {
        // Relaxed: ordered by the word, which was acquired before.
        self.seq.load(Ordering::Relaxed)
    }

    /// Whether the task was created or started last on the log's lane.
    #[inline]
    fn is_at_home<L: TaskLog>(&self, log: &L) -> bool {
        // Relaxed: ordered by the word, as seq is.
        self.lane.load(Ordering::Relaxed) == log.lane()
    }

    #[inline]
    fn set_lane<L: TaskLog>(&self, log: &L) {
        // Relaxed: published by the next change of the word.
        self.lane.store(log.lane(), Ordering::Relaxed);
    }

    #[inline]
    fn set_seq(&self, seq: u64) {
        // Relaxed: published by the next swap of the word.
        self.seq.store(seq, Ordering::Relaxed);
    }

    /// Whether the session that began at `start_tick` has seen the task begin to run, and not stop since.
    #[inline]
    pub(crate) fn is_running(&self, start_tick: u64) -> bool {
        self.load().is_running(start_tick)
    }

    /// Whether the session that began at `start_tick` has heard of the task.
    pub(crate) fn is_known(&self, start_tick: u64) -> bool {
        self.load().is_known(start_tick)
    }

    /// Whether the task has ended.
    pub(crate) fn is_dead(&self) -> bool {
        self.load().state() == State::Dead
    }

    /// A task is new: GoCreate, before anybody else can see it. False, and nothing is written, if the log cannot now.
    #[inline(always)]
    pub(crate) fn create<L: TaskLog>(&self, log: &mut L) -> bool {
        if !log.is_on_time(0) {
            return false;
        }
        let tick = log.write(0, Step::Create);
        self.set_lane(log);
        // Release: publishes the new task's word to whoever gets to know the task.
        self.word
            .store(Word::new(tick, State::Runnable).0, Ordering::Release);
        true
    }

    /// Somebody wakes the task, which may need no event: the cheap part of [`Self::wake`], which touches no batch. False when an
    /// event must be written.
    #[inline(always)]
    pub(crate) fn wake_without_event(&self, start_tick: u64) -> bool {
        let mut word = self.load();
        while word.is_known(start_tick) {
            match word.state() {
                State::Running => {
                    if self.swap(word, Word::new(word.tick(), State::RunningWoken)) {
                        return true;
                    }
                    word = self.load();
                }
                State::Waiting | State::IntroducedWaiting => return false,
                _ => return true,
            }
        }
        word.state() == State::Dead
    }

    /// Somebody wakes the task, which waits: the common case of [`Self::wake`]. False, and nothing is written, if it is another or the
    /// task was changed meanwhile.
    #[inline(always)]
    pub(crate) fn wake_waiting<L: TaskLog>(&self, log: &mut L) -> bool {
        let word = self.load();
        if !word.is_known(log.start_tick()) || !word.is_in(State::Waiting) {
            return false;
        }
        let mark = log.mark();
        let (seq, local) = (self.seq() + 1, self.is_at_home(log));
        if !log.is_on_time(word.tick()) {
            return false;
        }
        let tick = log.write(word.tick(), Step::Unblock { seq, local });
        let next = Word::new(tick, State::RunnableWoken).with_local(local);
        let is_done = self.swap(word, next);
        if !is_done {
            log.rewind(mark);
        }
        is_done
    }

    /// Somebody wakes the task. Returns whether an event was written.
    #[inline]
    pub(crate) fn wake<L: TaskLog>(&self, log: &mut L) -> bool {
        let mark = log.mark();
        let mut word = self.load();
        let (seq, local) = (2, false);
        let first_unblock = Step::Unblock { seq, local };
        loop {
            let next = if !word.is_known(log.start_tick()) {
                if word.state() == State::Dead {
                    return false;
                }
                let tick = log.write(word.tick(), Step::Create);
                let tick = log.write(tick, Step::Waiting);
                let tick = log.write(tick, first_unblock);
                Word::new(tick, State::IntroducedRunnable)
            } else {
                match word.state() {
                    State::Waiting => {
                        let seq = self.seq() + 1;
                        let local = self.is_at_home(log);
                        let tick = log.write(word.tick(), Step::Unblock { seq, local });
                        Word::new(tick, State::RunnableWoken).with_local(local)
                    }
                    State::IntroducedWaiting => {
                        let tick = log.write(word.tick(), first_unblock);
                        Word::new(tick, State::IntroducedRunnable)
                    }
                    State::Running => Word::new(word.tick(), State::RunningWoken),
                    _ => return false,
                }
            };
            if self.swap(word, next) {
                return next.state() != State::RunningWoken;
            }
            log.rewind(mark);
            word = self.load();
        }
    }

    /// The thread begins to run the task, which is runnable: the common case of [`Self::start`]. False, and nothing is written,
    /// if it is another.
    #[inline(always)]
    pub(crate) fn start_runnable<L: TaskLog>(&self, log: &mut L) -> bool {
        let word = self.load();
        let is_woken = word.is_in(State::RunnableWoken);
        if !word.is_known(log.start_tick()) || !(is_woken || word.is_in(State::Runnable)) {
            return false;
        }
        let seq = self.seq() + 1 + u64::from(is_woken);
        let local = self.is_at_home(log) && (!is_woken || word.is_local());
        if !log.is_on_time(word.tick()) {
            return false;
        }
        let tick = log.write(word.tick(), Step::Start { seq, local });
        self.set_seq(seq);
        self.set_lane(log);
        // Release: publishes seq; pairs with the Acquire in `load`. Nobody else changes the word of a known task that is runnable:
        // no swap is needed.
        self.word
            .store(Word::new(tick, State::Running).0, Ordering::Release);
        true
    }

    /// The thread begins to run the task. Returns whether the session sees it run from now on.
    #[inline]
    pub(crate) fn start<L: TaskLog>(&self, log: &mut L) -> bool {
        if self.start_runnable(log) {
            return true;
        }
        let mut word = self.load();
        let mark = log.mark();
        loop {
            let Some((tick, seq)) = self.write_start(log, word) else {
                return false;
            };
            if self.swap(word, Word::new(tick, State::Running)) {
                self.set_seq(seq);
                self.set_lane(log);
                return true;
            }
            log.rewind(mark);
            word = self.load();
        }
    }

    /// Writes what leads a task from `word` to running: the tick and the seq of its start.
    #[inline]
    fn write_start<L: TaskLog>(&self, log: &mut L, word: Word) -> Option<(u64, u64)> {
        let cause = word.tick();
        if !word.is_known(log.start_tick()) {
            if word.state() == State::Dead {
                return None;
            }
            let tick = log.write(cause, Step::Create);
            let start = Step::Start {
                seq: 1,
                local: true,
            };
            return Some((log.write(tick, start), 1));
        }
        let at_home = self.is_at_home(log);
        let unblock = |seq, local| Step::UnblockByNobody { seq, local };
        let (cause, seq, local) = match word.state() {
            State::RunnableWoken => (cause, self.seq() + 2, at_home && word.is_local()),
            State::Runnable => (cause, self.seq() + 1, at_home),
            State::IntroducedRunnable => (cause, 3, false),
            State::Waiting => {
                let seq = self.seq() + 1;
                (log.write(cause, unblock(seq, at_home)), seq + 1, true)
            }
            State::IntroducedWaiting => (log.write(cause, unblock(2, false)), 3, true),
            State::Running | State::RunningWoken | State::Dead => return None,
        };
        Some((log.write(cause, Step::Start { seq, local }), seq))
    }

    /// The thread stops running the task in a run that the session sees, and it can run again at once: the common case of
    /// [`Self::pause`] by [`Pause::Yield`]. False, and nothing is written, if it is another.
    #[inline(always)]
    pub(crate) fn yield_running<L: TaskLog>(&self, log: &mut L) -> bool {
        self.leave_running(log, Step::Yield, State::Runnable)
    }

    /// The thread stops running the task for good or to run it again, in a run that the session sees.
    #[inline(always)]
    fn leave_running<L: TaskLog>(&self, log: &mut L, step: Step, state: State) -> bool {
        let word = self.load();
        if !word.is_running(log.start_tick()) || !log.is_on_time(word.tick()) {
            return false;
        }
        let tick = log.write(word.tick(), step);
        self.put(Word::new(tick, state));
        true
    }

    /// The thread stops running the task in a run that the session sees, and it waits: the common case of [`Self::pause`] by
    /// [`Pause::Block`]. False, and nothing is written, if it is another or the task was woken meanwhile.
    #[inline(always)]
    pub(crate) fn block_running<L: TaskLog>(&self, log: &mut L) -> bool {
        let word = self.load();
        let is_it = word.is_known(log.start_tick()) && word.is_in(State::Running);
        if !is_it || !log.is_on_time(word.tick()) {
            return false;
        }
        let mark = log.mark();
        let tick = log.write(word.tick(), Step::Block);
        let is_done = self.swap(word, Word::new(tick, State::Waiting));
        if !is_done {
            log.rewind(mark);
        }
        is_done
    }

    /// The thread stops running the task, which has not ended.
    #[inline]
    pub(crate) fn pause<L: TaskLog>(&self, log: &mut L, pause: Pause) -> Paused {
        let mark = log.mark();
        let mut word = self.load();
        loop {
            if !word.is_known(log.start_tick()) {
                return Paused::Unseen;
            }
            let woken = word.is_in(State::RunningWoken);
            if !woken && !word.is_in(State::Running) {
                return Paused::Unseen;
            }
            let (step, state, paused) = pause.outcome(woken);
            let tick = log.write(word.tick(), step);
            if self.swap(word, Word::new(tick, state)) {
                return paused;
            }
            log.rewind(mark);
            word = self.load();
        }
    }

    /// The task ends in a run that the session sees: the common case of [`Self::end`]. False, and nothing is written, if it is
    /// another.
    #[inline(always)]
    pub(crate) fn end_running<L: TaskLog>(&self, log: &mut L) -> bool {
        self.leave_running(log, Step::End, State::Dead)
    }

    /// The task has ended, in a run or outside of one. A task that the session never heard of ends unheard.
    #[inline]
    pub(crate) fn end<L: TaskLog>(&self, log: &mut L) {
        let mark = log.mark();
        let mut word = self.load();
        loop {
            if word.state() == State::Dead {
                return;
            }
            let tick = if !word.is_known(log.start_tick()) {
                word.tick()
            } else if matches!(word.state(), State::Running | State::RunningWoken) {
                log.write(word.tick(), Step::End)
            } else {
                match self.write_start(log, word) {
                    Some((tick, _)) => log.write(tick, Step::End),
                    None => return,
                }
            };
            if self.swap(word, Word::new(tick, State::Dead)) {
                return;
            }
            log.rewind(mark);
            word = self.load();
        }
    }

    /// The task has ended, and no session has heard of it.
    pub(crate) fn end_unheard(&self) {
        let word = self.load();
        if !word.is_in(State::Dead) {
            // Release: as the swaps. It needs no swap: whatever a waker or the collector does at the same time, the task is dead.
            self.word
                .store(Word::new(word.tick(), State::Dead).0, Ordering::Release);
        }
    }

    /// The collector introduces a task that the session has not heard of. If the task is runnable in truth, its next start
    /// heals the guess. Returns whether an event was written.
    pub(crate) fn introduce<L: TaskLog>(&self, log: &mut L) -> bool {
        let mark = log.mark();
        let word = self.load();
        if word.is_known(log.start_tick()) || word.state() == State::Dead {
            return false;
        }
        let tick = log.write(word.tick(), Step::Create);
        let tick = log.write(tick, Step::Waiting);
        if self.swap(word, Word::new(tick, State::IntroducedWaiting)) {
            return true;
        }
        log.rewind(mark);
        false
    }

    /// The running task's seq moves on without a change of its word, as in a nested run. Returns the new seq.
    #[inline]
    pub(crate) fn advance_seq(&self, by: u64) -> u64 {
        let seq = self.seq() + by;
        self.set_seq(seq);
        seq
    }

    /// Tick of the last transition.
    #[inline]
    pub(crate) fn tick(&self) -> u64 {
        self.load().tick()
    }
}

/// Explored by loom: `RUSTFLAGS="--cfg loom" cargo test -p exectrace --release --lib loom`.
#[cfg(all(test, loom))]
mod loom_tests;
