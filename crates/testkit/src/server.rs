//! The web view of `go tool trace`: served, crawled, and gone with the test.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{ChildStderr, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::{self, Response};
use crate::process::{self, Guard};
use crate::{Error, PageProblem, json, links};

/// How long a page may take until its next byte.
const PAGE_PATIENCE: Duration = Duration::from_secs(120);

/// How much of a failing page's body goes into the error.
const BODY_EXCERPT_BYTES: usize = 500;

/// Paths that answer with a profile, as a drawing or gzipped.
const PROFILE_PATHS: [&str; 8] = [
    "/io",
    "/block",
    "/syscall",
    "/sched",
    "/regionio",
    "/regionblock",
    "/regionsyscall",
    "/regionsched",
];

/// What the script of 1.19's page of mutator utilisation asks for, after the path; no link leads there.
const UTILISATION_QUERIES: [&str; 2] = [
    "flags=stw%7Cbackground%7Cassist",
    "flags=perProc%7Cstw%7Cbackground%7Cassist%7Csweep%7Cmut",
];

/// How the lines begin that a server writes for a trace that it takes.
const GOOD_LOG_LINES: [&str; 7] = [
    "Parsing trace...",
    "Splitting trace...",
    "Preparing trace for viewer...",
    "Splitting trace for viewer...",
    "Opening browser. Trace viewer is listening on ",
    "Full server listen address: ",
    "Processed ",
];

/// A running web view, which ends when dropped.
#[derive(Debug)]
pub struct Server {
    command: String,
    address: SocketAddr,
    /// Lines of the standard error as they come.
    lines: Receiver<String>,
    /// Those that were read already.
    log: Vec<String>,
    guard: Guard,
}

/// A page that came out as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Path and query.
    pub target: String,
    /// The type that the server gave.
    pub content_type: String,
    /// What it answered.
    pub body: Vec<u8>,
}

impl Server {
    /// Starts `command` and waits until it says where it listens.
    pub(crate) fn start(command: &mut Command, limit: Duration) -> Result<Self, Error> {
        let line = process::line_of(command);
        let mut guard = Guard::start(command)?;
        let lines = lines_of(guard.child().stderr.take());
        let deadline = Instant::now() + limit;
        let mut log = Vec::new();
        loop {
            match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(said) => {
                    let address = address_in(&said);
                    log.push(said);
                    if let Some(address) = address {
                        return Ok(Self {
                            command: line,
                            address,
                            lines,
                            log,
                            guard,
                        });
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::TimedOut {
                        command: line,
                        limit_s: limit.as_secs(),
                        log: log.join("\n"),
                    });
                }
                // It closed its standard error, so it is about to end, if it has not.
                Err(RecvTimeoutError::Disconnected) => {
                    let code = guard.child().wait().ok().and_then(|status| status.code());
                    return Err(Error::Refused {
                        command: line,
                        code,
                        log: log.join("\n"),
                    });
                }
            }
        }
    }

    /// The page at `target`, a path and a query.
    ///
    /// # Errors
    ///
    /// `Page`, when the status is not 200, the body is empty, or it is not what the target promises: JSON for a
    /// script's request, a drawing or a profile for a profile.
    pub fn get(&mut self, target: &str) -> Result<Page, Error> {
        match http::get(self.address, target, PAGE_PATIENCE) {
            Ok(Some(response)) => match problem_of(target, &response) {
                None => Ok(Page {
                    target: target.to_owned(),
                    content_type: response.content_type,
                    body: response.body,
                }),
                Some(problem) => Err(self.fault(target, problem)),
            },
            Ok(None) | Err(_) => Err(self.fault(target, PageProblem::NoAnswer)),
        }
    }

    /// All pages that links lead to from the start page, so many of a path with different queries, and what their scripts would ask
    /// for.
    ///
    /// # Errors
    ///
    /// The first page that is not as it should be, as [`Server::get`]; `Complaint`, when all are but the server's log
    /// holds a line that it does not write for a good trace.
    pub fn crawl(mut self, queries_a_path: usize) -> Result<Vec<Page>, Error> {
        let mut pages = Vec::new();
        let mut known = BTreeSet::from(["/".to_owned()]);
        let mut queries: BTreeMap<String, usize> = BTreeMap::new();
        let mut waiting = VecDeque::from(["/".to_owned()]);
        while let Some(target) = waiting.pop_front() {
            let page = self.get(&target)?;
            for found in targets_on(&page) {
                let path = path_of(&found).to_owned();
                let count = queries.entry(path).or_insert(0);
                if *count < queries_a_path && known.insert(found.clone()) {
                    *count += 1;
                    waiting.push_back(found);
                }
            }
            pages.push(page);
        }
        let (command, log) = self.end();
        if log.iter().all(|line| is_good(line)) {
            Ok(pages)
        } else {
            Err(Error::Complaint {
                command,
                log: log.join("\n"),
            })
        }
    }

    /// An error about `target`, with what the server has written shortly after.
    fn fault(&mut self, target: &str, problem: PageProblem) -> Error {
        while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(100)) {
            self.log.push(line);
        }
        Error::Page {
            command: self.command.clone(),
            target: target.to_owned(),
            problem,
            log: self.log.join("\n"),
        }
    }

    /// Kills the server and returns its command line and all that it wrote.
    fn end(self) -> (String, Vec<String>) {
        drop(self.guard);
        let mut log = self.log;
        // The pipe's other end is closed now, so this ends.
        log.extend(self.lines.iter());
        (self.command, log)
    }
}

fn lines_of(stderr: Option<ChildStderr>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stderr) = stderr {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut reader = BufReader::new(stderr);
            while reader
                .read_until(b'\n', &mut bytes)
                .is_ok_and(|read| read > 0)
            {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                bytes.clear();
                // The receiver is gone when the test is over.
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, address) = line.split_once("listening on http://")?;
    address.trim_end_matches('/').parse().ok()
}

fn is_good(line: &str) -> bool {
    // Date and time stand before the text.
    let text = line.splitn(3, ' ').nth(2).unwrap_or(line);
    GOOD_LOG_LINES.iter().any(|good| text.starts_with(good))
}

fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or(target)
}

/// Where a browser that shows `page` could go, or would ask for by itself.
fn targets_on(page: &Page) -> Vec<String> {
    if !page.content_type.starts_with("text/html") || page.target.starts_with("/static/") {
        return Vec::new();
    }
    let html = String::from_utf8_lossy(&page.body);
    let mut targets = links::local_links(&html);
    match page.target.strip_prefix("/trace") {
        // 1.27 links to the view of task 0, the background, and then does not find that task.
        Some("?focustask=0" | "?taskid=0") => {}
        Some(query) if query.is_empty() || query.starts_with('?') => {
            targets.push(format!("/jsontrace{query}"));
        }
        // Not what 1.27's page asks for: its handler panics on any v1 trace without a garbage collection, also on Go's.
        _ if page.target == "/mmu" && html.contains("/mmuPlot") => {
            for query in UTILISATION_QUERIES {
                targets.push(format!("/mmuPlot?{query}"));
                targets.push(format!("/mmuDetails?window=1000000&{query}"));
            }
        }
        _ => {}
    }
    targets
}

fn problem_of(target: &str, response: &Response) -> Option<PageProblem> {
    if response.status != 200 {
        let body = String::from_utf8_lossy(&response.body);
        return Some(PageProblem::Status {
            status: response.status,
            body: body.chars().take(BODY_EXCERPT_BYTES).collect(),
        });
    }
    if response.body.is_empty() {
        return Some(PageProblem::Empty);
    }
    let path = path_of(target);
    if ["/jsontrace", "/mmuPlot", "/mmuDetails"].contains(&path) {
        return json::first_fault(&response.body).map(|offset| PageProblem::NotJson { offset });
    }
    let is_gzip = response.body.starts_with(&[0x1f, 0x8b]);
    let is_drawing = || response.body.windows(4).any(|four| four == b"<svg");
    let is_profile = PROFILE_PATHS.contains(&path);
    (is_profile && !is_gzip && !is_drawing()).then_some(PageProblem::NotProfile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(content_type: &str, body: &[u8]) -> Response {
        Response {
            status: 200,
            content_type: content_type.to_owned(),
            body: body.to_vec(),
        }
    }

    #[test]
    fn the_address_stands_in_the_log() {
        let line = "2024/01/02 03:04:05 Opening browser. Trace viewer is listening on http://127.0.0.1:40123";
        assert_eq!(address_in(line), Some(([127, 0, 0, 1], 40123).into()));
        assert!(is_good(line));
        assert_eq!(address_in("2024/01/02 03:04:05 Parsing trace..."), None);
    }

    #[test]
    fn other_lines_are_complaints() {
        for line in [
            "2024/01/02 03:04:05 http: panic serving 127.0.0.1:1: runtime error: index out of range",
            "2024/01/02 03:04:05 failed to generate trace: boom",
            "goroutine 1 [running]:",
            "",
        ] {
            assert!(!is_good(line), "{line:?}");
        }
    }

    #[test]
    fn a_page_must_be_what_its_path_promises() {
        let html = response("text/html", b"<html>");
        assert!(problem_of("/", &html).is_none());
        assert!(matches!(
            problem_of("/io?id=1", &html),
            Some(PageProblem::NotProfile)
        ));
        assert!(matches!(
            problem_of("/jsontrace", &html),
            Some(PageProblem::NotJson { offset: 0 })
        ));
        assert!(problem_of("/io", &response("image/svg+xml", b"<?xml?><svg>")).is_none());
        assert!(
            problem_of(
                "/io?raw=1",
                &response("application/octet-stream", b"\x1f\x8b\x08")
            )
            .is_none()
        );
        assert!(matches!(
            problem_of("/", &response("text/html", b"")),
            Some(PageProblem::Empty)
        ));
    }

    #[test]
    fn scripts_are_followed_too() {
        let page = |target: &str| Page {
            target: target.to_owned(),
            content_type: "text/html; charset=utf-8".to_owned(),
            body: b"<a href='/x'>".to_vec(),
        };
        assert_eq!(
            targets_on(&page("/trace?goid=1")),
            ["/x", "/jsontrace?goid=1"]
        );
        let mut mmu = page("/mmu");
        assert_eq!(targets_on(&mmu), ["/x"]);
        mmu.body = b"<script>$.getJSON('/mmuPlot?flags=')".to_vec();
        assert_eq!(targets_on(&mmu).len(), 4);
        assert_eq!(targets_on(&page("/static/viewer.html")), [""; 0]);
        assert_eq!(targets_on(&page("/traces")), ["/x"]);
    }
}
