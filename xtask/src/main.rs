//! The workspace's own checks: ci, tidy, bench.
fn main() {}
