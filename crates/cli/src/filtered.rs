//! What a filter for several kinds of records is about, in words.

use std::io::{self, Write};

use exectrace_analysis::RecordKinds;

/// Prints a line that says which records a filter chooses among; none without a filter.
pub(crate) fn print(output: &mut impl Write, filtered: RecordKinds) -> io::Result<()> {
    if filtered.is_empty() {
        return Ok(());
    }
    let names = filtered.names();
    writeln!(
        output,
        "--where chooses among {names}; all else is told as it is"
    )
}
