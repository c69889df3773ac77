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
            for char in chunk.valid().chars() {
                match char {
                    '"' => f.write_str("\\\"")?,
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\t' => f.write_str("\\t")?,
                    char if char.is_control() => {
                        let mut bytes = [0; 4];
                        char.encode_utf8(&mut bytes);
                        for byte in &bytes[..char.len_utf8()] {
                            write!(f, "\\x{byte:02x}")?;
                        }
                    }
                    char => write!(f, "{char}")?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_str("\"")
    }
}
