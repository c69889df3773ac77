//! What a recording says about itself: user logs of task 0 with keys `exectrace.…`.
//!
//! | key | message | when |
//! | --- | --- | --- |
//! | `exectrace.writer` | `exectrace 0.1.0` | start |
//! | `exectrace.clock` | `ticks=… wall_ns=… monotonic_ns=… frequency=…` | start and end |
//! | `exectrace.process` | `pid=… args=…` | start |
//! | `exectrace.sampling` | `wished_hz=… effective_hz=… kernel_tick_hz=…` | start, if CPU samples are taken |
//! | `exectrace.thread` | `worker=… thread=… role=… name=…` | whenever a thread joins or changes |
//! | `exectrace.cpu` | `seconds=…` | end |
//! | `exectrace.dropped` | `cpu_samples=…` | end, if anything was dropped |
//!
//! Adapters have keys of their own: see [`add_describer`]. Go's tools show them all as logs of no goroutine; our reader makes them the trace's metadata.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::annotation;
use crate::clock::{self, ClockPair};
use crate::lane;
use crate::sampler::rate::SampleRate;

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
    /// By worker number: what was last said of the lane.
    threads: HashMap<u32, u32>,
}

impl Description {
    pub(crate) fn new(start: ClockPair) -> Self {
        Self {
            start,
            adapters: HashMap::new(),
            adapters_seen: None,
            threads: HashMap::new(),
        }
    }

    /// Writer, clock and process.
    pub(crate) fn at_start(&mut self) {
        say(
            b"exectrace.writer",
            concat!("exectrace ", env!("CARGO_PKG_VERSION")).as_bytes(),
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
        say(b"exectrace.process", &process);
    }

    /// The threads that joined or changed since the last call.
    pub(crate) fn of_threads(&mut self) {
        for lane in lane::all() {
            let described = lane.described();
            if self.threads.get(&lane.number()) == Some(&described) || !lane.has_joined() {
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
            say(b"exectrace.thread", &text);
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
            let Some(text) = describer() else { continue };
            if self.adapters.get(key) != Some(&text) {
                say(key.as_bytes(), text.as_bytes());
                self.adapters.insert(key, text);
            }
        }
    }

    /// How CPU samples are taken, if they are: the rate that is granted, which may be lower than the one that was wished.
    pub(crate) fn of_sampling(&mut self, rate: Option<SampleRate>) {
        if let Some(rate) = rate {
            let text = format!(
                "wished_hz={} effective_hz={} kernel_tick_hz={}",
                rate.wished_hz, rate.effective_hz, rate.tick_hz
            );
            say(b"exectrace.sampling", text.as_bytes());
        }
    }

    /// CPU time, the clock once more, and what was dropped.
    pub(crate) fn at_end(&mut self, start_cpu_ns: u64, lost_samples: u64) {
        self.ask_adapters();
        self.say_clock();
        if lost_samples > 0 {
            let text = format!("cpu_samples={lost_samples}");
            say(b"exectrace.dropped", text.as_bytes());
        }
        let used_ns = clock::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(start_cpu_ns);
        let seconds = std::time::Duration::from_nanos(used_ns).as_secs_f64();
        say(b"exectrace.cpu", format!("seconds={seconds:.6}").as_bytes());
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
        say(b"exectrace.clock", text.as_bytes());
    }
}

/// One log of task 0, on the collector's own lane.
pub(crate) fn say(key: &[u8], message: &[u8]) {
    annotation::write_log(0, key, message, false);
}
