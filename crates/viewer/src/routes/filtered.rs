//! Answers about what a filter leaves of rows.

use super::answer::{Answer, Refusal};
use super::{Shared, in_turn};
use crate::status::State;
use crate::subject::Subject;
use crate::timeline::RowFilter;

/// The answer of `work`, for what a filter leaves or, without one, for all.
pub(super) async fn answer(
    subject: Shared,
    text: Option<&str>,
    work: impl FnOnce(&Subject, Option<&RowFilter>) -> Answer + Send + 'static,
) -> Answer {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return work(&subject, None);
    };
    if subject.lock().state == State::Reading {
        return Err(Refusal::not_yet(
            "filters wait until all of the trace is read",
        ));
    }
    let text = text.to_owned();
    // The first one that asks looks at each interval of the trace.
    in_turn::answer(subject, move |subject| {
        let filter = subject.filters.get(&text);
        let filter = filter.map_err(|error| Refusal::nonsense(format!("filter: {error}")))?;
        work(subject, Some(&filter))
    })
    .await
}
