//! The lives of tasks, state by state.

use exectrace_analysis::{Pass, TaskLife, TaskLifeReport, TaskTimes, Window};
use exectrace_reader::{Reader, State, TaskId, Timestamp, WorkerId};
use exectrace_testkit::Corpus;

fn life(file: &[u8], task: u64, window: Window) -> TaskLifeReport {
    let mut reader = Reader::tolerant(file).expect("has a header");
    let mut pass = Pass::new(window, TaskLife::new(TaskId(task)));
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

#[test]
fn each_state_says_who_ended_it_and_where_it_was() {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::serve\"
        String string=2 text=\"app.rs\"
        Stack stack=1 frame=0x10,1,2,5
        Stack stack=2 frame=0x11,1,2,6
        Stack stack=3 frame=0x12,1,2,7
        Gomaxprocs dt=0 workers=1 stack=0
        ProcStart dt=0 thread=7
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoStart dt=1 task=1 seq=1
        GoCreate dt=1 task=2 start_stack=1 stack=2
        GoBlockRecv dt=7 stack=3
        GoStart dt=1 task=2 seq=1
        GoUnblock dt=4 task=1 seq=2 stack=2
        GoEnd dt=1
        GoStart dt=4 task=1 seq=3
        GoEnd dt=5";
    let file = exectrace_format::text::parse(lines).expect("is a trace");
    let report = life(&file, 1, Window::WHOLE);
    let [lifetime] = &report.lives[..] else {
        panic!("{report:?}");
    };
    assert_eq!(
        (lifetime.begin, lifetime.end),
        (Timestamp(1), Timestamp(25))
    );
    assert_eq!(
        (lifetime.function.as_str(), lifetime.creator),
        ("app::serve", None)
    );
    let states: Vec<_> = lifetime
        .intervals
        .iter()
        .map(|it| (it.state, it.begin.0, it.end.0))
        .collect();
    assert_eq!(
        states,
        [
            (State::Runnable, 1, 2),
            (State::Running, 2, 10),
            (State::Waiting, 10, 15),
            (State::Runnable, 15, 20),
            (State::Running, 20, 25),
        ]
    );
    let line = |stack: Option<u32>| {
        let place = report.stacks[stack.expect("is told") as usize][0];
        report.frames[place as usize].line
    };
    let [_, running, waiting, runnable, _] = &lifetime.intervals[..] else {
        panic!("{states:?}");
    };
    assert_eq!(
        (running.worker, line(running.stack)),
        (Some(WorkerId(0)), 7)
    );
    assert_eq!((&*waiting.reason, line(waiting.stack)), ("chan receive", 7));
    assert_eq!(
        (waiting.woken_by, line(waiting.waker_stack)),
        (Some(TaskId(2)), 6)
    );
    assert_eq!((runnable.worker, runnable.woken_by), (None, None));
    let created = &life(&file, 2, Window::WHOLE).lives[0];
    assert_eq!(created.creator, Some(TaskId(1)));
    assert!(created.creator_stack.is_some());
    let later = &life(&file, 2, Window::of(Some(Timestamp(12)), None)).lives[0];
    assert_eq!(
        (later.creator, later.creator_stack.is_some()),
        (Some(TaskId(1)), true),
        "what was before the window is known"
    );
    let cut = &life(&file, 1, Window::until(Timestamp(12))).lives[0];
    let last = cut.intervals.last().expect("has some");
    assert_eq!(
        (last.end, last.is_open_right, last.woken_by),
        (Timestamp(12), true, None)
    );
    assert_eq!(life(&file, 3, Window::WHOLE).lives, []);
}

#[test]
fn the_states_of_each_task_follow_on_each_other() {
    let mut lives = 0;
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let file = trace.bytes();
        if file.len() > 1 << 14 {
            continue;
        }
        let Ok(mut reader) = Reader::tolerant(&file) else {
            continue;
        };
        let analyses = (
            TaskTimes::default(),
            (TaskLife::new(TaskId(1)), TaskLife::new(TaskId(2))),
        );
        let mut pass = Pass::new(Window::WHOLE, analyses);
        while let Some(event) = reader.next() {
            pass.event(&event.expect("can be read"), reader.tables());
        }
        let (times, (first, second)) = pass.report(reader.tables());
        for (id, report) in [(1, first), (2, second)] {
            let expect: Vec<_> = times
                .tasks
                .iter()
                .filter(|task| task.id == TaskId(id))
                .collect();
            assert_eq!(report.lives.len(), expect.len(), "{}", trace.file());
            for (lifetime, task) in report.lives.iter().zip(expect) {
                let is_same = (lifetime.begin, lifetime.end) == (task.begin, task.end);
                assert!(is_same, "{}: {lifetime:?} {task:?}", trace.file());
                for two in lifetime.intervals.windows(2) {
                    assert_eq!(two[0].end, two[1].begin, "{}", trace.file());
                }
                lives += 1;
            }
        }
    }
    assert!(lives > 30, "only {lives} lives");
}
