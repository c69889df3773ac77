//! What the first screen and the pages ask for, and where their links lead. A browser's test opens them all.

use serde_json::Value;

use super::question::Question;
use super::span::Span;
use crate::subject::FINDINGS_MAX;

/// Ways to look at a trace.
pub(super) const TRACK_KINDS: [&str; 5] = ["worker", "thread", "group", "user_task", "region"];

/// So many rows of a kind are asked for.
const TRACKS_MAX: u32 = 500;

/// The curves above the timeline, and their buckets.
const CURVES: &str = "running,runnable,gc,syscall,waiting,heap,goal";
const CURVE_BUCKETS: u32 = 1_000;

/// For who looks closer.
const CURVE_BUCKETS_MAX: u32 = 16_384;

/// Columns of the points above the timeline.
const COLUMNS: u32 = 400;

/// Reports that pages begin with, and how much of each they ask for: a row each.
const REPORTS: [(&str, u32); 5] = [
    ("tasks", 5000),
    ("latency", 2000),
    ("blockers", 1000),
    ("workers", 1000),
    ("gc", 2000),
];

/// Types of profiles, the one that is shown first before all others.
const PROFILES: [&str; 6] = ["cpu", "offcpu", "sched", "sync", "net", "syscall"];

/// Groups of tasks beside a stretch that is selected.
const GROUPS_OF_STRETCH: u32 = 12;

/// Stacks of a profile.
const STACKS_MAX: u32 = 5000;

/// Annotations of a task.
const TREE_MAX: u32 = 150;

/// Of the findings so many have their evidence in the page.
const FINDINGS_TOLD: usize = 10;

/// Of a table so many rows that lead to a page of their own have it.
const ROWS_TOLD: usize = 20;

/// A time of a task that a link leads to.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) task: String,
    pub(super) at_ns: u64,
}

/// One of those that took longest.
#[derive(Debug)]
pub(super) struct Point {
    /// As `user:5` or `task:7`.
    pub(super) id: String,
    pub(super) of_task: Moment,
}

/// How many more passes for reports there may be: for each the whole trace is read.
#[derive(Debug)]
pub(super) struct Reports {
    left: usize,
}

/// So much is read for those that are not for all pages: half a minute, or what fits in there.
const READ_MAX: usize = 1 << 30;

const REPORTS_MAX: usize = 200;

impl Reports {
    pub(super) fn of_bytes(bytes: usize) -> Self {
        Self {
            left: (READ_MAX / bytes.max(1)).min(REPORTS_MAX),
        }
    }

    /// Whether there may be one more.
    pub(super) fn next(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }
}

/// What is asked for once.
pub(super) fn once() -> Vec<Question> {
    let mut questions = vec![Question::new("trace"), findings()];
    questions.extend(TRACK_KINDS.map(tracks));
    questions
}

pub(super) fn findings() -> Question {
    report("findings", FINDINGS_MAX as u32)
}

/// The rows of a kind.
pub(super) fn tracks(by: &str) -> Question {
    let tracks = Question::new("tracks").with("by", by);
    tracks.with("most", TRACKS_MAX)
}

/// The members of a group that are there in a stretch.
pub(super) fn members(group: &str, span: Span) -> Question {
    let by = match group.split_once(':') {
        Some(("users", _)) => "user_task",
        Some(("region", _)) => "region",
        _ => "group",
    };
    within(tracks(by).with("parent", group), Some(span))
}

/// The reports that pages begin with when they are opened.
pub(super) fn begun_with() -> impl Iterator<Item = Question> {
    let reports = REPORTS.map(|(name, most)| report(name, most));
    reports.into_iter().chain([profile(PROFILES[0])])
}

/// The reports of the whole trace, or of a window.
pub(super) fn reports(window: Option<Span>, is_comparison: bool) -> Vec<Question> {
    let profiles = PROFILES[1..].iter().map(|name| profile(name));
    let difference = is_comparison.then(|| report("diff", 500));
    let stretch = window.map(|_| report("tasks", GROUPS_OF_STRETCH));
    let all = begun_with().chain(profiles).chain(difference);
    let all = all.chain(stretch);
    all.map(|question| within(question, window)).collect()
}

fn profile(name: &str) -> Question {
    report("profile", STACKS_MAX).with("type", name)
}

/// The groups of tasks.
pub(super) fn groups() -> Question {
    report("tasks", 5000)
}

/// The tasks of a group.
pub(super) fn group(function: &str) -> Question {
    groups().with("group", function)
}

/// User tasks and regions by name.
pub(super) fn latency() -> Question {
    report("latency", 2000)
}

/// Those of a name.
pub(super) fn latency_of(name: &str) -> Question {
    report("latency", 40).with("name", name)
}

/// All that a task did.
pub(super) fn life(task: &str) -> Question {
    report("tasks", 5000).with("task", task)
}

/// What is annotated in a task, or in a user task.
pub(super) fn tree(id: &str) -> Question {
    Question::new("tree").with("id", id).with("most", TREE_MAX)
}

/// Why a task, or a user task, took so long, as its page tells it.
pub(super) fn why(id: &str) -> Question {
    report("why", 30).with("id", id)
}

/// The same beside the selection.
pub(super) fn why_at(id: &str, at_ns: u64) -> Question {
    report("why", 8).with("id", id).with("at", at_ns)
}

pub(super) fn interval_at(moment: &Moment) -> Question {
    let interval = Question::new("interval").with("track", &moment.task);
    interval.with("at", moment.at_ns)
}

/// How long things took over a stretch; of a name, or of the one that took longest in all.
pub(super) fn scatter(span: Span, name: Option<&str>) -> Question {
    let scatter = within(
        Question::new("scatter").with("columns", COLUMNS),
        Some(span),
    );
    match name {
        Some(name) => scatter.with("name", name),
        None => scatter,
    }
}

/// The curves above the timeline, as it shows them of a stretch.
pub(super) fn shown_curves(span: Span) -> Question {
    curves_of(span, CURVE_BUCKETS)
}

/// The same in narrower buckets.
pub(super) fn curves(span: Span) -> Question {
    curves_of(span, CURVE_BUCKETS_MAX)
}

fn curves_of(span: Span, buckets: u32) -> Question {
    let curves = Question::new("curves").with("names", CURVES);
    within(curves.with("width", buckets), Some(span.with_margins()))
}

/// CPU samples and logs of rows.
pub(super) fn marks(rows: &[String], span: Span) -> Question {
    let marks = Question::new("marks").with("tracks", rows.join(","));
    within(marks.with("width", CURVE_BUCKETS_MAX), Some(span))
}

fn report(name: &str, most: u32) -> Question {
    Question::new(format!("report/{name}")).with("most", most)
}

/// The same of a window.
fn within(question: Question, window: Option<Span>) -> Question {
    match window {
        Some(span) => question.with("from", span.from_ns).with("to", span.to_ns),
        None => question,
    }
}

/// The ids of the rows that an answer tells of.
pub(super) fn ids(tracks: &Value) -> Vec<String> {
    texts(&tracks["tracks"], "id").collect()
}

/// Those of them that have rows of their own.
pub(super) fn with_children(tracks: &Value) -> Vec<String> {
    let tracks = array(&tracks["tracks"]).filter(|track| track["has_children"] == true);
    let ids = tracks.filter_map(|track| track["id"].as_str().map(str::to_owned));
    ids.collect()
}

/// The rows that have ticks of logs.
pub(super) fn logged(marks: &Value) -> impl Iterator<Item = String> + '_ {
    texts(&marks["logs"], "track")
}

/// What was logged on a row, or at all, but for so many of the first.
pub(super) fn logs(track: Option<&String>, whole: Span, skip: usize) -> Question {
    // The last moment is part of it.
    let to_ns = whole.to_ns + 1;
    let logs = Question::new("logs").with("skip", skip);
    let logs = within(logs, Some(Span { to_ns, ..whole }));
    match track {
        Some(track) => logs.with("track", track),
        None => logs,
    }
}

/// Where findings lead.
pub(super) fn evidence(findings: &Value) -> Vec<Moment> {
    let findings = array(&findings["findings"]).take(FINDINGS_TOLD);
    let evidence = findings.flat_map(|finding| array(&finding["evidence"]));
    let moments = evidence.filter_map(|line| moment(&line["task"], &line["from_ns"]));
    moments.collect()
}

/// Those that took longest, with the tasks that ran then.
pub(super) fn worst(scatter: &Value) -> Vec<Point> {
    let points = array(&scatter["worst"]).filter_map(|point| {
        let id = point["id"].as_str()?.to_owned();
        let task = if point["task"].is_null() {
            &point["id"]
        } else {
            &point["task"]
        };
        let of_task = moment(task, &point["begin_ns"])?;
        Some(Point { id, of_task })
    });
    points.collect()
}

fn moment(task: &Value, at_ns: &Value) -> Option<Moment> {
    Some(Moment {
        task: task.as_str()?.to_owned(),
        at_ns: at_ns.as_u64()?,
    })
}

/// The first names of a list, each once.
pub(super) fn names(list: &Value) -> Vec<String> {
    let mut names: Vec<String> = texts(list, "name").collect();
    names.dedup();
    names.truncate(ROWS_TOLD);
    names
}

/// The functions of the groups that took most time.
pub(super) fn functions(tasks: &Value) -> Vec<String> {
    let functions = texts(&tasks["groups"], "function");
    functions.take(ROWS_TOLD).collect()
}

/// One of these, one of those.
pub(super) fn in_turns(
    one: impl Iterator<Item = Question>,
    other: impl Iterator<Item = Question>,
) -> Vec<Question> {
    let mut one = one.fuse();
    let mut other = other.fuse();
    let mut all = Vec::new();
    loop {
        let two = [one.next(), other.next()];
        if two.iter().all(Option::is_none) {
            return all;
        }
        all.extend(two.into_iter().flatten());
    }
}

fn texts<'a>(list: &'a Value, name: &'a str) -> impl Iterator<Item = String> + 'a {
    array(list).filter_map(move |line| line[name].as_str().map(str::to_owned))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
