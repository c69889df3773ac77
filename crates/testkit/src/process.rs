//! A child process that cannot outlive its test: killed at a deadline and on drop.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::Error;

/// How often a waiting parent looks whether its child has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A child that is killed and reaped when dropped.
#[derive(Debug)]
pub(crate) struct Guard(Child);

impl Guard {
    /// Starts `command` with both outputs piped and no input.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Error> {
        Self::start_into(command, Stdio::piped())
    }

    /// The same with a standard output that goes elsewhere.
    fn start_into(command: &mut Command, stdout: Stdio) -> Result<Self, Error> {
        command
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .map(Self)
            .map_err(|source| Error::Start {
                command: line_of(command),
                source,
            })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Waits for the child's end; `None` if it still runs at the deadline.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.0.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
                None => return Ok(None),
            }
        }
    }

    /// Ends the child, if it still runs.
    pub(crate) fn kill(&mut self) {
        // Both fail only for a child that has been reaped, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Runs `command` to its end and returns its standard output.
///
/// # Errors
///
/// `Start`, `Refused` on a non-zero exit, `TimedOut` after `limit`.
pub(crate) fn output(command: &mut Command, limit: Duration) -> Result<Vec<u8>, Error> {
    let line = line_of(command);
    let not_started = |source| Error::Start {
        command: line_of(command),
        source,
    };
    // Go's tools write line by line: into a pipe each would wake who reads it, and a listing has hundred thousands.
    let mut printed = scratch_file().map_err(not_started)?;
    let stdout = printed.try_clone().map_err(not_started)?;
    let mut guard = Guard::start_into(command, stdout.into())?;
    // A thread drains the pipe, or a child that writes more than a pipe holds would wait for ever.
    let stderr = drain(guard.child().stderr.take());
    let status = match guard.wait_until(Instant::now() + limit) {
        Ok(status) => status,
        Err(source) => {
            return Err(Error::Start {
                command: line,
                source,
            });
        }
    };
    drop(guard);
    let stderr = collect(stderr);
    let mut stdout = Vec::new();
    let read = printed
        .rewind()
        .and_then(|()| printed.read_to_end(&mut stdout));
    if let Err(source) = read {
        return Err(Error::Start {
            command: line,
            source,
        });
    }
    let log = String::from_utf8_lossy(&stderr).into_owned();
    match status {
        Some(status) if status.success() => Ok(stdout),
        Some(status) => Err(Error::Refused {
            command: line,
            code: status.code(),
            log,
        }),
        None => Err(Error::TimedOut {
            command: line,
            limit_s: limit.as_secs(),
            log,
        }),
    }
}

/// A file that nobody else can open, and that is gone when it is closed.
fn scratch_file() -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("exectrace-output-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// The command as one would type it, for messages.
pub(crate) fn line_of(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        // Writing to a string cannot fail.
        let _ = write!(line, " {}", argument.to_string_lossy());
    }
    line
}

/// What a thread takes out of a pipe.
pub(crate) type Drained = Option<JoinHandle<io::Result<Vec<u8>>>>;

pub(crate) fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> Drained {
    pipe.map(|mut pipe| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.read_to_end(&mut bytes)?;
            Ok(bytes)
        })
    })
}

pub(crate) fn collect(drained: Drained) -> Vec<u8> {
    drained
        .and_then(|thread| thread.join().ok())
        .and_then(Result::ok)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_larger_than_a_pipe_arrives_whole() {
        let bytes = output(
            &mut shell("head -c 300000 /dev/zero"),
            Duration::from_secs(60),
        );
        assert_eq!(bytes.expect("head succeeds").len(), 300_000);
    }

    #[test]
    fn a_failure_carries_code_and_text() {
        let error = output(&mut shell("echo why >&2; exit 3"), Duration::from_secs(60))
            .expect_err("the shell exits 3");
        assert!(
            matches!(&error, Error::Refused { code: Some(3), log, .. } if log == "why\n"),
            "{error}"
        );
        assert!(error.to_string().contains("exits 3 and says:\nwhy"));
    }

    #[test]
    fn a_child_past_its_deadline_is_killed() {
        let begun = Instant::now();
        let error = output(&mut shell("exec sleep 600"), Duration::from_millis(50))
            .expect_err("the deadline is shorter");
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn an_absent_program_is_a_start_error() {
        let error = output(&mut Command::new("/nonexistent/go"), Duration::from_secs(1))
            .expect_err("there is no such program");
        assert!(matches!(error, Error::Start { .. }), "{error}");
    }
}
