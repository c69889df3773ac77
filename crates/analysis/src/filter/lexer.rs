//! Filters as words, values and signs.

use super::FilterError;
use super::comparison::Operator;
use super::constant::Constant;
use crate::Id;

/// A part of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// A field, `contains`, `true` or `false`.
    Word(&'t str),
    Constant(Constant),
    Operator(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
    End,
}

/// Signs, the longer ones before those that they begin with.
const SIGNS: [(&str, Token<'static>); 11] = [
    ("&&", Token::And),
    ("||", Token::Or),
    ("==", Token::Operator(Operator::Equal)),
    ("!=", Token::Operator(Operator::NotEqual)),
    ("<=", Token::Operator(Operator::LessOrEqual)),
    (">=", Token::Operator(Operator::GreaterOrEqual)),
    ("<", Token::Operator(Operator::Less)),
    (">", Token::Operator(Operator::Greater)),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

/// Units of time, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    // The micro sign, and the Greek letter that looks like it.
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
];

/// Reads a filter part by part.
pub(super) struct Lexer<'t> {
    text: &'t str,
    /// The byte that is next.
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The next part, and its column.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'t>), FilterError> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        let column = self.column();
        let rest = self.rest();
        let Some(character) = rest.chars().next() else {
            return Ok((column, Token::End));
        };
        for (sign, token) in &SIGNS {
            if rest.starts_with(sign) {
                self.at += sign.len();
                return Ok((column, token.clone()));
            }
        }
        let token = match character {
            '"' => Token::Constant(self.text_constant(column)?),
            '0'..='9' => Token::Constant(self.number()?),
            'a'..='z' | 'A'..='Z' | '_' => self.word()?,
            _ => return Err(FilterError::Character { column, character }),
        };
        Ok((column, token))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The column of what is next.
    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// All characters of a kind that come next.
    fn take_while(&mut self, is_taken: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|it| !is_taken(it)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn digits(&mut self) -> &'t str {
        self.take_while(|it| it.is_ascii_digit())
    }

    /// A word, or an id.
    fn word(&mut self) -> Result<Token<'t>, FilterError> {
        let word = self.take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '.'));
        let Some(after) = self.rest().strip_prefix(':') else {
            return Ok(Token::Word(word));
        };
        let is_id = after.starts_with(|it: char| it.is_ascii_digit()) && Id::of(word, 0).is_some();
        if !is_id {
            let (column, character) = (self.column(), ':');
            return Err(FilterError::Character { column, character });
        }
        self.at += 1;
        let column = self.column();
        let number = self.digits().parse().ok();
        let id = number.and_then(|number| Id::of(word, number));
        let id = id.ok_or(FilterError::Number { column })?;
        Ok(Token::Constant(Constant::Id(id)))
    }

    /// A number, a duration or a share.
    fn number(&mut self) -> Result<Constant, FilterError> {
        let column = self.column();
        let too_large = FilterError::Number { column };
        let mut sum_ns: Option<i64> = None;
        while self.rest().starts_with(|it: char| it.is_ascii_digit()) {
            let whole = self.digits();
            let decimals = match self.rest().strip_prefix('.') {
                Some(_) => {
                    self.at += 1;
                    Some(self.digits())
                }
                None => None,
            };
            let column = self.column();
            if sum_ns.is_none() && self.rest().starts_with('%') {
                self.at += 1;
                return share(whole, decimals.unwrap_or_default()).ok_or(too_large);
            }
            let unit = self.take_while(char::is_alphabetic);
            if unit.is_empty() && decimals.is_none() && sum_ns.is_none() {
                return whole.parse().map(Constant::Number).map_err(|_| too_large);
            }
            let unit = UNITS.iter().find(|(name, _)| *name == unit);
            let &(_, unit_ns) = unit.ok_or(FilterError::Unit { column })?;
            let ns = duration_ns(whole, decimals.unwrap_or_default(), unit_ns);
            let sum = ns.and_then(|ns| sum_ns.unwrap_or(0).checked_add(ns));
            sum_ns = Some(sum.ok_or(too_large)?);
        }
        sum_ns.map(Constant::Ns).ok_or(too_large)
    }

    /// A text in quotes, which begins here.
    fn text_constant(&mut self, begin: usize) -> Result<Constant, FilterError> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            text.extend_from_slice(self.take_while(|it| !matches!(it, '"' | '\\')).as_bytes());
            let column = self.column();
            let mut next = self.rest().bytes();
            match next.next() {
                None => return Err(FilterError::OpenText { column: begin }),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Constant::Text(text));
                }
                Some(_) => {}
            }
            let escaped = match next.next() {
                Some(byte @ (b'"' | b'\\')) => byte,
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'x') => {
                    let byte = byte_of_digits(&self.rest().as_bytes()[2..]);
                    self.at += 2;
                    byte.ok_or(FilterError::Escape { column })?
                }
                _ => return Err(FilterError::Escape { column }),
            };
            self.at += 2;
            text.push(escaped);
        }
    }
}

/// What two hexadecimal digits say.
fn byte_of_digits(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..2)?;
    let is_hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|_| is_hexadecimal)?;
    u8::from_str_radix(digits, 16).ok()
}

/// A number of hundredths as a part of 1.
fn share(whole: &str, decimals: &str) -> Option<Constant> {
    let hundredths: f64 = format!("{whole}.{decimals}").parse().ok()?;
    let share = hundredths / 100.0;
    share.is_finite().then_some(Constant::Share(share))
}

/// A number of units in nanoseconds, if there is a whole number of them that is not too large.
fn duration_ns(whole: &str, decimals: &str, unit_ns: u64) -> Option<i64> {
    let decimals = decimals.trim_end_matches('0');
    let digits = u32::try_from(decimals.len()).ok()?;
    let scale = 10_u64.checked_pow(digits)?;
    let part: u64 = if decimals.is_empty() {
        0
    } else {
        decimals.parse().ok()?
    };
    let (unit_ns, scale) = (u128::from(unit_ns), u128::from(scale));
    let part = u128::from(part) * unit_ns;
    let whole = u128::from(whole.parse::<u64>().ok()?) * unit_ns;
    let ns = whole.checked_add(part / scale)?;
    i64::try_from(ns).ok().filter(|_| part % scale == 0)
}
