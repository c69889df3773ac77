//! All reports by name: which options they take, which analysis they run, and what it is told by.

use exectrace_analysis::{
    Blockers, Comparison, Findings, Gc, Id, Latency, Load, Measures, MutatorUtilization, Profile,
    RecordKind, Requests, SubjectSearch, TaskLife, TaskTimes, Threshold, Why, Workers,
};
use serde::Serialize;

use crate::asked::{
    AT, Asked, ENDED, FROM, GROUP, ID, MOST, NAME, ReportOption, TASK, TO, TYPE, USER_TASK, WHERE,
};
use crate::plan::{Plan, Told};
use crate::{
    BlockersLine, DiffLine, FindingsLine, GcLine, LatencyLine, ProfileLine, ReportError,
    SummaryLine, TasksLine, TraceFile, WhyLine, WorkersLine,
};

/// All reports that can be asked for by name: a row each.
pub const REPORTS: &[Report] = &[
    Report {
        name: "blockers",
        options: &[FROM, TO, MOST, GROUP, TASK, USER_TASK, WHERE],
        way: Way::Together(blockers),
    },
    Report {
        name: "diff",
        options: &[FROM, TO, MOST, WHERE],
        way: Way::Alone(diff),
    },
    Report {
        name: "findings",
        options: &[FROM, TO, MOST, WHERE],
        way: Way::Together(findings),
    },
    Report {
        name: "gc",
        options: &[FROM, TO, MOST, WHERE],
        way: Way::Together(gc),
    },
    Report {
        name: "latency",
        options: &[FROM, TO, MOST, NAME, WHERE],
        way: Way::Together(latency),
    },
    Report {
        name: "profile",
        options: &[FROM, TO, MOST, TYPE, ENDED, GROUP, TASK, USER_TASK, WHERE],
        way: Way::Together(profile),
    },
    Report {
        name: "summary",
        options: &[FROM, TO, MOST, WHERE],
        way: Way::Together(summary),
    },
    Report {
        name: "tasks",
        options: &[FROM, TO, MOST, GROUP, TASK, WHERE],
        way: Way::Together(tasks),
    },
    Report {
        name: "why",
        options: &[FROM, TO, MOST, ID, AT, WHERE],
        way: Way::Alone(why),
    },
    Report {
        name: "workers",
        options: &[FROM, TO, MOST, WHERE],
        way: Way::Together(workers),
    },
];

/// A report: what `exectrace NAME --json` prints of a trace, without the command.
///
/// Options have the names of the command's flags, with `_` for `-`, and its values, but that a time without a unit is in nanoseconds
/// since the first event, as all reports tell them. What the command takes without a flag is `name` of `latency`, `type` of
/// `profile`, `id` of `why`, and `task` of `tasks`.
///
/// # Examples
///
/// ```
/// use exectrace_json::{Report, TraceFile};
/// use exectrace_reader::Mode;
///
/// # let file = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=0 ticks=1000
/// #     Frequency ticks_per_second=1000000000
/// #     ProcStart dt=1 thread=7
/// #     GoCreate dt=4 task=1
/// #     GoStart dt=5 task=1 seq=1
/// #     GoBlockRecv dt=20").unwrap();
/// let trace = TraceFile {
///     name: "some.trace",
///     arguments: "some.trace",
///     bytes: &file,
///     mode: Mode::Tolerant,
///     fault: None,
///     older: None,
/// };
/// let json = Report::named("why")?.run([("id", "task:1")], &trace)?;
/// assert!(json.starts_with(br#"{"schema":"exectrace.why","version":1,"file":"some.trace","id":"task:1""#));
///
/// let error = Report::named("why")?.run([("id", "task:2")], &trace).unwrap_err();
/// assert!(error.to_string().starts_with("there is no task:2"));
/// # Ok::<(), exectrace_json::ReportError>(())
/// ```
#[derive(Debug)]
pub struct Report {
    name: &'static str,
    options: &'static [ReportOption],
    pub(crate) way: Way,
}

/// How a report comes about.
#[derive(Debug)]
pub(crate) enum Way {
    /// By one pass, which may serve others, too.
    Together(for<'a> fn(&'a Asked<'a>) -> Result<Plan<'a>, ReportError>),
    /// By passes of its own.
    Alone(fn(&Asked<'_>, &TraceFile<'_>) -> Told),
}

impl Report {
    /// The report of a name.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn named(name: &str) -> Result<&'static Self, ReportError> {
        let mut reports = REPORTS.iter();
        reports
            .find(|report| report.name == name)
            .ok_or_else(|| ReportError::NoReport {
                name: name.to_owned(),
            })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The names of its options.
    pub fn options(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().map(|option| option.name)
    }

    /// Reads a trace, and tells what is asked for: an object, as JSON. Of an option that is given twice the last one counts.
    ///
    /// # Errors
    ///
    /// When an option makes no sense, or the trace does not have what is asked for.
    pub fn run<'o>(
        &self,
        options: impl IntoIterator<Item = (&'o str, &'o str)>,
        trace: &TraceFile<'_>,
    ) -> Result<Vec<u8>, ReportError> {
        let asked = self.asked(options)?;
        match self.way {
            Way::Together(plan) => {
                let told = trace.carry_out(&asked, vec![plan(&asked)?]);
                told.into_iter().next().unwrap_or(Err(ReportError::Empty))
            }
            Way::Alone(run) => run(&asked, trace),
        }
    }

    /// What the options say.
    pub(crate) fn asked<'o>(
        &self,
        options: impl IntoIterator<Item = (&'o str, &'o str)>,
    ) -> Result<Asked<'o>, ReportError> {
        let mut asked = Asked::default();
        for (name, text) in options {
            let mut known = self.options.iter();
            let option = known.find(|option| option.name == name);
            let option = option.ok_or_else(|| ReportError::NoOption {
                report: self.name,
                option: name.to_owned(),
            })?;
            option.read(&mut asked, text)?;
        }
        Ok(asked)
    }
}

fn json(line: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(line).expect("has texts for keys")
}

fn blockers<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(BlockersLine::MOST);
    let blockers = Blockers::of(asked.selection()?);
    Ok(Plan::new(blockers, move |report, about, _| {
        Ok(json(&BlockersLine::of(report, about, most)))
    }))
}

/// Both traces are read, the older one first, with the same filter.
fn diff(asked: &Asked<'_>, trace: &TraceFile<'_>) -> Told {
    let older = trace.older.ok_or(ReportError::NoOlder)?;
    let filter = asked.filter_of_two()?;
    let analyses = || {
        let findings = Findings::default().filtered(filter.of(RecordKind::Finding));
        (Measures::of(&filter), findings)
    };
    let (old, new) = (
        older.read(asked, analyses())?,
        trace.read(asked, analyses())?,
    );
    let ((old_measures, old_findings), (new_measures, new_findings)) = (&old.report, &new.report);
    let comparison = Comparison::of(old_measures, new_measures, Threshold::default());
    let most = asked.most(DiffLine::MOST);
    let (old, new) = ((&old.about, old_findings), (&new.about, new_findings));
    Ok(json(&DiffLine::of(&comparison, old, new, most)))
}

fn findings<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(FindingsLine::MOST);
    let findings = Findings::default().filtered(asked.filter(RecordKind::Finding)?);
    Ok(Plan::new(findings, move |report, about, _| {
        Ok(json(&FindingsLine::of(report, about, most)))
    }))
}

fn gc<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(GcLine::MOST);
    let gc = Gc::new(most).filtered(asked.filter(RecordKind::Collection)?);
    let analyses = (gc, MutatorUtilization::default());
    Ok(Plan::new(analyses, move |(gc, utilization), about, _| {
        Ok(json(&GcLine::of(gc, utilization, about, most)))
    }))
}

fn latency<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let (name, most) = (asked.name, asked.most(LatencyLine::most(asked.name)));
    let filter = asked.filter(RecordKind::Annotation)?;
    let latency = Latency::new(name.map(str::to_owned), most).filtered(filter);
    Ok(Plan::new(latency, move |report, about, _| {
        Ok(json(&LatencyLine::of(report, name, about, most)))
    }))
}

fn profile<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(ProfileLine::MOST);
    let mut profile = Profile::of(asked.profile_type()?, asked.selection()?);
    if asked.is_ended {
        profile = profile.ended();
    }
    Ok(Plan::new(profile, move |report, about, _| {
        Ok(json(&ProfileLine::of(report, about, most)))
    }))
}

fn summary<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(SummaryLine::MOST);
    let requests = Requests::default().filtered(asked.filter(RecordKind::Request)?);
    let analyses = (Load::default(), requests, Findings::default());
    Ok(Plan::new(analyses, move |report, about, distrust| {
        let distrust = distrust.sentence();
        let line = SummaryLine::of(report, distrust.as_deref(), about, most);
        Ok(json(&line))
    }))
}

fn tasks<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(TasksLine::MOST);
    let filter = asked.filter(RecordKind::Task)?;
    let group = asked.selection.group.as_deref();
    if let Some(task) = asked.selection.task {
        if group.is_some() || !filter.is_none() {
            return Err(ReportError::OneTask);
        }
        return Ok(Plan::new(TaskLife::new(task), move |report, about, _| {
            if report.lives.is_empty() {
                let id = Id::Task(task);
                return Err(ReportError::NotThere { id });
            }
            Ok(json(&TasksLine::of_life(report, task, about, most)))
        }));
    }
    let times = TaskTimes::of(filter).listing(group.map(str::to_owned), most);
    Ok(Plan::new(times, move |report, about, _| {
        Ok(json(&TasksLine::of(report, group, about, most)))
    }))
}

/// The trace is read twice: it must be known when the subject was there.
fn why(asked: &Asked<'_>, trace: &TraceFile<'_>) -> Told {
    let (id, filter) = (asked.id()?, asked.filter(RecordKind::PathPart)?);
    let found = trace.read_in(|axis| {
        let at = asked.at.map(|at| axis.time(at)).transpose()?;
        Ok((asked.window(axis)?, SubjectSearch::new(id, at)))
    })?;
    let subject = found.report.ok_or(ReportError::NotThere { id })?;
    let (window, why) = (subject.window(), Why::new(subject).filtered(filter));
    let told = trace.read_in(|_| Ok((window, why)))?;
    let most = asked.most(WhyLine::MOST);
    Ok(json(&WhyLine::of(&told.report, &told.about, most)))
}

fn workers<'a>(asked: &'a Asked<'a>) -> Result<Plan<'a>, ReportError> {
    let most = asked.most(WorkersLine::MOST);
    let workers = Workers::default().filtered(asked.filter(RecordKind::Worker)?);
    Ok(Plan::new(workers, move |report, about, _| {
        Ok(json(&WorkersLine::of(report, about, most)))
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use exectrace_reader::Mode;

    use super::*;

    pub(crate) const FILE: &str = "\
        go 1.19 trace
        Batch worker=0 ticks=1000
        Frequency ticks_per_second=1000000000
        ProcStart dt=1 thread=7
        GoCreate dt=4 task=1
        GoStart dt=5 task=1 seq=1
        GoBlockRecv dt=20";

    /// A trace of some bytes, alone.
    pub(crate) fn trace_of(bytes: &[u8]) -> TraceFile<'_> {
        TraceFile {
            name: "some.trace",
            arguments: "some.trace",
            bytes,
            mode: Mode::Tolerant,
            fault: None,
            older: None,
        }
    }

    fn check_in(file: &[u8], report: &str, options: &[(&str, &str)], expect: &str) {
        let trace = trace_of(file);
        let report = Report::named(report);
        let answer = report.and_then(|report| report.run(options.iter().copied(), &trace));
        let told = answer.map_or_else(
            |error| error.to_string(),
            |json| String::from_utf8(json).expect("is text"),
        );
        assert!(told.contains(expect), "{options:?}: {told}");
    }

    #[track_caller]
    fn check(report: &str, options: &[(&str, &str)], expect: &str) {
        let file = exectrace_format::text::parse(FILE).expect("is a trace");
        check_in(&file, report, options, expect);
    }

    #[test]
    fn options_are_those_of_the_report() {
        check(
            "tasks",
            &[("most", "1"), ("most", "0")],
            r#""truncated":false"#,
        );
        check(
            "jobs",
            &[],
            "there is no report 'jobs', but blockers, diff, findings, ",
        );
        check(
            "gc",
            &[("type", "cpu")],
            "unexpected option 'type': there are from, to, most, where",
        );
        check("why", &[], "the option 'id' is not given");
        check("profile", &[], "the option 'type' is not given");
        check(
            "tasks",
            &[("task", "1"), ("group", "f")],
            "leave out group and where",
        );
    }

    #[test]
    fn values_make_sense() {
        check(
            "gc",
            &[("from", "soon")],
            "invalid value 'soon' for 'from': must be a time since",
        );
        check("gc", &[("most", "-1")], "invalid value '-1' for 'most': ");
        check(
            "tasks",
            &[("where", "duration >")],
            "invalid value 'duration >' for 'where': column ",
        );
        check(
            "profile",
            &[("type", "wall")],
            "must be one of cpu, offcpu, ",
        );
        check(
            "profile",
            &[("type", "cpu"), ("ended", "1")],
            "must be true or false",
        );
        check("why", &[("id", "worker:1")], "a worker is no task");
    }

    #[test]
    fn what_is_not_there_is_told() {
        check(
            "why",
            &[("id", "task:9")],
            "there is no task:9, or not then",
        );
        check(
            "tasks",
            &[("task", "task:9")],
            "there is no task:9, or not then",
        );
        check(
            "gc",
            &[("from", "00:00:01")],
            "give times since its first event",
        );
        check_in(b"go 1.19 trace\0\0\0", "gc", &[], "the trace has no events");
        check_in(b"no trace", "gc", &[], "header");
    }
}
