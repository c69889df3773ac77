//! What a blocking closure's task is called by. The recorder knows this path.

use std::any::TypeId;
use std::hint::black_box;

/// The address of what a task with this closure runs.
pub(super) fn address<F, R>() -> *const ()
where
    F: FnOnce() -> R + 'static,
{
    run::<F, R> as fn(F) -> R as *const ()
}

/// Runs the closure: one function for each type of closure, whose name has that of the closure as its first argument.
#[inline(never)]
pub(super) fn run<F, R>(closure: F) -> R
where
    F: FnOnce() -> R + 'static,
{
    keep_apart(TypeId::of::<F>());
    closure()
}

/// Functions that do the same for two types would become one: what only one of them knows keeps them apart. And since this is
/// inlined into them, line tables have them, with their types.
#[inline(always)]
fn keep_apart<I>(identity: I) {
    black_box(identity);
}
