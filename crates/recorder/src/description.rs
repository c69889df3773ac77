//! What a recording says about itself: user logs of task 0 with keys `exectrace.…`.
//!
//! | key | message | when |
//! | --- | --- | --- |
//! | `exectrace.writer` | `exectrace 0.1.0` | start |
//! | `exectrace.clock` | `ticks=… wall_ns=… monotonic_ns=… frequency=…` | start and end |
//! | `exectrace.process` | `pid=… args=…` | start |
//! | `exectrace.sampling` | `wished_hz=… effective_hz=… kernel_tick_hz=…` | start, if CPU samples are taken |
//! | `exectrace.thread` | `worker=… thread=… role=… name=…` | whenever a thread joins or changes |
//! | `exectrace.cpu` | `seconds=… recorder_seconds=…`, the latter of them of the collector, which is not sampled | end |
//! | `exectrace.dropped` | `hooks=… batches=… nested=… cpu_samples=… regions=…` | end, if anything was dropped |
//! | `exectrace.panics` | `classifiers=… describers=…` | end, if an adapter's function panicked |
//!
//! They stand under a worker number of their own, and go out with the collector's next look.
//!
//! Adapters have keys of their own: see [`add_describer`]. Go's tools show them all as logs of no goroutine; our reader makes them the trace's metadata.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use exectrace_format::go_v1::{self, Batch, Event, UserLog};
use exectrace_format::{StackId, StringId, UserTaskId, WorkerId};

use crate::clock::{self, ClockPair};
use crate::gate::SessionStamp;
use crate::intern_table::{Chunk, hash_of_bytes};
use crate::lane;
use crate::lane_writer::MESSAGE_BYTES_MAX;
use crate::output::contain;
use crate::sampler::rate::SampleRate;
use crate::session::Closing;
use crate::tables::Tables;
use crate::worker_numbers;

/// What an adapter has to say in a recording now; `None` for nothing.
pub type Describer = fn() -> Option<String>;

static DESCRIBERS: Mutex<Vec<(&'static str, Describer)>> = Mutex::new(Vec::new());

/// How long it takes, at most, until a change that an adapter tells of stands in the recording.
const ADAPTERS_PERIOD: Duration = Duration::from_secs(1);

/// Lets an adapter say something under its key; again if it said so before.
pub(crate) fn add_describer(key: &'static str, describer: Describer) {
    let mut describers = DESCRIBERS.lock().unwrap_or_else(PoisonError::into_inner);
    describers.retain(|(other, _)| *other != key);
    describers.push((key, describer));
}

/// Keeps account of what has been said.
pub(crate) struct Description {
    start: ClockPair,
    /// By adapter's key: what was last said.
    adapters: HashMap<&'static str, String>,
    adapters_seen: Option<Instant>,
    /// Keys of adapters whose describer panicked. They are asked no more.
    panicked: Vec<&'static str>,
    /// By worker number: what was last said of the lane.
    threads: HashMap<u32, u32>,
    /// What is to be said: keys and messages.
    logs: Vec<(&'static str, Vec<u8>)>,
    /// Tick of the last record.
    last_tick: u64,
}

impl Description {
    pub(crate) fn new(start: ClockPair, stamp: SessionStamp) -> Self {
        Self {
            start,
            adapters: HashMap::new(),
            adapters_seen: None,
            panicked: Vec::new(),
            threads: HashMap::new(),
            logs: Vec::new(),
            last_tick: stamp.start_tick(),
        }
    }

    /// Has a log to be written.
    pub(crate) fn say(&mut self, key: &'static str, message: impl Into<Vec<u8>>) {
        self.logs.push((key, message.into()));
    }

    /// Whether all logs are taken.
    pub(crate) fn is_told(&self) -> bool {
        self.logs.is_empty()
    }

    /// The records of what is to be said, in a batch of their own, and how many events they are.
    pub(crate) fn records(
        &mut self,
        tables: &'static Tables,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> (Vec<u8>, u32) {
        let mut records = Vec::new();
        let mut count = 0;
        for (key, message) in std::mem::take(&mut self.logs) {
            if count == 0 {
                let batch = Batch {
                    worker: WorkerId(i64::from(worker_numbers::DESCRIPTION)),
                    ticks: self.last_tick,
                };
                batch.append(0, &mut records);
            }
            let hash = hash_of_bytes(key.as_bytes());
            let key = tables.strings.intern(key.as_bytes(), hash, stamp, chunk);
            let event = UserLog {
                user_task: UserTaskId(0),
                key: StringId(key.map_or(0, |key| u64::from(key.id()))),
                stack: StackId(0),
            };
            let tick = clock::now().max(self.last_tick + 1);
            event.append(tick - self.last_tick, &mut records);
            let kept = message.len().min(MESSAGE_BYTES_MAX);
            go_v1::write_message(&mut records, &message[..kept]);
            self.last_tick = tick;
            count += 1;
        }
        (records, count)
    }

    /// Writer, clock and process.
    pub(crate) fn at_start(&mut self) {
        self.say(
            "exectrace.writer",
            concat!("exectrace ", env!("CARGO_PKG_VERSION")),
        );
        self.say_clock();
        let mut process = format!("pid={} args=", std::process::id()).into_bytes();
        let args: Vec<OsString> = std::env::args_os().collect();
        for (number, arg) in args.iter().enumerate() {
            if number > 0 {
                process.push(b' ');
            }
            process.extend_from_slice(arg.as_bytes());
        }
        self.say("exectrace.process", process);
    }

    /// The threads that joined or changed since the last call.
    pub(crate) fn of_threads(&mut self, stamp: SessionStamp) {
        for lane in lane::all() {
            let described = lane.described();
            if self.threads.get(&lane.number()) == Some(&described) || !lane.has_joined(stamp) {
                continue;
            }
            self.threads.insert(lane.number(), described);
            let mut text = format!(
                "worker={} thread={} role={} name=",
                lane.number(),
                lane.thread(),
                lane.role().name()
            )
            .into_bytes();
            text.extend(lane.name());
            self.say("exectrace.thread", text);
        }
    }

    /// What adapters say that is new, if it is time to ask them.
    pub(crate) fn of_adapters(&mut self) {
        let is_time = self
            .adapters_seen
            .is_none_or(|seen| seen.elapsed() >= ADAPTERS_PERIOD);
        if is_time {
            self.ask_adapters();
        }
    }

    fn ask_adapters(&mut self) {
        self.adapters_seen = Some(Instant::now());
        // Not called under the lock: what they do is not ours.
        let describers = DESCRIBERS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for (key, describer) in describers {
            if self.panicked.contains(&key) {
                continue;
            }
            let Some(answer) = contain(describer) else {
                self.panicked.push(key);
                continue;
            };
            let Some(text) = answer else { continue };
            if self.adapters.get(key) != Some(&text) {
                self.say(key, text.as_str());
                self.adapters.insert(key, text);
            }
        }
    }

    /// Describers that panicked.
    pub(crate) fn describer_panics(&self) -> u64 {
        self.panicked.len() as u64
    }

    /// How CPU samples are taken, if they are: the rate that is granted, which may be lower than the one that was wished.
    pub(crate) fn of_sampling(&mut self, rate: Option<SampleRate>) {
        if let Some(rate) = rate {
            let text = format!(
                "wished_hz={} effective_hz={} kernel_tick_hz={}",
                rate.wished_hz, rate.effective_hz, rate.tick_hz
            );
            self.say("exectrace.sampling", text);
        }
    }

    /// What adapters' functions failed at.
    fn say_panics(&mut self, classifier_panics: u64) {
        let describers = self.describer_panics();
        if classifier_panics + describers > 0 {
            let text = format!("classifiers={classifier_panics} describers={describers}");
            self.say("exectrace.panics", text);
        }
    }

    /// CPU time, the clock once more, what was dropped, and how often adapters' functions panicked.
    pub(crate) fn at_end(
        &mut self,
        cpu_time: Duration,
        closing: &Closing,
        lost_samples: u64,
        classifier_panics: u64,
    ) {
        self.ask_adapters();
        self.say_clock();
        let seconds = cpu_time.as_secs_f64();
        // Called on the collector's thread.
        let own_ns = clock::clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        let own = std::time::Duration::from_nanos(own_ns).as_secs_f64();
        self.say(
            "exectrace.cpu",
            format!("seconds={seconds:.6} recorder_seconds={own:.6}"),
        );
        let (hooks, batches, nested) = (closing.lost_events, closing.leaked_batches, closing.busy);
        let regions = closing.dropped_regions;
        if hooks + batches + nested + lost_samples + regions > 0 {
            let text = format!(
                "hooks={hooks} batches={batches} nested={nested} cpu_samples={lost_samples} regions={regions}"
            );
            self.say("exectrace.dropped", text);
        }
        self.say_panics(classifier_panics);
    }

    fn say_clock(&mut self) {
        let pair = ClockPair::take();
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let text = format!(
            "ticks={} wall_ns={} monotonic_ns={} frequency={} start_ticks={}",
            pair.tick,
            wall.as_nanos(),
            pair.monotonic_ns,
            clock::ticks_per_second(),
            self.start.tick
        );
        self.say("exectrace.clock", text);
    }
}
