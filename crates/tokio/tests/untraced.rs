//! Tasks that a library spawns with its own Tokio: counted, told of, and seen through hooks where Tokio has some.

mod support;

use std::time::{Duration, Instant};

use exectrace_tokio as ours;
use support::{Recorded, Recording, runtime_of_two, turn};

/// What a library does that knows Tokio only.
async fn library() -> u32 {
    let inner = tokio::spawn(async {
        tokio::time::sleep(Duration::from_millis(2)).await;
        tokio::task::yield_now().await;
        20
    });
    inner.await.expect("no panic") + 1
}

/// What a recording says of untraced tasks; `None` without Go 1.19.
fn said(recorded: &Recorded) -> Option<Vec<String>> {
    let logs = recorded.v1()?.named("UserLog");
    let said = logs
        .filter(|line| line.argument("category") == Some("exectrace.untraced"))
        .filter_map(|line| line.argument("message").map(str::to_owned));
    Some(said.collect())
}

#[test]
fn a_program_without_such_tasks_says_nothing() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let recording = Recording::start();
    runtime.block_on(async {
        for _ in 0..100 {
            ours::spawn(async {}).await.expect("no panic");
        }
    });
    // The last one may have told its end before Tokio counted it.
    let end = Instant::now() + Duration::from_secs(10);
    while ours::untraced_tasks(runtime.handle()) > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(
        said(&recording.stop()).unwrap_or_default(),
        Vec::<String>::new()
    );
}

#[test]
fn a_task_spawns_on_the_runtime_that_it_has_entered() {
    let _turn = turn();
    let (own, other) = (runtime_of_two(), runtime_of_two());
    let handle = other.handle().clone();
    let spawning = own.spawn(async move {
        let _entered = handle.enter();
        [(); 2].map(|()| ours::spawn(std::future::pending::<()>()))
    });
    let spawned = own.block_on(spawning).expect("no panic");
    assert_eq!(other.metrics().num_alive_tasks(), 2);
    for runtime in [&own, &other] {
        // The first task may have told its end before Tokio counted it.
        let is_settled = (0..5_000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            ours::untraced_tasks(runtime.handle()) == 0
        });
        assert!(is_settled, "{}", ours::untraced_tasks(runtime.handle()));
    }
    for task in spawned {
        task.abort();
    }
}

#[cfg(not(tokio_unstable))]
#[test]
fn they_are_counted_and_the_recording_says_so() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let recording = Recording::start();
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let hidden = tokio::runtime::Handle::spawn(runtime.handle(), async { drop(receiver.await) });
    let traced = runtime.spawn(async { tokio::time::sleep(Duration::from_secs(60)).await });
    assert_eq!(ours::untraced_tasks(runtime.handle()), 1);
    // As the recording ends it is there still.
    let recorded = recording.stop();
    traced.abort();
    sender.send(()).expect("a receiver");
    runtime.block_on(hidden).expect("no panic");
    if let Some(said) = said(&recorded) {
        assert!(said.iter().any(|text| text.contains("tasks=1")), "{said:?}");
    }
}

#[cfg(not(tokio_unstable))]
#[test]
fn what_they_do_is_not_seen() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let recording = Recording::start();
    assert_eq!(runtime.block_on(library()), 21);
    assert_eq!(recording.stop().count("GoCreate"), 1);
}

#[cfg(tokio_unstable)]
mod through_hooks {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn they_run_and_wait_and_end() {
        let _turn = turn();
        let runtime = runtime_of_two();
        let recording = Recording::start();
        assert_eq!(runtime.block_on(library()), 21);
        // Tokio tells of an end after who waits for it.
        drop(runtime);
        let recorded = recording.stop();
        assert_eq!(recorded.count("GoCreate"), 2);
        assert_eq!(recorded.count("GoEnd"), 2);
        let Some(transitions) = recorded.transitions("spawned_elsewhere") else {
            return;
        };
        let details: Vec<_> = transitions
            .iter()
            .filter_map(|line| Some(line.detail.split_once(' ')?.1.to_owned()))
            .collect();
        let runs = details
            .iter()
            .filter(|detail| detail.starts_with("Runnable->Running"));
        assert_eq!(runs.count(), 3, "{details:?}");
    }

    #[test]
    fn a_task_that_is_traced_already_is_not_traced_twice() {
        let _turn = turn();
        let runtime = runtime_of_two();
        let recording = Recording::start();
        runtime.block_on(async {
            let mut set = ours::task::JoinSet::new();
            for number in 0..10 {
                set.spawn(async move { number });
                ours::spawn(async {}).await.expect("no panic");
            }
            assert_eq!(set.join_all().await.len(), 10);
        });
        let recorded = recording.stop();
        assert_eq!(recorded.count("GoCreate"), 21);
        assert_eq!(said(&recorded).unwrap_or_default(), Vec::<String>::new());
    }

    #[test]
    fn recordings_say_how_many_there_are() {
        let _turn = turn();
        let runtime = runtime_of_two();
        let recording = Recording::start();
        let hidden = tokio::runtime::Handle::spawn(runtime.handle(), std::future::pending::<()>());
        std::thread::sleep(Duration::from_millis(20));
        let recorded = recording.stop();
        hidden.abort();
        if let Some(said) = said(&recorded) {
            let is_told = said.iter().any(|text| text.contains("hooks_only=1"));
            assert!(is_told, "{said:?}");
        }
        drop(runtime);
    }

    #[test]
    fn aborted_panicking_and_dropped_ones_end() {
        let _turn = turn();
        let recording = Recording::start();
        let runtime = runtime_of_two();
        runtime.block_on(async {
            let aborted = tokio::spawn(std::future::pending::<()>());
            let panicking = tokio::spawn(async { panic!("as it should") });
            tokio::task::yield_now().await;
            aborted.abort();
            assert!(aborted.await.expect_err("aborted").is_cancelled());
            assert!(panicking.await.expect_err("a panic").is_panic());
            for _ in 0..5 {
                tokio::spawn(std::future::pending::<()>());
            }
        });
        drop(runtime);
        let recorded = recording.stop();
        assert_eq!(recorded.count("GoCreate"), 8);
        assert_eq!(recorded.count("GoEnd"), 8, "{}", recorded.statistics);
    }

    #[test]
    fn a_runtime_inside_of_such_a_task_nests() {
        let _turn = turn();
        let runtime = runtime_of_two();
        let recording = Recording::start();
        runtime.block_on(async {
            let outer = tokio::spawn(async {
                tokio::task::block_in_place(|| {
                    let inner = ours::runtime::Builder::new_current_thread()
                        .build()
                        .expect("a runtime");
                    inner.block_on(async { tokio::spawn(async { 5 }).await.expect("no panic") })
                })
            });
            assert_eq!(outer.await.expect("no panic"), 5);
        });
        drop(runtime);
        let recorded = recording.stop();
        assert_eq!(recorded.count("GoCreate"), 4);
        assert_eq!(recorded.count("GoEnd"), 4);
    }

    #[test]
    fn the_program_s_own_callbacks_run_for_all_tasks() {
        let _turn = turn();
        let calls: Arc<[AtomicUsize; 4]> = Arc::default();
        let counter = |index: usize| {
            let calls = calls.clone();
            // Relaxed: the runtime's end orders it.
            move |_: &tokio::runtime::TaskMeta<'_>| {
                calls[index].fetch_add(1, Ordering::Relaxed);
            }
        };
        let runtime = ours::runtime::Builder::new_current_thread()
            .on_task_spawn(counter(0))
            .on_before_task_poll(counter(1))
            .on_after_task_poll(counter(2))
            .on_task_terminate(counter(3))
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            ours::spawn(tokio::task::yield_now())
                .await
                .expect("no panic");
            tokio::spawn(async {}).await.expect("no panic");
        });
        drop(runtime);
        let calls = calls.each_ref().map(|calls| calls.load(Ordering::Relaxed));
        assert_eq!(calls, [2, 3, 3, 2]);
    }
}
