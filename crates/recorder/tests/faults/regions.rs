//! More regions than can be open at one time.

use exectrace::{Recorder, Region};
use exectrace_testkit::accepts;

use crate::support::{record, turn};

/// As many as the recorder keeps.
const OPEN_MAX: usize = 1 << 16;
const REGIONS: usize = OPEN_MAX + 1_000;

#[test]
fn regions_beyond_the_most_that_can_be_open_are_counted_as_dropped() {
    let _turn = turn();
    let (recorded, left_open) = record(Recorder::new(), || {
        let mut regions: Vec<Region> = (0..REGIONS).map(|_| Region::new("nested")).collect();
        // One of the dropped ones is open until the session has ended: its end is not emitted.
        let left_open = regions.pop();
        while regions.pop().is_some() {}
        // There is room again.
        drop(Region::new("afterwards"));
        left_open
    });
    drop(left_open);
    let statistics = &recorded.statistics;
    let written = statistics.events.of("UserRegion");
    let dropped = statistics.dropped.of("UserRegion");
    assert_eq!(written + dropped, 2 * REGIONS as u64 - 1 + 2);
    // Regions that other tests of the process forgot take some of the places.
    assert!((1_999..2_200).contains(&dropped), "{dropped}");
    assert_eq!(statistics.dropped_total(), dropped);
    assert!(!statistics.is_complete());
    assert_eq!(statistics.cut_texts, 0);
    let Some(dump) = recorded.check(accepts).v1 else {
        return;
    };
    let log = dump
        .named("UserLog")
        .find(|line| line.argument("category") == Some("exectrace.dropped"))
        .expect("the loss stands in the file");
    let message = log.argument("message").unwrap_or_default();
    assert!(
        message.ends_with(&format!("regions={dropped}")),
        "{message}"
    );
}
