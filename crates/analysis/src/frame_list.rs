//! The frames of a report's stacks, each once.

use std::collections::HashMap;

use exectrace_reader::{Frame, StackId, StringId, Tables};

use crate::NamedFrame;

/// Frames by place, and places by frame.
#[derive(Default)]
pub(crate) struct FrameList {
    pub(crate) frames: Vec<NamedFrame>,
    places: HashMap<Frame, u32>,
}

impl FrameList {
    /// The places of a stack's frames, innermost first. What has neither a name nor an address stands for a stack that could not be
    /// taken, and is none.
    pub(crate) fn stack(&mut self, stack: StackId, tables: &Tables<'_>) -> Vec<u32> {
        let is_told = |frame: &&Frame| frame.pc != 0 || frame.function != StringId(0);
        let frames = tables.frames(stack).filter(is_told);
        frames.map(|frame| self.place(frame, tables)).collect()
    }

    fn place(&mut self, frame: &Frame, tables: &Tables<'_>) -> u32 {
        let next = self.frames.len() as u32;
        let place = *self.places.entry(*frame).or_insert(next);
        if place == next {
            self.frames.push(NamedFrame {
                function: tables.text(frame.function).into_owned(),
                file: tables.text(frame.file).into_owned(),
                line: frame.line,
                pc: frame.pc,
            });
        }
        place
    }
}
