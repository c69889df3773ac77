//! A trace as one page that needs no server.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use exectrace_viewer::{Export, ExportOptions, Subject};

use super::Arguments;
use crate::error::CommandError;
use crate::outcome::Outcome;

/// Writes the page, all at once when it is ready: a trace that cannot be read leaves no file behind.
pub(super) fn write(
    subject: Subject,
    arguments: &Arguments,
    path: &Path,
) -> Result<Outcome, CommandError> {
    let mut options = ExportOptions::default();
    (options.from, options.to) = (arguments.from, arguments.to);
    let export = Export::of(subject, &options).map_err(CommandError::Export)?;
    if path == Path::new("-") {
        let mut output = io::stdout().lock();
        output.write_all(export.html().as_bytes())?;
        output.flush()?;
    } else {
        let to_file = |error| CommandError::OutputFile {
            path: path.to_owned(),
            error,
        };
        let mut file = File::create(path).map_err(to_file)?;
        file.write_all(export.html().as_bytes()).map_err(to_file)?;
    }
    for line in export.trust() {
        eprintln!("exectrace: {line}");
    }
    Ok(if export.trust().is_empty() {
        Outcome::Whole
    } else {
        Outcome::Partial
    })
}
