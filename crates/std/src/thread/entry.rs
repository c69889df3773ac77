//! Where threads begin: a function for each type of closure, by whose address a recording groups them.

use std::any::{TypeId, type_name};
use std::hint::black_box;

/// The address of what a thread with this closure runs.
pub(super) fn address<F, T>() -> *const ()
where
    F: FnOnce() -> T + 'static,
{
    run::<F, T> as fn(F) -> T as *const ()
}

/// As [`address`], for a closure that borrows.
pub(super) fn address_scoped<F, T>() -> *const ()
where
    F: FnOnce() -> T,
{
    run_scoped::<F, T> as fn(F) -> T as *const ()
}

/// Runs the closure.
#[inline(never)]
pub(super) fn run<F, T>(main: F) -> T
where
    F: FnOnce() -> T + 'static,
{
    keep_apart(TypeId::of::<F>());
    main()
}

/// As [`run`], for a closure that borrows. Such a type has no number of its own, so closures of the same function that do the
/// same may become one.
#[inline(never)]
pub(super) fn run_scoped<F, T>(main: F) -> T
where
    F: FnOnce() -> T,
{
    keep_apart(type_name::<F>());
    main()
}

/// Functions that do the same for two types would become one: what only one of them knows keeps them apart. And since this is
/// inlined into them, debug information names them, with their types; line tables alone leave out functions in which nothing
/// is.
#[inline(always)]
fn keep_apart<I>(identity: I) {
    black_box(identity);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address_of<F: FnOnce() -> T + 'static, T>(_: &F) -> *const () {
        address::<F, T>()
    }

    fn scoped_address_of<F: FnOnce() -> T, T>(_: &F) -> *const () {
        address_scoped::<F, T>()
    }

    mod elsewhere {
        pub(super) fn closure() -> impl FnOnce() -> u32 {
            || black_box(1)
        }

        use std::hint::black_box;
    }

    #[test]
    fn closures_that_do_the_same_have_addresses_of_their_own() {
        let closures = (|| black_box(1), || black_box(1), || black_box(2));
        let addresses = [
            address_of(&closures.0),
            address_of(&closures.1),
            address_of(&closures.2),
        ];
        assert_ne!(addresses[0], addresses[1]);
        assert_ne!(addresses[1], addresses[2]);
        assert_ne!(addresses[0], addresses[2]);
        let (here, there) = (|| black_box(1), elsewhere::closure());
        assert_ne!(scoped_address_of(&here), scoped_address_of(&there));
        assert_eq!(run(here) + run_scoped(there), 2);
    }
}
