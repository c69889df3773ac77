//! Mistakes inside the collector itself.

use std::sync::atomic::{AtomicBool, Ordering};

use exectrace::hook::{BlockReason, Leaf, LeafClass, Task, set_leaf_classifier};
use exectrace::{EndReason, Recorder};
use exectrace_testkit::accepts;

use crate::emitted::{Emitted, assert_holds, entry};
use crate::support::{Memory, record, save, turn};

/// Lets the classifier of this process panic.
static BROKEN: AtomicBool = AtomicBool::new(false);

fn classify(_: &[&str]) -> LeafClass {
    assert!(!BROKEN.load(Ordering::Relaxed), "this classifier panics");
    LeafClass::Waits(BlockReason::Other)
}

#[inline(never)]
fn leaf_of_the_first_session() -> Option<Leaf> {
    Leaf::here()
}

#[test]
fn a_panic_while_stacks_are_looked_up_ends_the_session_with_a_good_file() {
    let _turn = turn();
    set_leaf_classifier(classify);
    BROKEN.store(true, Ordering::Relaxed);
    let memory = Memory::default();
    let session = exectrace::start(memory.clone()).expect("no other session");
    let mut emitted = Emitted::default();
    emitted.life(20);
    let task = Task::new(entry());
    let run = task.start();
    let leaf = leaf_of_the_first_session().expect("a stack");
    run.wait(&[leaf]);
    let statistics = session.stop();
    drop(task);
    BROKEN.store(false, Ordering::Relaxed);
    assert_eq!(statistics.end, EndReason::CollectorFailed);
    for (kind, count) in [("GoCreate", 1), ("GoStart", 1)] {
        emitted.add(kind, count);
    }
    emitted.assert_accounted(&statistics);
    assert_eq!(statistics.events.of("GoBlock"), 1);
    assert_holds(&memory.bytes(), &statistics);
    save(&memory, statistics).check(accepts);
    let (recorded, emitted) = record(Recorder::new(), || {
        let mut emitted = Emitted::default();
        emitted.life(20);
        emitted
    });
    emitted.assert_written(&recorded.statistics);
    recorded.check(accepts);
}
