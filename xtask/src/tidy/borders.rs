//! Which package may depend on which: the import table of the style page, and where outside packages may come in.
//!
//! Only dependencies that a user of the package gets count: those of tests may cross any border, and so may those under
//! `cfg(loom)`, which no user ever builds.

use super::Finding;
use super::tree::Tree;
use crate::workspace::{Dependency, DependencyKind, Package};

/// What a package may depend on. A package that does not exist yet stands here already, so that it begins within its borders.
struct Border {
    package: &'static str,
    ours: &'static [&'static str],
    outside: Outside,
}

enum Outside {
    /// These only.
    Only(&'static [&'static str]),
    /// Its author's choice: nobody depends on the package.
    Any,
}

const BORDERS: &[Border] = &[
    Border {
        package: "exectrace-format",
        ours: &[],
        outside: Outside::Only(&[]),
    },
    Border {
        package: "exectrace-profbuf",
        ours: &[],
        outside: Outside::Only(&[]),
    },
    Border {
        package: "exectrace",
        ours: &["exectrace-format", "exectrace-profbuf"],
        // The system's interface, what turns an address into a function and a line, and pprof's form.
        outside: Outside::Only(&["flate2", "gimli", "libc", "prost", "rustc-demangle"]),
    },
    Border {
        package: "exectrace-std",
        ours: &["exectrace"],
        outside: Outside::Only(&[]),
    },
    Border {
        package: "exectrace-tokio",
        ours: &["exectrace", "exectrace-tokio-macros"],
        outside: Outside::Only(&["tokio"]),
    },
    Border {
        package: "exectrace-tokio-macros",
        ours: &[],
        outside: Outside::Only(&[]),
    },
    Border {
        package: "exectrace-reader",
        ours: &["exectrace-format"],
        // Packed and mapped files.
        outside: Outside::Only(&["flate2", "memmap2", "ruzstd"]),
    },
    Border {
        package: "exectrace-analysis",
        ours: &["exectrace-reader"],
        outside: Outside::Only(&[]),
    },
    Border {
        package: "exectrace-json",
        ours: &["exectrace-analysis", "exectrace-format", "exectrace-reader"],
        // JSON, its schemas, and instants of wall clocks.
        outside: Outside::Only(&["jiff", "schemars", "serde", "serde_json"]),
    },
    Border {
        package: "exectrace-viewer",
        ours: &["exectrace-analysis", "exectrace-json", "exectrace-reader"],
        // HTTP and its runtime, JSON, the token's random numbers, hashes of ids, what exported pages are packed by, niceness.
        outside: Outside::Only(&[
            "axum",
            "base64",
            "flate2",
            "getrandom",
            "rustc-hash",
            "rustix",
            "serde",
            "serde_json",
            "tokio",
            "tower-service",
        ]),
    },
    Border {
        package: "exectrace-cli",
        ours: &[
            "exectrace-viewer",
            "exectrace-json",
            "exectrace-analysis",
            "exectrace-reader",
            "exectrace-format",
            // For `demo`.
            "exectrace",
            "exectrace-std",
            "exectrace-tokio",
        ],
        outside: Outside::Any,
    },
    Border {
        package: "exectrace-testkit",
        ours: &[],
        // Packed traces.
        outside: Outside::Only(&["flate2"]),
    },
    Border {
        package: "xtask",
        // Where toolchains are found.
        ours: &["exectrace-testkit"],
        outside: Outside::Only(&["clap", "serde_json"]),
    },
];

/// Members in these folders are programs that show, measure or record: they stand at the end of every arrow.
const FREE_FOLDERS: [&str; 3] = ["bench", "corpus", "examples"];

/// A package depends only on what its border lets in.
pub(super) fn allowed_dependencies(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        let Some(border) = border_of(package) else {
            continue;
        };
        for dependency in package.dependencies.iter().filter(|it| reaches_users(it)) {
            if !border.lets_in(dependency) {
                findings.push(Finding::new(
                    &format!("{}/Cargo.toml", package.folder),
                    0,
                    format!(
                        "{} may not depend on {}: see the borders in xtask/src/tidy/borders.rs",
                        package.name, dependency.name
                    ),
                ));
            }
        }
    }
    findings
}

/// Every member has a border.
pub(super) fn known_packages(tree: &Tree) -> Vec<Finding> {
    tree.packages
        .iter()
        .filter(|package| border_of(package).is_none() && !is_free(package))
        .map(|package| {
            Finding::new(
                &format!("{}/Cargo.toml", package.folder),
                0,
                format!(
                    "{} has no border in xtask/src/tidy/borders.rs",
                    package.name
                ),
            )
        })
        .collect()
}

fn border_of(package: &Package) -> Option<&'static Border> {
    BORDERS.iter().find(|border| border.package == package.name)
}

fn is_free(package: &Package) -> bool {
    let top = package.folder.split('/').next().unwrap_or_default();
    FREE_FOLDERS.contains(&top)
}

fn reaches_users(dependency: &Dependency) -> bool {
    dependency.kind != DependencyKind::Development
        && dependency.target.as_deref() != Some("cfg(loom)")
}

impl Border {
    fn lets_in(&self, dependency: &Dependency) -> bool {
        let name = dependency.name.as_str();
        if dependency.is_ours {
            return self.ours.contains(&name);
        }
        match self.outside {
            Outside::Only(names) => names.contains(&name),
            Outside::Any => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(package: &str, dependency: Dependency) -> Tree {
        Tree {
            packages: vec![Package {
                name: package.to_owned(),
                folder: "crates/x".to_owned(),
                dependencies: vec![dependency],
                ..Package::default()
            }],
            ..Tree::default()
        }
    }

    fn ours(name: &str) -> Dependency {
        Dependency {
            name: name.to_owned(),
            is_ours: true,
            ..Dependency::default()
        }
    }

    fn outside(name: &str) -> Dependency {
        Dependency {
            name: name.to_owned(),
            ..Dependency::default()
        }
    }

    fn check(package: &str, dependency: Dependency, findings: usize) {
        let found = allowed_dependencies(&tree(package, dependency.clone()));
        assert_eq!(
            found.len(),
            findings,
            "{package} → {dependency:?}: {found:?}"
        );
    }

    #[test]
    fn arrows_point_one_way() {
        check("exectrace", ours("exectrace-format"), 0);
        check("exectrace-format", ours("exectrace"), 1);
        check("exectrace-reader", ours("exectrace"), 1);
        check("exectrace-std", ours("exectrace-format"), 1);
        check("exectrace-cli", ours("exectrace-tokio"), 0);
        check("exectrace-analysis", ours("exectrace-format"), 1);
        check("exectrace-analysis", ours("exectrace-json"), 1);
        check("exectrace-json", ours("exectrace-viewer"), 1);
    }

    #[test]
    fn outside_packages_stay_in_their_rooms() {
        check("exectrace-profbuf", outside("libc"), 1);
        check("exectrace", outside("libc"), 0);
        check("exectrace-tokio", outside("tokio"), 0);
        check("exectrace-std", outside("tokio"), 1);
        check("exectrace-reader", outside("serde"), 1);
        check("exectrace-analysis", outside("serde_json"), 1);
        check("exectrace-json", outside("schemars"), 0);
        check("exectrace-cli", outside("anything"), 0);
    }

    #[test]
    fn an_outside_package_of_one_of_our_names_is_not_ours() {
        check("exectrace", outside("exectrace-format"), 1);
    }

    #[test]
    fn what_no_user_gets_is_free() {
        let development = Dependency {
            kind: DependencyKind::Development,
            ..outside("proptest")
        };
        check("exectrace-format", development, 0);
        let model = Dependency {
            target: Some("cfg(loom)".to_owned()),
            ..outside("loom")
        };
        check("exectrace-profbuf", model, 0);
        let build = Dependency {
            kind: DependencyKind::Build,
            ..outside("cc")
        };
        check("exectrace-profbuf", build, 1);
    }

    #[test]
    fn a_package_without_a_border_is_found() {
        assert_eq!(known_packages(&tree("exectrace-extra", ours("x"))).len(), 1);
        assert_eq!(
            known_packages(&tree("exectrace-viewer", ours("x"))).len(),
            0
        );
        let mut example = tree("echo", ours("exectrace"));
        example.packages[0].folder = "examples/echo".to_owned();
        assert_eq!(known_packages(&example).len(), 0);
    }
}
