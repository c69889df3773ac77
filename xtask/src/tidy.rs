//! The house rules that neither the compiler nor clippy checks: one file for each kind, one test for each rule.

mod borders;
mod code_text;
mod manifests;
mod prose;
mod sources;
mod tree;
mod unsafety;

use std::fmt;

use crate::error::Error;
use crate::workspace::Workspace;
use tree::Tree;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// The line, from 1 on; 0 for the whole file.
    line: usize,
    message: String,
}

/// All the rules.
const RULES: &[fn(&Tree) -> Vec<Finding>] = &[
    borders::allowed_dependencies,
    borders::known_packages,
    manifests::reasons,
    manifests::versions,
    manifests::licences,
    sources::lengths,
    sources::names,
    unsafety::only_in_its_rooms,
    unsafety::rooms_are_used,
    prose::words,
    prose::changelog,
];

/// Checks the tree and prints what it finds.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Error> {
    let tree = Tree::load(workspace)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("{} files are tidy", tree.files.len());
        Ok(())
    } else {
        Err(Error::Untidy {
            findings: findings.len(),
        })
    }
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}
