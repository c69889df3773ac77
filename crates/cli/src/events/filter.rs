//! Which events are printed.

use exectrace_analysis::RecordKind;
use exectrace_format::{TaskId, ThreadId, Version, WorkerId, go_v1, go_v2};
use exectrace_json::values;
use exectrace_reader::{Event, EventType, Kind};

use super::Printed;
use crate::window::WindowArguments;

/// Which events are printed: those that pass all that is asked for.
#[derive(clap::Args, Debug, Default)]
pub(super) struct Filter {
    #[command(flatten)]
    pub(super) window: WindowArguments,
    /// Only events of or about these tasks (Go: goroutines), such as task:7 or 7.
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = values::task)]
    task: Vec<TaskId>,
    /// Only events of or about these workers (Go: Ps), such as worker:2 or 2.
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = values::worker)]
    worker: Vec<WorkerId>,
    /// Only events of these threads (Go: Ms).
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    thread: Vec<u64>,
    /// Only events of these kinds: names as in the fields `kind` and `type`, such as TaskTransition or GoBlock.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = kind)]
    kind: Vec<String>,
    /// Only events such as 'type == "GoUnblock" && subject_task == task:7', by the fields that are printed.
    #[arg(long = "where", value_name = "FILTER", value_parser = |text: &str| values::filter(text, RecordKind::Event))]
    records: Option<exectrace_analysis::Filter>,
}

/// A name that some event could have.
fn kind(text: &str) -> Result<String, String> {
    let v1 = go_v1::EventType::ALL.iter().map(|it| it.spec());
    let v2 = go_v2::EventType::ALL.iter().map(|it| it.spec());
    let mut specs = v1.chain(v2);
    let is_known = Kind::NAMES.contains(&text)
        || specs
            .any(|spec| spec.name == text || spec.renamed.is_some_and(|(name, _)| name == text));
    if is_known {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "is none of {}, nor Go's name of an event",
            Kind::NAMES.join(", ")
        ))
    }
}

impl Filter {
    /// Whether an event in the window is asked for.
    pub(super) fn lets_through(&self, printed: &Printed<'_, '_>) -> bool {
        let (event, version) = (&printed.event, printed.reader.version());
        let records = self.records.as_ref();
        (self.task.is_empty() || self.has_task(event))
            && (self.worker.is_empty() || self.has_worker(event))
            && (self.thread.is_empty() || self.has_thread(event.thread))
            && (self.kind.is_empty() || self.has_kind(event, version))
            && records.is_none_or(|records| records.lets_through(printed))
    }

    fn has_task(&self, event: &Event) -> bool {
        let is_asked_for = |task: TaskId| self.task.contains(&task);
        is_asked_for(event.task)
            || match event.kind {
                Kind::TaskTransition { task, .. } | Kind::RangeActive { task, .. } => {
                    is_asked_for(task)
                }
                _ => false,
            }
    }

    fn has_worker(&self, event: &Event) -> bool {
        let is_asked_for = |worker: WorkerId| self.worker.contains(&worker);
        is_asked_for(event.worker)
            || match event.kind {
                Kind::WorkerTransition { worker, .. } | Kind::RangeActive { worker, .. } => {
                    is_asked_for(worker)
                }
                _ => false,
            }
    }

    fn has_thread(&self, thread: ThreadId) -> bool {
        thread != ThreadId::NONE && self.thread.contains(&thread.0)
    }

    fn has_kind(&self, event: &Event, version: Version) -> bool {
        let names = [
            event.kind.name(),
            event.event_type.name(),
            type_name(event.event_type, version),
        ];
        self.kind.iter().any(|kind| names.contains(&kind.as_str()))
    }
}

/// Go's name of the event in the trace's version.
pub(super) fn type_name(event_type: EventType, version: Version) -> &'static str {
    match event_type {
        EventType::V1(event_type) => event_type.spec().name_in(version),
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_go_by_our_names_and_by_all_of_gos() {
        for name in [
            "TaskTransition",
            "GoBlock",
            "GoStatus",
            "STWStart",
            "GCSTWStart",
        ] {
            assert!(kind(name).is_ok(), "{name}");
        }
        for name in ["", "goblock", "Transition", "GoFly"] {
            assert!(kind(name).is_err(), "{name}");
        }
    }
}
