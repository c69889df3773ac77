//! What a garbage collector leaves of the workers: the minimum mutator utilisation.
//!
//! The utilisation of a window of time is the share of it in which workers did not work for the collector. Its minimum over all
//! windows of one length says how slow the program can be for that long, which a list of pauses does not (Cheng and Blelloch, "A
//! parallel, real-time garbage collector", 2001). What is work for the collector is defined as in Go's own curves
//! (`internal/trace`, `MutatorUtilization`):
//!
//! - All workers work for it while the world is stopped, in Go since 1.22 only if it is stopped for the collector.
//! - A worker does while the task that it runs assists with marking, while that is one of the collector's own background tasks
//!   (those that mark while nothing else is to do, "GC (idle)", give way and do not count), and while it sweeps.
//! - There are as many workers as the program allows itself; before the trace tells that nothing is known.
//! - Each worker for itself is a function of its own, and the minimum is that of all. A task that marks on a dedicated worker does
//!   not count there, since the program's tasks run elsewhere meanwhile.

use exectrace_reader::{Event, Kind, Metric, Timestamp, WorkerId};

use crate::collector_activity::{Change, CollectorActivity, Work};
use crate::utilization_function::{Mean, UtilizationFunction};
use crate::worker_utilization::WorkerUtilization;
use crate::{Analysis, Context};

/// Follows what workers do for the collector.
#[derive(Clone, Debug, Default)]
pub struct MutatorUtilization {
    activity: CollectorActivity,
    /// Since it is known how many workers there are.
    functions: Option<Functions>,
    workers: u64,
}

/// Which work counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectorWork {
    /// The world is stopped.
    pub stops: bool,
    /// Background tasks mark.
    pub background: bool,
    /// The program's tasks assist.
    pub assists: bool,
    /// Workers sweep.
    pub sweeps: bool,
    /// Each worker for itself, instead of the mean of all.
    pub by_worker: bool,
}

/// What is left by the collector.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MutatorUtilizationReport {
    /// A curve for each selection of work, in the order of [`CollectorWork::SELECTIONS`]; none if the trace does not say how many workers
    /// there are.
    pub curves: Vec<UtilizationCurve>,
}

/// The minimum mutator utilisation by length of the window.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UtilizationCurve {
    /// The work that counts.
    pub work: CollectorWork,
    /// A point for each length, the shortest first.
    pub points: Vec<UtilizationPoint>,
}

/// The minimum for windows of one length.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UtilizationPoint {
    /// The length. Where the trace is shorter, all of it is the window.
    pub window_ns: i64,
    /// The minimum, from 0 to 1.
    pub utilization: f64,
    /// The worst windows that do not overlap, the worst first: up to five where assists and background tasks count, else one.
    pub worst: Vec<UtilizationWindow>,
}

/// A window.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UtilizationWindow {
    /// When it begins.
    pub begin: Timestamp,
    /// How long it is.
    pub window_ns: i64,
    /// The mean utilisation in it.
    pub utilization: f64,
    /// Whose, in a curve of each worker for itself.
    pub worker: Option<WorkerId>,
}

impl CollectorWork {
    /// What is reported: stops alone; with assists and background tasks, which is what Go's page shows first; with sweeps; and that of each
    /// worker for itself, without sweeps.
    pub const SELECTIONS: [Self; 4] = [
        Self {
            background: false,
            assists: false,
            ..Self::MOST
        },
        Self::MOST,
        Self {
            sweeps: true,
            ..Self::MOST
        },
        Self::BY_WORKER,
    ];

    const BY_WORKER: Self = Self {
        by_worker: true,
        ..Self::MOST
    };

    const MOST: Self = Self {
        stops: true,
        background: true,
        assists: true,
        sweeps: false,
        by_worker: false,
    };

    fn has(self, work: Work) -> bool {
        match work {
            Work::Sweep => self.sweeps,
            Work::Assist => self.assists,
            Work::Mark => self.background,
            Work::DedicatedMark => self.background && !self.by_worker,
        }
    }
}

/// What is left, by selection of work.
#[derive(Clone, Debug)]
struct Functions {
    /// Of all workers together: the mean.
    shared: Vec<(CollectorWork, UtilizationFunction)>,
    apart: WorkerUtilization,
}

/// The lengths of windows: from a microsecond to a second, three a decade.
const WINDOWS_NS: [i64; 19] = {
    let mut windows = [0; 19];
    let mut i = 0;
    let mut decade = 1_000;
    while i < windows.len() {
        windows[i] = decade * [1, 2, 5][i % 3];
        i += 1;
        if i % 3 == 0 {
            decade *= 10;
        }
    }
    windows
};

/// How many windows of each length are told of the selection that is looked at first; of the others the worst.
const WORST_MAX: usize = 5;

impl Analysis for MutatorUtilization {
    type Report = MutatorUtilizationReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        let time = event.time;
        if self.workers > 0 && self.functions.is_none() {
            self.begin(context.window.from().unwrap_or(time));
        }
        if let Some(workers) = workers_told(event) {
            self.workers = workers;
            if self.functions.is_none() {
                self.begin(time);
            }
            if let Some(functions) = self.functions.as_mut().filter(|_| workers > 0) {
                functions.apart.count(time, workers);
                self.update(time);
            }
        }
        let busy_before = match event.kind {
            Kind::RangeActive { .. } => self.busy_by_selection(),
            _ => Vec::new(),
        };
        let change = self.activity.event(event, context.tables);
        if change == Change::SinceBegin {
            self.lower(time, &busy_before);
        }
        if change != Change::Nothing {
            self.update(time);
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if context.window.from().is_some_and(|from| event.time < from) {
            self.workers = workers_told(event).unwrap_or(self.workers);
            self.activity.event(event, context.tables);
        }
    }

    fn report(mut self, context: &Context<'_>) -> MutatorUtilizationReport {
        let Some((begin, end)) = context.span() else {
            return MutatorUtilizationReport { curves: Vec::new() };
        };
        if self.functions.is_none() {
            self.begin(begin);
        }
        let Some(functions) = self.functions else {
            return MutatorUtilizationReport { curves: Vec::new() };
        };
        let shared = functions.shared.into_iter().map(|(work, mut function)| {
            function.end(end);
            UtilizationCurve::of(work, std::iter::once((None, function)))
        });
        let apart = functions
            .apart
            .end(end)
            .map(|(worker, it)| (Some(worker), it));
        let apart = UtilizationCurve::of(CollectorWork::BY_WORKER, apart);
        MutatorUtilizationReport {
            curves: shared.chain([apart]).collect(),
        }
    }
}

/// How many workers there are, if the event tells it.
fn workers_told(event: &Event) -> Option<u64> {
    match event.kind {
        Kind::Metric {
            metric: Metric::Workers,
            value,
        } => Some(value),
        _ => None,
    }
}

impl MutatorUtilization {
    /// From now on it is known how many workers there are.
    fn begin(&mut self, time: Timestamp) {
        if self.workers > 0 {
            let mut functions = Functions::new(time);
            functions.apart.count(time, self.workers);
            self.functions = Some(functions);
            self.update(time);
        }
    }

    /// The workers that work for the collector, in order; those that there cannot be left out.
    fn busy(&self, selection: CollectorWork) -> Vec<i64> {
        let works = self.activity.works();
        let of_selection = works.filter(|&(_, work)| selection.has(work));
        let workers = of_selection.map(|(worker, _)| worker.0);
        let mut busy: Vec<i64> = workers
            .filter(|&worker| u64::try_from(worker).is_ok_and(|it| it < self.workers))
            .collect();
        busy.sort_unstable();
        busy.dedup();
        busy
    }

    fn busy_by_selection(&self) -> Vec<Vec<i64>> {
        CollectorWork::SELECTIONS
            .iter()
            .map(|&it| self.busy(it))
            .collect()
    }

    /// It is so from now on.
    fn update(&mut self, time: Timestamp) {
        let busy = self.busy_by_selection();
        let (workers, is_stopped) = (self.workers, self.activity.is_stopped());
        let Some(functions) = &mut self.functions else {
            return;
        };
        for ((selection, function), busy) in functions.shared.iter_mut().zip(&busy) {
            let all = is_stopped && selection.stops;
            let busy = if all { workers } else { busy.len() as u64 };
            function.step(time, 1.0 - busy as f64 / workers as f64);
        }
        functions.apart.stop(time, is_stopped);
        if let Some(busy) = busy.last() {
            functions.apart.work(time, busy);
        }
    }

    /// What is so now was so since the begin.
    fn lower(&mut self, time: Timestamp, busy_before: &[Vec<i64>]) {
        let busy = self.busy_by_selection();
        let workers = self.workers;
        let Some(functions) = &mut self.functions else {
            return;
        };
        let pairs = busy_before.iter().zip(&busy);
        for ((_, function), (before, now)) in functions.shared.iter_mut().zip(pairs) {
            let more = now.len().saturating_sub(before.len());
            function.lower_until(time, more as f64 / workers as f64);
        }
        if let (Some(before), Some(now)) = (busy_before.last(), busy.last()) {
            functions.apart.work(time, now);
            for &worker in now.iter().filter(|worker| !before.contains(worker)) {
                functions.apart.has_worked(time, WorkerId(worker));
            }
        }
    }
}

impl Functions {
    fn new(time: Timestamp) -> Self {
        let selections = CollectorWork::SELECTIONS.into_iter();
        let shared = selections.filter(|it| !it.by_worker);
        Self {
            shared: shared
                .map(|it| (it, UtilizationFunction::new(time)))
                .collect(),
            apart: WorkerUtilization::new(time),
        }
    }
}

impl UtilizationCurve {
    fn of(
        work: CollectorWork,
        series: impl Iterator<Item = (Option<WorkerId>, UtilizationFunction)>,
    ) -> Self {
        let mut points: Vec<_> = WINDOWS_NS.into_iter().map(UtilizationPoint::new).collect();
        let most = if work == CollectorWork::MOST {
            WORST_MAX
        } else {
            1
        };
        for (worker, function) in series {
            for point in &mut points {
                point.add(worker, &function, most);
            }
        }
        Self { work, points }
    }
}

impl UtilizationPoint {
    fn new(window_ns: i64) -> Self {
        Self {
            window_ns,
            utilization: 1.0,
            worst: Vec::new(),
        }
    }

    /// Takes a worker's function, or that of all.
    fn add(&mut self, worker: Option<WorkerId>, function: &UtilizationFunction, most: usize) {
        let window_ns = self.window_ns.min(function.duration_ns());
        if window_ns == 0 {
            return;
        }
        let mut rest: Vec<Mean> = Vec::new();
        if most == 1 {
            // The least alone needs no list.
            let mut least = Mean::NOTHING_USED;
            function.means(window_ns, |it| least = least.lesser(it));
            rest.extend(Some(least).filter(|it| it.mean < 1.0));
        } else {
            function.means(window_ns, |it| {
                if it.mean < 1.0 {
                    rest.push(it);
                }
            });
        }
        let mut found: Vec<UtilizationWindow> = Vec::new();
        while found.len() < most {
            let Some(worst) = rest.iter().copied().reduce(Mean::lesser) else {
                break;
            };
            rest.retain(|it| it.begin.abs_diff(worst.begin) >= window_ns as u64);
            found.push(UtilizationWindow {
                begin: Timestamp(worst.begin),
                window_ns,
                utilization: worst.mean,
                worker,
            });
        }
        self.worst.extend(found);
        self.worst.sort_by(|a, b| {
            a.utilization
                .total_cmp(&b.utilization)
                .then(a.begin.cmp(&b.begin))
        });
        self.worst.truncate(most);
        self.utilization = self.worst.first().map_or(1.0, |worst| worst.utilization);
    }
}
