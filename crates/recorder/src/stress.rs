//! Starts and stops by the hundred while threads run traced work: every recording must be one that Go's tools take.
//!
//! `EXECTRACE_STRESS=1000` sets how many recordings are made; the reader of Go 1.19 judges each, that of Go 1.27 each tenth. Such a
//! run, which has the process for itself, also watches its memory and its open files; beside other tests they would be everybody's.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use exectrace_testkit::{Oracle, Random, Scratch};

use crate::hook::{BlockReason, Blocked, Syscall, Task, TaskRef, worker_parks};
use crate::{Recorder, Region, UserTask};

const THREADS: usize = 8;
const TASKS: usize = 48;
/// Recordings before memory and open files are looked at.
const WARM_UP: usize = 40;

/// A place for a task that threads run, wake, end and spawn anew.
struct Place {
    task: Mutex<Task>,
    waker: Mutex<TaskRef>,
}

fn entry_of_a_task() {}

fn new_task() -> Task {
    Task::new(entry_of_a_task as fn() as *const ())
}

fn place() -> Place {
    let task = new_task();
    Place {
        waker: Mutex::new(task.reference()),
        task: Mutex::new(task),
    }
}

/// What a thread of the program does until it is told to end.
fn worker(places: &[Place], end: &AtomicBool, mut random: Random, skewed: bool) {
    while !end.load(Ordering::Relaxed) {
        if skewed && random.below(64) == 0 {
            // Up to 4,000 CPU ticks, either way.
            crate::lane::set_skew(random.below(500) as i64 - 250);
        }
        let place = &places[random.below(places.len() as u64) as usize];
        match random.below(8) {
            0..=3 => run(places, place, &mut random),
            4..=6 => wake(place),
            _ => worker_parks(),
        }
        if random.below(256) == 0 {
            thread::yield_now();
        }
    }
}

fn wake(place: &Place) {
    if let Ok(waker) = place.waker.try_lock() {
        waker.wake();
    }
}

/// One run of a task, with whatever may happen in one.
fn run(places: &[Place], place: &Place, random: &mut Random) {
    let Ok(mut task) = place.task.try_lock() else {
        return;
    };
    let run = task.start();
    for _ in 0..random.below(3) {
        wake(&places[random.below(places.len() as u64) as usize]);
    }
    match random.below(40) {
        0 => {
            let inner = new_task();
            inner.start().block(BlockReason::Receive);
            // Dropped outside of a run, inside another task's.
        }
        1 => drop(Blocked::new(BlockReason::Sync)),
        2 => drop(Syscall::enter()),
        3 => {
            let _user_task = UserTask::new("request");
            let outer = Region::new("outer");
            let _inner = Region::new("inner");
            drop(outer);
            crate::log("key", "message");
        }
        _ => {}
    }
    match random.below(10) {
        0 => {
            run.end();
            let old = place.waker.lock().map(|waker| waker.clone());
            *task = new_task();
            if let Ok(mut waker) = place.waker.lock() {
                *waker = task.reference();
            }
            if let Ok(old) = old {
                // A waker that outlives its task.
                old.wake();
            }
        }
        1 => run.yields(),
        2 => run.preempt(),
        _ => run.block(BlockReason::Net),
    }
}

fn recordings() -> usize {
    let wish = std::env::var("EXECTRACE_STRESS").ok();
    wish.and_then(|wish| wish.parse().ok()).unwrap_or(WARM_UP)
}

fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    resident.unwrap_or(0)
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Records for a moment and puts the recording into `path`.
fn record(path: &Path, random: &mut Random) {
    let memory = Memory::default();
    let session = Recorder::new()
        .start(memory.clone())
        .expect("one session at a time");
    thread::sleep(Duration::from_micros(random.below(3_000)));
    let statistics = session.stop();
    assert!(statistics.is_complete(), "{statistics}");
    std::fs::write(path, &*memory.0.lock().expect("no panic")).expect("a file");
}

/// So many recordings go to a tool at once.
const JUDGED_AT_ONCE: usize = 50;

/// Both readers take what they are given of `recordings`.
fn judge(recordings: &[PathBuf]) {
    let tenth: Vec<PathBuf> = recordings.iter().step_by(10).cloned().collect();
    let judges = [(Oracle::v1_19(), recordings), (Oracle::v1_27(), &tenth)];
    for (oracle, recordings) in judges {
        let Some(oracle) = oracle else { continue };
        if let Err(error) = oracle.judge(recordings) {
            panic!("{}: {error}", oracle.go().version());
        }
    }
}

/// Ends the program's threads.
struct EndOnDrop<'end>(&'end AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn start_and_stop(skewed: bool) {
    let scratch = Scratch::new("stress");
    let places: Vec<Place> = (0..TASKS).map(|_| place()).collect();
    let end = AtomicBool::new(false);
    let recordings = recordings();
    let paths: Vec<PathBuf> = (0..recordings)
        .map(|number| scratch.path().join(format!("{number}.trace")))
        .collect();
    let mut random = Random::from_environment();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            let (places, end, own) = (&places, &end, random.split());
            scope.spawn(move || worker(places, end, own, skewed));
        }
        // Also when a recording is found wanting: the scope waits for the threads.
        let _end = EndOnDrop(&end);
        let mut settled = (0, 0);
        for (number, path) in paths.iter().enumerate() {
            record(path, &mut random);
            if number == WARM_UP {
                settled = (resident_pages(), open_files());
            }
        }
        if recordings > WARM_UP {
            let (pages, files) = (resident_pages(), open_files());
            // 8 MiB: what an allocator may keep, and what tables grow by, but not a batch a session.
            assert!(pages < settled.0 + 2_048, "{} to {pages} pages", settled.0);
            assert!(files <= settled.1 + 2, "{} to {files} files", settled.1);
        }
    });
    thread::scope(|scope| {
        for half in paths.chunks(recordings.div_ceil(2)) {
            scope.spawn(move || half.chunks(JUDGED_AT_ONCE).for_each(judge));
        }
    });
}

#[test]
fn every_recording_of_many_is_accepted() {
    // One after the other: a process has one session.
    start_and_stop(false);
    start_and_stop(true);
}
