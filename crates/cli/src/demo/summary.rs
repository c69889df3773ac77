//! What the demonstration says of its recording.

use std::io::{self, Write};
use std::path::Path;

use exectrace::Statistics;

/// Prints where the recording is, what is in it and how to open it.
pub(crate) fn print(path: &Path, statistics: &Statistics) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}\n{statistics}\n", path.display())?;
    let width = statistics.events.iter().map(|(name, _)| name.len()).max();
    for (name, count) in statistics.events.iter() {
        writeln!(
            out,
            "  {name:width$}  {count:>9}",
            width = width.unwrap_or(0)
        )?;
    }
    let path = path.display();
    writeln!(
        out,
        "\nShow it in the browser:\n  exectrace view {path}\nOpen it with Go's own tools:\n  go tool trace {path}"
    )?;
    writeln!(
        out,
        "\nOr look at it here:\n  exectrace summary {path}\n  exectrace findings {path}\n  exectrace info {path}"
    )
}
