//! What is found in small traces whose faults are known, and in all others.

use exectrace_analysis::{Class, Finding, Findings, FindingsReport, Pass, Severity, Window};
use exectrace_reader::{Reader, TaskId, Timestamp};
use exectrace_testkit::Corpus;

fn report(file: &[u8]) -> FindingsReport {
    report_in(file, Window::WHOLE)
}

fn report_in(file: &[u8], window: Window) -> FindingsReport {
    let mut reader = Reader::tolerant(file).expect("has a header");
    let mut pass = Pass::new(window, Findings::default());
    while let Some(event) = reader.next() {
        let event = event.expect("can be read");
        pass.event(&event, reader.tables());
    }
    pass.report(reader.tables())
}

/// What is found in a recording with one worker of a runtime and one that waits for work, ticks of 1 µs.
fn found(events: &str) -> Vec<Finding> {
    report(&recording(events)).findings
}

fn recording(events: &str) -> Vec<u8> {
    let file = format!(
        "go 1.19 trace
        Batch worker=900001 ticks=1
        UserLog dt=1 key=1 message=\"exectrace 0.1.0\"
        UserLog dt=1 key=2 message=\"worker=0 thread=70 role=worker name=runtime\"
        UserLog dt=1 key=2 message=\"worker=1 thread=71 role=worker name=runtime\"
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000
        String string=1 text=\"exectrace.writer\"
        String string=2 text=\"exectrace.thread\"
        String string=11 text=\"app::serve\"
        String string=12 text=\"app::work\"
        String string=13 text=\"app.rs\"
        String string=14 text=\"tokio::sync::mutex::Mutex<T>::lock\"
        String string=15 text=\"malloc\"
        Stack stack=1 frame=0x10,11,13,5
        Stack stack=2 frame=0x20,12,13,9
        Stack stack=3 frame=0x30,14,13,100 frame=0x21,12,13,30
        Stack stack=4 frame=0x40,15,13,200 frame=0x22,12,13,40
        Gomaxprocs dt=1 workers=2 stack=0
        ProcStart dt=1 thread=70
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoCreate dt=1 task=2 start_stack=2 stack=0
        {events}"
    );
    exectrace_format::text::parse(&file).expect("is a trace")
}

fn lines(count: usize, lines: &str) -> String {
    std::iter::repeat_n(lines, count)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_long_poll_costs_what_others_wait_for() {
    // Task 1 runs for 50 ms, and task 2 waits meanwhile.
    let events = "GoStart dt=10 task=2 seq=1
        GoSched dt=5 stack=2
        GoStart dt=10 task=1 seq=1
        GoEnd dt=50000
        GoStart dt=10 task=2 seq=2
        GoEnd dt=5";
    let found = found(events);
    let first = &found[0];
    assert_eq!(
        (first.class, first.severity),
        (Class::LongPoll, Severity::High)
    );
    assert_eq!((first.lost_ns, first.count), (50_000_000, 1));
    let place = first.place.as_ref().expect("is told");
    assert_eq!((place.function.as_str(), place.line), ("app::serve", 5));
    assert_eq!(first.evidence[0].task, TaskId(1));
    let ns = first.evidence[0].to.since_ns(first.evidence[0].from);
    assert_eq!(ns, 50_000_000);
    // What the long poll explains is no finding of its own.
    assert!(
        found
            .iter()
            .all(|finding| finding.class != Class::QueueWait),
        "{found:#?}"
    );
}

/// Two tasks that run in turns, each for as many µs as told; the other one waits meanwhile.
fn turns(polls_us: impl IntoIterator<Item = u64>) -> String {
    let mut events = String::new();
    for (number, us) in polls_us.into_iter().enumerate() {
        let (task, seq) = (1 + number % 2, 1 + number / 2);
        events += &format!(
            "GoStart dt=1 task={task} seq={seq}
            GoSched dt={us} stack={task}\n"
        );
    }
    events
}

#[test]
fn short_polls_are_no_finding() {
    assert_eq!(found(&turns([100; 40])), []);
}

#[test]
fn polls_that_are_long_now_and_then_may_be_the_kernels() {
    // A twentieth of them, one in 400, and one in 400 that is longer than a kernel takes.
    let polls = |long_us, every| {
        (0..800).map(move |number| if number % every == 0 { long_us } else { 100 })
    };
    let long = |findings: &[Finding]| {
        let mut findings = findings.iter();
        findings.any(|finding| finding.class == Class::LongPoll)
    };
    assert!(long(&found(&turns(polls(5_000, 20)))));
    assert!(!long(&found(&turns(polls(5_000, 400)))));
    assert!(long(&found(&turns(polls(50_000, 400)))));
}

#[test]
fn a_wait_for_a_lock_tells_the_line_that_waits_and_the_one_that_let_go() {
    let events = "GoStart dt=10 task=2 seq=1
        GoBlockSync dt=5 stack=3
        GoStart dt=10 task=1 seq=1
        GoBlockSync dt=5 stack=1
        ProcStop dt=1
        ProcStart dt=30000 thread=70
        GoUnblock dt=1 task=1 seq=2 stack=0
        GoStart dt=1 task=1 seq=3
        GoUnblock dt=5 task=2 seq=2 stack=1
        GoEnd dt=5
        GoStart dt=1 task=2 seq=3
        GoEnd dt=5";
    let found = found(events);
    let locks: Vec<&Finding> = found
        .iter()
        .filter(|finding| finding.class == Class::LockWait)
        .collect();
    // Task 1 waits in the same words, but for no lock.
    assert_eq!(locks.len(), 1, "{found:#?}");
    let place = locks[0].place.as_ref().expect("is told");
    assert_eq!((place.function.as_str(), place.line), ("app::work", 30));
    let cause = locks[0].cause.as_ref().expect("is told");
    assert_eq!((cause.function.as_str(), cause.line), ("app::serve", 5));
    assert_eq!(locks[0].evidence[0].stack[0].line, 100);
}

#[test]
fn an_idle_worker_beside_a_queue_is_found() {
    // Worker 1 stops, and the tasks wait for the other one.
    let events = "ProcStop dt=1
        ProcStart dt=20000 thread=70
        GoStart dt=10 task=1 seq=1
        GoEnd dt=5
        GoStart dt=10 task=2 seq=1
        GoEnd dt=5";
    let events = format!(
        "GoStart dt=1 task=1 seq=1
        GoSched dt=5 stack=1
        GoStart dt=1 task=2 seq=1
        GoSched dt=5 stack=2
        {}",
        events.replace("seq=1", "seq=2")
    );
    let found = found(&events);
    assert_eq!(found[0].class, Class::IdleWorker, "{found:#?}");
    // Two tasks for 20 ms.
    assert!(
        (40_000_000..40_200_000).contains(&found[0].lost_ns),
        "{found:#?}"
    );
}

#[test]
fn windows_share_what_reaches_over_their_bounds() {
    // One task runs for 50 ms beside one that waits; then both wait for 20 ms while the worker is idle.
    let file = recording(
        "GoStart dt=1 task=2 seq=1
        GoSched dt=5 stack=2
        GoStart dt=1 task=1 seq=1
        GoSched dt=50000 stack=1
        ProcStop dt=1
        ProcStart dt=20000 thread=70
        GoStart dt=10 task=1 seq=2
        GoEnd dt=5
        GoStart dt=10 task=2 seq=2
        GoEnd dt=5",
    );
    let mut reader = Reader::tolerant(&file).expect("has a header");
    let first = reader.next().expect("has events").expect("can be read");
    let lost_ns = |window, class| {
        let findings = report_in(&file, window).findings.into_iter();
        let of_class = findings.filter(|finding| finding.class == class);
        of_class.map(|finding| finding.lost_ns).sum::<i64>()
    };
    // In the middle of the run, and of the idle time.
    for (class, at_ns, whole_ns) in [
        (Class::LongPoll, 25_000_000, 50_000_000),
        (Class::IdleWorker, 60_000_000, 40_000_000),
    ] {
        let middle = Timestamp(first.time.0 + at_ns);
        let halves = [Window::until(middle), Window::since(middle)].map(|it| lost_ns(it, class));
        let whole = lost_ns(Window::WHOLE, class);
        assert!((whole - whole_ns).abs() < 200_000, "{class:?}: {whole}");
        assert!(halves.iter().all(|&half| half > 0), "{class:?}: {halves:?}");
        let sum: i64 = halves.iter().sum();
        assert!(
            (sum - whole).abs() < 2_000_000,
            "{class:?}: {halves:?} of {whole}"
        );
    }
}

#[test]
fn samples_in_the_allocator_are_told_at_the_line_that_allocates() {
    let samples = lines(30, "CPUSample dt=0 real_ticks=2000 worker=0 task=2 stack=4");
    let events = format!(
        "GoStart dt=10 task=2 seq=1
        GoEnd dt=900
        {samples}"
    );
    let found = found(&events);
    let allocation = found
        .iter()
        .find(|finding| finding.class == Class::Allocation)
        .expect("is found");
    let place = allocation.place.as_ref().expect("is told");
    assert_eq!((place.function.as_str(), place.line), ("app::work", 40));
    assert_eq!(allocation.count, 30);
}

/// Task 1 wakes three tasks that wait at one place, again and again; `found` of them find something to do, the others wait again.
fn herds(found: usize) -> String {
    let mut events = String::new();
    let mut next = [0; 6];
    let mut seq = |task: usize| {
        next[task] += 1;
        next[task]
    };
    for task in 3..6 {
        events += &format!("GoCreate dt=1 task={task} start_stack=2 stack=0\n");
    }
    for task in 3..6 {
        events += &format!(
            "GoStart dt=1 task={task} seq={}
            GoBlockCond dt=5 stack=2\n",
            seq(task)
        );
    }
    for _ in 0..30 {
        events += &format!("GoStart dt=1 task=1 seq={}\n", seq(1));
        for task in 3..6 {
            events += &format!("GoUnblock dt=1 task={task} seq={} stack=1\n", seq(task));
        }
        events += "GoSched dt=1 stack=1\n";
        for task in 3..6 {
            events += &format!("GoStart dt=1 task={task} seq={}\n", seq(task));
            if task < 3 + found {
                events += "UserLog dt=1 key=1 message=\"an item\"\n";
            }
            events += "GoBlockCond dt=50 stack=2\n";
        }
    }
    events
}

#[test]
fn those_of_a_herd_that_find_nothing_were_woken_in_vain() {
    let vain = |events: &str| {
        let mut findings = found(events).into_iter();
        findings.find(|finding| finding.class == Class::VainWake)
    };
    let of_one = vain(&herds(1)).expect("is found");
    assert_eq!((of_one.count, of_one.lost_ns), (60, 60 * 50_000));
    let place = of_one.place.as_ref().expect("is told");
    assert_eq!((place.function.as_str(), place.line), ("app::work", 9));
    let cause = of_one.cause.as_ref().expect("is told");
    assert_eq!((cause.function.as_str(), cause.line), ("app::serve", 5));
    assert_eq!(vain(&herds(2)).expect("is found").count, 30);
    // All found something, or all may have.
    assert_eq!(vain(&herds(3)), None);
    assert_eq!(vain(&herds(0)), None);
}

#[test]
fn findings_of_all_traces_are_ranked_and_have_evidence() {
    let mut classes = std::collections::BTreeSet::new();
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let bytes = trace.bytes();
        if Reader::tolerant(&bytes).is_err() {
            continue;
        }
        let report = report(&bytes);
        assert!(report.findings.is_sorted_by_key(|finding| -finding.lost_ns));
        for finding in &report.findings {
            assert!(finding.count > 0, "{}: {finding:#?}", trace.file());
            assert!(!finding.evidence.is_empty() && finding.evidence.len() <= 5);
            for case in &finding.evidence {
                assert!(case.from <= case.to, "{}: {finding:#?}", trace.file());
            }
            classes.insert(finding.class);
        }
    }
    // The traces that are shipped are too short for some.
    let expected: &[Class] = if Corpus::large().is_some() {
        &[
            Class::QueueWait,
            Class::StopTheWorld,
            Class::GcAssist,
            Class::LateTimer,
        ]
    } else {
        &[Class::QueueWait, Class::StopTheWorld]
    };
    for class in expected {
        assert!(classes.contains(class), "{class:?} is in none: {classes:?}");
    }
}
