//! The three levels on traces written by hand: what is right passes with the right contents, what is wrong does not.

mod trace_bytes;

use std::panic;

use exectrace_testkit::{Error, Go, PageProblem, Scratch, V2Line, accepts, opens, profiles};
use trace_bytes::{TraceBytes, two_tasks};

#[test]
fn a_good_trace_opens_with_its_contents() {
    let scratch = Scratch::new("opens");
    let accepted = opens(&scratch.file("good.trace", &two_tasks().bytes()));
    if let Some(v1) = accepted.v1 {
        let counts = v1.counts();
        assert_eq!(
            (counts["GoCreate"], counts["GoStart"], counts["GoUnblock"]),
            (2, 3, 1)
        );
        let log = v1.named("UserLog").next().expect("the trace has a log");
        assert_eq!(log.argument("category"), Some("request"));
        assert_eq!(log.argument("message"), Some("two\nlines"));
        assert_eq!((log.time_ns, log.worker, log.task), (70, 0, 1));
    }
    if let Some(v2) = accepted.v2 {
        let blocked = |line: &&V2Line| line.detail.starts_with("GoID=1 Running->Waiting");
        let block = v2
            .of_kind("StateTransition")
            .find(blocked)
            .expect("task 1 waits");
        assert_eq!(block.detail, "GoID=1 Running->Waiting Reason=\"sync\"");
        assert_eq!(
            (block.stack[0].function.as_str(), block.stack[0].line),
            ("server::main", 7)
        );
        assert_eq!(v2.counts()["RegionBegin"], 1);
    }
}

#[test]
fn a_wait_stands_in_the_sync_profile() {
    let scratch = Scratch::new("sync");
    let trace = scratch.file("good.trace", &two_tasks().bytes());
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        let profile = go.profile(&trace, "sync").expect("the trace is good");
        let top = go
            .pprof_top(&scratch.file("sync.pprof", &profile))
            .expect("the profile is good");
        assert_eq!((top.sample_type.as_str(), top.total), ("delay", 510));
        assert_eq!(top.row("server::main").map(|row| row.flat), Some(510));
    }
}

#[test]
fn a_trace_cut_in_a_record_is_refused_with_the_reason() {
    let scratch = Scratch::new("cut");
    let mut bytes = two_tasks().bytes();
    bytes.extend([0x80 | 17, 10]);
    let trace = scratch.file("cut.trace", &bytes);
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        let error = go.listing(&trace).expect_err("the last record is cut");
        let Error::Refused { code, log, .. } = &error else {
            panic!("{}: {error}", go.version());
        };
        assert_eq!(*code, Some(1));
        assert!(log.contains("failed to"), "{log}");
        assert!(go.serve(&trace).is_err());
        assert!(go.profile(&trace, "net").is_err());
    }
}

#[test]
fn an_impossible_order_is_refused() {
    let scratch = Scratch::new("order");
    // GoUnblock of a task that does not wait.
    let bytes = two_tasks().long(21, &[10, 2, 9, 1]).bytes();
    let trace = scratch.file("order.trace", &bytes);
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        assert!(go.listing(&trace).is_err(), "{}", go.version());
    }
}

#[test]
fn the_assertion_says_which_file_and_why() {
    if Go::v1_19().is_none() {
        return;
    }
    let scratch = Scratch::new("why");
    let trace = scratch.file("empty.trace", &TraceBytes::new().bytes());
    let message = panic::catch_unwind(|| accepts(&trace)).expect_err("the trace holds no event");
    let message = message
        .downcast_ref::<String>()
        .expect("the message has arguments");
    assert!(message.contains("empty.trace: "), "{message}");
    assert!(message.contains("trace is empty"), "{message}");
}

#[test]
fn a_page_that_fails_is_found() {
    // Go 1.19 parses a region that begins without a stack, and its pages of annotations then end in a panic.
    let bytes = two_tasks()
        .short(5, &[10, 77])
        .long(13, &[10, 3, 1, 1])
        .short(14, &[10, 3, 1])
        .long(47, &[10, 0, 0, 4, 0])
        .long(47, &[10, 0, 1, 4, 0])
        .short(15, &[10])
        .short(6, &[10])
        .bytes();
    let scratch = Scratch::new("page");
    let trace = scratch.file("region.trace", &bytes);
    profiles(&trace);
    if let Some(go) = Go::v1_19() {
        let error = go
            .serve(&trace)
            .and_then(|server| server.crawl(1))
            .expect_err("the page needs a stack");
        let Error::Page {
            target,
            problem,
            log,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert!(matches!(problem, PageProblem::NoAnswer), "{error}");
        assert_eq!(target, "/usertasks");
        assert!(log.contains("index out of range"), "{log}");
    }
}

#[test]
fn an_unknown_profile_is_an_error() {
    let scratch = Scratch::new("kind");
    let trace = scratch.file("good.trace", &two_tasks().bytes());
    if let Some(go) = Go::v1_19() {
        assert!(go.profile(&trace, "heap").is_err());
        assert!(go.pprof_top(&trace).is_err());
    }
}
