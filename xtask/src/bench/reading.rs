//! What reading may cost. The references of ratios are Go's own readers, on the same file in the same run.

use super::row::Row;
use super::table::Table;

/// The budgets of the reader.
pub(super) const TABLE: Table = Table {
    heading: "Reading",
    rows: ROWS,
};

/// Targets of memory that say "below Go's" stand as what is just below.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row::at_least("read_v2_mix", "v2 mix in order, one thread, over Go 1.27", "×", 10.0, 25.0),
    Row::at_least("read_v2_pp", "v2 ping-pong, the same", "×", 8.0, 20.0),
    Row::at_least("read_v2_two_threads", "v2 mix, two threads over one", "×", 1.5, 1.8),
    Row::at_most("read_v2_mix_memory_500mb", "v2 mix of 500 MB, peak memory over Go 1.27's", "×", 0.99, 0.5),
    Row::at_most("read_v2_pp_memory_500mb", "v2 ping-pong of 500 MB, the same", "×", 0.99, 0.5),
    Row::at_most("read_v2_mix_memory_1gb", "v2 mix of 1 GB, the same", "×", 0.99, 0.5),
    Row::at_most("read_v2_pp_memory_1gb", "v2 ping-pong of 1 GB, the same", "×", 0.99, 0.5),
    Row::at_least("read_v1_mix_go_1_19", "v1 mix in order, one thread, over Go 1.19", "×", 60.0, 100.0),
    Row::at_least("read_v1_mix_go_1_27", "… over Go 1.27", "×", 15.0, 30.0),
    Row::at_most("read_v1_mix_memory", "v1 mix, peak memory by byte of the file", "B", 1.5, 0.3),
    Row::at_most("read_v1_pp_memory", "v1 ping-pong, the same", "B", 1.5, 0.3),
    Row::at_most("read_v1_mix_memory_500mb", "v1 mix of 500 MB, peak memory", "MB", 999.0, 299.0),
];
