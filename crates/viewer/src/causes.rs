//! Why intervals began, each reason once: what tasks wait for, and the stacks on both sides.

use std::collections::{BTreeSet, HashMap};

use exectrace_reader::{StackId, StringId, Tables};
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::timeline::Names;

/// A frame of a stack, as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FrameLine {
    /// The function, or its address where the trace has no names.
    pub(crate) function: String,
    /// The file; empty if that is not told.
    pub(crate) file: String,
    /// The line; 0 if that is not told.
    pub(crate) line: u64,
}

/// Why an interval began: places in [`Causes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cause {
    reason: StringId,
    stack: StackId,
    writer_stack: StackId,
}

/// All causes of a trace, by numbers; 0 is that nothing is told.
#[derive(Debug)]
pub(crate) struct Causes {
    causes: Vec<Cause>,
    ids: HashMap<Cause, u32, FxBuildHasher>,
    /// What was asked for last: tasks wait where they waited before.
    last: (Cause, u32),
    reasons: HashMap<StringId, String, FxBuildHasher>,
    stacks: HashMap<StackId, Vec<FrameLine>, FxBuildHasher>,
    /// What is on these.
    functions: BTreeSet<String>,
}

/// The cause that tells nothing.
const NOTHING: Cause = Cause {
    reason: StringId(0),
    stack: StackId(0),
    writer_stack: StackId(0),
};

impl Default for Causes {
    fn default() -> Self {
        let mut ids = HashMap::default();
        ids.insert(NOTHING, 0);
        Self {
            causes: vec![NOTHING],
            ids,
            last: (NOTHING, 0),
            reasons: HashMap::default(),
            stacks: HashMap::default(),
            functions: BTreeSet::new(),
        }
    }
}

impl Causes {
    /// The number of a cause: a reason, the task's own stack and that of who began the interval. Its reason's text is kept; its stacks have been.
    pub(crate) fn intern(
        &mut self,
        reason: StringId,
        (stack, writer_stack): (StackId, StackId),
        names: &Names,
    ) -> u32 {
        let cause = Cause {
            reason,
            stack,
            writer_stack,
        };
        if self.last.0 == cause {
            return self.last.1;
        }
        let next = self.causes.len() as u32;
        let id = *self.ids.entry(cause).or_insert(next);
        if id == next {
            self.causes.push(cause);
            self.reasons
                .entry(reason)
                .or_insert_with(|| names.text(reason).to_owned());
        }
        self.last = (cause, id);
        id
    }

    /// Keeps the frames of a stack.
    pub(crate) fn keep_stack(&mut self, stack: StackId, frames: Vec<FrameLine>) {
        for FrameLine { function, .. } in &frames {
            if !self.functions.contains(function) {
                self.functions.insert(function.clone());
            }
        }
        self.stacks.insert(stack, frames);
    }

    /// What the task waits for, or why it stopped; empty if that is not told.
    pub(crate) fn reason(&self, id: u32) -> &str {
        self.reason_text(self.reason_id(id))
    }

    /// The id of that.
    pub(crate) fn reason_id(&self, id: u32) -> StringId {
        let cause = self.causes.get(id as usize);
        cause.map_or(StringId(0), |cause| cause.reason)
    }

    /// The text of a reason that was told.
    pub(crate) fn reason_text(&self, reason: StringId) -> &str {
        self.reasons.get(&reason).map_or("", String::as_str)
    }

    /// Where the task was, innermost first.
    pub(crate) fn stack(&self, id: u32) -> &[FrameLine] {
        let stack = self.causes.get(id as usize).map(|cause| cause.stack);
        self.frames(stack.unwrap_or(StackId(0)))
    }

    /// Where who began the interval was, innermost first.
    pub(crate) fn writer_stack(&self, id: u32) -> &[FrameLine] {
        let stack = self.causes.get(id as usize).map(|cause| cause.writer_stack);
        self.frames(stack.unwrap_or(StackId(0)))
    }

    /// The functions on all stacks, in order.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(String::as_str)
    }

    /// The frames of a stack that was kept.
    pub(crate) fn frames(&self, stack: StackId) -> &[FrameLine] {
        self.stacks.get(&stack).map_or(&[], |frames| frames)
    }
}

/// The frames of a stack, innermost first.
pub(crate) fn frame_lines(stack: StackId, tables: &Tables<'_>) -> Vec<FrameLine> {
    let frames = tables.frames(stack);
    frames
        .map(|frame| {
            let function = tables.text(frame.function);
            FrameLine {
                function: if function.is_empty() {
                    format!("{:#x}", frame.pc)
                } else {
                    function.into_owned()
                },
                file: tables.text(frame.file).into_owned(),
                line: frame.line,
            }
        })
        .collect()
}
