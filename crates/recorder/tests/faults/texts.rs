//! Names and messages that are long, empty or no text, and stacks that are deep.

use exectrace::hook::Task;
use exectrace::{Recorder, Region, UserTask};
use exectrace_testkit::accepts;

use crate::emitted::entry;
use crate::support::{record, turn};

/// What readers know of a name.
const NAME_BYTES: usize = 1_024;

#[test]
fn names_of_any_length_and_bytes_are_taken() {
    let _turn = turn();
    let long = vec![b'n'; 10 * 1024];
    let names: [&[u8]; 4] = [&long, b"", b"\xff\xfe\x00 not text", "\u{1f980}".as_bytes()];
    let (recorded, ()) = record(Recorder::new(), || {
        let task = Task::new(entry());
        for name in names {
            let run = task.start_labelled(name);
            let user_task = UserTask::new(name);
            let region = Region::new(name);
            exectrace::log(name, name);
            drop(region);
            drop(user_task);
            run.yields();
        }
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("UserRegion"), 8);
    // Label, user task, region and key of the long name; its message fits.
    assert_eq!(statistics.cut_texts, 4);
    let Some(dump) = recorded.check(accepts).v1 else {
        return;
    };
    let named = |kind, argument| -> Vec<usize> {
        let lines = dump.named(kind);
        lines
            .filter_map(|line| line.argument(argument).map(str::len))
            .collect()
    };
    assert_eq!(named("UserTaskCreate", "name")[0], NAME_BYTES);
    assert_eq!(named("UserTaskCreate", "name")[1], 0);
    // The listing shows a label as a number; a start without one is an ordinary start.
    assert_eq!(statistics_of(&dump, "GoStartLabel"), 3);
}

fn statistics_of(dump: &exectrace_testkit::V1Dump, kind: &str) -> u64 {
    dump.counts().get(kind).copied().unwrap_or(0)
}

#[test]
fn messages_of_any_length_are_taken() {
    let _turn = turn();
    let lengths = [0, 1, 4_000, 60_000, 200 * 1024];
    let (recorded, ()) = record(Recorder::new(), || {
        for _ in 0..3 {
            for length in lengths {
                exectrace::log("length", vec![b'm'; length]);
            }
        }
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.cut_texts, 3);
    let Some(dump) = recorded.check(accepts).v1 else {
        return;
    };
    let found: Vec<usize> = dump
        .named("UserLog")
        .filter(|line| line.argument("category") == Some("length"))
        .filter_map(|line| line.argument("message").map(str::len))
        .collect();
    assert_eq!(found.len(), 15);
    for (number, found) in found.into_iter().enumerate() {
        let length = lengths[number % lengths.len()];
        if length <= 60_000 {
            assert_eq!(found, length);
        } else {
            assert!((61_000..=64 * 1024).contains(&found), "{found}");
        }
    }
}

#[inline(never)]
fn at_depth(depth: usize, work: &mut dyn FnMut()) -> usize {
    if depth == 0 {
        work();
        return 0;
    }
    std::hint::black_box(at_depth(depth - 1, work)) + 1
}

#[test]
fn stacks_deeper_than_128_frames_are_cut_and_counted() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        let task = Task::new(entry());
        let run = task.start();
        for depth in [10, 100, 200, 1_000] {
            at_depth(depth, &mut || exectrace::log("depth", depth.to_string()));
        }
        run.end();
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.cut_stacks, 2);
    let Some(dump) = recorded.check(accepts).v2 else {
        return;
    };
    let frames = dump
        .lines
        .iter()
        .map(|line| line.stack.len())
        .max()
        .unwrap_or(0);
    assert!((100..=128).contains(&frames), "{frames}");
}
