//! Models of the task word: a poller, wakers and the collector against each other, whatever their clocks say.

use super::*;
use loom::sync::Arc;
use loom::thread;

const START: u64 = 100;

/// A thread's batch with a clock that never moves by itself: only the rules keep ticks apart.
struct Batch {
    now: u64,
    last: u64,
    events: Vec<Event>,
}

/// Tick, lane and step.
type Event = (u64, u32, Step);

impl Batch {
    fn new(now: u64) -> Self {
        Self {
            now,
            last: 0,
            events: Vec::new(),
        }
    }
}

impl TaskLog for Batch {
    type Mark = (usize, u64);
    fn start_tick(&self) -> u64 {
        START
    }
    fn lane(&self) -> u32 {
        // The clocks differ, so they name the lanes.
        self.now as u32
    }
    fn is_on_time(&self, _: u64) -> bool {
        true
    }
    fn mark(&self) -> Self::Mark {
        (self.events.len(), self.last)
    }
    fn rewind(&mut self, mark: Self::Mark) {
        self.events.truncate(mark.0);
        self.last = mark.1;
    }
    fn write(&mut self, cause: u64, step: Step) -> u64 {
        self.last = self.now.max(self.last + 1).max(cause + 1);
        self.events.push((self.last, self.lane(), step));
        self.last
    }
}

/// Go's rules for one task: the order by time must be the order by sequence.
fn check(mut events: Vec<Event>) {
    events.sort_by_key(|event| event.0);
    // (seq, what): as in the state table of the format.
    let (mut seq, mut status) = (0, "dead");
    for window in events.windows(2) {
        assert!(window[0].0 < window[1].0, "equal ticks: {events:?}");
    }
    let mut lane_before = 0;
    for (_, lane, step) in &events {
        if let Step::Unblock { local: true, .. }
        | Step::UnblockByNobody { local: true, .. }
        | Step::Start { local: true, .. } = step
        {
            assert_eq!(lane_before, *lane, "{step:?} in {events:?}");
        }
        lane_before = *lane;
        let (needs, next) = match step {
            Step::Create => (("dead", Some(0)), ("runnable", 1)),
            Step::Waiting => (("runnable", Some(1)), ("waiting", 2)),
            Step::Unblock { seq: s, .. } | Step::UnblockByNobody { seq: s, .. } => {
                (("waiting", Some(*s)), ("runnable", s + 1))
            }
            Step::Start { seq: s, .. } => (("runnable", Some(*s)), ("running", s + 1)),
            Step::Block => (("running", None), ("waiting", seq)),
            Step::Yield => (("running", None), ("runnable", seq)),
            Step::End => (("running", None), ("ended", seq)),
        };
        assert_eq!(status, needs.0, "{step:?} in {events:?}");
        if let Some(want) = needs.1 {
            assert_eq!(seq, want, "{step:?} in {events:?}");
        }
        (status, seq) = next;
    }
}

/// Three threads have too many interleavings for all; those with up to three forced switches find every bug that was
/// tried out, in a few seconds.
fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// A poller polls a task that is known twice, ending the first poll by `pause`, while two wakers wake once each; the clocks differ by
/// more than all that happens.
fn poller_and_wakers(pause: Pause, clocks: [u64; 3]) {
    explore(move || {
        let word = Arc::new(TaskWord::unknown());
        let mut log = Batch::new(clocks[0]);
        word.create(&mut log);
        let wakers = [1, 2].map(|number| waker(&word, clocks[number]));
        word.start(&mut log);
        stop(&word, &mut log, pause);
        run_to_the_end(&word, &mut log);
        check(with_those_of(log, wakers));
    });
}

/// A thread that wakes the task once: the events that it wrote.
fn waker(word: &Arc<TaskWord>, clock: u64) -> thread::JoinHandle<Vec<Event>> {
    let word = word.clone();
    thread::spawn(move || {
        let mut log = Batch::new(clock);
        // As the hook does: the cheapest way that will do.
        if !word.wake_without_event(START) && !word.wake_waiting(&mut log) {
            word.wake(&mut log);
        }
        log.events
    })
}

/// A poll that is not the last ends, as in the hooks by the cheapest way that will do.
fn stop(word: &TaskWord, log: &mut Batch, pause: Pause) {
    let is_stopped = match pause {
        Pause::Yield => word.yield_running(log),
        _ => word.block_running(log),
    };
    if !is_stopped {
        word.pause(log, pause);
    }
}

/// The last poll, whose end is as in the hooks.
fn run_to_the_end(word: &TaskWord, log: &mut Batch) {
    word.start(log);
    if !word.end_running(log) {
        word.end(log);
    }
}

/// The poller's events, and those of others once they are done.
fn with_those_of<const N: usize>(
    log: Batch,
    others: [thread::JoinHandle<Vec<Event>>; N],
) -> Vec<Event> {
    let mut events = log.events;
    for other in others {
        events.extend(other.join().expect("the other ends"));
    }
    events
}

#[test]
fn loom_known_task_with_two_wakers() {
    poller_and_wakers(Pause::Block, [1_000, 200, 5_000]);
}

#[test]
fn loom_known_task_that_yields_with_two_wakers() {
    poller_and_wakers(Pause::Yield, [1_000, 200, 5_000]);
}

/// All three may be who tells of the task first. Once one has, the task is a known one, whose second poll the models above explore
/// against two wakers: here the wakers are done before it begins.
#[test]
fn loom_unknown_task_with_two_wakers() {
    explore(|| {
        let word = Arc::new(TaskWord::unknown());
        let wakers = [5_000, 200].map(|clock| waker(&word, clock));
        let mut log = Batch::new(1_000);
        word.start(&mut log);
        stop(&word, &mut log, Pause::Block);
        let mut events = Vec::new();
        for waker in wakers {
            events.extend(waker.join().expect("the waker ends"));
        }
        run_to_the_end(&word, &mut log);
        events.extend(log.events);
        check(events);
    });
}

/// A waker that found the task unknown may go on as late as in its second poll, or after its end.
#[test]
fn loom_unknown_task_with_a_slow_waker() {
    for clock in [5_000, 200] {
        explore(move || {
            let word = Arc::new(TaskWord::unknown());
            let waker = waker(&word, clock);
            let mut log = Batch::new(1_000);
            word.start(&mut log);
            stop(&word, &mut log, Pause::Block);
            run_to_the_end(&word, &mut log);
            check(with_those_of(log, [waker]));
        });
    }
}

/// The collector introduces a task while it is woken and run.
#[test]
fn loom_introduce_against_wake_and_run() {
    explore(|| {
        let word = Arc::new(TaskWord::unknown());
        let others: Vec<_> = [(5_000, true), (200, false)]
            .map(|(clock, introduces)| {
                let word = word.clone();
                thread::spawn(move || {
                    let mut log = Batch::new(clock);
                    if introduces {
                        word.introduce(&mut log);
                    } else {
                        word.wake(&mut log);
                    }
                    log.events
                })
            })
            .into_iter()
            .collect();
        let mut log = Batch::new(1_000);
        word.start(&mut log);
        word.pause(&mut log, Pause::Block);
        let mut events = log.events;
        for other in others {
            events.extend(other.join().expect("the other ends"));
        }
        check(events);
    });
}
