//! Cuts long texts in what the page is told: a trace can have names of a megabyte, and a table has each of them many times.

/// A text has at most so many characters, and after these a mark that says how many there were.
const CHARS_MAX: usize = 10_000;

/// JSON with its texts cut. An object that has no longer ones stays as it is.
pub(crate) fn cut_texts(json: Vec<u8>) -> Vec<u8> {
    let mut cut = Vec::new();
    // Up to where it was copied.
    let mut copied = 0;
    let mut at = 0;
    while let Some(quote) = json[at..].iter().position(|&byte| byte == b'"') {
        let text = Text::of(&json[at + quote + 1..]);
        if let Some(end) = text.cut_at {
            let begin = at + quote + 1;
            cut.extend(&json[copied..begin + end]);
            cut.extend(format!("… (of {} characters)", text.chars).bytes());
            copied = begin + text.end;
        }
        // Behind the closing quote.
        at += quote + 1 + text.end + 1;
        if at >= json.len() {
            break;
        }
    }
    if copied == 0 {
        return json;
    }
    cut.extend(&json[copied..]);
    cut
}

/// A text in JSON.
struct Text {
    /// Where its closing quote stands.
    end: usize,
    chars: usize,
    /// Behind the last character that is left; `None` if all are.
    cut_at: Option<usize>,
}

impl Text {
    /// The text at the begin of some bytes.
    fn of(bytes: &[u8]) -> Self {
        let mut text = Self {
            end: 0,
            chars: 0,
            cut_at: None,
        };
        while let Some(&byte) = bytes.get(text.end) {
            if byte == b'"' {
                break;
            }
            if text.chars == CHARS_MAX {
                text.cut_at.get_or_insert(text.end);
            }
            text.chars += 1;
            text.end += match (byte, bytes.get(text.end + 1)) {
                (b'\\', Some(b'u')) => 6,
                (b'\\', _) => 2,
                (0..0xC0, _) => 1,
                (0xC0..0xE0, _) => 2,
                (0xE0..0xF0, _) => 3,
                _ => 4,
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(value: &serde_json::Value) -> serde_json::Value {
        let json = serde_json::to_vec(value).expect("is JSON");
        serde_json::from_slice(&cut_texts(json)).expect("still is")
    }

    #[test]
    fn short_texts_stay_and_long_ones_say_that_they_were_longer() {
        for part in ["a", "é", "€", "😀", "\"", "\\", "\n", "\u{1}", "\\u"] {
            let chars = part.chars().count();
            let most = part.repeat(CHARS_MAX / chars);
            let object = |name: &str| serde_json::json!({ "name": name, "list": ["", most, 7] });
            assert_eq!(cut(&object(&most)), object(&most), "{part:?}");
            let longer = part.repeat(CHARS_MAX / chars + 1);
            let expected = format!("{most}… (of {} characters)", CHARS_MAX + chars);
            assert_eq!(cut(&object(&longer)), object(&expected), "{part:?}");
        }
    }

    #[test]
    fn what_has_no_texts_stays() {
        for json in ["", "7", "[]", "\"\"", "{\"a\":\"\"}"] {
            assert_eq!(cut_texts(json.into()), json.as_bytes());
        }
    }
}
