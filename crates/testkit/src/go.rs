//! A Go toolchain, found, checked and made ready to work without a network.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::{Error, GoVersion, PprofSample, Scratch, Server, Top, missing, process};

/// The profiles that `go tool trace -pprof` knows.
pub const PROFILES: [&str; 4] = ["net", "sync", "syscall", "sched"];

/// How long a tool may take for a file. Go 1.19 parses a little under a million events a second; a test's file has far
/// fewer than the 100 million that this allows.
const TOOL_LIMIT: Duration = Duration::from_secs(120);

/// How long compiling a tool may take: 31 s on two idle cores, and those of CI are seldom idle.
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// A toolchain whose `trace` and `pprof` tools can be run.
#[derive(Debug)]
pub struct Go {
    version: GoVersion,
    /// What `go version` says.
    release: String,
    binary: PathBuf,
    root: PathBuf,
    cache: PathBuf,
    trace: PathBuf,
    pprof: PathBuf,
}

impl Go {
    /// Go 1.19, from the `go` binary that `EXECTRACE_GO_1_19` names, else from Debian's place; `None`, said aloud, when
    /// there is none. An empty `EXECTRACE_GO_1_19` says so outright.
    ///
    /// # Panics
    ///
    /// When there is none and `EXECTRACE_REQUIRE_GO=1`; when the one that the environment names is another version or
    /// does not work.
    #[must_use]
    #[track_caller]
    pub fn v1_19() -> Option<&'static Self> {
        static FOUND: OnceLock<Result<Option<Go>, String>> = OnceLock::new();
        Self::found(GoVersion::V1_19, &FOUND)
    }

    /// Go 1.27, from the `go` binary that `EXECTRACE_GO_1_27` names, else from the Python virtual environment that
    /// `EXECTRACE_GO_VENV` names, else from `target/go-1.27`; `None`, said aloud, when there is none.
    ///
    /// Its `trace` and `pprof` tools come as source: the first call on a machine compiles them into a cache in the
    /// temporary directory, which takes half a minute.
    ///
    /// # Panics
    ///
    /// As [`Go::v1_19`].
    #[must_use]
    #[track_caller]
    pub fn v1_27() -> Option<&'static Self> {
        static FOUND: OnceLock<Result<Option<Go>, String>> = OnceLock::new();
        Self::found(GoVersion::V1_27, &FOUND)
    }

    /// The toolchain of a version, for a command: tests ask [`Go::v1_19`] and [`Go::v1_27`]. `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the one that the environment names is another version or does not work.
    pub fn find(version: GoVersion) -> Result<Option<Self>, Error> {
        let binary = match version.named() {
            Some(binary) if binary.as_os_str().is_empty() => return Ok(None),
            Some(binary) => binary,
            None if version.usual().exists() => version.usual(),
            None => return Ok(None),
        };
        match Self::prepare(version, &binary) {
            Ok(go) => Ok(Some(go)),
            Err(error) => Err(Error::NotWorking {
                version,
                binary,
                source: Box::new(error),
            }),
        }
    }

    /// Which toolchain this is.
    #[must_use]
    pub fn version(&self) -> GoVersion {
        self.version
    }

    /// The events of `trace` as the tool prints them: text for [`V1Dump::parse`](crate::V1Dump::parse) from 1.19, for
    /// [`V2Dump::parse`](crate::V2Dump::parse) from 1.27.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file; the error carries the tool's reason.
    pub fn listing(&self, trace: &Path) -> Result<String, Error> {
        let mode = match self.version {
            GoVersion::V1_19 => "-d",
            GoVersion::V1_27 => "-d=parsed",
        };
        let bytes = process::output(&mut self.trace(trace, &[mode]), TOOL_LIMIT)?;
        // Names and messages are bytes; what is no text in them does not matter to a test.
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The profile `kind` of `trace`, one of [`PROFILES`], in pprof's format.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file or the kind.
    pub fn profile(&self, trace: &Path, kind: &str) -> Result<Vec<u8>, Error> {
        let flag = format!("-pprof={kind}");
        process::output(&mut self.trace(trace, &[&flag]), TOOL_LIMIT)
    }

    /// Starts the web view of `trace`.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file or does not listen in time.
    pub fn serve(&self, trace: &Path) -> Result<Server, Error> {
        Server::start(&mut self.trace(trace, &["-http=127.0.0.1:0"]), TOOL_LIMIT)
    }

    /// What `go tool pprof -top` says of the profile in `file`, with no function left out and times in nanoseconds.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file, or prints a table that this crate does not know.
    pub fn pprof_top(&self, file: &Path) -> Result<Top, Error> {
        let mut command = self.command(&self.pprof);
        command
            .args(["-top", "-unit=ns", "-nodecount=0", "-nodefraction=0"])
            .arg(absolute(file));
        let bytes = process::output(&mut command, TOOL_LIMIT)?;
        Top::parse(&String::from_utf8_lossy(&bytes))
    }

    /// The samples of the profile in `file`, stack by stack, as `go tool pprof -raw` tells them.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file, or prints something that this crate does not know.
    pub fn pprof_samples(&self, file: &Path) -> Result<Vec<PprofSample>, Error> {
        let mut command = self.command(&self.pprof);
        // Else names that look like C++ would be shortened.
        command
            .args(["-raw", "-symbolize=none"])
            .arg(absolute(file));
        let bytes = process::output(&mut command, TOOL_LIMIT)?;
        PprofSample::parse_all(&String::from_utf8_lossy(&bytes))
    }

    /// What `go tool pprof -tags` says of the profile in `file`: the labels of its samples, and how much each value has.
    ///
    /// # Errors
    ///
    /// When the tool refuses the file.
    pub fn pprof_tags(&self, file: &Path) -> Result<String, Error> {
        let mut command = self.command(&self.pprof);
        command.arg("-tags").arg(absolute(file));
        let bytes = process::output(&mut command, TOOL_LIMIT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Builds the program in `source`, a folder or a Go file, which needs nothing but Go's own packages, runs it with these
    /// arguments and returns what it prints. It runs in a folder of its own, so a path among the arguments must be absolute; no
    /// path of the sources gets into the program.
    ///
    /// # Errors
    ///
    /// When the program cannot be built, fails, or runs for longer than `limit`.
    pub fn run(
        &self,
        source: &Path,
        arguments: &[&OsStr],
        limit: Duration,
    ) -> Result<Vec<u8>, Error> {
        let scratch = Scratch::new("go-program");
        let program = scratch.path().join("program");
        let mut build = isolated(&self.binary, &self.cache);
        build.args(["build", "-trimpath", "-o"]).arg(&program);
        if source.is_dir() {
            build.current_dir(source);
        } else {
            build.arg(absolute(source));
        }
        process::output(&mut build, BUILD_LIMIT)?;
        process::output(self.command(&program).args(arguments), limit)
    }

    /// The Go files of `folder` that gofmt would change, a line each.
    ///
    /// # Errors
    ///
    /// When gofmt cannot be run, or a file is not Go.
    pub fn unformatted(&self, folder: &Path) -> Result<String, Error> {
        let mut command = self.command(&self.root.join("bin/gofmt"));
        command.arg("-l").arg(absolute(folder));
        let bytes = process::output(&mut command, TOOL_LIMIT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What `go version` says.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Where the toolchain's sources and programs are.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where compiled programs stay.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Builds `package` of the toolchain's own tree into `program`, with the files of `overlay` in that tree.
    pub(crate) fn build(&self, package: &str, overlay: &Path, program: &Path) -> Result<(), Error> {
        let mut command = isolated(&self.binary, &self.cache);
        command.arg("build").arg("-overlay").arg(overlay);
        command.arg("-o").arg(program).arg(package);
        process::output(&mut command, BUILD_LIMIT).map(drop)
    }

    /// A command that runs `program`, a tool of the toolchain or one that [`build`](Self::build) has built.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = isolated(program, &self.cache);
        // The web view runs `go tool pprof` for its drawings.
        command.env("GOROOT", &self.root);
        command
    }

    #[track_caller]
    fn found(
        version: GoVersion,
        slot: &'static OnceLock<Result<Option<Self>, String>>,
    ) -> Option<&'static Self> {
        match slot.get_or_init(|| Self::find(version).map_err(|error| error.to_string())) {
            Ok(Some(go)) => Some(go),
            Ok(None) => {
                missing::skip(&version.to_string(), version.install_hint());
                None
            }
            Err(problem) => panic!("{problem}"),
        }
    }

    /// Asks `binary` who it is and has it build or name its tools.
    fn prepare(version: GoVersion, binary: &Path) -> Result<Self, Error> {
        let cache = cache_dir().map_err(|source| Error::Start {
            command: binary.display().to_string(),
            source,
        })?;
        let ask = |arguments: &[&str], limit| {
            let mut command = isolated(binary, &cache);
            process::output(command.args(arguments), limit)
                .map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
        };
        let said = ask(&["version"], TOOL_LIMIT)?;
        if !said.contains(&format!(" {}.", version.name())) {
            return Err(Error::Unreadable { line: said });
        }
        Ok(Self {
            version,
            release: said,
            binary: binary.to_owned(),
            root: ask(&["env", "GOROOT"], TOOL_LIMIT)?.into(),
            trace: ask(&["tool", "-n", "trace"], BUILD_LIMIT)?.into(),
            pprof: ask(&["tool", "-n", "pprof"], BUILD_LIMIT)?.into(),
            cache,
        })
    }

    /// The trace tool itself: `go tool trace` would be a parent whose child lives on when it is killed.
    fn trace(&self, trace: &Path, flags: &[&str]) -> Command {
        let mut command = self.command(&self.trace);
        command.args(flags).arg(absolute(trace));
        command
    }
}

/// A command that neither reads the user's settings nor reaches for the network, a browser or a display.
fn isolated(program: &Path, cache: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(cache)
        .env("BROWSER", "true")
        .env("GO111MODULE", "off")
        .env("GOCACHE", cache.join("build"))
        .env("GOENV", "off")
        .env("GOFLAGS", "")
        .env("GOPATH", cache.join("path"))
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local")
        .env("GOWORK", "off")
        .env("PPROF_TMPDIR", cache)
        .env("XDG_CONFIG_HOME", cache);
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "GODEBUG", "GOROOT"] {
        command.env_remove(variable);
    }
    command
}

/// Where compiled tools stay between runs, one for each user: another user's files could be anything.
fn cache_dir() -> io::Result<PathBuf> {
    let user = fs::metadata("/proc/self")?.uid();
    let path = env::temp_dir().join(format!("exectrace-go-{user}"));
    fs::create_dir_all(&path)?;
    if fs::symlink_metadata(&path)?.uid() == user {
        Ok(path)
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

/// Tools run in the cache's folder, so a relative path would lead them astray.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
