//! What must be true of any file that a tolerant reader opens.

use std::collections::HashSet;

use exectrace_format::limits::HEADER_BYTES;
use exectrace_format::{Format, go_v2};
use exectrace_reader::{Cause, Error, Event, EventType, Kind, Reader, Repair, Rule, Validator};

/// How a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// A strict reader takes it.
    Whole,
    /// A strict reader refuses it, and a tolerant one says what is wrong.
    Faulty,
    /// There is nothing to read.
    Empty,
    /// It has no header.
    NoTrace,
}

/// Reads a file in both ways. An error says what must not be.
pub(crate) fn judge(file: &[u8]) -> Result<Judgement, String> {
    let mut tolerant = match Reader::tolerant(file) {
        Ok(reader) => reader,
        Err(error) => {
            let strict = Reader::new(file).map(drop);
            return match strict {
                Err(_) => Ok(Judgement::NoTrace),
                Ok(()) => Err(format!("a strict reader opens it, a tolerant one: {error}")),
            };
        }
    };
    let format = tolerant.version().format();
    let mut strict = Strict::open(file);
    let mut validator = Validator::new();
    let mut excuses = Excuses::default();
    let mut events = 0_u64;
    let mut different = None;
    while let Some(event) = tolerant.next() {
        let event = event.map_err(|error| format!("a tolerant reader stops: {error}"))?;
        excuses.begin(tolerant.generation());
        if let Err(violation) = validator.event(&event) {
            // A program may end its regions in any order, which Go's readers refuse.
            let is_repaired = matches!(violation.rule, Rule::RegionOrder { .. })
                && tolerant.repairs().count(Repair::Region) > 0;
            if !is_repaired && !excuses.cover(&event, violation.rule) {
                return Err(format!("{violation}: {event:?}"));
            }
        }
        if strict.next() != Some(event) {
            different.get_or_insert(event);
        }
        events += 1;
    }
    if let Some(event) = strict.next() {
        different.get_or_insert(event);
    }
    while strict.next().is_some() {}
    let (loss, repairs) = (tolerant.loss(), tolerant.repairs());
    // Format v2 says how long a batch is, and what a cut one lacks is lost as well.
    if format == Format::V1 && loss.bytes > file.len() as u64 {
        return Err(format!("more is lost than there is: {loss}"));
    }
    let is_faulty = !loss.is_none() || !repairs.is_none();
    // A strict reader passes over a generation that has only begun, as Go's do.
    let is_unended = loss.bytes == 0 && (repairs.total(), repairs.count(Repair::End)) == (1, 1);
    match (strict.fault, is_faulty && !is_unended) {
        (None, false) => match different {
            None => Ok(Judgement::Whole),
            Some(event) => Err(format!("a tolerant reader differs at {event:?}")),
        },
        (None, true) => Err(format!("nothing is wrong, but: {loss}; {repairs}")),
        (Some(_), true) => Ok(Judgement::Faulty),
        (Some(_), false) if file.len() == HEADER_BYTES => Ok(Judgement::Empty),
        (Some(error), false) if error.cause == Cause::Empty && events == 0 => Ok(Judgement::Empty),
        (Some(_), false) if is_unended => Ok(Judgement::Faulty),
        (Some(error), false) => Err(format!("not told: {error}")),
    }
}

/// What Go's reader of format v2 takes and Go's validator refuses: so must ours, in both modes. Mostly it is what statuses say
/// against the trace.
#[derive(Debug, Default)]
struct Excuses {
    /// Workers that a status gave a second task or a second thread: from then on they may have two of either.
    torn: HashSet<i64>,
    /// Tasks that a status gave a second worker.
    on_two_workers: HashSet<u64>,
    /// The number of the first generation, and whether the one that is read has it: Go's reader knows the first by that.
    first: Option<u64>,
    is_first: bool,
}

impl Excuses {
    /// An event is of a generation.
    fn begin(&mut self, generation: Option<u64>) {
        self.first = self.first.or(generation);
        self.is_first = self.first == generation;
    }

    /// Whether an event may break a rule.
    fn cover(&mut self, event: &Event, rule: Rule) -> bool {
        use go_v2::EventType as E;
        let is_status = matches!(
            event.event_type,
            EventType::V2(E::GoStatus | E::GoStatusStack | E::ProcStatus)
        );
        match rule {
            Rule::WorkerIsTaken { worker, .. } | Rule::WorkerIsElsewhere { worker, .. } => {
                if is_status {
                    self.torn.insert(worker);
                }
                self.torn.contains(&worker)
            }
            // One thread may let it go while the other goes on with it.
            Rule::WorkerState { worker, .. } => self.torn.contains(&worker),
            // In the first generation a range may be active that was seen to end.
            Rule::RangeIsNotOpen { .. }
                if self.is_first && matches!(event.kind, Kind::RangeActive { .. }) =>
            {
                true
            }
            // Ranges of one task on two workers may be any.
            Rule::RangeIsOpen { .. } | Rule::RangeIsNotOpen { .. } => {
                self.torn.contains(&event.worker.0) || self.on_two_workers.contains(&event.task.0)
            }
            Rule::TaskIsElsewhere { .. } => {
                if let (true, Kind::TaskTransition { task, .. }) = (is_status, event.kind) {
                    self.on_two_workers.insert(task.0);
                }
                is_status
            }
            // Behind the last time that there is, Go's reader goes on with the first.
            Rule::TimeGoesBack { last } => last.0 == i64::MAX,
            _ => false,
        }
    }
}

/// The events of a strict reader up to its fault.
struct Strict<'a> {
    reader: Option<Reader<'a>>,
    fault: Option<Error>,
}

impl<'a> Strict<'a> {
    fn open(file: &'a [u8]) -> Self {
        match Reader::new(file) {
            Ok(reader) => Self {
                reader: Some(reader),
                fault: None,
            },
            Err(fault) => Self {
                reader: None,
                fault: Some(fault),
            },
        }
    }
}

impl Iterator for Strict<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Self::Item> {
        match self.reader.as_mut()?.next()? {
            Ok(event) => Some(event),
            Err(fault) => {
                self.fault = Some(fault);
                self.reader = None;
                None
            }
        }
    }
}
