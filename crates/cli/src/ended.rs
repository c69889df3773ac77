//! What came of reading a trace, and what is said of it.

use exectrace_json::Distrust;
use exectrace_reader::{
    Description, Error, Event, Kind, Loss, MergeError, Reader, Repairs, Timestamp,
};

use crate::advice;
use crate::damage;
use crate::input::Input;
use crate::outcome::Outcome;

/// What came of reading a trace.
#[derive(Default)]
pub(crate) struct Ended {
    /// Some events that are not syncs were read.
    pub(crate) has_events: bool,
    /// Why a strict reader stopped, or none could be had.
    pub(crate) fault: Option<Error>,
    /// It does not say what the wall clock showed, which somebody has to know; what to do about that.
    pub(crate) lacks_clock: Option<&'static str>,
    /// What a recording says about itself.
    pub(crate) description: Description,
    loss: Loss,
    repairs: Repairs,
    first: Timestamp,
}

impl Ended {
    /// An event was read.
    pub(crate) fn add(&mut self, event: &Event, reader: &Reader<'_>) {
        self.has_events |= event.kind != Kind::Sync;
        if let Kind::UserLog { .. } = event.kind {
            self.description.add(event, reader.tables());
        }
    }

    /// All events that will be read were read; times are told since `first`.
    pub(crate) fn end(&mut self, reader: &Reader<'_>, first: Timestamp) {
        self.loss = reader.loss().clone();
        self.description.add_to(&mut self.loss);
        self.repairs = reader.repairs().clone();
        self.first = first;
    }

    /// Why not to trust a trace, in a line; `None` if it is whole.
    pub(crate) fn trust(&self, input: &Input<'_>) -> Option<String> {
        let unpacking = input.fault.map(|fault| fault.to_string());
        let reading = self.fault.map(|fault| fault.to_string());
        let faults = [unpacking, reading].into_iter().flatten();
        Distrust::of(faults, &self.loss, &self.repairs, self.first).sentence()
    }

    /// Says what was lost.
    pub(crate) fn tell(&self, input: &Input<'_>, is_strict: bool) -> Outcome {
        let name = &input.name;
        if let Some(advice) = self.lacks_clock {
            let error = MergeError {
                trace: 0,
                error: None,
            };
            eprintln!("exectrace: {name}: {error}; {advice}");
            return Outcome::Unreadable;
        }
        if let Some(fault) = input.fault {
            eprintln!("exectrace: {name}: {fault}; {}", advice::on_packing(fault));
        }
        if let Some(fault) = self.fault {
            eprintln!("exectrace: {name}: {fault}; {}", advice::on_fault(&fault));
        }
        let is_whole = is_strict || self.loss.is_none() && self.repairs.is_none();
        if !is_strict {
            damage::tell(name, &self.loss, &self.repairs, self.first);
        }
        match (self.has_events, self.fault) {
            (true, None) if input.fault.is_none() && is_whole => Outcome::Whole,
            // What was printed was not known to be faulty.
            (true, _) if is_strict => Outcome::Unreadable,
            (true, _) => Outcome::Partial,
            (false, fault) if is_whole && fault.is_none_or(|fault| advice::is_empty(&fault)) => {
                if fault.is_none() {
                    eprintln!("exectrace: {name}: {}", advice::on_empty(input.bytes()));
                }
                Outcome::Partial
            }
            (false, _) => Outcome::Unreadable,
        }
    }
}
