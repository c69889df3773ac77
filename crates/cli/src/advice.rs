//! What to do about a trace that cannot be read to its end.

use exectrace_format::{Error as FormatError, Format, Version};
use exectrace_reader::{Cause, Error, PackingFault};

/// What to say of a file without events.
pub(crate) fn on_empty(file: &[u8]) -> String {
    let lacks = match Version::of(file).map(Version::format) {
        Ok(Format::V1) => "no batches",
        _ => "no generations",
    };
    format!("{lacks}: the trace is empty; {STOP}")
}

/// What to do about several traces without clocks.
pub(crate) const EACH_ALONE: &str = "give each of the traces alone";

/// What to say of a recording that has no end.
pub(crate) const NOT_STOPPED: &str = "the end of the recording: the program ended without stopping it; stop the recording before the program ends";

/// What to do about an empty trace.
const STOP: &str = "the program may have ended before the trace was stopped: stop it first";

/// What to do about a fault of a trace.
pub(crate) fn on_fault(fault: &Error) -> &'static str {
    match fault.cause {
        Cause::Format(FormatError::HeaderCut { .. } | FormatError::NotATrace) => {
            "give it what runtime/trace or exectrace has written, as it is or packed by gzip or zstd"
        }
        Cause::Format(FormatError::UnsupportedVersion { .. }) => {
            "a newer exectrace may know the version, if it is one"
        }
        Cause::Format(FormatError::Cut { .. } | FormatError::MessageCut { .. })
        | Cause::GenerationCut => {
            "stop the trace before the program ends, and copy the file after that"
        }
        Cause::Empty => STOP,
        Cause::TimeOrder => "the clocks of the machine's CPUs differ: record once more elsewhere",
        _ => "copy the file once more, or record once more",
    }
}

/// What to do about a fault of a packed file.
pub(crate) fn on_packing(fault: PackingFault) -> &'static str {
    match fault {
        PackingFault::Cut => "copy the file once more; without --strict what is there is read",
        PackingFault::Damaged => {
            "copy the file once more; without --strict what comes before the damage is read"
        }
    }
}

/// Whether a trace is at fault only in that it has a header and no events.
pub(crate) fn is_empty(fault: &Error) -> bool {
    matches!(fault.cause, Cause::Empty)
}
