//! Why a trace is not to be trusted as a whole, in words.

use exectrace_reader::{Dropped, Loss, Repairs, Timestamp};

use crate::since_first;

/// Why a trace is not to be trusted as a whole: what was lost, put right or inferred. Nothing of one that is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distrust {
    reasons: Vec<String>,
}

impl Distrust {
    /// That of a trace that was read to its end, or to a fault; times are told since `first`, the first event.
    pub fn of(
        faults: impl IntoIterator<Item = String>,
        loss: &Loss,
        repairs: &Repairs,
        first: Timestamp,
    ) -> Self {
        let mut reasons: Vec<String> = faults.into_iter().collect();
        if !loss.is_none() {
            reasons.push(format!("lost: {}", loss_line(loss, first)));
        }
        if !repairs.is_none() {
            reasons.push(format!("put right: {repairs}"));
        }
        Self { reasons }
    }

    /// A line each.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// All of them in one line; `None` if the trace is whole.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let has_reasons = !self.reasons.is_empty();
        has_reasons.then(|| format!("not whole ({})", self.reasons.join("; ")))
    }
}

/// What was lost, in one line; times since `first`, the first event.
#[must_use]
pub fn loss_line(loss: &Loss, first: Timestamp) -> String {
    let mut line = loss.to_string();
    if let Some(time) = loss.time {
        line += &between(time, first);
    }
    if let Some(dropped) = loss.dropped {
        line += &format!("; the recorder dropped {}", dropped_line(dropped));
    }
    line
}

/// What the recorder could not write.
#[must_use]
pub fn dropped_line(dropped: Dropped) -> String {
    let Dropped {
        hooks,
        batches,
        nested,
        samples,
        regions,
    } = dropped;
    format!(
        "{hooks} events of hooks, {nested} of nested hooks, {batches} batches, {samples} CPU samples, {regions} regions"
    )
}

/// Between which times of a trace something is, `first` being that of its first event.
#[must_use]
pub fn between((from, to): (Timestamp, Timestamp), first: Timestamp) -> String {
    let [begin, end] = [from, to].map(|time| since_first(time, first));
    if from == to {
        format!(", at {begin}")
    } else {
        format!(", between {begin} and {end}")
    }
}
