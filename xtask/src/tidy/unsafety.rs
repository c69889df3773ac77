//! Where `unsafe` may stand: the rooms, each with its reason.

use super::Finding;
use super::code_text::code_of;
use super::tree::{SourceFile, Tree};

/// A file, or a folder with its slash, and why it cannot do without.
struct Room {
    path: &'static str,
    reason: &'static str,
}

const ROOMS: &[Room] = &[
    Room {
        path: "crates/profbuf/",
        reason: "a signal handler writes where another thread reads",
    },
    Room {
        path: "crates/reader/src/source/mapping.rs",
        reason: "a mapped file is a slice that others can write to",
    },
    Room {
        path: "crates/recorder/src/batch.rs",
        reason: "hooks write bytes into memory that they share with the stopper",
    },
    Room {
        path: "crates/recorder/src/clock.rs",
        reason: "reads the tick counter and the system's clock",
    },
    Room {
        path: "crates/recorder/src/gate.rs",
        reason: "what a lowered gate protects changes hands",
    },
    Room {
        path: "crates/recorder/src/hook.rs",
        reason: "the caller vouches for the bounds of a stack",
    },
    Room {
        path: "crates/recorder/src/intern_table.rs",
        reason: "entries are published without a lock and live for ever",
    },
    Room {
        path: "crates/recorder/src/lane.rs",
        reason: "lanes are reached by pointer and never freed",
    },
    Room {
        path: "crates/recorder/src/quick_pen.rs",
        reason: "as the lane writer's",
    },
    Room {
        path: "crates/recorder/src/lane_writer.rs",
        reason: "a hook's exclusive use of its lane's batch",
    },
    Room {
        path: "crates/recorder/src/membarrier.rs",
        reason: "a system call",
    },
    Room {
        path: "crates/recorder/src/memory.rs",
        reason: "the tables' region allocator",
    },
    Room {
        path: "crates/recorder/src/sampler/code.rs",
        reason: "tables that a handler reads are reached by address and never freed",
    },
    Room {
        path: "crates/recorder/src/sampler/handler.rs",
        reason: "a signal handler, and what the kernel hands to it",
    },
    Room {
        path: "crates/recorder/src/sampler/interrupted.rs",
        reason: "the registers of interrupted code",
    },
    Room {
        path: "crates/recorder/src/sampler/rate.rs",
        reason: "asks the system for a clock's resolution",
    },
    Room {
        path: "crates/recorder/src/sampler/safe_read.rs",
        reason: "a system call that reads memory",
    },
    Room {
        path: "crates/recorder/src/sampler/shards.rs",
        reason: "a signal handler's exclusive use of a buffer",
    },
    Room {
        path: "crates/recorder/src/sampler/signal_action.rs",
        reason: "installs a signal handler and calls another's",
    },
    Room {
        path: "crates/recorder/src/sampler/slot.rs",
        reason: "slots are reached by the address in a signal",
    },
    Room {
        path: "crates/recorder/src/sampler/stack_memory.rs",
        reason: "loads of an interrupted stack",
    },
    Room {
        path: "crates/recorder/src/sampler/timer.rs",
        reason: "timer system calls",
    },
    Room {
        path: "crates/recorder/src/session.rs",
        reason: "batches change hands between threads",
    },
    Room {
        path: "crates/recorder/src/session_word.rs",
        reason: "a page that fork wipes",
    },
    Room {
        path: "crates/recorder/src/slab.rs",
        reason: "records in memory that is mapped and never moves",
    },
    Room {
        path: "crates/recorder/src/stack_walk.rs",
        reason: "follows frame pointers",
    },
    Room {
        path: "crates/recorder/src/symbols/mapped_file.rs",
        reason: "a mapped file is a slice",
    },
    Room {
        path: "crates/recorder/src/tables.rs",
        reason: "tables outlive whoever looks something up",
    },
    Room {
        path: "crates/recorder/src/task_slab.rs",
        reason: "task records are reached by index from any thread",
    },
    Room {
        path: "crates/recorder/src/thread_role.rs",
        reason: "asks the system for a thread's number and name",
    },
    Room {
        path: "crates/recorder/src/user_task_record.rs",
        reason: "a promise that its records begin as zero bytes",
    },
    Room {
        path: "crates/recorder/benches/hooks.rs",
        reason: "reads the tick counter, the benches' reference",
    },
    Room {
        path: "crates/recorder/src/waker_cell.rs",
        reason: "wakers find their cell by pointer",
    },
    Room {
        path: "crates/recorder/src/walk_cache.rs",
        reason: "looks where a former walk found frames",
    },
    Room {
        path: "crates/recorder/src/heap.rs",
        reason: "a global allocator, and the key that notices a thread's end",
    },
    Room {
        path: "crates/recorder/benches/heap.rs",
        reason: "an allocator that counts nothing, to compare with",
    },
    Room {
        path: "crates/tokio/src/poll_frame.rs",
        reason: "the frame of a poll is found by the wakers cloned in it",
    },
    Room {
        path: "crates/tokio/src/task_waker.rs",
        reason: "a waker is a table of functions on a pointer",
    },
    Room {
        path: "crates/tokio/src/traced.rs",
        reason: "pins the future that it wraps",
    },
    Room {
        path: "crates/recorder/tests/faults/process.rs",
        reason: "children by fork",
    },
    Room {
        path: "crates/recorder/tests/faults/signal.rs",
        reason: "a signal handler that calls hooks",
    },
    Room {
        path: "crates/recorder/tests/faults_heap.rs",
        reason: "allocations of every kind, threads and signals of the C library",
    },
    Room {
        path: "crates/recorder/tests/cpu_sampler_chain.rs",
        reason: "a program with signal handlers of its own",
    },
    Room {
        path: "crates/recorder/tests/cpu_sampler_system.rs",
        reason: "fork, threads and errno of the C library",
    },
    Room {
        path: "fuzz/src/budget.rs",
        reason: "an allocator that counts",
    },
];

/// `unsafe` stands only in its rooms.
pub(super) fn only_in_its_rooms(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust_files() {
        if ROOMS.iter().any(|room| room.holds(file)) {
            continue;
        }
        for line in unsafe_lines(&file.text) {
            findings.push(Finding::new(
                &file.path,
                line,
                "unsafe outside its rooms, which stand in xtask/src/tidy/unsafety.rs",
            ));
        }
    }
    findings
}

/// Every room is needed, so that the list says no more than is so.
pub(super) fn rooms_are_used(tree: &Tree) -> Vec<Finding> {
    ROOMS
        .iter()
        .filter(|room| {
            !tree
                .rust_files()
                .any(|file| room.holds(file) && !unsafe_lines(&file.text).is_empty())
        })
        .map(|room| {
            Finding::new(
                room.path,
                0,
                format!("holds no unsafe code any more ({})", room.reason),
            )
        })
        .collect()
}

/// The lines with the keyword.
fn unsafe_lines(source: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code_of(source)
        .lines()
        .enumerate()
        .filter(|(_, line)| line.split(|c| !is_word(c)).any(|word| word == "unsafe"))
        .map(|(index, _)| index + 1)
        .collect()
}

impl Room {
    fn holds(&self, file: &SourceFile) -> bool {
        if self.path.ends_with('/') {
            file.path.starts_with(self.path)
        } else {
            file.path == self.path
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_is_found_where_it_is_code() {
        let source = "#![deny(unsafe_code)]\n// unsafe\nfn f() { unsafe { g() } }\n#[unsafe(no_mangle)]\nlet x = \"unsafe\";\n";
        assert_eq!(unsafe_lines(source), [3, 4]);
    }

    #[test]
    fn unsafe_outside_the_rooms_is_found() {
        let found = only_in_its_rooms(&Tree::of("crates/format/src/x.rs", "\nunsafe fn f() {}\n"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
    }

    #[test]
    fn a_folder_holds_its_files_and_a_file_itself() {
        let file = |path: &str| Tree::of(path, "").files.remove(0);
        let folder = Room {
            path: "a/src/",
            reason: "",
        };
        assert!(folder.holds(&file("a/src/b/c.rs")));
        assert!(!folder.holds(&file("a/srcs/c.rs")));
        let single = Room {
            path: "a/src/b.rs",
            reason: "",
        };
        assert!(single.holds(&file("a/src/b.rs")));
        assert!(!single.holds(&file("a/src/b.rs.rs")));
    }

    #[test]
    fn a_room_without_unsafe_code_is_found() {
        assert_eq!(rooms_are_used(&Tree::default()).len(), ROOMS.len());
    }
}
