//! Traces in every packing.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A trace that zstd's own tool has packed, in two frames.
pub(crate) fn packed_by_zstd() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packed/go1.19-deep.trace.zst")
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}
