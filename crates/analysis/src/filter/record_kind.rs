//! The kinds of records that filters look at.

use super::Field;

/// The kinds of records: what a list is made of that an analysis gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// Tasks: Go's goroutines.
    Task,
    /// Stretches of time in which a task did not run, and CPU samples.
    Stretch,
    /// User tasks and regions.
    Annotation,
    /// What a program did for its users: user tasks, or tasks.
    Request,
    /// What cost tasks time.
    Finding,
    /// Parts of the path that a task's time took.
    PathPart,
    /// Workers.
    Worker,
    /// Cycles of a garbage collector, and stops of the world.
    Collection,
    /// Events, as they are read.
    Event,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Task,
        Self::Stretch,
        Self::Annotation,
        Self::Request,
        Self::Finding,
        Self::PathPart,
        Self::Worker,
        Self::Collection,
        Self::Event,
    ];

    /// What such records are called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Task => "tasks",
            Self::Stretch => "stretches of time and samples",
            Self::Annotation => "user tasks and regions",
            Self::Request => "requests",
            Self::Finding => "findings",
            Self::PathPart => "parts of the path",
            Self::Worker => "workers",
            Self::Collection => "cycles and stops",
            Self::Event => "events",
        }
    }

    /// The fields of such records.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        Field::all().filter(move |field| field.is_of(self))
    }
}
