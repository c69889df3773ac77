//! CPU profiles without a recording, as Go's pprof reads them.
#![cfg(feature = "pprof")]

#[path = "support/burn.rs"]
mod burn;

use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use burn::{burn, own_cpu_time};
use exectrace::hook::Task;
use exectrace::{CpuProfiler, Error, Recorder, UserTask};
use exectrace_testkit::{Go, Scratch, Top};

/// A process has one sampler at a time, so its tests take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[inline(never)]
fn burn_here(cpu_time: Duration) {
    burn(cpu_time);
    std::hint::black_box(());
}

#[inline(never)]
fn burn_there(cpu_time: Duration) {
    burn(cpu_time);
    std::hint::black_box(());
}

/// What Go's tool makes of the profile; `None` without a toolchain.
fn top(profile: &exectrace::CpuProfile) -> Option<Top> {
    let scratch = Scratch::new("profile");
    let path = scratch.path().join("cpu.pb.gz");
    let file = File::create(&path).expect("a file");
    profile.write_pprof(file).expect("the profile is written");
    let go = Go::v1_27()?;
    Some(go.pprof_top(&path).expect("the tool reads it"))
}

#[test]
fn functions_have_the_time_that_was_spent_in_them() {
    let _turn = turn();
    let profiler = CpuProfiler::start(250).expect("nobody else samples");
    let used = thread::scope(|scope| {
        let here = scope.spawn(|| {
            let before = own_cpu_time();
            burn_here(Duration::from_millis(900));
            own_cpu_time() - before
        });
        let there = scope.spawn(|| {
            let before = own_cpu_time();
            burn_there(Duration::from_millis(300));
            own_cpu_time() - before
        });
        [here, there].map(|thread| thread.join().expect("no panic"))
    });
    let profile = profiler.stop();
    let statistics = profile.statistics();
    assert_eq!(statistics.lost, 0, "{statistics:?}");
    let total: Duration = used.iter().sum();
    assert!(profile.duration() >= total / 2);
    let expected = total.as_secs_f64() * f64::from(statistics.effective_hz);
    let found = statistics.written as f64 / expected;
    assert!(
        (0.75..1.25).contains(&found),
        "{statistics:?}, {found:.3} of {expected:.0}"
    );
    let Some(top) = top(&profile) else {
        return;
    };
    assert_eq!(top.sample_type, "cpu");
    let period_ns = 1_000_000_000 / u64::from(statistics.effective_hz);
    assert_eq!(top.total, statistics.written * period_ns);
    for (name, used) in [("burn_here", used[0]), ("burn_there", used[1])] {
        let row = top.row(name).expect("the function has samples");
        let share = Duration::from_nanos(row.cumulative).as_secs_f64() / used.as_secs_f64();
        assert!((0.6..1.4).contains(&share), "{name}: {share:.3}");
    }
}

#[test]
fn samples_are_labelled_with_their_task_and_user_task() {
    let _turn = turn();
    let profiler = CpuProfiler::start(250).expect("nobody else samples");
    let task = Task::new(burn_here as fn(Duration) as *const ());
    let run = task.start();
    let request = UserTask::new("request");
    burn_here(Duration::from_millis(300));
    let (task_id, request_id) = (task.id(), request.id());
    drop(request);
    run.end();
    let profile = profiler.stop();
    let Some(go) = Go::v1_27() else {
        return;
    };
    let scratch = Scratch::new("profile");
    let path = scratch.path().join("cpu.pb.gz");
    let file = File::create(&path).expect("a file");
    profile.write_pprof(file).expect("the profile is written");
    let text = go.pprof_tags(&path).expect("the tool reads it");
    let has_tag = |key: &str, id: u64| {
        let mut lines = text
            .lines()
            .skip_while(|line| !line.trim_start().starts_with(&format!("{key}:")));
        lines.next().is_some()
            && lines
                .next()
                .is_some_and(|line| line.ends_with(&format!(": {id}")))
    };
    assert!(
        has_tag("task", task_id) && has_tag("user_task", request_id),
        "{text}"
    );
}

#[test]
fn one_sampler_at_a_time() {
    let _turn = turn();
    let profiler = CpuProfiler::start(100).expect("nobody else samples");
    assert!(matches!(
        CpuProfiler::start(100),
        Err(Error::SamplerRunning)
    ));
    let refused = Recorder::new().start(std::io::sink());
    assert!(matches!(refused, Err(Error::SamplerRunning)));
    let recorder = Recorder::new().without_cpu_samples();
    recorder
        .start(std::io::sink())
        .expect("it takes no samples")
        .stop();
    drop(profiler);
    let session = Recorder::new()
        .start(std::io::sink())
        .expect("the profiler is gone");
    assert!(matches!(
        CpuProfiler::start(100),
        Err(Error::SamplerRunning)
    ));
    session.stop();
    CpuProfiler::start_chained(100)
        .expect("the session is gone")
        .stop();
}

#[test]
fn profilers_come_and_go_while_threads_burn() {
    let _turn = turn();
    thread::scope(|scope| {
        let (end, wait) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            while wait.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                burn::spin(100_000);
            }
        });
        for round in 0..100 {
            let profiler = CpuProfiler::start(250).expect("the last one has ended");
            thread::sleep(Duration::from_millis(round % 5));
            let statistics = profiler.stop().statistics();
            assert_eq!(statistics.lost, 0, "{statistics:?}");
        }
        drop(end);
    });
}
