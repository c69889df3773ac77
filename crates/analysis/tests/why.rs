//! Why tasks took so long: on traces whose truth is known, and on all.

use std::fmt::Write as _;

use exectrace_analysis::{
    Analysis, ChainEnd, Id, Pass, Subject, SubjectSearch, Why, WhyReport, Window,
};
use exectrace_reader::{Reader, State, TaskId, Timestamp, UserTaskId};
use exectrace_testkit::Corpus;

/// A trace of one worker: when, and what.
fn trace(events: &[(u64, &str)]) -> Vec<u8> {
    let mut lines = String::from(
        "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::serve\"
        String string=2 text=\"app::keep\"
        String string=3 text=\"app::lock\"
        String string=4 text=\"app.rs\"
        String string=5 text=\"request\"
        Stack stack=1 frame=0x10,1,4,5
        Stack stack=2 frame=0x20,2,4,9
        Stack stack=3 frame=0x30,3,4,70 frame=0x11,1,4,6
        Stack stack=4 frame=0x21,2,4,10
        Stack stack=5 frame=0x31,3,4,80 frame=0x22,2,4,11
        Gomaxprocs dt=0 workers=1 stack=0
        ProcStart dt=0 thread=7\n",
    );
    let mut last = 0;
    for (time, event) in events {
        let (name, arguments) = event.split_once(' ').unwrap_or((event, ""));
        let dt = time - last;
        writeln!(lines, "{name} dt={dt} {arguments}").expect("text can be written");
        last = *time;
    }
    exectrace_format::text::parse(&lines).unwrap_or_else(|error| panic!("{error}\n{lines}"))
}

fn pass<A: Analysis>(file: &[u8], window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::tolerant(file).expect("has a header");
    let mut pass = Pass::new(window, analysis);
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

fn find(file: &[u8], id: Id, at_ns: Option<i64>) -> Option<Subject> {
    pass(
        file,
        Window::WHOLE,
        SubjectSearch::new(id, at_ns.map(Timestamp)),
    )
}

#[track_caller]
fn why(file: &[u8], id: Id, at_ns: Option<i64>) -> WhyReport {
    let subject = find(file, id, at_ns).expect("is there");
    let report = pass(file, subject.window(), Why::new(subject));
    let sum: i64 = report.path.iter().map(|part| part.ns).sum();
    assert_eq!(sum, report.subject.ns(), "{report:?}");
    report
}

const TASK_1: Id = Id::Task(TaskId(1));

/// Task 1 waits for a lock that task 2 holds and sleeps on; a timer wakes task 2.
fn lock_and_sleep() -> Vec<u8> {
    trace(&[
        (2, "GoCreate task=1 start_stack=1 stack=0"),
        (3, "GoCreate task=2 start_stack=2 stack=0"),
        (5, "GoStart task=1 seq=1"),
        (6, "UserTaskCreate user_task=9 parent=0 name=5 stack=0"),
        (10, "GoBlockSync stack=3"),
        (11, "GoStart task=2 seq=1"),
        (20, "GoSleep stack=4"),
        (120, "GoUnblock task=2 seq=2 stack=0"),
        (121, "GoStart task=2 seq=3"),
        (123, "GCSTWStart kind=0"),
        (124, "GCSTWDone"),
        (125, "GCStart seq=0 stack=0"),
        (128, "GCDone"),
        (130, "GoUnblock task=1 seq=2 stack=5"),
        (131, "GoEnd"),
        (140, "GoStart task=1 seq=3"),
        (145, "UserTaskEnd user_task=9 stack=0"),
        (150, "GoEnd"),
    ])
}

/// The path as text, a part a line.
fn path(report: &WhyReport) -> Vec<String> {
    let parts = report.path.iter();
    let line = |part: &exectrace_analysis::PathPart| {
        let own = if part.is_own { "own " } else { "" };
        let did = format!("{} {}", part.state.name(), part.reason);
        let (ns, function, count) = (part.ns, &part.function, part.count);
        format!("{ns} {own}{function} {}, {count} in all", did.trim_end())
    };
    parts.map(line).collect()
}

/// The chain as text, a link a line.
fn chain(report: &WhyReport) -> Vec<String> {
    let lines = |stack: &[u32]| {
        let frames = stack.iter().map(|&place| &report.frames[place as usize]);
        let lines: Vec<String> = frames.map(|frame| frame.line.to_string()).collect();
        lines.join(",")
    };
    let links = report.chain.iter();
    let link = |link: &exectrace_analysis::Link| {
        let (task, state, reason) = (link.task.0, link.state.name(), &link.reason);
        let (begin, end) = (link.begin.0, link.end.0);
        let (stack, waker_stack) = (lines(&link.stack), lines(&link.waker_stack));
        let waker = link.woken_by.map_or(0, |waker| waker.0);
        format!("{task} {state} {reason} {begin}..{end} at {stack} by {waker} at {waker_stack}")
    };
    links.map(link).collect()
}

#[test]
fn a_wait_is_what_the_waker_did_meanwhile() {
    let report = why(&lock_and_sleep(), TASK_1, None);
    let subject = &report.subject;
    assert_eq!((subject.begin, subject.end), (Timestamp(2), Timestamp(150)));
    assert_eq!((subject.gc_ns, subject.stopped_ns), (3, 1));
    assert_eq!(subject.name, "app::serve");
    assert_eq!(
        path(&report),
        [
            "100 app::keep Waiting sleep, 1 in all",
            "18 app::keep Running, 2 in all",
            "15 own app::serve Running, 2 in all",
            "13 own app::serve Runnable, 2 in all",
            "2 app::keep Runnable, 2 in all",
        ]
    );
    assert_eq!(
        chain(&report),
        [
            "1 Waiting sync 10..130 at 70,6 by 2 at 80,11",
            "2 Waiting sleep 20..120 at 10 by 0 at ",
        ]
    );
    assert_eq!(report.chain_end, Some(ChainEnd::Timer));
}

#[test]
fn a_user_task_is_that_of_who_ended_it() {
    let report = why(&lock_and_sleep(), Id::UserTask(UserTaskId(9)), None);
    assert_eq!(report.subject.name, "request");
    assert_eq!(report.subject.ns(), 139);
    assert_eq!(path(&report)[1], "18 app::keep Running, 2 in all");
    assert_eq!(report.chain.len(), 2);
    // Task 1 begins it, creates task 2 and waits for ever; task 2 waits for the network and ends it.
    let handed_over = trace(&[
        (2, "GoCreate task=1 start_stack=1 stack=0"),
        (5, "GoStart task=1 seq=1"),
        (6, "UserTaskCreate user_task=9 parent=0 name=5 stack=0"),
        (10, "GoCreate task=2 start_stack=2 stack=0"),
        (11, "GoBlockRecv stack=3"),
        (15, "GoStart task=2 seq=1"),
        (20, "GoBlockNet stack=4"),
        (90, "GoUnblock task=2 seq=2 stack=0"),
        (91, "GoStart task=2 seq=3"),
        (95, "UserTaskEnd user_task=9 stack=0"),
        (99, "GoEnd"),
    ]);
    let report = why(&handed_over, Id::UserTask(UserTaskId(9)), None);
    assert_eq!(
        path(&report),
        [
            "70 own app::keep Waiting network, 1 in all",
            "9 own app::keep Running, 2 in all",
            "6 own app::keep Runnable, 2 in all",
            "4 app::serve Running, 1 in all",
        ]
    );
    assert_eq!(report.chain_end, Some(ChainEnd::Network));
    let report = why(&handed_over, TASK_1, None);
    assert!(report.subject.is_open_right);
    assert_eq!(
        chain(&report),
        ["1 Waiting chan receive 11..99 at 70,6 by 0 at "]
    );
    assert_eq!(report.chain_end, Some(ChainEnd::StillBlocked));
}

#[test]
fn what_reaches_into_a_window_counts_as_far_as_it_is_inside() {
    let file = lock_and_sleep();
    let window = Window::of(Some(Timestamp(30)), Some(Timestamp(126)));
    let search = SubjectSearch::new(Id::UserTask(UserTaskId(9)), None);
    let subject = pass(&file, window, search).expect("is there");
    assert_eq!(
        (subject.begin, subject.end),
        (Timestamp(30), Timestamp(126))
    );
    assert!(subject.is_open_left && subject.is_open_right);
    assert_eq!(
        (subject.name.as_str(), subject.gc_ns, subject.stopped_ns),
        ("request", 1, 1)
    );
    let window = Window::of(Some(Timestamp(126)), Some(Timestamp(127)));
    let subject = pass(&file, window, SubjectSearch::new(TASK_1, None)).expect("is there");
    assert_eq!((subject.gc_ns, subject.stopped_ns), (1, 0));
    let window = Window::since(Timestamp(146));
    let search = SubjectSearch::new(Id::UserTask(UserTaskId(9)), None);
    assert_eq!(pass(&file, window, search), None);
    assert_eq!(find(&file, Id::UserTask(UserTaskId(9)), Some(3)), None);
}

#[test]
fn a_chain_begins_where_it_is_asked_for() {
    let file = lock_and_sleep();
    let report = why(&file, TASK_1, Some(135));
    assert_eq!(chain(&report), ["1 Runnable  130..140 at  by 0 at "]);
    assert_eq!(report.chain_end, Some(ChainEnd::NotBlocked));
    let report = why(&file, Id::Task(TaskId(2)), None);
    assert_eq!(report.chain.len(), 1);
    assert_eq!(find(&file, TASK_1, Some(151)), None);
    assert_eq!(find(&file, Id::Task(TaskId(3)), None), None);
    assert_eq!(find(&file, Id::UserTask(UserTaskId(1)), None), None);
    // Of two lives of one id the longer one is meant, unless a moment is given.
    let twice = trace(&[
        (2, "GoCreate task=1 start_stack=1 stack=0"),
        (5, "GoStart task=1 seq=1"),
        (10, "GoEnd"),
        (20, "GoCreate task=1 start_stack=1 stack=0"),
        (25, "GoStart task=1 seq=1"),
        (60, "GoEnd"),
    ]);
    let begin = |at| find(&twice, TASK_1, at).map(|subject| subject.begin.0);
    assert_eq!((begin(None), begin(Some(7))), (Some(20), Some(2)));
    assert_eq!(why(&twice, TASK_1, None).chain_end, None);
}

#[test]
fn who_was_not_blocked_ends_a_chain() {
    let busy = trace(&[
        (2, "GoCreate task=1 start_stack=1 stack=0"),
        (3, "GoCreate task=2 start_stack=2 stack=0"),
        (5, "GoStart task=1 seq=1"),
        (10, "GoBlockRecv stack=3"),
        (12, "GoStart task=2 seq=1"),
        (80, "GoUnblock task=1 seq=2 stack=5"),
        (81, "GoEnd"),
    ]);
    let report = why(&busy, TASK_1, None);
    assert_eq!(
        chain(&report),
        [
            "1 Waiting chan receive 10..80 at 70,6 by 2 at 80,11",
            "2 Running  12..80 at  by 0 at ",
        ]
    );
    assert_eq!(report.chain_end, Some(ChainEnd::NotBlocked));
    let by_nobody = trace(&[
        (2, "GoCreate task=1 start_stack=1 stack=0"),
        (5, "GoStart task=1 seq=1"),
        (10, "GoBlockRecv stack=3"),
        (80, "GoUnblock task=1 seq=2 stack=0"),
    ]);
    assert_eq!(
        why(&by_nobody, TASK_1, None).chain_end,
        Some(ChainEnd::NotTold)
    );
}

#[test]
fn long_chains_are_cut() {
    let tasks = 100;
    let mut events = Vec::new();
    let mut now = 2;
    let mut push = |event: String| {
        now += 1;
        events.push((now, event));
    };
    for task in 1..=tasks {
        push(format!("GoCreate task={task} start_stack=1 stack=0"));
    }
    for task in 1..tasks {
        push(format!("GoStart task={task} seq=1"));
        push("GoBlockRecv stack=3".to_owned());
    }
    push(format!("GoStart task={tasks} seq=1"));
    for task in (1..tasks).rev() {
        push(format!("GoUnblock task={task} seq=2 stack=5"));
        push("GoEnd".to_owned());
        push(format!("GoStart task={task} seq=3"));
    }
    push("GoEnd".to_owned());
    let events: Vec<(u64, &str)> = events
        .iter()
        .map(|(at, event)| (*at, event.as_str()))
        .collect();
    let report = why(&trace(&events), TASK_1, None);
    assert_eq!(
        (report.chain.len(), report.chain_end),
        (64, Some(ChainEnd::Cut))
    );
    let waits = report
        .path
        .iter()
        .filter(|part| part.state == State::Waiting);
    assert_eq!(waits.map(|part| part.count).sum::<u64>(), 1);
}

#[test]
fn paths_of_all_tasks_add_up() {
    let (mut tasks, mut links) = (0, 0);
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let file = trace.bytes();
        if file.len() > 1 << 14 || Reader::tolerant(&file).is_err() {
            continue;
        }
        for task in (1..12).map(|task| Id::Task(TaskId(task))) {
            let Some(subject) = find(&file, task, None) else {
                continue;
            };
            let report = pass(&file, subject.window(), Why::new(subject));
            let sum: i64 = report.path.iter().map(|part| part.ns).sum();
            assert_eq!(sum, report.subject.ns(), "{}: {task}", trace.file());
            assert_eq!(report.chain.is_empty(), report.chain_end.is_none());
            for two in report.chain.windows(2) {
                let is_inside = two[0].begin <= two[1].begin && two[1].end <= two[0].end;
                assert!(is_inside, "{}: {two:?}", trace.file());
            }
            tasks += 1;
            links += report.chain.len();
        }
    }
    assert!(tasks > 100 && links > 50, "{tasks} tasks, {links} links");
}
