//! The use of workers and threads, on small traces and on all of the corpora.

use exectrace_analysis::{Pass, Window, Workers, WorkersReport};
use exectrace_reader::{Mode, Reader, Timestamp, WorkerId};
use exectrace_testkit::Corpus;

fn report(file: &[u8], window: Window) -> WorkersReport {
    let mut reader = Reader::open(file, Mode::Tolerant).expect("has a header");
    let mut pass = Pass::new(window, Workers::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

/// Two workers; a task runs on both, and another one on the first.
fn small() -> Vec<u8> {
    let lines = "go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        Gomaxprocs dt=0 workers=2 stack=0
        ProcStart dt=0 thread=7
        GoCreate dt=0 task=1 start_stack=0 stack=0
        GoCreate dt=0 task=2 start_stack=0 stack=0
        GoStart dt=10 task=1 seq=1
        GoBlockRecv dt=20 stack=0
        GoStart dt=10 task=2 seq=1
        GoUnblock dt=10 task=1 seq=2 stack=0
        GoSched dt=10 stack=0
        ProcStop dt=20
        Batch worker=1 ticks=1055
        ProcStart dt=0 thread=8
        GoStart dt=5 task=1 seq=3
        GoSysCall dt=5 stack=0
        GoSysBlock dt=5
        ProcStop dt=10";
    exectrace_format::text::parse(lines).expect("is a trace")
}

#[test]
fn workers_have_their_busy_time_parks_and_steals() {
    let report = report(&small(), Window::WHOLE);
    let [first, second] = &report.workers[..] else {
        panic!("{:?}", report.workers);
    };
    let numbers = |it: &exectrace_analysis::WorkerUse| {
        (it.busy_ns, it.on_thread_ns, it.parks, it.starts, it.steals)
    };
    assert_eq!(numbers(first), (20 + 20, 80, 1, 2, 0));
    // Until it sits in its system call.
    assert_eq!(numbers(second), (10, 25, 1, 1, 1));
    assert_eq!((report.begin.0, report.end.0), (0, 80));
    assert_eq!(first.busy, [0.5]);
    // From 70 to the end.
    assert_eq!(report.in_syscalls, [10.0 / 80.0]);
    let threads: Vec<_> = report
        .threads
        .iter()
        .map(|it| (it.thread.0, it.running_ns, it.syscall_ns))
        .collect();
    assert_eq!(threads, [(7, 40, 0), (8, 10, 10)]);
}

#[test]
fn a_window_has_its_own_part() {
    let window = Window::of(Some(Timestamp(20)), Some(Timestamp(45)));
    let report = report(&small(), window);
    let first = &report.workers[0];
    assert_eq!(
        (first.worker, first.busy_ns, first.on_thread_ns),
        (WorkerId(0), 10 + 5, 25)
    );
    // What goes on when it begins starts before.
    assert_eq!((first.starts, first.parks), (1, 0));
}

#[test]
fn what_runs_all_the_time_is_known_by_what_it_writes() {
    let lines = "go 1.22 trace
        EventBatch generation=1 thread=-1 time=64
        Frequency units_per_second=1000000000
        EventBatch generation=1 thread=50 time=64
        ProcStatus dt=1 worker=3 status=1
        GoStatus dt=1 task=1 thread=50 status=2
        GoCreate dt=10 task=2 start_stack=0 stack=0
        EventBatch generation=2 thread=-1 time=128
        Frequency units_per_second=1000000000
        EventBatch generation=2 thread=50 time=128
        ProcStatus dt=1 worker=3 status=1
        GoStatus dt=1 task=1 thread=50 status=2
        GoStatus dt=10 task=2 thread=-1 status=1";
    let file = exectrace_format::text::parse(lines).expect("is a trace");
    let report = report(&file, Window::WHOLE);
    let all_ns = report.end.since_ns(report.begin);
    let [worker] = &report.workers[..] else {
        panic!("{:?}", report.workers);
    };
    assert_eq!(worker.worker, WorkerId(3));
    assert_eq!((worker.busy_ns, worker.starts), (all_ns, 0));
    let [thread] = &report.threads[..] else {
        panic!("{:?}", report.threads);
    };
    assert_eq!((thread.thread.0, thread.running_ns), (50, all_ns));
}

#[test]
fn no_worker_is_busy_for_longer_than_there_is_time() {
    let mut workers = 0;
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let bytes = trace.bytes();
        // By hand anything can be written.
        if !trace.file().starts_with("recorded") || Reader::tolerant(&bytes).is_err() {
            continue;
        }
        let report = report(&bytes, Window::WHOLE);
        let all_ns = report.end.since_ns(report.begin);
        for worker in &report.workers {
            let file = trace.file();
            assert!(
                worker.busy_ns <= all_ns && worker.on_thread_ns <= all_ns,
                "{file}: {worker:?}"
            );
            assert!(worker.steals <= worker.starts, "{file}: {worker:?}");
            assert!(
                worker.busy.iter().all(|&share| share <= 1.0 + 1e-9),
                "{file}: {worker:?}"
            );
            workers += 1;
        }
    }
    assert!(workers > 20, "only {workers} workers");
}
