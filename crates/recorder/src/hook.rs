//! The runtime hooks: what an executor, a thread library or a language runtime calls so that its scheduling is recorded.
//!
//! | what happens | hook |
//! | --- | --- |
//! | a task is spawned, runs, waits, yields, is woken, ends | [`Task`], [`Run`], [`TaskRef`], [`BlockReason`] |
//! | a poll returns Pending | [`Run::wait`] with a [`Leaf`] for each waker that was cloned; [`WakerCell`] is what wakers point to |
//! | a thread blocks, with its task | [`Blocked`], [`adopt_thread`] |
//! | a thread runs others while its task waits | [`Hosting`] |
//! | a system call | [`Syscall`] if it blocks, [`short_syscall`] if not |
//! | a worker has nothing to run | [`worker_parks`] |
//! | a thread's purpose | [`set_thread_role`] |
//! | what recordings should say beside | [`add_describer`] |
//! | a green thread's stack | [`set_stack_bounds`] |
//! | a garbage collector's cycle, stop, sweep, assist | [`gc_start`], [`stop_the_world`], [`Sweep`], [`MarkAssist`] |
//! | the heap's size and limit | [`heap_live`], [`heap_goal`] |
//!
//! A hook never panics, blocks or allocates, and with no session running it is a load and a branch. Calls that contradict each
//! other (an end without a begin) are ignored, so that no recording is spoiled by them.
//!
//! # Examples
//!
//! ```
//! use exectrace::hook::{BlockReason, Task, worker_parks};
//!
//! fn job() {}
//!
//! let session = exectrace::start(std::io::sink())?;
//! let task = Task::new(job as fn() as *const ());
//! task.start().block(BlockReason::Receive);
//! worker_parks();
//! task.reference().wake();
//! task.start().end();
//! drop(task);
//! let statistics = session.stop();
//! assert_eq!(statistics.events.of("GoBlockRecv"), 1);
//! # Ok::<(), exectrace::Error>(())
//! ```

pub use crate::block_reason::{BlockReason, LeafClass};
pub use crate::description::Describer;
pub use crate::gc::{
    MarkAssist, StopTheWorldKind, Sweep, gc_done, gc_start, heap_goal, heap_live, start_the_world,
    stop_the_world,
};
pub use crate::hosting::Hosting;
pub use crate::leaf::Leaf;
pub use crate::run::{PlainRun, Run};
pub use crate::stack_frames::LeafClassifier;
pub use crate::stack_walk::StackBounds;
pub use crate::task::{Task, live_tasks};
pub use crate::task_ref::{TaskRef, current_runtime, enter_runtime};
pub use crate::thread_role::ThreadRole;
pub use crate::thread_task::{Blocked, Syscall, adopt_thread, short_syscall};
pub use crate::waker_cell::{TaskCell, WakerCell};

use crate::lane;
use crate::lane_writer::LaneWriter;

/// The calling thread's worker has nothing to run (ProcStop). The next start of a task writes its ProcStart.
#[inline]
pub fn worker_parks() {
    if let Some(mut writer) = LaneWriter::enter() {
        writer.stop_proc();
    }
}

/// Says what the calling thread is there for; its name is read again. For thread starts.
pub fn set_thread_role(role: ThreadRole) {
    lane::set_role(role);
}

/// Sets where the stack lies that the calling thread runs on, for runtimes that switch stacks; returns the former bounds.
///
/// # Safety
/// The whole stretch must be mapped and readable until the bounds are set again: stacks are walked by loads from it.
#[expect(unsafe_code, reason = "the caller vouches for the stretch of memory")]
pub unsafe fn set_stack_bounds(bounds: StackBounds) -> StackBounds {
    lane::own().map_or(bounds, |lane| lane.set_stack_bounds(bounds))
}

/// Sets how the leaves of waits are told apart by the functions on their stacks, innermost first. The first classifier set
/// stays; false if there was one. It is called on a thread of the recorder; where it panics the leaf stands without a reason, which
/// is counted ([`Statistics::failed_callbacks`](crate::Statistics::failed_callbacks)).
pub fn set_leaf_classifier(classifier: LeafClassifier) -> bool {
    crate::stack_frames::set_classifier(classifier)
}

/// Lets an adapter say something in each recording, as a log under `key`: when it starts, when it ends, and within a second of a
/// change. `describer` is called on a thread of the recorder. The last one that is set for a key stays.
/// One that panics is asked no more in that recording, and counted
/// ([`Statistics::failed_callbacks`](crate::Statistics::failed_callbacks)).
///
/// # Examples
///
/// ```
/// exectrace::hook::add_describer("kitchen.stoves", || Some("lit=2".to_owned()));
/// let statistics = exectrace::start(std::io::sink())?.stop();
/// assert!(statistics.events.of("UserLog") > 0);
/// # Ok::<(), exectrace::Error>(())
/// ```
pub fn add_describer(key: &'static str, describer: Describer) {
    crate::description::add_describer(key, describer);
}
