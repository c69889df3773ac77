//! Reading memory that may not be there: by a system call, so that a bad address is an error and not a fault.
#![expect(unsafe_code, reason = "process_vm_readv of this process")]

use std::sync::atomic::{AtomicI32, Ordering};

/// The smallest page there is: the kernel stops at the first page that it cannot read, so none must be split over two requests.
const PAGE: usize = 4096;

/// Pieces of a read: enough for two pages that begin in the middle of one.
const PIECES: usize = 3;

/// The most bytes that one read gives.
pub(super) const BYTES_MAX: usize = (PIECES - 1) * PAGE;

/// This process, by number. A child of fork has no timers and never asks.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// To be called before the first read.
pub(super) fn prepare() {
    let process = i32::try_from(std::process::id()).unwrap_or(0);
    // Relaxed: stored before the timers are made whose handlers read it.
    PROCESS.store(process, Ordering::Relaxed);
}

/// Copies memory from `address` on; answers how many bytes could be read, at most [`BYTES_MAX`]. A read that crosses into a
/// page that is not there ends in front of it.
///
/// # Signal safety
/// One system call, which may change `errno`.
pub(super) fn read(address: usize, into: &mut [u8]) -> usize {
    let wanted = into.len().min(BYTES_MAX);
    if wanted == 0 || address.checked_add(wanted).is_none() {
        return 0;
    }
    let nothing = libc::iovec {
        iov_base: std::ptr::null_mut(),
        iov_len: 0,
    };
    let mut pieces = [nothing; PIECES];
    let (mut count, mut at) = (0, address);
    while at < address + wanted {
        let end = (at / PAGE + 1).saturating_mul(PAGE).min(address + wanted);
        pieces[count] = libc::iovec {
            iov_base: std::ptr::without_provenance_mut(at),
            iov_len: end - at,
        };
        count += 1;
        at = end;
    }
    let whole = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: wanted,
    };
    // Relaxed: see `prepare`.
    let process = PROCESS.load(Ordering::Relaxed);
    // SAFETY: the kernel writes at most so many bytes into the slice, and checks the addresses that it reads from.
    let answer = unsafe {
        libc::process_vm_readv(
            process,
            &raw const whole,
            1,
            pieces.as_ptr(),
            count as libc::c_ulong,
            0,
        )
    };
    usize::try_from(answer).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Reservation;

    #[test]
    fn a_read_ends_where_memory_does() {
        prepare();
        let memory = Reservation::new(4 * PAGE).expect("address space");
        let hole = memory.at(2 * PAGE).as_ptr().cast();
        // SAFETY: the page is the test's own and nobody reads it directly.
        assert_eq!(unsafe { libc::mprotect(hole, PAGE, libc::PROT_NONE) }, 0);
        let mut bytes = [0xee; BYTES_MAX];
        let base = memory.at(0).addr().get();
        assert_eq!(read(base, &mut bytes), BYTES_MAX);
        assert!(bytes.iter().all(|&byte| byte == 0));
        assert_eq!(read(base + PAGE + 8, &mut bytes), PAGE - 8);
        assert_eq!(read(base + 2 * PAGE, &mut bytes), 0);
        assert_eq!(read(base + 3 * PAGE, &mut bytes[..16]), 16);
        for nowhere in [0, 8, usize::MAX - 100, usize::MAX] {
            assert_eq!(read(nowhere, &mut bytes), 0, "{nowhere:#x}");
        }
    }
}
