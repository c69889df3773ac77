//! What `exectrace gc --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{
    CollectorWork, GcAssistFunction, GcCycle, GcReport, GcStop, GcStopReason, Heap, HeapPoint,
    MutatorUtilizationReport, UtilizationCurve, UtilizationPoint, UtilizationWindow,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::About;
use crate::spread_line::SpreadLine;

/// What the schema is called.
const SCHEMA: &str = "exectrace.gc";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct GcLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// The first collections.
    cycles: Vec<CycleLine>,
    /// Stops of the world by reason, first those that took longest in all.
    stop_reasons: Vec<StopReasonLine<'a>>,
    /// The longest stops.
    stops: Vec<StopLine<'a>>,
    /// How many stops there are.
    stops_total: usize,
    /// How long assists took that are seen as a whole; null if none is.
    assists: Option<SpreadLine>,
    /// How many assists are not.
    assists_open: u64,
    /// Assists by the function that the tasks run, first those that took longest in all.
    assist_functions: Vec<AssistFunctionLine<'a>>,
    /// How long sweeps took that are seen as a whole; null if none is.
    sweeps: Option<SpreadLine>,
    /// What was swept.
    swept_bytes: u64,
    /// What of it was got back.
    reclaimed_bytes: u64,
    /// The heap over time; null if the trace does not tell of it.
    heap: Option<HeapLine>,
    /// What is left of the workers, by what counts as work for the collector.
    utilization: Vec<CurveLine>,
    /// Some cycles, stops or functions are left out.
    truncated: bool,
    /// How many cycles there are.
    total: usize,
}

/// A collection: its concurrent mark phase.
#[derive(JsonSchema, Serialize)]
struct CycleLine {
    /// When it began, or the trace.
    begin_ns: i64,
    /// When it ended, or what is looked at.
    end_ns: i64,
    /// It began before the trace.
    is_open_left: bool,
    /// It had not ended.
    is_open_right: bool,
    /// How long the world was stopped in it, its first and last stop included.
    stopped_ns: i64,
    /// How many assists ended in it.
    assists: u64,
    /// How long those took.
    assist_ns: i64,
    /// Live heap when it began, as last told; null before that.
    live_begin_bytes: Option<u64>,
    /// Live heap when it ended.
    live_end_bytes: Option<u64>,
    /// The heap at which it was meant to end; null if none is told.
    goal_bytes: Option<u64>,
}

/// Stops of the world for one reason.
#[derive(JsonSchema, Serialize)]
struct StopReasonLine<'a> {
    /// Why, in the trace's words.
    reason: &'a str,
    /// How long they took; open ones at least.
    stops: SpreadLine,
}

/// A stop of the world.
#[derive(JsonSchema, Serialize)]
struct StopLine<'a> {
    /// When it began, or the trace.
    begin_ns: i64,
    /// When it ended, or what is looked at.
    end_ns: i64,
    /// It began before the trace.
    is_open_left: bool,
    /// It had not ended.
    is_open_right: bool,
    /// Why, in the trace's words.
    reason: &'a str,
    /// Who stopped it, such as `task:7`.
    task: String,
    /// The function that did; empty if that is not told.
    function: &'a str,
}

/// Assists of tasks that run the same function.
#[derive(JsonSchema, Serialize)]
struct AssistFunctionLine<'a> {
    /// The function; empty if nothing tells it.
    function: &'a str,
    /// How many assists.
    count: u64,
    /// How long they took in all; open ones at least.
    sum_ns: i64,
}

/// The heap over time.
#[derive(JsonSchema, Serialize)]
struct HeapLine {
    /// When the first point begins.
    begin_ns: i64,
    /// How long a point holds.
    point_ns: i64,
    /// At most 128.
    points: Vec<HeapPointLine>,
}

/// The heap in a stretch of time.
#[derive(JsonSchema, Serialize)]
struct HeapPointLine {
    /// The least live heap; null before the trace tells it.
    live_bytes_min: Option<u64>,
    /// The most.
    live_bytes_max: Option<u64>,
    /// At which the collector was meant to be done; null if that is not told.
    goal_bytes: Option<u64>,
}

/// The minimum mutator utilisation by length of the window.
#[derive(JsonSchema, Serialize)]
struct CurveLine {
    /// Stops of the world count.
    stops: bool,
    /// Marking in the background counts.
    background: bool,
    /// Assists count.
    assists: bool,
    /// Sweeping counts.
    sweeps: bool,
    /// Each worker for itself, instead of the mean of all.
    by_worker: bool,
    /// A point for each length, the shortest first.
    points: Vec<PointLine>,
}

/// The minimum for windows of one length.
#[derive(JsonSchema, Serialize)]
struct PointLine {
    /// The length.
    window_ns: i64,
    /// The minimum, from 0 to 1.
    utilization: f64,
    /// The worst windows that do not overlap, the worst first.
    worst: Vec<WindowLine>,
}

/// A window.
#[derive(JsonSchema, Serialize)]
struct WindowLine {
    /// When it begins.
    begin_ns: i64,
    /// How long it is: shorter than asked for where the trace is.
    window_ns: i64,
    /// The mean in it, from 0 to 1.
    utilization: f64,
    /// Whose, such as `worker:2`; null of all together.
    worker: Option<String>,
}

impl<'a> GcLine<'a> {
    /// How many cycles, stops and functions are told unless said otherwise.
    pub const MOST: usize = 10;

    /// That of reports, with so many cycles, stops and functions at most.
    #[must_use]
    pub fn of(
        gc: &'a GcReport,
        utilization: &'a MutatorUtilizationReport,
        about: &About<'a>,
        most: usize,
    ) -> Self {
        let (cycles, curves) = (gc.cycles.iter().take(most), utilization.curves.iter());
        let functions = gc.assist_functions.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            cycles: cycles.map(|it| CycleLine::of(it, about)).collect(),
            stop_reasons: gc.stop_reasons.iter().map(StopReasonLine::of).collect(),
            stops: gc.stops.iter().map(|it| StopLine::of(it, about)).collect(),
            stops_total: gc.stops_total,
            assists: gc.assists.as_ref().map(SpreadLine::of),
            assists_open: gc.assists_open,
            assist_functions: functions.map(AssistFunctionLine::of).collect(),
            sweeps: gc.sweeps.as_ref().map(SpreadLine::of),
            swept_bytes: gc.swept_bytes,
            reclaimed_bytes: gc.reclaimed_bytes,
            heap: gc.heap.as_ref().map(|it| HeapLine::of(it, about)),
            utilization: curves.map(|it| CurveLine::of(it, about)).collect(),
            truncated: is_truncated(gc, most),
            total: gc.cycles.len(),
        }
    }
}

fn is_truncated(gc: &GcReport, most: usize) -> bool {
    gc.cycles.len() > most || gc.stops_total > gc.stops.len() || gc.assist_functions.len() > most
}

impl CycleLine {
    fn of(cycle: &GcCycle, about: &About<'_>) -> Self {
        Self {
            begin_ns: about.since_ns(cycle.begin),
            end_ns: about.since_ns(cycle.end),
            is_open_left: cycle.is_open_left,
            is_open_right: cycle.is_open_right,
            stopped_ns: cycle.stopped_ns,
            assists: cycle.assists,
            assist_ns: cycle.assist_ns,
            live_begin_bytes: cycle.live_begin_bytes,
            live_end_bytes: cycle.live_end_bytes,
            goal_bytes: cycle.goal_bytes,
        }
    }
}

impl<'a> StopReasonLine<'a> {
    fn of(of_reason: &'a GcStopReason) -> Self {
        Self {
            reason: &of_reason.reason,
            stops: SpreadLine::of(&of_reason.stops),
        }
    }
}

impl<'a> StopLine<'a> {
    fn of(stop: &'a GcStop, about: &About<'_>) -> Self {
        Self {
            begin_ns: about.since_ns(stop.begin),
            end_ns: about.since_ns(stop.end),
            is_open_left: stop.is_open_left,
            is_open_right: stop.is_open_right,
            reason: &stop.reason,
            task: format!("task:{}", stop.task.0),
            function: &stop.function,
        }
    }
}

impl<'a> AssistFunctionLine<'a> {
    fn of(of_function: &'a GcAssistFunction) -> Self {
        Self {
            function: &of_function.function,
            count: of_function.count,
            sum_ns: of_function.ns,
        }
    }
}

impl HeapLine {
    fn of(heap: &Heap, about: &About<'_>) -> Self {
        let point = |point: &HeapPoint| HeapPointLine {
            live_bytes_min: point.live_bytes_min,
            live_bytes_max: point.live_bytes_max,
            goal_bytes: point.goal_bytes,
        };
        Self {
            begin_ns: about.since_ns(heap.begin),
            point_ns: heap.point_ns,
            points: heap.points.iter().map(point).collect(),
        }
    }
}

impl CurveLine {
    fn of(curve: &UtilizationCurve, about: &About<'_>) -> Self {
        let CollectorWork {
            stops,
            background,
            assists,
            sweeps,
            by_worker,
            ..
        } = curve.work;
        let points = curve.points.iter();
        Self {
            stops,
            background,
            assists,
            sweeps,
            by_worker,
            points: points.map(|it| PointLine::of(it, about)).collect(),
        }
    }
}

impl PointLine {
    fn of(point: &UtilizationPoint, about: &About<'_>) -> Self {
        let window = |window: &UtilizationWindow| WindowLine {
            begin_ns: about.since_ns(window.begin),
            window_ns: window.window_ns,
            utilization: window.utilization,
            worker: window.worker.map(|worker| format!("worker:{}", worker.0)),
        };
        Self {
            window_ns: point.window_ns,
            utilization: point.utilization,
            worst: point.worst.iter().map(window).collect(),
        }
    }
}
