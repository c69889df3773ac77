//! What the contenders run: one operation of a runtime, over and over.

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::mpsc;
use tokio::task::yield_now;

use crate::contender::{Body, Contender, Spawner};

/// An operation, repeated.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) operations: u64,
    body: fn(u64, Spawner) -> Body,
}

/// Sizes that take a contender about half a second.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "poll",
        operations: 3_000_000,
        body: polls,
    },
    Workload {
        name: "poll_wake",
        operations: 2_000_000,
        body: wakes,
    },
    Workload {
        name: "spawn_join",
        operations: 500_000,
        body: spawns,
    },
];

impl Workload {
    /// The CPU time that it takes `contender`, all threads together.
    pub(crate) fn cpu_ns(&self, contender: &Contender) -> u64 {
        let before = process_cpu_ns();
        (contender.run)((self.body)(self.operations, contender.spawner));
        process_cpu_ns() - before
    }
}

fn process_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Eight tasks that yield in turn: an operation is a poll, put off by the task itself.
fn polls(operations: u64, spawner: Spawner) -> Body {
    const TASKS: u64 = 8;
    Box::new(move |runtime| {
        runtime.block_on(async move {
            let tasks: Vec<_> = (0..TASKS)
                .map(|_| {
                    spawner.spawn(async move {
                        for _ in 0..operations / TASKS {
                            yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("the task does not panic");
            }
        });
    })
}

/// Two tasks that send one message to and fro: an operation is a wake by the other task and the poll that follows.
fn wakes(operations: u64, spawner: Spawner) -> Body {
    Box::new(move |runtime| {
        runtime.block_on(async move {
            let (to_second, mut at_second) = mpsc::channel(1);
            let (to_first, mut at_first) = mpsc::channel(1);
            let first = spawner.spawn(async move {
                for round in 0..operations / 2 {
                    to_second.send(round).await.expect("the second listens");
                    at_first.recv().await.expect("the second answers");
                }
            });
            let second = spawner.spawn(async move {
                while let Some(round) = at_second.recv().await {
                    // The first is gone after its last message.
                    if to_first.send(round).await.is_err() {
                        break;
                    }
                }
            });
            first.await.expect("the first does not panic");
            second.await.expect("the second does not panic");
        });
    })
}

/// A task that does nothing, spawned and awaited by another, over and over.
fn spawns(operations: u64, spawner: Spawner) -> Body {
    Box::new(move |runtime| {
        runtime.block_on(async move {
            let parent = spawner.spawn(async move {
                for _ in 0..operations {
                    spawner.spawn(async {}).await.expect("nothing panics");
                }
            });
            parent.await.expect("the parent does not panic");
        });
    })
}
