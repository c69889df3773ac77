//! Tasks that somebody else's Tokio spawned on a runtime of ours.

/// Until this is dropped, what the thread spawns is traced already, and no concern of Tokio's hooks.
#[must_use]
pub(crate) struct OwnSpawn;

impl OwnSpawn {
    #[inline]
    pub(crate) fn begin() -> Self {
        Self
    }
}
