//! A file with all that is known of it.

use exectrace_reader::{Source, Survey, Verdict};

use crate::advice;
use crate::outcome::Outcome;
use crate::progress::Progress;

/// A file with all that is known of it.
pub(super) struct Examination {
    /// What messages call it.
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) survey: Survey,
    /// That of the survey, unless the file could not be unpacked to its end.
    pub(super) verdict: Verdict,
}

impl Examination {
    /// Reads a file to its end; `is_strict` as Go's own readers do.
    pub(super) fn of(name: String, source: Source, is_strict: bool) -> Self {
        let mut progress = Progress::new(source.bytes().len() as u64);
        let mut survey = Survey::watched(source.bytes(), |bytes| progress.show(bytes));
        drop(progress);
        if is_strict {
            survey = survey.as_in_go();
        }
        let verdict = match source.fault() {
            None => survey.verdict,
            Some(_) if is_strict => Verdict::Refused,
            Some(_) => survey.verdict.max(Verdict::Partial),
        };
        Self {
            name,
            source,
            survey,
            verdict,
        }
    }

    /// Why it is not accepted, and what to do about it.
    pub(super) fn reason(&self) -> Option<String> {
        if let Some(fault) = self.source.fault() {
            return Some(format!("{fault}; {}", advice::on_packing(fault)));
        }
        let fault = self.survey.fault?;
        Some(format!("{fault}; {}", advice::on_fault(&fault)))
    }

    pub(super) fn outcome(&self) -> Outcome {
        match self.verdict {
            _ if self.source.fault().is_none() && self.survey.is_empty() => Outcome::Partial,
            Verdict::Accepted => Outcome::Whole,
            Verdict::Partial => Outcome::Partial,
            Verdict::Refused => Outcome::Unreadable,
        }
    }
}
