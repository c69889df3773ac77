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
    Row::at_most("view_runs", "request for 60 tracks of the same × 1,600 px at any zoom, half of them groups, p99", "ms", 5.0, 2.0),
    Row::at_most("view_runs_without_groups", "… those that are no groups", "ms", 5.0, 2.0),
    Row::at_most("view_search", "search of all texts of the same for one that is nowhere", "ms", 100.0, 20.0),
    Row::at_most("view_v2_mix_memory", "view of the same, peak memory", "MB", 400.0, 250.0),
];
