//! CPU samples in recordings, as Go's own tools read them.

#[path = "support/burn.rs"]
mod burn;
mod support;

use std::collections::{BTreeMap, HashSet};
use std::hint::black_box;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use burn::{burn, own_cpu_time, spin};
use exectrace::hook::{BlockReason, Task, adopt_thread};
use exectrace::{Error, Recorder, Statistics};
use exectrace_testkit::accepts;
use support::{Memory, record, save, turn};

fn task_entry() {}

fn entry() -> *const () {
    task_entry as fn() as *const ()
}

/// Uses up CPU time in system calls: reads that the kernel answers with zeros.
#[inline(never)]
fn burn_in_system_calls(cpu_time: Duration) {
    let begin = own_cpu_time();
    while own_cpu_time() - begin < cpu_time {
        read_zeros(1000);
    }
}

fn read_zeros(times: u32) {
    let mut zeros = std::fs::File::open("/dev/zero").expect("every Linux has it");
    let mut bytes = [1_u8; 2048];
    for _ in 0..times {
        let _ = black_box(zeros.read(&mut bytes));
    }
}

/// What the work of a thread costs it.
fn cpu_time_of(work: impl FnOnce() + Send) -> Duration {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let before = own_cpu_time();
            work();
            own_cpu_time() - before
        });
        thread.join().expect("no panic")
    })
}

/// Taken is written or lost, and what is written is in the file.
#[track_caller]
fn check_account(statistics: &Statistics) {
    let samples = statistics.cpu_samples.expect("samples are taken");
    assert_eq!(samples.written, statistics.events.of("CPUSample"));
    assert_eq!(samples.lost, 0, "{samples:?}");
    assert_eq!(samples.refused_threads, 0);
}

#[test]
fn samples_carry_the_task_the_worker_and_the_stack() {
    let _turn = turn();
    let (recorded, ids) = record(Recorder::new(), || {
        let worker = thread::Builder::new().name("worker".into());
        let worker = worker.spawn(|| {
            let task = Task::new(entry());
            let run = task.start();
            burn(Duration::from_millis(300));
            run.block(BlockReason::Receive);
            burn_in_system_calls(Duration::from_millis(300));
            let other = Task::new(entry());
            let run = other.start();
            burn_in_system_calls(Duration::from_millis(300));
            run.end();
            [task.id(), other.id()]
        });
        let ids = worker.expect("a thread").join().expect("no panic");
        // Nobody told the recorder of this thread.
        let stranger = thread::spawn(|| burn(Duration::from_millis(300)));
        stranger.join().expect("no panic");
        ids
    });
    check_account(&recorded.statistics);
    let accepted = recorded.check(accepts);
    if let Some(dump) = accepted.v1 {
        let mut by_task = BTreeMap::<u64, u32>::new();
        let mut workers = HashSet::new();
        for line in dump.named("CPUSample") {
            *by_task.entry(line.task).or_default() += 1;
            if line.task != 0 {
                workers.insert(line.worker);
            }
        }
        let tasks: Vec<u64> = by_task.keys().copied().collect();
        // A thread may first use up what it has of ids.
        let mut expected = [0, ids[0], ids[1]];
        expected.sort_unstable();
        assert_eq!(tasks, expected, "{by_task:?}");
        assert_eq!(workers.len(), 1, "{workers:?}");
        let outside = dump.named("CPUSample").any(|line| line.worker == -1);
        assert!(outside, "the stranger is no worker");
        assert!(dump.named("UserLog").any(|line| {
            line.argument("category") == Some("exectrace.sampling")
                && line
                    .argument("message")
                    .is_some_and(|it| it.contains("effective_hz=100"))
        }));
    }
    if let Some(dump) = accepted.v2 {
        let samples: Vec<_> = dump
            .lines
            .iter()
            .filter(|it| it.kind == "StackSample")
            .collect();
        assert_eq!(
            samples.len() as u64,
            recorded.statistics.events.of("CPUSample")
        );
        assert!(samples.iter().all(|sample| !sample.stack.is_empty()));
        for (task, function) in [(ids[0], "burn::burn"), (ids[1], "burn_in_system_calls")] {
            let of_task = samples.iter().filter(|it| it.task == task as i64);
            let (inside, all) = of_task.fold((0, 0), |(inside, all), sample| {
                let is_inside = sample.stack.iter().any(|it| it.function.contains(function));
                (inside + u32::from(is_inside), all + 1)
            });
            // In the first of them the way out of the C library may not be known yet.
            assert!(inside * 4 >= all * 3, "{function}: {inside} of {all}");
        }
    }
}

#[test]
fn as_many_samples_as_cpu_time_and_rate_promise() {
    let _turn = turn();
    let time = Duration::from_millis(1500);
    let (recorded, cpu_time) = record(Recorder::new().cpu_samples(250), || {
        thread::scope(|scope| {
            let user = scope.spawn(move || cpu_time_of(move || burn(time)));
            let system = scope.spawn(move || {
                cpu_time_of(move || {
                    adopt_thread();
                    burn_in_system_calls(time);
                })
            });
            [user, system].map(|thread| thread.join().expect("no panic"))
        })
    });
    check_account(&recorded.statistics);
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert_eq!(samples.wished_hz, 250);
    assert!(samples.effective_hz <= 250);
    let cpu_seconds: f64 = cpu_time.iter().map(Duration::as_secs_f64).sum();
    let expected = cpu_seconds * f64::from(samples.effective_hz);
    let found = samples.written as f64 / expected;
    assert!(
        (0.75..1.25).contains(&found),
        "{samples:?}: {found:.3} of {expected:.0}"
    );
}

#[test]
fn more_than_the_kernel_grants_is_not_promised() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new().cpu_samples(u32::MAX), || {
        burn(Duration::from_millis(100));
    });
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert_eq!(samples.wished_hz, u32::MAX);
    assert!(samples.effective_hz < samples.wished_hz, "{samples:?}");
    check_account(&recorded.statistics);
}

#[test]
fn without_samples_there_are_none() {
    let _turn = turn();
    for recorder in [
        Recorder::new().without_cpu_samples(),
        Recorder::new().cpu_samples(0),
    ] {
        let (recorded, ()) = record(recorder, || {
            burn(Duration::from_millis(50));
        });
        assert_eq!(recorded.statistics.cpu_samples, None);
        assert_eq!(recorded.statistics.events.of("CPUSample"), 0);
    }
}

#[test]
fn threads_that_end_while_they_are_sampled_do_no_harm() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new().cpu_samples(250), || {
        for round in 0..200_u64 {
            let threads: Vec<_> = (0..10)
                .map(|number| {
                    thread::spawn(move || {
                        if number % 2 == 0 {
                            adopt_thread();
                        }
                        spin(20_000 * (round % 20));
                    })
                })
                .collect();
            for thread in threads {
                thread.join().expect("no panic");
            }
        }
    });
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    let events = &recorded.statistics.events;
    assert_eq!(samples.written, events.of("CPUSample"));
    assert_eq!(samples.refused_threads, 0);
    // Ten threads share the processors: more handlers may be suspended than there are buffers, and then a sample is lost, and told.
    assert!(samples.lost <= samples.written / 10, "{samples:?}");
    assert!(samples.threads > 10, "{samples:?}");
    recorded.check(accepts);
}

/// Ends the threads of a test.
struct EndOnDrop<'end>(&'end AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn sessions_come_and_go_while_threads_burn() {
    let _turn = turn();
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..4 {
            let end = &end;
            scope.spawn(move || {
                let task = Task::new(entry());
                while !end.load(Ordering::Relaxed) {
                    let run = task.start();
                    if number % 2 == 0 {
                        spin(100_000);
                    } else {
                        read_zeros(1000);
                    }
                    run.block(BlockReason::Sleep);
                    task.reference().wake();
                }
            });
        }
        // Also when a round fails: the scope waits for the threads.
        let _end = EndOnDrop(&end);
        let mut written = 0;
        // A busy machine may let the threads run little while a session lasts: then there are more sessions.
        for round in 0..2_000_u32 {
            if round >= 200 && written > 20 {
                break;
            }
            let memory = Memory::default();
            let recorder = Recorder::new().cpu_samples(250);
            let session = recorder
                .start(memory.clone())
                .expect("the last one has ended");
            thread::sleep(Duration::from_millis(u64::from(round % 7)));
            // From another thread than the one that started it.
            let stopper = thread::spawn(move || session.stop());
            let statistics = stopper.join().expect("no panic");
            check_account(&statistics);
            written += statistics.events.of("CPUSample");
            if round % 40 == 0 && round < 200 {
                save(&memory, statistics).check(accepts);
            }
        }
        assert!(written > 20, "only {written} samples");
    });
}

#[test]
fn a_session_that_ends_itself_stops_its_samples() {
    let _turn = turn();
    let memory = Memory::default();
    let recorder = Recorder::new().time_max(Duration::from_millis(400));
    let session = recorder.start(memory.clone()).expect("the session starts");
    burn(Duration::from_millis(300));
    while !session.has_ended() {
        thread::sleep(Duration::from_millis(1));
    }
    // The next one can start, though the first has not been asked for its account.
    let next = exectrace::start(std::io::sink()).expect("the first has ended");
    assert!(matches!(
        exectrace::start(std::io::sink()),
        Err(Error::AlreadyRunning)
    ));
    next.stop();
    let statistics = session.stop();
    assert!(statistics.events.of("CPUSample") > 2);
    save(&memory, statistics).check(accepts);
}

/// A sink that takes nothing from some time on, until it is told to.
struct Slow {
    memory: Memory,
    is_slow: Arc<AtomicBool>,
    go: Receiver<()>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        // Relaxed: nothing else hangs on it.
        if self.is_slow.load(Ordering::Relaxed) {
            // Told once, or for ever when the sender is gone.
            let _ = self.go.recv();
        }
        self.memory.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.memory.flush()
    }
}

/// Calls itself so often, then works.
#[inline(never)]
fn deep(depth: u32, work: &dyn Fn()) {
    if depth == 0 {
        work();
    } else {
        deep(depth - 1, work);
    }
    black_box(depth);
}

#[test]
fn samples_that_find_no_room_are_counted_in_statistics_and_recording() {
    let _turn = turn();
    let memory = Memory::default();
    let (told, go) = channel();
    let is_slow = Arc::new(AtomicBool::new(false));
    let sink = Slow {
        memory: memory.clone(),
        is_slow: Arc::clone(&is_slow),
        go,
    };
    let recorder = Recorder::new().cpu_samples(250);
    let session = recorder.start(sink).expect("the session starts");
    let cpu_time = cpu_time_of(|| {
        // Who writes to the sink is who finds the threads that are to be sampled.
        burn(Duration::from_millis(200));
        is_slow.store(true, Ordering::Relaxed);
        deep(150, &|| burn(Duration::from_millis(2300)));
    });
    drop(told);
    let statistics = session.stop();
    let samples = statistics.cpu_samples.expect("samples are taken");
    assert!(samples.lost > 0 && samples.written > 50, "{samples:?}");
    let expected = cpu_time.as_secs_f64() * f64::from(samples.effective_hz);
    let found = (samples.written + samples.lost) as f64 / expected;
    assert!(
        (0.75..1.25).contains(&found),
        "{samples:?}: {found:.3} of {expected:.0}"
    );
    assert_eq!(samples.written, statistics.events.of("CPUSample"));
    assert!(
        statistics
            .to_string()
            .contains(&format!("lost: {}", samples.lost))
    );
    if let Some(dump) = save(&memory, statistics).check(accepts).v1 {
        let dropped = format!("cpu_samples={}", samples.lost);
        assert!(dump.named("UserLog").any(|line| {
            line.argument("category") == Some("exectrace.dropped")
                && line
                    .argument("message")
                    .is_some_and(|message| message.split(' ').any(|field| field == dropped))
        }));
    }
}
