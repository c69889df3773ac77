//! Events as text, in the manner of the text form of traces.

use std::io::{self, Write};

use exectrace_format::text::Quoted;
use exectrace_format::{Frame, WorkerId};
use exectrace_reader::{Merged, Timestamp};

use super::fields::{self, Fields};
use super::{Lines, Printed};
use crate::input::Input;

const SECOND_NS: i64 = 1_000_000_000;

/// Prints a line an event, and with stacks a line a frame.
pub(super) struct TextLines<W> {
    output: W,
    has_stacks: bool,
}

impl<W: Write> TextLines<W> {
    pub(super) fn new(output: W, has_stacks: bool) -> Self {
        Self { output, has_stacks }
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        self.output.write_all(b" ")?;
        self.output.write_all(name.as_bytes())?;
        self.output.write_all(b"=")
    }

    fn digits(&mut self, number: impl itoa::Integer) -> io::Result<()> {
        let mut buffer = itoa::Buffer::new();
        self.output.write_all(buffer.format(number).as_bytes())
    }

    fn frame(&mut self, name: &str, frame: &Frame, printed: &Printed<'_, '_>) -> io::Result<()> {
        let function = Quoted(printed.string(frame.function));
        let file = Quoted(printed.string(frame.file));
        let (pc, line) = (frame.pc, frame.line);
        writeln!(self.output, "    {name}={pc:#x},{function},{file},{line}")
    }
}

impl<W: Write> Lines for TextLines<W> {
    fn begin(
        &mut self,
        inputs: &[Input<'_>],
        merged: &Merged<'_>,
        _first: Option<Timestamp>,
    ) -> io::Result<()> {
        if inputs.len() == 1 {
            return writeln!(self.output, "go {} trace", merged.reader(0).version());
        }
        for (trace, input) in inputs.iter().enumerate() {
            let (version, name) = (merged.reader(trace).version(), &input.name);
            writeln!(self.output, "trace={trace} {name}: go {version} trace")?;
        }
        Ok(())
    }

    fn event(&mut self, printed: &Printed<'_, '_>) -> io::Result<()> {
        let since_ns = printed.since_ns().max(0);
        let (seconds, ns) = (since_ns / SECOND_NS, since_ns % SECOND_NS);
        self.digits(seconds)?;
        self.output.write_all(b".")?;
        // A digit in front keeps the zeros.
        self.output
            .write_all(&itoa::Buffer::new().format(SECOND_NS + ns).as_bytes()[1..])?;
        self.output.write_all(b" ")?;
        self.output.write_all(printed.type_name().as_bytes())?;
        fields::tell(printed, self)?;
        self.output.write_all(b"\n")?;
        if self.has_stacks {
            for (name, stack) in printed.stacks() {
                for frame in printed.reader.tables().frames(stack) {
                    self.frame(name, frame, printed)?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W: Write> Fields<'_> for TextLines<W> {
    fn number(&mut self, name: &'static str, value: u64) -> io::Result<()> {
        self.name(name)?;
        self.digits(value)
    }

    fn worker(&mut self, name: &'static str, value: WorkerId) -> io::Result<()> {
        self.name(name)?;
        self.digits(value.0)
    }

    fn word(&mut self, name: &'static str, value: &'static str) -> io::Result<()> {
        self.name(name)?;
        if value.contains(' ') {
            return write!(self.output, "\"{value}\"");
        }
        self.output.write_all(value.as_bytes())
    }

    fn text(&mut self, name: &'static str, value: &[u8]) -> io::Result<()> {
        self.name(name)?;
        write!(self.output, "{}", Quoted(value))
    }
}
