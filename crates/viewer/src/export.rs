//! A trace as one page that needs no server: what the page would ask for is answered beforehand, by the routes of the server, and
//! stands in it.

mod archive;
mod asking;
mod differences;
mod exporting;
mod intervals;
mod pages;
mod question;
mod sheets;
mod span;
mod stacks;

use std::sync::Arc;
use std::time::SystemTime;
use std::{fmt, io};

use self::archive::Archive;
use self::asking::Asking;
use self::exporting::Exporting;
use self::span::Span;
use crate::page;
use crate::reading;
use crate::status::State;
use crate::subject::Subject;
use exectrace_json::{Axis, Moment, NoClock};
use exectrace_reader::Timestamp;

/// How a page is to be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExportOptions {
    /// The stretch of time that is shown in full detail before the rest is; the whole trace if nothing is said.
    pub from: Option<Moment>,
    /// Where it ends.
    pub to: Option<Moment>,
    /// How long the page may become: what does not fit is told in less detail.
    pub bytes_max: usize,
}

impl Default for ExportOptions {
    /// The whole trace, in 20 MB: such a page can be sent by mail, and a browser opens it in a moment.
    fn default() -> Self {
        Self {
            from: None,
            to: None,
            bytes_max: 20_000_000,
        }
    }
}

/// The reports that pages begin with, but for what changed between two traces.
pub(crate) fn begun_with() -> Vec<crate::reports::Question> {
    let questions = pages::begun_with();
    questions.filter_map(|question| question.report()).collect()
}

/// A trace as one page.
#[derive(Debug)]
pub struct Export {
    html: String,
    trust: Vec<String>,
}

/// Why there is no page of a trace.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// Nothing of the trace can be read.
    Unreadable {
        /// Why not.
        fault: String,
    },
    /// A time of day is asked for, and the trace does not say what the clock showed.
    NoClock(NoClock),
    /// The trace has nothing in the window.
    NoSuchWindow {
        /// When the trace ends, in nanoseconds since its first event.
        end_ns: u64,
    },
    /// The system does not do what it must.
    System(io::Error),
}

impl Export {
    /// Reads a trace, and makes a page of it.
    ///
    /// # Errors
    ///
    /// When nothing of the trace can be read, or there is no such window.
    pub fn of(subject: Subject, options: &ExportOptions) -> Result<Self, ExportError> {
        reading::read(&subject);
        let status = subject.status();
        if status.state == State::Failed || status.events == 0 {
            let fault = status.fault.or_else(|| status.trust.first().cloned());
            return Err(ExportError::Unreadable {
                fault: fault.unwrap_or_default(),
            });
        }
        let window = window(&subject, options)?;
        let subject = Arc::new(subject);
        let asking = Asking::new(Arc::clone(&subject))?;
        let answers = Exporting {
            subject: &subject,
            asking: &asking,
            window,
            archive: Archive::new(options.bytes_max.saturating_sub(page::standalone("").len())),
            made_at_ms: now_ms(),
        };
        Ok(Self {
            html: page::standalone(&answers.take()?),
            trust: status.trust,
        })
    }

    /// The page, as a file has it.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// What was lost, put right or inferred when the trace was read, a line each.
    #[must_use]
    pub fn trust(&self) -> &[String] {
        &self.trust
    }
}

/// The window that is asked for; `None` for the whole trace.
fn window(subject: &Subject, options: &ExportOptions) -> Result<Option<Span>, ExportError> {
    if options.from.is_none() && options.to.is_none() {
        return Ok(None);
    }
    let first = Timestamp(subject.status().first_event_ns);
    let axis = Axis {
        first,
        file: Some(subject.bytes.as_slice()),
    };
    let end_ns = subject.timeline().end_ns;
    let since_first = |moment: Moment| {
        let time = axis.time(moment).map_err(ExportError::NoClock)?;
        Ok::<u64, ExportError>(u64::try_from(time.0.saturating_sub(first.0)).unwrap_or(0))
    };
    let span = Span {
        from_ns: options.from.map(since_first).transpose()?.unwrap_or(0),
        to_ns: options
            .to
            .map(since_first)
            .transpose()?
            .unwrap_or(end_ns)
            .min(end_ns),
    };
    if span.from_ns >= span.to_ns {
        return Err(ExportError::NoSuchWindow { end_ns });
    }
    Ok(Some(span))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { fault } => f.write_str(fault),
            Self::NoClock(error) => error.fmt(f),
            Self::NoSuchWindow { end_ns } => write!(
                f,
                "there is nothing in that window: the trace is {:.6} s long",
                *end_ns as f64 / 1e9
            ),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}
