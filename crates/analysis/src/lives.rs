//! The tasks of a trace.

use std::ops::Index;

use exectrace_reader::{StackId, StringId, Tables, TaskId, Timestamp};

/// The place of a life among [`Lives`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LifeId(pub u32);

/// The lives of all tasks that were seen so far, in the order of their first events.
///
/// An id that was used twice has two lives.
#[derive(Clone, Debug, Default)]
pub struct Lives {
    lives: Vec<Life>,
}

/// A task's life: when it was there, and what is known of it as a whole.
///
/// There are millions of them, so that they are as small as can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Life {
    /// The task.
    pub task: TaskId,
    /// When it begins: with the task's creation, or with the trace.
    pub begin: Timestamp,
    /// When it ends; the last time there is if it does not.
    end: Timestamp,
    stack: u32,
    /// With [`CREATED`].
    creator_stack: u32,
}

const _: () = assert!(size_of::<Life>() == 32);

/// A bit beside the number of a stack: the task's creation is in the trace.
const CREATED: u32 = 1 << 31;

/// The end of what does not end.
const NEVER: Timestamp = Timestamp(i64::MAX);

impl Lives {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lives.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lives.is_empty()
    }

    /// All, by their ids.
    pub fn iter(&self) -> impl Iterator<Item = (LifeId, &Life)> {
        (0..).map(LifeId).zip(&self.lives)
    }

    /// Takes in a new one.
    ///
    /// # Panics
    ///
    /// When there are four billion: a file of that many events does not fit into memory.
    pub(crate) fn add(&mut self, life: Life) -> LifeId {
        let id = u32::try_from(self.lives.len()).expect("fewer tasks than 32 bits count");
        self.lives.push(life);
        LifeId(id)
    }

    pub(crate) fn life_mut(&mut self, life: LifeId) -> &mut Life {
        &mut self.lives[life.0 as usize]
    }
}

impl Index<LifeId> for Lives {
    type Output = Life;

    fn index(&self, life: LifeId) -> &Life {
        &self.lives[life.0 as usize]
    }
}

impl Life {
    /// One that was there before the trace.
    pub(crate) fn new(task: TaskId, begin: Timestamp) -> Self {
        Self {
            task,
            begin,
            end: NEVER,
            stack: 0,
            creator_stack: 0,
        }
    }

    /// One that is created in the trace, and where.
    pub(crate) fn created(task: TaskId, begin: Timestamp, stack: StackId) -> Self {
        Self {
            creator_stack: CREATED | number(stack),
            ..Self::new(task, begin)
        }
    }

    /// Whether its creation is in the trace. In format v1 all tasks that are there at its begin are told as created.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.creator_stack & CREATED != 0
    }

    /// It was there before the trace, whatever is told.
    pub(crate) fn set_older(&mut self) {
        self.creator_stack &= !CREATED;
    }

    /// When the task ended, if it has.
    #[must_use]
    pub fn end(&self) -> Option<Timestamp> {
        (self.end != NEVER).then_some(self.end)
    }

    pub(crate) fn set_end(&mut self, end: Timestamp) {
        self.end = end;
    }

    /// A stack whose outermost frame is what the task runs; 0 if nothing tells it.
    #[must_use]
    pub fn stack(&self) -> StackId {
        StackId(self.stack.into())
    }

    pub(crate) fn set_stack(&mut self, stack: StackId) {
        self.stack = number(stack);
    }

    /// Where it was created; 0 if that is not told.
    #[must_use]
    pub fn creator_stack(&self) -> StackId {
        StackId((self.creator_stack & !CREATED).into())
    }

    /// The function that the task runs; 0 if nothing tells it.
    #[must_use]
    pub fn function(&self, tables: &Tables<'_>) -> StringId {
        let outermost = tables.frames(self.stack()).last();
        outermost.map_or(StringId(0), |frame| frame.function)
    }
}

/// A reader numbers stacks one after another, so that 31 bits are enough.
fn number(StackId(stack): StackId) -> u32 {
    u32::try_from(stack)
        .ok()
        .filter(|stack| *stack < CREATED)
        .unwrap_or(0)
}
