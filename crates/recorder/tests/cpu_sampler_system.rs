//! The sampler and what else a process does: forks, threads of libraries, `errno`, system calls that block.
#![expect(
    unsafe_code,
    reason = "fork, pthread_create and system calls of the C library"
)]

#[path = "support/burn.rs"]
mod burn;
mod support;

use std::hint::black_box;
use std::io::Read;
use std::time::Duration;

use burn::{burn, own_cpu_time};
use exectrace::Recorder;
use exectrace::hook::adopt_thread;
use exectrace_testkit::accepts;
use support::{Memory, record, save, turn};

#[test]
fn a_child_of_fork_has_no_timers_and_can_end() {
    let _turn = turn();
    let memory = Memory::default();
    let recorder = Recorder::new().cpu_samples(250);
    let session = recorder.start(memory.clone()).expect("the session starts");
    adopt_thread();
    for _ in 0..20 {
        burn(Duration::from_millis(5));
        // SAFETY: the child calls only what a child of a process with threads may, and ends by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            burn(Duration::from_millis(20));
            exectrace::log("child", "is not recorded");
            // SAFETY: ends the process without running anything of the parent's.
            unsafe { libc::_exit(7) };
        }
        let mut status = 0;
        // SAFETY: the pointer is to a local that outlives the call.
        while unsafe { libc::waitpid(child, &mut status, 0) } != child {}
        assert!(libc::WIFEXITED(status), "{status:#x}");
        assert_eq!(libc::WEXITSTATUS(status), 7);
    }
    let statistics = session.stop();
    assert!(statistics.events.of("CPUSample") > 5);
    save(&memory, statistics).check(accepts);
}

extern "C" fn library_thread(_argument: *mut libc::c_void) -> *mut libc::c_void {
    burn(Duration::from_millis(400));
    std::ptr::null_mut()
}

#[test]
fn a_thread_that_a_library_starts_is_sampled_with_its_stack() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        let mut thread = 0;
        // SAFETY: the function is one of a thread, the pointers are null or to a local that outlives the call.
        let answer = unsafe {
            libc::pthread_create(
                &mut thread,
                std::ptr::null(),
                library_thread,
                std::ptr::null_mut(),
            )
        };
        assert_eq!(answer, 0);
        // SAFETY: the thread was just made, and nobody else joins it.
        unsafe { libc::pthread_join(thread, std::ptr::null_mut()) };
    });
    let Some(dump) = recorded.check(accepts).v2 else {
        return;
    };
    let samples = dump.lines.iter().filter(|it| it.kind == "StackSample");
    let outside: Vec<_> = samples.filter(|it| it.worker == -1).collect();
    let named = |name: &str| {
        let has_name = |sample: &&&exectrace_testkit::V2Line| {
            sample
                .stack
                .iter()
                .any(|frame| frame.function.contains(name))
        };
        outside.iter().filter(has_name).count()
    };
    let (inner, outer) = (named("burn"), named("library_thread"));
    assert!(inner > 10, "{inner}");
    assert!(outer * 10 >= inner * 9, "{outer} of {inner}");
}

#[test]
fn errno_is_what_it_was() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new().cpu_samples(250), || {
        // Two kinds of threads: with a lane stacks are loaded, without they come by system call.
        let check = |value| {
            let begin = own_cpu_time();
            while own_cpu_time() - begin < Duration::from_millis(300) {
                // SAFETY: the call takes no arguments.
                let errno = unsafe { libc::__errno_location() };
                // SAFETY: the address is that of this thread's `errno`.
                let errno = unsafe { &mut *errno };
                *errno = value;
                let mut steps = 0;
                while black_box(steps) < 1_000_000 {
                    steps += 1;
                }
                assert_eq!(*errno, value);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| check(77));
            scope.spawn(|| {
                adopt_thread();
                check(78);
            });
        });
    });
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert!(samples.written > 20, "{samples:?}");
}

#[test]
fn reads_that_block_are_restarted() {
    let _turn = turn();
    let (recorded, read) = record(Recorder::new().cpu_samples(250), || {
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        let thread = std::thread::spawn(move || {
            let mut read = 0;
            let mut byte = [0];
            // A read that a signal ends is an error here; there is none.
            while reader.read(&mut byte).expect("reads are restarted") == 1 {
                read += 1;
                burn(Duration::from_micros(200));
            }
            read
        });
        let mut writer = writer;
        for _ in 0..500 {
            std::io::Write::write_all(&mut writer, &[1]).expect("the reader reads");
            burn(Duration::from_micros(100));
        }
        drop(writer);
        thread.join().expect("no panic")
    });
    assert_eq!(read, 500);
    assert!(recorded.statistics.is_complete());
}

/// Calls through the C library, which keeps no frame pointers: from here into `qsort`, and back into the comparison.
#[inline(never)]
fn sort_in_c(numbers: &mut [u64]) {
    extern "C" fn compare(one: *const libc::c_void, other: *const libc::c_void) -> libc::c_int {
        // SAFETY: `qsort` hands out pointers to the numbers.
        let one = unsafe { *one.cast::<u64>() };
        // SAFETY: as above.
        let other = unsafe { *other.cast::<u64>() };
        one.cmp(&other) as libc::c_int
    }
    let (first, count) = (numbers.as_mut_ptr().cast(), numbers.len());
    // SAFETY: so many numbers of 8 bytes, borrowed alone.
    unsafe { libc::qsort(first, count, size_of::<u64>(), Some(compare)) };
}

#[test]
fn stacks_lead_through_the_c_library_to_their_start() {
    let _turn = turn();
    // How to lead through the library is found out meanwhile, and remembered.
    for _ in 0..20 {
        let Some([whole, inside]) = whole_of_those_in_c() else {
            return;
        };
        if inside > 20 && whole * 20 >= inside * 19 {
            return;
        }
    }
    panic!("stacks end in the library");
}

/// Samples inside of `qsort` whose stack is whole, and all of them.
fn whole_of_those_in_c() -> Option<[u32; 2]> {
    let (recorded, ()) = record(Recorder::new().cpu_samples(250), || {
        let begin = own_cpu_time();
        while own_cpu_time() - begin < Duration::from_millis(400) {
            let mut numbers: Vec<u64> = (0..20_000).map(|n| n * 0x9E37_79B9 % 65_537).collect();
            sort_in_c(black_box(&mut numbers));
        }
    });
    let dump = recorded.check(accepts).v2?;
    let samples = dump.lines.iter().filter(|it| it.kind == "StackSample");
    let [mut whole, mut inside] = [0, 0];
    for sample in samples {
        let has = |name: &str| sample.stack.iter().any(|it| it.function.contains(name));
        // What `qsort` calls itself has no name in a stripped library.
        if has("qsort") || has("compare") || has("libc.so") {
            inside += 1;
            whole += u32::from(has("sort_in_c") && has("stacks_lead_through"));
        }
    }
    Some([whole, inside])
}

/// Sets how many signals may be pending, timers' among them; returns the former limit.
fn limit_pending_signals(signals: libc::rlim_t) -> libc::rlim_t {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a local that outlives the call.
    unsafe { libc::getrlimit(libc::RLIMIT_SIGPENDING, &mut limit) };
    let former = limit.rlim_cur;
    limit.rlim_cur = signals;
    // SAFETY: as above.
    let answer = unsafe { libc::setrlimit(libc::RLIMIT_SIGPENDING, &limit) };
    assert_eq!(answer, 0);
    former
}

#[test]
fn threads_without_a_timer_are_counted() {
    let _turn = turn();
    let former = limit_pending_signals(0);
    let (recorded, ()) = record(Recorder::new(), || burn(Duration::from_millis(50)));
    limit_pending_signals(former);
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert!(samples.refused_threads >= 1, "{samples:?}");
    assert_eq!((samples.threads, samples.written, samples.lost), (0, 0, 0));
    recorded.check(accepts);
}

#[test]
fn a_signal_that_the_program_takes_away_is_told() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new().cpu_samples(250), || {
        // SAFETY: to ignore a signal needs no handler.
        unsafe { libc::signal(libc::SIGPROF, libc::SIG_IGN) };
        burn(Duration::from_millis(50));
    });
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert!(samples.lost_signal, "{samples:?}");
    let text = recorded.statistics.to_string();
    assert!(text.contains("SIGPROF"), "{text}");
    recorded.check(accepts);
    // The next recording takes the signal back.
    let (recorded, ()) = record(Recorder::new().cpu_samples(250), || {
        burn(Duration::from_millis(200));
    });
    let samples = recorded.statistics.cpu_samples.expect("samples are taken");
    assert!(!samples.lost_signal && samples.written > 0, "{samples:?}");
}
