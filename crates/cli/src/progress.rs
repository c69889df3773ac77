//! A bar that shows how far a command is, where somebody looks.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Whoever waits for less sees no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long a bar stays as it is.
const PERIOD: Duration = Duration::from_millis(100);

/// The clock is looked at once in so many events.
const EVENTS_PER_LOOK: u32 = 1 << 10;

/// Columns of the bar itself.
const COLUMNS: u64 = 40;

/// Brings the cursor to the begin of the line and clears it.
const CLEAR: &str = "\r\x1b[K";

/// A bar on standard error, if that is a terminal; gone when this is dropped.
pub(crate) struct Progress {
    is_shown: bool,
    total_bytes: u64,
    /// The farthest place that was shown.
    bytes: u64,
    calls: u32,
    calls_per_look: u32,
    next: Instant,
    has_bar: bool,
}

impl Progress {
    /// A bar for so many bytes, for a command that is told now and then how far it is.
    pub(crate) fn new(total_bytes: u64) -> Self {
        Self {
            is_shown: io::stderr().is_terminal(),
            total_bytes,
            bytes: 0,
            calls: 0,
            calls_per_look: 1,
            next: Instant::now() + PATIENCE,
            has_bar: false,
        }
    }

    /// The same for a command that prints each event while it reads: output on a terminal shows well enough how far it is.
    pub(crate) fn beside_output(total_bytes: u64) -> Self {
        let progress = Self::new(total_bytes);
        let is_shown = progress.is_shown && !io::stdout().is_terminal();
        Self {
            is_shown,
            calls_per_look: EVENTS_PER_LOOK,
            ..progress
        }
    }

    /// Shows that so many bytes have been read, if it is time.
    pub(crate) fn show(&mut self, bytes: u64) {
        if !self.is_shown {
            return;
        }
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(self.calls_per_look) {
            return;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + PERIOD;
        self.bytes = self.bytes.max(bytes);
        self.has_bar = true;
        // Nobody is helped by an error of a bar.
        let _ = write!(io::stderr(), "{CLEAR}{}", bar(self.bytes, self.total_bytes));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.has_bar {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

fn bar(bytes: u64, total_bytes: u64) -> String {
    let part = |of: u64| {
        u128::from(bytes.min(total_bytes)) * u128::from(of) / u128::from(total_bytes.max(1))
    };
    let done = part(COLUMNS) as usize;
    let rest = COLUMNS as usize - done;
    format!(
        "[{}{}] {:3} %",
        "#".repeat(done),
        ".".repeat(rest),
        part(100)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_file_is_read() {
        let check = |bytes, total, hashes: usize, percent| {
            let dots = 40 - hashes;
            let expect = format!("[{}{}] {percent} %", "#".repeat(hashes), ".".repeat(dots));
            assert_eq!(bar(bytes, total), expect);
        };
        check(0, 1000, 0, "  0");
        check(499, 1000, 19, " 49");
        check(1000, 1000, 40, "100");
        check(1001, 1000, 40, "100");
        check(0, 0, 0, "  0");
        check(u64::MAX / 2, u64::MAX, 19, " 49");
    }
}
