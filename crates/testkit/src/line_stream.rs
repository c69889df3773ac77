//! The lines of a program that writes many, while it writes them.

use std::io::{BufRead, BufReader};
use std::mem;
use std::process::{ChildStdout, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Error;
use crate::process::{Drained, Guard, collect, drain, line_of};

/// Lines come in blocks of so many bytes: one at a time would cost a switch between threads each.
const BLOCK_BYTES: usize = 1 << 16;

/// Blocks that are ahead of who reads.
const BLOCKS_AHEAD: usize = 4;

/// The lines of a program that is running. It is killed at its deadline, and when the stream is dropped.
#[derive(Debug)]
pub struct LineStream {
    command: String,
    limit: Duration,
    deadline: Instant,
    blocks: Receiver<Block>,
    block: Block,
    /// The next line of the block.
    next: usize,
    stderr: Drained,
    guard: Guard,
}

/// Whole lines, and where each ends.
#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl LineStream {
    /// Starts `command`, which may run for so long.
    pub(crate) fn start(command: &mut Command, limit: Duration) -> Result<Self, Error> {
        let line = line_of(command);
        let mut guard = Guard::start(command)?;
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        if let Some(stdout) = guard.child().stdout.take() {
            thread::spawn(move || send(stdout, &sender));
        }
        Ok(Self {
            command: line,
            limit,
            deadline: Instant::now() + limit,
            blocks,
            block: Block::default(),
            next: 0,
            stderr: drain(guard.child().stderr.take()),
            guard,
        })
    }

    /// The next line, without its end; `None` after the last one, when the program has ended well.
    ///
    /// # Errors
    ///
    /// [`Error::TimedOut`] at the deadline, [`Error::Refused`] when the program fails.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, Error> {
        if self.next == self.block.ends.len() {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.blocks.recv_timeout(left) {
                Ok(block) => self.block = block,
                Err(RecvTimeoutError::Disconnected) => return self.finish().map(|()| None),
                Err(RecvTimeoutError::Timeout) => return Err(self.timed_out()),
            }
            self.next = 0;
        }
        let start = self
            .next
            .checked_sub(1)
            .map_or(0, |last| self.block.ends[last]);
        let end = self.block.ends[self.next];
        self.next += 1;
        let line = &self.block.bytes[start..end];
        Ok(Some(line.strip_suffix(b"\n").unwrap_or(line)))
    }

    /// The output has ended: how did the program?
    fn finish(&mut self) -> Result<(), Error> {
        let status = self.guard.wait_until(self.deadline);
        let status = status.map_err(|source| Error::Start {
            command: self.command.clone(),
            source,
        })?;
        match status {
            None => Err(self.timed_out()),
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Error::Refused {
                command: self.command.clone(),
                code: status.code(),
                log: self.log(),
            }),
        }
    }

    fn timed_out(&mut self) -> Error {
        self.guard.kill();
        Error::TimedOut {
            command: self.command.clone(),
            limit_s: self.limit.as_secs(),
            log: self.log(),
        }
    }

    fn log(&mut self) -> String {
        String::from_utf8_lossy(&collect(self.stderr.take())).into_owned()
    }
}

/// Sends what comes out of `stdout` until it ends or nobody listens.
fn send(stdout: ChildStdout, blocks: &SyncSender<Block>) {
    let mut stdout = BufReader::with_capacity(BLOCK_BYTES, stdout);
    let mut block = Block::default();
    // A pipe that fails has ended; the program's status says how.
    while stdout
        .read_until(b'\n', &mut block.bytes)
        .is_ok_and(|bytes| bytes > 0)
    {
        block.ends.push(block.bytes.len());
        if block.bytes.len() >= BLOCK_BYTES && blocks.send(mem::take(&mut block)).is_err() {
            return;
        }
    }
    if !block.ends.is_empty() {
        // Nobody listens any more when it fails.
        let _ = blocks.send(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> LineStream {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        LineStream::start(&mut command, limit).expect("the shell is there")
    }

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn lines_come_whole_and_in_order() {
        let mut lines = shell("seq 100000; printf last", MINUTE);
        for number in 1..=100_000 {
            let line = lines.next_line().expect("seq runs").expect("a line");
            assert_eq!(line, number.to_string().as_bytes());
        }
        let last = lines.next_line().expect("printf runs");
        assert_eq!(last, Some(b"last".as_slice()));
        for _ in 0..2 {
            assert_eq!(lines.next_line().expect("the end is good"), None);
        }
    }

    #[test]
    fn a_failure_comes_after_the_last_line() {
        let mut lines = shell("echo first; echo why >&2; exit 3", MINUTE);
        let first = lines.next_line().expect("the line comes first");
        assert_eq!(first, Some(b"first".as_slice()));
        let error = lines.next_line().expect_err("the shell exits 3");
        assert!(
            matches!(&error, Error::Refused { code: Some(3), log, .. } if log == "why\n"),
            "{error}"
        );
    }

    #[test]
    fn a_program_past_its_deadline_is_killed() {
        let begun = Instant::now();
        let mut lines = shell("exec sleep 600", Duration::from_millis(50));
        let error = lines.next_line().expect_err("the deadline is shorter");
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
        assert!(begun.elapsed() < MINUTE);
    }

    #[test]
    fn a_stream_that_is_dropped_ends_its_program() {
        let begun = Instant::now();
        let mut lines = shell("exec yes", MINUTE);
        let first = lines.next_line().expect("yes runs");
        assert_eq!(first, Some(b"y".as_slice()));
        drop(lines);
        assert!(begun.elapsed() < MINUTE);
    }
}
