//! `api/report/NAME`: what `exectrace NAME --json` prints of the trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use tokio::task;

use super::Shared;
use super::answer::{Answer, Refusal};

/// The options of a report, as its schema names them.
type Options = BTreeMap<String, String>;

pub(super) async fn answer(
    State(subject): State<Shared>,
    Path(name): Path<String>,
    Query(options): Query<Options>,
) -> Answer {
    let subject = Arc::clone(&subject);
    // It reads the whole trace, and others ask meanwhile.
    let report = task::spawn_blocking(move || subject.report(&name, &options));
    let report = report
        .await
        .map_err(|_| Refusal::failed("the report failed; this is a bug of the viewer"))?;
    let bytes = report.ok_or_else(Refusal::busy)?;
    let bytes = bytes.map_err(|error| Refusal::of_report(&error))?;
    Ok(([(CONTENT_TYPE, "application/json")], bytes.as_ref().clone()).into_response())
}
