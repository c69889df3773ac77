//! Where the commands get their traces from.

use std::path::Path;

use exectrace_reader::{Mode, Source, UnpackLimit};

use crate::error::CommandError;

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

    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, CommandError> {
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

/// What messages call a file.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") {
        String::from("standard input")
    } else {
        path.display().to_string()
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
