//! Counts, names in quotes and bars, as people read them.

use exectrace_format::text::Quoted;

/// How many characters of a name or message are printed.
const NAME_CHARS_MAX: usize = 80;
/// How wide the longest bar is.
pub(crate) const BAR_CHARS: usize = 40;
/// Bars by eighths of a character.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Bars by eighths of their height.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A size, such as 1.5 MiB.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (bytes.max(1).ilog2() / 10) as usize;
    if unit == 0 {
        return format!("{bytes} B");
    }
    let size = bytes as f64 / (1_u64 << (10 * unit)) as f64;
    format!("{size:.1} {}", UNITS[unit])
}

/// A share, such as 12.5%.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A name in quotes, cut if it is long; what is not printable is escaped.
pub(crate) fn name(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((end, _)) => format!("{}…", Quoted(&name.as_bytes()[..end])),
        None => Quoted(name.as_bytes()).to_string(),
    }
}

/// A bar that is as long as the share of the whole, with eighths of characters; what is not nothing is seen.
pub(crate) fn bar(share: f64, chars: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * chars as f64 * 8.0).ceil() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// A character for each share of the most, by height; a dot where there is none.
pub(crate) fn strip(shares: impl Iterator<Item = Option<f64>>) -> String {
    let height = |share: f64| {
        let place = (share.clamp(0.0, 1.0) * 8.0).ceil() as usize;
        HEIGHTS[place]
    };
    shares.map(|share| share.map_or('·', height)).collect()
}

/// "1 thing" or "2 things".
pub(crate) fn count(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_units() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        assert_eq!(percent(0.125), "12.5%");
        assert_eq!(
            (count(1, "log"), count(2, "log")),
            (String::from("1 log"), String::from("2 logs"))
        );
    }

    #[test]
    fn a_strip_has_a_character_a_share() {
        let shares = [None, Some(0.0), Some(0.001), Some(0.5), Some(1.0)];
        assert_eq!(strip(shares.into_iter()), "· ▁▄█");
    }

    #[test]
    fn names_do_no_harm() {
        assert_eq!(name("a\u{1b}[31m\n"), "\"a\\x1b[31m\\n\"");
        let long = name(&"ä".repeat(1_000_000));
        assert_eq!(long.chars().count(), NAME_CHARS_MAX + 3);
    }

    #[test]
    fn a_bar_shows_what_is_not_nothing() {
        assert_eq!(bar(0.0, 10), "");
        assert_eq!(bar(0.000_1, 10), "▏");
        assert_eq!(bar(0.5, 10), "█████");
        assert_eq!(bar(0.55, 10), "█████▌");
        assert_eq!(bar(7.0, 2), "██");
    }
}
