//! User tasks and user logs: what the program's author says about its work.

use std::sync::atomic::{AtomicU64, Ordering};

use exectrace_format::go_v1::{UserLog, UserTaskCreate, UserTaskEnd};
use exectrace_format::{StackId, UserTaskId};

use crate::lane;
use crate::lane_writer::{LaneWriter, MESSAGE_BYTES_MAX};
use crate::thread_task;

static NEXT_USER_TASK: AtomicU64 = AtomicU64::new(1);

/// A user task: a piece of the program's work, such as a request, which may run in many tasks and threads.
///
/// The task that makes it carries it from then on, over awaits and from thread to thread, and tasks that it spawns inherit
/// it; regions and logs belong to the user task that is carried. It ends when it is dropped.
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
    /// What the task carried before.
    parent: u64,
    created_tick: u64,
}

impl UserTask {
    /// Begins a user task, a child of the one that the current task carries, and lets the current task carry it.
    ///
    /// The name may be any bytes; readers know 1,024 of them.
    #[inline(never)]
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let record = thread_task::current_or_adopt();
        // Relaxed: only the numbers must differ.
        let id = NEXT_USER_TASK.fetch_add(1, Ordering::Relaxed);
        // Relaxed: stored by the task's thread.
        let parent = record.map_or(0, |record| record.user_task.swap(id, Ordering::Relaxed));
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
            parent,
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
        let record = thread_task::current_or_adopt();
        Entered {
            // Relaxed: stored by the task's thread.
            former: record.map_or(0, |record| {
                record.user_task.swap(self.id, Ordering::Relaxed)
            }),
            user_task: self,
        }
    }
}

impl Drop for UserTask {
    #[inline(never)]
    fn drop(&mut self) {
        leave(self.id, self.parent);
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
    former: u64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        leave(self.user_task.id, self.former);
    }
}

/// The current task carries `former` again, if it carries `id`.
fn leave(id: u64, former: u64) {
    if let Some(record) = lane::current() {
        // Relaxed: stored by the task's thread.
        let _ = record
            .user_task
            .compare_exchange(id, former, Ordering::Relaxed, Ordering::Relaxed);
    }
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
    // Relaxed: stored by the task's thread.
    let user_task = lane::current().map_or(0, |record| record.user_task.load(Ordering::Relaxed));
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
