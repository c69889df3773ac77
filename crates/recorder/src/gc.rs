//! Hooks of a runtime with a garbage collector, and of heaps.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use exectrace_format::StackId;
use exectrace_format::go_v1::{
    GCDone, GCMarkAssistDone, GCMarkAssistStart, GCSTWDone, GCSTWStart, GCStart, GCSweepDone,
    GCSweepStart, HeapAlloc, HeapGoal,
};

use crate::gate::SessionStamp;
use crate::lane;
use crate::lane_writer::LaneWriter;
use crate::runtime_range::RuntimeRange;
use crate::session_word;
use crate::thread_task;

static CYCLE: RuntimeRange = RuntimeRange::new();
static STOP: RuntimeRange = RuntimeRange::new();

/// A cycle of the garbage collector begins (GCStart). Ignored while one is open.
#[inline(never)]
pub fn gc_start() {
    let Some(mut writer) = LaneWriter::enter() else {
        return;
    };
    let stack = StackId(u64::from(writer.stack_id()));
    CYCLE.begin(&mut writer, |begun| GCStart {
        seq: exectrace_format::Seq(begun),
        stack,
    });
}

/// The cycle ends (GCDone). Ignored when the recording did not see it begin.
pub fn gc_done() {
    if let Some(mut writer) = LaneWriter::enter() {
        CYCLE.end(&mut writer, &GCDone {});
    }
}

/// Why the world is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopTheWorldKind {
    /// Marking ends.
    MarkTermination,
    /// Sweeping ends, marking begins.
    SweepTermination,
}

/// The calling thread's task stops all tasks (GCSTWStart). Ignored while they are stopped already.
///
/// A thread without a task gets one of its own: for Go 1.27 a stop is a task's.
pub fn stop_the_world(kind: StopTheWorldKind) {
    by_a_task(|writer| {
        STOP.begin(writer, |_| GCSTWStart { kind: kind as u64 });
    });
}

/// The tasks go on (GCSTWDone). Ignored when the recording did not see them stop.
pub fn start_the_world() {
    by_a_task(|writer| {
        STOP.end(writer, &GCSTWDone {});
    });
}

/// Lets the calling thread's task write, also in a system call; a thread without one gets one.
fn by_a_task(write: impl FnOnce(&mut LaneWriter)) {
    if !session_word::is_on() {
        return;
    }
    let Some(record) = thread_task::current_or_adopt() else {
        return;
    };
    if let Some(mut writer) = LaneWriter::enter() {
        thread_task::as_running(&mut writer, record, write);
    }
}

/// The calling thread's worker sweeps, until this is dropped or told what came of it.
#[derive(Debug)]
#[must_use = "the sweep ends when this is dropped"]
pub struct Sweep {
    begun: Option<SessionStamp>,
    _this_thread: PhantomData<*const ()>,
}

impl Sweep {
    /// Begins a sweep (GCSweepStart). A sweep inside a sweep of the same thread writes nothing.
    #[inline(never)]
    pub fn start() -> Self {
        let mut begun = None;
        if let Some(mut writer) = LaneWriter::enter()
            && !writer.state().sweeping
        {
            let stack = StackId(u64::from(writer.stack_id()));
            if writer.event(0, &GCSweepStart { stack }).is_some() {
                writer.state().sweeping = true;
                begun = Some(writer.stamp());
            }
        }
        Self {
            begun,
            _this_thread: PhantomData,
        }
    }

    /// Ends the sweep: so many bytes were looked at, and so many of them are free again (GCSweepDone).
    pub fn done(mut self, swept_bytes: u64, reclaimed_bytes: u64) {
        self.finish(swept_bytes, reclaimed_bytes);
    }

    fn finish(&mut self, swept_bytes: u64, reclaimed_bytes: u64) {
        let Some(begun) = self.begun.take() else {
            return;
        };
        if let Some(mut writer) = LaneWriter::enter()
            && writer.stamp() == begun
        {
            let event = GCSweepDone {
                swept_bytes,
                reclaimed_bytes,
            };
            writer.event(0, &event);
            writer.state().sweeping = false;
        }
    }
}

impl Drop for Sweep {
    fn drop(&mut self) {
        self.finish(0, 0);
    }
}

/// The current task helps the garbage collector, until this is dropped (GCMarkAssistStart, GCMarkAssistDone).
///
/// A task that has no run on this thread, or helps already, writes nothing.
#[derive(Debug)]
#[must_use = "the assist ends when this is dropped"]
pub struct MarkAssist {
    begun: Option<SessionStamp>,
    _this_thread: PhantomData<*const ()>,
}

impl MarkAssist {
    /// Begins an assist.
    #[inline(never)]
    pub fn start() -> Self {
        let mut begun = None;
        if let Some(mut writer) = LaneWriter::enter()
            && let Some(record) = lane::current()
            && writer.running() == record.id()
            // Relaxed: of the thread that runs the task.
            && !record.assists.swap(true, Ordering::Relaxed)
        {
            let stack = StackId(u64::from(writer.stack_id()));
            if writer.event(0, &GCMarkAssistStart { stack }).is_some() {
                begun = Some(writer.stamp());
            }
        }
        Self {
            begun,
            _this_thread: PhantomData,
        }
    }
}

impl Drop for MarkAssist {
    fn drop(&mut self) {
        let Some(begun) = self.begun else {
            return;
        };
        let Some(record) = lane::current() else {
            return;
        };
        if let Some(mut writer) = LaneWriter::enter()
            && writer.stamp() == begun
        {
            writer.event(0, &GCMarkAssistDone {});
        }
        // Relaxed: as above.
        record.assists.store(false, Ordering::Relaxed);
    }
}

/// So many bytes of the heap are live (HeapAlloc).
pub fn heap_live(bytes: u64) {
    if let Some(mut writer) = LaneWriter::enter() {
        writer.event(0, &HeapAlloc { live_bytes: bytes });
    }
}

/// The heap may grow to so many bytes (HeapGoal); 0 for no limit.
pub fn heap_goal(bytes: u64) {
    if let Some(mut writer) = LaneWriter::enter() {
        writer.event(0, &HeapGoal { goal_bytes: bytes });
    }
}
