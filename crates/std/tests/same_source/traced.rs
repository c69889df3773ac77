//! The program with the traced library.

use exectrace_std as library;

#[path = "program.rs"]
pub(crate) mod program;
