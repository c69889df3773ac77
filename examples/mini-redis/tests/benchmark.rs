//! mini-redis under redis-benchmark: nothing dropped, both of Go's tools take it, the tasks that it spawns by itself show, and
//! nothing is found that is wrong with it.
//!
//! Needs `redis-benchmark` (Debian's redis-tools); with `EXECTRACE_REQUIRE_REDIS=1` it must be there.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use exectrace_analysis::{Finding, Findings, Pass, Severity, Window};
use exectrace_reader::Reader;
use exectrace_testkit::Scratch;

/// Connections of the benchmark: mini-redis spawns a task for each.
const CONNECTIONS: u64 = 32;

struct Server {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    port: String,
}

impl Server {
    fn start(scratch: &Scratch) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_traced-mini-redis"))
            .args(["mini-redis.trace", "0"])
            .current_dir(scratch.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let port = line.trim().rsplit(':').next().unwrap_or_default().to_owned();
        Self {
            child,
            output,
            port,
        }
    }

    /// Stops the server as Ctrl-C does, and returns what it printed.
    fn stop(mut self) -> String {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        let mut printed = String::new();
        self.output.read_to_string(&mut printed).expect("text");
        assert!(self.child.wait().expect("an end").success(), "{printed}");
        printed
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn benchmark_is_there() -> bool {
    let found = Command::new("redis-benchmark").arg("--version").output().is_ok();
    let required = std::env::var_os("EXECTRACE_REQUIRE_REDIS").is_some();
    assert!(found || !required, "redis-benchmark is missing: apt-get install redis-tools");
    found
}

#[test]
fn mini_redis_under_load_is_recorded_whole() {
    if !benchmark_is_there() {
        eprintln!("skipped: needs redis-benchmark (apt-get install redis-tools)");
        return;
    }
    let scratch = Scratch::new("mini-redis");
    let recording = scratch.path().join("mini-redis.trace");
    record(&scratch);
    let accepted = exectrace_testkit::profiles(&recording);
    if let Some(dump) = accepted.v1 {
        let counts = dump.counts();
        // A task for each connection of each of the two tests, and the root.
        assert!(counts["GoCreate"] > 2 * CONNECTIONS, "{counts:?}");
        assert!(counts["GoStart"] >= 40_000, "{counts:?}");
        assert!(counts["GoBlock"] + counts.get("GoBlockNet").unwrap_or(&0) > 20_000, "{counts:?}");
    }
    // A busy machine keeps threads from running, which is to be seen in a recording; one without that shows what the server does.
    let mut findings = findings(&recording);
    for _ in 1..TRIES {
        if findings.is_empty() {
            break;
        }
        record(&scratch);
        findings = self::findings(&recording);
    }
    assert!(findings.is_empty(), "{findings:#?}");
}

/// Recordings of which one shows a healthy server.
const TRIES: usize = 5;

/// Records the server under load.
fn record(scratch: &Scratch) {
    let server = Server::start(scratch);
    let connections = CONNECTIONS.to_string();
    let benchmark = Command::new("redis-benchmark")
        .args(["-p", &server.port, "-t", "set,get", "-n", "20000", "-q", "-c", &connections])
        .output()
        .expect("the benchmark runs");
    assert!(benchmark.status.success());
    let rates = String::from_utf8_lossy(&benchmark.stdout).into_owned();
    assert!(rates.contains("requests per second"), "{rates}");
    let printed = server.stop();
    assert!(printed.contains("dropped: 0"), "{printed}");
}

/// What is found in a recording that is more than low.
fn findings(recording: &Path) -> Vec<Finding> {
    let file = std::fs::read(recording).expect("is there");
    let mut reader = Reader::tolerant(&file).expect("is a trace");
    let mut pass = Pass::new(Window::WHOLE, Findings::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    let mut findings = pass.report(reader.tables()).findings;
    findings.retain(|finding| finding.severity > Severity::Low);
    findings
}
