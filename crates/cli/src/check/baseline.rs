//! An older trace, and how a newer one does against it.

use std::path::Path;

use exectrace_analysis::{Comparison, Difference, Measures, MeasuresReport, SharedFilter};

use super::Arguments;
use crate::diff;
use crate::error::CommandError;
use crate::outcome::Outcome;
use crate::reading;

/// An older trace.
pub(super) struct Baseline {
    file: String,
    /// `None` if nothing of it could be read.
    measures: Option<MeasuresReport>,
    /// How much of it was read.
    pub(super) outcome: Outcome,
}

/// How a trace does against an older one.
pub(super) struct Against<'a> {
    pub(super) file: &'a str,
    /// How many quantities could be judged.
    pub(super) judged: usize,
    /// What got worse.
    pub(super) worse: Vec<Difference>,
}

impl Baseline {
    pub(super) fn read(
        path: &Path,
        filter: &SharedFilter,
        arguments: &Arguments,
    ) -> Result<Self, CommandError> {
        let (input, window) = (&arguments.reading.input, &arguments.reading.window);
        let lone = reading::read_lone(path, input, window, Measures::of(filter))?;
        Ok(Self {
            file: lone.file,
            measures: lone.reading.map(|reading| reading.report),
            outcome: lone.outcome.allow_partial(input.allow_partial),
        })
    }

    /// How a trace does against it.
    pub(super) fn against(&self, new: &MeasuresReport, arguments: &Arguments) -> Against<'_> {
        let threshold = arguments.threshold.threshold();
        let old = self.measures.as_ref();
        let comparison = old.map(|old| Comparison::of(old, new, threshold));
        let worse = comparison.iter().flat_map(Comparison::worse);
        Against {
            file: &self.file,
            judged: comparison.as_ref().map_or(0, Comparison::judged),
            worse: worse.cloned().collect(),
        }
    }
}

impl Against<'_> {
    /// Nothing got worse. What measures nothing checks nothing.
    pub(super) fn is_met(&self) -> bool {
        self.judged > 0 && self.worse.is_empty()
    }

    /// How it did, in a few words.
    pub(super) fn line(&self) -> String {
        match (self.judged, self.worse.len()) {
            (0, _) => String::from("nothing is often enough in both traces to be compared"),
            (judged, 0) => format!("{judged} compared, none got worse"),
            (judged, worse) => format!("{judged} compared, {worse} got worse"),
        }
    }

    /// What got worse, a line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.worse.iter().map(diff::line)
    }
}
