//! Threads that were not started through a hook are known by their names.

mod support;

use std::thread;

use exectrace::Recorder;
use exectrace::hook::adopt_thread;
use exectrace_testkit::accepts;
use support::{record, turn};

#[test]
fn an_adopted_thread_starts_at_its_name() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        for name in ["baker", "baker", "a-name-longer-than-the-kernel-keeps"] {
            let named = thread::Builder::new().name(name.to_owned());
            let started = named.spawn(|| {
                adopt_thread();
                exectrace::log("bread", "baked");
            });
            started.expect("a thread").join().expect("no panic");
        }
    });
    let Some(dump) = recorded.check(accepts).v2 else {
        return;
    };
    let starts: Vec<&str> = dump
        .lines
        .iter()
        .filter(|line| line.detail.contains("NotExist->"))
        .filter_map(|line| Some(line.transition_stack.first()?.function.as_str()))
        .collect();
    assert_eq!(
        starts,
        ["thread baker", "thread baker", "thread a-name-longer-t"]
    );
}
