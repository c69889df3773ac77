//! The program says the same whether it is traced or not, and its recording opens in Go's tools.

use std::path::Path;
use std::process::Command;

use exectrace_testkit::Scratch;

fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn it_says_the_same_both_ways() {
    let scratch = Scratch::new("unchanged");
    let traced = output(
        Command::new(env!("CARGO_BIN_EXE_unchanged-traced"))
            .arg("program.trace")
            .current_dir(scratch.path()),
    );
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plain/Cargo.toml");
    let plain = output(
        Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--manifest-path"])
            .arg(manifest),
    );
    assert_eq!(traced, plain);
    let accepted = exectrace_testkit::accepts(&scratch.path().join("program.trace"));
    if let Some(dump) = accepted.v1 {
        // The root, the server with its four connections, four clients, the blocking closure, the aborted and the panicking
        // task, the local root and its task.
        assert_eq!(dump.counts()["GoCreate"], 15);
    }
}
