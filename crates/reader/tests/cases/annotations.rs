//! Regions and user tasks that begin before the trace, or end twice or never.

use exectrace_format::TaskId;
use exectrace_reader::{Cause, Reader, Repair};

use super::{RECORDERS, Told, recorded};

#[test]
fn a_region_may_have_begun_before_the_trace() {
    for by in RECORDERS {
        let file = recorded(by, "early_region");
        let told = Told::strictly(&file);
        assert_eq!(told.annotations(), ["region early of 0 ends"], "{by}");
    }
}

#[test]
fn a_second_end_of_a_region_is_an_end_like_the_first() {
    for by in RECORDERS {
        let file = recorded(by, "ended_twice");
        let told = Told::strictly(&file);
        assert_eq!(
            told.annotations(),
            [
                "region twice of 0",
                "region twice of 0 ends",
                "region twice of 0 ends"
            ],
            "{by}"
        );
    }
}

#[test]
fn strictly_a_region_may_not_end_again_inside_of_another() {
    for by in RECORDERS {
        let file = recorded(by, "ended_twice_inside");
        let mut events = Reader::new(&file).expect("has a header");
        let fault = events.find_map(Result::err).expect("Go refuses it");
        assert_eq!(fault.cause, Cause::RegionNotInnermost, "{by}");
        assert_eq!(fault.task, Some(TaskId(1)), "{by}");
        assert!(fault.offset > 16, "{by}");
    }
}

#[test]
fn a_region_that_ends_again_ends_no_other() {
    for by in RECORDERS {
        let file = recorded(by, "ended_twice_inside");
        let told = Told::tolerantly(&file);
        assert_eq!(
            told.annotations(),
            [
                "region outer of 0",
                "region twice of 0",
                "region twice of 0 ends",
                "region twice of 0, inferred",
                "region twice of 0 ends",
                "region outer of 0 ends"
            ],
            "{by}"
        );
        let repairs = told.reader.repairs();
        assert_eq!(
            (repairs.total(), repairs.count(Repair::Region)),
            (1, 1),
            "{by}"
        );
        assert!(told.reader.loss().is_none(), "{by}");
    }
}

#[test]
fn tasks_and_regions_may_never_end() {
    for by in RECORDERS {
        let file = recorded(by, "left_open");
        let told = Told::strictly(&file);
        assert_eq!(
            told.annotations(),
            [
                "task 1 of 0: unfinished",
                "log key of 1: of the task",
                "region open of 1"
            ],
            "{by}"
        );
    }
}

#[test]
fn a_user_task_may_have_begun_before_the_trace() {
    for by in RECORDERS {
        let file = recorded(by, "early_task");
        let told = Told::strictly(&file);
        assert_eq!(
            told.annotations(),
            [
                "task 2 of 1: child",
                "log key of 1: of the parent",
                "task 2 ends: Some(\"child\")",
                "task 1 ends: None"
            ],
            "{by}"
        );
    }
}
