//! Functions of adapters that the collector calls, and that panic.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use exectrace::hook::{BlockReason, Leaf, LeafClass, Task, add_describer, set_leaf_classifier};
use exectrace::{EndReason, Recorder};
use exectrace_testkit::{Accepted, accepts};

use crate::emitted::{Emitted, entry};
use crate::support::{record, turn};

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
fn a_classifier_that_panics_costs_its_leaf_the_reason_and_nothing_else() {
    let _turn = turn();
    set_leaf_classifier(classify);
    BROKEN.store(true, Ordering::Relaxed);
    let (recorded, mut emitted) = record(Recorder::new(), || {
        let mut emitted = Emitted::default();
        emitted.life(20);
        let task = Task::new(entry());
        let run = task.start();
        let leaf = leaf_of_the_first_session().expect("a stack");
        run.wait(&[leaf]);
        // Beyond the collector's first look at the leaf.
        emitted.heap(40_000);
        emitted
    });
    BROKEN.store(false, Ordering::Relaxed);
    for (kind, count) in [
        ("GoCreate", 1),
        ("GoStart", 2),
        ("GoBlock", 1),
        ("GoUnblock", 1),
        ("GoEnd", 1),
    ] {
        emitted.add(kind, count);
    }
    let statistics = &recorded.statistics;
    assert_eq!(statistics.end, EndReason::Stopped);
    emitted.assert_written(statistics);
    assert!(statistics.failed_callbacks > 0, "{statistics:?}");
    assert!(
        statistics
            .to_string()
            .contains("classifiers and describers: ")
    );
    let failed = statistics.failed_callbacks;
    let accepted = recorded.check(accepts);
    assert_log(
        &accepted,
        "exectrace.panics",
        &format!("classifiers={failed} describers=0"),
    );
    let (recorded, emitted) = record(Recorder::new(), || {
        let mut emitted = Emitted::default();
        emitted.life(20);
        emitted
    });
    emitted.assert_written(&recorded.statistics);
    assert_eq!(recorded.statistics.failed_callbacks, 0);
    recorded.check(accepts);
}

/// Go 1.19 read this message under this key.
#[track_caller]
fn assert_log(accepted: &Accepted, key: &str, message: &str) {
    let Some(dump) = &accepted.v1 else {
        return;
    };
    let found = dump.named("UserLog").any(|line| {
        line.argument("category") == Some(key) && line.argument("message") == Some(message)
    });
    assert!(found, "no {key} {message}");
}

/// Lets the describer of this process panic.
static UNDESCRIBED: AtomicBool = AtomicBool::new(false);
/// How often it was asked.
static ASKED: AtomicU64 = AtomicU64::new(0);

fn describe() -> Option<String> {
    ASKED.fetch_add(1, Ordering::Relaxed);
    assert!(
        !UNDESCRIBED.load(Ordering::Relaxed),
        "this describer panics"
    );
    None
}

#[test]
fn a_describer_that_panics_is_asked_no_more_and_harms_no_other() {
    let _turn = turn();
    add_describer("test.broken", describe);
    add_describer("test.whole", || Some("all is well".to_owned()));
    UNDESCRIBED.store(true, Ordering::Relaxed);
    ASKED.store(0, Ordering::Relaxed);
    let (recorded, emitted) = record(Recorder::new(), || {
        let mut emitted = Emitted::default();
        emitted.life(20);
        emitted
    });
    UNDESCRIBED.store(false, Ordering::Relaxed);
    // Else it would have been asked at the session's end too.
    assert_eq!(ASKED.load(Ordering::Relaxed), 1);
    let statistics = &recorded.statistics;
    assert_eq!(statistics.end, EndReason::Stopped);
    emitted.assert_written(statistics);
    assert_eq!(statistics.failed_callbacks, 1);
    let accepted = recorded.check(accepts);
    assert_log(&accepted, "test.whole", "all is well");
    assert_log(&accepted, "exectrace.panics", "classifiers=0 describers=1");
}
