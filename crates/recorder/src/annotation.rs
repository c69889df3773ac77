//! User tasks and user logs: what the program's author says about its work.

use std::sync::atomic::{AtomicU64, Ordering};

use exectrace_format::go_v1::{UserLog, UserTaskCreate, UserTaskEnd};
use exectrace_format::{StackId, UserTaskId};

use crate::lane;
use crate::lane_writer::{LaneWriter, MESSAGE_BYTES_MAX};
use crate::task_slab::TaskRecord;
use crate::thread_task;
use crate::user_task_record::UserTaskRecord;

static NEXT_USER_TASK: AtomicU64 = AtomicU64::new(1);

/// A user task: a piece of the program's work, such as a request, which may run in many tasks and threads.
///
/// The task that makes it carries it from then on, over awaits and from thread to thread, and tasks that it spawns inherit
/// it; regions and logs belong to the user task that is carried. It ends when it is dropped, wherever that is: who carries it
/// then, carries from there on the next outer one that has not ended.
///
/// So a loop that makes a user task for each piece of work and moves it into a task of its own begins each inside of the last
/// one if that has not ended yet. Where they stand side by side, each is better made in the task that does its work.
///
/// # Examples
///
/// ```
/// let request = exectrace::UserTask::new("request");
/// exectrace::log("path", "/index.html");
/// {
///     let _region = exectrace::Region::new("render");
/// }
/// drop(request);
/// ```
#[derive(Debug)]
#[must_use = "a user task ends when it is dropped"]
pub struct UserTask {
    id: u64,
    /// `None` when memory was refused: nobody carries it then.
    record: Option<&'static UserTaskRecord>,
    created_tick: u64,
}

impl UserTask {
    /// Begins a user task, a child of the one that the current task carries, and lets the current task carry it.
    ///
    /// The name may be any bytes; readers know 1,024 of them.
    #[inline(never)]
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let task = thread_task::current_or_adopt();
        // Relaxed: only the numbers must differ.
        let id = NEXT_USER_TASK.fetch_add(1, Ordering::Relaxed);
        let carried = task.and_then(|task| task.user_task.living());
        let parent = carried.map_or(0, UserTaskRecord::carried_id);
        let record = UserTaskRecord::make(id, carried);
        if let Some(former) = carry(task, record) {
            former.release();
        }
        let mut created_tick = 0;
        if let Some(mut writer) = LaneWriter::enter() {
            let name = writer.string_id(name.as_ref());
            let event = UserTaskCreate {
                user_task: UserTaskId(id),
                parent: UserTaskId(parent),
                name,
                stack: StackId(u64::from(writer.stack_id())),
            };
            created_tick = writer.event(0, &event).unwrap_or(0);
        }
        Self {
            id,
            record,
            created_tick,
        }
    }

    /// The id in traces.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Lets the current task carry this user task until the answer is dropped: for work that was not spawned by the task that
    /// carries it, such as a job that a pool took from a queue.
    pub fn enter(&self) -> Entered<'_> {
        Entered {
            former: carry(thread_task::current_or_adopt(), self.record),
            user_task: self,
        }
    }
}

impl Drop for UserTask {
    #[inline(never)]
    fn drop(&mut self) {
        if let Some(record) = self.record {
            // Before its end is written, so that what comes later does not name it.
            record.end();
            if let Some(task) = lane::current() {
                task.user_task.living();
            }
            record.release();
        }
        if let Some(mut writer) = LaneWriter::enter() {
            let event = UserTaskEnd {
                user_task: UserTaskId(self.id),
                stack: StackId(u64::from(writer.stack_id())),
            };
            writer.event(self.created_tick, &event);
        }
    }
}

/// The current task carries a user task until this is dropped: see [`UserTask::enter`].
#[derive(Debug)]
#[must_use = "the user task is carried until this is dropped"]
pub struct Entered<'task> {
    user_task: &'task UserTask,
    /// What the task carried before, counted among its references.
    former: Option<&'static UserTaskRecord>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let (Some(task), Some(entered)) = (lane::current(), self.user_task.record)
            && task.user_task.is(entered)
        {
            task.user_task
                .replace(self.former.and_then(UserTaskRecord::hold_living));
            entered.release();
        }
        if let Some(former) = self.former {
            former.release();
        }
    }
}

/// Lets the task carry the user task of `record`, if both are there. Returns what it carried before, the reference with it.
fn carry(
    task: Option<&'static TaskRecord>,
    record: Option<&'static UserTaskRecord>,
) -> Option<&'static UserTaskRecord> {
    let (task, record) = (task?, record?);
    record.retain();
    task.user_task.replace(Some(record))
}

/// Logs a message under a key, for the user task that the current task carries.
///
/// Key and message may be any bytes. Readers know 1,024 bytes of a key and about 62 KiB of a message; what is longer is cut,
/// and that is counted. While no session is running it does nothing.
///
/// # Examples
///
/// ```
/// exectrace::log("cache", "miss");
/// ```
#[inline]
pub fn log(key: impl AsRef<[u8]>, message: impl AsRef<[u8]>) {
    if crate::recorder::is_enabled() {
        log_enabled(key.as_ref(), message.as_ref());
    }
}

#[inline(never)]
fn log_enabled(key: &[u8], message: &[u8]) {
    let user_task = lane::current().map_or(0, |task| task.user_task.id());
    let Some(mut writer) = LaneWriter::enter() else {
        return;
    };
    let kept = &message[..message.len().min(MESSAGE_BYTES_MAX)];
    if kept.len() < message.len() {
        writer.state().cut_texts += 1;
    }
    let event = UserLog {
        user_task: UserTaskId(user_task),
        key: writer.string_id(key),
        stack: StackId(u64::from(writer.stack_id())),
    };
    // Two events of room: the record, and the length of the message.
    if writer.room_bytes(kept.len() + 2 * exectrace_format::limits::EVENT_BYTES_MAX) {
        let tick = writer.tick_after(0);
        writer.emit(tick, &event);
        writer.append_message(kept);
    }
}
