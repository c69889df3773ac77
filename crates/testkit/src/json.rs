//! Whether bytes are JSON: what a page's script parses must parse.

/// How deep arrays and objects may nest; Go's tools nest four deep.
const DEPTH_LIMIT: usize = 64;

/// The offset from which on `bytes` are not one JSON value, if they are not.
pub(crate) fn first_fault(bytes: &[u8]) -> Option<usize> {
    let mut scanner = Scanner { bytes, at: 0 };
    let whole = scanner.value(0).is_some() && scanner.peek().is_none();
    (!whole).then_some(scanner.at)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// `None` where the grammar is broken, at `self.at`.
impl Scanner<'_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            _ if depth > DEPTH_LIMIT => None,
            b'{' => self.list(b'}', |scanner| {
                scanner.peek();
                scanner.string()?;
                (scanner.peek()? == b':').then(|| scanner.at += 1)?;
                scanner.value(depth + 1)
            }),
            b'[' => self.list(b']', |scanner| scanner.value(depth + 1)),
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => None,
        }
    }

    /// The opening bracket, items separated by commas, and `close`.
    fn list(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            let separator = self.peek()?;
            if separator != b',' && separator != close {
                return None;
            }
            self.at += 1;
            if separator == close {
                return Some(());
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        (self.bytes.get(self.at) == Some(&b'"')).then(|| self.at += 1)?;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => match self.bytes.get(self.at + 1)? {
                    b'u' => {
                        let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        self.at += 6;
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
                    _ => return None,
                },
                0..=0x1f => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        self.skip(b"-");
        let leading_zero = self.bytes.get(self.at) == Some(&b'0');
        let whole = self.digits()?;
        (!leading_zero || whole == 1).then_some(())?;
        if self.skip(b".") {
            self.digits()?;
        }
        if self.skip(b"eE") {
            self.skip(b"+-");
            self.digits()?;
        }
        Some(())
    }

    /// Skips one byte if it is one of `any`.
    fn skip(&mut self, any: &[u8]) -> bool {
        let found = self
            .bytes
            .get(self.at)
            .is_some_and(|byte| any.contains(byte));
        self.at += usize::from(found);
        found
    }

    /// One or more digits; how many.
    fn digits(&mut self) -> Option<usize> {
        let begin = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > begin).then_some(self.at - begin)
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_accepted() {
        for text in [
            "{}",
            " [ ] ",
            r#"{"traceEvents":[{"name":"a\"\u00e9\n","ts":-1.5e+3,"args":{"x":[0,10,null,true,false]}}]}"#,
            "0.5\n",
        ] {
            assert_eq!(first_fault(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_fault_is_where_the_grammar_breaks() {
        for (text, fault) in [
            ("", 0),
            ("{\"a\":1", 6),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("[1] x", 4),
            ("[1}", 2),
            ("\"\u{1}\"", 1),
            ("\"\\x\"", 1),
            ("01", 2),
            ("-", 1),
            ("1.", 2),
            ("nul", 0),
            ("[NaN]", 1),
        ] {
            assert_eq!(first_fault(text.as_bytes()), Some(fault), "{text}");
        }
    }

    #[test]
    fn nesting_without_end_is_a_fault() {
        assert!(first_fault(&[b'['; 100_000]).is_some());
    }
}
