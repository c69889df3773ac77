//! The process's handler of `SIGPROF`: installed once, and never taken away.
//!
//! To go back to the default action would kill the process if a signal is still on its way. So the handler stays; with no
//! timers it does nothing. A handler of the program's own that was there first is called for all signals that are not ours, if
//! the program asked for that; else it is an error.
#![expect(unsafe_code, reason = "sigaction, and calling another's handler")]

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::handler::on_signal;
use crate::error::Error;

/// The program's own handler. Never freed, since a handler may be about to call it.
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

/// Sees to it that our handler gets the signals. To be called by one thread at a time.
///
/// # Errors
/// [`Error::ProfilingSignalInUse`] if the program has a handler and did not ask to have it chained.
pub(super) fn install(chain: bool) -> Result<(), Error> {
    let current = current();
    let ours = on_signal as *const () as usize;
    // Relaxed: only this function stores here, and by one thread at a time.
    let has_previous = !PREVIOUS.load(Ordering::Relaxed).is_null();
    let handler = current.sa_sigaction;
    let is_others = handler != ours && handler != libc::SIG_DFL && handler != libc::SIG_IGN;
    if (is_others || (handler == ours && has_previous)) && !chain {
        return Err(Error::ProfilingSignalInUse);
    }
    if handler == ours {
        return Ok(());
    }
    let mut action = current;
    action.sa_sigaction = ours;
    let mut flags = libc::SA_SIGINFO | libc::SA_RESTART;
    if is_others {
        // The other handler may need more stack than a signal stack has, or the mask that it asked for.
        flags |= current.sa_flags & libc::SA_ONSTACK;
        let previous = Box::leak(Box::new(current));
        // Release: shows it to `pass_on`, which may run as soon as our handler is there.
        PREVIOUS.store(previous, Ordering::Release);
    } else {
        flags |= libc::SA_ONSTACK;
        // No other handler on top of ours: a second frame, of 3.5 KiB with wide registers, is more than the 8 KiB of the
        // standard library's signal stacks have room for.
        // SAFETY: the set is a local's own; filling cannot fail.
        unsafe { libc::sigfillset(&mut action.sa_mask) };
        // Release: as above.
        PREVIOUS.store(std::ptr::null_mut(), Ordering::Release);
    }
    action.sa_flags = flags;
    // SAFETY: the handler is safe to run at any moment, which its parts say of themselves.
    let answer = unsafe { libc::sigaction(libc::SIGPROF, &action, std::ptr::null_mut()) };
    assert_eq!(answer, 0, "SIGPROF can be handled");
    Ok(())
}

/// Whether our handler gets the signals.
pub(super) fn is_ours() -> bool {
    current().sa_sigaction == on_signal as *const () as usize
}

fn current() -> libc::sigaction {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the pointer is to a local that outlives the call.
    unsafe { libc::sigaction(libc::SIGPROF, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all zero before, and all zero bytes are a value.
    unsafe { action.assume_init() }
}

/// Marks a signal that was passed on: the kernel leaves the field at 0 for signals that processes and timers send. A handler
/// that was installed over ours, and that we were then installed over, hands the signal back to us.
const PASSED_ON: libc::c_int = 0x6578_7472;

/// Gives a signal that is not ours to the handler that was there before.
///
/// # Safety
/// The arguments are those of a signal handler that has not returned.
///
/// # Signal safety
/// As safe as the other handler.
pub(super) unsafe fn pass_on(
    signal: libc::c_int,
    details: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // Acquire: shows the action; pairs with the Release in `install`.
    let previous = PREVIOUS.load(Ordering::Acquire);
    // SAFETY: actions are never freed.
    let Some(previous) = (unsafe { previous.as_ref() }) else {
        return;
    };
    // SAFETY: the kernel put the details on this thread's stack, by the caller's word.
    let details_here = unsafe { &mut *details };
    if details_here.si_errno == PASSED_ON {
        return;
    }
    let former = std::mem::replace(&mut details_here.si_errno, PASSED_ON);
    if previous.sa_flags & libc::SA_SIGINFO != 0 {
        type Long = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
        // SAFETY: the program installed it as a handler of three arguments.
        let handler = unsafe { std::mem::transmute::<usize, Long>(previous.sa_sigaction) };
        handler(signal, details, context);
    } else {
        // SAFETY: the program installed it as a handler of one argument.
        let handler = unsafe {
            std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(previous.sa_sigaction)
        };
        handler(signal);
    }
    // SAFETY: as above; the other handler has returned.
    unsafe { (*details).si_errno = former };
}
