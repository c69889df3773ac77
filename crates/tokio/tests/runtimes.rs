//! Every kind of runtime, and what runs inside of what.

mod support;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use exectrace_tokio as tokio;
use support::{Recorded, record, runtime_of_two, turn};
use tokio::runtime::{Builder, Handle, LocalRuntime, Runtime};
use tokio::task::{JoinSet, LocalSet};

fn runtime_of_one() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

async fn busy(rounds: u32) -> u32 {
    for _ in 0..rounds {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(1)).await;
    rounds
}

#[test]
fn a_runtime_of_one_thread_runs_everything_on_it() {
    let _turn = turn();
    let runtime = runtime_of_one();
    let (recorded, sum) = record(|| {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            for number in 0..10 {
                set.spawn(busy(number));
            }
            set.join_all().await.into_iter().sum::<u32>()
        })
    });
    assert_eq!(sum, 45);
    assert_eq!(recorded.count("GoCreate"), 11);
    assert_eq!(recorded.count("GoEnd"), 11);
    let Some(dump) = recorded.v1() else { return };
    let mut workers: Vec<_> = dump.named("GoStart").map(|line| line.worker).collect();
    workers.dedup();
    assert_eq!(workers.len(), 1);
    // The thread parked while all slept.
    assert!(recorded.count("ProcStop") > 0);
}

#[test]
fn several_runtimes_at_once_share_a_recording() {
    let _turn = turn();
    let (recorded, ()) = record(|| {
        let threads: Vec<_> = (0..3)
            .map(|number| {
                std::thread::spawn(move || {
                    let runtime = if number == 0 {
                        runtime_of_one()
                    } else {
                        runtime_of_two()
                    };
                    runtime.block_on(async {
                        let tasks: Vec<_> =
                            (0..20).map(|number| tokio::spawn(busy(number))).collect();
                        for task in tasks {
                            task.await.expect("no panic");
                        }
                    });
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
    assert_eq!(recorded.count("GoCreate"), 63);
    assert_eq!(recorded.count("GoEnd"), 63);
}

#[test]
fn tasks_of_a_local_set_preempt_the_task_that_runs_it() {
    let _turn = turn();
    let runtime = runtime_of_one();
    let (recorded, sum) = record(|| {
        let local = LocalSet::new();
        local.block_on(&runtime, async {
            let shared = Rc::new(5);
            let tasks: Vec<_> = (0..4)
                .map(|_| {
                    let shared = shared.clone();
                    tokio::task::spawn_local(async move { *shared + busy(2).await })
                })
                .collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await.expect("no panic");
            }
            sum
        })
    });
    assert_eq!(sum, 28);
    assert_eq!(recorded.count("GoCreate"), 5);
    assert!(recorded.count("GoPreempt") >= 4, "{}", recorded.statistics);
}

#[test]
fn a_local_runtime_s_tasks_are_traced() {
    let _turn = turn();
    let runtime = LocalRuntime::new().expect("a runtime");
    let (recorded, sum) = record(|| {
        let first = runtime.spawn_local(busy(3));
        runtime.block_on(async {
            let shared = Rc::new(4);
            let second = tokio::task::spawn_local(async move { *shared });
            assert_eq!(tokio::untraced_tasks(runtime.handle()), 0);
            first.await.expect("no panic") + second.await.expect("no panic")
        })
    });
    assert_eq!(sum, 7);
    assert_eq!(recorded.count("GoCreate"), 3);
}

async fn blocks_in_place() -> u32 {
    tokio::task::block_in_place(|| {
        std::thread::sleep(Duration::from_millis(2));
        // Another runtime's work in the middle of it.
        Handle::current().block_on(busy(3))
    })
}

#[test]
fn a_task_that_blocks_in_place_is_in_a_system_call() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, number) = record(|| {
        runtime.block_on(async {
            let others: Vec<_> = (0..10).map(|number| tokio::spawn(busy(number))).collect();
            let number = tokio::spawn(blocks_in_place()).await.expect("no panic");
            for other in others {
                other.await.expect("no panic");
            }
            number
        })
    });
    assert_eq!(number, 3);
    assert_eq!(recorded.count("GoSysBlock"), 1);
    assert_eq!(recorded.count("GoSysExit"), 1);
    let Some(call) = recorded.transitions("blocks_in_place") else {
        return;
    };
    assert!(
        call.iter()
            .any(|line| line.detail.contains("Running->Syscall"))
    );
}

#[test]
fn a_blocking_closure_is_a_task_in_a_system_call() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, length) = record(|| {
        runtime.block_on(async {
            tokio::task::spawn_blocking(|| {
                std::thread::sleep(Duration::from_millis(2));
                exectrace::log("blocking", "inside");
                Handle::current().block_on(busy(2));
                tokio::spawn(busy(1));
                "result".len()
            })
            .await
            .expect("no panic")
        })
    });
    assert_eq!(length, 6);
    assert_eq!(recorded.count("GoSysBlock"), 1);
    assert_eq!(recorded.count("GoSysExit"), 1);
    let tasks = recorded.tasks_of("a_blocking_closure_is_a_task_in_a_system_call");
    assert!(tasks.is_none_or(|tasks| tasks.len() == 2));
    let Some(dump) = recorded.v1() else { return };
    let roles: Vec<_> = dump
        .named("UserLog")
        .filter(|line| line.argument("category") == Some("exectrace.thread"))
        .filter_map(|line| line.argument("message"))
        .collect();
    assert!(
        roles.iter().any(|role| role.contains("role=blocking")),
        "{roles:?}"
    );
    assert!(
        roles.iter().any(|role| role.contains("role=worker")),
        "{roles:?}"
    );
}

#[test]
fn blocking_closures_that_panic_or_are_aborted_end() {
    let _turn = turn();
    let runtime = Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            let first =
                tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(5)));
            let aborted = tokio::task::spawn_blocking(|| unreachable!("it was aborted"));
            aborted.abort();
            assert!(aborted.await.expect_err("aborted").is_cancelled());
            first.await.expect("no panic");
            let panicking = tokio::task::spawn_blocking(|| panic!("as it should"));
            assert!(panicking.await.expect_err("a panic").is_panic());
        });
    });
    assert_eq!(recorded.count("GoCreate"), 4);
    assert_eq!(recorded.count("GoEnd"), 4, "{}", recorded.statistics);
}

async fn deep() {
    let other = runtime_of_one();
    tokio::task::block_in_place(|| {
        let local = LocalSet::new();
        local.block_on(&other, async {
            tokio::task::spawn_local(busy(2)).await.expect("no panic");
        });
    });
    std::thread::spawn(move || drop(other))
        .join()
        .expect("no panic");
}

#[test]
fn runtimes_inside_of_tasks_of_runtimes_nest() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(deep())).collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    assert_eq!(recorded.count("GoCreate"), 1 + 8 * 3);
    assert_eq!(recorded.count("GoEnd"), 1 + 8 * 3);
}

#[test]
fn a_root_inside_of_a_task_makes_that_task_wait() {
    let _turn = turn();
    let (outer, inner) = (LocalSet::new(), runtime_of_one());
    // A local set's task may block its thread; a root inside of it is the odd case that Tokio allows only outside of runtimes.
    drop(outer);
    let task = exectrace::hook::Task::for_thread(root_s_thread as fn() as *const ());
    let (recorded, ()) = record(|| {
        let run = task.start();
        inner
            .block_on(busy(3))
            .checked_sub(3)
            .expect("three rounds");
        run.end();
    });
    let Some(waits) = recorded.transitions("root_s_thread") else {
        return;
    };
    assert!(
        waits
            .iter()
            .any(|line| line.detail.ends_with("Running->Waiting Reason=\"sync\""))
    );
}

fn root_s_thread() {}

#[test]
fn the_program_s_own_callbacks_run_as_with_tokio() {
    let _turn = turn();
    let calls: Arc<[AtomicUsize; 4]> = Arc::default();
    let counter = |index: usize| {
        let calls = calls.clone();
        // Relaxed: the runtime's end orders it.
        move || {
            calls[index].fetch_add(1, Ordering::Relaxed);
        }
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("chef")
        .enable_all()
        .on_thread_start(counter(0))
        .on_thread_stop(counter(1))
        .on_thread_park(counter(2))
        .on_thread_unpark(counter(3))
        .build()
        .expect("a runtime");
    // A worker shows that it is one when it first parks.
    let have_parked = (0..5_000).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        // Relaxed: as above.
        calls[2].load(Ordering::Relaxed) >= 2
    });
    assert!(have_parked, "{calls:?}");
    let (recorded, ()) = record(|| {
        runtime.block_on(async { drop(tokio::spawn(busy(1)).await) });
        drop(runtime);
    });
    let calls = calls.each_ref().map(|calls| calls.load(Ordering::Relaxed));
    assert_eq!(calls[..2], [2, 2]);
    assert!(calls[2] > 0 && calls[3] > 0, "{calls:?}");
    check_thread_name(&recorded, "name=chef");
}

#[track_caller]
fn check_thread_name(recorded: &Recorded, name: &str) {
    let Some(dump) = recorded.v1() else { return };
    let mut threads = dump
        .named("UserLog")
        .filter_map(|line| line.argument("message"));
    assert!(threads.any(|message| message.contains("role=worker") && message.ends_with(name)));
}

#[test]
fn what_the_adapter_wraps_still_leads_to_tokio_s_own() {
    let runtime = runtime_of_one();
    let handle: &::tokio::runtime::Handle = runtime.handle();
    assert_eq!(handle.id(), runtime.handle().id());
    assert_eq!(runtime.metrics().num_workers(), 1);
    let entered = runtime.enter();
    assert_eq!(Handle::current().id(), handle.id());
    drop(entered);
    assert!(Handle::try_current().is_err());
    let own: Handle = handle.clone().into();
    let theirs: ::tokio::runtime::Handle = own.into();
    drop(theirs);
    runtime.shutdown_timeout(Duration::ZERO);
}
