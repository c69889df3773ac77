//! The report of tasks from the rows of the timeline, which have all that it tells: nobody reads the trace for it.

use std::collections::BTreeMap;

use exectrace_analysis::Window;
use exectrace_json::{About, TasksLine, values};
use exectrace_reader::Timestamp;

use crate::timeline::Timeline;

/// What `exectrace tasks --json` prints of a trace of some name; `None` where rows do not tell it, or where it is asked in another way
/// than pages do: who reads the trace knows what to say.
pub(crate) fn tasks(
    timeline: &Timeline,
    name: &str,
    options: &BTreeMap<String, String>,
) -> Option<Vec<u8>> {
    let (mut most, mut group) = (TasksLine::MOST, None);
    let (mut from, mut to) = (None, None);
    for (option, text) in options {
        match option.as_str() {
            "most" => most = values::most(text).ok()?,
            "group" => group = Some(text.as_str()),
            "from" => from = Some(time(text)?),
            "to" => to = Some(time(text)?),
            _ => return None,
        }
    }
    let listed = group.map(|group| (group, most));
    let report = timeline.task_times(Window::of(from, to), listed)?;
    // Rows count from the trace's begin.
    let about = About {
        file: name,
        ..About::default()
    };
    serde_json::to_vec(&TasksLine::of(&report, group, &about, most)).ok()
}

/// Nanoseconds since the trace began.
fn time(text: &str) -> Option<Timestamp> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let ns = is_number.then_some(text)?.parse().ok()?;
    Some(Timestamp(ns))
}

#[cfg(test)]
mod tests {
    use exectrace_json::Report;
    use exectrace_testkit::Corpus;
    use serde_json::Value;

    use super::*;
    use crate::reading::read;
    use crate::subject::Subject;

    /// What is asked for of a trace that is so long, and has a group.
    fn questions(end_ns: u64, group: &str) -> [Vec<(&'static str, String)>; 7] {
        let at = |part: u64| (end_ns / 7 * part).to_string();
        let group = ("group", group.to_owned());
        let window = [("from", at(2)), ("to", at(5))];
        [
            vec![("most", String::from("5000"))],
            vec![("most", String::from("2"))],
            vec![],
            window.to_vec(),
            vec![("from", at(3))],
            vec![group.clone(), ("most", String::from("0"))],
            [window.to_vec(), vec![group, ("most", String::from("3"))]].concat(),
        ]
    }

    /// What comes of asking a trace in many ways.
    #[derive(Default)]
    struct Told {
        answers: usize,
        /// Groups and tasks.
        lines: u64,
        /// So many are not told by rows.
        left: usize,
    }

    impl Told {
        /// Compares what rows of a trace tell with what comes of a pass over it.
        fn compare(&mut self, file: &str, bytes: Vec<u8>) {
            let report = Report::named("tasks").expect("there is one");
            let subject = Subject::of_bytes(bytes);
            read(&subject);
            let trace = subject.trace(None);
            let timeline = subject.timeline();
            let largest = timeline.groups.iter().max_by_key(|it| it.members.len());
            let largest = largest.map_or("", |group| &group.name);
            for options in questions(timeline.end_ns, largest) {
                let of_pass = report.run(options.iter().map(|(n, text)| (*n, &**text)), &trace);
                let options = options.into_iter().map(|(n, text)| (n.to_owned(), text));
                let options = options.collect();
                let Some(of_rows) = tasks(&timeline, "a.trace", &options) else {
                    assert!(
                        of_pass.is_err() || subject.status().verdict != "whole",
                        "{file}"
                    );
                    self.left += 1;
                    continue;
                };
                let line = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("is JSON");
                let of_pass = of_pass.expect("has tasks");
                assert_eq!(line(&of_rows), line(&of_pass), "{file}: {options:?}");
                assert!(of_rows == of_pass, "{file}: {options:?}");
                self.answers += 1;
                self.lines += line(&of_rows)["total"].as_u64().unwrap_or_default();
            }
        }
    }

    #[test]
    fn rows_tell_what_a_pass_over_the_trace_does() {
        let mut told = Told::default();
        for trace in Corpus::shipped().traces() {
            told.compare(trace.file(), trace.bytes());
        }
        let Told {
            answers,
            lines,
            left,
        } = told;
        assert!(
            answers > 100 && lines > 1_000,
            "{answers}, {lines} lines, not {left}"
        );
    }

    /// Format v1 creates tasks anew that were there before the trace, and says later that they wait.
    #[test]
    fn a_task_may_turn_out_to_be_older_than_the_trace() {
        let mut text = String::from(
            "go 1.19 trace
            Batch worker=0 ticks=1000
            Frequency ticks_per_second=1000000000
            ProcStart dt=1 thread=7
            GoCreate dt=4 task=1
            GoCreate dt=1 task=2
            GoStart dt=5 task=1 seq=1\n",
        );
        for _ in 0..2_000 {
            text.push_str("GoSched dt=3\nGoStartLocal dt=2 task=1\n");
        }
        text.push_str("GoWaiting dt=2 task=2\nGoBlockRecv dt=20\n");
        let mut told = Told::default();
        told.compare(
            "text",
            exectrace_format::text::parse(&text).expect("is a trace"),
        );
        assert_eq!((told.answers, told.left), (7, 0));
    }

    #[test]
    fn who_asks_otherwise_is_told_by_who_reads() {
        for (option, text) in [
            ("task", "7"),
            ("where", "duration > 1"),
            ("from", "1s"),
            ("most", "x"),
        ] {
            let options = BTreeMap::from([(option.to_owned(), text.to_owned())]);
            assert_eq!(tasks(&Timeline::default(), "a.trace", &options), None);
        }
    }
}
