//! What a change must pass, a row for each step.

use std::time::{Duration, Instant};

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;
use crate::{loom, page, tidy};

/// A step of the checks.
struct Step {
    name: &'static str,
    about: &'static str,
    run: Action,
}

/// What a step does.
enum Action {
    /// Runs these programs one after the other.
    Commands(fn(&Workspace) -> Vec<Invocation>),
    /// Calls a task of ours.
    Task(fn(&Workspace) -> Result<(), Error>),
}

/// What every build has beside the flags of its step: a variable replaces the flags of `.cargo/config.toml`.
const FRAME_POINTERS: &str = "-C force-frame-pointers=yes";

/// Where sanitizers work; named outright, so that build scripts and macros are built without.
const SANITIZER_TARGET: &str = "x86_64-unknown-linux-gnu";

/// The packages with unsafe code that tests reach without an async runtime, and what the sanitizer is told.
const SANITIZED: [(&str, &str); 2] = [
    ("exectrace-profbuf", "detect_leaks=1"),
    // Its lanes and tables are never freed: others may look at them as long as the process lives. The sanitizer keeps little of
    // what is freed, since a test looks at the memory that sessions leave behind.
    ("exectrace", "detect_leaks=0:quarantine_size_mb=4"),
];

/// In the order in which they run: those that fail most often and soonest first.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "rustfmt would change nothing",
        run: Action::Commands(|_| vec![Invocation::cargo("fmt --all --check")]),
    },
    Step {
        name: "tidy",
        about: "the house rules that no compiler checks",
        run: Action::Task(tidy::run),
    },
    Step {
        name: "clippy",
        about: "no warning from compiler or clippy",
        run: Action::Commands(|_| {
            vec![
                Invocation::cargo("clippy --workspace --all-targets -- -D warnings"),
                Invocation::cargo(
                    "clippy -p exectrace --all-targets --features pprof -- -D warnings",
                ),
            ]
        }),
    },
    Step {
        name: "test",
        about: "the tests and the examples in the docs; the adapter against stable Tokio",
        run: Action::Commands(|_| {
            vec![
                Invocation::cargo("test --workspace"),
                Invocation::cargo("test -p exectrace --features pprof --lib --test cpu_profile"),
            ]
        }),
    },
    Step {
        name: "bare",
        about: "the tests pass on a machine with Rust alone",
        run: Action::Commands(|_| {
            vec![
                Invocation::cargo("test --workspace")
                    .variable("EXECTRACE_REQUIRE_GO", "0")
                    .variable("EXECTRACE_GO_1_19", "")
                    .variable("EXECTRACE_GO_1_27", "")
                    // Nor has such a machine more traces than are shipped.
                    .variable("EXECTRACE_CORPUS", ""),
            ]
        }),
    },
    Step {
        name: "docs",
        about: "the docs build without a warning",
        run: Action::Commands(|_| {
            vec![
                Invocation::cargo("doc --workspace --no-deps")
                    .variable("RUSTDOCFLAGS", "-D warnings"),
            ]
        }),
    },
    Step {
        name: "page",
        about: "the viewer's page is what its sources make, and works in a browser",
        run: Action::Task(page::run),
    },
    Step {
        name: "loom",
        about: "every interleaving of the lock-free parts",
        run: Action::Task(loom::run),
    },
    Step {
        name: "tokio",
        about: "the adapter against Tokio with its unstable hooks",
        run: Action::Commands(unstable_tokio),
    },
    Step {
        name: "stress",
        about: "a thousand restarts under load, once more with skewed clocks",
        run: Action::Commands(|_| {
            vec![
                Invocation::cargo("test -p exectrace --release --lib stress")
                    .variable("EXECTRACE_STRESS", "1000"),
            ]
        }),
    },
    Step {
        name: "redis",
        about: "a server that knows nothing of us, recorded under load",
        run: Action::Task(mini_redis),
    },
    Step {
        name: "asan",
        about: "the parts with unsafe code under the address sanitizer",
        run: Action::Commands(address_sanitizer),
    },
];

/// Runs the steps of these names, or all, and stops at the first that fails.
pub(crate) fn run(workspace: &Workspace, names: &[String]) -> Result<(), Error> {
    let mut durations = Vec::new();
    for step in chosen(names)? {
        println!("\n== {}: {}", step.name, step.about);
        let begun = Instant::now();
        step.run(workspace)?;
        println!("== {}: passed in {}", step.name, seconds(begun.elapsed()));
        durations.push((step.name, begun.elapsed()));
    }
    println!("\nall steps passed");
    for (name, duration) in durations {
        println!("{name:>8} {:>9}", seconds(duration));
    }
    Ok(())
}

/// Prints the steps.
pub(crate) fn list() {
    for step in STEPS {
        println!("{:>8}  {}", step.name, step.about);
    }
}

/// The steps of these names in the table's order; all when there is none.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>, Error> {
    if let Some(name) = names
        .iter()
        .find(|&name| STEPS.iter().all(|step| step.name != name))
    {
        return Err(Error::Unknown {
            kind: "step",
            name: name.clone(),
        });
    }
    let is_chosen = |step: &&Step| names.is_empty() || names.iter().any(|name| step.name == name);
    Ok(STEPS.iter().filter(is_chosen).collect())
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn unstable_tokio(workspace: &Workspace) -> Vec<Invocation> {
    // Clippy as well: what stands under the cfg is not compiled in its own step.
    [
        "clippy -p exectrace-tokio --all-targets -- -D warnings",
        "test -p exectrace-tokio",
    ]
    .into_iter()
    .map(|line| {
        Invocation::cargo(line)
            .variable(
                "RUSTFLAGS",
                format!("--cfg tokio_unstable {FRAME_POINTERS}"),
            )
            .variable("RUSTDOCFLAGS", "--cfg tokio_unstable")
            .variable("CARGO_TARGET_DIR", workspace.target_dir("tokio-unstable"))
    })
    .collect()
}

/// In its own folder, whose flags it needs, and outside the workspace.
fn mini_redis(workspace: &Workspace) -> Result<(), Error> {
    let invocation = Invocation::cargo("test --release")
        .variable("CARGO_TARGET_DIR", workspace.target_dir("mini-redis"));
    println!("$ {}", invocation.line());
    invocation.run(&workspace.root.join("examples").join("mini-redis"))
}

fn address_sanitizer(workspace: &Workspace) -> Vec<Invocation> {
    SANITIZED
        .iter()
        .map(|(package, options)| {
            // Without doc tests, which would need the flags in another variable and reach no other code.
            let line = format!("test -p {package} --lib --tests --target {SANITIZER_TARGET}");
            Invocation::cargo(&line)
                .variable("RUSTC_BOOTSTRAP", "1")
                .variable("ASAN_OPTIONS", *options)
                // Restarts by the hundred have a step of their own, without the sanitizer's slowness.
                .variable("EXECTRACE_STRESS", "10")
                // The step of tests has judged the recordings; here memory is looked at, and the tools take most of the time.
                .variable("EXECTRACE_REQUIRE_GO", "0")
                .variable("EXECTRACE_GO_1_19", "")
                .variable("EXECTRACE_GO_1_27", "")
                .variable(
                    "RUSTFLAGS",
                    format!("-Z sanitizer=address {FRAME_POINTERS}"),
                )
                .variable("CARGO_TARGET_DIR", workspace.target_dir("asan"))
        })
        .collect()
}

impl Step {
    fn run(&self, workspace: &Workspace) -> Result<(), Error> {
        match self.run {
            Action::Task(task) => task(workspace),
            Action::Commands(commands) => {
                for invocation in commands(workspace) {
                    println!("$ {}", invocation.line());
                    invocation.run(&workspace.root)?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    fn chosen_names(words: &[&str]) -> Vec<&'static str> {
        let steps = chosen(&names(words)).expect("the steps exist");
        steps.iter().map(|step| step.name).collect()
    }

    #[test]
    fn no_name_means_all_steps() {
        assert_eq!(chosen_names(&[]).len(), STEPS.len());
    }

    #[test]
    fn named_steps_keep_the_table_s_order() {
        assert_eq!(chosen_names(&["asan", "fmt"]), ["fmt", "asan"]);
    }

    #[test]
    fn a_name_that_is_no_step_is_refused() {
        let error = chosen(&names(&["fmt", "lom"]))
            .err()
            .expect("there is no such step");
        assert_eq!(error.to_string(), "there is no step `lom`");
    }

    #[test]
    fn every_build_of_its_own_has_a_target_directory_of_its_own() {
        let workspace = Workspace::default();
        for invocation in [unstable_tokio(&workspace), address_sanitizer(&workspace)].concat() {
            let line = invocation.line();
            assert!(line.contains("RUSTFLAGS="), "{line}");
            assert!(line.contains("CARGO_TARGET_DIR="), "{line}");
            assert!(line.contains(FRAME_POINTERS), "{line}");
        }
    }
}
