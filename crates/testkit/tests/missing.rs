//! What a check says and does when its toolchain is missing, seen from outside: this test runs itself as a child.

use std::env;
use std::process::{Command, Output};

use exectrace_testkit::{Go, Scratch, accepts};

/// Runs the ignored test `name` of this binary as a child without a Go 1.19.
fn run(name: &str, go: &str, require: &str) -> Output {
    Command::new(env::current_exe().expect("a test knows its binary"))
        .args(["--ignored", "--exact", name])
        .env("EXECTRACE_GO_1_19", go)
        .env("EXECTRACE_GO_1_27", "")
        .env("EXECTRACE_REQUIRE_GO", require)
        .env_remove("RUST_TEST_NOCAPTURE")
        .output()
        .expect("a test can run itself")
}

#[test]
#[ignore = "the other tests run it as a child"]
fn child() {
    assert!(Go::v1_19().is_none());
    let accepted = accepts(Scratch::new("absent").path());
    assert!(accepted.v1.is_none() && accepted.v2.is_none());
}

#[test]
fn a_skipped_check_passes_and_says_so_past_the_capture() {
    let output = run("child", "", "0");
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said.matches("skipped: child needs Go 1.19 (apt-get install golang-1.19-go)\n")
            .count(),
        1,
        "{said}"
    );
    assert!(said.contains("skipped: child needs Go 1.27 ("), "{said}");
}

#[test]
fn a_required_check_fails_and_says_what_to_install() {
    let output = run("child", "", "1");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("needs Go 1.19 (apt-get install golang-1.19-go)"),
        "{said}"
    );
}

#[test]
fn a_toolchain_that_is_named_and_does_not_work_fails() {
    for go in ["/nonexistent/go", "/bin/true"] {
        let output = run("child", go, "0");
        assert!(!output.status.success(), "{go}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.contains(&format!("{go} is not a working Go 1.19")),
            "{said}"
        );
    }
}
