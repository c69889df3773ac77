//! The spread of times in JSON.

use exectrace_analysis::Distribution;
use schemars::JsonSchema;
use serde::Serialize;

/// How times are spread: percentiles are values that were there, by nearest rank.
#[derive(JsonSchema, Serialize)]
pub(crate) struct SpreadLine {
    /// How many there are.
    count: u64,
    /// Of all.
    sum_ns: i64,
    /// The least.
    min_ns: i64,
    /// The mean.
    mean_ns: f64,
    /// The median.
    p50_ns: i64,
    /// What nine of ten do not exceed.
    p90_ns: i64,
    /// What 99 of 100 do not exceed.
    p99_ns: i64,
    /// The most.
    max_ns: i64,
}

impl SpreadLine {
    pub(crate) fn of(spread: &Distribution) -> Self {
        Self {
            count: spread.count,
            sum_ns: spread.sum,
            min_ns: spread.min,
            mean_ns: spread.mean,
            p50_ns: spread.p50,
            p90_ns: spread.p90,
            p99_ns: spread.p99,
            max_ns: spread.max,
        }
    }
}
