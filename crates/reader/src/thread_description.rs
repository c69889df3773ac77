//! What a recording of exectrace says about a thread.

use exectrace_format::{TaskId, UserTaskId, WorkerId};

use crate::{Event, Kind, Tables};

/// What a recording of exectrace says about one of its threads: what it is there for, and how the system calls it.
///
/// It stands in a user log of no task with the key `exectrace.thread`, once whenever a thread joined or changed. Go's own traces
/// have none.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Reader, ThreadDescription};
/// # let recording = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=900001 ticks=1000
/// #     UserLog dt=1 key=1 message=\"worker=3 thread=77 role=worker name=tokio worker 1\"
/// #     String string=1 text=\"exectrace.thread\"
/// #     Frequency ticks_per_second=1000000000").unwrap();
/// let mut reader = Reader::tolerant(&recording)?;
/// let event = reader.next().expect("has one")?;
/// let thread = ThreadDescription::of(&event, reader.tables()).expect("describes one");
/// assert_eq!((thread.worker.0, thread.thread, thread.role.as_str()), (3, 77, "worker"));
/// assert_eq!(thread.name, "tokio worker 1");
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadDescription {
    /// The worker that the thread is in the recording.
    pub worker: WorkerId,
    /// The kernel's id of the thread.
    pub thread: u64,
    /// What it is there for: `worker` runs tasks of a runtime, `blocking` is of a pool for blocking work, `thread` is itself a
    /// task, `recorder` the recorder's own, `plain` is what nobody said anything of.
    pub role: String,
    /// How the system calls it.
    pub name: String,
}

impl ThreadDescription {
    /// What an event says of a thread, if it does. `tables` are those of the event's reader.
    #[must_use]
    pub fn of(event: &Event, tables: &Tables<'_>) -> Option<Self> {
        let Kind::UserLog {
            user_task: UserTaskId(0),
            key,
            message,
        } = event.kind
        else {
            return None;
        };
        if event.task != TaskId(0) || tables.string(key) != b"exectrace.thread" {
            return None;
        }
        Self::parse(&tables.text(message))
    }

    /// Names hold blanks, so they are all that follows.
    fn parse(message: &str) -> Option<Self> {
        let (fields, name) = message.split_once(" name=")?;
        let mut worker = None;
        let mut thread = None;
        let mut role = None;
        for field in fields.split(' ') {
            match field.split_once('=')? {
                ("worker", value) => worker = Some(WorkerId(value.parse().ok()?)),
                ("thread", value) => thread = Some(value.parse().ok()?),
                ("role", value) => role = Some(value.to_owned()),
                _ => {}
            }
        }
        Some(Self {
            worker: worker?,
            thread: thread?,
            role: role?,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_nothing() {
        for message in [
            "",
            "worker=1 thread=2 role=worker",
            "worker=x thread=2 role=worker name=a",
            "thread=2 role=worker name=a",
            "worker=1 thread=-2 role=worker name=a",
            "worker=1 thread=2 name=role=worker",
            "worker name=",
        ] {
            assert_eq!(ThreadDescription::parse(message), None, "{message}");
        }
        let thread = ThreadDescription::parse("worker=1 thread=2 role=plain more=3 name=");
        assert_eq!(thread.expect("is one").name, "");
    }
}
