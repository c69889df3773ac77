//! The shipped traces, recorded anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::Workspace;

/// Runs the program in `corpus`, which records everything, or only writes the table.
pub(crate) fn run(workspace: &Workspace, only_table: bool) -> Result<(), Error> {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    let crates = crate_folders(cargo_home.or_else(home).as_deref());
    let word = if only_table { "table" } else { "" };
    let invocation = Invocation::cargo(&format!("run --release -p corpus -- {word}"))
        .variable("RUSTFLAGS", flags(&workspace.root, &crates))
        .variable("CARGO_TARGET_DIR", workspace.target_dir("corpus"));
    invocation.run(&workspace.root)
}

/// Frame pointers, as in every build; and what stands for the folders of this machine in stacks.
fn flags(root: &Path, crates: &[PathBuf]) -> String {
    let mut flags = format!(
        "-C force-frame-pointers=yes --remap-path-prefix={}=exectrace",
        root.display()
    );
    for folder in crates {
        flags += &format!(" --remap-path-prefix={}=crates", folder.display());
    }
    flags
}

/// Where cargo keeps the sources of dependencies: a folder a registry.
fn crate_folders(cargo_home: Option<&Path>) -> Vec<PathBuf> {
    let entries = cargo_home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders = entries.into_iter().flatten().flatten();
    folders.map(|folder| folder.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_this_machine_is_told() {
        let flags = flags(Path::new("/here"), &[PathBuf::from("/there/some-registry")]);
        assert_eq!(
            flags,
            "-C force-frame-pointers=yes --remap-path-prefix=/here=exectrace \
             --remap-path-prefix=/there/some-registry=crates"
        );
    }
}
