//! Profiles and blockers of a trace that fits on a page.

use exectrace_analysis::{
    Analysis, Blockers, BlockersReport, Filter, Pass, Profile, ProfileReport, ProfileType,
    RecordKind, Selection, TaskTime, TaskTimes, UserTaskChoice, Waker, Window,
};
use exectrace_reader::{Reader, State, TaskId, Timestamp, UserTaskId};
use exectrace_testkit::Corpus;

/// Two tasks, on one worker, in nanoseconds since the first event:
///
/// - task 1 (`serve`) is runnable 1–12, runs, calls the system 23–50, which is told to block at 28, is runnable until 55, runs until
///   65, waits for a channel until 90, which a timer sends to, and is runnable until the end at 100;
/// - task 2 (`work`) is runnable 2–32, runs until 40, waits for a lock until 60, when task 1 unlocks it, is runnable until 66, and runs
///   until it ends at 100.
const TRACE: &str = "go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    String string=1 text=\"serve\"
    String string=2 text=\"work\"
    String string=3 text=\"lock\"
    String string=4 text=\"read\"
    String string=5 text=\"request\"
    String string=6 text=\"part\"
    String string=7 text=\"app.rs\"
    Stack stack=1 frame=0x10,1,7,1
    Stack stack=2 frame=0x20,2,7,2
    Stack stack=3 frame=0x30,3,7,3 frame=0x21,2,7,4
    Stack stack=4 frame=0x40,4,7,5 frame=0x11,1,7,6
    Stack stack=5 frame=0x50,3,7,7 frame=0x51,3,7,8 frame=0x22,2,7,9
    Stack stack=6 frame=0x60,2,7,10 frame=0x12,1,7,11
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=1 start_stack=1
    GoCreate dt=1 task=2 start_stack=2 stack=6
    GoStart dt=10 task=1 seq=1
    UserTaskCreate dt=1 user_task=70 name=5
    UserTaskCreate dt=1 user_task=71 parent=70 name=6
    GoSysCall dt=9 stack=4
    GoSysBlock dt=5
    ProcStop dt=1
    ProcStart dt=1 thread=8
    GoStart dt=2 task=2 seq=1
    GoBlockSync dt=8 stack=3
    GoSysExit dt=10 task=1 seq=2
    GoStart dt=5 task=1 seq=3
    GoUnblock dt=5 task=2 seq=2 stack=6
    UserTaskEnd dt=1 user_task=71
    UserTaskEnd dt=1 user_task=70
    GoBlockRecv dt=3 stack=4
    GoStart dt=1 task=2 seq=3
    CPUSample dt=1 real_ticks=1069 task=2 stack=5
    CPUSample dt=1 real_ticks=1071 task=2 stack=3
    UserRegion dt=10 user_task=70 name=6
    CPUSample dt=1 real_ticks=1080 task=2 stack=3
    UserRegion dt=1 user_task=70 mode=1 name=6
    GoEnd dt=20
    Batch worker=-1 ticks=1091
    GoUnblock dt=0 task=1 seq=4";

fn read<A: Analysis>(window: Window, analysis: A) -> A::Report {
    read_trace(TRACE, window, analysis)
}

fn read_trace<A: Analysis>(trace: &str, window: Window, analysis: A) -> A::Report {
    let file = exectrace_format::text::parse(trace).expect("is a trace");
    read_bytes(&file, window, analysis)
}

fn read_bytes<A: Analysis>(file: &[u8], window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::new(file).expect("has a header");
    let mut pass = Pass::new(window, analysis);
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

/// Stacks as text, innermost first: `lock<work sync 1x20ns`, those that are open marked.
fn lines(report: &ProfileReport) -> Vec<String> {
    let stacks = report.stacks.iter().map(|stack| {
        let names: Vec<_> = report.frames_of(stack).map(|frame| frame.name()).collect();
        let reason = match stack.state {
            State::Waiting => stack.reason.as_str(),
            State::Runnable => "runnable",
            State::Syscall => "syscall",
            _ => "cpu",
        };
        let (count, ns) = (stack.sums.count, stack.sums.ns);
        let open = match stack.sums.open_ns {
            0 => String::new(),
            open_ns => format!(" open {}x{open_ns}", stack.sums.open_count),
        };
        format!("{} {reason} {count}x{ns}{open}", names.join("<"))
    });
    stacks.collect()
}

#[track_caller]
fn check(profile_type: ProfileType, window: Window, expect: &[&str]) {
    assert_eq!(lines(&read(window, Profile::new(profile_type))), expect);
}

fn window(from: i64, to: i64) -> Window {
    Window::of(Some(Timestamp(from)), Some(Timestamp(to)))
}

#[test]
fn each_type_counts_its_states_at_its_stacks() {
    let whole = Window::WHOLE;
    check(
        ProfileType::Sync,
        whole,
        &["read<serve chan receive 1x25", "lock<work sync 1x20"],
    );
    check(ProfileType::Net, whole, &[]);
    // From the begin of the call, not from when it was told to block.
    check(ProfileType::Syscall, whole, &["read<serve syscall 1x27"]);
    // Where others, or nobody's code, let them run.
    check(
        ProfileType::Sched,
        whole,
        &["work<serve runnable 2x36", " runnable 3x26 open 1x10"],
    );
    check(
        ProfileType::OffCpu,
        whole,
        &[
            "work runnable 1x30",
            "read<serve chan receive 1x25",
            "read<serve syscall 1x22",
            "lock<work sync 1x20",
            "read<serve runnable 2x15 open 1x10",
            "serve runnable 1x11",
            "lock<work runnable 1x6",
        ],
    );
}

#[test]
fn what_is_cut_by_a_window_counts_as_far_as_it_is_inside() {
    // Of a call it does not matter when it was told to block.
    let call = "read<serve syscall 1x";
    for (from, to, inside) in [
        (0, 25, 2),
        (24, 26, 2),
        (25, 40, 15),
        (26, 100, 24),
        (30, 45, 15),
    ] {
        let expect = format!("{call}{inside} open 1x{inside}");
        check(ProfileType::Syscall, window(from, to), &[&expect]);
    }
    check(
        ProfileType::Syscall,
        window(23, 50),
        &["read<serve syscall 1x27"],
    );
    check(ProfileType::Syscall, window(50, 60), &[]);
    check(
        ProfileType::Sync,
        window(55, 75),
        &[
            "read<serve chan receive 1x10 open 1x10",
            "lock<work sync 1x5 open 1x5",
        ],
    );
}

#[test]
fn what_has_not_ended_can_be_left_out() {
    let profile = Profile::new(ProfileType::Sched).ended();
    assert_eq!(
        lines(&read(Window::WHOLE, profile)),
        ["work<serve runnable 2x36", " runnable 2x16"]
    );
    let profile = Profile::new(ProfileType::Syscall).ended();
    assert_eq!(lines(&read(window(0, 25), profile)), [""; 0]);
}

#[test]
fn a_function_that_calls_itself_counts_once() {
    let report = read(Window::WHOLE, Profile::new(ProfileType::Cpu));
    assert_eq!(
        lines(&report),
        ["lock<work cpu 2x20000000", "lock<lock<work cpu 1x10000000"]
    );
    let function = |place: usize| {
        let function = &report.functions[place];
        (
            function.function.as_str(),
            function.flat.count,
            function.cumulative.count,
        )
    };
    assert_eq!([function(0), function(1)], [("lock", 3, 3), ("work", 0, 3)]);
    assert_eq!(report.functions.len(), 2);
    assert_eq!(report.sums.ns, 30_000_000);
}

#[test]
fn samples_stand_for_the_time_that_a_recording_tells() {
    let trace = format!(
        "{TRACE}
        String string=8 text=\"exectrace.sampling\"
        Batch worker=900001 ticks=1095
        UserLog dt=1 key=8 message=\"wished_hz=1000 effective_hz=250\""
    );
    let report = read_trace(&trace, Window::WHOLE, Profile::new(ProfileType::Cpu));
    assert_eq!((report.sums.count, report.sums.ns), (3, 12_000_000));
}

#[track_caller]
fn check_selection(profile_type: ProfileType, select: impl Fn(&mut Selection), expect: &[&str]) {
    let mut selection = Selection::default();
    select(&mut selection);
    let profile = Profile::of(profile_type, selection);
    assert_eq!(lines(&read(Window::WHOLE, profile)), expect);
}

#[test]
fn tasks_can_be_chosen() {
    let lock = ["lock<work sync 1x20"];
    let group = |function: &str| {
        let function = function.to_owned();
        move |selection: &mut Selection| selection.group = Some(function.clone())
    };
    check_selection(ProfileType::Sync, group("work"), &lock);
    check_selection(ProfileType::Sync, group("nobody"), &[]);
    check_selection(ProfileType::Sync, |it| it.task = Some(TaskId(2)), &lock);
    check_selection(
        ProfileType::Syscall,
        group("serve"),
        &["read<serve syscall 1x27"],
    );
    check_selection(ProfileType::Syscall, group("work"), &[]);
    let samples = ["lock<work cpu 2x20000000", "lock<lock<work cpu 1x10000000"];
    check_selection(ProfileType::Cpu, group("work"), &samples);
    check_selection(ProfileType::Cpu, group("serve"), &[]);
    check_selection(ProfileType::Cpu, |it| it.task = Some(TaskId(1)), &[]);
}

#[test]
fn user_tasks_can_be_chosen() {
    let user_task = |choice: UserTaskChoice| {
        move |selection: &mut Selection| selection.user_task = Some(choice.clone())
    };
    let named = |name: &str| user_task(UserTaskChoice::Named(name.to_owned()));
    let id = |id| user_task(UserTaskChoice::Id(UserTaskId(id)));
    // Who made one carries it until it has ended: the channel is waited for later. A parent has what its children do.
    let call = ["read<serve syscall 1x27"];
    for select in [id(70), id(71)] {
        check_selection(ProfileType::Syscall, select, &call);
    }
    for select in [named("request"), named("part")] {
        check_selection(ProfileType::Syscall, select, &call);
    }
    check_selection(ProfileType::Syscall, named("other"), &[]);
    check_selection(ProfileType::Sync, named("request"), &[]);
    // Who has a region of one works for it.
    check_selection(ProfileType::Cpu, id(70), &["lock<work cpu 1x10000000"]);
    check_selection(ProfileType::Cpu, named("part"), &[]);
    // What began before the window is known in it.
    let mut selection = Selection::default();
    selection.user_task = Some(UserTaskChoice::Named(String::from("part")));
    let profile = Profile::of(ProfileType::Syscall, selection);
    assert_eq!(
        lines(&read(window(30, 60), profile)),
        ["read<serve syscall 1x20 open 1x20"]
    );
}

/// Task 3 waits where no stack is told before one says what it runs; task 4 never says so.
const LATE_FUNCTIONS: &str = "go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    String string=1 text=\"work\"
    Stack stack=1 frame=0x10,1,0,1
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=3
    GoCreate dt=1 task=4
    GoStart dt=1 task=3 seq=1
    GoBlockSync dt=1
    GoStart dt=1 task=4 seq=1
    GoUnblock dt=5 task=3 seq=2
    GoBlockSync dt=1
    GoStart dt=1 task=3 seq=3
    GoUnblock dt=8 task=4 seq=2
    GoBlockSync dt=1 stack=1";

#[test]
fn a_filter_waits_for_what_a_task_runs() {
    let check = |filter: &str, group: Option<&str>, expect: i64| {
        let mut selection = Selection::default();
        selection.filter = Filter::parse(filter, RecordKind::Stretch).expect("makes sense");
        selection.group = group.map(str::to_owned);
        let report = read_trace(LATE_FUNCTIONS, Window::WHOLE, Blockers::of(selection));
        assert_eq!(report.ns, expect, "{filter} {group:?}");
    };
    check(r#"task.function == "work""#, None, 6);
    check(r#"task.function != "work""#, None, 9);
    check(r#"task.function == "" && duration > 6ns"#, None, 9);
    check("duration < 1s", None, 15);
    check(r#"task.function == "work""#, Some("work"), 6);
    check(r#"task.function == "work" || duration > 6ns"#, Some(""), 9);
}

/// Blockers as text.
fn blockers(report: &BlockersReport) -> Vec<String> {
    let lines = report.blockers.iter().map(|blocker| {
        let names = |stack: &[u32]| -> String {
            let names: Vec<_> = report.frames_of(stack).map(|frame| frame.name()).collect();
            names.join("<")
        };
        let (waker, reason) = (blocker.waker, &blocker.reason);
        let (count, ns) = (blocker.count, blocker.ns);
        let (at, by) = (names(&blocker.stack), names(&blocker.waker_stack));
        format!("{at} {reason} {count}x{ns} by {waker:?} {by}")
    });
    lines.collect()
}

#[test]
fn waits_are_laid_to_those_who_end_them() {
    let report = read(Window::WHOLE, Blockers::default());
    let expect = [
        "read<serve chan receive 1x25 by Runtime ",
        "lock<work sync 1x20 by Code work<serve",
    ];
    assert_eq!(blockers(&report), expect);
    assert_eq!((report.count, report.ns), (2, 45));
    let longest = report.blockers[1].longest;
    assert_eq!(
        (longest.task, longest.begin, longest.ns),
        (TaskId(2), Timestamp(40), 20)
    );
    assert_eq!((report.open_count, report.open_ns), (0, 0));
    assert_eq!(report.blockers[0].waker, Waker::Runtime);
}

#[test]
fn waits_that_nobody_ends_are_counted_apart() {
    let report = read(window(50, 80), Blockers::default());
    assert_eq!(
        blockers(&report),
        ["lock<work sync 1x10 by Code work<serve"]
    );
    assert_eq!((report.open_count, report.open_ns), (1, 15));
}

#[test]
fn blockers_of_some_tasks_can_be_chosen() {
    let mut selection = Selection::default();
    selection.group = Some(String::from("work"));
    let report = read(Window::WHOLE, Blockers::of(selection));
    assert_eq!(
        blockers(&report),
        ["lock<work sync 1x20 by Code work<serve"]
    );
}

/// The waker of a task that waits at an event, and is woken at a stack.
#[track_caller]
fn check_waker(waits: &str, wakes: &str, expect: Waker) {
    let trace = format!(
        "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"tokio::runtime::time::process\"
        String string=2 text=\"start_thread\"
        String string=3 text=\"app::cancel\"
        Stack stack=1 frame=0x10,1,0,1 frame=0x20,2,0,2
        Stack stack=2 frame=0x30,3,0,3 frame=0x11,1,0,1 frame=0x20,2,0,2
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1
        GoCreate dt=1 task=2
        GoStart dt=1 task=1 seq=1
        {waits} dt=1
        {wakes}"
    );
    let report = read_trace(&trace, Window::WHOLE, Blockers::default());
    let wakers: Vec<Waker> = report.blockers.iter().map(|it| it.waker).collect();
    assert_eq!(wakers, [expect], "{waits} {wakes}");
}

#[test]
fn time_and_the_network_are_told_from_code() {
    let by_nobody = "GoUnblock dt=5 task=1 seq=2";
    let by_runtime = "GoUnblock dt=5 task=1 seq=2 stack=1";
    let by_code = "GoUnblock dt=5 task=1 seq=2 stack=2";
    let by_task = "GoStart dt=1 task=2 seq=1
        GoUnblock dt=5 task=1 seq=2";
    for (wakes, sleep, network, other) in [
        (by_nobody, Waker::Timer, Waker::Network, Waker::Runtime),
        (by_runtime, Waker::Timer, Waker::Network, Waker::Code),
        (by_code, Waker::Code, Waker::Code, Waker::Code),
        (by_task, Waker::Code, Waker::Code, Waker::Code),
    ] {
        check_waker("GoSleep", wakes, sleep);
        check_waker("GoBlockNet", wakes, network);
        check_waker("GoBlockRecv", wakes, other);
    }
}

#[test]
fn a_stretch_of_no_length_is_none() {
    // One tick is half a nanosecond: the wait for the network begins and ends in the same one.
    let trace = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=2000000000
        String string=1 text=\"main.serve\"
        Stack stack=1 frame=0x10,1,0,5
        ProcStart dt=1 thread=7
        GoCreate dt=2 task=1 start_stack=1
        GoStart dt=1 task=1 seq=1
        GoBlockNet dt=3 stack=1
        GoUnblock dt=1 task=1 seq=2
        GoStart dt=8 task=1 seq=3
        GoBlockRecv dt=4 stack=1
        ProcStop dt=100";
    let off_cpu = read_trace(trace, Window::WHOLE, Profile::new(ProfileType::OffCpu));
    let expect = [
        "main.serve chan receive 1x50 open 1x50",
        "main.serve runnable 1x4",
    ];
    assert_eq!(lines(&off_cpu), expect);
    let net = read_trace(trace, Window::WHOLE, Profile::new(ProfileType::Net));
    assert_eq!(lines(&net), [""; 0]);
}

#[test]
fn a_task_that_waits_for_the_whole_trace_is_counted_once_as_open() {
    for file in [
        "recorded/go1.19/blocked.trace",
        "recorded/go1.27/blocked.trace",
    ] {
        let bytes = Corpus::shipped().trace(file).bytes();
        let analyses = (
            TaskTimes::default(),
            Profile::new(ProfileType::OffCpu),
            Blockers::default(),
        );
        let (tasks, off_cpu, blockers) = read_bytes(&bytes, Window::WHOLE, analyses);
        let has_waited =
            |task: &&TaskTime| !task.has_ended && task.times.blocked_ns() == task.times.life_ns();
        let waiting: Vec<_> = tasks.tasks.iter().filter(has_waited).collect();
        let waited_ns: i64 = waiting.iter().map(|task| task.times.life_ns()).sum();
        assert!(waiting.len() > 2, "{file}");
        assert!(blockers.open_count >= waiting.len() as u64, "{file}");
        assert!(off_cpu.sums.open_ns >= waited_ns, "{file}");
        let of_blockers = blockers.ns + blockers.open_ns;
        let of_tasks: i64 = tasks.tasks.iter().map(|it| it.times.blocked_ns()).sum();
        assert_eq!(of_blockers, of_tasks, "{file}");
    }
}
