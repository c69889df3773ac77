//! Leaves: the places where a task waits, and what a run that ends at some comes to.

use std::sync::atomic::Ordering;

use crate::batch::Patch;
use crate::block_reason::{BlockReason, LeafClass, code, weigh};
use crate::lane::{self, Lane};
use crate::lane_writer::LaneWriter;
use crate::quick_pen;
use crate::session_word;
use crate::stack_walk::Walk;
use crate::tables::StackEntry;
use crate::task_logger::{self, TaskLogger};
use crate::task_slab::TaskRecord;
use crate::task_word::{Pause, Paused};
use crate::walk_cache::HookKind;

/// Leaves of a run that are kept, at most.
pub(crate) const LEAVES_MAX: usize = 4;

/// A place where a task waits: the stack of a leaf future that cloned the task's waker.
#[derive(Clone, Copy, Debug)]
pub struct Leaf(&'static StackEntry);

impl Leaf {
    /// The caller's stack as a leaf. `None` when no session is running, or when the stack has no frames or no room.
    #[inline]
    pub fn here() -> Option<Self> {
        if !session_word::is_on() {
            return None;
        }
        let lane = lane::own()?;
        let walk = lane.walk(HookKind::Leaf);
        quick_pen::known_stack(lane, &walk)
            .or_else(|| Self::walk(lane, &walk))
            .map(Self)
    }

    #[cold]
    #[inline(never)]
    fn walk(lane: &'static Lane, walk: &Walk) -> Option<&'static StackEntry> {
        LaneWriter::enter_untimed_on(lane)?.stack(walk)
    }

    /// The type of block of a task that waits there alone. `None` if it does not wait, or that is not known.
    #[inline(always)]
    pub(crate) fn event_type(&self) -> Option<u8> {
        // Relaxed: a class that is seen late only means a patch.
        code::event_type(self.0.class.load(Ordering::Relaxed))
    }

    /// Its stack.
    #[inline(always)]
    pub(crate) fn stack(&self) -> &'static StackEntry {
        self.0
    }

    /// The id of its stack, which the session uses.
    #[inline]
    pub(crate) fn stack_id(self, writer: &mut LaneWriter) -> u32 {
        writer.use_stack(self.0)
    }
}

/// Writes that the running task waits at its leaves. While a leaf's class is unknown the choice is the collector's.
pub(crate) fn wait(writer: &mut LaneWriter, record: &'static TaskRecord, leaves: &[Leaf]) {
    if leaves.is_empty() {
        task_logger::pause(writer, record, BlockReason::Other, 0);
        return;
    }
    let leaves = &leaves[..leaves.len().min(LEAVES_MAX)];
    // Relaxed: a class that is seen late only means a patch.
    let codes = leaves
        .iter()
        .map(|leaf| leaf.0.class.load(Ordering::Relaxed));
    let open = codes.clone().any(|class| class == code::UNKNOWN);
    let verdict = weigh(codes);
    if let Some(verdict) = verdict {
        let stack = writer.use_stack(leaves[verdict.leaf].0);
        let mut logger = TaskLogger::new(writer, record, stack);
        match verdict.class {
            LeafClass::Waits(reason) => logger.block_type = reason.event_type(),
            LeafClass::Yields | LeafClass::Timer => {
                record.word.pause(&mut logger, Pause::Yield);
                return;
            }
        }
        record.word.pause(&mut logger, Pause::Block);
        return;
    }
    if !open {
        task_logger::pause(writer, record, BlockReason::Other, 0);
        return;
    }
    let mut patch = Patch {
        offset: 0,
        stacks_len: leaves.len() as u32,
        stacks: [0; LEAVES_MAX],
    };
    for (id, leaf) in patch.stacks.iter_mut().zip(leaves) {
        *id = writer.use_stack(leaf.0);
    }
    let last = patch.stacks[leaves.len() - 1];
    let mut logger = TaskLogger::new(writer, record, last);
    logger.open = true;
    let paused = record.word.pause(&mut logger, Pause::Block);
    patch.offset = logger.open_at;
    if paused == Paused::Blocked {
        writer.add_patch(patch);
    }
}
