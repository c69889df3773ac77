//! A line of the text form, cut into its fields; and fields as they are printed.

use std::fmt;

use super::{Quoted, TextError, TextFault};
use crate::frames::{Frame, Frames};
use crate::spec::{ArgKind, ArgSpec};
use crate::varint;

/// A line with a record in it.
pub(super) struct Line<'a> {
    number: usize,
    /// The name of the type.
    pub(super) name: &'a str,
    fields: Vec<(&'a str, Value<'a>)>,
}

enum Value<'a> {
    Word(&'a str),
    Text(Vec<u8>),
}

/// The lines of a text after its header that have a record in them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Result<Line<'_>, TextError>> {
    text.lines().enumerate().skip(1).filter_map(|(i, text)| {
        let line = i + 1;
        cut(line, text)
            .map_err(|fault| TextError { line, fault })
            .transpose()
    })
}

/// Cuts a line; `None` for one without a record.
fn cut(number: usize, text: &str) -> Result<Option<Line<'_>>, TextFault> {
    let (name, mut rest) = word(text);
    if name.is_empty() {
        return Ok(None);
    }
    let mut fields = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            return Ok(Some(Line {
                number,
                name,
                fields,
            }));
        }
        let (key, after) = rest.split_once('=').ok_or(TextFault::NoField)?;
        if key.contains(char::is_whitespace) {
            return Err(TextFault::NoField);
        }
        let value;
        (value, rest) = if let Some(quoted) = after.strip_prefix('"') {
            let (text, rest) = unquote(quoted).ok_or(TextFault::BadText)?;
            (Value::Text(text), rest)
        } else {
            let (text, rest) = word(after);
            (Value::Word(text), rest)
        };
        fields.push((key, value));
    }
}

/// The first word, up to a blank or a comment.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find([' ', '\t', '#']).unwrap_or(text.len()))
}

/// The bytes of a text after its opening quote, and what follows its closing one.
fn unquote(text: &str) -> Option<(Vec<u8>, &str)> {
    let mut bytes = Vec::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some((bytes, chars.as_str())),
            '\\' => bytes.push(match chars.next()? {
                'n' => b'\n',
                'r' => b'\r',
                't' => b'\t',
                'x' => {
                    let digits = chars.as_str().get(..2)?;
                    chars = chars.as_str()[2..].chars();
                    u8::from_str_radix(digits, 16).ok()?
                }
                same @ ('"' | '\\') => same as u8,
                _ => return None,
            }),
            char => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

fn parse_number(word: &str) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    word.parse()
        .ok()
        .or_else(|| word.parse::<i64>().ok().map(|number| number as u64))
}

impl Line<'_> {
    pub(super) fn error(&self, fault: TextFault) -> TextError {
        TextError {
            line: self.number,
            fault,
        }
    }

    /// Takes a number out of the fields; 0 if it is not there.
    pub(super) fn take_number(&mut self, key: &str) -> Result<u64, TextError> {
        match self.take(key) {
            None => Ok(0),
            Some(Value::Word(word)) => {
                parse_number(word).ok_or_else(|| self.error(TextFault::BadNumber))
            }
            Some(Value::Text(_)) => Err(self.error(TextFault::BadNumber)),
        }
    }

    /// Takes a text out of the fields; an empty one if it is not there.
    pub(super) fn take_text(&mut self, key: &str) -> Result<Vec<u8>, TextError> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Text(text)) => Ok(text),
            Some(Value::Word(_)) => Err(self.error(TextFault::BadText)),
        }
    }

    /// Takes all frames, of so many numbers each, as bytes.
    pub(super) fn take_frames(&mut self, numbers: usize) -> Result<Vec<u8>, TextError> {
        let mut bytes = Vec::new();
        while let Some(value) = self.take("frame") {
            let Value::Word(word) = value else {
                return Err(self.error(TextFault::BadNumber));
            };
            let frame: Option<Vec<u64>> = word.split(',').map(parse_number).collect();
            let frame = frame.filter(|frame| frame.len() == numbers);
            for number in frame.ok_or_else(|| self.error(TextFault::BadNumber))? {
                varint::push(&mut bytes, number);
            }
        }
        Ok(bytes)
    }

    /// Ends the line: nothing may be left.
    pub(super) fn finish(self) -> Result<(), TextError> {
        if self.fields.is_empty() {
            Ok(())
        } else {
            Err(self.error(TextFault::UnknownField))
        }
    }

    fn take(&mut self, key: &str) -> Option<Value<'_>> {
        let at = self.fields.iter().position(|(name, _)| *name == key)?;
        Some(self.fields.remove(at).1)
    }
}

/// Prints an argument.
pub(super) fn write_arg(f: &mut fmt::Formatter<'_>, arg: &ArgSpec, value: u64) -> fmt::Result {
    match arg.kind {
        ArgKind::WorkerId => write!(f, " {}={}", arg.name, value as i64),
        ArgKind::ThreadId if value == u64::MAX => write!(f, " {}=-1", arg.name),
        _ => write!(f, " {}={value}", arg.name),
    }
}

/// Prints a text in quotes.
pub(super) fn write_text(f: &mut fmt::Formatter<'_>, key: &str, text: &[u8]) -> fmt::Result {
    write!(f, " {key}={}", Quoted(text))
}

/// Prints frames of so many numbers each.
pub(super) fn write_frames(
    f: &mut fmt::Formatter<'_>,
    frames: Frames<'_>,
    numbers: usize,
) -> fmt::Result {
    for Frame {
        pc,
        function,
        file,
        line,
    } in frames
    {
        write!(f, " frame={pc:#x}")?;
        if numbers > 1 {
            write!(f, ",{},{},{line}", function.0, file.0)?;
        }
    }
    Ok(())
}
