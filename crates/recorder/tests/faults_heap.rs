//! The traced global allocator: what it counts, and the events that come of it.
#![expect(
    unsafe_code,
    reason = "calls of an allocator by hand, and a signal handler"
)]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use exectrace::hook::{BlockReason, Task};
use exectrace::{Recorder, TracingAllocator};
use exectrace_testkit::{accepts, opens};
use support::{record, turn};

#[global_allocator]
static ALLOCATOR: TracingAllocator = TracingAllocator::system();

/// What a thread may hold back, and what other threads of the process do meanwhile: the test harness's, say.
const BOUND: u64 = 64 * 1024;

#[track_caller]
fn assert_near(found: u64, expected: u64) {
    assert!(
        found.abs_diff(expected) <= BOUND,
        "{found} is not {expected}"
    );
}

#[test]
fn what_is_live_is_counted_whatever_it_came_by() {
    let _turn = turn();
    let before = ALLOCATOR.live_bytes();
    let mut vector: Vec<u8> = Vec::with_capacity(10 << 20);
    assert_near(ALLOCATOR.live_bytes(), before + (10 << 20));
    // SAFETY: nothing is read of it.
    vector.reserve_exact(30 << 20);
    assert_near(ALLOCATOR.live_bytes(), before + (30 << 20));
    vector.shrink_to(1 << 20);
    assert_near(ALLOCATOR.live_bytes(), before + (1 << 20));
    let zeroed = vec![0_u64; 1 << 20];
    assert_near(ALLOCATOR.live_bytes(), before + (9 << 20));
    drop((vector, zeroed));
    assert_near(ALLOCATOR.live_bytes(), before);
    let layout = Layout::from_size_align(5 << 20, 1 << 16).expect("a layout");
    // SAFETY: the layout has a size.
    let place = unsafe { ALLOCATOR.alloc(layout) };
    assert_eq!(place.addr() % (1 << 16), 0);
    assert_near(ALLOCATOR.live_bytes(), before + (5 << 20));
    // SAFETY: allocated above with this layout.
    unsafe { ALLOCATOR.dealloc(place, layout) };
    assert_near(ALLOCATOR.live_bytes(), before);
}

/// The change of live bytes by 100,000 small pieces and what holds them; and after they are gone.
fn change_by_small_pieces() -> (i64, i64) {
    let before = ALLOCATOR.live_bytes().cast_signed();
    let pieces: Vec<Box<[u8; 100]>> = (0..100_000).map(|_| Box::new([1; 100])).collect();
    let held = ALLOCATOR.live_bytes().cast_signed() - before;
    drop(pieces);
    (held, ALLOCATOR.live_bytes().cast_signed() - before)
}

#[test]
fn small_pieces_add_up() {
    let _turn = turn();
    let own = 100_000 * (100 + size_of::<Box<[u8; 100]>>() as i64);
    // The vector may have grown beyond its need. The test harness frees what the tests before left while this one runs, so one
    // undisturbed round of several is enough.
    let rounds: Vec<(i64, i64)> = (0..5).map(|_| change_by_small_pieces()).collect();
    let is_right = |&(held, left): &(i64, i64)| {
        (own..own + (2 << 20)).contains(&held) && left.unsigned_abs() <= BOUND
    };
    assert!(rounds.iter().any(is_right), "{rounds:?}");
}

/// Refuses everything.
struct Refusing;

// SAFETY: null is an answer that is allowed.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        std::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[test]
fn what_is_refused_is_not_counted() {
    let _turn = turn();
    let refusing = TracingAllocator::new(Refusing);
    let before = ALLOCATOR.live_bytes();
    let layout = Layout::new::<[u8; 1 << 20]>();
    for _ in 0..10 {
        // SAFETY: the layout has a size.
        assert!(unsafe { refusing.alloc(layout) }.is_null());
        // SAFETY: as above.
        assert!(unsafe { refusing.alloc_zeroed(layout) }.is_null());
    }
    assert_near(ALLOCATOR.live_bytes(), before);
}

/// Frees and allocates when its thread is almost gone.
struct Late(Vec<u8>);

impl Drop for Late {
    fn drop(&mut self) {
        self.0 = Vec::with_capacity(3_000);
    }
}

thread_local! {
    static LATE: std::cell::RefCell<Late> = const { std::cell::RefCell::new(Late(Vec::new())) };
}

#[test]
fn threads_leave_nothing_behind_in_the_account() {
    let _turn = turn();
    let before = ALLOCATOR.live_bytes();
    let mut kept = Vec::new();
    for number in 0..2_000_usize {
        let piece = thread::spawn(move || {
            LATE.with(|late| late.borrow_mut().0.reserve(20_000));
            // A balance within its bounds, which would be lost with the thread.
            vec![0_u8; 1_000 + number]
        });
        kept.push(piece.join().expect("no panic"));
    }
    let own: usize = kept.iter().map(Vec::len).sum();
    assert_near(ALLOCATOR.live_bytes(), before + own as u64);
    // What one thread allocated, another one frees.
    thread::spawn(move || drop(kept)).join().expect("no panic");
    assert_near(ALLOCATOR.live_bytes(), before);
}

#[test]
fn a_recording_shows_how_the_heap_grows_and_its_limit() {
    let _turn = turn();
    ALLOCATOR.set_limit(64 << 20);
    let (recorded, blocks) = record(Recorder::new(), || {
        ALLOCATOR.set_limit(128 << 20);
        // This thread has a lane from here on.
        let task = Task::new(std::ptr::dangling());
        let mut blocks = Vec::new();
        for _ in 0..64 {
            let run = task.start();
            blocks.push(vec![1_u8; 1 << 20]);
            run.block(BlockReason::Net);
        }
        thread::sleep(Duration::from_millis(50));
        blocks.truncate(4);
        blocks
    });
    drop(blocks);
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.nested_hooks, 0);
    // At the session's start, and when it was set.
    assert_eq!(statistics.events.of("HeapGoal"), 2);
    let events = statistics.events.of("HeapAlloc");
    assert!((32..1_000).contains(&events), "{events} events");
    let Some(dump) = recorded.check(opens).v1 else {
        return;
    };
    let live: Vec<u64> = dump
        .named("HeapAlloc")
        .filter_map(|line| line.argument("mem")?.parse().ok())
        .collect();
    let (first, last) = (live[0], live[live.len() - 1]);
    let most = live.iter().copied().max().unwrap_or(0);
    assert!(most >= first + (63 << 20), "{live:?}");
    assert!(last <= first + (8 << 20), "{live:?}");
}

#[test]
fn a_thread_without_a_lane_is_spoken_for_by_the_collector() {
    let _turn = turn();
    let (recorded, ()) = record(Recorder::new(), || {
        thread::spawn(|| {
            let block = vec![1_u8; 40 << 20];
            thread::sleep(Duration::from_millis(100));
            drop(block);
        })
        .join()
        .expect("no panic");
    });
    assert_eq!(recorded.statistics.workers, 0, "{:?}", recorded.statistics);
    let Some(dump) = recorded.check(accepts).v1 else {
        return;
    };
    let live = dump
        .named("HeapAlloc")
        .filter_map(|line| line.argument("mem")?.parse::<u64>().ok());
    assert!(live.max().unwrap_or(0) >= 40 << 20);
}

#[test]
fn a_busy_heap_writes_few_events() {
    let _turn = turn();
    let recorder = Recorder::new().memory_budget(1 << 20);
    let (recorded, ()) = record(recorder, || {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let task = Task::new(std::ptr::dangling());
                    let _run = task.start();
                    for _ in 0..20_000 {
                        let pieces: [Vec<u8>; 16] = std::array::from_fn(|_| vec![0; 5_000]);
                        drop(std::hint::black_box(pieces));
                    }
                });
            }
        });
    });
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    let most = statistics.duration.as_millis() as u64 + 100;
    assert!(statistics.events.of("HeapAlloc") <= most, "{statistics:?}");
    recorded.check(accepts);
}

static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// Allocates, as no handler should; the system's allocator is not entered, only what counts.
extern "C" fn handler(_: libc::c_int) {
    static MEMORY: [u64; 8] = [0; 8];
    struct Fixed;
    // SAFETY: the memory is there, aligned and never written.
    unsafe impl GlobalAlloc for Fixed {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            MEMORY.as_ptr().cast::<u8>().cast_mut()
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }
    let allocator = TracingAllocator::new(Fixed);
    let layout = Layout::new::<[u8; 1 << 20]>();
    // SAFETY: the layout has a size, and the memory is not touched.
    let place = unsafe { allocator.alloc(layout) };
    // SAFETY: allocated above.
    unsafe { allocator.dealloc(place, layout) };
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn an_allocation_in_a_handler_that_interrupts_a_hook_does_no_harm() {
    let _turn = turn();
    // SAFETY: zero bytes are a valid action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as extern "C" fn(libc::c_int) as usize;
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the action is a local; the handler counts and touches atomics.
    let answer = unsafe { libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut()) };
    assert_eq!(answer, 0);
    let before = ALLOCATOR.live_bytes();
    let (mut rounds, handled) = (0, || HANDLED.load(Ordering::Relaxed));
    let (recorded, ()) = record(Recorder::new(), || {
        // SAFETY: asks for the calling thread's own handle.
        let own = unsafe { libc::pthread_self() };
        let task = Task::new(std::ptr::dangling());
        let ended = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    // SAFETY: the thread waits for the end of this scope.
                    unsafe { libc::pthread_kill(own, libc::SIGUSR2) };
                    thread::sleep(Duration::from_micros(50));
                }
            });
            // A quick machine does many rounds between two signals.
            while rounds < 50_000 || (rounds < 5_000_000 && handled() <= 100) {
                let run = task.start();
                drop(std::hint::black_box(vec![0_u8; 300]));
                run.block(BlockReason::Net);
                rounds += 1;
            }
            ended.store(true, Ordering::Relaxed);
        });
    });
    assert!(handled() > 100);
    let statistics = &recorded.statistics;
    assert!(statistics.is_complete(), "{statistics}");
    assert_eq!(statistics.events.of("GoBlockNet"), rounds);
    // The session's own memory is back, but for what it remembers of names.
    let after = ALLOCATOR.live_bytes();
    assert!(after < before + (64 << 20), "{before} to {after}");
    recorded.check(accepts);
}

#[test]
fn an_inner_allocator_of_another_kind_is_used_as_it_is() {
    let _turn = turn();
    let allocator = TracingAllocator::new(System);
    let layout = Layout::new::<u64>();
    // SAFETY: the layout has a size.
    let place = unsafe { allocator.alloc_zeroed(layout) };
    // SAFETY: eight zeroed, aligned bytes.
    assert_eq!(unsafe { place.cast::<u64>().read() }, 0);
    // SAFETY: allocated above, and not moved since.
    let place = unsafe { allocator.realloc(place, layout, 800) };
    let layout = Layout::array::<u64>(100).expect("a layout");
    // SAFETY: reallocated above to this layout.
    unsafe { allocator.dealloc(place, layout) };
}
