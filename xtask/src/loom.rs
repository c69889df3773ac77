//! The suites that loom explores, a row each.

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;

/// A suite.
struct Suite {
    package: &'static str,
    /// Which of the package's targets, and which tests in it.
    target: &'static str,
    /// How many times a thread may be interrupted in an execution; `None` explores all.
    preemptions: Option<&'static str>,
}

const SUITES: &[Suite] = &[
    Suite {
        package: "exectrace-profbuf",
        target: "--test loom",
        preemptions: None,
    },
    // The tests that stand beside the gate and the task word, all with loom in their paths.
    Suite {
        package: "exectrace",
        target: "--lib loom",
        preemptions: None,
    },
];

/// Runs every suite, after a look that it has tests: a filter that matches nothing passes.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Error> {
    for suite in SUITES {
        let listing = suite.invocation(workspace, "--list");
        if !listing.output(&workspace.root)?.contains(": test\n") {
            return Err(Error::NothingRan {
                command: listing.line(),
            });
        }
        suite
            .invocation(workspace, "--nocapture")
            .run(&workspace.root)?;
    }
    Ok(())
}

impl Suite {
    fn invocation(&self, workspace: &Workspace, flag: &str) -> Invocation {
        // The package alone: the cfg reaches dependencies too, and Tokio would become a model of itself.
        let line = format!(
            "test --release -p {} {} -- {flag}",
            self.package, self.target
        );
        let invocation = Invocation::cargo(&line)
            .variable("RUSTFLAGS", "--cfg loom")
            .variable("CARGO_TARGET_DIR", workspace.target_dir("loom"));
        match self.preemptions {
            Some(most) => invocation.variable("LOOM_MAX_PREEMPTIONS", most),
            None => invocation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_one_package_under_the_cfg() {
        let line = SUITES[0].invocation(&Workspace::default(), "--list").line();
        assert!(line.contains("RUSTFLAGS='--cfg loom'"), "{line}");
        assert!(
            line.ends_with("test --release -p exectrace-profbuf --test loom -- --list"),
            "{line}"
        );
    }
}
