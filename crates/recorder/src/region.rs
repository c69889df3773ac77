//! User regions: named stretches of a task's work, which nest.
//!
//! Go's readers refuse a region's end that is not that of the innermost open one. Guards in Rust can be dropped in any order
//! and by any task, so each open region has a node on the list of its task:
//!
//! ```text
//!  task ──► innermost ──► … ──► outermost        a guard that is dropped marks its node as closed;
//!                                                closed nodes at the head are ended and taken off
//! ```
//!
//! A region whose guard is dropped out of order thus ends together with the one inside it, and one whose guard is dropped by
//! another task ends with its task's next region, or with the task.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use exectrace_format::go_v1::UserRegion;
use exectrace_format::{StackId, StringId, UserTaskId};

use crate::free_list::FreeList;
use crate::lane;
use crate::lane_writer::LaneWriter;
use crate::task_slab::TaskRecord;
use crate::thread_task;

/// Open regions at one time, at most. Those beyond are not recorded, and counted as dropped.
const NODES: usize = 1 << 16;

/// The guard is gone.
const CLOSED: u8 = 1;
/// The task has taken the node off its list.
const OFF: u8 = 2;

#[derive(Debug, Default)]
struct Node {
    user_task: AtomicU64,
    name: AtomicU32,
    /// Stamp of the session that saw it begin.
    session: AtomicU64,
    /// Index + 1 of the next outer one.
    outer: AtomicU32,
    flags: AtomicU8,
    next_free: AtomicU32,
}

struct Nodes {
    nodes: Box<[Node]>,
    fresh: AtomicU32,
    free: FreeList,
}

static NODES_MADE: OnceLock<Nodes> = OnceLock::new();

/// Makes the nodes, so that no hook has to. To be called before the first session.
pub(crate) fn prepare() {
    NODES_MADE.get_or_init(|| Nodes {
        nodes: (0..NODES).map(|_| Node::default()).collect(),
        fresh: AtomicU32::new(0),
        free: FreeList::new(),
    });
}

impl Nodes {
    fn take(&self) -> Option<u32> {
        let link = |index: u32| Some(&self.nodes.get(index as usize)?.next_free);
        self.free.pop(link).or_else(|| {
            // Relaxed: claims a number.
            self.fresh
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |fresh| {
                    ((fresh as usize) < NODES).then_some(fresh + 1)
                })
                .ok()
        })
    }

    fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// Sets a flag of a node; the second flag frees it.
    fn flag(&self, index: u32, flag: u8) {
        let node = self.node(index);
        // AcqRel: whoever sets the second flag sees all that the other did, and gives the node back.
        if node.flags.fetch_or(flag, Ordering::AcqRel) | flag == CLOSED | OFF {
            self.free.push(index, &node.next_free);
        }
    }
}

/// A user region of the current task, from its making until it is dropped.
///
/// A thread that runs no task gets one of its own. May be held across awaits. While no session is running it does nothing.
///
/// # Examples
///
/// ```
/// {
///     let _region = exectrace::Region::new("parse");
///     // The work of the region.
/// }
/// ```
#[derive(Debug)]
#[must_use = "a region ends when it is dropped"]
pub struct Region(Place);

/// Where a region stands in the recording.
#[derive(Debug)]
enum Place {
    /// No session saw it begin.
    Nowhere,
    /// It has a node on the list of the task with this id.
    Listed { node: u32, task: u64 },
    /// The session with this stamp saw it begin when all nodes were in use: neither its begin nor its end is written.
    Dropped { session: u64 },
}

impl Region {
    /// Begins a region. The name may be any bytes; readers know 1,024 of them.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        if !crate::recorder::is_enabled() {
            return Self(Place::Nowhere);
        }
        Self(begin(name.as_ref()))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        match self.0 {
            Place::Nowhere => {}
            Place::Listed { node, task } => end(node, task),
            Place::Dropped { session } => {
                if let Some(mut writer) = LaneWriter::enter()
                    && writer.stamp().word() == session
                {
                    writer.state().dropped_regions += 1;
                }
            }
        }
    }
}

#[inline(never)]
fn begin(name: &[u8]) -> Place {
    let (Some(nodes), Some(record)) = (NODES_MADE.get(), thread_task::current_or_adopt()) else {
        return Place::Nowhere;
    };
    let Some(mut writer) = LaneWriter::enter() else {
        return Place::Nowhere;
    };
    end_closed(&mut writer, nodes, record);
    let session = writer.stamp().word();
    let Some(index) = nodes.take() else {
        writer.state().dropped_regions += 1;
        return Place::Dropped { session };
    };
    let node = nodes.node(index);
    let name = writer.string_id(name);
    let user_task = record.user_task.id();
    node.user_task.store(user_task, Ordering::Relaxed); // Relaxed: the task's threads follow one another.
    node.name.store(name.0 as u32, Ordering::Relaxed); // Relaxed: as above.
    node.flags.store(0, Ordering::Relaxed); // Relaxed: as above.
    node.session.store(session, Ordering::Relaxed); // Relaxed: as above.
    let outer = record.regions.load(Ordering::Relaxed); // Relaxed: as above.
    node.outer.store(outer, Ordering::Relaxed); // Relaxed: as above.
    let mut stack = writer.stack_id();
    if stack == 0 {
        // Go 1.19's pages need a frame here.
        stack = writer.start_stack(record.entry());
    }
    let write = |writer: &mut LaneWriter| write(writer, node, 0, stack);
    if !thread_task::as_running(&mut writer, record, write) {
        nodes.flag(index, CLOSED);
        nodes.flag(index, OFF);
        return Place::Nowhere;
    }
    record.regions.store(index + 1, Ordering::Relaxed); // Relaxed: as above.
    Place::Listed {
        node: index,
        task: record.id(),
    }
}

/// The guard of the region at node `index`, of the task with the id `task`, is gone.
fn end(index: u32, task: u64) {
    let Some(nodes) = NODES_MADE.get() else {
        return;
    };
    // The flag comes first; from then on the node is the task's.
    nodes.flag(index, CLOSED);
    let Some(record) = lane::current() else {
        return;
    };
    if record.id() != task {
        return;
    }
    if let Some(mut writer) = LaneWriter::enter() {
        end_closed(&mut writer, nodes, record);
    } else {
        take_off_closed(nodes, record, |_| true);
    }
}

/// The task has ended: its regions go off its list. Readers end what is open with the task.
pub(crate) fn abandon(record: &TaskRecord) {
    // Relaxed: the task has ended; nobody else uses the list.
    let mut next = record.regions.load(Ordering::Relaxed);
    if next == 0 {
        return;
    }
    record.regions.store(0, Ordering::Relaxed); // Relaxed: as above.
    let Some(nodes) = NODES_MADE.get() else {
        return;
    };
    while let Some(index) = next.checked_sub(1) {
        next = nodes.node(index).outer.load(Ordering::Relaxed); // Relaxed: as above.
        nodes.flag(index, OFF);
    }
}

/// Ends the innermost regions whose guards are gone. Where the task cannot speak, while it waits, they end with its next one.
///
/// Of a region that a former session saw begin, this one knows neither the begin nor the name.
fn end_closed(writer: &mut LaneWriter, nodes: &Nodes, record: &'static TaskRecord) {
    take_off_closed(nodes, record, |node| {
        // Relaxed: constant while the node is on the list.
        if node.session.load(Ordering::Relaxed) != writer.stamp().word() {
            return true;
        }
        let stack = writer.stack_id();
        thread_task::as_running(writer, record, |writer| write(writer, node, 1, stack))
    });
}

/// Takes closed nodes off the head of the list, as long as `ended` answers true.
fn take_off_closed(nodes: &Nodes, record: &TaskRecord, mut ended: impl FnMut(&Node) -> bool) {
    // Relaxed: the task's threads follow one another.
    let mut next = record.regions.load(Ordering::Relaxed);
    while let Some(index) = next.checked_sub(1) {
        let node = nodes.node(index);
        // Acquire: pairs with the AcqRel in `flag`.
        if node.flags.load(Ordering::Acquire) & CLOSED == 0 {
            break;
        }
        if !ended(node) {
            break;
        }
        next = node.outer.load(Ordering::Relaxed); // Relaxed: as above.
        nodes.flag(index, OFF);
    }
    // Relaxed: as above.
    record.regions.store(next, Ordering::Relaxed);
}

fn write(writer: &mut LaneWriter, node: &Node, mode: u64, stack: u32) {
    let event = UserRegion {
        // Relaxed: constant while the node is on the list.
        user_task: UserTaskId(node.user_task.load(Ordering::Relaxed)),
        mode,
        // Relaxed: as above.
        name: StringId(u64::from(node.name.load(Ordering::Relaxed))),
        stack: StackId(u64::from(stack)),
    };
    let tick = writer.tick_after(0);
    writer.emit(tick, &event);
}
