//! `exectrace validate`, as its users run it.

mod packed;
mod support;

use packed::{gzip, packed_by_zstd};
use support::{check_code, error, feed, read, run, shipped, text};

#[test]
fn traces_that_are_whole_break_no_rule() {
    for name in ["recorded/go1.27/empty.trace", "recorded/go1.19/empty.trace"] {
        let output = run(&["validate"], &[&shipped(name)]);
        check_code(&output, 0);
        assert!(
            text(&output).ends_with(" events, 0 violations\n"),
            "{}",
            text(&output)
        );
    }
    let packed = gzip(&read(&shipped("recorded/go1.27/empty.trace")));
    for input in [packed, read(&packed_by_zstd())] {
        let piped = feed(&["validate"], input);
        check_code(&piped, 0);
        assert!(text(&piped).starts_with("standard input: "));
    }
}

#[test]
fn faults_are_told_and_the_worst_of_several_counts() {
    let (whole, cut, none) = (
        shipped("recorded/go1.27/empty.trace"),
        shipped("handmade/v2-type-137.trace"),
        shipped("handmade/v1-bad-magic.trace"),
    );
    let partial = run(&["validate"], &[&cut]);
    check_code(&partial, 3);
    assert!(error(&partial).contains("unknown event type 137"));
    check_code(&run(&["validate", "--allow-partial"], &[&cut]), 0);
    check_code(&run(&["validate"], &[&whole, &cut]), 3);
    check_code(&run(&["validate"], &[&whole, &none, &cut]), 2);
}

#[test]
fn strict_refuses_what_the_other_commands_refuse() {
    let damaged = shipped("handmade/v2-type-137.trace");
    check_code(&run(&["validate"], &[&damaged]), 3);
    check_code(&run(&["validate", "--strict"], &[&damaged]), 2);
    let packed = gzip(&read(&shipped("recorded/go1.27/empty.trace")));
    let cut = || packed[..packed.len() - 1].to_vec();
    check_code(&feed(&["validate"], cut()), 3);
    check_code(&feed(&["validate", "--strict"], cut()), 2);
    let empty = shipped("handmade/v1-header-only.trace");
    for arguments in [&["validate"][..], &["validate", "--strict"]] {
        check_code(&run(arguments, &[&empty]), 3);
    }
}
