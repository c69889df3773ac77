//! How commands take a trace through an analysis.

use exectrace_analysis::{Analysis, Pass, Window};
use exectrace_reader::{Reader, Timestamp};

use crate::ended::Ended;
use crate::input::{Input, InputArguments};
use crate::progress::Progress;
use crate::window::WindowArguments;

/// What came of an analysis of a trace.
pub(crate) struct Reading<R> {
    pub(crate) report: R,
    /// The time of the first event.
    pub(crate) first: Timestamp,
    /// In whose words to tell it: Go's for traces of Go.
    pub(crate) is_of_go: bool,
}

/// Reads a trace. Nothing comes of one that has no events.
pub(crate) fn read<A: Analysis>(
    input: &Input<'_>,
    arguments: &InputArguments,
    window: &WindowArguments,
    analysis: A,
) -> (Option<Reading<A::Report>>, Ended) {
    read_in(input, arguments, |first| window.of(first), analysis)
}

/// Reads a trace, and looks at a window that may depend on the time of the first event.
pub(crate) fn read_in<A: Analysis>(
    input: &Input<'_>,
    arguments: &InputArguments,
    window: impl Fn(Timestamp) -> Window,
    analysis: A,
) -> (Option<Reading<A::Report>>, Ended) {
    let mut ended = Ended::default();
    let mut reader = match Reader::open(input.bytes(), arguments.mode()) {
        Ok(reader) => reader,
        Err(fault) => {
            ended.fault = Some(fault);
            return (None, ended);
        }
    };
    let mut progress = Progress::new(input.bytes().len() as u64);
    let mut first = None;
    let (mut analysis, mut pass) = (Some(analysis), None);
    while let Some(event) = reader.next() {
        let event = match event {
            Ok(event) => event,
            Err(fault) => {
                ended.fault = Some(fault);
                break;
            }
        };
        ended.add(&event, &reader);
        progress.show(event.offset);
        let first = *first.get_or_insert(event.time);
        if let Some(analysis) = analysis.take() {
            pass = Some(Pass::new(window(first), analysis));
        }
        if let Some(pass) = &mut pass {
            pass.event(&event, reader.tables());
        }
    }
    drop(progress);
    let first = first.unwrap_or_default();
    ended.end(&reader, first);
    let pass = pass.filter(|_| ended.has_events);
    let reading = pass.map(|pass| Reading {
        report: pass.report(reader.tables()),
        first,
        is_of_go: ended.description.writer().is_none(),
    });
    (reading, ended)
}
