//! The times of tasks: against those that Go's own analyses find, and against the tasks' lives.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use exectrace_analysis::{Pass, TaskTime, TaskTimes, TaskTimesReport, Window};
use exectrace_reader::{Mode, Reader, Timestamp};
use exectrace_testkit::Corpus;
use serde_json::Value;

use support::oracle;

fn report(file: &[u8], mode: Mode) -> TaskTimesReport {
    let [report] = reports(file, mode, [Window::WHOLE]);
    report
}

fn reports<const N: usize>(file: &[u8], mode: Mode, windows: [Window; N]) -> [TaskTimesReport; N] {
    let mut reader = Reader::open(file, mode).expect("has a header");
    let mut passes = windows.map(|window| Pass::new(window, TaskTimes::default()));
    while let Some(event) = reader.next() {
        let event = event.expect("can be read");
        for pass in &mut passes {
            pass.event(&event, reader.tables());
        }
    }
    passes.map(|pass| pass.report(reader.tables()))
}

#[test]
fn the_states_of_a_task_add_up_to_its_life() {
    let mut tasks = 0;
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let bytes = trace.bytes();
        if Reader::tolerant(&bytes).is_err() {
            continue;
        }
        let report = report(&bytes, Mode::Tolerant);
        for task in &report.tasks {
            let life_ns = task.end.since_ns(task.begin);
            assert_eq!(task.times.life_ns(), life_ns, "{}: {task:?}", trace.file());
            tasks += 1;
        }
        let grouped: u64 = report.groups.iter().map(|group| group.life.count).sum();
        assert_eq!(grouped, report.tasks.len() as u64, "{}", trace.file());
        for group in &report.groups {
            for of_reason in &group.blocked_by_reason {
                assert_eq!(of_reason.spread.count, group.life.count);
            }
            let by_reason = group.blocked_by_reason.iter();
            let blocked_ns: i64 = by_reason.map(|it| it.spread.sum).sum();
            assert_eq!(blocked_ns, group.blocked.sum, "{}", trace.file());
            assert_eq!(group.sums.life_ns(), group.life.sum, "{}", trace.file());
        }
    }
    assert!(tasks > 500, "only {tasks} tasks");
}

#[test]
fn times_that_no_sum_holds_are_as_long_as_can_be() {
    // What fuzzing has found has times from one end to the other.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut longest = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let file = fs::read(&path).expect("a file");
        for group in report(&file, Mode::Tolerant).groups {
            assert!(group.sums.life_ns() >= 0, "{}", path.display());
            longest = longest.max(group.sums.life_ns());
        }
    }
    assert_eq!(longest, i64::MAX);
}

/// The sums of all tasks, by function.
fn sums(reports: &[TaskTimesReport]) -> BTreeMap<String, [i64; 6]> {
    let mut sums = BTreeMap::<String, [i64; 6]>::new();
    for group in reports.iter().flat_map(|report| &report.groups) {
        let of_windows = sums.entry(group.function.clone()).or_default();
        let times = &group.sums;
        let of_window = [
            times.running_ns,
            times.runnable_ns,
            times.syscall_ns,
            times.blocked_ns(),
            times.unknown_ns,
            group.gc_ns,
        ];
        for (sum, ns) in of_windows.iter_mut().zip(of_window) {
            *sum += ns;
        }
    }
    sums
}

#[test]
fn windows_that_follow_on_each_other_add_up_to_the_whole() {
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let bytes = trace.bytes();
        let Ok(reader) = Reader::tolerant(&bytes) else {
            continue;
        };
        let times: Vec<Timestamp> = reader.map(|event| event.expect("is read").time).collect();
        let [Some(&begin), Some(&end)] = [times.first(), times.last()] else {
            continue;
        };
        let third_ns = end.since_ns(begin) / 3;
        let (first, second) = (begin.0 + third_ns, begin.0 + 2 * third_ns);
        let [whole, windows @ ..] = reports(
            &bytes,
            Mode::Tolerant,
            [
                Window::WHOLE,
                Window::until(Timestamp(first)),
                Window::of(Some(Timestamp(first)), Some(Timestamp(second))),
                Window::since(Timestamp(second)),
            ],
        );
        let rows = sums(&windows);
        assert_eq!(rows, sums(&[whole]), "{}", trace.file());
        for task in windows.iter().flat_map(|window| &window.tasks) {
            let life_ns = task.end.since_ns(task.begin);
            assert_eq!(task.times.life_ns(), life_ns, "{}: {task:?}", trace.file());
        }
    }
}

/// What Go's analyses say of the tasks that run a function: how many, and nanoseconds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    tasks: i64,
    running: i64,
    /// `None` where Go and we rightly differ.
    runnable: Option<i64>,
    syscall: Option<i64>,
    blocked: BTreeMap<String, i64>,
    life: i64,
    /// What a collector marked meanwhile; Go 1.27 does not tell it.
    gc: Option<i64>,
}

type Rows = BTreeMap<String, Row>;

/// In v1, Go 1.19's analysis counts waiting for these as synchronisation.
const SYNCHRONISATION: [&str; 8] = [
    "chan send",
    "chan receive",
    "select",
    "sync",
    "sync.(*Cond).Wait",
    // In recordings of exectrace.
    "send",
    "receive",
    "notify",
];

/// A task as Go's analyses see it, in the two formats.
///
/// Where they differ from us, ours is right:
/// - To wait `forever` is the end of a task for Go; but it is there, and so are its stack and its memory.
/// - v1: a task that never ran has no function for Go, and all its life counts as waiting to run, also where the trace says that it
///   waited or was in a system call.
/// - v1: in Go's analysis a time of 0 stands for none. So the task that began the trace, at 0, does not wait for its first start.
/// - v1: a system call that is open at the begin of the trace is none for Go.
fn add_as_in_go(rows: &mut Rows, task: &TaskTime, is_v1: bool) {
    let times = &task.times;
    let forever_ns = blocked_ns(task, &["forever"]);
    let has_run = times.running_ns > 0;
    let name = if is_v1 && !has_run {
        ""
    } else {
        task.function.as_str()
    };
    let row = rows.entry(name.to_owned()).or_insert_with(|| Row {
        runnable: Some(0),
        syscall: Some(0),
        ..Row::default()
    });
    row.tasks += 1;
    row.running += times.running_ns;
    row.life += times.life_ns() - forever_ns;
    row.gc = row
        .gc
        .filter(|_| is_v1 && forever_ns == 0)
        .map(|sum| sum + task.gc_ns);
    let is_at_zero = is_v1 && task.begin == Timestamp(0) && task.is_created;
    let differs = is_v1 && !has_run;
    row.runnable = row
        .runnable
        .filter(|_| !differs && !is_at_zero)
        .map(|sum| sum + times.runnable_ns);
    let is_open_at_begin = is_v1 && !task.is_created && times.syscall_ns > 0;
    row.syscall = row
        .syscall
        .filter(|_| !differs && !is_open_at_begin)
        .map(|sum| sum + times.syscall_ns);
    if is_v1 && has_run {
        for (name, reasons) in [("IO", &["network"][..]), ("SyncBlock", &SYNCHRONISATION)] {
            *row.blocked.entry(name.to_owned()).or_default() += blocked_ns(task, reasons);
        }
    } else if !is_v1 {
        for blocked in times.blocked.iter().filter(|it| it.reason != "forever") {
            *row.blocked.entry(blocked.reason.clone()).or_default() += blocked.ns;
        }
    }
}

fn blocked_ns(task: &TaskTime, reasons: &[&str]) -> i64 {
    let blocked = task.times.blocked.iter();
    let of_reasons = blocked.filter(|blocked| reasons.contains(&blocked.reason.as_str()));
    of_reasons.map(|blocked| blocked.ns).sum()
}

/// What the table of Go's analyses says.
fn rows_of_go(oracle: &Value, is_v1: bool) -> Rows {
    let mut rows = Rows::new();
    for group in oracle["goroutine_groups"].as_array().into_iter().flatten() {
        let number = |name: &str| group[name].as_i64().expect("a number");
        let name = group["Name"].as_str().expect("a name");
        let row = rows.entry(name.to_owned()).or_insert_with(|| Row {
            runnable: Some(0),
            syscall: Some(0),
            gc: Some(0),
            ..Row::default()
        });
        row.tasks += number("N");
        row.running += number("Exec");
        row.life += number("Total");
        row.runnable = row.runnable.map(|sum| sum + number("SchedWait"));
        row.syscall = row.syscall.map(|sum| sum + number("Syscall"));
        row.gc = row.gc.filter(|_| is_v1).map(|sum| sum + number("GC"));
        if is_v1 && !name.is_empty() {
            for name in ["IO", "SyncBlock"] {
                *row.blocked.entry(name.to_owned()).or_default() += number(name);
            }
        } else if !is_v1 {
            row.syscall = row.syscall.map(|sum| sum + number("SyscallBlock"));
            for (reason, ns) in group["BlockByReason"].as_object().into_iter().flatten() {
                *row.blocked.entry(reason.clone()).or_default() += ns.as_i64().expect("a number");
            }
        }
    }
    rows
}

#[test]
fn groups_are_those_of_gos_analyses() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let mut groups = 0;
    let mut faults = Vec::new();
    for trace in corpus.traces() {
        let Some(oracle) = oracle(&corpus, &trace) else {
            continue;
        };
        // Files of 1.5 have no function names, and Go's analysis of them no groups.
        if trace.header() == "1.5" {
            continue;
        }
        let is_v1 = trace.format() == "v1";
        let mut ours = Rows::new();
        for task in &report(&trace.bytes(), Mode::Strict).tasks {
            add_as_in_go(&mut ours, task, is_v1);
        }
        let gos = rows_of_go(&oracle, is_v1);
        groups += gos.len();
        for name in ours.keys().chain(gos.keys()) {
            let (ours, gos) = (ours.get(name), gos.get(name));
            if !ours.zip(gos).is_some_and(|(ours, gos)| is_same(ours, gos)) {
                let file = trace.file();
                faults.push(format!("{file} {name:?}:\n  {ours:?}\n  Go: {gos:?}"));
            }
        }
    }
    assert!(groups > 1000, "only {groups} groups");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn is_same(ours: &Row, gos: &Row) -> bool {
    let is_same_if_told = |ours: Option<i64>, gos| ours.is_none() || ours == gos;
    (ours.tasks, ours.running, ours.life) == (gos.tasks, gos.running, gos.life)
        && is_same_if_told(ours.runnable, gos.runnable)
        && is_same_if_told(ours.syscall, gos.syscall)
        && is_same_if_told(ours.gc, gos.gc)
        && ours.blocked == gos.blocked
}
