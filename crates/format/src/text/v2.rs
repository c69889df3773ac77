//! The text form of format v2.

use std::fmt;

use super::line::{Line, write_arg, write_frames, write_text};
use super::{TextError, TextFault};
use crate::go_v2::{Batch, EventType, Generation, Record};
use crate::ids::ThreadId;
use crate::limits::V2_ARGS_MAX;
use crate::version::Version;

/// A record as a line of text; made by [`Record::text`].
#[derive(Clone, Copy, Debug)]
pub struct V2RecordText<'a> {
    record: Record<'a>,
}

impl<'a> Record<'a> {
    /// The record as a line of text.
    ///
    /// ```
    /// use exectrace_format::go_v2::Events;
    /// let record = Events::new(&[16, 5, 3, 2], 0).next().unwrap()?;
    /// assert_eq!(record.text().to_string(), "GoStart dt=5 task=3 seq=2");
    /// # Ok::<(), exectrace_format::Error>(())
    /// ```
    #[must_use]
    pub fn text(&self) -> V2RecordText<'a> {
        V2RecordText { record: *self }
    }
}

impl fmt::Display for V2RecordText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = self.record;
        let spec = record.event_type.spec();
        f.write_str(spec.name)?;
        if spec.is_timed() {
            write!(f, " dt={}", record.delta)?;
        }
        for (arg, value) in spec.args.iter().zip(record.args) {
            write_arg(f, arg, value)?;
        }
        match record.event_type {
            EventType::String => write_text(f, "text", record.rest),
            EventType::Stack => write_frames(f, record.frames(), 4),
            EventType::ExperimentalBatch => write_text(f, "data", record.rest),
            _ => Ok(()),
        }
    }
}

/// A file in the making.
struct Builder {
    file: Vec<u8>,
    /// The head of the batch that is being filled, and its data.
    head: Option<Batch<'static>>,
    data: Vec<u8>,
}

/// Turns lines into a file.
pub(super) fn parse<'a>(
    version: Version,
    lines: impl Iterator<Item = Result<Line<'a>, TextError>>,
) -> Result<Vec<u8>, TextError> {
    let mut builder = Builder {
        file: version.header().to_vec(),
        head: None,
        data: Vec::new(),
    };
    for line in lines {
        builder.append(line?)?;
    }
    builder.close();
    Ok(builder.file)
}

impl Builder {
    /// Adds the record of a line.
    fn append(&mut self, mut line: Line<'_>) -> Result<(), TextError> {
        let event_type = EventType::from_name(line.name);
        let event_type = event_type.ok_or_else(|| line.error(TextFault::UnknownType))?;
        let spec = event_type.spec();
        let delta = if spec.is_timed() {
            line.take_number("dt")?
        } else {
            0
        };
        let mut args = [0; V2_ARGS_MAX];
        for (arg, spec) in args.iter_mut().zip(spec.args) {
            *arg = line.take_number(spec.name)?;
        }
        let rest = match event_type {
            EventType::String => line.take_text("text")?,
            EventType::Stack => line.take_frames(4)?,
            EventType::ExperimentalBatch => line.take_text("data")?,
            _ => Vec::new(),
        };
        match event_type {
            EventType::EventBatch => {
                let [generation, thread, time, ..] = args;
                self.open(None, [generation, thread, time]);
            }
            EventType::ExperimentalBatch => {
                let [experiment, generation, thread, time, _] = args;
                let experiment = u8::try_from(experiment);
                let experiment = experiment.map_err(|_| line.error(TextFault::BadNumber))?;
                self.open(Some(experiment), [generation, thread, time]);
                self.data = rest;
                self.close();
            }
            EventType::EndOfGeneration => {
                self.close();
                self.file.push(spec.number);
            }
            _ if self.head.is_none() => return Err(line.error(TextFault::OutsideBatch)),
            _ => {
                let record = Record {
                    offset: 0,
                    event_type,
                    delta,
                    args,
                    rest: &rest,
                };
                record.append(&mut self.data);
            }
        }
        line.finish()
    }

    /// Begins a batch.
    fn open(&mut self, experiment: Option<u8>, head: [u64; 3]) {
        self.close();
        let [generation, thread, time] = head;
        let generation = Generation(generation);
        let thread = ThreadId(thread);
        self.head = Some(Batch {
            experiment,
            generation,
            thread,
            time,
            ..Batch::EMPTY
        });
    }

    /// Ends the batch that is being filled, if there is one.
    fn close(&mut self) {
        if let Some(head) = self.head.take() {
            Batch {
                data: &self.data,
                ..head
            }
            .append(&mut self.file);
            self.data.clear();
        }
    }
}
