//! What a garbage collector did: cycles, stops of the world, assists, sweeps, and the heap over time.
//!
//! A trace may begin and end in the middle of each: then it began before, or had not ended, and lasted at least as long as it is
//! seen. In a window stands what reaches into it, with its whole duration.

mod gc_cycle;
mod gc_stop;
mod heap_curve;
mod record;

use std::collections::HashMap;

use exectrace_reader::{Event, Kind, Metric, Range, StringId, TaskId, Timestamp, WorkerId};

use crate::{Analysis, Context, Distribution, Filter};
pub use gc_cycle::GcCycle;
use gc_stop::Stopped;
pub use gc_stop::{GcStop, GcStopReason};
use heap_curve::HeapCurve;
pub use heap_curve::{Heap, HeapPoint};
use record::{CycleRecord, StopRecord};

/// Follows a garbage collector.
#[derive(Clone, Debug, Default)]
pub struct Gc {
    /// How many stops are told one by one.
    most: usize,
    cycle: Option<GcCycle>,
    cycles: Vec<GcCycle>,
    open_stops: Vec<Stopped>,
    stops: Vec<Stopped>,
    open_assists: HashMap<TaskId, Begin>,
    assists: Vec<i64>,
    assists_open: u64,
    assists_by_task: HashMap<TaskId, (u64, i64)>,
    open_sweeps: HashMap<WorkerId, Begin>,
    sweeps: Vec<i64>,
    swept: Swept,
    heap: Option<HeapCurve>,
    live_bytes: Option<u64>,
    goal_bytes: Option<u64>,
    filter: Filter,
}

/// When something began, if not before the trace.
type Begin = Option<Timestamp>;

#[derive(Clone, Copy, Debug, Default)]
struct Swept {
    swept_bytes: u64,
    reclaimed_bytes: u64,
}

/// What a garbage collector did.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GcReport {
    /// The cycles, in order: from the begin of concurrent marking to its end.
    pub cycles: Vec<GcCycle>,
    /// Stops of the world by reason: those that took longest in all come first.
    pub stop_reasons: Vec<GcStopReason>,
    /// The longest stops.
    pub stops: Vec<GcStop>,
    /// How many stops there were.
    pub stops_total: usize,
    /// How long assists took that are seen as a whole, in nanoseconds.
    pub assists: Option<Distribution>,
    /// How many assists are not.
    pub assists_open: u64,
    /// Assists by the function that the tasks run: those that assisted longest in all come first.
    pub assist_functions: Vec<GcAssistFunction>,
    /// How long sweeps took that are seen as a whole, in nanoseconds.
    pub sweeps: Option<Distribution>,
    /// What was swept.
    pub swept_bytes: u64,
    /// What of it was got back.
    pub reclaimed_bytes: u64,
    /// The heap; `None` if the trace does not tell of it.
    pub heap: Option<Heap>,
}

/// Assists of tasks that run the same function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GcAssistFunction {
    /// The function; empty for tasks of which nothing tells it.
    pub function: String,
    /// How many assists.
    pub count: u64,
    /// How long they took in all, in nanoseconds; open ones at least.
    pub ns: i64,
}

impl Gc {
    /// Tells of so many stops one by one: the longest.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// The same of some cycles and stops alone: a filter for [`RecordKind::Collection`](crate::RecordKind::Collection).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

impl Analysis for Gc {
    type Report = GcReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if self.heap.is_none() && (self.knows_heap() || tells_heap(event)) {
            self.begin_heap(context);
        }
        self.take(event, context);
        if let (Kind::Metric { metric, value }, Some(heap)) = (event.kind, &mut self.heap) {
            match metric {
                Metric::HeapLive => heap.live(event.time, value),
                Metric::HeapGoal => heap.goal(event.time, value),
                Metric::Workers => {}
            }
        }
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        if context.window.from().is_some_and(|from| event.time < from) {
            self.take(event, context);
        }
    }

    fn report(mut self, context: &Context<'_>) -> GcReport {
        let end = context.span().map_or(context.end, |(_, to)| to);
        self.end(end, context);
        if self.heap.is_none() && self.knows_heap() {
            self.begin_heap(context);
        }
        let (filter, begin, tables) = (&self.filter, context.begin, context.tables);
        let (mut cycles, mut stops) = (self.cycles, self.stops);
        cycles.retain(|cycle| filter.lets_through(&CycleRecord { cycle, begin }));
        stops.retain(|stop| {
            filter.lets_through(&StopRecord {
                stop,
                begin,
                tables,
            })
        });
        let stop_reasons = GcStopReason::all(&stops, tables);
        let stops_total = stops.len();
        stops.sort_by_key(|stop| (std::cmp::Reverse(stop.ns()), stop.begin));
        stops.truncate(self.most);
        let told = stops.iter().map(|stop| stop.told(tables));
        GcReport {
            cycles,
            stop_reasons,
            stops: told.collect(),
            stops_total,
            assists: Distribution::of(self.assists),
            assists_open: self.assists_open,
            assist_functions: assist_functions(&self.assists_by_task, context),
            sweeps: Distribution::of(self.sweeps),
            swept_bytes: self.swept.swept_bytes,
            reclaimed_bytes: self.swept.reclaimed_bytes,
            heap: self.heap.and_then(|heap| heap.report(end)),
        }
    }
}

impl Gc {
    /// Whether the heap was told before the window.
    fn knows_heap(&self) -> bool {
        self.live_bytes.is_some() || self.goal_bytes.is_some()
    }

    fn begin_heap(&mut self, context: &Context<'_>) {
        let begin = context.span().map_or(context.end, |(from, _)| from);
        self.heap = Some(HeapCurve::new(begin, self.live_bytes, self.goal_bytes));
    }

    fn take(&mut self, event: &Event, context: &Context<'_>) {
        match event.kind {
            Kind::RangeBegin { range, reason } => {
                self.begin(
                    event,
                    range,
                    Some(event.time),
                    reason,
                    event.task,
                    event.worker,
                );
            }
            Kind::RangeActive {
                range,
                task,
                worker,
            } => {
                self.begin(event, range, None, StringId(0), task, worker);
            }
            Kind::RangeEnd {
                range,
                reason,
                swept_bytes,
                reclaimed_bytes,
            } => match range {
                Range::Gc => self.end_cycle(event.time, false, context),
                Range::StopTheWorld => self.end_stop(event, reason, context),
                Range::MarkAssist => {
                    let begin = self.open_assists.remove(&event.task).flatten();
                    self.assisted(event.task, begin, event.time, false, context);
                }
                Range::Sweep => {
                    let swept = Swept {
                        swept_bytes,
                        reclaimed_bytes,
                    };
                    let begin = self.open_sweeps.remove(&event.worker).flatten();
                    self.swept(begin, event.time, swept, context);
                }
            },
            Kind::Metric { metric, value } => match metric {
                Metric::HeapLive => self.live_bytes = Some(value),
                Metric::HeapGoal => self.goal_bytes = Some(value),
                Metric::Workers => {}
            },
            _ => {}
        }
    }

    /// A range begins, or is told to be open; a new generation tells what is known.
    fn begin(
        &mut self,
        event: &Event,
        range: Range,
        begin: Begin,
        reason: StringId,
        task: TaskId,
        worker: WorkerId,
    ) {
        match range {
            Range::Gc => {
                let (live, goal) = (self.live_bytes, self.goal_bytes);
                self.cycle
                    .get_or_insert_with(|| GcCycle::new(begin, live, goal));
            }
            Range::StopTheWorld => {
                if begin.is_some() || self.open_stops.is_empty() {
                    self.open_stops.push(Stopped::new(event, begin, reason));
                }
            }
            Range::MarkAssist => {
                self.open_assists.entry(task).or_insert(begin);
            }
            Range::Sweep => {
                self.open_sweeps.entry(worker).or_insert(begin);
            }
        }
    }

    fn end_cycle(&mut self, time: Timestamp, is_open_right: bool, context: &Context<'_>) {
        let (live, goal) = (self.live_bytes, self.goal_bytes);
        let mut cycle = self
            .cycle
            .take()
            .unwrap_or_else(|| GcCycle::new(None, live, goal));
        cycle.end(time, is_open_right, context.begin, live);
        if reaches_in(time, context) {
            self.cycles.push(cycle);
        }
    }

    fn end_stop(&mut self, event: &Event, reason: StringId, context: &Context<'_>) {
        // Several may stop the world side by side in old traces.
        let mut open = self.open_stops.iter();
        let place = open.rposition(|stop| stop.worker == event.worker);
        let place = place.or(self.open_stops.len().checked_sub(1));
        let stop = match place {
            Some(place) => self.open_stops.remove(place),
            None => Stopped::new(event, None, reason),
        };
        self.stopped(stop, event.time, false, context);
    }

    fn stopped(
        &mut self,
        mut stop: Stopped,
        time: Timestamp,
        is_open_right: bool,
        context: &Context<'_>,
    ) {
        stop.end(time, is_open_right, context.begin);
        if let Some(cycle) = &mut self.cycle {
            cycle.stopped_ns += stop.ns();
        } else if let Some(cycle) = self.cycles.last_mut() {
            // The stop in which a cycle ends is a part of it.
            if cycle.end >= stop.begin {
                cycle.stopped_ns += stop.ns();
            }
        }
        if reaches_in(time, context) {
            self.stops.push(stop);
        }
    }

    fn assisted(
        &mut self,
        task: TaskId,
        begin: Begin,
        end: Timestamp,
        is_open_right: bool,
        context: &Context<'_>,
    ) {
        let ns = end.since_ns(begin.unwrap_or(context.begin));
        if let Some(cycle) = &mut self.cycle {
            cycle.assists += 1;
            cycle.assist_ns += ns;
        }
        if !reaches_in(end, context) {
            return;
        }
        if begin.is_some() && !is_open_right {
            self.assists.push(ns);
        } else {
            self.assists_open += 1;
        }
        let (count, sum) = self.assists_by_task.entry(task).or_default();
        *count += 1;
        *sum += ns;
    }

    fn swept(&mut self, begin: Begin, end: Timestamp, swept: Swept, context: &Context<'_>) {
        if !reaches_in(end, context) {
            return;
        }
        if let Some(begin) = begin {
            self.sweeps.push(end.since_ns(begin));
        }
        let sums = &mut self.swept;
        sums.swept_bytes = sums.swept_bytes.saturating_add(swept.swept_bytes);
        sums.reclaimed_bytes = sums.reclaimed_bytes.saturating_add(swept.reclaimed_bytes);
    }

    /// What is open ends with what is looked at.
    fn end(&mut self, end: Timestamp, context: &Context<'_>) {
        for stop in std::mem::take(&mut self.open_stops) {
            self.stopped(stop, end, true, context);
        }
        for (task, begin) in std::mem::take(&mut self.open_assists) {
            self.assisted(task, begin, end, true, context);
        }
        if self.cycle.is_some() {
            self.end_cycle(end, true, context);
        }
    }
}

fn tells_heap(event: &Event) -> bool {
    match event.kind {
        Kind::Metric { metric, .. } => metric != Metric::Workers,
        _ => false,
    }
}

/// Whether what ends then is in the window.
fn reaches_in(end: Timestamp, context: &Context<'_>) -> bool {
    context.window.from().is_none_or(|from| from <= end)
}

fn assist_functions(
    by_task: &HashMap<TaskId, (u64, i64)>,
    context: &Context<'_>,
) -> Vec<GcAssistFunction> {
    let mut functions: HashMap<StringId, (u64, i64)> = HashMap::new();
    let mut rest = by_task.clone();
    for (_, life) in context.lives.iter() {
        if let Some((count, ns)) = rest.remove(&life.task) {
            let sums = functions.entry(life.function(context.tables)).or_default();
            *sums = (sums.0 + count, sums.1 + ns);
        }
    }
    for (count, ns) in rest.into_values() {
        let sums = functions.entry(StringId(0)).or_default();
        *sums = (sums.0 + count, sums.1 + ns);
    }
    let functions = functions.into_iter();
    let mut told: Vec<_> = functions
        .map(|(function, (count, ns))| GcAssistFunction {
            function: context.tables.text(function).into_owned(),
            count,
            ns,
        })
        .collect();
    told.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.function.cmp(&b.function)));
    told
}
