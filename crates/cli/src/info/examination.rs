//! A trace with all that is known of it.

use exectrace_json::{Examined, InfoLine, dropped_line};
use exectrace_reader::{Mode, Survey, Verdict};

use crate::advice;
use crate::input::Input;
use crate::outcome::Outcome;
use crate::progress::Progress;

/// A trace with all that is known of it.
pub(super) struct Examination<'a> {
    pub(super) input: Input<'a>,
    pub(super) survey: Survey,
    /// That of the survey, unless a file could not be unpacked to its end.
    pub(super) verdict: Verdict,
    pub(super) mode: Mode,
}

impl<'a> Examination<'a> {
    /// Reads a trace to its end; a strict one as Go's own readers do.
    pub(super) fn of(input: Input<'a>, mode: Mode) -> Self {
        let is_strict = mode == Mode::Strict;
        let mut progress = Progress::new(input.bytes().len() as u64);
        let mut survey = Survey::watched(input.bytes(), mode, |bytes| progress.show(bytes));
        drop(progress);
        if is_strict {
            survey = survey.as_in_go();
        }
        let verdict = match input.fault {
            None => survey.verdict,
            Some(_) if is_strict => Verdict::Refused,
            Some(_) => survey.verdict.max(Verdict::Partial),
        };
        Self {
            input,
            survey,
            verdict,
            mode,
        }
    }

    /// Why it is not accepted, and what to do about it.
    pub(super) fn reason(&self) -> Option<String> {
        if let Some(fault) = self.input.fault {
            return Some(format!("{fault}; {}", advice::on_packing(fault)));
        }
        if let Some(fault) = self.survey.fault {
            return Some(format!("{fault}; {}", advice::on_fault(&fault)));
        }
        let loss = &self.survey.loss;
        match loss.dropped {
            _ if self.mode == Mode::Strict => None,
            Some(dropped) => Some(format!(
                "the recorder dropped {}; give it more memory",
                dropped_line(dropped)
            )),
            None => loss
                .lacks_end
                .then(|| format!("lost is {}", advice::NOT_STOPPED)),
        }
    }

    /// The same for programs.
    pub(super) fn line(&self) -> InfoLine<'_> {
        InfoLine::of(Examined {
            file: &self.input.name,
            survey: &self.survey,
            mode: self.mode,
            size_bytes: self.input.bytes().len(),
            packing: self.input.packing,
            verdict: self.verdict,
            reason: self.reason(),
        })
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.verdict {
            _ if self.input.fault.is_none() && self.survey.is_empty() => Outcome::Partial,
            Verdict::Accepted => Outcome::Whole,
            Verdict::Partial => Outcome::Partial,
            Verdict::Refused => Outcome::Unreadable,
        }
    }
}
