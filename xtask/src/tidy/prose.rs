//! What must not stand in the tree, and what must stand in the change log.

use super::Finding;
use super::tree::Tree;

/// Words that must not stand anywhere, and why. Put together here, so that this file does not hold them.
const FORBIDDEN: [(&str, &str); 4] = [
    (concat!("/", "work/"), "a path of somebody's machine"),
    (
        concat!("TO", "DO("),
        "a person's name; say what is missing instead",
    ),
    (concat!("to", "do!"), "unfinished code"),
    (concat!("unimple", "mented!"), "unfinished code"),
];

/// Generated, or somebody else's text.
const EXEMPT: [&str; 2] = ["Cargo.lock", "LICENSE-APACHE"];

/// No forbidden word stands in a text file.
pub(super) fn words(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if EXEMPT.contains(&file.path.as_str()) {
            continue;
        }
        for (index, line) in file.text.lines().enumerate() {
            for (word, reason) in FORBIDDEN {
                if line.contains(word) {
                    findings.push(Finding::new(
                        &file.path,
                        index + 1,
                        format!("`{word}`: {reason}"),
                    ));
                }
            }
        }
    }
    findings
}

/// The change log begins with what is not released.
pub(super) fn changelog(tree: &Tree) -> Vec<Finding> {
    let path = "CHANGELOG.md";
    let Some(file) = tree.file(path) else {
        return vec![Finding::new(path, 0, "is missing")];
    };
    let first = file
        .text
        .lines()
        .enumerate()
        .find_map(|(index, line)| Some((index, line.strip_prefix("## ")?)));
    match first {
        Some((_, heading)) if heading.trim_matches(['[', ']']) == "Unreleased" => Vec::new(),
        Some((index, _)) => vec![Finding::new(
            path,
            index + 1,
            "the first heading is not Unreleased",
        )],
        None => vec![Finding::new(path, 0, "has no heading Unreleased")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_words_are_found_with_their_line() {
        for (word, _) in FORBIDDEN {
            let found = words(&Tree::of("docs/x.md", &format!("fine\nnot {word} fine\n")));
            assert_eq!(found.len(), 1, "{word}");
            assert_eq!(found[0].line, 2);
        }
        assert_eq!(words(&Tree::of("a.rs", "// TODO: names of tasks\n")), []);
    }

    #[test]
    fn the_change_log_begins_with_unreleased() {
        let check = |text: &str, findings: usize| {
            assert_eq!(
                changelog(&Tree::of("CHANGELOG.md", text)).len(),
                findings,
                "{text}"
            );
        };
        check("# Changes\n\n## Unreleased\n\n## 0.1.0\n", 0);
        check("# Changes\n\n## [Unreleased]\n", 0);
        check("# Changes\n\n## 0.1.0\n\n## Unreleased\n", 1);
        check("# Changes\n", 1);
        assert_eq!(changelog(&Tree::default()).len(), 1);
    }
}
