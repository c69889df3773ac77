//! User tasks, regions and logs: against those that Go's own analyses find, and where a trace shows only a part of them.

mod support;

use std::collections::{BTreeMap, HashMap};

use exectrace_analysis::{Analysis, Annotations, AnnotationsReport, Context, Ended, Pass, Window};
use exectrace_reader::{
    Event, Kind, Mode, Reader, StackId, State, Tables, TaskId, Timestamp, UserTaskId,
};
use exectrace_testkit::{Corpus, CorpusTrace};
use serde_json::Value;

use support::oracle;

/// Regions that Go's analyses make up: a goroutine that is created inside a region has an unnamed one of the same user task, for all
/// its life. Ours are those of the program alone.
#[derive(Default)]
struct Inherited {
    is_v1: bool,
    /// User tasks of open regions.
    open: HashMap<TaskId, Vec<UserTaskId>>,
    regions: Vec<InheritedRegion>,
}

struct InheritedRegion {
    task: TaskId,
    stack: StackId,
    begin: Timestamp,
    end: Option<Timestamp>,
}

impl Analysis for Inherited {
    type Report = Vec<InheritedRegion>;

    fn event(&mut self, event: &Event, _: &Context<'_>) {
        match event.kind {
            Kind::UserRegionBegin { user_task, .. } => {
                self.open.entry(event.task).or_default().push(user_task);
            }
            Kind::UserRegionEnd { .. } => {
                self.open.entry(event.task).or_default().pop();
            }
            Kind::TaskTransition {
                task,
                from: State::NotExist,
                ..
            } => {
                let inner = self
                    .open
                    .get(&event.task)
                    .and_then(|open| open.last().copied());
                let inner = inner.filter(|&inner| !self.is_v1 || inner != UserTaskId(0));
                if let Some(user_task) = inner {
                    self.open.insert(task, vec![user_task]);
                    self.regions.push(InheritedRegion {
                        task,
                        stack: event.stack,
                        begin: event.time,
                        end: None,
                    });
                }
            }
            Kind::TaskTransition {
                task,
                to: State::NotExist,
                ..
            } => {
                self.open.remove(&task);
                for region in self.regions.iter_mut().filter(|region| region.task == task) {
                    region.end.get_or_insert(event.time);
                }
            }
            _ => {}
        }
    }

    fn report(self, context: &Context<'_>) -> Vec<InheritedRegion> {
        // The runtime's own goroutines inherit none.
        let lives = context
            .lives
            .iter()
            .map(|(_, life)| (life.task, life.function(context.tables)));
        let functions: HashMap<_, _> = lives.collect();
        let is_programs = |region: &InheritedRegion| {
            let function = functions.get(&region.task).copied().unwrap_or_default();
            let function = context.tables.text(function);
            let is_system = function.starts_with("runtime.") && function != "runtime.main";
            !is_system && (self.is_v1 || !function.is_empty())
        };
        let regions = self.regions.into_iter();
        regions.filter(is_programs).collect()
    }
}

/// What is found in a trace, and the times of its begin and end.
struct Found {
    annotations: AnnotationsReport,
    inherited: Vec<InheritedRegion>,
    begin: Timestamp,
    end: Timestamp,
}

fn find(reader: &mut Reader<'_>, is_v1: bool) -> Found {
    let inherited = Inherited {
        is_v1,
        ..Inherited::default()
    };
    let mut pass = Pass::new(Window::WHOLE, (Annotations::default(), inherited));
    let (mut begin, mut end) = (None, Timestamp(0));
    while let Some(event) = reader.next() {
        let event = event.expect("can be read");
        begin.get_or_insert(event.time);
        end = event.time;
        pass.event(&event, reader.tables());
    }
    let (annotations, inherited) = pass.report(reader.tables());
    let begin = begin.unwrap_or_default();
    Found {
        annotations,
        inherited,
        begin,
        end,
    }
}

fn annotations(file: &[u8], mode: Mode) -> AnnotationsReport {
    let mut reader = Reader::open(file, mode).expect("has a header");
    find(&mut reader, false).annotations
}

/// A user task in Go's words.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    is_complete: bool,
    start: i64,
    end: i64,
    parent: u64,
    children: usize,
    logs: Option<usize>,
}

/// User tasks as Go has them. A second end of a user task is the end for Go; of 1.27's it also takes the name away.
fn rows(found: &Found, is_v1: bool, tables: &Tables<'_>) -> BTreeMap<u64, Row> {
    let report = &found.annotations;
    let mut rows = BTreeMap::new();
    for (place, user_task) in report.user_tasks.iter().enumerate() {
        let is_second = |ended: Ended| matches!(ended, Ended::UserTask(it) if it.0 == place);
        let mut stray_ends = report.stray_ends.iter();
        let second_end = stray_ends
            .rfind(|it| is_second(it.ended))
            .map(|it| it.moment.time.0);
        let name = match (second_end, is_v1) {
            (Some(_), false) => String::new(),
            _ => tables.text(user_task.name).into_owned(),
        };
        let (start, end) = (
            user_task.begin.map(|it| it.time.0),
            user_task.end.map(|it| it.time.0),
        );
        let children = report
            .user_tasks
            .iter()
            .filter(|it| it.parent.is_some_and(|it| it.0 == place));
        let logs = report
            .logs
            .iter()
            .filter(|it| it.user_task.is_some_and(|it| it.0 == place));
        rows.insert(
            user_task.id.0,
            Row {
                name,
                is_complete: start.is_some() && end.is_some(),
                start: start.unwrap_or(if is_v1 { 0 } else { -1 }),
                end: second_end
                    .or(end)
                    .unwrap_or(if is_v1 { found.end.0 } else { -1 }),
                parent: user_task
                    .parent
                    .map_or(0, |it| report.user_tasks[it.0].id.0),
                children: children.count(),
                logs: (!is_v1).then(|| logs.count()),
            },
        );
    }
    rows
}

fn rows_of_go(oracle: &Value, is_v1: bool) -> BTreeMap<u64, Row> {
    let user_tasks = oracle["tasks"].as_array().into_iter().flatten();
    let row = |user_task: &Value| {
        let number = |key: &str| user_task[key].as_i64().expect("a number");
        let row = Row {
            name: user_task["Name"].as_str().expect("a name").to_owned(),
            is_complete: user_task["Complete"].as_bool().expect("a flag"),
            start: number("Start"),
            end: number("End"),
            parent: number("Parent") as u64,
            children: number("Children") as usize,
            logs: (!is_v1).then(|| number("Logs") as usize),
        };
        (number("ID") as u64, row)
    };
    // Go's 0 is no user task.
    user_tasks.map(row).filter(|(id, _)| *id != 0).collect()
}

/// Regions by name, function and line: how many, and nanoseconds.
type Regions = BTreeMap<(String, String, u64), (usize, i64)>;

/// Regions as Go has them. Of the stack where one began Go 1.19 takes the innermost frame, and Go 1.27 the outermost, which is where
/// its goroutine began.
fn regions(found: &Found, is_v1: bool, tables: &Tables<'_>) -> Regions {
    let place = |stack: StackId| {
        let mut frames = tables.frames(stack);
        let frame = if is_v1 { frames.next() } else { frames.last() };
        frame.map_or_else(Default::default, |it| {
            (tables.text(it.function).into_owned(), it.line)
        })
    };
    let programs = found.annotations.regions.iter().map(|region| {
        let end = region.end.map(|it| it.time).or(region.task_end);
        let begin = region.begin.map(|it| it.time);
        let stack = region.begin.map(|it| it.stack).unwrap_or_default();
        (tables.text(region.name).into_owned(), stack, begin, end)
    });
    let inherited = found
        .inherited
        .iter()
        .map(|it| (String::new(), it.stack, Some(it.begin), it.end));
    let mut regions = Regions::new();
    for (name, stack, begin, end) in programs.chain(inherited) {
        let (function, line) = place(stack);
        let (count, ns) = regions.entry((name, function, line)).or_default();
        *count += 1;
        *ns += end
            .unwrap_or(found.end)
            .since_ns(begin.unwrap_or(found.begin));
    }
    regions
}

fn regions_of_go(oracle: &Value) -> Regions {
    let regions = oracle["regions"].as_array().into_iter().flatten();
    let region = |region: &Value| {
        let text = |key: &str| region[key].as_str().expect("a text").to_owned();
        let number = |key: &str| region[key].as_i64().expect("a number");
        let key = (text("Type"), text("Fn"), number("Line") as u64);
        (key, (number("N") as usize, number("Ns")))
    };
    regions.map(region).collect()
}

/// A trace where they differ, how Go and how we have them.
fn check<K: Ord + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
    trace: &CorpusTrace,
    ours: &BTreeMap<K, V>,
    gos: &BTreeMap<K, V>,
    faults: &mut Vec<String>,
) {
    for key in ours.keys().chain(gos.keys()) {
        let (ours, gos) = (ours.get(key), gos.get(key));
        if ours != gos {
            faults.push(format!(
                "{} {key:?}:\n  {ours:?}\n  Go: {gos:?}",
                trace.file()
            ));
        }
    }
}

#[test]
fn user_tasks_and_regions_are_those_of_gos_analyses() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let (mut user_tasks, mut places) = (0, 0);
    let mut faults = Vec::new();
    for trace in corpus.traces() {
        let Some(oracle) = oracle(&corpus, &trace) else {
            continue;
        };
        let is_v1 = trace.format() == "v1";
        let bytes = trace.bytes();
        let mut reader = Reader::new(&bytes).expect("has a header");
        let found = find(&mut reader, is_v1);
        let gos = rows_of_go(&oracle, is_v1);
        let mut ours = rows(&found, is_v1, reader.tables());
        // Only the first 400 are listed.
        if gos.len() >= 399 {
            ours.retain(|id, _| gos.contains_key(id));
        }
        check(&trace, &ours, &gos, &mut faults);
        let ours = regions(&found, is_v1, reader.tables());
        check(&trace, &ours, &regions_of_go(&oracle), &mut faults);
        user_tasks += gos.len();
        places += ours.len();
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        user_tasks > 500 && places > 50,
        "{user_tasks} user tasks, {places} places"
    );
}

/// Reads what a program of the corpus recorded with two toolchains, as a tolerant reader has it.
fn recorded(program: &str, check: impl Fn(&AnnotationsReport, &Tables<'_>)) {
    for by in ["go1.19", "go1.27"] {
        let trace = Corpus::shipped().trace(&format!("recorded/{by}/{program}.trace"));
        let bytes = trace.bytes();
        let mut reader = Reader::tolerant(&bytes).expect("has a header");
        let found = find(&mut reader, trace.format() == "v1");
        check(&found.annotations, reader.tables());
    }
}

#[test]
fn a_region_that_began_before_the_trace_has_no_begin() {
    recorded("early_region", |report, tables| {
        let [region] = &report.regions[..] else {
            panic!("{:?}", report.regions);
        };
        assert_eq!(tables.text(region.name), "early");
        assert!(region.begin.is_none() && region.end.is_some(), "{region:?}");
        assert_eq!(report.stray_ends, []);
    });
}

#[test]
fn a_second_end_of_a_region_ends_nothing() {
    for (program, regions) in [
        ("ended_twice", &["twice"][..]),
        ("ended_twice_inside", &["outer", "twice"]),
    ] {
        recorded(program, |report, tables| {
            let names: Vec<_> = report
                .regions
                .iter()
                .map(|it| tables.text(it.name))
                .collect();
            assert_eq!(names, regions);
            let are_closed = report
                .regions
                .iter()
                .all(|it| it.begin.is_some() && it.end.is_some());
            assert!(are_closed, "{:?}", report.regions);
            let [stray] = &report.stray_ends[..] else {
                panic!("{:?}", report.stray_ends);
            };
            let twice = report.regions.last().expect("has regions");
            assert_eq!(stray.ended, Ended::Region(None, twice.name));
            assert!(stray.moment.time > twice.end.expect("is closed").time);
            // What is around it goes on.
            let outer = report.regions[0].end.expect("is closed").time;
            assert!(regions.len() == 1 || stray.moment.time < outer);
        });
    }
}

#[test]
fn what_never_ends_has_no_end_and_keeps_its_logs() {
    recorded("left_open", |report, tables| {
        let region = &report.regions[0];
        assert!(region.begin.is_some() && region.end.is_none() && region.task_end.is_none());
        let user_task = &report.user_tasks[0];
        assert!(user_task.begin.is_some() && user_task.end.is_none());
        assert_ne!(tables.text(user_task.name), "");
        let log = report.logs.iter().find(|log| log.user_task.is_some());
        assert_eq!(
            log.and_then(|log| log.user_task).map(|place| place.0),
            Some(0)
        );
    });
}

#[test]
fn a_user_task_from_before_the_trace_stands_for_itself() {
    recorded("early_task", |report, tables| {
        let [parent, child] = &report.user_tasks[..] else {
            panic!("{:?}", report.user_tasks);
        };
        assert_eq!(
            (parent.id, parent.begin, parent.parent),
            (UserTaskId(1), None, None)
        );
        assert!(parent.end.is_some());
        assert_eq!(tables.text(child.name), "child");
        assert_eq!(child.parent.map(|place| place.0), Some(0));
        assert!(child.begin.is_some() && child.end.is_some());
        let [log] = &report.logs[..] else {
            panic!("{:?}", report.logs);
        };
        assert_eq!(log.user_task.map(|place| place.0), Some(0));
        assert_eq!(report.stray_ends, []);
    });
}

/// A trace of version 1.19, with names 1 to 3: a, b and c.
fn text(lines: &str) -> Vec<u8> {
    let text = format!(
        "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"a\"
        String string=2 text=\"b\"
        String string=3 text=\"exectrace.clock\"
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=0 stack=0
        GoStart dt=1 task=1 seq=1
        {lines}"
    );
    exectrace_format::text::parse(&text).expect("is a trace")
}

#[test]
fn regions_nest_and_end_with_their_task() {
    let file = text(
        "UserRegion dt=1 user_task=0 mode=0 name=1 stack=0
        UserLog dt=1 user_task=0 key=2 message=\"within\"
        UserRegion dt=1 user_task=0 mode=0 name=2 stack=0
        UserRegion dt=1 user_task=0 mode=1 name=2 stack=0
        UserLog dt=1 user_task=0 key=3 message=\"of the recording itself\"
        GoEnd dt=5",
    );
    let report = annotations(&file, Mode::Strict);
    let [outer, inner] = &report.regions[..] else {
        panic!("{:?}", report.regions);
    };
    assert_eq!(
        (outer.parent, inner.parent.map(|place| place.0)),
        (None, Some(0))
    );
    assert_eq!((outer.end, outer.task_end.is_some()), (None, true));
    assert_eq!(report.logs.len(), 1);
    assert_eq!(report.logs[0].region.map(|place| place.0), Some(0));
}

#[test]
fn an_id_that_is_used_again_is_another_user_task() {
    let file = text(
        "UserTaskCreate dt=1 user_task=4 parent=9 name=1 stack=0
        UserTaskEnd dt=1 user_task=4 stack=0
        UserTaskEnd dt=1 user_task=4 stack=0
        UserTaskCreate dt=1 user_task=4 parent=4 name=2 stack=0",
    );
    let report = annotations(&file, Mode::Tolerant);
    let ids: Vec<u64> = report.user_tasks.iter().map(|it| it.id.0).collect();
    assert_eq!(ids, [9, 4, 4]);
    assert_eq!(report.user_tasks[1].parent.map(|place| place.0), Some(0));
    assert_eq!(report.user_tasks[2].end, None);
    let [stray] = &report.stray_ends[..] else {
        panic!("{:?}", report.stray_ends);
    };
    assert!(matches!(stray.ended, Ended::UserTask(place) if place.0 == 1));
}

#[test]
fn what_reaches_into_a_window_has_its_begin() {
    let file = text(
        "UserTaskCreate dt=10 user_task=4 parent=0 name=1 stack=0
        UserRegion dt=10 user_task=4 mode=0 name=2 stack=0
        UserRegion dt=10 user_task=4 mode=1 name=2 stack=0
        UserTaskEnd dt=10 user_task=4 stack=0",
    );
    let mut reader = Reader::new(&file).expect("has a header");
    let window = Window::of(Some(Timestamp(25)), Some(Timestamp(35)));
    let mut pass = Pass::new(window, Annotations::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    let report = pass.report(reader.tables());
    let time = |moment: Option<exectrace_analysis::Moment>| moment.map(|moment| moment.time.0);
    let user_task = &report.user_tasks[0];
    assert_eq!(
        (time(user_task.begin), time(user_task.end)),
        (Some(12), None)
    );
    let region = &report.regions[0];
    assert_eq!((time(region.begin), time(region.end)), (Some(22), Some(32)));
}
