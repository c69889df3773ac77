//! What a collector did, on small traces, and where a trace shows only a part of it.

use exectrace_analysis::{Analysis, Gc, GcReport, MutatorUtilization, Pass, Window};
use exectrace_reader::{Mode, Reader, Timestamp};
use exectrace_testkit::Corpus;

fn analyse<A: Analysis>(file: &[u8], window: Window, analysis: A) -> A::Report {
    let mut reader = Reader::open(file, Mode::Tolerant).expect("has a header");
    let mut pass = Pass::new(window, analysis);
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

fn gc(file: &[u8]) -> GcReport {
    analyse(file, Window::WHOLE, Gc::new(10))
}

/// A trace of version 1.19 with two workers and a task that runs.
fn text(lines: &str) -> Vec<u8> {
    let text = format!(
        "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        String string=1 text=\"app::work\"
        Stack stack=1 frame=0x10,1,0,5
        Gomaxprocs dt=0 workers=2 stack=0
        ProcStart dt=1 thread=7
        GoCreate dt=1 task=1 start_stack=1 stack=0
        GoStart dt=1 task=1 seq=1
        {lines}"
    );
    exectrace_format::text::parse(&text).expect("is a trace")
}

/// A cycle from 23 to 223 with two stops, an assist and heap events.
fn cycle() -> Vec<u8> {
    text(
        "HeapAlloc dt=5 live_bytes=4000
        HeapGoal dt=5 goal_bytes=9000
        GCSTWStart dt=5 kind=1
        GCStart dt=5 seq=0 stack=0
        GCSTWDone dt=5
        GCMarkAssistStart dt=10 stack=1
        GCMarkAssistDone dt=40
        GCSTWStart dt=140 kind=0
        HeapAlloc dt=2 live_bytes=3000
        GCDone dt=3
        GCSTWDone dt=10
        GCSweepStart dt=5 stack=0
        GCSweepDone dt=20 swept_bytes=800 reclaimed_bytes=300
        HeapAlloc dt=500 live_bytes=7000",
    )
}

#[test]
fn a_cycle_has_its_stops_assists_and_heap() {
    let report = gc(&cycle());
    let [cycle] = &report.cycles[..] else {
        panic!("{:?}", report.cycles);
    };
    assert_eq!((cycle.begin.0, cycle.end.0), (23, 223));
    assert_eq!((cycle.is_open_left, cycle.is_open_right), (false, false));
    assert_eq!((cycle.assists, cycle.assist_ns), (1, 40));
    // Both stops, the one that goes on when the cycle has ended with its whole length.
    assert_eq!(cycle.stopped_ns, 10 + 15);
    let heap = (
        cycle.live_begin_bytes,
        cycle.live_end_bytes,
        cycle.goal_bytes,
    );
    assert_eq!(heap, (Some(4000), Some(3000), Some(9000)));
    let reasons: Vec<_> = report
        .stop_reasons
        .iter()
        .map(|it| (it.reason.as_str(), it.stops.sum))
        .collect();
    assert_eq!(
        reasons,
        [("GC mark termination", 15), ("GC sweep termination", 10)]
    );
    let [assists] = &report.assist_functions[..] else {
        panic!("{:?}", report.assist_functions);
    };
    assert_eq!(
        (assists.function.as_str(), assists.count, assists.ns),
        ("app::work", 1, 40)
    );
    assert_eq!(report.sweeps.map(|it| it.sum), Some(20));
    assert_eq!((report.swept_bytes, report.reclaimed_bytes), (800, 300));
    let heap = report.heap.expect("has a heap");
    assert_eq!((heap.live_bytes_max, heap.goal_bytes_max), (7000, 9000));
    let first = heap.points[0];
    assert_eq!(
        (first.live_bytes_min, first.live_bytes_max),
        (Some(3000), Some(7000))
    );
}

#[test]
fn what_a_trace_shows_in_part_is_open() {
    let report = gc(&text(
        "GCMarkAssistStart dt=10 stack=1
        GCStart dt=5 seq=0 stack=0
        GCSTWStart dt=5 kind=0
        HeapAlloc dt=30 live_bytes=10",
    ));
    let [cycle] = &report.cycles[..] else {
        panic!("{:?}", report.cycles);
    };
    assert_eq!((cycle.begin.0, cycle.end.0), (18, 53));
    assert!(cycle.is_open_right && !cycle.is_open_left);
    assert!(report.stops[0].is_open_right);
    assert_eq!((report.assists, report.assists_open), (None, 1));
}

#[test]
fn a_window_has_what_reaches_into_it() {
    let window = |from, to| Window::of(Some(Timestamp(from)), Some(Timestamp(to)));
    let within = analyse(&cycle(), window(100, 150), Gc::new(10));
    let cycle_within = within.cycles[0];
    assert_eq!(
        (cycle_within.begin.0, cycle_within.is_open_right),
        (23, true)
    );
    assert_eq!((within.stops_total, within.assists), (0, None));
    // What was told before the window holds in it.
    assert_eq!(within.heap.map(|it| it.live_bytes_max), Some(4000));
    let at_the_end = analyse(&cycle(), window(220, 230), Gc::new(10));
    assert_eq!(at_the_end.stops[0].begin.0, 218);
    assert!(at_the_end.stops[0].is_open_right);
}

#[test]
fn a_cycle_that_runs_when_the_trace_begins_began_before() {
    let file = Corpus::shipped()
        .trace("recorded/go1.27/start_in_gc.trace")
        .bytes();
    let mut reader = Reader::tolerant(&file).expect("has a header");
    let begin = reader
        .next()
        .expect("has events")
        .expect("can be read")
        .time;
    let report = gc(&file);
    let cycle = report.cycles[0];
    assert!(cycle.is_open_left, "{cycle:?}");
    assert_eq!(cycle.begin, begin);
    assert!(report.cycles[1..].iter().all(|cycle| !cycle.is_open_left));
    let mut times = report
        .stops
        .iter()
        .map(|stop| stop.begin)
        .chain(report.cycles.iter().map(|it| it.begin));
    assert!(times.all(|time| time >= begin));
}

#[test]
fn a_recording_without_a_collector_has_a_heap() {
    let file = Corpus::shipped()
        .trace("recorded/exectrace/threads.trace")
        .bytes();
    let report = gc(&file);
    assert!(report.cycles.is_empty() && report.stops.is_empty());
    let utilization = analyse(&file, Window::WHOLE, MutatorUtilization::default());
    let points = utilization.curves.iter().flat_map(|curve| &curve.points);
    assert!(
        points
            .clone()
            .all(|point| point.utilization == 1.0 && point.worst.is_empty())
    );
}

#[test]
fn the_worst_windows_do_not_overlap_and_the_first_is_the_minimum() {
    let report = analyse(&cycle(), Window::WHOLE, MutatorUtilization::default());
    assert_eq!(report.curves.len(), 4);
    for curve in &report.curves {
        for point in &curve.points {
            let worst = &point.worst;
            let first = worst.first().map_or(1.0, |worst| worst.utilization);
            assert_eq!(point.utilization, first);
            assert!(worst.is_sorted_by(|a, b| a.utilization <= b.utilization));
        }
    }
    // Stops of 10 and 15 ns in 758 ns; the trace is shorter than a microsecond, so it is the window.
    let whole = &report.curves[0].points[0];
    assert_eq!(whole.worst[0].window_ns, 758);
    assert!(
        (whole.utilization - (1.0 - 25.0 / 758.0)).abs() < 1e-12,
        "{whole:?}"
    );
    // With the assist on one of two workers for 40.
    let whole = &report.curves[1].points[0];
    assert!(
        (whole.utilization - (1.0 - 45.0 / 758.0)).abs() < 1e-12,
        "{whole:?}"
    );
}

#[test]
fn windows_know_what_was_on_when_they_begin() {
    let window = Window::of(Some(Timestamp(50)), Some(Timestamp(60)));
    let report = analyse(&cycle(), window, MutatorUtilization::default());
    // The assist is on all the time, on one of two workers.
    assert_eq!(report.curves[1].points[0].utilization, 0.5);
    assert_eq!(report.curves[3].points[0].utilization, 0.0);
}
