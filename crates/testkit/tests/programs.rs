//! Programs in Go, built and run; and toolchains that are none.

use std::env;
use std::fs;
use std::process::Command;
use std::time::Duration;

use exectrace_testkit::{Error, Go, GoVersion, Scratch};

const LIMIT: Duration = Duration::from_secs(60);

const PROGRAM: &[u8] = b"package main

import (
	\"fmt\"
	\"os\"
)

func main() {
	fmt.Println(len(os.Args), os.Args[1])
	if os.Args[1] == \"bad\" {
		os.Exit(3)
	}
}
";

#[test]
fn a_program_is_built_and_run() {
    for go in [Go::v1_19(), Go::v1_27()].into_iter().flatten() {
        let scratch = Scratch::new("program");
        let _ = scratch.file("main.go", PROGRAM);
        let run = |word: &str| go.run(scratch.path(), &[word.as_ref()], LIMIT);
        assert_eq!(run("good").expect("the program is good"), b"2 good\n");
        let file = scratch.path().join("main.go");
        let printed = go.run(&file, &["alone".as_ref()], LIMIT);
        assert_eq!(printed.expect("the program is good"), b"2 alone\n");
        let refused = run("bad").expect_err("the program fails");
        assert!(
            matches!(refused, Error::Refused { code: Some(3), .. }),
            "{refused}"
        );
        let unformatted = go.unformatted(scratch.path()).expect("gofmt runs");
        assert_eq!(unformatted, "");
        let _ = scratch.file("main.go", b"package main\nfunc main () {}\n");
        let unformatted = go.unformatted(scratch.path()).expect("gofmt runs");
        assert!(unformatted.ends_with("main.go\n"), "{unformatted}");
        let names = fs::read_dir(scratch.path()).expect("the folder is there");
        assert_eq!(names.count(), 1, "nothing is written beside the sources");
    }
}

#[test]
#[ignore = "the next test runs it as a child"]
fn child() {
    let absent = Go::find(GoVersion::V1_19).expect("none is named");
    assert!(absent.is_none());
    let wrong = Go::find(GoVersion::V1_27).expect_err("sh is no toolchain");
    assert!(
        matches!(wrong, Error::NotWorking { version: GoVersion::V1_27, ref binary, .. } if binary.ends_with("sh")),
        "{wrong}"
    );
    assert!(
        wrong
            .to_string()
            .starts_with("/bin/sh is not a working Go 1.27: "),
        "{wrong}"
    );
}

#[test]
fn a_toolchain_that_is_none_is_told_apart_from_none() {
    let status = Command::new(env::current_exe().expect("a test knows its binary"))
        .args(["--ignored", "--exact", "child"])
        .env("EXECTRACE_GO_1_19", "")
        .env("EXECTRACE_GO_1_27", "/bin/sh")
        .env("EXECTRACE_REQUIRE_GO", "1")
        .status()
        .expect("a test can run itself");
    assert!(status.success());
}
