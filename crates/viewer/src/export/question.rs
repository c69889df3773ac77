//! What the page asks for, as it stands in an exported page.

use std::collections::BTreeMap;
use std::fmt;

/// A question: what is asked for, and the options, by name. As text it is the address below `api/`, and the same for the same
/// question whoever writes it down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    path: String,
    options: BTreeMap<&'static str, String>,
}

impl Question {
    pub(super) fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            options: BTreeMap::new(),
        }
    }

    /// The same with an option.
    pub(super) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.options.insert(name, value.to_string());
        self
    }

    /// Which report is asked for, and the options; `None` if it is none.
    pub(super) fn report(&self) -> Option<(String, BTreeMap<String, String>)> {
        let name = self.path.strip_prefix("report/")?;
        let options = self.options.iter();
        let options = options.map(|(name, value)| ((*name).to_owned(), value.clone()));
        Some((name.to_owned(), options.collect()))
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        for (place, (name, value)) in self.options.iter().enumerate() {
            f.write_str(if place == 0 { "?" } else { "&" })?;
            write!(f, "{name}=")?;
            escape(f, value)?;
        }
        Ok(())
    }
}

/// Writes what JavaScript's `encodeURIComponent` does: the page looks its questions up by this text.
fn escape(f: &mut fmt::Formatter<'_>, value: &str) -> fmt::Result {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            write!(f, "{}", char::from(byte))?;
        } else {
            write!(f, "%{byte:02X}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_in_the_order_of_their_names_and_are_escaped() {
        let question = Question::new("report/latency")
            .with("name", "a b&c=<ü>")
            .with("most", 5);
        assert_eq!(
            question.to_string(),
            "report/latency?most=5&name=a%20b%26c%3D%3C%C3%BC%3E"
        );
        assert_eq!(Question::new("trace").to_string(), "trace");
    }
}
