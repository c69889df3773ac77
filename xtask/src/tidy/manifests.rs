//! What a manifest must say: why a dependency is there, one place for versions, the licence.

use super::Finding;
use super::tree::Tree;

const LICENCE: &str = "MIT OR Apache-2.0";

/// Packages that only the workspace itself runs.
const PRIVATE_FOLDERS: [&str; 4] = ["crates/testkit", "xtask", "examples", "bench"];

/// Every outside dependency has its reason: a comment on its line, or above it in the same paragraph; for one that takes
/// its version from the workspace, there or in the workspace's table.
pub(super) fn reasons(tree: &Tree) -> Vec<Finding> {
    let explained: Vec<String> = tree
        .file("Cargo.toml")
        .into_iter()
        .flat_map(|file| entries(&file.text))
        .filter(|entry| entry.table == "workspace.dependencies" && entry.has_reason)
        .map(|entry| entry.name)
        .collect();
    let mut findings = Vec::new();
    for file in tree.manifests() {
        for entry in entries(&file.text) {
            let inherited = entry.is_inherited() && explained.contains(&entry.name);
            if !entry.has_reason && !inherited {
                findings.push(Finding::new(
                    &file.path,
                    entry.line,
                    format!("{} has no comment that says why it is needed", entry.name),
                ));
            }
        }
    }
    findings
}

/// Versions stand in the workspace's table, and none is `*`.
pub(super) fn versions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.manifests() {
        for entry in entries(&file.text) {
            let is_table = entry.table == "workspace.dependencies";
            if entry.value.contains("\"*\"") {
                findings.push(Finding::new(
                    &file.path,
                    entry.line,
                    format!("{} may be of any version", entry.name),
                ));
            } else if !is_table && is_member(tree, &file.path) && !entry.is_inherited() {
                findings.push(Finding::new(
                    &file.path,
                    entry.line,
                    format!("{} takes its version not from the workspace", entry.name),
                ));
            }
        }
    }
    findings
}

/// Every member has the workspace's licence; what only we run cannot be published.
pub(super) fn licences(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        let manifest = format!("{}/Cargo.toml", package.folder);
        if package.licence.as_deref() != Some(LICENCE) {
            findings.push(Finding::new(
                &manifest,
                0,
                format!("the licence is not {LICENCE}"),
            ));
        }
        let is_private = PRIVATE_FOLDERS
            .iter()
            .any(|folder| package.folder.starts_with(folder));
        if is_private && package.published {
            findings.push(Finding::new(&manifest, 0, "publish = false is missing"));
        }
    }
    findings
}

/// A manifest outside the workspace has its own versions.
fn is_member(tree: &Tree, path: &str) -> bool {
    let folder = path.strip_suffix("/Cargo.toml").unwrap_or_default();
    tree.packages.iter().any(|package| package.folder == folder)
}

/// A dependency as it stands in a manifest.
struct Entry {
    table: String,
    name: String,
    value: String,
    line: usize,
    has_reason: bool,
}

impl Entry {
    fn is_inherited(&self) -> bool {
        let value: String = self.value.split_whitespace().collect();
        value.contains("workspace=true")
    }
}

/// The dependencies of a manifest, read line by line: TOML's other ways to write them are not ours.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut table = String::new();
    let mut has_reason = false;
    // Whether a value that began on an earlier line goes on.
    let mut open_brackets = 0;
    for (index, line) in text.lines().enumerate() {
        let (content, comment) = line.split_once('#').unwrap_or((line, ""));
        let content = content.trim();
        if open_brackets == 0 && content.is_empty() {
            // A blank line ends the paragraph that a comment speaks of.
            has_reason = if line.trim().is_empty() {
                false
            } else {
                has_reason || has_words(comment)
            };
        } else if open_brackets == 0 && content.starts_with('[') {
            table = content.trim_matches(['[', ']']).to_owned();
            // `[dependencies.name]` is a dependency of its own.
            if let Some((parent, name)) = table.rsplit_once("dependencies.") {
                entries.push(Entry {
                    table: format!("{parent}dependencies"),
                    name: name.to_owned(),
                    value: String::new(),
                    line: index + 1,
                    has_reason: has_reason || has_words(comment),
                });
            }
            has_reason = false;
        } else {
            let continues = open_brackets > 0 || table.contains("dependencies.");
            open_brackets += brackets(content);
            if continues {
                if let Some(entry) = entries
                    .last_mut()
                    .filter(|_| table.contains("dependencies"))
                {
                    entry.value.push_str(content);
                }
            } else if let Some((key, value)) = content
                .split_once('=')
                .filter(|_| table.ends_with("dependencies"))
            {
                let (name, field) = key.trim().split_once('.').unwrap_or((key.trim(), ""));
                entries.push(Entry {
                    table: table.clone(),
                    name: name.trim_matches('"').to_owned(),
                    value: format!("{field}={value}")
                        .trim_start_matches('=')
                        .to_owned(),
                    line: index + 1,
                    has_reason: has_reason || has_words(comment),
                });
            }
        }
    }
    entries
}

fn has_words(comment: &str) -> bool {
    comment.chars().any(char::is_alphabetic)
}

/// How many brackets a line opens and does not close.
fn brackets(content: &str) -> i32 {
    content
        .chars()
        .map(|c| match c {
            '[' | '{' => 1,
            ']' | '}' => -1,
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Package;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    fn check_reasons(text: &str, expect: &[usize]) {
        let found = reasons(&Tree::of("Cargo.toml", text));
        assert_eq!(lines(&found), expect, "{text}: {found:?}");
    }

    #[test]
    fn a_reason_is_a_comment_on_the_line_or_above() {
        check_reasons("[dependencies]\na = \"1\"\n", &[2]);
        check_reasons("[dependencies]\na = \"1\" # Why.\n", &[]);
        check_reasons("[dependencies]\n# Why.\na = \"1\"\nb = \"1\"\n", &[]);
        check_reasons("[dependencies]\n# Why.\na = \"1\"\n\nb = \"1\"\n", &[5]);
        check_reasons("# Why.\n[dependencies]\na = \"1\"\n", &[3]);
        check_reasons("[dependencies]\n#\na = \"1\"\n", &[3]);
    }

    #[test]
    fn every_kind_of_table_counts() {
        check_reasons("[target.'cfg(loom)'.dependencies]\na = \"1\"\n", &[2]);
        check_reasons("[dev-dependencies]\na = \"1\"\n[features]\nb = []\n", &[2]);
        check_reasons("[dependencies.a]\nversion = \"1\"\n", &[1]);
        check_reasons("# Why.\n[dependencies.a]\nversion = \"1\"\n", &[]);
        check_reasons(
            "[dependencies]\n# Why.\na = { features = [\n  \"x\",\n] }\n\nb = \"1\"\n",
            &[7],
        );
    }

    #[test]
    fn an_inherited_dependency_has_its_reason_in_the_workspace() {
        let mut tree = Tree::of(
            "Cargo.toml",
            "[workspace.dependencies]\n# Why.\na = \"1\"\n",
        );
        let member = Tree::of(
            "crates/x/Cargo.toml",
            "[dependencies]\na.workspace = true\nb = { workspace = true }\n",
        );
        tree.files.extend(member.files);
        let found = reasons(&tree);
        assert_eq!(lines(&found), [3]);
        assert!(found[0].message.starts_with("b has no comment"));
    }

    #[test]
    fn versions_stand_in_the_workspace() {
        let mut tree = Tree::of(
            "crates/x/Cargo.toml",
            "[dependencies]\na = \"1\"\nb.workspace = true\nc = { workspace = true, optional = true }\nd = { path = \"../d\" }\n",
        );
        tree.packages.push(Package {
            folder: "crates/x".to_owned(),
            ..Package::default()
        });
        assert_eq!(lines(&versions(&tree)), [2, 5]);
        tree.packages.clear();
        assert!(versions(&tree).is_empty());
    }

    #[test]
    fn any_version_is_no_version() {
        let tree = Tree::of(
            "Cargo.toml",
            "[workspace.dependencies]\na = \"*\"\nb = { version = \"*\" }\nc = \"1\"\n",
        );
        assert_eq!(lines(&versions(&tree)), [2, 3]);
    }

    #[test]
    fn licence_and_publishing_are_checked() {
        let package = |folder: &str, licence: Option<&str>, published| Package {
            folder: folder.to_owned(),
            licence: licence.map(str::to_owned),
            published,
            ..Package::default()
        };
        let tree = Tree {
            packages: vec![
                package("crates/a", Some(LICENCE), true),
                package("crates/b", None, true),
                package("crates/c", Some("MIT"), true),
                package("xtask", Some(LICENCE), true),
                package("crates/testkit", Some(LICENCE), false),
            ],
            ..Tree::default()
        };
        let paths: Vec<String> = licences(&tree).into_iter().map(|it| it.path).collect();
        assert_eq!(
            paths,
            [
                "crates/b/Cargo.toml",
                "crates/c/Cargo.toml",
                "xtask/Cargo.toml"
            ]
        );
    }
}
