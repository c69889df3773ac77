//! The program with the standard library.

use std as library;

#[path = "program.rs"]
pub(crate) mod program;
