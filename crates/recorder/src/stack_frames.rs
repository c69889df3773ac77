//! The frames behind the addresses of stacks, and what adapters make of them.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

use exectrace_format::Frame;
use exectrace_format::StringId;

use crate::block_reason::{LeafClass, code};
use crate::gate::SessionStamp;
use crate::intern_table::{Chunk, Hash};
use crate::statistics::StackMethod;
use crate::symbols::{self, Symboliser};
use crate::tables::{StackEntry, Tables};

/// Most frames of a stack in the file.
const FRAMES_MAX: usize = 128;

/// What an adapter says of a stack, given its functions' names, innermost first.
pub type LeafClassifier = fn(&[&str]) -> LeafClass;

static CLASSIFIER: OnceLock<LeafClassifier> = OnceLock::new();

/// Sets how leaves are told apart by their stacks. The first one set stays; false if there was one.
pub(crate) fn set_classifier(classifier: LeafClassifier) -> bool {
    CLASSIFIER.set(classifier).is_ok()
}

/// The process's symboliser: it remembers what it has found from one session to the next.
static SYMBOLISER: Mutex<Option<Symboliser>> = Mutex::new(None);

/// Lets go of the files that were looked into, until the next look.
pub(crate) fn release_pages() {
    let symboliser = SYMBOLISER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(symboliser) = &*symboliser {
        symboliser.release_pages();
    }
}

/// Turns the stacks of a session into frames.
#[derive(Default)]
pub(crate) struct StackFrames {
    frames: Vec<Frame>,
    /// Class codes by stack id.
    classes: Vec<u8>,
    deepest: usize,
}

impl StackFrames {
    /// The frames of `stack`, innermost first, and their names interned. The stack's class is settled.
    pub(crate) fn of(
        &mut self,
        stack: &'static StackEntry,
        tables: &'static Tables,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> &[Frame] {
        let mut symboliser = SYMBOLISER.lock().unwrap_or_else(PoisonError::into_inner);
        let symboliser = symboliser.get_or_insert_with(Symboliser::new);
        self.frames.clear();
        self.deepest = self.deepest.max(stack.content().len());
        let mut named = Vec::new();
        let mut frames = Vec::new();
        for &pc in stack.content() {
            frames.clear();
            // A return address lies behind its call.
            symboliser.resolve(pc - 1, &mut frames);
            named.extend(frames.iter().map(|frame| (pc, *frame)));
        }
        let is_own = |frame: &symbols::Frame| is_own(symboliser.name(frame.function));
        let own = named.iter().take_while(|(_, frame)| is_own(frame)).count();
        // Where nothing else is left, our own frames are better than none: Go 1.19's pages need a frame in some stacks.
        if own < named.len() {
            named.drain(..own);
        }
        named.truncate(FRAMES_MAX);
        let mut string_id = |text: &str| {
            if text.is_empty() {
                return StringId(0);
            }
            let hash = Hash::of_bytes(text.as_bytes());
            let entry = tables.strings.intern(text.as_bytes(), hash, stamp, chunk);
            entry.map_or(StringId(0), |entry| StringId(u64::from(entry.id())))
        };
        for (pc, frame) in &named {
            self.frames.push(Frame {
                pc: *pc,
                function: string_id(symboliser.name(frame.function)),
                file: string_id(symboliser.name(frame.file)),
                line: u64::from(frame.line),
            });
        }
        let known = stack.class.load(Ordering::Relaxed); // Relaxed: only the collector stores there.
        let class = if known != code::UNKNOWN {
            known
        } else {
            let names: Vec<&str> = named
                .iter()
                .map(|(_, frame)| symboliser.name(frame.function))
                .collect();
            let class = CLASSIFIER.get().map_or(
                LeafClass::Waits(crate::block_reason::BlockReason::Other),
                |classify| classify(&names),
            );
            code::of(class)
        };
        // Relaxed: a hook that sees it late only leaves one more choice to us.
        stack.class.store(class, Ordering::Relaxed);
        let index = stack.id() as usize;
        if self.classes.len() <= index {
            self.classes.resize(index + 1, code::UNKNOWN);
        }
        self.classes[index] = class;
        &self.frames
    }

    /// The class code of a stack of the session.
    pub(crate) fn class(&self, stack: u32) -> u8 {
        self.classes
            .get(stack as usize)
            .copied()
            .unwrap_or(code::UNKNOWN)
    }

    /// How stacks were taken, going by what came.
    pub(crate) fn method(&self) -> StackMethod {
        if self.deepest > 2 {
            StackMethod::FramePointers
        } else {
            StackMethod::WithoutFramePointers
        }
    }
}

/// Whether a frame is the recorder's own and of no interest to its users.
fn is_own(function: &str) -> bool {
    const OWN: [&str; 4] = [
        "exectrace::",
        "<exectrace::",
        "exectrace_tokio::",
        "<exectrace_tokio::",
    ];
    OWN.iter().any(|prefix| function.starts_with(prefix))
}
