//! What the page waits for: requests for many rows of a large trace in windows of all orders of magnitude, and the memory that the
//! trace takes. Of a request counts the CPU time of all threads but the client's, from before it is sent until it has come back: nothing
//! else runs meanwhile.
//!
//! - `cargo xtask bench exectrace-viewer` measures the rows of the budget's table.
//! - `cargo bench -p exectrace-viewer -- FILE…` prints the same for any trace.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench reports on standard output, and says what it cannot measure"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use exectrace_reader::{Source, UnpackLimit};
use exectrace_testkit::Random;
use exectrace_viewer::{Bytes, Options, Server, Subject};
use rustix::time::{ClockId, clock_gettime};

/// Where `cargo xtask bigtrace` puts traces, unless cargo's target directory is another; then xtask says where.
const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bigtrace");

/// Rows at once, how many of them are groups at most, and how many threads.
const ROWS: usize = 60;
const GROUPS: usize = 30;
const THREADS: usize = 8;

/// Windows that are asked for. Each is asked for some times, and the quickest counts: others use the machine, too.
const WINDOWS: usize = 400;
const TIMES: usize = 5;

/// Pixels.
const WIDTH: u32 = 1_600;

fn main() {
    let arguments = std::env::args().skip(1);
    let (flags, files): (Vec<String>, Vec<String>) =
        arguments.partition(|argument| argument.starts_with("--"));
    for file in &files {
        let mut viewer = Viewer::of(Path::new(file));
        let (all, single) = viewer.rows();
        for (what, rows) in [("all", &all), ("without groups", &single)] {
            let times = viewer.measure(rows);
            println!(
                "{file}, {} rows, {what}: p50 {:.2}, p90 {:.2}, p99 {:.2}, worst {:.2} ms CPU, p99 {:.2} ms by the clock, at most {} kB",
                rows.len(),
                quantile(&times.cpu_ms, 50),
                quantile(&times.cpu_ms, 90),
                quantile(&times.cpu_ms, 99),
                quantile(&times.cpu_ms, 100),
                quantile(&times.clock_ms, 99),
                times.bytes_max / 1_000,
            );
        }
        let search = viewer.search();
        println!("search {search:.2} ms CPU");
        println!("peak {:.0} MB beside the file", viewer.peak_mb());
    }
    if files.is_empty() {
        let named = flags.iter().find_map(|flag| flag.strip_prefix("--traces="));
        budget(&PathBuf::from(named.unwrap_or(TRACES)).join("v2-mix-100MB.trace"));
    }
}

/// The rows of the budget's table.
fn budget(path: &Path) {
    if !path.exists() {
        eprintln!("no {}: cargo xtask bigtrace makes it", path.display());
        return;
    }
    let mut viewer = Viewer::of(path);
    let (all, single) = viewer.rows();
    for (key, rows) in [("view_runs", &all), ("view_runs_without_groups", &single)] {
        let times = viewer.measure(rows);
        println!(
            "bench\t{key}\t{:.2}\tms\tmedian {:.2} ms, {} rows; p99 by the clock {:.2} ms",
            quantile(&times.cpu_ms, 99),
            quantile(&times.cpu_ms, 50),
            rows.len(),
            quantile(&times.clock_ms, 99),
        );
    }
    println!(
        "bench\tview_search\t{:.2}\tms\tnothing is found",
        viewer.search()
    );
    println!(
        "bench\tview_v2_mix_memory\t{:.0}\tMB\tbeside the file, the first findings included",
        viewer.peak_mb()
    );
}

/// A server that has read a trace, and a connection to it.
struct Viewer {
    stream: BufReader<TcpStream>,
    host: String,
    /// The path that lets in.
    path: String,
    file_bytes: u64,
    end_ns: u64,
}

/// How long requests took, from the shortest to the longest.
struct Times {
    cpu_ms: Vec<f64>,
    clock_ms: Vec<f64>,
    bytes_max: usize,
}

impl Viewer {
    fn of(path: &Path) -> Self {
        let source = Source::open(path, UnpackLimit::default()).expect("can be opened");
        let subject = Subject::new("a.trace", "a.trace", Bytes::Source(source));
        let server = Server::bind(subject, &Options::default()).expect("a port is free");
        let (address, url) = (server.address(), server.url());
        thread::spawn(move || server.run());
        let stream = TcpStream::connect(address).expect("listens");
        stream.set_nodelay(true).expect("is a socket");
        let mut viewer = Self {
            stream: BufReader::with_capacity(1 << 16, stream),
            host: address.to_string(),
            path: url[url.find(&address.to_string()).expect("has it")..]
                .trim_start_matches(&address.to_string())
                .to_owned(),
            file_bytes: fs::metadata(path).expect("is there").len(),
            end_ns: 0,
        };
        while viewer.json("api/trace")["state"] == "reading" {
            thread::sleep(Duration::from_millis(50));
        }
        viewer.json("api/report/findings?most=50");
        // What pages begin with is computed then.
        wait_until_idle();
        viewer.end_ns = viewer.json("api/trace")["end_ns"]
            .as_u64()
            .expect("is told");
        viewer
    }

    /// The ids of the rows that are asked for, and of those that are no groups.
    fn rows(&mut self) -> (Vec<String>, Vec<String>) {
        let mut groups = self.ids("api/tracks?by=group");
        let members = format!("api/tracks?parent={}&most={ROWS}", groups[0]);
        groups.truncate(GROUPS);
        let mut single = self.ids("api/tracks?by=worker");
        single.extend(self.ids("api/tracks?by=thread").into_iter().take(THREADS));
        single.extend(self.ids(&members));
        single.truncate(ROWS - groups.len());
        (groups.into_iter().chain(single.clone()).collect(), single)
    }

    fn ids(&mut self, target: &str) -> Vec<String> {
        let answer = self.json(target);
        let tracks = answer["tracks"].as_array().expect("is a list");
        let ids = tracks.iter().filter_map(|track| track["id"].as_str());
        ids.map(str::to_owned).collect()
    }

    fn measure(&mut self, rows: &[String]) -> Times {
        let mut random = Random::new(3);
        let mut times = Times {
            cpu_ms: Vec::new(),
            clock_ms: Vec::new(),
            bytes_max: 0,
        };
        let rows = rows.join(",");
        for _ in 0..WINDOWS {
            let ns = (self.end_ns >> random.below(21)).max(1);
            let ns = ns - random.below(ns.div_ceil(2));
            let from = random.below(self.end_ns - ns + 1);
            let target = format!(
                "api/runs?tracks={rows}&from={from}&to={}&width={WIDTH}",
                from + ns
            );
            let (mut cpu_ms, mut clock_ms) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..TIMES {
                let (begin, begin_ms) = (Instant::now(), others_ms());
                let answer = self.get(&target);
                cpu_ms = cpu_ms.min(others_ms() - begin_ms);
                clock_ms = clock_ms.min(begin.elapsed().as_secs_f64() * 1e3);
                times.bytes_max = times.bytes_max.max(answer.len());
            }
            times.cpu_ms.push(cpu_ms);
            times.clock_ms.push(clock_ms);
        }
        times.cpu_ms.sort_by(f64::total_cmp);
        times.clock_ms.sort_by(f64::total_cmp);
        times
    }

    /// What it takes to look everywhere for a text that is nowhere, in ms of CPU time.
    fn search(&mut self) -> f64 {
        let times = (0..TIMES).map(|_| {
            let begin_ms = others_ms();
            let found = self.json("api/search?q=nobody+calls+it+so");
            assert_eq!(found["hits"].as_array().map(Vec::len), Some(0), "{found}");
            others_ms() - begin_ms
        });
        times.fold(f64::INFINITY, f64::min)
    }

    fn json(&mut self, target: &str) -> serde_json::Value {
        let answer = self.get(target);
        serde_json::from_slice(&answer).expect("is JSON")
    }

    fn get(&mut self, target: &str) -> Vec<u8> {
        let (host, path) = (&self.host, &self.path);
        let request = format!("GET {path}{target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let stream = self.stream.get_mut();
        stream.write_all(request.as_bytes()).expect("reads");
        let mut length = None;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("answers");
            if line == "\r\n" {
                break;
            }
            let line = line.to_ascii_lowercase();
            assert!(!line.starts_with("http/1.1 4"), "{target}: {line}");
            if let Some(told) = line.strip_prefix("content-length:") {
                length = told.trim().parse().ok();
            }
        }
        let mut body = vec![0; length.expect("is told")];
        self.stream.read_exact(&mut body).expect("comes whole");
        body
    }

    /// The most memory that this process had beside the file's bytes.
    fn peak_mb(&self) -> f64 {
        let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        let peak_bytes = kib.expect("the system tells it in kB") * 1024.0;
        (peak_bytes - self.file_bytes as f64).max(0.0) / 1e6
    }
}

fn quantile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

/// Waits until no thread but this one has anything to do.
fn wait_until_idle() {
    loop {
        let begin_ms = others_ms();
        thread::sleep(Duration::from_millis(200));
        if others_ms() - begin_ms < 1.0 {
            return;
        }
    }
}

/// CPU time of all threads but this one.
fn others_ms() -> f64 {
    let ms = |clock| {
        let time = clock_gettime(clock);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    ms(ClockId::ProcessCPUTime) - ms(ClockId::ThreadCPUTime)
}
