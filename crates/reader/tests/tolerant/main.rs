//! What a tolerant reader makes of faulty traces.

mod corpus;
mod cuts;
mod flips;
mod found;
mod judge;
mod v1;
mod v1_bytes;
mod v2;

use exectrace_reader::{
    Event, EventType, Kind, Loss, Reader, Repairs, Rule, State, TaskId, Validator,
};

/// What came of a file.
struct Read {
    events: Vec<Event>,
    loss: Loss,
    repairs: Repairs,
}

impl Read {
    /// The names of all events, in order.
    fn types(&self) -> Vec<&'static str> {
        let names = self.events.iter().map(|event| event.event_type.name());
        names.collect()
    }

    /// How many events were inferred.
    fn inferred(&self) -> usize {
        let is_inferred = |event: &&Event| event.event_type == EventType::Inferred;
        self.events.iter().filter(is_inferred).count()
    }
}

/// Reads a file, whose events must be such as can have happened.
#[track_caller]
fn read(file: &[u8]) -> Read {
    let mut reader = Reader::tolerant(file).expect("has a header");
    let mut validator = Validator::new();
    let mut events = Vec::new();
    for event in reader.by_ref() {
        let event = event.expect("no event is an error");
        if let Err(violation) = validator.event(&event) {
            // A program may end its regions in any order; Go's readers refuse it.
            let is_of_regions = matches!(violation.rule, Rule::RegionOrder { .. });
            assert!(is_of_regions, "{violation}");
        }
        events.push(event);
    }
    Read {
        events,
        loss: reader.loss().clone(),
        repairs: reader.repairs().clone(),
    }
}

/// How the events pass a task from state to state, and which were inferred.
fn steps(read: &Read, id: u64) -> Vec<(State, State, bool)> {
    let step = |event: &Event| match event.kind {
        Kind::TaskTransition { task, from, to, .. } if task == TaskId(id) => {
            Some((from, to, event.event_type == EventType::Inferred))
        }
        _ => None,
    };
    read.events.iter().filter_map(step).collect()
}
