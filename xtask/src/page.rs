//! The viewer's page: whether what is committed is what its sources make, and what a real browser says of it.

use std::fs;
use std::path::Path;

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;

/// Where the page is.
const FOLDER: &str = "crates/viewer/page";

/// The shipped traces that the browser opens, one of each kind: the first with all checks.
const TRACES: [&str; 3] = [
    "corpus/recorded/go1.27/ordinary.trace.gz",
    "corpus/recorded/go1.19/ordinary.trace.gz",
    "corpus/recorded/exectrace/threads.trace",
];

/// Installs what the page is made with if it is not there, then checks the page and looks at it.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Error> {
    let folder = workspace.root.join(FOLDER);
    if !is_installed(&folder) {
        shown(&Invocation::program("npm", &["ci", "--silent"]), &folder)?;
    }
    shown(
        &Invocation::program("npm", &["run", "--silent", "check"]),
        &folder,
    )?;
    // The command as the step of tests has it: built alone, half of what it is made of would have other features.
    let build = Invocation::cargo("test --workspace --no-run --quiet");
    shown(&build, &workspace.root)?;
    let server = Path::new(&workspace.target_dir("debug")).join("exectrace");
    let test = Invocation::program("npm", &["test", "--silent", "--"]);
    let test = test.argument(server.to_string_lossy());
    let test = TRACES.iter().fold(test, |test, trace| {
        test.argument(workspace.root.join(trace).to_string_lossy())
    });
    shown(&test, &folder)
}

/// Whether the packages of the lock file were installed after it was written.
fn is_installed(folder: &Path) -> bool {
    let written = |path: &str| fs::metadata(folder.join(path)).and_then(|file| file.modified());
    match (
        written("node_modules/.package-lock.json"),
        written("package-lock.json"),
    ) {
        (Ok(installed), Ok(locked)) => installed >= locked,
        _ => false,
    }
}

fn shown(invocation: &Invocation, folder: &Path) -> Result<(), Error> {
    println!("$ {}", invocation.line());
    invocation.run(folder)
}
