//! Several reports at once: those of the same window come of one pass over the trace.

use std::collections::BTreeMap;

use crate::asked::Asked;
use crate::plan::Plan;
use crate::reports::Way;
use crate::{Report, ReportError, TraceFile};

/// A pass over a window of the trace.
struct Pass<'a> {
    asked: &'a Asked<'a>,
    /// Which of the questions each plan is for.
    places: Vec<usize>,
    plans: Vec<Plan<'a>>,
}

impl Report {
    /// Runs several, and gives what each would give alone. Those of the same window come of one pass over the trace, which takes a
    /// fraction of the time; what they keep until its end they keep all at once.
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
    /// let (tasks, gc) = (Report::named("tasks")?, Report::named("gc")?);
    /// let questions = [(tasks, vec![("most", "3")]), (gc, vec![])];
    /// let told = Report::run_all(questions, &trace);
    /// assert_eq!(told, [tasks.run([("most", "3")], &trace), gc.run([], &trace)]);
    /// # Ok::<(), exectrace_json::ReportError>(())
    /// ```
    pub fn run_all<'o, O>(
        questions: impl IntoIterator<Item = (&'static Self, O)>,
        trace: &TraceFile<'_>,
    ) -> Vec<Result<Vec<u8>, ReportError>>
    where
        O: IntoIterator<Item = (&'o str, &'o str)>,
    {
        let questions = questions.into_iter();
        let asked = questions.map(|(report, options)| (report, report.asked(options)));
        let asked: Vec<_> = asked.collect();
        // By the places of the questions.
        let mut answers = BTreeMap::new();
        let mut passes = Vec::new();
        for (place, (report, asked)) in asked.iter().enumerate() {
            let told = match (asked, &report.way) {
                (Err(error), _) => Err(error.clone()),
                (Ok(asked), Way::Alone(run)) => run(asked, trace),
                (Ok(asked), Way::Together(plan)) => match plan(asked) {
                    Ok(plan) => {
                        Pass::add(&mut passes, asked, (place, plan));
                        continue;
                    }
                    Err(error) => Err(error),
                },
            };
            answers.insert(place, told);
        }
        for pass in passes {
            let told = trace.carry_out(pass.asked, pass.plans);
            answers.extend(pass.places.into_iter().zip(told));
        }
        answers.into_values().collect()
    }
}

impl<'a> Pass<'a> {
    /// Adds a plan to the pass over its window, or one for it.
    fn add(passes: &mut Vec<Self>, asked: &'a Asked<'a>, (place, plan): (usize, Plan<'a>)) {
        let mut known = passes.iter_mut();
        match known.find(|pass| pass.asked.is_of_window(asked)) {
            Some(pass) => {
                pass.places.push(place);
                pass.plans.push(plan);
            }
            None => passes.push(Pass {
                asked,
                places: vec![place],
                plans: vec![plan],
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::tests::{FILE, trace_of};

    #[test]
    fn each_answer_is_what_it_would_be_alone() {
        let questions: [(&str, &[(&str, &str)]); 9] = [
            ("tasks", &[]),
            ("why", &[("id", "task:1")]),
            ("gc", &[("type", "cpu")]),
            ("tasks", &[("from", "5"), ("to", "9")]),
            ("profile", &[]),
            ("profile", &[("type", "offcpu")]),
            ("workers", &[("to", "9"), ("from", "5")]),
            ("tasks", &[("task", "task:9")]),
            ("summary", &[("most", "1")]),
        ];
        let whole = exectrace_format::text::parse(FILE).expect("is a trace");
        for bytes in [&whole[..], &whole[..16], b"no trace"] {
            let trace = trace_of(bytes);
            let named = |name| Report::named(name).expect("there is one");
            let all = questions.map(|(name, options)| (named(name), options.iter().copied()));
            let alone = questions.map(|(name, options)| {
                let options = options.iter().copied();
                named(name).run(options, &trace)
            });
            assert_eq!(Report::run_all(all, &trace), alone);
        }
    }
}
