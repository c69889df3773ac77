//! Filters as the command line has them.

use exectrace_analysis::{Filter, RecordKind};

/// Reads a filter; what is wrong with one is shown under it.
pub(crate) fn parse(text: &str, kind: RecordKind) -> Result<Filter, String> {
    Filter::parse(text, kind).map_err(|error| {
        // Of what fills more than a line the column alone says where.
        if text.chars().any(char::is_control) || text.chars().count() > 120 {
            return error.to_string();
        }
        let blanks = " ".repeat(error.column() - 1);
        format!("{error}\n\n    {text}\n    {blanks}^")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_shown_where_there_is_room() {
        let error = |text: &str| parse(text, RecordKind::Task).expect_err("is wrong");
        let shown = error("task.function == \"é\" && duration > 5");
        let (error_line, lines) = shown.split_once("\n\n").expect("has more lines");
        assert!(error_line.starts_with("column 36: "), "{shown}");
        let (filter, mark) = lines.split_once('\n').expect("has a mark");
        let place = mark.chars().position(|it| it == '^').expect("is marked");
        assert_eq!(filter.chars().nth(place), Some('5'), "{shown}");
        assert!(!error("task\n== x").contains('^'));
        assert!(!error(&"!".repeat(200)).contains('^'));
    }
}
