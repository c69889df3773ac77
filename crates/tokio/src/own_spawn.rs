//! The moment in which a traced task is spawned: Tokio's hooks need not tell of it.

#[cfg(tokio_unstable)]
use std::cell::Cell;

#[cfg(tokio_unstable)]
thread_local! {
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Until this is dropped, what the thread spawns is traced already.
#[must_use]
pub(crate) struct OwnSpawn {
    #[cfg(tokio_unstable)]
    outer: bool,
}

impl OwnSpawn {
    #[inline]
    pub(crate) fn begin() -> Self {
        Self {
            #[cfg(tokio_unstable)]
            outer: IS_OWN.replace(true),
        }
    }

    /// Whether what the thread spawns now is traced already.
    #[cfg(tokio_unstable)]
    pub(crate) fn is_happening() -> bool {
        IS_OWN.get()
    }
}

#[cfg(tokio_unstable)]
impl Drop for OwnSpawn {
    fn drop(&mut self) {
        IS_OWN.set(self.outer);
    }
}
