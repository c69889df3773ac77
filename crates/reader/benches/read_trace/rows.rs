//! The rows of the budget's table: ours beside Go's reader, on the traces that `cargo xtask bigtrace` records.

use std::path::{Path, PathBuf};

use exectrace_testkit::{Oracle, OracleCount};

use super::cost::{Cost, Opened};

/// Where the traces are, and which of them are read.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) directory: PathBuf,
    /// Also those of 500 MB and more: minutes each.
    pub(crate) has_big: bool,
}

/// A toolchain's reader; `None` where it is not there.
type Go = Option<&'static Oracle>;

/// Rounds, in which ours and Go's take turns; odd, so that the median is one of them.
const ROUNDS: usize = 5;
/// Of traces that take Go half a minute each and ten gigabytes.
const ROUNDS_OF_V1: usize = 3;

impl Rows {
    /// Measures all rows and prints a line each.
    pub(crate) fn print(&self) {
        let (go_1_19, go_1_27) = (Oracle::v1_19(), Oracle::v1_27());
        // Each row: its key, and what Go's reader is called in it.
        self.speed(
            "v2-mix-100MB",
            ROUNDS,
            &[("read_v2_mix", "Go 1.27", go_1_27)],
        );
        self.speed("v2-pp-100MB", ROUNDS, &[("read_v2_pp", "Go 1.27", go_1_27)]);
        self.two_threads("read_v2_two_threads", "v2-mix-100MB");
        let peaks_of_v1 = self.speed(
            "v1-mix-100MB",
            ROUNDS_OF_V1,
            &[
                ("read_v1_mix_go_1_19", "Go 1.19", go_1_19),
                ("read_v1_mix_go_1_27", "Go 1.27", go_1_27),
            ],
        );
        self.memory_of_v1("read_v1_mix_memory", "v1-mix-100MB", &peaks_of_v1);
        self.memory_of_v1("read_v1_pp_memory", "v1-pp-100MB", "");
        if self.has_big {
            self.memory_of_v2("read_v2_mix_memory_500mb", "v2-mix-500MB", go_1_27);
            self.memory_of_v2("read_v2_pp_memory_500mb", "v2-pp-500MB", go_1_27);
            self.memory_of_v2("read_v2_mix_memory_1gb", "v2-mix-1GB", go_1_27);
            self.memory_of_v2("read_v2_pp_memory_1gb", "v2-pp-1GB", go_1_27);
            self.memory_of_large_v1("read_v1_mix_memory_500mb", "v1-mix-500MB");
        }
    }

    /// How many times as fast as Go ours is: CPU time by CPU time, on one file and so for the same events, although Go 1.27
    /// counts those of format v1 otherwise. Returns what memory Go's readers took, in words.
    fn speed(&self, trace: &str, rounds: usize, rivals: &[(&str, &str, Go)]) -> String {
        let mut peaks = String::new();
        let Some(path) = self.find(trace) else {
            return peaks;
        };
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); rivals.len()];
        for _ in 0..rounds {
            let cost = Cost::of(&path, Opened::Mapped);
            ours.push(cost);
            for ((_, _, go), costs) in rivals.iter().zip(&mut theirs) {
                costs.extend(count(*go, &path).map(|count| (cost, count)));
            }
        }
        let speed = median(ours.iter().map(|cost| millions(cost.events, cost.cpu_s)));
        for ((key, name, _), costs) in rivals.iter().zip(&theirs) {
            if costs.is_empty() {
                continue;
            }
            let ratio = median(
                costs
                    .iter()
                    .map(|(our, go)| go.cpu.as_secs_f64() / our.cpu_s),
            );
            let go = median(
                costs
                    .iter()
                    .map(|(_, go)| millions(go.events, go.cpu.as_secs_f64())),
            );
            let reference = format!("{speed:.1} M events/s, {name} {go:.2} M");
            println!("bench\t{key}\t{ratio:.2}\t×\t{reference}");
            let peak_mb = median(costs.iter().map(|(_, go)| go.peak_bytes as f64 / 1e6));
            peaks.push_str(&format!(", {name} {peak_mb:.0} MB"));
        }
        peaks
    }

    /// How many times as fast two threads are as one, by the clock on the wall.
    fn two_threads(&self, key: &str, trace: &str) {
        let Some(path) = self.find(trace) else { return };
        let costs: Vec<(Cost, Cost)> = (0..ROUNDS)
            .map(|_| {
                [Opened::Mapped, Opened::Ahead]
                    .map(|opened| Cost::of(&path, opened))
                    .into()
            })
            .collect();
        let ratio = median(costs.iter().map(|(one, two)| one.wall_s / two.wall_s));
        let [one, two] = [
            median(
                costs
                    .iter()
                    .map(|(one, _)| millions(one.events, one.wall_s)),
            ),
            median(
                costs
                    .iter()
                    .map(|(_, two)| millions(two.events, two.wall_s)),
            ),
        ];
        println!("bench\t{key}\t{ratio:.2}\t×\t{two:.1} M events/s, one thread {one:.1} M");
    }

    /// The most memory beside the file, by the byte of it. `peaks`: what others took.
    fn memory_of_v1(&self, key: &str, trace: &str, peaks: &str) {
        let Some(path) = self.find(trace) else { return };
        let peak = Cost::of(&path, Opened::Copied).peak_bytes as f64;
        let length = std::fs::metadata(&path).expect("it was just read").len() as f64;
        let (ratio, peak_mb, length_mb) = (peak / length, peak / 1e6, length / 1e6);
        println!("bench\t{key}\t{ratio:.2}\tB\t{peak_mb:.1} MB for {length_mb:.0} MB{peaks}");
    }

    /// The most memory beside the file, to that of Go's process.
    fn memory_of_v2(&self, key: &str, trace: &str, go: Go) {
        let Some(path) = self.find(trace) else { return };
        let Some(theirs) = count(go, &path) else {
            return;
        };
        let ours = Cost::of(&path, Opened::Copied).peak_bytes as f64;
        let theirs = theirs.peak_bytes as f64;
        let (ratio, ours_mb, theirs_mb) = (ours / theirs, ours / 1e6, theirs / 1e6);
        println!("bench\t{key}\t{ratio:.2}\t×\t{ours_mb:.1} MB, Go 1.27 {theirs_mb:.1} MB");
    }

    /// The most memory beside the file. Go 1.19 is not asked: it would need thirty gigabytes and more.
    fn memory_of_large_v1(&self, key: &str, trace: &str) {
        let Some(path) = self.find(trace) else { return };
        let cost = Cost::of(&path, Opened::Copied);
        let peak_mb = cost.peak_bytes as f64 / 1e6;
        println!("bench\t{key}\t{peak_mb:.1}\tMB\t{} events", cost.events);
    }

    fn find(&self, trace: &str) -> Option<PathBuf> {
        let path = self.directory.join(format!("{trace}.trace"));
        if path.exists() {
            // Some take minutes, and whoever collects the rows shows them at the end.
            eprintln!("reading {trace}");
            return Some(path);
        }
        let words: Vec<&str> = trace.split('-').collect();
        if let [format, kind, size] = words[..] {
            eprintln!(
                "not measured: no {}; `cargo xtask bigtrace --format {format} --kind {kind} --size {size}` records it",
                path.display()
            );
        }
        None
    }
}

/// What Go's reader takes, if it can read the file.
fn count(go: Go, path: &Path) -> Option<OracleCount> {
    go?.count(path)
        .inspect_err(|error| eprintln!("not measured: {error}"))
        .ok()
}

fn millions(events: u64, seconds: f64) -> f64 {
    events as f64 / seconds / 1e6
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
