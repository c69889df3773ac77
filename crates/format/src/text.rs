//! The text form of traces: for dumps, fixtures and snapshots.
//!
//! A line is a record: Go's name of the type, then the fields by the names in the table. `dt` is the
//! time since the record before, `sequence` version 1.5's global one. The first line is the header.
//!
//! ```text
//! go 1.19 trace
//! Batch worker=0 ticks=1000
//! GoCreate dt=5 task=1 start_stack=1 stack=0    # comments and blank lines are skipped
//! GoStart dt=5 task=1 seq=1
//! UserLog dt=7 user_task=0 key=2 stack=0 message="hello"
//! String string=2 text="greeting"
//! Stack stack=1 frame=0x401000,3,4,17 frame=0x402000,5,4,99
//! Frequency ticks_per_second=1000000000
//! ```
//!
//! A field that is left out is 0. Numbers are decimal, or hexadecimal after `0x`; -1 is 2^64-1.
//! A frame is its pc, function, file and line; in version 1.5 its pc. Texts may be any bytes: in
//! quotes, `\"`, `\\`, `\n`, `\r`, `\t` and `\xNN` stand for what they do in Rust.
//!
//! In v2 the lines after `EventBatch` are that batch's data, up to the next batch or
//! `EndOfGeneration`; its size is counted. Tables begin with the line `Strings`, `Stacks` or
//! `CPUSamples`, from 1.25 the clocks with `Sync`:
//!
//! ```text
//! go 1.26 trace
//! EventBatch generation=1 thread=-1 time=64
//! Sync
//! Frequency units_per_second=15625000
//! ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=0
//! EventBatch generation=1 thread=50 time=64
//! ProcStatus dt=1 worker=0 status=1
//! EndOfGeneration
//! ```
//!
//! What the text does not keep is how numbers were padded and whether a v1 record was in the length
//! form without need.

mod error;
mod line;
mod quoted;
mod v1;
mod v2;

pub use error::{TextError, TextFault};
pub use quoted::Quoted;
pub use v1::V1RecordText;
pub use v2::V2RecordText;

use std::fmt::Write;

use crate::error::Error;
use crate::version::{Format, Version};
use crate::{go_v1, go_v2};
use line::lines;

/// The text of a whole file.
///
/// # Errors
///
/// The file's first fault. To print what stands before it, print the records one by one.
///
/// # Examples
///
/// ```
/// use exectrace_format::text;
/// let file = [b"go 1.19 trace\0\0\0", &[14 | 2 << 6, 5, 3, 2][..]].concat();
/// let text = text::print(&file)?;
/// assert_eq!(text, "go 1.19 trace\nGoStart dt=5 task=3 seq=2\n");
/// assert_eq!(text::parse(&text), Ok(file));
/// # Ok::<(), exectrace_format::Error>(())
/// ```
pub fn print(file: &[u8]) -> Result<String, Error> {
    let version = Version::of(file)?;
    let mut text = format!("go {version} trace\n");
    // Writing to a string cannot fail.
    match version.format() {
        Format::V1 => {
            for record in go_v1::Records::of_file(file)? {
                let _ = writeln!(text, "{}", record?.text(version));
            }
        }
        Format::V2 => {
            for record in go_v2::Records::of_file(file)? {
                let _ = writeln!(text, "{}", record?.text());
            }
        }
    }
    Ok(text)
}

/// The file of a text.
///
/// Limits and order are not checked, so that faulty files can be made.
///
/// # Errors
///
/// The first line that is none, and why.
///
/// # Examples
///
/// ```
/// use exectrace_format::text::{self, TextFault};
/// let error = text::parse("go 1.19 trace\nGoStart dt=5 tusk=3").unwrap_err();
/// assert_eq!((error.line, error.fault), (2, TextFault::UnknownField));
/// ```
pub fn parse(text: &str) -> Result<Vec<u8>, TextError> {
    let mut source = text.lines();
    let header = source.next().unwrap_or_default().trim_end();
    let version = Version::ALL.into_iter().find(|version| {
        let padded = version.header();
        padded
            .strip_prefix(header.as_bytes())
            .is_some_and(|pad| pad.iter().all(|&byte| byte == 0))
    });
    let version = version.ok_or(TextError {
        line: 1,
        fault: TextFault::NoHeader,
    })?;
    match version.format() {
        Format::V1 => v1::parse(version, lines(text)),
        Format::V2 => v2::parse(version, lines(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_fault(text: &str, line: usize, fault: TextFault) {
        assert_eq!(parse(text), Err(TextError { line, fault }));
    }

    #[track_caller]
    fn check_round_trip(text: &str) {
        let file = parse(text).unwrap();
        assert_eq!(print(&file).as_deref(), Ok(text));
    }

    #[test]
    fn each_fault_is_told_with_its_line() {
        check_fault("", 1, TextFault::NoHeader);
        check_fault("go 1.20 trace\n", 1, TextFault::NoHeader);
        check_fault(
            "go 1.19 trace\n\n# none\nGoFly dt=1",
            4,
            TextFault::UnknownType,
        );
        check_fault("go 1.5 trace\nString string=1", 2, TextFault::UnknownType);
        check_fault("go 1.19 trace\nGoEnd dt", 2, TextFault::NoField);
        check_fault("go 1.19 trace\nGoEnd dt=x", 2, TextFault::BadNumber);
        check_fault(
            "go 1.19 trace\nGoEnd dt=18446744073709551616",
            2,
            TextFault::BadNumber,
        );
        check_fault("go 1.19 trace\nGoEnd dt=\"1\"", 2, TextFault::BadNumber);
        check_fault("go 1.19 trace\nGoEnd dt=1 dt=2", 2, TextFault::UnknownField);
        check_fault(
            "go 1.19 trace\nGoEnd sequence=1",
            2,
            TextFault::UnknownField,
        );
        check_fault(
            "go 1.9 trace\nGCSTWStart kind=1",
            2,
            TextFault::UnknownField,
        );
        check_fault(
            "go 1.19 trace\nStack stack=1 frame=1,2,3",
            2,
            TextFault::BadNumber,
        );
        check_fault(
            "go 1.19 trace\nString string=1 text=\"x",
            2,
            TextFault::BadText,
        );
        check_fault(
            "go 1.19 trace\nString string=1 text=\"\\q\"",
            2,
            TextFault::BadText,
        );
        check_fault(
            "go 1.19 trace\nString string=1 text=x",
            2,
            TextFault::BadText,
        );
        check_fault("go 1.26 trace\nGoDestroy dt=1", 2, TextFault::OutsideBatch);
        check_fault(
            "go 1.26 trace\nEventBatch\nEndOfGeneration\nSync",
            4,
            TextFault::OutsideBatch,
        );
        check_fault(
            "go 1.26 trace\nExperimentalBatch experiment=256",
            2,
            TextFault::BadNumber,
        );
    }

    #[test]
    fn v1_round_trips() {
        check_round_trip(
            "go 1.21 trace\n\
             Batch worker=-1 ticks=1000\n\
             STWStart dt=1 kind=9\n\
             CPUSample dt=2 real_ticks=900 worker=-1 task=0 stack=0\n\
             UserLog dt=1 user_task=1 key=2 stack=0 message=\"\\\"a\\\" \\\\ \\n\\t\\x00\\xff \u{e4}\u{20ac}\"\n\
             String string=7 text=\"main.main\"\n\
             Stack stack=1 frame=0x401000,3,4,17 frame=0x402000,5,4,99\n\
             Stack stack=2\n\
             Frequency ticks_per_second=1000000000\n",
        );
        check_round_trip(
            "go 1.5 trace\n\
             Batch worker=0 sequence=7 ticks=1000\n\
             GoUnblock sequence=1 dt=5 task=3 stack=2\n\
             Stack stack=2 frame=0x401000 frame=0x402000\n\
             Frequency ticks_per_second=5 sequence=0\n",
        );
    }

    #[test]
    fn v2_round_trips() {
        check_round_trip(
            "go 1.26 trace\n\
             EventBatch generation=1 thread=-1 time=64\n\
             Sync\n\
             ClockSnapshot dt=1 monotonic_ns=64 wall_s=1 wall_ns=0\n\
             Frequency units_per_second=15625000\n\
             EventBatch generation=1 thread=50 time=64\n\
             ProcStatus dt=1 worker=0 status=1\n\
             GoStatus dt=1 task=1 thread=-1 status=4\n\
             EventBatch generation=1 thread=50 time=70\n\
             ExperimentalBatch experiment=1 generation=1 thread=50 time=0 data=\"\\x01#\\xf0\"\n\
             EventBatch generation=1 thread=-1 time=0\n\
             Strings\n\
             String string=1 text=\"\"\n\
             EventBatch generation=1 thread=-1 time=0\n\
             CPUSamples\n\
             CPUSample time=70 thread=50 worker=-1 task=0 stack=0\n\
             EndOfGeneration\n",
        );
        check_round_trip(
            "go 1.22 trace\nEventBatch generation=1 thread=0 time=0\nFrequency units_per_second=1\n",
        );
    }

    #[test]
    fn comments_and_missing_fields_are_fine() {
        let short = "go 1.19 trace\n\n  # what follows\nGoStart task=0x10 # seq is 0\nString text=\"#\" string=1";
        let whole = "go 1.19 trace\nGoStart dt=0 task=16 seq=0\nString string=1 text=\"#\"\n";
        assert_eq!(print(&parse(short).unwrap()).as_deref(), Ok(whole));
    }
}
