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
    Row::at_most("gc_v2_mix", "gc of the same, curves included, CPU time", "s", 4.0, 2.0),
    Row::at_most("gc_v2_mix_memory", "… peak memory", "MB", 400.0, 200.0),
    Row::at_most("why_v2_mix", "why of the task that is there all the time, CPU time", "s", 4.0, 3.0),
    Row::at_most("why_v2_mix_memory", "… peak memory", "MB", 400.0, 200.0),
];
