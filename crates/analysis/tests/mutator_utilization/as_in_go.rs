//! The curves as Go has them, slips included: what is left when these are put right is what we say.
//!
//! - Go 1.22 and later: a background task of the collector is labelled each time that it starts to run, and its worker counts as busy
//!   for that. But Go also remembers the label when the task stops, and counts the worker at the next start once more; one of the two
//!   is never taken back. So a worker is busy for ever after a background task's second run, and in the end the curve says nothing.
//! - A function ends at its last change. If a worker goes, or the trace ends, while the collector works, that stretch is lost. (The
//!   number of workers changes while the world is stopped.)
//! - Each worker for itself: that a sweep or an assist was on when the trace began is not counted before the event that says so.

use std::collections::{BTreeMap, BTreeSet};

use exectrace_analysis::CollectorWork;
use exectrace_reader::{Event, Kind, Metric, Range, Reader, State};

/// The minimum for each window, if Go has a curve.
pub(crate) fn utilizations(
    file: &[u8],
    work: CollectorWork,
    windows_ns: &[i64],
) -> Vec<Option<f64>> {
    let mut curve = GoCurve::new(work);
    let mut reader = Reader::new(file).expect("has a header");
    while let Some(event) = reader.next() {
        let event = event.expect("can be read");
        curve.event(&event, &reader);
    }
    let end = curve.last;
    for place in curve.places.clone() {
        push(&mut curve.functions[place], end, 0.0);
    }
    let least = |&window_ns: &i64| {
        let functions = curve.functions.iter();
        functions
            .map(|function| least(function, window_ns))
            .reduce(f64::min)
    };
    windows_ns.iter().map(least).collect()
}

/// A function: times, and what holds from then on.
type Function = Vec<(i64, f64)>;

struct GoCurve {
    work: CollectorWork,
    /// The function of each worker.
    places: Vec<usize>,
    functions: Vec<Function>,
    counts: Vec<(i64, usize)>,
    stops: i64,
    busy: BTreeMap<i64, i64>,
    assists: BTreeSet<u64>,
    labelled: BTreeSet<u64>,
    running: BTreeSet<u64>,
    syncs: u32,
    last: i64,
    /// A function does not say yet what is so.
    is_stale: bool,
}

impl GoCurve {
    fn new(work: CollectorWork) -> Self {
        Self {
            work,
            places: Vec::new(),
            functions: Vec::new(),
            counts: Vec::new(),
            stops: 0,
            busy: BTreeMap::new(),
            assists: BTreeSet::new(),
            labelled: BTreeSet::new(),
            running: BTreeSet::new(),
            syncs: 0,
            last: 0,
            is_stale: true,
        }
    }

    fn event(&mut self, event: &Event, reader: &Reader<'_>) {
        self.last = event.time.0;
        match event.kind {
            Kind::Sync => self.syncs += 1,
            Kind::Metric {
                metric: Metric::Workers,
                value,
            } => self.count(value as usize),
            _ => {}
        }
        if self.places.is_empty() {
            return;
        }
        let is_v1 = self.syncs == 0;
        let is_go = |reason| is_v1 || reader.tables().text(reason).contains("GC");
        let worker = event.worker.0;
        let mut changes = !matches!(
            event.kind,
            Kind::RangeBegin {
                range: Range::Gc,
                ..
            } | Kind::RangeEnd {
                range: Range::Gc,
                ..
            }
        );
        match event.kind {
            Kind::RangeActive { range, task, .. } if self.syncs <= 1 => {
                let counts = range == Range::Sweep && self.work.sweeps
                    || range == Range::MarkAssist && self.work.assists;
                if counts
                    && !self.work.by_worker
                    && (range == Range::Sweep || self.running.contains(&event.task.0))
                {
                    self.lower();
                }
                let (whose, worker) = if range == Range::Sweep {
                    (event.task, worker)
                } else {
                    (task, worker)
                };
                self.range(range, whose.0, worker, 1, true);
            }
            Kind::RangeBegin { range, reason } => {
                self.range(range, event.task.0, worker, 1, is_go(reason))
            }
            Kind::RangeEnd { range, reason, .. } => {
                self.range(range, event.task.0, worker, -1, is_go(reason))
            }
            Kind::TaskTransition {
                task,
                from,
                to,
                reason,
                ..
            } => {
                changes = to == State::Running || from == State::Running;
                self.pass(task.0, (from, to), worker, is_v1);
                if is_v1 && to == State::Running {
                    self.label(&reader.tables().text(reason), task.0, worker);
                }
            }
            Kind::Label { label } => self.label(&reader.tables().text(label), event.task.0, worker),
            Kind::Metric { .. } => {
                changes = matches!(
                    event.kind,
                    Kind::Metric {
                        metric: Metric::Workers,
                        ..
                    }
                )
            }
            _ => changes = false,
        }
        if self.is_stale && (!is_v1 || changes) {
            self.update();
        }
    }

    fn count(&mut self, workers: usize) {
        self.is_stale = true;
        let time = self.last;
        if self.work.by_worker {
            for place in self.places.drain(workers.min(self.places.len())..) {
                push(&mut self.functions[place], time, 0.0);
            }
        }
        // A worker that comes back begins anew.
        self.busy.retain(|&worker, _| (worker as usize) < workers);
        self.places.truncate(workers);
        while self.places.len() < workers {
            if self.work.by_worker || self.functions.is_empty() {
                self.functions.push(vec![(time, 1.0)]);
            }
            self.places.push(self.functions.len() - 1);
        }
        self.counts.push((time, workers));
    }

    fn range(&mut self, range: Range, task: u64, worker: i64, change: i64, is_go: bool) {
        match range {
            Range::StopTheWorld if self.work.stops && is_go => {
                self.stops += change;
                self.is_stale = true;
            }
            Range::Sweep if self.work.sweeps => self.add(worker, change),
            Range::MarkAssist if self.work.assists => {
                self.add(worker, change);
                if change > 0 {
                    self.assists.insert(task);
                } else {
                    self.assists.remove(&task);
                }
            }
            _ => {}
        }
    }

    fn pass(&mut self, task: u64, (from, to): (State, State), worker: i64, is_v1: bool) {
        let executes = |state| state == State::Running || !is_v1 && state == State::Syscall;
        let (has_run, runs) = (executes(from), executes(to));
        if runs {
            self.running.insert(task);
        } else {
            self.running.remove(&task);
        }
        if runs == has_run {
            return;
        }
        let change = if runs { 1 } else { -1 };
        let times = [&self.assists, &self.labelled].map(|it| i64::from(it.contains(&task)));
        let times = if is_v1 {
            times[0] + times[1]
        } else {
            times[0].max(times[1])
        };
        self.add(worker, times * change);
        if is_v1 && !runs {
            self.labelled.remove(&task);
        }
    }

    fn label(&mut self, label: &str, task: u64, worker: i64) {
        let counts = self.work.background && label.starts_with("GC ") && label != "GC (idle)";
        if counts && !(self.work.by_worker && label == "GC (dedicated)") {
            self.labelled.insert(task);
            self.add(worker, 1);
        }
    }

    fn add(&mut self, worker: i64, change: i64) {
        *self.busy.entry(worker).or_default() += change;
        self.is_stale |= change != 0;
    }

    /// A worker was busy since the begin.
    fn lower(&mut self) {
        for (time, utilization) in &mut self.functions[0] {
            let later = self.counts.partition_point(|&(since, _)| since < *time);
            let (_, workers) = self.counts[later.saturating_sub(1)];
            *utilization = (*utilization - 1.0 / workers as f64).max(0.0);
        }
    }

    fn update(&mut self) {
        let (time, workers) = (self.last, self.places.len());
        let works = |worker: usize| {
            self.stops > 0 || self.busy.get(&(worker as i64)).is_some_and(|&it| it > 0)
        };
        let mut is_stale = false;
        if self.work.by_worker {
            for (worker, &place) in self.places.iter().enumerate() {
                let utilization = if works(worker) { 0.0 } else { 1.0 };
                is_stale |= push(&mut self.functions[place], time, utilization);
            }
        } else {
            let busy = (0..workers).filter(|&worker| works(worker)).count();
            is_stale = push(
                &mut self.functions[0],
                time,
                1.0 - busy as f64 / workers as f64,
            );
        }
        self.is_stale = is_stale;
    }
}

/// Of what is so at one time the least stands, until an event is later; then the answer is true.
fn push(function: &mut Function, time: i64, utilization: f64) -> bool {
    match function.last_mut() {
        Some(last) if last.1 == utilization => {}
        Some(last) if last.0 == time => last.1 = last.1.min(utilization),
        _ => function.push((time, utilization)),
    }
    function[function.len() - 1].1 != utilization
}

/// The minimum over windows that begin or end at a step, each integrated anew.
fn least(function: &Function, window_ns: i64) -> f64 {
    let (first, last) = (function[0].0, function[function.len() - 1].0);
    let window_ns = window_ns.min(last - first);
    let mut sums = vec![0.0];
    for pair in function.windows(2) {
        sums.push(sums[sums.len() - 1] + pair[0].1 * (pair[1].0 - pair[0].0) as f64);
    }
    let integral = |time: i64| {
        let place = function.partition_point(|step| step.0 <= time) - 1;
        sums[place] + function[place].1 * (time - function[place].0) as f64
    };
    let times = function
        .iter()
        .flat_map(|&(time, _)| [time, time - window_ns]);
    let begins = times.filter(|&begin| first <= begin && begin <= last - window_ns);
    let means =
        begins.map(|begin| (integral(begin + window_ns) - integral(begin)) / window_ns as f64);
    means.fold(1.0, f64::min)
}
