//! The stopper's fence on behalf of all hooks: the kernel's `membarrier`, private and expedited.
#![expect(unsafe_code, reason = "the membarrier system call")]

use std::sync::OnceLock;
use std::sync::atomic::{Ordering, fence};

const CMD_PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
const CMD_REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

/// Registers the process, once. False where the kernel or a sandbox refuses: then hooks must fence themselves.
pub(crate) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| membarrier(CMD_REGISTER_PRIVATE_EXPEDITED))
}

/// A full fence on this thread, and on all threads of the process where `membarrier` is there.
pub(crate) fn fence_all_threads() {
    if is_available() && membarrier(CMD_PRIVATE_EXPEDITED) {
        return;
    }
    fence(Ordering::SeqCst);
}

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: the call takes no pointers.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
