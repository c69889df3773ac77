//! A timer on the CPU clock of one thread, whose signal goes to that thread.
//!
//! By system calls: the C library's `timer_create` allocates in some versions, and numbers timers in its own way in others.
#![expect(unsafe_code, reason = "the timer system calls")]

use std::io;
use std::mem::MaybeUninit;

/// A timer of the kernel's. It lives until [`ThreadTimer::delete`], and does not outlive the process or reach a child.
#[derive(Debug)]
pub(super) struct ThreadTimer {
    id: libc::c_int,
}

impl ThreadTimer {
    /// A timer that is not running yet and will send `SIGPROF` with `value`.
    ///
    /// # Errors
    /// `EINVAL` when the process has no such thread (any more), `EAGAIN` at the limit of pending signals.
    pub(super) fn new(thread: i32, value: usize) -> io::Result<Self> {
        // SAFETY: all zero bytes are a value of this plain structure.
        let mut event: libc::sigevent = unsafe { MaybeUninit::zeroed().assume_init() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGPROF;
        event.sigev_notify_thread_id = thread;
        event.sigev_value.sival_ptr = std::ptr::without_provenance_mut(value);
        let mut id: libc::c_int = 0;
        // SAFETY: both pointers are to locals that outlive the call; the kernel's own structures have the same layout.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_timer_create,
                cpu_clock_of(thread),
                &raw mut event,
                &raw mut id,
            )
        };
        if answer == 0 {
            Ok(Self { id })
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Lets it fire once after `first_ns` of the thread's CPU time, then every `period_ns`.
    pub(super) fn start(&self, first_ns: u64, period_ns: u64) {
        let times = libc::itimerspec {
            it_interval: timespec(period_ns),
            it_value: timespec(first_ns.max(1)),
        };
        let former = std::ptr::null_mut::<libc::itimerspec>();
        // SAFETY: the timer is ours, and the pointer is to a local that outlives the call. A thread that is gone is an error
        // that the next look finds.
        unsafe {
            libc::syscall(
                libc::SYS_timer_settime,
                self.id,
                0,
                &raw const times,
                former,
            )
        };
    }

    /// Whether its thread still lives, if it was started.
    pub(super) fn has_thread(&self) -> bool {
        let mut times = MaybeUninit::<libc::itimerspec>::zeroed();
        // SAFETY: the timer is ours, and the pointer is to a local that outlives the call.
        let answer = unsafe { libc::syscall(libc::SYS_timer_gettime, self.id, times.as_mut_ptr()) };
        // SAFETY: all zero before, and all zero bytes are a value.
        let times = unsafe { times.assume_init() };
        let left = [times.it_value, times.it_interval];
        answer == 0
            && left
                .iter()
                .any(|time| time.tv_sec != 0 || time.tv_nsec != 0)
    }

    /// No more signals are made. One that is on its way still comes.
    pub(super) fn delete(self) {
        // SAFETY: the timer is ours and is not used any more.
        unsafe { libc::syscall(libc::SYS_timer_delete, self.id) };
    }
}

/// The clock of the CPU time of a thread of this process, as the kernel numbers such clocks.
fn cpu_clock_of(thread: i32) -> libc::clockid_t {
    const OF_A_THREAD: i32 = 4;
    const SCHEDULED_TIME: i32 = 2;
    (!thread << 3) | OF_A_THREAD | SCHEDULED_TIME
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_role::own_id_and_name;

    #[test]
    fn a_timer_knows_when_its_thread_is_gone() {
        let (say, hear) = std::sync::mpsc::channel();
        let (end, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            say.send(own_id_and_name().0).expect("the test waits");
            let _ = wait.recv();
        });
        let id = hear.recv().expect("the thread tells its number");
        let timer = ThreadTimer::new(id, 0).expect("a timer");
        // An hour of CPU time: it never fires.
        timer.start(3_600_000_000_000, 3_600_000_000_000);
        assert!(timer.has_thread());
        drop(end);
        thread.join().expect("no panic");
        // The kernel wakes the joiner a little before the thread is gone.
        let gone = (0..1000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            !timer.has_thread()
        });
        assert!(gone);
        timer.delete();
    }

    #[test]
    fn a_thread_of_another_process_gets_no_timer() {
        assert!(ThreadTimer::new(1, 0).is_err());
    }
}
