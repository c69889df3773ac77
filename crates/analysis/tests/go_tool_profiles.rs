//! Profiles against those that `go tool trace -pprof` makes, frame by frame.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use exectrace_analysis::{
    Analysis, Context, Interval, LifeId, Pass, Profile, ProfileReport, ProfileStack, ProfileType,
    Window,
};
use exectrace_reader::{Event, Frame, Reader, StackId, State, Tables};
use exectrace_testkit::{Corpus, Go, PROFILES, Scratch};

/// How often and how long, by stack; a frame is told as `go tool pprof -raw` does.
type Samples = BTreeMap<Vec<String>, (i64, i64)>;

fn add(samples: &mut Samples, stack: Vec<String>, count: i64, ns: i64) {
    let (all_count, all_ns) = samples.entry(stack).or_default();
    *all_count += count;
    *all_ns += ns;
}

/// Go's profile of a trace.
fn samples_of_go(go: &Go, trace: &Path, profile_type: ProfileType, scratch: &Scratch) -> Samples {
    let profile = go.profile(trace, profile_type.name());
    let file = scratch.file("profile.pb.gz", &profile.expect("is printed"));
    let mut samples = Samples::new();
    for sample in go.pprof_samples(&file).expect("is a profile") {
        let [count, ns] = sample.values[..] else {
            panic!("{sample:?}");
        };
        // What has no address is no stack.
        let is_told = !sample.stack.iter().all(|frame| frame.starts_with("0x0 "));
        let stack = if is_told { sample.stack } else { Vec::new() };
        add(&mut samples, stack, count, ns);
    }
    samples
}

fn frame_as_in_go(pc: u64, function: &str, file: &str, line: u64) -> String {
    format!("{pc:#x} {function} {file}:{line}")
}

/// The waits for a worker before a task's first run, by stack.
#[derive(Default)]
struct FirstWaits {
    waits: Samples,
    have_run: HashSet<LifeId>,
}

impl Analysis for FirstWaits {
    type Report = Samples;

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        if interval.state == State::Running {
            self.have_run.insert(interval.life);
        }
        let is_ended = !interval.is_open_left && !interval.is_open_right && interval.ns() > 0;
        let is_first = !self.have_run.contains(&interval.life);
        if is_first && is_ended && interval.state == State::Runnable {
            let stack = stack_as_in_go(interval.begin.writer_stack, context.tables);
            add(&mut self.waits, stack, 1, interval.ns());
        }
    }

    fn report(self, _: &Context<'_>) -> Samples {
        self.waits
    }
}

fn stack_as_in_go(stack: StackId, tables: &Tables<'_>) -> Vec<String> {
    let frame = |frame: &Frame| {
        let (function, file) = (tables.text(frame.function), tables.text(frame.file));
        frame_as_in_go(frame.pc, &function, &file, frame.line)
    };
    let frames = tables.frames(stack).filter(|frame| frame.pc != 0);
    frames.map(frame).collect()
}

/// Ours, with those stacks that a filter takes.
fn samples(report: &ProfileReport, takes: impl Fn(&ProfileStack) -> bool) -> Samples {
    let mut samples = Samples::new();
    for stack in report.stacks.iter().filter(|stack| takes(stack)) {
        let frames = report
            .frames_of(stack)
            .map(|frame| frame_as_in_go(frame.pc, &frame.function, &frame.file, frame.line));
        let count = i64::try_from(stack.sums.count).expect("is few");
        add(&mut samples, frames.collect(), count, stack.sums.ns);
    }
    samples
}

/// A profile as the tool of Go 1.19 has it; `profile.rs` tells where it differs, and why.
fn as_in_1_19(profile_type: ProfileType, ours: &ProfileReport, off_cpu: &ProfileReport) -> Samples {
    let is_told = |stack: &ProfileStack| !stack.frames.is_empty();
    let gave_way = ["runtime.Gosched", "yield", "preempted"];
    let mut all = samples(ours, |stack| {
        let is_woken = !gave_way.contains(&stack.reason.as_str());
        is_told(stack) && (is_woken || profile_type != ProfileType::Sched)
    });
    if profile_type == ProfileType::Sync {
        let is_assist = |stack: &ProfileStack| stack.reason == "GC mark assist wait for work";
        for (stack, (count, ns)) in samples(off_cpu, |stack| is_told(stack) && is_assist(stack)) {
            add(&mut all, stack, count, ns);
        }
    }
    all
}

/// A profile as the tool of Go 1.27 has it: for it a task is there since its first run, so that what it waited for before is lost.
fn as_in_1_27(profile_type: ProfileType, ours: &ProfileReport, first_waits: &Samples) -> Samples {
    let mut all = samples(ours, |_| true);
    if profile_type == ProfileType::Sched {
        for (stack, (count, ns)) in first_waits {
            add(&mut all, stack.clone(), -count, -ns);
        }
        all.retain(|_, (count, _)| *count > 0);
    }
    all
}

#[test]
fn profiles_are_those_of_gos_tools() {
    let (Some(go_1_19), Some(go_1_27)) = (Go::v1_19(), Go::v1_27()) else {
        return;
    };
    let scratch = Scratch::new("go-tool-profiles");
    let (mut faults, mut stacks) = (Vec::new(), 0);
    for trace in Corpus::shipped().traces() {
        // Files of 1.5 have no names of functions, and the tool of 1.19 wants no version but those before 1.21.
        let is_v1 = trace.format() == "v1";
        let is_for_tool = !is_v1 || !["1.5", "1.21"].contains(&trace.header());
        if trace.verdict() != "accepted" || !is_for_tool || trace.file().starts_with("handmade/") {
            continue;
        }
        let file = trace.unpacked(&scratch);
        for profile_type in ProfileType::ALL {
            if !PROFILES.contains(&profile_type.name()) {
                continue;
            }
            let profile = |profile_type| Profile::new(profile_type).ended();
            let analyses = (
                profile(profile_type),
                profile(ProfileType::OffCpu),
                FirstWaits::default(),
            );
            let (ours, off_cpu, first_waits) = read(&trace.bytes(), analyses);
            let (ours, go) = if is_v1 {
                (as_in_1_19(profile_type, &ours, &off_cpu), go_1_19)
            } else {
                (as_in_1_27(profile_type, &ours, &first_waits), go_1_27)
            };
            let gos = samples_of_go(go, &file, profile_type, &scratch);
            stacks += gos.len();
            let keys = ours.keys().chain(gos.keys());
            let mut different = keys.filter(|stack| ours.get(*stack) != gos.get(*stack));
            if let Some(stack) = different.next() {
                let (ours, gos) = (ours.get(stack), gos.get(stack));
                let name = profile_type.name();
                faults.push(format!(
                    "{} {name}: {ours:?}, Go: {gos:?} {stack:?}",
                    trace.file()
                ));
            }
        }
    }
    assert!(stacks > 100, "only {stacks} stacks");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn read<A: Analysis>(file: &[u8], analysis: A) -> A::Report {
    let mut reader = Reader::new(file).expect("has a header");
    let mut pass = Pass::new(Window::WHOLE, analysis);
    while let Some(event) = reader.next() {
        let event: Event = event.expect("can be read");
        pass.event(&event, reader.tables());
    }
    pass.report(reader.tables())
}
