//! What a thread is there for, and how the system calls it.
#![expect(unsafe_code, reason = "gettid and the thread's name from the kernel")]

/// What a thread is there for. Readers cannot tell an idle worker from a blocking thread without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadRole {
    /// Nobody said.
    #[default]
    Plain,
    /// A thread that runs tasks of a runtime.
    Worker,
    /// A thread of a pool for blocking work.
    Blocking,
    /// A thread of the standard library that is itself a task.
    Thread,
    /// A thread of the recorder.
    Recorder,
}

impl ThreadRole {
    const ALL: [Self; 5] = [
        Self::Plain,
        Self::Worker,
        Self::Blocking,
        Self::Thread,
        Self::Recorder,
    ];

    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_code(code: u8) -> Self {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }

    /// The word in a recording's own description.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Worker => "worker",
            Self::Blocking => "blocking",
            Self::Thread => "thread",
            Self::Recorder => "recorder",
        }
    }
}

/// The kernel's id of the calling thread, and its name, at most 15 bytes.
pub(crate) fn own_id_and_name() -> (i32, [u8; 16]) {
    let mut name = [0_u8; 16];
    // SAFETY: the call takes no pointers.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) };
    // SAFETY: the kernel writes at most 16 bytes, the last of them zero.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    (i32::try_from(thread).unwrap_or(0), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_roles_are_one_to_one() {
        for role in ThreadRole::ALL {
            assert_eq!(ThreadRole::from_code(role.code()), role);
        }
    }

    #[test]
    fn a_thread_knows_its_name() {
        let thread = std::thread::Builder::new().name("baker".into());
        let (id, name) = thread
            .spawn(own_id_and_name)
            .map(|thread| thread.join().expect("no panic"))
            .expect("a thread");
        assert!(id > 0);
        assert_eq!(&name[..6], b"baker\0");
    }
}
