//! An event as Go's reader tells it.

/// A line of the oracle: time, kind, fields.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) time: i64,
    pub(crate) kind: &'a str,
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Line<'a> {
    /// `None` for what is no event.
    pub(crate) fn parse(line: &'a str) -> Option<Self> {
        let mut words = words(line);
        let time = words.next()?.parse().ok()?;
        let kind = words.next()?;
        let fields = words
            .map(|word| word.split_once('='))
            .collect::<Option<_>>()?;
        Some(Self { time, kind, fields })
    }

    /// The value of a field, with its quotes.
    pub(crate) fn field(&self, key: &str) -> Option<&'a str> {
        let field = self.fields.iter().find(|(name, _)| *name == key);
        field.map(|(_, value)| *value)
    }

    /// A field that is a number.
    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        self.field(key)?.parse().ok()
    }

    /// A field that may have quotes, without them.
    pub(crate) fn name(&self, key: &str) -> &'a str {
        self.field(key).unwrap_or_default().trim_matches('"')
    }
}

/// The parts of a line between spaces that are not in quotes. A quote inside of quotes is written as its code.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |character| {
        is_quoted ^= character == '"';
        character == ' ' && !is_quoted
    })
}

/// What stands between quotes, with codes turned back into bytes.
pub(crate) fn unquoted(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.trim_matches('"');
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let code = rest.get(at + 2..at + 4).unwrap_or_default();
        bytes.push(u8::from_str_radix(code, 16).unwrap_or(b'?'));
        rest = rest.get(at + 4..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_in_quotes_do_not_separate() {
        let line = Line::parse(r#"12 UserLog g=1 key="a b" message="c\x22 d""#).expect("an event");
        assert_eq!((line.time, line.kind), (12, "UserLog"));
        assert_eq!((line.number("g"), line.name("key")), (Some(1), "a b"));
        assert_eq!(unquoted(line.field("message").expect("is there")), "c\" d");
        assert_eq!(line.number("key"), None);
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["", "end", "error \"trace is empty\"", "stack 12 3"] {
            assert_eq!(Line::parse(line), None, "{line}");
        }
    }
}
