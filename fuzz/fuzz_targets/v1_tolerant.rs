//! Any bytes as a file of format v1, read by a tolerant reader.
#![no_main]

use exectrace_format::Format;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|file: &[u8]| -> Corpus {
    match exectrace_fuzz::tolerant(file, Format::V1) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});
