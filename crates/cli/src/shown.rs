//! Texts and times of a trace, as tables show them.

use std::time::Duration;

/// Longer texts are cut: a file may hold names of a megabyte.
const CHARS_MAX: usize = 160;

/// A name: on one line, and not too long.
pub(crate) fn name(text: &str) -> String {
    let mut shown = String::new();
    for (place, char) in text.chars().enumerate() {
        if place == CHARS_MAX {
            shown.push('…');
            break;
        }
        if char.is_control() {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

/// The same of what a trace may not tell.
pub(crate) fn told(text: &str) -> String {
    match text {
        "" => String::from("(not told)"),
        text => name(text),
    }
}

/// A time, with one digit behind the point.
pub(crate) fn duration(ns: i64) -> String {
    match ns {
        0 => String::from("-"),
        ns => format!("{:.1?}", Duration::from_nanos(ns.unsigned_abs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_a_line_and_are_cut() {
        assert_eq!(name("main.it's(*T).ä"), "main.it's(*T).ä");
        assert_eq!(name("a\nb\u{1b}[31m"), "a\\nb\\u{1b}[31m");
        assert_eq!(name(&"é".repeat(160)), "é".repeat(160));
        assert_eq!(name(&"é".repeat(161)), format!("{}…", "é".repeat(160)));
    }

    #[test]
    fn times_have_units() {
        for (ns, shown) in [
            (0, "-"),
            (7, "7.0ns"),
            (1_500, "1.5µs"),
            (2_000_000_000, "2.0s"),
        ] {
            assert_eq!(duration(ns), shown);
        }
    }
}
