//! An execution tracer for Rust programs; recordings are Go execution traces.
