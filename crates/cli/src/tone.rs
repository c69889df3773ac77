//! Colour, where somebody sees it: on a terminal, unless they wish otherwise.
//!
//! `NO_COLOR` with any text takes it away (<https://no-color.org>), and so does a terminal that says it is `dumb`;
//! `CLICOLOR_FORCE` other than 0 wants it also where there is no terminal, as in `exectrace summary … | less -R`.

use std::env;
use std::io::{self, IsTerminal};

use anstyle::{AnsiColor, Style};

/// What a word says to whoever skims the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Doubtful,
    Bad,
}

impl Tone {
    /// A word in its colour, or as it is.
    pub(crate) fn of(self, word: &str) -> String {
        if !is_wanted(|name| env::var(name).ok(), io::stdout().is_terminal()) {
            return word.to_owned();
        }
        let style = self.style();
        format!("{style}{word}{style:#}")
    }

    fn style(self) -> Style {
        let colour = match self {
            Self::Good => AnsiColor::Green,
            Self::Doubtful => AnsiColor::Yellow,
            Self::Bad => AnsiColor::Red,
        };
        colour.on_default().bold()
    }
}

fn is_wanted(variable: impl Fn(&str) -> Option<String>, is_terminal: bool) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|text| !text.is_empty());
    if is_set("NO_COLOR") {
        return false;
    }
    let is_forced = is_set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE").as_deref() != Some("0");
    let is_dumb = variable("TERM").as_deref() == Some("dumb");
    is_forced || is_terminal && !is_dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], is_terminal: bool, expect: bool) {
        let variable = |asked: &str| {
            let known = variables.iter().find(|(name, _)| *name == asked);
            known.map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(is_wanted(variable, is_terminal), expect, "{variables:?}");
    }

    #[test]
    fn colour_is_for_terminals_unless_it_is_unwanted() {
        check(&[], true, true);
        check(&[], false, false);
        check(&[("NO_COLOR", "1")], true, false);
        check(&[("NO_COLOR", "")], true, true);
        check(&[("TERM", "dumb")], true, false);
        check(&[("TERM", "xterm")], false, false);
        check(&[("CLICOLOR_FORCE", "1")], false, true);
        check(&[("CLICOLOR_FORCE", "0")], false, false);
        check(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false);
    }
}
