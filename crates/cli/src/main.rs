//! The exectrace command.
fn main() {}
