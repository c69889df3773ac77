//! Worker numbers of what no lane writes. Lanes count from 1.
//!
//! All are beyond a million: there Go 1.19's web view has things that are no processors. It draws a line for every number up to the
//! largest below that, which for a number like 900,000 are 160 MB a page. It uses some numbers itself, up to 1,000,005.

/// Tables and CPU samples.
pub(crate) const TABLES: u32 = 1_000_100;

/// What the recording says about itself.
pub(crate) const DESCRIPTION: u32 = 1_000_101;

/// Introducing lanes begin here: each thread has one for tasks that it introduces in the middle of another task's run, so that no
/// wrong creator is shown.
pub(crate) const INTRODUCING: u32 = 2_000_000;
