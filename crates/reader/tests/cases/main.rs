//! What users of other tools stumbled over: for each case a small trace, and what is right for it.

mod annotations;
mod beginnings;
mod damage;
mod headers;
mod times;

use exectrace_format::role::State;
use exectrace_format::{StringId, TaskId, text};
use exectrace_reader::{Event, EventType, Kind, Reader, Rule, Validator};
use exectrace_testkit::Corpus;

/// The toolchains that recorded each program.
const RECORDERS: [&str; 2] = ["go1.19", "go1.27"];

/// What a program of the corpus recorded.
#[track_caller]
fn recorded(by: &str, program: &str) -> Vec<u8> {
    let trace = Corpus::shipped().trace(&format!("recorded/{by}/{program}.trace"));
    trace.bytes()
}

/// A trace that is written by hand.
#[track_caller]
fn written(lines: &str) -> Vec<u8> {
    text::parse(lines).unwrap_or_else(|error| panic!("{error}"))
}

/// A trace, read to its end.
struct Told<'a> {
    events: Vec<Event>,
    reader: Reader<'a>,
}

impl<'a> Told<'a> {
    /// Of a file that is whole, whose events must be such as can have happened.
    #[track_caller]
    fn strictly(file: &'a [u8]) -> Self {
        let mut reader = Reader::new(file).unwrap_or_else(|error| panic!("{error}"));
        let mut validator = Validator::new();
        let mut events = Vec::new();
        for event in reader.by_ref() {
            let event = event.unwrap_or_else(|error| panic!("{error}"));
            validator
                .event(&event)
                .unwrap_or_else(|violation| panic!("{violation}"));
            events.push(event);
        }
        Self { events, reader }
    }

    /// Of any file with a header. What is told must be such as can have happened, but for the order in which regions end.
    #[track_caller]
    fn tolerantly(file: &'a [u8]) -> Self {
        let mut reader = Reader::tolerant(file).unwrap_or_else(|error| panic!("{error}"));
        let mut validator = Validator::new();
        let mut events = Vec::new();
        for event in reader.by_ref() {
            let event = event.unwrap_or_else(|error| panic!("{error}"));
            if let Err(violation) = validator.event(&event) {
                let is_of_regions = matches!(violation.rule, Rule::RegionOrder { .. });
                assert!(is_of_regions, "{violation}");
            }
            events.push(event);
        }
        Self { events, reader }
    }

    fn text(&self, id: StringId) -> String {
        self.reader.tables().text(id).into_owned()
    }

    /// What the program's author put into it, a line each.
    fn annotations(&self) -> Vec<String> {
        let events = self.events.iter();
        let line = |event: &Event| {
            let annotation = self.annotation(event)?;
            Some(match event.event_type {
                EventType::Inferred => format!("{annotation}, inferred"),
                _ => annotation,
            })
        };
        events.filter_map(line).collect()
    }

    fn annotation(&self, event: &Event) -> Option<String> {
        Some(match event.kind {
            Kind::UserTaskBegin {
                user_task,
                parent,
                name,
            } => {
                format!("task {} of {}: {}", user_task.0, parent.0, self.text(name))
            }
            Kind::UserTaskEnd { user_task, begin } => {
                let name = begin.map(|begin| self.text(begin.name));
                format!("task {} ends: {name:?}", user_task.0)
            }
            Kind::UserRegionBegin { user_task, name } => {
                format!("region {} of {}", self.text(name), user_task.0)
            }
            Kind::UserRegionEnd { user_task, name } => {
                format!("region {} of {} ends", self.text(name), user_task.0)
            }
            Kind::UserLog {
                user_task,
                key,
                message,
            } => {
                format!(
                    "log {} of {}: {}",
                    self.text(key),
                    user_task.0,
                    self.text(message)
                )
            }
            _ => return None,
        })
    }

    /// The steps of a task from state to state, with their times.
    fn steps(&self, of: TaskId) -> Vec<(i64, State, State)> {
        let step = |event: &Event| match event.kind {
            Kind::TaskTransition { task, from, to, .. } if task == of => {
                Some((event.time.0, from, to))
            }
            _ => None,
        };
        self.events.iter().filter_map(step).collect()
    }

    /// The tasks whose own stack has this function, each once.
    fn tasks_in(&self, function: &str) -> Vec<TaskId> {
        let mut tasks: Vec<TaskId> = Vec::new();
        for event in &self.events {
            let Kind::TaskTransition { task, stack, .. } = event.kind else {
                continue;
            };
            let mut frames = self.reader.tables().frames(stack);
            if frames.any(|frame| self.text(frame.function) == function) && !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        tasks
    }
}
