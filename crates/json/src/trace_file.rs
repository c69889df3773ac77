//! A trace that reports can be had of.

use std::num::NonZero;
use std::thread;

use exectrace_analysis::{Analysis, Pass, Passed, Window};
use exectrace_reader::{Description, Kind, Mode, Reader, Timestamp};

use crate::asked::Asked;
use crate::plan::{Plan, Plans, Told};
use crate::{About, Axis, Distrust, NoClock, ReportError};

/// A trace that reports can be had of.
#[derive(Clone, Copy, Debug)]
pub struct TraceFile<'a> {
    /// What it is called, as in [`About::file`].
    pub name: &'a str,
    /// The same as arguments of a command, for a shell.
    pub arguments: &'a str,
    /// The trace, unpacked.
    pub bytes: &'a [u8],
    /// How readers take what is wrong with it.
    pub mode: Mode,
    /// Why not all of it could be unpacked, if it was packed.
    pub fault: Option<&'a str>,
    /// The one that it is compared with, if there is one.
    pub older: Option<&'a TraceFile<'a>>,
}

/// What came of a pass over a trace.
pub(crate) struct Found<'a, R> {
    pub(crate) report: R,
    pub(crate) about: About<'a>,
    pub(crate) distrust: Distrust,
}

impl<'a> TraceFile<'a> {
    /// What objects say of the trace; `first` is the time of its first event.
    #[must_use]
    pub fn about(&self, first: Timestamp) -> About<'a> {
        About {
            file: self.name,
            arguments: self.arguments,
            first,
        }
    }

    /// Takes the trace, or what is asked for of it, through analyses, and tells what came of each.
    pub(crate) fn carry_out(&self, asked: &Asked<'_>, plans: Vec<Plan<'_>>) -> Vec<Told> {
        let count = plans.len();
        match self.read(asked, Plans(plans)) {
            Ok(Found {
                report,
                about,
                distrust,
            }) => report
                .into_iter()
                .map(|tell| tell(&about, &distrust))
                .collect(),
            Err(error) => vec![Err(error); count],
        }
    }

    /// Takes the trace, or what is asked for of it, through an analysis.
    pub(crate) fn read<A: Analysis>(
        &self,
        asked: &Asked<'_>,
        analysis: A,
    ) -> Result<Found<'a, A::Report>, ReportError> {
        self.read_in(|axis| Ok((asked.window(axis)?, analysis)))
    }

    /// The same where `prepare` says what is looked at, and by what, once it is known what times count from.
    pub(crate) fn read_in<A: Analysis>(
        &self,
        prepare: impl FnOnce(Axis<'_>) -> Result<(Window, A), NoClock>,
    ) -> Result<Found<'a, A::Report>, ReportError> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let reader = if processors > 1 {
                Reader::open_ahead(self.bytes, self.mode, scope)
            } else {
                Reader::open(self.bytes, self.mode)
            };
            self.take(reader.map_err(ReportError::Unreadable)?, prepare)
        })
    }

    fn take<A: Analysis>(
        &self,
        mut reader: Reader<'_>,
        prepare: impl FnOnce(Axis<'_>) -> Result<(Window, A), NoClock>,
    ) -> Result<Found<'a, A::Report>, ReportError> {
        let mut description = Description::default();
        let file = Some(self.bytes);
        let prepare = |first| prepare(Axis { first, file });
        let passed = Pass::over(&mut reader, prepare, |event, reader| {
            if let Kind::UserLog { .. } = event.kind {
                description.add(event, reader.tables());
            }
        })?;
        let Passed {
            report,
            first,
            fault,
            ..
        } = passed;
        let mut loss = reader.loss().clone();
        description.add_to(&mut loss);
        let unpacking = self.fault.map(str::to_owned);
        let faults = [unpacking, fault.map(|fault| fault.to_string())];
        let faults = faults.into_iter().flatten();
        Ok(Found {
            report: report.ok_or(fault.map_or(ReportError::Empty, ReportError::Unreadable))?,
            about: self.about(first),
            distrust: Distrust::of(faults, &loss, reader.repairs(), first),
        })
    }
}
