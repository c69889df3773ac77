//! Answers about what a filter leaves of rows.

use std::sync::Arc;

use axum::response::Response;
use tokio::task;

use super::Shared;
use super::answer::{Answer, Refusal};
use crate::status::State;
use crate::subject::Subject;
use crate::timeline::RowFilter;

/// The answer of `work`, for what a filter leaves or, without one, for all.
pub(super) async fn answer(
    subject: Shared,
    text: Option<&str>,
    work: impl FnOnce(&Subject, Option<&RowFilter>) -> Result<Response, Refusal> + Send + 'static,
) -> Answer {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return work(&subject, None);
    };
    if subject.lock().state == State::Reading {
        return Err(Refusal::not_yet(
            "filters wait until all of the trace is read",
        ));
    }
    let filter = subject.filters.get(text);
    let filter = filter.map_err(|error| Refusal::nonsense(format!("filter: {error}")))?;
    let subject = Arc::clone(&subject);
    // The first one that asks looks at each interval of the trace.
    let answer = task::spawn_blocking(move || work(&subject, Some(&filter)));
    answer
        .await
        .map_err(|_| Refusal::failed("the filter failed; this is a bug of the viewer"))?
}
