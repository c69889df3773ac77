//! Where Go's readers and ours rightly say different things of a file.

/// A file of which Go says something else.
struct Difference {
    file: &'static str,
    /// Empty for the whole row. `wire_counts` is what decoding alone finds, without order and tables.
    columns: &'static [&'static str],
    why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        file: "go-fuzz-v2/4055b17cae1a3443.trace",
        columns: &[],
        why: "a file of version 1.19 with a lone futile wakeup, which Go 1.19 accepts; judged by Go 1.27, which cannot turn it into v2",
    },
    Difference {
        file: "go-testdata-v2/go122-fail-first-gen-first.trace",
        columns: &["wire_counts"],
        why: "Go stops at a fault of order before it sees the cut batch",
    },
    Difference {
        file: "handmade/v2-go123-event-in-1.22.trace",
        columns: &["strings", "stacks", "wire_counts"],
        why: "Go's reader takes an event that is newer than the header; its dump, which counts these, does not",
    },
    Difference {
        file: "handmade/v2-lone-frequency-batch-1.26.trace",
        columns: &["wire_counts"],
        why: "Go takes the batch for events and misses the sync batch first",
    },
];

/// Why Go says something else of a file in a column; `None` where it does not.
pub(crate) fn reason(file: &str, column: &str) -> Option<&'static str> {
    DIFFERENCES
        .iter()
        .find(|it| it.file == file && (it.columns.is_empty() || it.columns.contains(&column)))
        .map(|it| it.why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_of_the_row_or_of_columns() {
        let differs = |file, column| reason(file, column).is_some();
        assert!(differs("go-fuzz-v2/4055b17cae1a3443.trace", "verdict"));
        let file = "handmade/v2-go123-event-in-1.22.trace";
        assert!(differs(file, "stacks") && !differs(file, "verdict"));
        assert!(!differs("handmade/v1-futile.trace", "verdict"));
    }
}
