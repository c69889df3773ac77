//! What comes of all that a reader gives.

use exectrace_reader::{Error, Event, Kind, Reader, Timestamp};

use crate::{Analysis, Pass, Window};

/// What comes of all that a reader gives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed<R> {
    /// What the analysis found; `None` of a trace that has no events.
    pub report: Option<R>,
    /// The time of the first event.
    pub first: Timestamp,
    /// Why the reader stopped before the end.
    pub fault: Option<Error>,
}

impl<A: Analysis> Pass<A> {
    /// Takes all that a reader gives.
    ///
    /// What is looked at, and by what, `prepare` says once it is known when the trace begins; `watch` sees each event before the
    /// analysis does.
    ///
    /// # Errors
    ///
    /// That of `prepare`; then nothing is watched.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::convert::Infallible;
    ///
    /// use exectrace_analysis::{Pass, TaskTimes, Window};
    /// use exectrace_reader::Reader;
    ///
    /// # let file = exectrace_format::text::parse("\
    /// #     go 1.19 trace
    /// #     Batch worker=0 ticks=1000
    /// #     Frequency ticks_per_second=1000000000
    /// #     ProcStart dt=1 thread=7
    /// #     GoCreate dt=4 task=1
    /// #     GoStart dt=5 task=1 seq=1
    /// #     GoBlockRecv dt=20").unwrap();
    /// let mut reader = Reader::tolerant(&file)?;
    /// let prepare = |_| Ok::<_, Infallible>((Window::WHOLE, TaskTimes::default()));
    /// let Ok(passed) = Pass::over(&mut reader, prepare, |_, _| {});
    /// assert_eq!(passed.report.map(|report| report.tasks.len()), Some(1));
    /// # Ok::<(), exectrace_reader::Error>(())
    /// ```
    pub fn over<E>(
        reader: &mut Reader<'_>,
        prepare: impl FnOnce(Timestamp) -> Result<(Window, A), E>,
        mut watch: impl FnMut(&Event, &Reader<'_>),
    ) -> Result<Passed<A::Report>, E> {
        let mut passed = Passed {
            report: None,
            first: Timestamp::default(),
            fault: None,
        };
        let mut has_events = false;
        let mut take = |pass: &mut Self, event: &Event, reader: &Reader<'_>| {
            watch(event, reader);
            has_events |= event.kind != Kind::Sync;
            pass.event(event, reader.tables());
        };
        let mut pass = match reader.lend_next() {
            Ok(Some((event, reader))) => {
                passed.first = event.time;
                let (window, analysis) = prepare(event.time)?;
                let mut pass = Self::new(window, analysis);
                take(&mut pass, event, reader);
                pass
            }
            Ok(None) => return Ok(passed),
            Err(fault) => {
                passed.fault = Some(fault);
                return Ok(passed);
            }
        };
        passed.fault = loop {
            match reader.lend_next() {
                Ok(Some((event, reader))) => take(&mut pass, event, reader),
                Ok(None) => break None,
                Err(fault) => break Some(fault),
            }
        };
        passed.report = has_events.then(|| pass.report(reader.tables()));
        Ok(passed)
    }
}
