//! The text form of format v1.

use std::fmt;

use super::line::{Line, write_arg, write_frames, write_text};
use super::{TextError, TextFault};
use crate::go_v1::{EventType, Record, frame_numbers};
use crate::limits::V1_ARGS_MAX;
use crate::spec::Shape;
use crate::version::Version;

/// A record as a line of text; made by [`Record::text`].
#[derive(Clone, Copy, Debug)]
pub struct V1RecordText<'a> {
    record: Record<'a>,
    version: Version,
}

impl<'a> Record<'a> {
    /// The record as a line of text.
    ///
    /// ```
    /// use exectrace_format::Version;
    /// use exectrace_format::go_v1::{EventType, Record};
    /// let record = Record { offset: 0, event_type: EventType::GoStart, sequence: 0, delta: 5, args: [3, 2, 0, 0], rest: &[] };
    /// assert_eq!(record.text(Version::Go1_19).to_string(), "GoStart dt=5 task=3 seq=2");
    /// ```
    #[must_use]
    pub fn text(&self, version: Version) -> V1RecordText<'a> {
        V1RecordText {
            record: *self,
            version,
        }
    }
}

impl fmt::Display for V1RecordText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, version } = *self;
        let spec = record.event_type.spec();
        f.write_str(spec.name_in(version))?;
        // In the order of the wire: see the layouts.
        let has_sequence = has_sequence(record.event_type, version);
        if spec.is_timed() {
            if has_sequence {
                write!(f, " sequence={}", record.sequence)?;
            }
            write!(f, " dt={}", record.delta)?;
        }
        for (i, (arg, value)) in spec.args.iter().zip(record.args).enumerate() {
            if version.at_least(arg.since) {
                write_arg(f, arg, value)?;
            }
            if i == 0 && has_sequence && !spec.is_timed() {
                write!(f, " sequence={}", record.sequence)?;
            }
        }
        match record.event_type {
            EventType::String => write_text(f, "text", record.rest),
            EventType::Stack => write_frames(f, record.frames(version), frame_numbers(version)),
            _ if spec.shape == Shape::Log => write_text(f, "message", record.rest),
            _ => Ok(()),
        }
    }
}

fn has_sequence(event_type: EventType, version: Version) -> bool {
    version == Version::Go1_5 && event_type.spec().shape != Shape::Raw
}

/// Turns lines into a file.
pub(super) fn parse<'a>(
    version: Version,
    lines: impl Iterator<Item = Result<Line<'a>, TextError>>,
) -> Result<Vec<u8>, TextError> {
    let mut file = version.header().to_vec();
    for line in lines {
        append(line?, version, &mut file)?;
    }
    Ok(file)
}

/// Turns a line into a record.
fn append(mut line: Line<'_>, version: Version, file: &mut Vec<u8>) -> Result<(), TextError> {
    let event_type = EventType::from_name(line.name);
    let event_type = event_type.filter(|event_type| version.at_least(event_type.spec().since));
    let event_type = event_type.ok_or_else(|| line.error(TextFault::UnknownType))?;
    let spec = event_type.spec();
    let sequence = if has_sequence(event_type, version) {
        line.take_number("sequence")?
    } else {
        0
    };
    let delta = if spec.is_timed() {
        line.take_number("dt")?
    } else {
        0
    };
    let mut args = [0; V1_ARGS_MAX];
    for (i, arg) in spec.args.iter().enumerate() {
        if version.at_least(arg.since) {
            args[i] = line.take_number(arg.name)?;
        }
    }
    let rest = match event_type {
        EventType::String => line.take_text("text")?,
        EventType::Stack => line.take_frames(frame_numbers(version))?,
        _ if spec.shape == Shape::Log => line.take_text("message")?,
        _ => Vec::new(),
    };
    line.finish()?;
    let record = Record {
        offset: 0,
        event_type,
        sequence,
        delta,
        args,
        rest: &rest,
    };
    record.append(version, file);
    Ok(())
}
