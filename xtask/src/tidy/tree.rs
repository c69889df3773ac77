//! The text files of the repository and its packages: what the rules look at.

use std::fs;

use crate::command::Invocation;
use crate::error::Error;
use crate::workspace::{Package, Workspace};

/// What the rules look at.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) packages: Vec<Package>,
}

/// A text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// From the root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Tree {
    /// Reads what git tracks or would track.
    pub(crate) fn load(workspace: &Workspace) -> Result<Self, Error> {
        let list = Invocation::program(
            "git",
            &[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ],
        );
        let mut files = Vec::new();
        for path in list.output(&workspace.root)?.split_terminator('\0') {
            let full = workspace.root.join(path);
            // A tracked file may be deleted in the working tree, and what git tracks may be a link to a folder.
            if !full.is_file() {
                continue;
            }
            let bytes = fs::read(&full).map_err(|source| Error::Read {
                path: path.to_owned(),
                source,
            })?;
            // The rules are about text.
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(SourceFile {
                    path: path.to_owned(),
                    text,
                });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup();
        Ok(Self {
            files,
            packages: workspace.packages.clone(),
        })
    }

    /// The file of this path.
    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust sources.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The manifests.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = &SourceFile> {
        self.files
            .iter()
            .filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"))
    }
}

#[cfg(test)]
impl Tree {
    /// A tree of one file.
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self {
            files: vec![SourceFile {
                path: path.to_owned(),
                text: text.to_owned(),
            }],
            packages: Vec::new(),
        }
    }
}
