//! What `exectrace latency --json` prints; `docs/command.md` tells of each key.

use exectrace_analysis::{
    AnnotationKind, HistogramBin, LatencyGroup, LatencyInstance, LatencyLog, LatencyPart,
    LatencyReport, LatencyStrayEnd, OpenEnds,
};
use exectrace_reader::UserTaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::About;
use crate::spread_line::SpreadLine;

/// What the schema is called.
const SCHEMA: &str = "exectrace.latency";

/// The version of the schema: raised when a key changes its meaning or goes, not when one comes.
const SCHEMA_VERSION: u32 = 1;

/// An object about a trace.
#[derive(JsonSchema, Serialize)]
pub struct LatencyLine<'a> {
    /// What the line is.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Raised when a key changes its meaning or goes, not when one comes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    version: u32,
    /// The name, as on the command line; `standard input`; `a + b` for parts of one trace.
    file: &'a str,
    /// The name that was asked for; null for all.
    name: Option<&'a str>,
    /// User tasks and regions by kind and name, of each kind first those that took longest in all.
    groups: Vec<GroupLine<'a>>,
    /// Ends that end nothing.
    stray_ends: Vec<StrayEndLine<'a>>,
    /// How many such ends there are.
    stray_ends_total: usize,
    /// Some groups are left out.
    truncated: bool,
    /// How many groups there are.
    total: usize,
}

/// What something is.
#[derive(Clone, Copy, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum KindLine {
    /// A user task.
    UserTask,
    /// A region.
    Region,
}

/// User tasks or regions of one name.
#[derive(JsonSchema, Serialize)]
struct GroupLine<'a> {
    /// What they are.
    kind: KindLine,
    /// Their name; null if the trace does not tell it.
    name: Option<&'a str>,
    /// How many there are, open ones among them.
    count: u64,
    /// How long those took that began and ended in the trace; null if none did.
    closed: Option<SpreadLine>,
    /// Those that began before the trace.
    open_left: OpenEndsLine,
    /// Those that had not ended.
    open_right: OpenEndsLine,
    /// Those that did both.
    open_both: OpenEndsLine,
    /// The closed ones by size; left out without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Vec<BinLine>>,
    /// The longest; left out without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst: Option<Vec<InstanceLine<'a>>>,
}

/// User tasks or regions that are not seen as a whole.
#[derive(JsonSchema, Serialize)]
struct OpenEndsLine {
    /// How many.
    count: u64,
    /// The longest took at least as long.
    at_least_ns: i64,
}

/// Those of about one size.
#[derive(JsonSchema, Serialize)]
struct BinLine {
    /// The least that is in it.
    from_ns: i64,
    /// The least that is too long for it.
    to_ns: i64,
    /// How many.
    count: u64,
}

/// A user task or a region with its parts.
#[derive(JsonSchema, Serialize)]
struct InstanceLine<'a> {
    #[serde(flatten)]
    whole: PartLine<'a>,
    /// The function that it began in; empty if that is not told.
    function: &'a str,
    /// The user task that it is a part of, if of any.
    parent: Option<ParentLine<'a>>,
    /// Its parts in order, the longest ones if there are many.
    parts: Vec<PartLine<'a>>,
    /// How many parts it has.
    parts_total: usize,
    /// Its first logs.
    logs: Vec<LogLine<'a>>,
    /// How many logs it has.
    logs_total: usize,
}

/// From when to when something was.
#[derive(JsonSchema, Serialize)]
struct PartLine<'a> {
    /// What it is.
    kind: KindLine,
    /// Its name; null if the trace does not tell it.
    name: Option<&'a str>,
    /// The user task, such as `user:7`, or that of the region; null for a region of none.
    user_task: Option<String>,
    /// The task that began it, such as `task:7`.
    task: String,
    /// When it began, or the trace.
    begin_ns: i64,
    /// When it ended, or what is looked at.
    end_ns: i64,
    /// How long it took, at least if an end is open.
    ns: i64,
    /// It began before the trace.
    is_open_left: bool,
    /// It had not ended.
    is_open_right: bool,
}

/// What something is a part of.
#[derive(JsonSchema, Serialize)]
struct ParentLine<'a> {
    /// The user task, such as `user:7`.
    user_task: String,
    /// Its name; null if it began before the trace.
    name: Option<&'a str>,
}

/// A message.
#[derive(JsonSchema, Serialize)]
struct LogLine<'a> {
    /// When.
    time_ns: i64,
    /// Whose, such as `task:7`.
    task: String,
    /// Its key.
    key: &'a str,
    /// The message.
    message: &'a str,
}

/// An end that ends nothing.
#[derive(JsonSchema, Serialize)]
struct StrayEndLine<'a> {
    /// Of what.
    kind: KindLine,
    /// Its name; null if the trace does not tell it.
    name: Option<&'a str>,
    /// When.
    time_ns: i64,
    /// Whose, such as `task:7`.
    task: String,
}

impl<'a> LatencyLine<'a> {
    /// How many names are told unless said otherwise, or how many of one name.
    #[must_use]
    pub fn most(name: Option<&str>) -> usize {
        match name {
            None => 40,
            Some(_) => 10,
        }
    }

    /// That of a report on all names, so many at most; or on one name, and so many of it.
    #[must_use]
    pub fn of(
        report: &'a LatencyReport,
        name: Option<&'a str>,
        about: &About<'a>,
        most: usize,
    ) -> Self {
        let most_groups = if name.is_some() { usize::MAX } else { most };
        let groups = report.groups.iter().take(most_groups);
        let stray_ends = report.stray_ends.iter().take(most);
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            file: about.file,
            name,
            groups: groups
                .map(|group| GroupLine::of(group, name.is_some(), about))
                .collect(),
            stray_ends: stray_ends
                .map(|stray| StrayEndLine::of(stray, about))
                .collect(),
            stray_ends_total: report.stray_ends.len(),
            truncated: report.groups.len() > most_groups,
            total: report.groups.len(),
        }
    }
}

impl KindLine {
    fn of(kind: AnnotationKind) -> Self {
        match kind {
            AnnotationKind::UserTask => Self::UserTask,
            AnnotationKind::Region => Self::Region,
        }
    }
}

impl<'a> GroupLine<'a> {
    fn of(group: &'a LatencyGroup, is_asked_for: bool, about: &About<'_>) -> Self {
        let bins = group.histogram.bins.iter().map(BinLine::of);
        let worst = group.worst.iter().map(|it| InstanceLine::of(it, about));
        Self {
            kind: KindLine::of(group.kind),
            name: group.name.as_deref(),
            count: group.count(),
            closed: group.closed.as_ref().map(SpreadLine::of),
            open_left: OpenEndsLine::of(group.open_left),
            open_right: OpenEndsLine::of(group.open_right),
            open_both: OpenEndsLine::of(group.open_both),
            histogram: is_asked_for.then(|| bins.collect()),
            worst: is_asked_for.then(|| worst.collect()),
        }
    }
}

impl OpenEndsLine {
    fn of(open: OpenEnds) -> Self {
        Self {
            count: open.count,
            at_least_ns: open.at_least_ns,
        }
    }
}

impl BinLine {
    fn of(bin: &HistogramBin) -> Self {
        Self {
            from_ns: bin.from,
            to_ns: bin.to,
            count: bin.count,
        }
    }
}

impl<'a> InstanceLine<'a> {
    fn of(instance: &'a LatencyInstance, about: &About<'_>) -> Self {
        let (parts, logs) = (instance.parts.iter(), instance.logs.iter());
        Self {
            whole: PartLine::of(&instance.whole, about),
            function: &instance.function,
            parent: instance.parent.as_ref().map(|parent| ParentLine {
                user_task: user_task(parent.user_task),
                name: parent.name.as_deref(),
            }),
            parts: parts.map(|part| PartLine::of(part, about)).collect(),
            parts_total: instance.parts_total,
            logs: logs.map(|log| LogLine::of(log, about)).collect(),
            logs_total: instance.logs_total,
        }
    }
}

impl<'a> PartLine<'a> {
    fn of(part: &'a LatencyPart, about: &About<'_>) -> Self {
        Self {
            kind: KindLine::of(part.kind),
            name: part.name.as_deref(),
            user_task: part.user_task.map(user_task),
            task: format!("task:{}", part.task.0),
            begin_ns: about.since_ns(part.begin),
            end_ns: about.since_ns(part.end),
            ns: part.ns(),
            is_open_left: part.is_open_left,
            is_open_right: part.is_open_right,
        }
    }
}

impl<'a> LogLine<'a> {
    fn of(log: &'a LatencyLog, about: &About<'_>) -> Self {
        Self {
            time_ns: about.since_ns(log.moment.time),
            task: format!("task:{}", log.moment.task.0),
            key: &log.key,
            message: &log.message,
        }
    }
}

impl<'a> StrayEndLine<'a> {
    fn of(stray: &'a LatencyStrayEnd, about: &About<'_>) -> Self {
        Self {
            kind: KindLine::of(stray.kind),
            name: stray.name.as_deref(),
            time_ns: about.since_ns(stray.moment.time),
            task: format!("task:{}", stray.moment.task.0),
        }
    }
}

fn user_task(id: UserTaskId) -> String {
    format!("user:{}", id.0)
}
