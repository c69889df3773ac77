//! Turns given up, in a process that has never seen one: no recording has looked at a stack yet.

mod support;

use exectrace_tokio as tokio;
use support::{Recorded, record, runtime_of_two, turn};
use tokio::task::yield_now;

const YIELDS: usize = 50;

async fn yielding() {
    for _ in 0..YIELDS {
        yield_now().await;
    }
}

/// Every turn that the tasks of `yielding` gave up is one, and none a wait.
#[track_caller]
fn check(recorded: &Recorded, tasks: usize) {
    // The root may have been woken while it was polled, which makes some more.
    assert!(recorded.count("GoSched") >= (tasks * YIELDS) as u64);
    let Some(transitions) = recorded.transitions("yielding") else {
        return;
    };
    let count = |what: &str| {
        let of_them = transitions.iter().filter(|line| line.detail.contains(what));
        of_them.count()
    };
    assert_eq!(count("Running->Runnable"), tasks * YIELDS);
    assert_eq!(count("Running->Waiting"), 0);
    let yields = transitions
        .iter()
        .filter(|line| line.detail.contains("Running->Runnable"));
    for line in yields {
        let functions = line.stack.iter().map(|frame| frame.function.as_str());
        let functions: Vec<_> = functions.collect();
        assert!(
            functions
                .iter()
                .any(|function| function.contains("yielding")),
            "{functions:#?}"
        );
        // Neither ours nor the waker's own.
        assert!(functions[0].starts_with("tokio::"), "{functions:#?}");
    }
}

#[test]
fn the_first_yields_of_a_process_are_no_waits() {
    let _turn = turn();
    let runtime = runtime_of_two();
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            let tasks: Vec<_> = (0..4).map(|_| tokio::spawn(yielding())).collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
    });
    check(&recorded, 4);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let (recorded, ()) = record(|| {
        runtime.block_on(async {
            tokio::spawn(yielding()).await.expect("no panic");
        });
    });
    check(&recorded, 1);
}
