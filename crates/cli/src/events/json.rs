//! Events as JSON, an object a line; `docs/command.md` tells of each key.

use std::io::{self, Write};

use exectrace_format::{Format, Frame, StackId, Version};
use exectrace_reader::Merged;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::fields::{self, Fields};
use super::{Lines, Printed};
use crate::input::Input;

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// Prints a head, and then a line an event.
pub(super) struct JsonLines<W> {
    output: W,
    has_stacks: bool,
}

/// The first line.
#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    /// Where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    traces: Vec<TraceHead<'a>>,
}

/// One of several traces.
#[derive(Serialize)]
struct TraceHead<'a> {
    file: &'a str,
    format: &'static str,
    header: String,
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
    fn begin(&mut self, inputs: &[Input<'_>], merged: &Merged<'_>) -> io::Result<()> {
        let trace_head = |(trace, input)| TraceHead::of(input, merged.reader(trace).version());
        let mut traces = inputs.iter().enumerate().map(trace_head).collect();
        let alone = (inputs.len() == 1).then(|| Vec::remove(&mut traces, 0));
        let head = Head {
            schema: "exectrace.events",
            version: SCHEMA_VERSION,
            format: alone.as_ref().map(|trace| trace.format),
            header: alone.map(|trace| trace.header),
            traces,
        };
        serde_json::to_writer(&mut self.output, &head)?;
        writeln!(self.output)
    }

    fn event(&mut self, printed: &Printed<'_, '_>) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut self.output);
        let mut object = Object(serializer.serialize_map(None)?);
        object.signed("time_ns", printed.event.time.0)?;
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

impl<M: SerializeMap<Error = serde_json::Error>> Fields for Object<M> {
    fn number(&mut self, name: &'static str, value: u64) -> io::Result<()> {
        self.entry(name, &value)
    }

    fn signed(&mut self, name: &'static str, value: i64) -> io::Result<()> {
        self.entry(name, &value)
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
        let printed = self.printed;
        let frames = printed.reader.tables().frames(self.stack);
        serializer.collect_seq(frames.map(|frame| FrameObject { frame, printed }))
    }
}

struct FrameObject<'p, 'r, 'a> {
    frame: &'p Frame,
    printed: &'p Printed<'r, 'a>,
}

impl Serialize for FrameObject<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |id| String::from_utf8_lossy(self.printed.string(id));
        let mut object = serializer.serialize_map(Some(4))?;
        // Addresses have more bits than numbers of JavaScript.
        object.serialize_entry("pc", &format_args!("{:#x}", self.frame.pc))?;
        object.serialize_entry("function", &text(self.frame.function))?;
        object.serialize_entry("file", &text(self.frame.file))?;
        object.serialize_entry("line", &self.frame.line)?;
        object.end()
    }
}
