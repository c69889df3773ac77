//! What the demonstration says of its recording.
#![expect(clippy::print_stdout, reason = "a command prints")]

use std::path::Path;

use exectrace::Statistics;

/// Prints where the recording is, what is in it and how to open it.
pub(crate) fn print(path: &Path, statistics: &Statistics) {
    println!("{}", path.display());
    println!("{statistics}");
    println!();
    let width = statistics.events.iter().map(|(name, _)| name.len()).max();
    for (name, count) in statistics.events.iter() {
        println!("  {name:width$}  {count:>9}", width = width.unwrap_or(0));
    }
    println!();
    println!("Open it with Go's own tools:");
    println!("  go tool trace {}", path.display());
}
