//! The budgets, a row each, and how ours compare.
//!
//! A bench reports by lines on its standard output. Either for machines, five fields separated by tabs: the word `bench`,
//! the row's key, the value, its unit, and the reference that was measured in the same run. Or for people, with the row's
//! text in place of the key:
//!
//! ```text
//! profbuf write, depth 32: 18.5 ns (memory copy 14.3 ns)
//! ```
//!
//! Of several lines about one row the last counts.

use std::collections::BTreeMap;
use std::path::Path;

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;

/// A budget.
struct Row {
    key: &'static str,
    what: &'static str,
    unit: &'static str,
    /// To be reached, …
    target: f64,
    /// … and what we are after.
    stretch: f64,
    /// Which side of the two is good.
    better: Better,
}

#[derive(Clone, Copy, PartialEq)]
enum Better {
    Lower,
    Higher,
}

const fn row(
    key: &'static str,
    what: &'static str,
    unit: &'static str,
    target: f64,
    stretch: f64,
) -> Row {
    Row {
        key,
        what,
        unit,
        target,
        stretch,
        better: Better::Lower,
    }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("hook_off", "hook, no session running", "ns", 1.0, 0.5),
    row("event", "event without stack", "ns", 14.0, 11.0),
    row("event_stack_10", "event with a 10-frame stack seen before", "ns", 32.0, 25.0),
    row("event_stack_30", "event with a 30-frame stack seen before", "ns", 65.0, 50.0),
    row("tokio_poll", "Tokio poll, start and stop, CPU added", "ns", 28.0, 22.0),
    row("tokio_poll_wake", "… with wakes and who woke", "ns", 52.0, 42.0),
    row("tokio_poll_stacks", "… with both stacks, up to 20 frames", "ns", 140.0, 95.0),
    row("tokio_spawn_join", "spawn and join of an empty task, CPU added", "ns", 180.0, 140.0),
    row("tcp_echo", "TCP echo, 64 connections, throughput lost", "%", 2.0, 1.0),
    row("poll_bytes", "bytes of a poll, start and stop", "B", 10.0, 8.0),
    row("poll_wake_bytes", "… with wake", "B", 15.0, 12.0),
    row("heap_wrapper", "allocation and free through the traced allocator, added", "ns", 3.0, 1.5),
    row("heap_wrapper_on", "… with a session running", "ns", 3.0, 1.5),
    row("sampling_cpu", "CPU sampling at 100 Hz, CPU added", "%", 0.3, 0.1),
    Row { better: Better::Higher, ..row("samples_found", "CPU samples found of those expected", "%", 90.0, 97.0) },
    row("profbuf_write_1", "profbuf write, depth 1", "ns", 15.0, 10.0),
    row("profbuf_write_32", "profbuf write, depth 32", "ns", 25.0, 18.0),
    row("profbuf_write_128", "profbuf write, depth 128", "ns", 60.0, 45.0),
    row("profbuf_write_full", "profbuf write into a full buffer", "ns", 8.0, 5.0),
    row("thread_start", "thread start with sampler on, over without", "×", 1.15, 1.1),
    row("memory", "memory beside the batches' budget and debug info", "MB", 8.0, 4.0),
    row("crates", "crates added to the user's program", "", 14.0, 8.0),
    row("session_pause", "start or stop with 20,000 live tasks, pause of others", "µs", 20.0, 0.0),
];

/// The name of the other tracers' benches, which stand outside the workspace, in `bench/peers`.
const PEERS: &str = "peers";

/// Runs the benches of the packages of these names, or of all members that have some, and prints the table.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<(), Error> {
    let benched = |name: &String| {
        let mut packages = workspace.packages.iter();
        packages.any(|package| package.name == *name && !package.benches.is_empty())
    };
    let unknown = |name: &&String| *name != PEERS && !benched(name);
    if let Some(name) = names.iter().find(unknown) {
        return Err(Error::Unknown {
            kind: "package with benches",
            name: name.clone(),
        });
    }
    let mut measured = BTreeMap::new();
    for package in &workspace.packages {
        let is_chosen = names.is_empty() || names.contains(&package.name);
        if !is_chosen || package.benches.is_empty() {
            continue;
        }
        // By name: without, cargo would run the unit tests too.
        let benches = package.benches.join(" --bench ");
        let invocation = Invocation::cargo(&format!("bench -p {} --bench {benches}", package.name));
        measured.extend(measurements(&invocation, &workspace.root)?);
    }
    if names.iter().any(|name| name == PEERS) {
        // In its own folder, whose flags it needs.
        let invocation = Invocation::cargo("run --release")
            .variable("CARGO_TARGET_DIR", workspace.target_dir(PEERS));
        measured.extend(measurements(
            &invocation,
            &workspace.root.join("bench").join(PEERS),
        )?);
    }
    print!("\n{}", table(&measured));
    Ok(())
}

/// Runs a bench, shows what it prints and returns what it reports.
fn measurements(
    invocation: &Invocation,
    directory: &Path,
) -> Result<Vec<(String, Measurement)>, Error> {
    println!("$ {}", invocation.line());
    let printed = invocation.output(directory)?;
    print!("{printed}");
    Ok(printed.lines().filter_map(measurement).collect())
}

/// What a bench reported.
#[derive(Clone, Debug, PartialEq)]
struct Measurement {
    value: f64,
    unit: String,
    reference: String,
}

fn measurement(line: &str) -> Option<(String, Measurement)> {
    let (key, value, unit, reference) = match line.split('\t').collect::<Vec<_>>()[..] {
        ["bench", key, value, unit, reference] => (key, value, unit, reference),
        [line] => {
            let row = ROWS.iter().find(|row| {
                let rest = line.strip_prefix(row.what);
                rest.is_some_and(|rest| rest.starts_with(": "))
            })?;
            let (value, rest) = line[row.what.len() + 2..].split_once(' ')?;
            let (unit, reference) = rest.split_once(" (").unwrap_or((rest, ""));
            (row.key, value, unit, reference.trim_end_matches(')'))
        }
        _ => return None,
    };
    let measurement = Measurement {
        value: value.parse().ok().filter(|value: &f64| value.is_finite())?,
        unit: unit.to_owned(),
        reference: reference.to_owned(),
    };
    Some((key.to_owned(), measurement))
}

/// The rows with what was measured, and after them what has no budget.
fn table(measured: &BTreeMap<String, Measurement>) -> String {
    let mut text = format!(
        "{:<54} {:>10} {:>8} {:>8}  {:<12} {}\n",
        "", "ours", "target", "stretch", "", "in the same run"
    );
    for row in ROWS {
        let (ours, verdict, reference) = match measured.get(row.key) {
            Some(it) => (
                format!("{:.1} {}", it.value, it.unit),
                row.verdict(it),
                it.reference.as_str(),
            ),
            None => (String::new(), "not measured", ""),
        };
        text.push_str(&format!(
            "{:<54} {ours:>10} {:>8} {:>8}  {verdict:<12} {reference}\n",
            row.what, row.target, row.stretch
        ));
    }
    for (key, it) in measured {
        if ROWS.iter().all(|row| row.key != key) {
            let ours = format!("{:.1} {}", it.value, it.unit);
            text.push_str(&format!(
                "{key:<54} {ours:>10} {:>8} {:>8}  {:<12} {}\n",
                "", "", "no budget", it.reference
            ));
        }
    }
    text
}

impl Row {
    fn verdict(&self, measurement: &Measurement) -> &'static str {
        if measurement.unit != self.unit {
            return "other unit";
        }
        let reaches = |bar: f64| match self.better {
            Better::Lower => measurement.value <= bar,
            Better::Higher => measurement.value >= bar,
        };
        match (reaches(self.stretch), reaches(self.target)) {
            (true, _) => "stretch met",
            (false, true) => "met",
            (false, false) => "MISSED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(key: &str, line: &str) -> &'static str {
        let row = ROWS
            .iter()
            .find(|row| row.key == key)
            .expect("the key has a row");
        let (_, measurement) = measurement(line).expect("the line is a measurement");
        row.verdict(&measurement)
    }

    #[test]
    fn a_line_is_five_fields() {
        let (key, it) = measurement("bench\tevent\t12.5\tns\tclock 9.6 ns").expect("five fields");
        assert_eq!(
            (key.as_str(), it.value, it.unit.as_str()),
            ("event", 12.5, "ns")
        );
        assert_eq!(it.reference, "clock 9.6 ns");
        for line in [
            "",
            "bench\tevent\t12.5\tns",
            "bench\tevent\tfast\tns\t",
            "bench\tevent\tNaN\tns\t",
            "bench event 1 ns x",
        ] {
            assert_eq!(measurement(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_line_for_people_names_the_row() {
        let (key, it) = measurement("profbuf write, depth 32: 18.5 ns (memory copy 14.3 ns)")
            .expect("the text is a row's");
        assert_eq!(
            (key.as_str(), it.value, it.unit.as_str()),
            ("profbuf_write_32", 18.5, "ns")
        );
        assert_eq!(it.reference, "memory copy 14.3 ns");
        let bare = measurement("profbuf write, depth 1: 9 ns");
        assert!(bare.is_some_and(|(key, it)| key == "profbuf_write_1" && it.unit == "ns"));
        assert_eq!(
            measurement("profbuf write, depth 64: 18.5 ns (memory copy 14.3 ns)"),
            None
        );
        assert_eq!(measurement("test result: ok. 0 passed"), None);
    }

    #[test]
    fn a_verdict_compares_with_both_bars() {
        assert_eq!(verdict("event", "bench\tevent\t11\tns\t"), "stretch met");
        assert_eq!(verdict("event", "bench\tevent\t14\tns\t"), "met");
        assert_eq!(verdict("event", "bench\tevent\t14.1\tns\t"), "MISSED");
        assert_eq!(verdict("event", "bench\tevent\t0.1\tµs\t"), "other unit");
    }

    #[test]
    fn more_samples_are_better() {
        assert_eq!(
            verdict("samples_found", "bench\tsamples_found\t98\t%\t"),
            "stretch met"
        );
        assert_eq!(
            verdict("samples_found", "bench\tsamples_found\t80\t%\t"),
            "MISSED"
        );
    }

    #[test]
    fn a_row_without_a_line_is_not_measured_and_a_line_without_a_row_is_kept() {
        let line = measurement("bench\tnew_idea\t3\tns\tx").expect("five fields");
        let table = table(&BTreeMap::from([line]));
        assert_eq!(table.matches("not measured").count(), ROWS.len());
        assert!(
            table
                .lines()
                .last()
                .is_some_and(|line| line.contains("new_idea") && line.contains("no budget"))
        );
    }

    #[test]
    fn keys_are_distinct_and_stretch_is_beyond_target() {
        for (index, row) in ROWS.iter().enumerate() {
            assert!(
                ROWS[index + 1..].iter().all(|other| other.key != row.key),
                "{}",
                row.key
            );
            let beyond = match row.better {
                Better::Lower => row.stretch < row.target,
                Better::Higher => row.stretch > row.target,
            };
            assert!(beyond, "{}", row.key);
        }
    }
}
