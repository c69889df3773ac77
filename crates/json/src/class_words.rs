//! Kinds of findings in words.

use exectrace_analysis::Class;

/// What a kind of finding is called, what it means, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassWords {
    /// What it is called.
    pub title: &'static str,
    /// What the code at its place did.
    pub meaning: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// What the other place of the finding did; empty where there is none.
    pub cause: &'static str,
}

impl ClassWords {
    /// The words for a kind.
    #[must_use]
    pub fn of(class: Class) -> Self {
        let (title, meaning, advice, cause) = match class {
            Class::LongPoll => (
                "long poll",
                "held a worker of the runtime without a pause, and all that waited for it",
                "await more often, or move the work to spawn_blocking",
                "",
            ),
            Class::IdleWorker => (
                "idle workers",
                "was ready to run while workers had nothing to do",
                "see which worker's queue it was in: work that only one worker may take cannot be stolen",
                "",
            ),
            Class::QueueWait => (
                "wait in the run queue",
                "was ready to run and waited long for a worker",
                "see what ran meanwhile: it needs more workers, or less work at once",
                "ran meanwhile, most of the time:",
            ),
            Class::LockWait => (
                "lock",
                "waited for a lock that others held",
                "hold it shorter: not across an await, a call or a loop",
                "let it go on, most of the time:",
            ),
            Class::VainWake => (
                "vain wake",
                "was woken with others and found nothing to do",
                "wake one task for one thing to do, or hand it what it is woken for",
                "woke them, most of the time:",
            ),
            Class::LateTimer => (
                "late timer",
                "slept longer than it mostly does here",
                "see what held the worker when the timer was due",
                "",
            ),
            Class::BlockingCall => (
                "blocking call",
                "blocked a worker of the runtime in a system call",
                "use the runtime's own form of the call, or spawn_blocking",
                "",
            ),
            Class::GcAssist => (
                "GC assist",
                "had to mark the heap before it could allocate",
                "allocate less, or give the collector more room (GOGC, GOMEMLIMIT)",
                "",
            ),
            Class::StopTheWorld => (
                "stop the world",
                "stopped all others",
                "see who stops the world, and how often",
                "",
            ),
            Class::Allocation => (
                "allocation",
                "spent its CPU time in the memory allocator",
                "reuse what it allocates here, or allocate once for all",
                "",
            ),
            _ => ("finding", "", "", ""),
        };
        Self {
            title,
            meaning,
            advice,
            cause,
        }
    }

    /// The same in the words of Go, whose workers are called procs.
    #[must_use]
    pub fn of_go(class: Class) -> Self {
        let words = Self::of(class);
        match class {
            Class::IdleWorker => Self {
                title: "idle procs",
                meaning: "was ready to run while procs had nothing to do",
                advice: "see which proc's queue it was in, and what kept the others from taking it",
                ..words
            },
            Class::QueueWait => Self {
                meaning: "was ready to run and waited long for a proc",
                advice: "see what ran meanwhile: it needs more procs, or less work at once",
                ..words
            },
            Class::LateTimer => Self {
                advice: "see what held the proc when the timer was due",
                ..words
            },
            _ => words,
        }
    }
}
