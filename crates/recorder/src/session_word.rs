//! The one word that says whether a session is running, alone in its page.
//!
//! A hook's first act is a relaxed load of it. The page is wiped in a child of `fork`, so that a child records nothing and
//! corrupts nothing; where the kernel cannot wipe it, a fork handler clears the word.
#![expect(
    unsafe_code,
    reason = "madvise and pthread_atfork on the page of the session word"
)]

use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Smallest page of the platforms that we know; the word is alone in an aligned stretch of this size at least.
const PAGE: usize = 65_536;

#[repr(C, align(65536))]
struct SessionPage {
    word: AtomicU64,
    _alone: [u8; PAGE - 8],
}

static SESSION: SessionPage = SessionPage {
    word: AtomicU64::new(0),
    _alone: [0; PAGE - 8],
};

/// The session word: 0 when off, else a [`crate::gate::SessionStamp`].
#[inline(always)]
pub(crate) fn word() -> &'static AtomicU64 {
    &SESSION.word
}

/// Whether a session is running, by a relaxed load: for the off path of the hooks and for `is_enabled`.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    // Relaxed: a guess that the gate's own load confirms.
    SESSION.word.load(Ordering::Relaxed) != 0
}

/// Sees to it that a child of `fork` finds the word cleared. To be called before the first session.
pub(crate) fn protect_from_fork() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let page = std::ptr::from_ref(&SESSION).cast_mut().cast();
        // SAFETY: the range is the whole of our own static, which no other data shares; wiping happens only in a child.
        let wiped = unsafe { libc::madvise(page, PAGE, libc::MADV_WIPEONFORK) } == 0;
        if !wiped {
            // SAFETY: the handler only stores to a static, which is allowed after a fork.
            unsafe { libc::pthread_atfork(None, None, Some(clear_in_child)) };
        }
    });
}

/// # Signal safety
/// One store.
extern "C" fn clear_in_child() {
    // Relaxed: a child of fork has one thread.
    SESSION.word.store(0, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_alone_in_its_page() {
        assert_eq!(std::mem::size_of::<SessionPage>(), PAGE);
        assert_eq!(std::ptr::from_ref(&SESSION).addr() % PAGE, 0);
    }
}
