//! What Go records.

use std::time::Duration;

use exectrace_testkit::{Go, GoVersion, Oracle, Scratch};

use crate::error::Error;
use crate::shelf::Shelf;

/// A program in the folder `programs`, named after it, which prints a trace.
struct GoProgram {
    name: &'static str,
    versions: &'static [GoVersion],
    /// What an event of the trace must have. A program that depends on luck runs until it does.
    wanted: Option<&'static str>,
}

/// How long a program may run; the longest takes little more than two seconds.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// How often a program that depends on luck runs; one in two or three times it has some.
const RUNS_MAX: usize = 50;

const BOTH: &[GoVersion] = &[GoVersion::V1_19, GoVersion::V1_27];
const NEW: &[GoVersion] = &[GoVersion::V1_27];

const PROGRAMS: &[GoProgram] = &[
    GoProgram::new("allocations", NEW),
    GoProgram::new("blocked", BOTH),
    GoProgram::new("early_region", BOTH),
    GoProgram::new("early_task", BOTH),
    GoProgram::new("ended_twice", BOTH),
    GoProgram::new("ended_twice_inside", BOTH),
    GoProgram::new("flight", NEW),
    GoProgram::new("generations", BOTH),
    GoProgram::new("left_open", BOTH),
    GoProgram::new("no_stop", BOTH),
    GoProgram::new("ordinary", BOTH),
    // Go 1.19 waits for the collector before it starts a trace.
    GoProgram {
        wanted: Some("RangeActive"),
        ..GoProgram::new("start_in_gc", NEW)
    },
];

impl GoProgram {
    const fn new(name: &'static str, versions: &'static [GoVersion]) -> Self {
        Self {
            name,
            versions,
            wanted: None,
        }
    }

    fn record(&self, go: &Go, shelf: &Shelf) -> Result<(), Error> {
        let source = shelf.path(&format!("programs/{}.go", self.name));
        for _ in 0..RUNS_MAX {
            let trace = go.run(&source, &[], RUN_LIMIT)?;
            if self.is_lucky(&trace)? {
                let folder = go.version().name();
                return shelf.put(&format!("recorded/{folder}/{}.trace", self.name), &trace);
            }
        }
        Err(Error::Unlucky {
            name: self.name,
            wanted: self.wanted.unwrap_or_default(),
        })
    }

    fn is_lucky(&self, trace: &[u8]) -> Result<bool, Error> {
        let Some(wanted) = self.wanted else {
            return Ok(true);
        };
        let oracle = Oracle::v1_27().ok_or(Error::NoGo {
            version: GoVersion::V1_27,
        })?;
        let scratch = Scratch::new("lucky");
        let mut lines = oracle.events(&scratch.file("some.trace", trace))?;
        while let Some(line) = lines.next_line()? {
            if String::from_utf8_lossy(line).contains(wanted) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Runs all programs with each of their toolchains.
pub(crate) fn record_all(shelf: &Shelf) -> Result<(), Error> {
    for version in [GoVersion::V1_19, GoVersion::V1_27] {
        let go = Go::find(version)?.ok_or(Error::NoGo { version })?;
        for program in PROGRAMS.iter().filter(|it| it.versions.contains(&version)) {
            program.record(&go, shelf)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_program_stands_in_the_list_and_has_its_traces() {
        let shelf = Shelf::shipped();
        let programs = fs::read_dir(shelf.path("programs")).expect("the folder is there");
        let mut names: Vec<String> = programs
            .map(|file| file.expect("can be listed").path())
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        let listed: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        assert_eq!(names, listed);
        for program in PROGRAMS {
            for version in program.versions {
                let file = format!("recorded/{}/{}.trace", version.name(), program.name);
                let _ = exectrace_testkit::Corpus::shipped().trace(&file);
            }
        }
    }

    #[test]
    fn the_programs_are_formatted() {
        if let Some(go) = Go::v1_19() {
            let folder = Shelf::shipped().path("programs");
            let unformatted = go.unformatted(&folder).expect("gofmt runs");
            assert_eq!(unformatted, "", "gofmt -w these");
        }
    }
}
