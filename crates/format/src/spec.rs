//! The form of a row of the event tables, as a value.

use crate::role::Role;
use crate::version::Version;

/// Everything about an event type: a row of [`go_v1`](crate::go_v1) or [`go_v2`](crate::go_v2).
#[derive(Clone, Copy, Debug)]
pub struct EventSpec {
    /// The number on the wire.
    pub number: u8,
    /// The name, Go's own.
    pub name: &'static str,
    /// The name that Go gave it later, and since when.
    pub renamed: Option<(&'static str, Version)>,
    /// The arguments in their order on the wire, as the newest version has them.
    pub args: &'static [ArgSpec],
    /// What stands beside the arguments.
    pub shape: Shape,
    /// What the event means.
    pub role: Role,
    /// Why the task stopped, where the event type says it; in v2's words for it.
    pub reason: Option<&'static str>,
    /// The first version that has the event.
    pub since: Version,
    /// The lines of the row's comment.
    pub doc: &'static [&'static str],
}

/// One argument of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgSpec {
    /// The name; also of the field of the event's struct.
    pub name: &'static str,
    /// What the number means.
    pub kind: ArgKind,
    /// The first version whose events have the argument.
    pub since: Version,
}

/// What the number of an argument means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArgKind {
    /// A [`TaskId`](crate::TaskId).
    TaskId,
    /// A [`WorkerId`](crate::WorkerId), signed.
    WorkerId,
    /// A [`ThreadId`](crate::ThreadId), signed where it is none.
    ThreadId,
    /// A [`StackId`](crate::StackId).
    StackId,
    /// A [`StringId`](crate::StringId).
    StringId,
    /// A [`UserTaskId`](crate::UserTaskId).
    UserTaskId,
    /// A [`Seq`](crate::Seq).
    Seq,
    /// A plain number; its name has the unit.
    Number,
}

/// What a record holds beside its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// An event: the time since the one before, then the arguments.
    Timed,
    /// No time, only the arguments.
    Untimed,
    /// An event that is followed by a message.
    Log,
    /// A form of its own: see the row's comment.
    Raw,
}

impl EventSpec {
    /// The arguments that the event has in `version`, in their order on the wire.
    pub fn args_in(&self, version: Version) -> impl Iterator<Item = &'static ArgSpec> {
        self.args
            .iter()
            .filter(move |arg| version.at_least(arg.since))
    }

    /// The name that Go gives the event in `version`.
    #[must_use]
    pub const fn name_in(&self, version: Version) -> &'static str {
        match self.renamed {
            Some((name, since)) if version.at_least(since) => name,
            _ => self.name,
        }
    }

    /// Whether the record has a time of its own.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        matches!(self.shape, Shape::Timed | Shape::Log)
    }
}

/// The type of an event's field.
pub trait Argument: Copy {
    /// What the number means.
    const KIND: ArgKind;

    /// The number on the wire.
    fn raw(self) -> u64;

    /// The value that a number on the wire stands for.
    fn from_raw(raw: u64) -> Self;
}

impl Argument for u64 {
    const KIND: ArgKind = ArgKind::Number;

    #[inline]
    fn raw(self) -> u64 {
        self
    }

    #[inline]
    fn from_raw(raw: u64) -> Self {
        raw
    }
}
