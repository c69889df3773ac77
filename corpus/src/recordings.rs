//! What our recorder records: processes of this program itself, whose standard output is the trace.

mod futures;
mod threads;
mod unstopped;

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::shelf::Shelf;

/// A program that starts a recording into the file.
type Recording = fn(File) -> Result<(), Error>;

const RECORDINGS: [(&str, Recording); 3] = [
    ("futures", futures::record),
    ("threads", threads::record),
    ("unstopped", unstopped::record),
];

/// Runs all of them.
pub(crate) fn record_all(shelf: &Shelf) -> Result<(), Error> {
    for (name, _) in RECORDINGS {
        // A recording tells its program's arguments: those must not be of this machine.
        let output = Command::new(env::current_exe()?)
            .arg0("corpus")
            .args(["record", name])
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(Error::Failed { name });
        }
        shelf.put(&format!("recorded/exectrace/{name}.trace"), &output.stdout)?;
    }
    Ok(())
}

/// Records in this process.
pub(crate) fn record_here(name: &str) -> Result<(), Error> {
    let known = RECORDINGS.iter().find(|(other, _)| *other == name);
    let Some((_, record)) = known else {
        return Err(Error::NoSuchRecording {
            name: name.to_owned(),
        });
    };
    // The standard output without its buffer, which looks for ends of lines.
    record(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
