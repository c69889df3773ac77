//! `exectrace view`, from the command line to an answer.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use exectrace_testkit::{Corpus, Scratch};

/// The command, killed when the test ends.
struct View {
    child: Child,
    /// Host with port, and the path that lets in.
    host: String,
    path: String,
}

impl View {
    fn of(files: &[&Path]) -> Self {
        Self::started(Command::new(env!("CARGO_BIN_EXE_exectrace")), files)
    }

    fn started(mut command: Command, files: &[&Path]) -> Self {
        let mut child = command
            .args(["view", "--no-open"])
            .args(files)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("is piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("prints an address");
        let url = url.trim().strip_prefix("http://").expect("is HTTP");
        let (host, path) = url.split_once('/').expect("has a path");
        Self {
            child,
            host: host.to_owned(),
            path: format!("/{path}"),
        }
    }

    fn get(&self, target: &str) -> serde_json::Value {
        let mut stream = TcpStream::connect(&self.host).expect("listens");
        let (host, path) = (&self.host, &self.path);
        write!(
            stream,
            "GET {path}{target} HTTP/1.0\r\nHost: {host}\r\n\r\n"
        )
        .expect("reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answers");
        let (_, body) = answer.split_once("\r\n\r\n").expect("has a head");
        serde_json::from_str(body).expect("is JSON")
    }

    fn status(&self) -> serde_json::Value {
        loop {
            let status = self.get("api/trace");
            if status["state"] != "reading" {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_first_line_is_the_address_of_the_page() {
    let trace = Corpus::shipped().trace("recorded/exectrace/threads.trace");
    let view = View::of(&[trace.path()]);
    let status = view.status();
    assert_eq!(
        (&status["verdict"], &status["is_of_go"]),
        (&"whole".into(), &false.into())
    );
    assert_eq!(
        status["events"].as_u64().unwrap().to_string(),
        trace.column("events")
    );
}

/// What the process has in its environment of glibc's allocator, once it serves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn allocator_settings(settings: &[(&str, &str)]) -> Vec<String> {
    let trace = Corpus::shipped().trace("recorded/exectrace/threads.trace");
    let mut command = Command::new(env!("CARGO_BIN_EXE_exectrace"));
    for own in ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"] {
        command.env_remove(own);
    }
    command.envs(settings.iter().copied());
    let view = View::started(command, &[trace.path()]);
    let environment = fs::read(format!("/proc/{}/environ", view.child.id())).expect("is ours");
    let environment = String::from_utf8_lossy(&environment).into_owned();
    let of_malloc = environment
        .split('\0')
        .filter(|it| it.contains("MALLOC_") || it.contains("GLIBC_"));
    of_malloc.map(str::to_owned).collect()
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn memory_is_given_back_unless_somebody_knows_better() {
    assert_eq!(allocator_settings(&[]), ["MALLOC_MMAP_THRESHOLD_=524288"]);
    let own = ("MALLOC_MMAP_THRESHOLD_", "1000000");
    assert_eq!(
        allocator_settings(&[own]),
        ["MALLOC_MMAP_THRESHOLD_=1000000"]
    );
    let tunables = ("GLIBC_TUNABLES", "glibc.malloc.arena_max=2");
    assert_eq!(
        allocator_settings(&[tunables]),
        ["GLIBC_TUNABLES=glibc.malloc.arena_max=2"]
    );
}

#[test]
fn a_damaged_file_says_so() {
    let scratch = Scratch::new("view");
    let bytes = Corpus::shipped()
        .trace("recorded/go1.27/ordinary.trace")
        .bytes();
    let path = scratch.file("cut.trace", &bytes[..bytes.len() / 2]);
    let status = View::of(&[&path]).status();
    assert_eq!(status["verdict"], "partial");
    assert!(
        status["trust"][0].as_str().unwrap().starts_with("lost: "),
        "{status}"
    );
    let path = scratch.file("none.trace", b"not a trace at all");
    let status = View::of(&[&path]).status();
    assert_eq!(
        (&status["state"], &status["verdict"]),
        (&"failed".into(), &"refused".into())
    );
    assert!(status["fault"].is_string());
}

#[test]
fn of_two_traces_the_second_is_compared_with_the_first() {
    let corpus = Corpus::shipped();
    let (old, new) = (
        corpus.trace("recorded/exectrace/threads.trace"),
        corpus.trace("recorded/go1.19/blocked.trace"),
    );
    let view = View::of(&[old.path(), new.path()]);
    let status = view.status();
    assert!(status["other"].as_str().unwrap().ends_with("threads.trace"));
    assert!(status["name"].as_str().unwrap().ends_with("blocked.trace"));
    let diff = view.get("api/report/diff");
    assert_eq!(diff["schema"], "exectrace.diff");
    let three = Command::new(env!("CARGO_BIN_EXE_exectrace"))
        .args(["view", "--no-open"])
        .args([old.path(), new.path(), old.path()])
        .output()
        .expect("the command starts");
    assert_eq!(three.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&three.stderr).contains("more than two traces"));
}

fn export(file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_exectrace"))
        .args(["view", "--export"])
        .args(arguments)
        .arg(file)
        .output()
        .expect("the command starts")
}

#[test]
fn a_page_is_exported_to_a_file_or_to_standard_output() {
    let scratch = Scratch::new("view");
    let trace = Corpus::shipped().trace("recorded/exectrace/threads.trace");
    let page = scratch.file("page.html", b"what was there before");
    let written = export(
        trace.path(),
        &[page.to_str().unwrap(), "--from", "1ms", "--to", "2ms"],
    );
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    assert!(written.stdout.is_empty());
    let file = fs::read_to_string(&page).expect("is text");
    let printed = export(trace.path(), &["-"]);
    for html in [file.as_bytes(), &printed.stdout] {
        assert!(html.starts_with(b"<!doctype html>") && html.ends_with(b"</html>\n"));
    }
}

#[test]
fn a_page_of_a_damaged_trace_is_told_and_one_of_none_is_not_written() {
    let scratch = Scratch::new("view");
    let bytes = Corpus::shipped()
        .trace("recorded/go1.27/blocked.trace")
        .bytes();
    let cut = scratch.file("cut.trace", &bytes[..bytes.len() * 3 / 4]);
    let told = export(&cut, &["-"]);
    assert_eq!(told.status.code(), Some(3), "{told:?}");
    assert!(String::from_utf8_lossy(&told.stderr).starts_with("exectrace: "));
    assert_eq!(
        export(&cut, &["-", "--allow-partial"]).status.code(),
        Some(0)
    );
    let none = scratch.file("none.trace", b"not a trace at all");
    let page = none.with_extension("html");
    let refused = export(&none, &[page.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!page.exists());
    // Nowhere to write to, and no server with it.
    let nowhere = export(&cut, &["/none/of/these/page.html"]);
    assert_eq!(nowhere.status.code(), Some(1), "{nowhere:?}");
    assert_eq!(export(&cut, &["-", "--no-open"]).status.code(), Some(64));
}
