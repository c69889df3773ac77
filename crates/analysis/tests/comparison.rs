//! What is told to have changed between two traces: recordings of one program, with a change in it and without, and made-up ones.

use std::fmt::Write as _;
use std::path::Path;

use exectrace_analysis::{
    Analysis, Class, Comparison, Difference, Family, Findings, FindingsReport, Measure, Measures,
    MeasuresReport, Pass, Profile, ProfileType, RecordKind, Selection, SharedFilter, TaskState,
    Threshold, Topic, Verdict, Window, findings_beyond,
};
use exectrace_reader::{Mode, Reader, Source, Timestamp, UnpackLimit};
use exectrace_testkit::{Corpus, CorpusTrace, Random};

fn measures(file: &[u8], window: Window) -> MeasuresReport {
    report(file, window, Measures::default())
}

fn report<A: Analysis>(file: &[u8], window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::open(file, Mode::Tolerant).expect("has a header");
    let mut pass = Pass::new(window, analysis);
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

/// From when to when a trace goes, as Go's reader says.
fn span(trace: &CorpusTrace) -> Option<(Timestamp, Timestamp)> {
    let time = |column| trace.column(column).parse().ok().map(Timestamp);
    Some((time("start_ns")?, time("end_ns")?))
}

/// A recording of `comparison/requests.go`.
fn recorded(name: &str) -> MeasuresReport {
    measures(source(name).bytes(), Window::WHOLE)
}

fn source(name: &str) -> Source {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comparison");
    Source::open(folder.join(name), UnpackLimit::default()).expect("is there")
}

fn compare(old: &MeasuresReport, new: &MeasuresReport) -> Comparison {
    Comparison::of(old, new, Threshold::default())
}

fn changes(comparison: &Comparison) -> Vec<&Difference> {
    let differences = comparison.differences.iter();
    differences.filter(|it| it.verdict.is_change()).collect()
}

#[track_caller]
fn difference<'c>(comparison: &'c Comparison, topic: &Topic, measure: &Measure) -> &'c Difference {
    let mut differences = comparison.differences.iter();
    let found = differences.find(|it| it.topic == *topic && it.measure == *measure);
    found.unwrap_or_else(|| panic!("no {measure:?} of {topic:?}"))
}

fn user_task(name: &str) -> Topic {
    Topic::UserTask(name.to_owned())
}

#[test]
fn recordings_of_one_program_do_not_differ() {
    let (first, again) = (
        recorded("requests.trace.gz"),
        recorded("requests_again.trace.gz"),
    );
    for (old, new) in [(&first, &again), (&again, &first)] {
        let comparison = compare(old, new);
        assert!(comparison.compared(Family::Latencies) >= 6);
        assert!(comparison.compared(Family::Tasks) >= 10);
        assert_eq!(changes(&comparison), Vec::<&Difference>::new());
        assert!(comparison.judged() >= 6);
    }
    // Of another format, by another version of the language: it has other tasks of its own, and takes as long.
    let comparison = compare(&recorded("requests_1_19.trace.gz"), &first);
    assert_eq!(comparison.changed(Family::Latencies), 0);
    assert_eq!(comparison.worse().count(), 0);
}

fn filter(text: &str) -> SharedFilter {
    SharedFilter::parse(text, Measures::KINDS.into_iter().collect()).expect("is a filter")
}

#[test]
fn a_filter_that_lets_all_through_changes_nothing() {
    for name in ["requests.trace.gz", "requests_1_19.trace.gz"] {
        let source = source(name);
        let all = recorded(name);
        for text in [
            "begin >= 0",
            "!is_open_left || is_open_left",
            // What a task runs may be told after it did something.
            r#"task.function == "main.main" || task.function != "main.main""#,
            "unknown < 1m || unknown >= 1m",
        ] {
            let filtered = Measures::of(&filter(text));
            let filtered = report(source.bytes(), Window::WHOLE, filtered);
            assert!(filtered == all, "{name}: {text}");
        }
    }
}

#[test]
fn a_filter_chooses_tasks_and_what_they_did() {
    let (name, function) = ("requests.trace.gz", "main.handle");
    let source = source(name);
    let text = format!("task.function == \"{function}\"");
    let filtered = Measures::of(&filter(&text));
    let filtered = report(source.bytes(), Window::WHOLE, filtered);
    let comparison = compare(&recorded(name), &filtered);
    let mut stacks = 0;
    let mut selection = Selection::default();
    selection.filter = filter(&text).of(RecordKind::Stretch);
    let profile = Profile::of(ProfileType::OffCpu, selection);
    let profile = report(source.bytes(), Window::WHOLE, profile);
    for it in &comparison.differences {
        match (&it.topic, &it.measure) {
            (Topic::Group(group), _) => {
                assert_eq!(it.new == it.old, group == function, "{it:?}");
            }
            // What they do is none of a task.
            (Topic::UserTask(_) | Topic::Region(_), _) => assert_eq!(it.new, it.old),
            (Topic::Function(ProfileType::OffCpu, name), Measure::Flat) => {
                let mut functions = profile.functions.iter();
                let flat = functions.find(|it| it.function == *name);
                let ns = flat.map_or(0, |it| it.flat.ns) as f64;
                let share = ns / comparison.new_span_ns as f64;
                assert!((share - it.new.unwrap_or(0.0)).abs() < 1e-9, "{it:?}");
                stacks += usize::from(ns > 0.0);
            }
            _ => {}
        }
    }
    assert!(stacks > 0);
    // Latencies that are left out are no reason to take tasks for them.
    let none = Measures::of(&filter(r#"user_task.name == "none""#));
    let none = report(source.bytes(), Window::WHOLE, none);
    let comparison = compare(&none, &none);
    assert_eq!(comparison.told(Family::Latencies).count(), 0);
}

#[test]
fn a_recorded_change_is_told() {
    let slower = recorded("requests_slower.trace.gz");
    for old in ["requests.trace.gz", "requests_1_19.trace.gz"] {
        let comparison = compare(&recorded(old), &slower);
        let lookup = Topic::Region(String::from("lookup"));
        for topic in [user_task("request"), lookup] {
            let median = difference(&comparison, &topic, &Measure::Took(50));
            assert_eq!(median.verdict, Verdict::More, "{old}: {median:?}");
            assert!(median.is_worse() && median.p.is_some_and(|p| p < 0.001));
        }
        let render = Topic::Region(String::from("render"));
        let median = difference(&comparison, &render, &Measure::Took(50));
        assert_eq!(median.verdict, Verdict::Same, "{old}: {median:?}");
        let handle = Topic::Group(String::from("main.handle"));
        let blocked = difference(&comparison, &handle, &Measure::PerTask(TaskState::Blocked));
        assert_eq!(blocked.verdict, Verdict::More, "{old}: {blocked:?}");
        let lookup = Topic::Function(ProfileType::OffCpu, String::from("main.lookup"));
        let waits = difference(&comparison, &lookup, &Measure::Cumulative);
        assert_eq!(waits.verdict, Verdict::More, "{old}: {waits:?}");
    }
    let faster = compare(&slower, &recorded("requests.trace.gz"));
    let median = difference(&faster, &user_task("request"), &Measure::Took(50));
    assert_eq!((median.verdict, faster.worse().count()), (Verdict::Less, 0));
}

/// Shorter halves have no blocks.
const SPAN_NS_MIN: i64 = 160_000_000;

#[test]
fn halves_of_one_recording_seldom_differ() {
    let (mut compared, mut changed) = (0, Vec::new());
    let traces = Corpus::all().flat_map(|corpus| corpus.traces());
    for trace in traces.filter(|trace| trace.file().starts_with("recorded")) {
        let span = span(&trace).filter(|(first, last)| last.since_ns(*first) >= SPAN_NS_MIN);
        let Some((first, last)) = span else {
            continue;
        };
        let bytes = trace.bytes();
        let middle = Timestamp(first.0 + last.since_ns(first) / 2);
        let old = measures(&bytes, Window::until(middle));
        let new = measures(&bytes, Window::since(middle));
        let comparison = compare(&old, &new);
        compared += Family::ALL
            .map(|family| comparison.compared(family))
            .iter()
            .sum::<usize>();
        // What a program does in one half alone is none of chance's.
        let changes = changes(&comparison).into_iter().filter(|it| it.p.is_some());
        changed.extend(changes.map(|it| format!("{}: {it:?}", trace.file())));
    }
    assert!(compared > 50, "only {compared}");
    // Some programs do one thing after another, and their halves do differ.
    let latencies = changed.iter().filter(|it| it.contains("Took")).count();
    assert!(
        latencies == 0 && changed.len() <= compared / 500,
        "{} of {compared}:\n{}",
        changed.len(),
        changed.join("\n")
    );
}

/// A trace of user tasks of a name, one after another. How long each takes has much to do with how long the one before took, as in a
/// program that has quick times and slow ones; the mean is so many nanoseconds.
fn user_tasks(random: &mut Random, name: &str, count: u64, mean_ns: f64) -> Vec<u8> {
    let mut text = format!(
        "go 1.19 trace\nBatch worker=0 ticks=1000\nFrequency ticks_per_second=1000000000\n\
         String string=1 text=\"{name}\"\nProcStart dt=1 thread=7\nGoCreate dt=1 task=1 start_stack=0 stack=0\n\
         GoStart dt=1 task=1 seq=1\n"
    );
    let mut noise = 0.0;
    for id in 1..=count {
        // From -0.5 to 0.5.
        let unit = random.below(1_000) as f64 / 999.0 - 0.5;
        noise = 0.8 * noise + 0.25 * unit;
        let took = (mean_ns * (1.0 + noise)) as u64;
        writeln!(
            text,
            "UserTaskCreate dt=1000000 user_task={id} parent=0 name=1 stack=0\n\
             UserTaskEnd dt={took} user_task={id} stack=0"
        )
        .expect("a text takes all");
    }
    exectrace_format::text::parse(&text).expect("is a trace")
}

fn made(random: &mut Random, name: &str, count: u64, mean_ns: f64) -> MeasuresReport {
    measures(&user_tasks(random, name, count, mean_ns), Window::WHOLE)
}

#[test]
fn what_is_a_fifth_slower_is_told_and_what_is_not_is_not() {
    let mut random = Random::new(7);
    let (mut false_alarms, mut missed) = (0, 0);
    for _ in 0..40 {
        let old = made(&mut random, "request", 400, 1e6);
        let same = made(&mut random, "request", 400, 1e6);
        false_alarms += usize::from(!changes(&compare(&old, &same)).is_empty());
        let slower = made(&mut random, "request", 400, 1.2e6);
        let comparison = compare(&old, &slower);
        let median = difference(&comparison, &user_task("request"), &Measure::Took(50));
        missed += usize::from(median.verdict != Verdict::More);
        // 400 have eight blocks of 40 for it, but not of 100.
        let p99 = difference(&comparison, &user_task("request"), &Measure::Took(99));
        assert_eq!((p99.verdict, p99.p), (Verdict::TooFew, None));
    }
    assert!(false_alarms == 0 && missed <= 1, "{false_alarms} {missed}");
}

#[test]
fn what_is_too_little_is_no_change() {
    let mut random = Random::new(7);
    // 20 % of 50 µs.
    let old = made(&mut random, "request", 400, 5e4);
    let new = made(&mut random, "request", 400, 6e4);
    let verdict = |threshold| {
        let comparison = Comparison::of(&old, &new, threshold);
        difference(&comparison, &user_task("request"), &Measure::Took(50)).verdict
    };
    assert_eq!(verdict(Threshold::default()), Verdict::Same);
    let mut fine = Threshold::default();
    fine.ns = 1e3;
    assert_eq!(verdict(fine), Verdict::More);
    fine.relative = 0.5;
    assert_eq!(verdict(fine), Verdict::Same);
    // A twelfth of the instances, and twice as slow.
    let few = compare(
        &made(&mut random, "request", 30, 1e6),
        &made(&mut random, "request", 30, 2e6),
    );
    let median = difference(&few, &user_task("request"), &Measure::Took(50));
    assert_eq!((median.verdict, few.judged()), (Verdict::TooFew, 0));
}

#[test]
fn what_one_trace_has_alone_is_told_whatever_there_is_of_it() {
    let mut random = Random::new(7);
    let comparison = compare(
        &made(&mut random, "old", 5, 1e6),
        &made(&mut random, "new", 5, 1e6),
    );
    let verdict = |name| difference(&comparison, &user_task(name), &Measure::Took(50)).verdict;
    assert_eq!(
        (verdict("old"), verdict("new")),
        (Verdict::Gone, Verdict::New)
    );
    assert_eq!(comparison.worse().count(), 0);
}

/// A trace in which a task waits for a lock, so often and for so long.
fn waits(count: u32, ns: u32) -> MeasuresReport {
    let mut text = String::from(
        "go 1.19 trace\nBatch worker=0 ticks=1000\nFrequency ticks_per_second=1000000000\n\
         String string=1 text=\"main.work\"\nStack stack=1 frame=0x10,1,0,5\n\
         ProcStart dt=1 thread=7\nGoCreate dt=1 task=1 start_stack=1 stack=0\n\
         GoCreate dt=1 task=2 start_stack=0 stack=0\nGoStart dt=1 task=1 seq=1\n",
    );
    let every_ns = 1_000_000_000 / count;
    for wait in 0..count {
        let (block, start) = (2 * wait + 1, 2 * wait + 2);
        writeln!(
            text,
            "GoBlockSync dt={} stack=1\nGoStart dt=1 task=2 seq={block}\nGoUnblock dt={ns} task=1 seq={start} stack=0\n\
             GoSched dt=1 stack=0\nGoStart dt=1 task=1 seq={}",
            every_ns - ns,
            start + 1
        )
        .expect("a text takes all");
    }
    measures(
        &exectrace_format::text::parse(&text).expect("is a trace"),
        Window::WHOLE,
    )
}

#[test]
fn many_waits_are_a_change_and_one_is_none() {
    let group = Topic::Group(String::from("main.work"));
    let measure = Measure::Share(TaskState::Blocked);
    // A tenth of the time and a half, in waits of 1 ms and 5 ms; and in one.
    let comparison = compare(&waits(100, 1_000_000), &waits(100, 5_000_000));
    let many = difference(&comparison, &group, &measure);
    assert_eq!(many.verdict, Verdict::More, "{many:?}");
    let comparison = compare(&waits(1, 100_000_000), &waits(1, 500_000_000));
    let one = difference(&comparison, &group, &measure);
    assert_eq!(one.verdict, Verdict::Same, "{one:?}");
    assert!(one.old.is_some_and(|old| (old - 0.1).abs() < 0.01));
    assert!(one.new.is_some_and(|new| (new - 0.5).abs() < 0.01));
}

/// What is found in a trace in which a goroutine waits for a lock for so long, in 100 ms.
fn found(ns: u32) -> FindingsReport {
    let text = format!(
        "go 1.19 trace\nBatch worker=0 ticks=1000\nFrequency ticks_per_second=1000000000\n\
         String string=1 text=\"main.work\"\nString string=2 text=\"sync.(*Mutex).Lock\"\n\
         Stack stack=1 frame=0x20,2,0,7 frame=0x10,1,0,5\nProcStart dt=1 thread=7\n\
         GoCreate dt=1 task=1 start_stack=1 stack=0\nGoStart dt=1 task=1 seq=1\nGoBlockSync dt=1 stack=1\nProcStop dt=1\n\
         ProcStart dt={ns} thread=7\nGoUnblock dt=1 task=1 seq=2 stack=0\nGoStart dt=1 task=1 seq=3\nGoSched dt={} stack=1",
        100_000_000 - ns
    );
    let file = exectrace_format::text::parse(&text).expect("is a trace");
    let mut reader = Reader::open(&file, Mode::Tolerant).expect("has a header");
    let mut pass = Pass::new(Window::WHOLE, Findings::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

#[test]
fn a_finding_is_new_where_the_other_trace_lost_less_than_half_as_much() {
    let [short, middle, long] = [2_000_001, 10_000_000, 19_000_000].map(found);
    assert_eq!(findings_beyond(&middle, &short)[0].class, Class::LockWait);
    assert_eq!(findings_beyond(&short, &middle).len(), 0);
    assert_eq!(findings_beyond(&long, &middle).len(), 0);
    // What costs little is none, whatever the other one has.
    let none = found(100);
    assert_eq!(findings_beyond(&found(1_500_000), &none).len(), 0);
    assert_eq!(findings_beyond(&short, &none).len(), 1);
}
