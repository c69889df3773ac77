//! Where the commands get their traces from.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::{self, Scope};

use exectrace_json::About;
use exectrace_reader::{
    Error, Mode, Packing, PackingFault, Reader, Source, Timestamp, Trace, UnpackLimit,
};
use exectrace_viewer::{Bytes, Subject};

use crate::error::CommandError;
use crate::outcome::Outcome;

/// Arguments of all commands that read traces.
#[derive(clap::Args)]
pub(crate) struct InputArguments {
    /// Refuse what Go's own tools refuse, and packed files that are cut; else all is read that makes sense.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Exit with 0 also when a trace is read in part, was repaired, or has no events.
    #[arg(long)]
    pub(crate) allow_partial: bool,
    /// How much a packed file may unpack to, or standard input may hold: bytes, or a number with K, M, G or T.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = bytes)]
    unpack_limit: UnpackLimit,
}

impl InputArguments {
    /// How readers take what is wrong.
    pub(crate) fn mode(&self) -> Mode {
        if self.strict {
            Mode::Strict
        } else {
            Mode::Tolerant
        }
    }

    /// Opens files, or standard input for `-`. Of several those that cannot be opened are told and left out.
    pub(crate) fn open_all(&self, paths: &[PathBuf]) -> Result<Inputs, CommandError> {
        let mut inputs = Inputs {
            files: Vec::new(),
            outcome: Outcome::Whole,
        };
        for path in paths {
            match self.open(path) {
                Ok(source) => inputs.files.push((name(path), source)),
                Err(error) if paths.len() > 1 => {
                    eprintln!("exectrace: {error}");
                    inputs.outcome = Outcome::Unreadable;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(inputs)
    }

    fn open(&self, path: &Path) -> Result<Source, CommandError> {
        let source = if path == Path::new("-") {
            Source::standard_input(self.unpack_limit)
        } else {
            Source::open(path, self.unpack_limit)
        };
        source.map_err(|error| CommandError::Input {
            name: name(path),
            error,
        })
    }
}

/// Files that are open.
pub(crate) struct Inputs {
    /// With what messages call them.
    files: Vec<(String, Source)>,
    /// Whether all could be opened.
    pub(crate) outcome: Outcome,
}

/// A trace: a file, or several that are parts of it.
pub(crate) struct Input<'a> {
    /// What messages call it.
    pub(crate) name: String,
    /// The same as arguments of a command, for a shell.
    pub(crate) arguments: String,
    trace: Trace<'a>,
    /// How its files were packed, if they were.
    pub(crate) packing: Option<Packing>,
    /// Why not all of a packed file could be unpacked.
    pub(crate) fault: Option<PackingFault>,
}

impl Inputs {
    /// The trace that the files make, to keep; of two the second, compared with the first. `None` if they make more.
    pub(crate) fn into_subject(self) -> Option<Subject> {
        let traces = self.traces();
        let kept: Vec<Kept> = traces.iter().map(Kept::of).collect();
        drop(traces);
        let mut files: Vec<Option<Source>> = Vec::new();
        files.extend(self.files.into_iter().map(|(_, file)| Some(file)));
        let mut subjects = kept.into_iter().map(|kept| kept.into_subject(&mut files));
        let (one, other, more) = (subjects.next()?, subjects.next(), subjects.next());
        match (other, more) {
            (_, Some(_)) => None,
            (None, None) => one,
            (Some(newer), None) => Some(newer?.compared_with(one?)),
        }
    }

    /// The traces that the files make.
    pub(crate) fn traces(&self) -> Vec<Input<'_>> {
        let bytes: Vec<&[u8]> = self.files.iter().map(|(_, file)| file.bytes()).collect();
        let traces = Trace::of_files(&bytes).into_iter();
        traces.map(|trace| self.input(trace)).collect()
    }

    fn input<'a>(&'a self, trace: Trace<'a>) -> Input<'a> {
        let parts = trace.files().iter().map(|&file| &self.files[file]);
        let names: Vec<&str> = parts.clone().map(|(name, _)| name.as_str()).collect();
        Input {
            name: names.join(" + "),
            arguments: names
                .iter()
                .map(|name| quoted(name))
                .collect::<Vec<_>>()
                .join(" "),
            packing: parts.clone().find_map(|(_, file)| file.packing()),
            fault: parts.clone().find_map(|(_, file)| file.fault()),
            trace,
        }
    }
}

impl Input<'_> {
    /// The trace, unpacked.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.trace.bytes()
    }

    /// What objects about it say of it; its first event was at `first`.
    pub(crate) fn about(&self, first: Timestamp) -> About<'_> {
        About {
            file: &self.name,
            arguments: &self.arguments,
            first,
        }
    }

    /// A reader of the trace, with a thread of the scope that reads ahead, where there is a processor for it.
    pub(crate) fn reader<'scope>(
        &'scope self,
        mode: Mode,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Reader<'scope>, Error> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        if processors > 1 {
            Reader::open_ahead(self.bytes(), mode, scope)
        } else {
            Reader::open(self.bytes(), mode)
        }
    }
}

/// What is kept of a trace whose files are about to be given away.
struct Kept {
    name: String,
    arguments: String,
    fault: Option<String>,
    bytes: KeptBytes,
}

enum KeptBytes {
    /// Those of a file.
    File(usize),
    Joined(Vec<u8>),
}

impl Kept {
    fn of(input: &Input<'_>) -> Self {
        let bytes = match input.trace.files() {
            [file] => KeptBytes::File(*file),
            _ => KeptBytes::Joined(input.bytes().to_vec()),
        };
        Self {
            name: input.name.clone(),
            arguments: input.arguments.clone(),
            fault: input.fault.map(|fault| fault.to_string()),
            bytes,
        }
    }

    fn into_subject(self, files: &mut [Option<Source>]) -> Option<Subject> {
        let bytes = match self.bytes {
            KeptBytes::File(file) => Bytes::Source(files[file].take()?),
            KeptBytes::Joined(bytes) => Bytes::Joined(bytes),
        };
        let subject = Subject::new(&self.name, &self.arguments, bytes);
        Some(match self.fault {
            Some(fault) => subject.with_fault(fault),
            None => subject,
        })
    }
}

/// What messages call standard input.
const STANDARD_INPUT: &str = "standard input";

/// What messages call a file.
fn name(path: &Path) -> String {
    if path == Path::new("-") {
        String::from(STANDARD_INPUT)
    } else {
        path.display().to_string()
    }
}

/// The name of a file as an argument, in quotes where a shell would take it for something else.
fn quoted(name: &str) -> String {
    if name == STANDARD_INPUT {
        return String::from("-");
    }
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+=:,@%".contains(char);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

/// A number of bytes, as people write it.
fn bytes(text: &str) -> Result<UnpackLimit, String> {
    let digits = text.trim_end_matches(|char: char| !char.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(String::from("must be a number, or one with K, M, G or T")),
    };
    let number: u64 = digits
        .parse()
        .map_err(|error: std::num::ParseIntError| error.to_string())?;
    let bytes = number
        .checked_mul(1 << shift)
        .ok_or("is more than there is")?;
    Ok(UnpackLimit(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_arguments_for_a_shell() {
        assert_eq!(quoted("a/b-1.trace"), "a/b-1.trace");
        assert_eq!(quoted("a b.trace"), "'a b.trace'");
        assert_eq!(quoted("it's;rm"), r"'it'\''s;rm'");
        assert_eq!(quoted("standard input"), "-");
    }

    #[test]
    fn bytes_are_written_as_people_do() {
        assert_eq!(bytes("17"), Ok(UnpackLimit(17)));
        assert_eq!(bytes("3K"), Ok(UnpackLimit(3072)));
        assert_eq!(bytes("4G"), Ok(UnpackLimit::default()));
        assert_eq!(bytes("1T"), Ok(UnpackLimit(1 << 40)));
        for text in ["", "G", "-1", "1.5G", "1 G", "1KB", "20000000T", "ä"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
