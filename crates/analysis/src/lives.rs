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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Life {
    /// The task.
    pub task: TaskId,
    /// A stack whose outermost frame is what the task runs; 0 if nothing tells it.
    pub stack: StackId,
    /// When it begins: with the task's creation, or with the trace.
    pub begin: Timestamp,
    /// When the task ended, if it has.
    pub end: Option<Timestamp>,
    /// Whether its creation is in the trace. In format v1 all tasks that are there at its begin are told as created.
    pub is_created: bool,
    /// Who created it; 0 if that is not told.
    pub creator: TaskId,
    /// Where it was created; 0 if that is not told.
    pub creator_stack: StackId,
}

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
    /// The function that the task runs; 0 if nothing tells it.
    #[must_use]
    pub fn function(&self, tables: &Tables<'_>) -> StringId {
        let outermost = tables.frames(self.stack).last();
        outermost.map_or(StringId(0), |frame| frame.function)
    }
}
