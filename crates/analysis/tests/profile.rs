//! Profiles, stack by stack: against those that Go's own analyses make.

mod support;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use exectrace_analysis::{
    Analysis, Context, Interval, NamedFrame, Pass, Profile, ProfileReport, ProfileStack,
    ProfileType, Window,
};
use exectrace_reader::{Event, Kind, Mode, Reader, StackId, State, TaskId, Timestamp};
use exectrace_testkit::Corpus;
use serde_json::Value;

use support::oracle;

fn read<A: Analysis>(file: &[u8], mode: Mode, window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::open(file, mode).expect("has a header");
    let mut pass = Pass::new(window, analysis);
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

/// What is spent at a stack, in the terms of Go's analyses. The longest comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    ns: Reverse<i64>,
    count: u64,
    place: Place,
}

/// What is told of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    depth: usize,
    /// The innermost function.
    top: String,
    /// Its line, and the first eight addresses; in format v1 neither is told.
    line: u64,
    pcs: Vec<u64>,
}

impl Place {
    fn of<'f>(frames: impl Iterator<Item = &'f NamedFrame>, is_v1: bool) -> Self {
        let frames: Vec<&NamedFrame> = frames.collect();
        let mut place = Self {
            depth: frames.len(),
            ..Self::default()
        };
        if let Some(innermost) = frames.first() {
            place.top.clone_from(&innermost.function);
        }
        if let Some(innermost) = frames.first().filter(|_| !is_v1) {
            place.line = innermost.line;
            place.pcs = frames.iter().take(8).map(|frame| frame.pc).collect();
        }
        place
    }
}

impl Place {
    /// What has no address is no stack.
    fn or_none(self) -> Self {
        if self.pcs == [0] {
            Self::default()
        } else {
            self
        }
    }
}

impl Row {
    fn of(report: &ProfileReport, stack: &ProfileStack, is_v1: bool) -> Self {
        Self {
            ns: Reverse(stack.sums.ns),
            count: stack.sums.count,
            place: Place::of(report.frames_of(stack), is_v1),
        }
    }

    fn add(&mut self, other: &Self) {
        self.ns.0 += other.ns.0;
        self.count += other.count;
    }

    fn of_go(stack: &Value, is_v1: bool) -> Self {
        let number = |name: &str| stack[name].as_i64().expect("a number");
        let pcs = stack["PCs"].as_array().into_iter().flatten();
        Self {
            ns: Reverse(number("Ns")),
            count: number("N") as u64,
            place: Place {
                depth: number("Depth") as usize,
                top: stack["Top"].as_str().expect("a name").to_owned(),
                line: if is_v1 { 0 } else { number("Line") as u64 },
                pcs: pcs.map(|pc| pc.as_u64().expect("an address")).collect(),
            }
            .or_none(),
        }
    }
}

/// A profile as Go's analyses have it, in the two formats.
///
/// Where they differ from us, ours is right:
/// - v1: to Go's profile of synchronisation, what waits for the garbage collector belongs; a comment there wonders why, and Go 1.27
///   leaves it out.
/// - v1: in Go's profile of the scheduler, only tasks that were created or woken wait for a worker. Those that gave way, were
///   preempted or come back from a system call wait for one as well, which Go 1.27 counts.
/// - v1: what has no stack is not there for Go.
/// - v1: a file may hold a stack twice, which is two stacks for Go.
/// - v2: a stack of one frame without an address stands for none; for Go it is one now and then.
/// - v2: a task that is first told to be runnable or in a system call was so since the trace began; for Go, since it was told.
fn as_in_go(
    profile_type: ProfileType,
    report: &ProfileReport,
    off_cpu: &ProfileReport,
    firsts: &[First],
    is_v1: bool,
) -> Vec<Row> {
    let row = |report: &ProfileReport, stack| Row::of(report, stack, is_v1);
    let stacks = report.stacks.iter();
    if !is_v1 {
        // Here stacks are told apart by reasons, too.
        let mut whole: BTreeMap<&[u32], Row> = BTreeMap::new();
        for stack in stacks {
            let row = row(report, stack);
            whole
                .entry(&stack.frames)
                .and_modify(|all| all.add(&row))
                .or_insert(row);
        }
        let mut rows: Vec<Row> = whole.into_values().collect();
        add_firsts(&mut rows, profile_type, firsts);
        return rows;
    }
    let is_told = |stack: &&ProfileStack| !stack.frames.is_empty();
    let gave_way = ["runtime.Gosched", "yield", "preempted"];
    let stacks = stacks.filter(|stack| {
        is_told(stack)
            && (profile_type != ProfileType::Sched || !gave_way.contains(&stack.reason.as_str()))
    });
    let mut rows: Vec<Row> = stacks.map(|stack| row(report, stack)).collect();
    if profile_type == ProfileType::Sync {
        let off_cpu_stacks = off_cpu.stacks.iter().filter(is_told);
        let assists = off_cpu_stacks.filter(|it| it.reason == "GC mark assist wait for work");
        rows.extend(assists.map(|stack| row(off_cpu, stack)));
    }
    rows
}

fn add_firsts(rows: &mut Vec<Row>, profile_type: ProfileType, firsts: &[First]) {
    let state = match profile_type {
        ProfileType::Sched => State::Runnable,
        ProfileType::Syscall => State::Syscall,
        _ => return,
    };
    for first in firsts.iter().filter(|first| first.state == state) {
        let first = Row {
            ns: Reverse(first.ns),
            count: 1,
            place: first.place.clone(),
        };
        match rows.iter_mut().find(|row| row.place == first.place) {
            Some(row) => row.add(&first),
            None => rows.push(first),
        }
    }
}

/// What a task was when it was first told of, of those that were there before the trace.
#[derive(Clone, Debug)]
struct First {
    state: State,
    /// How long it was so since it was told.
    ns: i64,
    place: Place,
}

/// Finds them.
#[derive(Default)]
struct Firsts {
    told: HashMap<TaskId, (Timestamp, StackId)>,
    firsts: Vec<First>,
}

impl Analysis for Firsts {
    type Report = Vec<First>;

    fn event(&mut self, event: &Event, _: &Context<'_>) {
        if let Kind::TaskTransition {
            task,
            from: State::Undetermined,
            ..
        } = event.kind
        {
            self.told.insert(task, (event.time, event.stack));
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let Some((since, stack)) = self.told.remove(&interval.task) else {
            return;
        };
        let ns = interval.end.time.since_ns(since);
        if ns > 0 && !interval.is_open_right {
            let frames = context.tables.frames(stack);
            let innermost = frames.clone().next();
            let place = Place {
                depth: frames.len(),
                top: innermost.map_or_else(String::new, |it| {
                    context.tables.text(it.function).into_owned()
                }),
                line: innermost.map_or(0, |frame| frame.line),
                pcs: frames.take(8).map(|frame| frame.pc).collect(),
            }
            .or_none();
            self.firsts.push(First {
                state: interval.state,
                ns,
                place,
            });
        }
    }

    fn report(self, _: &Context<'_>) -> Vec<First> {
        self.firsts
    }
}

/// The profiles that Go has, too.
const GOS: [ProfileType; 4] = [
    ProfileType::Net,
    ProfileType::Sync,
    ProfileType::Syscall,
    ProfileType::Sched,
];

#[test]
fn profiles_are_those_of_gos_analyses() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let (mut faults, mut stacks) = (Vec::new(), 0);
    for trace in corpus.traces() {
        let Some(oracle) = oracle(&corpus, &trace) else {
            continue;
        };
        // Files of 1.5 have no names of functions, and Go's analysis of them no stacks.
        if trace.header() == "1.5" {
            continue;
        }
        let is_v1 = trace.format() == "v1";
        let profile = |profile_type| Profile::new(profile_type).ended();
        let [net, sync, syscall, sched] = GOS.map(profile);
        let analyses = (
            Firsts::default(),
            profile(ProfileType::OffCpu),
            net,
            sync,
            syscall,
            sched,
        );
        let (firsts, off_cpu, net, sync, syscall, sched) =
            read(&trace.bytes(), Mode::Strict, Window::WHOLE, analyses);
        for (profile_type, report) in GOS.into_iter().zip([net, sync, syscall, sched]) {
            let mut ours = as_in_go(profile_type, &report, &off_cpu, &firsts, is_v1);
            let fault = difference(&mut ours, &oracle["pprof"][profile_type.name()], is_v1);
            stacks += ours.len();
            if let Some(fault) = fault {
                faults.push(format!("{} {}: {fault}", trace.file(), profile_type.name()));
            }
        }
    }
    assert!(stacks > 1000, "only {stacks} stacks");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// How our profile differs from Go's, of which the longest stacks and the sums are told.
fn difference(ours: &mut [Row], gos: &Value, is_v1: bool) -> Option<String> {
    let names = if is_v1 {
        ["Records", "N", "Ns", "ByStack"]
    } else {
        ["records", "n", "ns", "by_stack_first8pcs"]
    };
    let [records, count, ns, stacks] = names.map(|name| &gos[name]);
    let stacks = stacks.as_array().into_iter().flatten();
    let mut stacks: Vec<Row> = stacks.map(|stack| Row::of_go(stack, is_v1)).collect();
    stacks.sort();
    ours.sort();
    let gos_sums = (count.as_u64()?, ns.as_i64()?);
    if sums(ours) != gos_sums {
        return Some(format!("{:?}, Go: {gos_sums:?}", sums(ours)));
    }
    let records = records.as_u64()? as usize;
    if is_v1 && ours.len() < records && records == stacks.len() {
        let is_same = by_place(ours) == by_place(&stacks);
        return (!is_same).then(|| format!("{ours:?}, Go: {stacks:?}"));
    }
    if ours.len() != records {
        return Some(format!("{} stacks, Go: {records}", ours.len()));
    }
    // Of stacks that are equally long, which ones Go tells is chance.
    let last = stacks.last().filter(|_| stacks.len() < records);
    let last_ns = last.map(|row| row.ns);
    let is_sure = |row: &&Row| Some(row.ns) != last_ns;
    let gos = stacks.iter().filter(is_sure);
    let mut ours = ours.iter().take(stacks.len()).filter(is_sure);
    let mut pairs = gos.map(|gos| (ours.next(), gos));
    let fault = pairs.find(|(ours, gos)| *ours != Some(gos));
    fault.map(|(ours, gos)| format!("{ours:?}, Go: {gos:?}"))
}

fn sums(rows: &[Row]) -> (u64, i64) {
    let (counts, times) = (
        rows.iter().map(|row| row.count),
        rows.iter().map(|row| row.ns.0),
    );
    (counts.sum(), times.sum())
}

fn by_place(rows: &[Row]) -> BTreeMap<&Place, (u64, i64)> {
    let mut places: BTreeMap<&Place, (u64, i64)> = BTreeMap::new();
    for row in rows {
        let (count, ns) = places.entry(&row.place).or_default();
        *count += row.count;
        *ns += row.ns.0;
    }
    places
}

/// The sums of all types.
fn all(bytes: &[u8], window: Window) -> Vec<(u64, i64)> {
    let [cpu, off_cpu, sched, net, sync, syscall] = ProfileType::ALL.map(Profile::new);
    let analyses = (cpu, off_cpu, sched, net, sync, syscall);
    let (cpu, off_cpu, sched, net, sync, syscall) = read(bytes, Mode::Tolerant, window, analyses);
    let reports = [cpu, off_cpu, sched, net, sync, syscall];
    reports
        .iter()
        .map(|report| {
            let sums = report.stacks.iter().map(|stack| stack.sums.ns);
            assert_eq!(sums.sum::<i64>(), report.sums.ns);
            let flat = report.functions.iter().map(|function| function.flat.ns);
            assert_eq!(flat.sum::<i64>(), report.sums.ns);
            (report.sums.count, report.sums.ns)
        })
        .collect()
}

#[test]
fn windows_add_up_to_the_whole() {
    let mut traces = 0;
    for trace in Corpus::shipped().traces() {
        let bytes = trace.bytes();
        let Some((begin, end)) = bounds(&bytes) else {
            continue;
        };
        let whole = all(&bytes, Window::WHOLE);
        let third = (end.0 - begin.0) / 3;
        let cuts = [begin.0 + third, begin.0 + 2 * third].map(Timestamp);
        let windows = [
            Window::until(cuts[0]),
            Window::of(Some(cuts[0]), Some(cuts[1])),
            Window::since(cuts[1]),
        ];
        let parts = windows.map(|window| all(&bytes, window));
        for (place, whole) in whole.iter().enumerate() {
            let ns: i64 = parts.iter().map(|part| part[place].1).sum();
            assert_eq!(
                ns,
                whole.1,
                "{} {:?}",
                trace.file(),
                ProfileType::ALL[place]
            );
        }
        traces += usize::from(whole.iter().any(|sums| sums.0 > 0));
    }
    assert!(traces > 20, "only {traces} traces");
}

/// The times of the first event and the last.
fn bounds(bytes: &[u8]) -> Option<(Timestamp, Timestamp)> {
    let reader = Reader::tolerant(bytes).ok()?;
    let mut bounds = None;
    for event in reader {
        let time = event.expect("can be read").time;
        let (_, end) = bounds.get_or_insert((time, time));
        *end = time;
    }
    bounds
}
