//! The budgets, a row each, and how ours compare.
//!
//! A bench reports by lines on its standard output. Either for machines, fields separated by tabs: the word `bench`, the
//! row's key, the value, its unit, the reference that was measured in the same run, and maybe the value at its best, in the
//! quickest of many stretches: on a machine that is busy with much else it tells more. Or for people, with the row's text in
//! place of the key:
//!
//! ```text
//! profbuf write, depth 32: 18.5 ns (memory copy 14.3 ns)
//! ```
//!
//! Of several lines about one row the last counts.

mod analysing;
mod measurement;
mod reading;
mod recording;
mod row;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use crate::bigtrace;
use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;
use measurement::Measurement;
use row::Row;
use table::Table;

/// All budgets.
const TABLES: [Table; 3] = [recording::TABLE, reading::TABLE, analysing::TABLE];

/// The name of the other tracers' benches, which stand outside the workspace, in `bench/peers`.
const PEERS: &str = "peers";

/// What is to be measured.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Packages whose benches run; `peers` for other tracers, which are in no package of ours.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Also the memory for traces of 500 MB and more, which takes some minutes.
    #[arg(long)]
    big: bool,
}

/// The package whose bench reads the traces of `bigtrace` and can read large ones, …
const READER: &str = "exectrace-reader";

/// … and all whose benches read some.
const OF_TRACES: [&str; 3] = [READER, "exectrace-analysis", VIEWER];

/// The package whose bench tells the memory of a viewer, …
const VIEWER: &str = "exectrace-viewer";

/// … and how `exectrace view` sets the system's allocator.
const ALLOCATOR_OF_VIEW: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "524288");

/// Runs the benches of the named packages, or of all members that have some, and prints the tables.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    let names = &arguments.names;
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
        let line = format!("bench -p {} --bench {benches}", package.name);
        let mut invocation = Invocation::cargo(&line);
        if OF_TRACES.contains(&package.name.as_str()) {
            let traces = bigtrace::directory(workspace);
            invocation = invocation
                .argument("--")
                .argument(format!("--traces={}", traces.display()));
            if arguments.big && package.name == READER {
                invocation = invocation.argument("--big");
            }
            if package.name == VIEWER {
                let (name, value) = ALLOCATOR_OF_VIEW;
                invocation = invocation.variable(name, value);
            }
        }
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
    print!("\n{}", report(&measured, names.is_empty()));
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
    let parse = |line| Measurement::parse(line, rows());
    Ok(printed.lines().filter_map(parse).collect())
}

/// The tables of which something was measured, or all, and after them what has no budget.
fn report(measured: &BTreeMap<String, Measurement>, is_whole: bool) -> String {
    let shown = |table: &&Table| is_whole || table.has_any(measured);
    let mut texts: Vec<String> = TABLES
        .iter()
        .filter(shown)
        .map(|table| table.text(measured))
        .collect();
    let is_budgeted = |key: &String| rows().any(|row| row.key == *key);
    let rest: String = measured
        .iter()
        .filter(|(key, _)| !is_budgeted(key))
        .map(|(key, it)| {
            let ours = it.to_string();
            table::line(
                key,
                [&ours, &it.quickest(), "", ""],
                "no budget",
                &it.reference,
            )
        })
        .collect();
    texts.extend((!rest.is_empty()).then_some(rest));
    texts.join("\n")
}

fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().flat_map(|table| table.rows)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use row::Better;

    #[test]
    fn a_row_without_a_line_is_not_measured_and_a_line_without_a_row_is_kept() {
        let line = "bench\tnew_idea\t3\tns\tx";
        let measured = BTreeMap::from_iter(Measurement::parse(line, rows()));
        let report = |is_whole| report(&measured, is_whole);
        assert_eq!(report(true).matches("not measured").count(), rows().count());
        assert_eq!(report(false).lines().count(), 1);
        for whole in [true, false] {
            let text = report(whole);
            let last = text.lines().last().expect("the line is told");
            assert!(last.contains("new_idea") && last.contains("no budget"));
        }
    }

    #[test]
    fn keys_are_distinct_and_stretch_is_beyond_target() {
        let mut keys = HashSet::new();
        for row in rows() {
            assert!(keys.insert(row.key), "{}", row.key);
            let beyond = match row.better {
                Better::Lower => row.stretch < row.target,
                Better::Higher => row.stretch > row.target,
            };
            assert!(beyond, "{}", row.key);
        }
    }
}
