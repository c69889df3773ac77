//! A thread that runs other tasks while its own one waits for them.

use std::marker::PhantomData;

use crate::block_reason::BlockReason;
use crate::lane;
use crate::task_slab::TaskRecord;
use crate::thread_task::Blocked;

/// The calling thread's task waits while the thread runs others, from here until this is dropped, as a `block_on` inside of a
/// task does. The thread counts as one without a task meanwhile.
///
/// # Examples
///
/// ```
/// use exectrace::hook::{BlockReason, Hosting, Task};
///
/// fn work() {}
///
/// let outer = Task::new(work as fn() as *const ());
/// let run = outer.start();
/// let hosting = Hosting::begin(BlockReason::Sync);
/// let root = Task::new(work as fn() as *const ());
/// root.start().block(BlockReason::Net);
/// root.start().end();
/// drop(hosting);
/// run.end();
/// ```
#[derive(Debug)]
#[must_use = "the thread's task waits until this is dropped"]
pub struct Hosting {
    record: Option<&'static TaskRecord>,
    stack_end: usize,
    /// Dropped after the task is the thread's again.
    _blocked: Option<Blocked>,
    /// What began on a thread ends on it.
    _this_thread: PhantomData<*const ()>,
}

impl Hosting {
    /// The calling thread is about to run other tasks. A thread without a task has nothing that could wait.
    pub fn begin(reason: BlockReason) -> Self {
        let record = lane::current();
        let blocked = record.map(|_| Blocked::new(reason));
        let stack_end = lane::existing().map_or(0, |lane| {
            lane.replace_current(None);
            lane.set_stack_end(0)
        });
        Self {
            record,
            stack_end,
            _blocked: blocked,
            _this_thread: PhantomData,
        }
    }
}

impl Drop for Hosting {
    fn drop(&mut self) {
        if let Some(lane) = lane::existing() {
            lane.replace_current(self.record);
            lane.set_stack_end(self.stack_end);
        }
    }
}
