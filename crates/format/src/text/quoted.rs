//! Text in quotes, whatever its bytes.

use std::fmt;

/// Any bytes as text in quotes on one line, as the text form has it.
///
/// # Examples
///
/// ```
/// use exectrace_format::text::Quoted;
/// assert_eq!(Quoted(b"a \"b\"\n\xff").to_string(), r#""a \"b\"\n\xff""#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(
    /// The bytes.
    pub &'a [u8],
);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for chunk in self.0.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(at) = rest.find(is_escaped) {
                let (plain, escaped) = rest.split_at(at);
                f.write_str(plain)?;
                let mut chars = escaped.chars();
                if let Some(char) = chars.next() {
                    escape(f, char)?;
                }
                rest = chars.as_str();
            }
            f.write_str(rest)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}

fn is_escaped(char: char) -> bool {
    matches!(char, '"' | '\\') || char.is_control()
}

fn escape(f: &mut fmt::Formatter<'_>, char: char) -> fmt::Result {
    match char {
        '"' => f.write_str("\\\""),
        '\\' => f.write_str("\\\\"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        other => {
            let mut bytes = [0; 4];
            for byte in other.encode_utf8(&mut bytes).bytes() {
                write!(f, "\\x{byte:02x}")?;
            }
            Ok(())
        }
    }
}
