//! Events as JSON, an object a line; `docs/command.md` tells of each key.

use std::io::{self, Write};

use exectrace_format::{Format, StackId, Version, WorkerId};
use exectrace_json::FrameLine;
use exectrace_reader::{Merged, Timestamp};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fields::{self, Fields};
use super::line::{Head, TraceHead};
use super::{Lines, Printed};
use crate::input::Input;

/// Prints a head, and then a line an event.
pub(super) struct JsonLines<W> {
    output: W,
    has_stacks: bool,
}

impl<'a> TraceHead<'a> {
    fn of(input: &'a Input<'_>, version: Version) -> Self {
        Self {
            file: &input.name,
            format: match version.format() {
                Format::V1 => "v1",
                Format::V2 => "v2",
            },
            header: version.to_string(),
        }
    }
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(output: W, has_stacks: bool) -> Self {
        Self { output, has_stacks }
    }
}

impl<W: Write> Lines for JsonLines<W> {
    fn begin(
        &mut self,
        inputs: &[Input<'_>],
        merged: &Merged<'_>,
        first: Option<Timestamp>,
    ) -> io::Result<()> {
        let trace_head = |(trace, input)| TraceHead::of(input, merged.reader(trace).version());
        let traces = inputs.iter().enumerate().map(trace_head);
        let head = Head::of(traces.collect(), first);
        serde_json::to_writer(&mut self.output, &head)?;
        writeln!(self.output)
    }

    fn event(&mut self, printed: &Printed<'_, '_>) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut self.output);
        let mut object = Object(serializer.serialize_map(None)?);
        object.entry("time_ns", &printed.event.time.0)?;
        object.word("type", printed.type_name())?;
        fields::tell(printed, &mut object)?;
        if self.has_stacks {
            for (name, stack) in printed.stacks() {
                object.entry(name, &Frames { stack, printed })?;
            }
        }
        object.0.end()?;
        writeln!(self.output)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A line in the making.
struct Object<M>(M);

impl<M: SerializeMap<Error = serde_json::Error>> Object<M> {
    fn entry(&mut self, name: &'static str, value: &impl Serialize) -> io::Result<()> {
        Ok(self.0.serialize_entry(name, value)?)
    }
}

impl<M: SerializeMap<Error = serde_json::Error>> Fields<'_> for Object<M> {
    fn number(&mut self, name: &'static str, value: u64) -> io::Result<()> {
        self.entry(name, &value)
    }

    fn worker(&mut self, name: &'static str, value: WorkerId) -> io::Result<()> {
        self.entry(name, &value.0)
    }

    fn word(&mut self, name: &'static str, value: &'static str) -> io::Result<()> {
        self.entry(name, &value)
    }

    fn text(&mut self, name: &'static str, value: &[u8]) -> io::Result<()> {
        self.entry(name, &String::from_utf8_lossy(value))
    }
}

/// The frames of a stack, innermost first.
struct Frames<'p, 'r, 'a> {
    stack: StackId,
    printed: &'p Printed<'r, 'a>,
}

impl Serialize for Frames<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let frames = FrameLine::of_stack(self.stack, self.printed.reader.tables());
        serializer.collect_seq(frames)
    }
}
