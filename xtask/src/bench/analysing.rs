//! What analysing may cost.

use super::row::Row;
use super::table::Table;

/// The budgets of the analyses.
pub(super) const TABLE: Table = Table {
    heading: "Analysing",
    rows: ROWS,
};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row::at_most("summary_v2_mix", "summary of 100 MB of v2 mix, findings included, CPU time", "s", 4.0, 2.0),
    Row::at_most("summary_v2_mix_memory", "… peak memory", "MB", 400.0, 200.0),
];
