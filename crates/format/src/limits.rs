//! The lengths that writers keep to and readers check before they believe a file.
//!
//! Each says whose limit it is. Names begin with the format that they belong to.

/// Room for any one event of either format, a power of two so that positions can be masked.
///
/// The longest is type, length and five ten-byte numbers: 52 bytes.
pub const EVENT_BYTES_MAX: usize = 64;

/// Bytes of a file's header, in every version.
pub const HEADER_BYTES: usize = 16;

/// v1: the most arguments of an event, its time not counted.
pub const V1_ARGS_MAX: usize = 4;

/// v1: the longest string or log message that Go's readers take.
pub const V1_STRING_BYTES_MAX: usize = 1_000_000;

/// v1: the most frames of a stack that Go's readers take.
pub const V1_STACK_FRAMES_MAX: usize = 1000;

/// v1: the most bytes after the length of a length-form record that Go 1.27 takes.
///
/// Go 1.19 and 1.21 have no such limit, so it binds writers but not our reader.
pub const V1_LENGTH_FORM_BYTES_MAX: usize = 2048;

/// v1: the most workers that our reader takes.
///
/// Ours: Go's readers have no such limit, and no machine has so many CPUs, no process so many threads. A made-up file can have
/// one in every few bytes, and each takes hundreds.
pub const V1_WORKERS_MAX: usize = 1 << 16;

/// v2: the most arguments of an event, its time not counted.
pub const V2_ARGS_MAX: usize = 5;

/// v2: the most arguments of an event in a batch of events; entries of tables have more.
pub const V2_EVENT_ARGS_MAX: usize = 4;

/// v2: the most bytes of data in a batch.
pub const V2_BATCH_BYTES_MAX: usize = 65_536;

/// v2: the most threads of a generation that our reader takes.
///
/// Ours: Go's reader has no such limit; its runtime ends a process with more than 10,000 threads unless told otherwise.
pub const V2_THREADS_MAX: usize = 1 << 16;

/// v2: the longest string.
pub const V2_STRING_BYTES_MAX: usize = 1024;

/// v2: the most frames of a stack.
pub const V2_STACK_FRAMES_MAX: usize = 128;
