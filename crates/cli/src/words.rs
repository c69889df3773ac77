//! What things are called: Go has its own words in traces of Go.

use exectrace_analysis::Class;
use exectrace_json::ClassWords;

/// The words for a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub(crate) task: &'static str,
    pub(crate) tasks: &'static str,
    pub(crate) worker: &'static str,
    pub(crate) workers: &'static str,
    class: fn(Class) -> ClassWords,
}

impl Words {
    /// Those for traces of Go, or of exectrace.
    pub(crate) const fn of(is_of_go: bool) -> Self {
        if is_of_go {
            Self {
                task: "goroutine",
                tasks: "goroutines",
                worker: "proc",
                workers: "procs",
                class: ClassWords::of_go,
            }
        } else {
            Self {
                task: "task",
                tasks: "tasks",
                worker: "worker",
                workers: "workers",
                class: ClassWords::of,
            }
        }
    }

    /// Those for a kind of finding.
    pub(crate) fn of_class(self, class: Class) -> ClassWords {
        (self.class)(class)
    }
}
