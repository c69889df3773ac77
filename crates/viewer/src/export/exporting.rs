//! A page that is being made: what is answered in which order, and how much of the room each kind of answer may take.

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;
use serde_json::Value;

use super::archive::Archive;
use super::asking::Asking;
use super::intervals::{self, Details, PartLine};
use super::pages::{self, Reports, TRACK_KINDS};
use super::question::Question;
use super::sheets::{SheetLine, Sheets};
use super::span::Span;
use super::stacks::Stacks;
use crate::subject::Subject;
use crate::timeline::Timeline;

/// So much of the room is used up when each is done; the last of it is for what intervals are called.
mod share {
    pub(super) const REPORTS: f64 = 0.35;
    pub(super) const COARSE: f64 = 0.5;
    pub(super) const ROWS: f64 = 0.7;
    pub(super) const MEMBERS: f64 = 0.82;
    pub(super) const SAMPLES: f64 = 0.86;
    pub(super) const DETAILS: f64 = 0.94;
}

/// Groups of rows whose members are told of.
const GROUPS_MAX: usize = 100;

/// Logs that are told with who wrote them where, of all rows together; of others only the begin of the text is told.
const LOGS_MAX: usize = 20_000;

/// Reports that are computed together: some keep a line a task until they are told.
const REPORTS_A_PASS: usize = 8;

/// Rows of a part of the samples.
const SAMPLE_ROWS: usize = 16;

/// A part of the labels: so many numbers, as a power of two.
const LABELS_SHIFT: u32 = 10;

/// What a page knows about itself.
#[derive(Serialize)]
struct About<'a> {
    /// When it was made, in milliseconds since 1970.
    made_at_ms: u64,
    /// Of which files, as arguments of a command.
    arguments: &'a str,
    /// The older trace that it is compared with, likewise.
    older_arguments: Option<&'a str>,
    /// Where the trace ends.
    end_ns: u64,
    /// The stretch that was asked for.
    window: Option<Span>,
    /// The widest bucket in it of which not all is told, in nanoseconds; 0 if all is.
    window_step_ns: u64,
    /// The same of the whole trace.
    step_ns: u64,
    /// Where curves stand in narrow buckets.
    curves: Vec<Span>,
    sheets: &'a [SheetLine],
    samples: &'a [SamplesLine],
    /// The rows that something was logged on.
    logged: &'a BTreeSet<String>,
    intervals: &'a [PartLine],
}

/// Which samples stand in the page.
#[derive(Serialize)]
struct SamplesLine {
    tracks: Vec<String>,
    from_ns: u64,
    to_ns: u64,
}

/// A page that is being made.
pub(super) struct Exporting<'a> {
    pub(super) subject: &'a Subject,
    pub(super) asking: &'a Asking,
    pub(super) window: Option<Span>,
    pub(super) archive: Archive,
    pub(super) made_at_ms: u64,
}

/// What of the timeline stands in the page.
#[derive(Default)]
struct Taken {
    sheets: Sheets,
    details: Details,
    samples: Vec<SamplesLine>,
    /// The rows that something was logged on.
    logged: BTreeSet<String>,
    stacks: Stacks,
}

impl Exporting<'_> {
    /// All answers that there is room for, those first without which the page would say nothing.
    pub(super) fn take(mut self) -> io::Result<String> {
        let whole = Span::whole(&self.subject.timeline());
        let spans: Vec<Span> = [Some(whole), self.window].into_iter().flatten().collect();
        for question in pages::once() {
            self.answer(&question, 1.0)?;
        }
        for span in &spans {
            let window = (*span != whole).then_some(*span);
            let reports = pages::reports(window, self.subject.status().other.is_some());
            self.prepare(&reports);
            for question in reports {
                self.answer(&question, 1.0)?;
            }
            for question in [
                pages::scatter(*span, None),
                pages::shown_curves(*span),
                pages::curves(*span),
            ] {
                self.answer(&question, 1.0)?;
            }
        }
        let mut reports = Reports::of_bytes(self.subject.bytes.as_slice().len());
        let chosen = self.chosen(&mut reports, &spans)?;
        self.timeline(whole, &spans, &chosen)?;
        Ok(self.archive.into_text())
    }

    /// Takes in reports that come of one pass together, some at a time.
    fn answer_together(&mut self, questions: &[Question], reports: &mut Reports) -> io::Result<()> {
        for questions in questions.chunks(REPORTS_A_PASS) {
            if !reports.next() {
                break;
            }
            self.prepare(questions);
            for question in questions {
                self.answer(question, share::REPORTS)?;
            }
        }
        Ok(())
    }

    /// Lets reports be computed together, since for each alone the whole trace is read.
    fn prepare(&self, questions: &[Question]) {
        let reports = questions.iter().filter_map(Question::report);
        self.subject.prepare(reports.collect());
    }

    /// Takes the answer to a question in, if there is one and room for it, and gives it.
    fn answer(&mut self, question: &Question, share: f64) -> io::Result<Option<Value>> {
        let Some(answer) = self.asking.ask(question)? else {
            return Ok(None);
        };
        if !self.archive.add(question, &answer, share)? {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&answer)?))
    }

    /// What the first screen leads to: each finding's evidence, the longest of what the program did, and what tables list. Gives the
    /// tasks among them.
    fn chosen(&mut self, reports: &mut Reports, spans: &[Span]) -> io::Result<Vec<String>> {
        let mut tasks = Vec::new();
        let findings = self.asked(&pages::findings())?;
        for evidence in pages::evidence(&findings) {
            let interval = self.answer(&pages::interval_at(&evidence), share::REPORTS)?;
            if let Some(from_ns) = interval.and_then(|interval| interval["from_ns"].as_u64())
                && reports.next()
            {
                self.answer(&pages::why_at(&evidence.task, from_ns), share::REPORTS)?;
            }
            tasks.push(evidence.task);
        }
        for span in spans {
            let scatter = self.asked(&pages::scatter(*span, None))?;
            for name in pages::names(&scatter["names"]) {
                self.answer(&pages::scatter(*span, Some(&name)), share::REPORTS)?;
            }
            for point in pages::worst(&scatter) {
                self.answer(&pages::interval_at(&point.of_task), share::REPORTS)?;
                tasks.push(point.of_task.task);
                self.answer(&pages::tree(&point.id), share::REPORTS)?;
                if reports.next() {
                    self.answer(&pages::why(&point.id), share::REPORTS)?;
                }
            }
        }
        tasks.sort();
        tasks.dedup();
        for task in &tasks {
            self.answer(&pages::tree(task), share::REPORTS)?;
        }
        let lives: Vec<_> = tasks.iter().map(|task| pages::life(task)).collect();
        self.answer_together(&lives, reports)?;
        let groups = self.asked(&pages::groups())?;
        let latency = self.asked(&pages::latency())?;
        let groups = pages::functions(&groups)
            .into_iter()
            .map(|name| pages::group(&name));
        let names = pages::names(&latency["groups"])
            .into_iter()
            .map(|name| pages::latency_of(&name));
        self.answer_together(&pages::in_turns(groups, names), reports)?;
        for task in &tasks {
            if reports.next() {
                self.answer(&pages::why(task), share::REPORTS)?;
            }
        }
        Ok(tasks)
    }

    /// The answer to a question, as it is.
    fn asked(&self, question: &Question) -> io::Result<Value> {
        let answer = self.asking.ask(question)?;
        Ok(answer
            .map(|answer| serde_json::from_slice(&answer))
            .transpose()?
            .unwrap_or_default())
    }

    fn timeline(&mut self, whole: Span, spans: &[Span], tasks: &[String]) -> io::Result<()> {
        let subject = self.subject;
        let timeline = subject.timeline();
        let mut taken = Taken::default();
        let rows = TRACK_KINDS.map(|by| {
            self.asked(&pages::tracks(by))
                .map(|answer| pages::ids(&answer))
        });
        let mut rows = rows.into_iter().collect::<io::Result<Vec<_>>>()?.concat();
        rows.extend(tasks.iter().filter(|task| timeline.has(task)).cloned());
        let window = self.window.unwrap_or(whole);
        taken
            .sheets
            .coarse(&timeline, &mut self.archive, &rows, share::COARSE)?;
        let members = self.members(&rows, spans)?;
        let members: Vec<String> = members
            .into_iter()
            .filter(|id| !rows.contains(id))
            .collect();
        let are_there =
            taken
                .sheets
                .coarse(&timeline, &mut self.archive, &members, share::COARSE)?;
        let members = if are_there { members } else { Vec::new() };
        let mut refine = |rows: &[String], span, share| {
            taken
                .sheets
                .refine(&timeline, &mut self.archive, rows, span, share)
        };
        let mut refine = |span| {
            let rows_ns = refine(&rows, span, share::ROWS)?;
            let members_ns = refine(&members, span, share::MEMBERS)?;
            io::Result::Ok(rows_ns.max(members_ns))
        };
        let window_step_ns = refine(window)?;
        let step_ns = if window == whole {
            window_step_ns
        } else {
            refine(whole)?
        };
        let all = [rows, members].concat();
        self.samples(&mut taken, &all, spans)?;
        self.logs(&mut taken, whole)?;
        self.details(&mut taken, &timeline, &all, window)?;
        self.labels(&taken)?;
        let about = About {
            made_at_ms: self.made_at_ms,
            arguments: &subject.status().arguments,
            older_arguments: subject.older_arguments(),
            end_ns: whole.to_ns,
            window: self.window,
            window_step_ns,
            step_ns,
            curves: spans.iter().map(|span| span.with_margins()).collect(),
            sheets: &taken.sheets.lines,
            samples: &taken.samples,
            logged: &taken.logged,
            intervals: &taken.details.parts,
        };
        self.archive
            .add("export", &serde_json::to_vec(&about)?, 1.0)?;
        let stacks = serde_json::to_vec(&taken.stacks.into_answer())?;
        self.archive.add("stacks", &stacks, 1.0)?;
        Ok(())
    }

    /// The members of groups, as those who open a group see them.
    fn members(&mut self, rows: &[String], spans: &[Span]) -> io::Result<Vec<String>> {
        let mut members = Vec::new();
        let groups = rows.iter().filter(|id| {
            ["group:", "users:", "region:"]
                .iter()
                .any(|kind| id.starts_with(kind))
        });
        for group in groups.take(GROUPS_MAX) {
            for span in spans {
                let Some(answer) = self.answer(&pages::members(group, *span), share::COARSE)?
                else {
                    continue;
                };
                members.extend(pages::ids(&answer));
                // Tasks with regions.
                for task in pages::with_children(&answer) {
                    let regions = self.answer(&pages::members(&task, *span), share::COARSE)?;
                    members.extend(regions.iter().flat_map(pages::ids));
                }
            }
        }
        members.sort();
        members.dedup();
        Ok(members)
    }

    /// CPU samples and logs, at most one a pixel of a screen much wider than any.
    fn samples(&mut self, taken: &mut Taken, rows: &[String], spans: &[Span]) -> io::Result<()> {
        let status = self.subject.status();
        if status.samples == 0 && status.logs == 0 {
            return Ok(());
        }
        for span in spans {
            for rows in rows.chunks(SAMPLE_ROWS) {
                let mut marks = self.asked(&pages::marks(rows, *span))?;
                taken.stacks.take_from(&mut marks);
                let name = Question::new("samples").with("number", taken.samples.len());
                if !self
                    .archive
                    .add(name, &serde_json::to_vec(&marks)?, share::SAMPLES)?
                {
                    return Ok(());
                }
                taken.samples.push(SamplesLine {
                    tracks: rows.to_vec(),
                    from_ns: span.from_ns,
                    to_ns: span.to_ns,
                });
                taken.logged.extend(pages::logged(&marks));
            }
        }
        Ok(())
    }

    /// What was logged: all of it, and on each row.
    fn logs(&mut self, taken: &mut Taken, whole: Span) -> io::Result<()> {
        let mut left = LOGS_MAX;
        let tracks = taken.logged.clone();
        for track in [None].into_iter().chain(tracks.iter().map(Some)) {
            let mut logs = Vec::new();
            // The server tells so many at once.
            let total = loop {
                let page = self.asked(&pages::logs(track, whole, logs.len()))?;
                let Value::Array(told) = &page["logs"] else {
                    break 0;
                };
                logs.extend_from_slice(told);
                let total = page["total"].as_u64().unwrap_or(0) as usize;
                if told.is_empty() || logs.len() >= total || total > left {
                    break total;
                }
            };
            if total > left {
                continue;
            }
            left -= logs.len();
            let mut logs = Value::Array(logs);
            taken.stacks.take_from(&mut logs);
            let name = track.map_or(Question::new("logs"), |track| {
                Question::new("logs").with("track", track)
            });
            self.archive
                .add(name, &serde_json::to_vec(&logs)?, share::SAMPLES)?;
        }
        Ok(())
    }

    fn details(
        &mut self,
        taken: &mut Taken,
        timeline: &Timeline,
        rows: &[String],
        window: Span,
    ) -> io::Result<()> {
        for row in rows {
            let indexes = intervals::indexes(timeline, row, window);
            let room = (&mut self.archive, share::DETAILS);
            if !taken
                .details
                .add(self.asking, room, &mut taken.stacks, (row, &indexes))?
            {
                break;
            }
        }
        Ok(())
    }

    /// What the labels in sheets stand for, a thousand numbers a part.
    fn labels(&mut self, taken: &Taken) -> io::Result<()> {
        let labels = &taken.sheets.labels;
        for (kind, labels) in [("tasks", &labels.tasks), ("causes", &labels.causes)] {
            let labels: Vec<u32> = labels.iter().copied().collect();
            for part in labels.chunk_by(|one, other| one >> LABELS_SHIFT == other >> LABELS_SHIFT) {
                let numbers: Vec<String> = part.iter().map(u32::to_string).collect();
                let question = Question::new("labels").with(kind, numbers.join(","));
                let name = Question::new("labels")
                    .with("kind", kind)
                    .with("part", part[0] >> LABELS_SHIFT);
                if let Some(answer) = self.asking.ask(&question)? {
                    self.archive.add(name, &answer, 1.0)?;
                }
            }
        }
        Ok(())
    }
}
