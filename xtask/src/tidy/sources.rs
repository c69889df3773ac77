//! How long a source file is, and what it is called.

use super::Finding;
use super::tree::Tree;

/// Lines before the tests.
const LENGTH_LIMIT: usize = 600;

/// Names that say nothing about what a file holds.
const EMPTY_NAMES: [&str; 7] = [
    "common", "helpers", "misc", "prelude", "types", "util", "utils",
];

/// No file is longer than what one reads in a sitting.
pub(super) fn lengths(tree: &Tree) -> Vec<Finding> {
    tree.rust_files()
        .filter_map(|file| {
            let lines = file
                .text
                .lines()
                .take_while(|line| !line.starts_with("#[cfg(test)]"))
                .count();
            (lines > LENGTH_LIMIT).then(|| {
                Finding::new(
                    &file.path,
                    0,
                    format!("{lines} lines before its tests; split it below {LENGTH_LIMIT}"),
                )
            })
        })
        .collect()
}

/// A file is named after what it holds.
pub(super) fn names(tree: &Tree) -> Vec<Finding> {
    tree.rust_files()
        .filter_map(|file| {
            let empty = file
                .path
                .trim_end_matches(".rs")
                .split('/')
                .find(|part| EMPTY_NAMES.contains(part))?;
            Some(Finding::new(
                &file.path,
                0,
                format!("`{empty}` does not say what is in it"),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let long = "x\n".repeat(LENGTH_LIMIT + 1);
        assert_eq!(lengths(&Tree::of("a.rs", &long)).len(), 1);
        let short = format!("{}#[cfg(test)]\n{long}", "x\n".repeat(LENGTH_LIMIT));
        assert_eq!(lengths(&Tree::of("a.rs", &short)).len(), 0);
        assert_eq!(lengths(&Tree::of("a.txt", &long)).len(), 0);
    }

    #[test]
    fn an_empty_name_is_found() {
        for path in [
            "crates/a/src/utils.rs",
            "crates/a/src/common/x.rs",
            "xtask/src/types.rs",
        ] {
            assert_eq!(names(&Tree::of(path, "")).len(), 1, "{path}");
        }
        for path in ["crates/a/src/event_types.rs", "docs/common/x.md"] {
            assert_eq!(names(&Tree::of(path, "")).len(), 0, "{path}");
        }
    }
}
