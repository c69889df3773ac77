//! The second opinion: it agrees with the reader on every trace that is whole, and finds what is made wrong.

use exectrace_format::go_v2;
use exectrace_format::role::{Range, State};
use exectrace_format::{StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
use exectrace_reader::{Event, EventType, Kind, Reader, Rule, Timestamp, Validator};
use exectrace_testkit::Corpus;

/// The violations in a file's events, up to the fault that ends it.
fn violations(file: &[u8]) -> Vec<String> {
    let mut validator = Validator::new();
    let events = Reader::new(file)
        .into_iter()
        .flatten()
        .map_while(Result::ok);
    events
        .filter_map(|event| validator.event(&event).err())
        .map(|violation| violation.to_string())
        .collect()
}

#[track_caller]
fn check_corpus(corpus: &Corpus, files_min: usize) {
    let traces = corpus.traces();
    assert!(traces.len() >= files_min, "only {} files", traces.len());
    for trace in traces {
        let violations = violations(&trace.bytes());
        assert!(violations.is_empty(), "{}: {violations:#?}", trace.file());
    }
}

#[test]
fn it_agrees_on_all_shipped_traces() {
    check_corpus(&Corpus::shipped(), 80);
}

#[test]
fn it_agrees_on_the_large_corpus() {
    if let Some(corpus) = Corpus::large() {
        check_corpus(&corpus, 350);
    }
}

/// A trace of one worker, event by event.
struct Story {
    events: Vec<Event>,
}

impl Story {
    fn new() -> Self {
        Self { events: Vec::new() }
    }

    fn then(mut self, task: u64, kind: Kind) -> Self {
        self.events.push(Event {
            time: Timestamp(self.events.len() as i64),
            offset: 16 + self.events.len() as u64,
            task: TaskId(task),
            worker: WorkerId(0),
            thread: ThreadId(7),
            stack: StackId(0),
            event_type: EventType::V2(go_v2::EventType::GoStart),
            kind,
        });
        self
    }

    fn step(self, current: u64, task: u64, from: State, to: State) -> Self {
        let kind = Kind::TaskTransition {
            task: TaskId(task),
            from,
            to,
            reason: StringId(0),
            stack: StackId(0),
        };
        self.then(current, kind)
    }

    /// Only the last event breaks a rule: this one.
    #[track_caller]
    fn breaks(self, expect: Rule) {
        let mut validator = Validator::new();
        let last = self.events.len() - 1;
        for (index, event) in self.events.iter().enumerate() {
            let rule = validator.event(event).err().map(|violation| violation.rule);
            assert_eq!(rule, (index == last).then_some(expect), "event {index}");
        }
    }
}

#[test]
fn a_task_is_in_one_state_at_a_time() {
    use State::{NotExist, Runnable, Running, Undetermined, Waiting};
    let born = || Story::new().step(0, 1, NotExist, Runnable);
    let rule = Rule::TaskState {
        task: 1,
        is: Runnable,
        left: Waiting,
    };
    born().step(0, 1, Waiting, Runnable).breaks(rule);
    let rule = Rule::TaskStep {
        task: 1,
        from: Waiting,
        to: Running,
    };
    let waiting = born()
        .step(0, 1, Runnable, Running)
        .step(1, 1, Running, Waiting);
    waiting.step(0, 1, Waiting, Running).breaks(rule);
    let ended = born()
        .step(0, 1, Runnable, Running)
        .step(1, 1, Running, NotExist);
    ended
        .step(0, 1, Waiting, Runnable)
        .breaks(Rule::TaskEnded { task: 1 });
    let again = born()
        .step(0, 1, Runnable, Running)
        .step(1, 1, Running, NotExist)
        .step(0, 1, Undetermined, Waiting);
    let rule = Rule::TaskState {
        task: 1,
        is: Waiting,
        left: Runnable,
    };
    again.step(0, 1, Runnable, Running).breaks(rule);
}

#[test]
fn a_worker_runs_one_task_and_is_in_one_state() {
    use State::{Idle, NotExist, Runnable, Running};
    let two = Story::new()
        .step(0, 1, NotExist, Runnable)
        .step(0, 2, NotExist, Runnable)
        .step(0, 1, Runnable, Running);
    two.step(0, 2, Runnable, Running)
        .breaks(Rule::WorkerIsTaken { worker: 0, task: 1 });
    let worker = |from, to| Kind::WorkerTransition {
        worker: WorkerId(0),
        from,
        to,
    };
    let running = Story::new().then(0, worker(Idle, Running));
    running
        .then(0, worker(Idle, Running))
        .breaks(Rule::WorkerState {
            worker: 0,
            is: Running,
            left: Idle,
        });
}

#[test]
fn a_task_is_on_one_worker_and_a_worker_on_one_thread() {
    use State::{Idle, NotExist, Runnable, Running, Undetermined};
    // Its status is told on worker 1, while it runs on worker 0.
    let mut story = Story::new()
        .step(0, 1, Undetermined, Running)
        .step(1, 1, Running, Running);
    story.events[1].worker = WorkerId(1);
    story.breaks(Rule::TaskIsElsewhere { task: 1, worker: 0 });
    // Told once, the worker that it was on is free.
    let mut story = Story::new()
        .step(0, 1, Undetermined, Running)
        .step(1, 1, Running, Running)
        .step(0, 2, NotExist, Runnable)
        .step(0, 2, Runnable, Running);
    story.events[1].worker = WorkerId(1);
    let mut validator = Validator::new();
    let verdicts = story.events.iter().map(|event| validator.event(event));
    let is_right: Vec<_> = verdicts.map(|verdict| verdict.is_ok()).collect();
    assert_eq!(is_right, [true, false, true, true]);
    let worker = |from, to| Kind::WorkerTransition {
        worker: WorkerId(0),
        from,
        to,
    };
    let mut story = Story::new()
        .then(0, worker(Undetermined, Running))
        .then(0, worker(Running, Idle))
        .then(0, worker(Idle, Running))
        .then(0, worker(Running, Running));
    story.events[2].thread = ThreadId(8);
    story.breaks(Rule::WorkerIsElsewhere {
        worker: 0,
        thread: 8,
    });
}

#[test]
fn what_begins_ends_and_what_ends_began() {
    let begin = |range| Kind::RangeBegin {
        range,
        reason: StringId(0),
    };
    let end = |range| Kind::RangeEnd {
        range,
        reason: StringId(0),
        swept_bytes: 0,
        reclaimed_bytes: 0,
    };
    for range in [
        Range::Gc,
        Range::Sweep,
        Range::MarkAssist,
        Range::StopTheWorld,
    ] {
        let open = || Story::new().then(1, begin(range));
        open()
            .then(1, begin(range))
            .breaks(Rule::RangeIsOpen { range });
        open()
            .then(1, end(range))
            .then(1, end(range))
            .breaks(Rule::RangeIsNotOpen { range });
    }
    // A task that ends and comes again has not stopped the world.
    use State::{NotExist, Runnable, Running};
    let stop = begin(Range::StopTheWorld);
    let again = Story::new()
        .step(0, 1, Runnable, Running)
        .then(1, stop)
        .step(1, 1, Running, NotExist)
        .step(0, 1, NotExist, Runnable)
        .step(0, 1, Runnable, Running)
        .then(1, stop);
    again.then(1, stop).breaks(Rule::RangeIsOpen {
        range: Range::StopTheWorld,
    });
    let user_task = UserTaskId(3);
    let begin = Kind::UserTaskBegin {
        user_task,
        parent: UserTaskId(0),
        name: StringId(1),
    };
    Story::new()
        .then(1, begin)
        .then(1, begin)
        .breaks(Rule::UserTaskAgain { user_task: 3 });
    let end = Kind::UserTaskEnd {
        user_task,
        begin: None,
    };
    Story::new()
        .then(1, begin)
        .then(1, end)
        .breaks(Rule::UserTaskBegin { user_task: 3 });
}

#[test]
fn regions_end_in_reverse_and_time_goes_on() {
    let region = |name| (UserTaskId(0), StringId(name));
    let begin = |(user_task, name)| Kind::UserRegionBegin { user_task, name };
    let end = |(user_task, name)| Kind::UserRegionEnd { user_task, name };
    Story::new()
        .then(1, begin(region(1)))
        .then(1, begin(region(2)))
        .then(1, end(region(1)))
        .breaks(Rule::RegionOrder { task: 1 });
    let mut story = Story::new().then(0, Kind::Sync).then(0, Kind::Sync);
    story.events[1].time = Timestamp(-1);
    story.breaks(Rule::TimeGoesBack { last: Timestamp(0) });
}
