//! Which threads the process has, and when to look.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use crate::lane;

const DIRECTORY: &str = "/proc/self/task";

/// Without a sign of new threads, the list is read so often.
const SCAN_EVERY: Duration = Duration::from_secs(1);

/// Threads that did not change for so long may be left alone for longer.
const SETTLED: Duration = Duration::from_secs(1);

/// A scan that took long is not repeated for so many times as long: a process of many threads that come and go costs no more
/// than two hundredths of a processor.
const REST: u32 = 50;

/// The threads of the process.
#[derive(Debug)]
pub(super) struct Threads {
    /// `None` where there is no such directory: then only threads that have a lane are known.
    directory: Option<File>,
    links: u64,
    /// When threads were last seen to come or go.
    changed: Option<Instant>,
    scanned: Option<Instant>,
    rest: Duration,
}

impl Threads {
    pub(super) fn new() -> Self {
        Self {
            directory: File::open(DIRECTORY).ok(),
            links: 0,
            changed: None,
            scanned: None,
            rest: Duration::ZERO,
        }
    }

    /// Whether no threads were seen to come or go for a second, and it would be seen.
    pub(super) fn are_settled(&self) -> bool {
        self.directory.is_some()
            && self
                .changed
                .is_some_and(|changed| changed.elapsed() >= SETTLED)
    }

    /// The kernel's numbers of all threads, if it is time to look at them: when their number has changed, when one is known to
    /// have ended, in whose place another may have come, or after a second.
    pub(super) fn due(&mut self, has_one_ended: bool) -> Option<Vec<i32>> {
        let links = self.directory.as_ref().map_or(0, links_of);
        if has_one_ended || links != self.links {
            self.changed = Some(Instant::now());
        }
        if let Some(scanned) = self.scanned {
            let age = scanned.elapsed();
            let is_news = has_one_ended || links != self.links;
            if age < self.rest || (!is_news && age < SCAN_EVERY) {
                return None;
            }
        }
        let begin = Instant::now();
        let threads = if self.directory.is_some() {
            listed()
        } else {
            with_lane()
        };
        self.links = links;
        self.rest = begin.elapsed() * REST;
        self.scanned = Some(Instant::now());
        Some(threads)
    }
}

/// A directory has a link for itself, one for its name and one for each directory in it.
fn links_of(directory: &File) -> u64 {
    directory.metadata().map_or(0, |facts| facts.nlink())
}

fn listed() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir(DIRECTORY) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

fn with_lane() -> Vec<i32> {
    lane::all()
        .filter(|lane| lane.is_of(lane.thread()))
        .filter_map(|lane| i32::try_from(lane.thread()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_role::own_id_and_name;

    #[test]
    fn a_new_thread_is_seen_at_the_next_look() {
        let mut threads = Threads::new();
        assert!(
            threads
                .due(false)
                .is_some_and(|list| list.contains(&own_id_and_name().0))
        );
        threads.rest = Duration::ZERO;
        std::thread::scope(|scope| {
            let (say, hear) = std::sync::mpsc::channel();
            let (end, wait) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                say.send(own_id_and_name().0).expect("the test waits");
                let _ = wait.recv();
            });
            let id = hear.recv().expect("the thread tells its number");
            // Other tests' threads come and go too: one that ends as ours begins hides it until the next scan.
            let is_seen = (0..2000).any(|_| {
                std::thread::sleep(Duration::from_millis(1));
                threads.due(false).is_some_and(|list| list.contains(&id))
            });
            assert!(is_seen);
            drop(end);
        });
    }

    #[test]
    fn threads_are_settled_a_while_after_the_last_one_came() {
        let mut threads = Threads::new();
        assert!(!threads.are_settled());
        threads.due(false);
        assert!(!threads.are_settled());
        threads.changed = Instant::now().checked_sub(SETTLED);
        assert!(threads.are_settled());
        threads.due(true);
        assert!(!threads.are_settled());
    }

    #[test]
    fn a_scan_that_took_long_is_not_repeated_soon() {
        let mut threads = Threads::new();
        assert!(threads.due(false).is_some());
        threads.links = 0;
        threads.rest = Duration::from_secs(3600);
        assert!(threads.due(false).is_none());
        assert!(threads.due(true).is_none());
        threads.rest = Duration::ZERO;
        assert!(threads.due(false).is_some());
        threads.rest = Duration::ZERO;
        assert!(threads.due(true).is_some());
    }
}
