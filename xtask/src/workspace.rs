//! The packages of the workspace and what they depend on, from `cargo metadata`.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::Invocation;
use crate::error::Error;

/// The workspace.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// A member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of its manifest, from the root.
    pub(crate) folder: String,
    pub(crate) licence: Option<String>,
    pub(crate) published: bool,
    /// The names of its benches.
    pub(crate) benches: Vec<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A line of a package's dependencies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: DependencyKind,
    /// Whether it is a member of the workspace.
    pub(crate) is_ours: bool,
    /// The condition in `[target.'…'.dependencies]`.
    pub(crate) target: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    #[default]
    Normal,
    Development,
    Build,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load() -> Result<Self, Error> {
        let root = root();
        let printed = Invocation::cargo("metadata --no-deps --format-version 1").output(&root)?;
        let packages = packages_in(&printed, &root)?;
        Ok(Self { root, packages })
    }

    /// Where cargo puts what a step builds with flags of its own, so that steps do not undo each other's work.
    pub(crate) fn target_dir(&self, step: &str) -> String {
        let base = match env::var_os("CARGO_TARGET_DIR") {
            Some(path) => self.root.join(path),
            None => self.root.join("target"),
        };
        base.join(step).display().to_string()
    }
}

/// The folder above this package's.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

fn packages_in(metadata: &str, root: &Path) -> Result<Vec<Package>, Error> {
    let metadata: Value =
        serde_json::from_str(metadata).map_err(|_| Error::Metadata { missing: "JSON" })?;
    let packages = metadata["packages"].as_array().ok_or(Error::Metadata {
        missing: "packages",
    })?;
    let root = metadata["workspace_root"].as_str().map_or(root, Path::new);
    packages
        .iter()
        .map(|value| package_in(value, root))
        .collect()
}

fn package_in(value: &Value, root: &Path) -> Result<Package, Error> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let manifest = value["manifest_path"].as_str().ok_or(Error::Metadata {
        missing: "manifest_path",
    })?;
    let folder = Path::new(manifest).parent().unwrap_or(root);
    let targets = value["targets"].as_array();
    let dependencies = value["dependencies"].as_array();
    Ok(Package {
        name: text(&value["name"]).ok_or(Error::Metadata { missing: "name" })?,
        folder: folder
            .strip_prefix(root)
            .unwrap_or(folder)
            .display()
            .to_string(),
        licence: text(&value["license"]),
        // Absent: to any registry. An empty list: to none.
        published: value["publish"]
            .as_array()
            .is_none_or(|list| !list.is_empty()),
        benches: targets
            .into_iter()
            .flatten()
            .filter(|target| target["kind"][0].as_str() == Some("bench"))
            .filter_map(|target| text(&target["name"]))
            .collect(),
        dependencies: dependencies
            .into_iter()
            .flatten()
            .map(dependency_in)
            .collect::<Result<_, _>>()?,
    })
}

fn dependency_in(value: &Value) -> Result<Dependency, Error> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Ok(Dependency {
        name: text(&value["name"]).ok_or(Error::Metadata {
            missing: "dependency name",
        })?,
        kind: match value["kind"].as_str() {
            None => DependencyKind::Normal,
            Some("dev") => DependencyKind::Development,
            Some(_) => DependencyKind::Build,
        },
        is_ours: value["path"].is_string(),
        target: text(&value["target"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let packages = packages_in(
            r#"{"workspace_root":"/r","packages":[{"name":"a","manifest_path":"/r/crates/a/Cargo.toml",
            "license":"MIT","publish":[],"targets":[{"kind":["lib"]},{"kind":["bench"],"name":"f"}],"dependencies":[
            {"name":"b","kind":null,"req":"^1","path":"/r/crates/b","target":null},
            {"name":"loom","kind":"dev","req":"*","target":"cfg(loom)"}]}]}"#,
            Path::new("/elsewhere"),
        )
        .expect("the text is metadata");
        let package = &packages[0];
        assert_eq!(
            (package.name.as_str(), package.folder.as_str()),
            ("a", "crates/a")
        );
        assert_eq!(package.benches, ["f"]);
        assert!(!package.published);
        assert!(package.dependencies[0].is_ours);
        assert_eq!(package.dependencies[0].kind, DependencyKind::Normal);
        assert_eq!(package.dependencies[1].kind, DependencyKind::Development);
        assert_eq!(package.dependencies[1].target.as_deref(), Some("cfg(loom)"));
    }

    #[test]
    fn other_text_is_refused() {
        let root = Path::new("/");
        assert!(packages_in("", root).is_err());
        assert!(packages_in("{}", root).is_err());
        assert!(packages_in(r#"{"packages":[{"name":"a"}]}"#, root).is_err());
    }

    #[test]
    fn this_workspace_loads() {
        let workspace = Workspace::load().expect("cargo knows this workspace");
        assert!(
            workspace
                .packages
                .iter()
                .any(|package| package.folder == "xtask")
        );
        assert!(workspace.root.join("Cargo.toml").exists());
    }
}
