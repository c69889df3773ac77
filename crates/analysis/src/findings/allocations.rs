//! CPU time that goes into memory allocation.

use std::collections::BTreeMap;

use exectrace_reader::{Event, Kind, StackId, Tables, TaskId, Timestamp};

use super::place::{self, Place};
use super::scene::Scene;
use super::worst::Worst;
use super::{Class, Explained, Loss, Rule};
use crate::Context;

/// How often Go takes samples, and our recorder unless it says otherwise.
const USUAL_HZ: f64 = 100.0;

/// So many samples say something, and this share of all is too much.
const COUNT_MIN: u64 = 20;
const SHARE_MIN: f64 = 0.15;

/// Allocators' functions are among so many innermost frames.
const FRAMES: usize = 8;

/// Functions of allocators: those that begin so, of C, Rust and Go.
const ALLOCATORS: [&str; 24] = [
    "malloc",
    "calloc",
    "realloc",
    "free",
    "cfree",
    "_int_malloc",
    "_int_free",
    "_int_realloc",
    "__libc_malloc",
    "__libc_free",
    "__libc_calloc",
    "__libc_realloc",
    "unlink_chunk",
    "malloc_consolidate",
    "sysmalloc",
    "tcache_",
    "__rust_alloc",
    "__rust_dealloc",
    "__rust_realloc",
    "alloc::alloc::",
    "<alloc::alloc::Global",
    "std::alloc::",
    "runtime.mallocgc",
    "runtime.growslice",
];

#[derive(Clone, Debug, Default)]
pub(super) struct Allocations {
    total: u64,
    /// Samples by stack: how many, and when first by which task.
    by_stack: BTreeMap<u64, (u64, TaskId, Timestamp)>,
}

impl Rule for Allocations {
    fn event(&mut self, event: &Event, context: &Context<'_>, _: &Scene) {
        if event.kind == Kind::Sample && context.window.contains(event.time) {
            self.total += 1;
            let samples = self.by_stack.entry(event.stack.0);
            samples.or_insert((0, event.task, event.time)).0 += 1;
        }
    }

    fn losses(&self, context: &Context<'_>, _: &mut Explained) -> Vec<Loss> {
        let rate = context.description.sample_rate();
        let hz = rate.map_or(USUAL_HZ, |rate| rate.effective_hz.max(1.0));
        let period_ns = (1e9 / hz) as i64;
        let mut by_place = BTreeMap::<Place, (u64, Worst)>::new();
        let mut allocating = 0;
        for (&stack, &(count, task, time)) in &self.by_stack {
            let stack = StackId(stack);
            if !allocates(stack, context.tables) {
                continue;
            }
            allocating += count;
            if let Some(place) = place::own(stack, context.tables) {
                let (sum, worst) = by_place.entry(place).or_default();
                *sum += count;
                let lost_ns = i64::try_from(count)
                    .unwrap_or(i64::MAX)
                    .saturating_mul(period_ns);
                worst.add_case(lost_ns, task, (time, time), stack);
            }
        }
        if allocating < COUNT_MIN || (allocating as f64) < self.total as f64 * SHARE_MIN {
            return Vec::new();
        }
        let losses = by_place.into_iter().map(|(place, (count, worst))| Loss {
            class: Class::Allocation,
            lost_ns: i64::try_from(count)
                .unwrap_or(i64::MAX)
                .saturating_mul(period_ns),
            count,
            place: Some(place),
            cause: None,
            evidence: worst.evidence(context),
        });
        losses.collect()
    }
}

/// Whether a stack is inside an allocator.
fn allocates(stack: StackId, tables: &Tables<'_>) -> bool {
    tables.frames(stack).take(FRAMES).any(|frame| {
        let function = tables.text(frame.function);
        ALLOCATORS.iter().any(|name| function.starts_with(name))
    })
}
