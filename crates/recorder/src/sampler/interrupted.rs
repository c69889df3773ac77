//! Where a signal interrupted its thread.
#![expect(unsafe_code, reason = "the registers that the kernel saved")]

/// The registers that tell where the thread was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interrupted {
    /// The instruction that comes next.
    pub(super) pc: u64,
    pub(super) sp: usize,
    /// The frame pointer, or whatever code without frame pointers keeps in its register.
    pub(super) fp: usize,
    /// Where the last call returns to, on processors that keep it in a register; else 0.
    pub(super) link: u64,
}

impl Interrupted {
    /// What the third argument of a signal handler says.
    ///
    /// # Safety
    /// `context` is that argument, and the handler has not returned.
    ///
    /// # Signal safety
    /// Loads.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn of(context: *const libc::c_void) -> Self {
        let context = context.cast::<libc::ucontext_t>();
        // SAFETY: the kernel put such a structure there, by the caller's word.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        Self {
            pc: registers[libc::REG_RIP as usize] as u64,
            sp: registers[libc::REG_RSP as usize] as usize,
            fp: registers[libc::REG_RBP as usize] as usize,
            link: 0,
        }
    }

    /// What the third argument of a signal handler says.
    ///
    /// # Safety
    /// `context` is that argument, and the handler has not returned.
    ///
    /// # Signal safety
    /// Loads.
    #[cfg(target_arch = "aarch64")]
    pub(super) unsafe fn of(context: *const libc::c_void) -> Self {
        let context = context.cast::<libc::ucontext_t>();
        // SAFETY: the kernel put such a structure there, by the caller's word.
        let machine = unsafe { &(*context).uc_mcontext };
        Self {
            pc: machine.pc,
            sp: machine.sp as usize,
            fp: machine.regs[29] as usize,
            link: machine.regs[30],
        }
    }

    /// On other processors nothing is known: samples are taken and counted as lost.
    ///
    /// # Safety
    /// None.
    ///
    /// # Signal safety
    /// Nothing is done.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) unsafe fn of(_context: *const libc::c_void) -> Self {
        Self {
            pc: 0,
            sp: 0,
            fp: 0,
            link: 0,
        }
    }
}
