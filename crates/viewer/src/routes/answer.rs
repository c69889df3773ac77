//! The forms of answers.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use exectrace_json::ReportError;
use serde::Serialize;

use crate::cut_texts::cut_texts;
use crate::grid::Grid;

/// An answer, or why there is none.
pub(super) type Answer = Result<Response, Refusal>;

/// Why a request has no answer.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: String,
}

#[derive(Serialize)]
struct ErrorLine<'a> {
    error: &'a str,
}

impl Refusal {
    /// The request makes no sense.
    pub(super) fn nonsense(error: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error: error.into(),
        }
    }

    /// There is a bug.
    pub(super) fn failed(error: impl Into<String>) -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            error: error.into(),
        }
    }

    /// Too much is asked for at once.
    pub(super) fn busy() -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            error: String::from("too much is asked for at once; come again"),
        }
    }

    /// There is an answer once all was read.
    pub(super) fn not_yet(error: impl Into<String>) -> Self {
        Self {
            status: StatusCode::SERVICE_UNAVAILABLE,
            error: error.into(),
        }
    }

    /// A report makes no sense, or the trace does not have what it is about.
    pub(super) fn of_report(error: &ReportError) -> Self {
        let status = match error {
            ReportError::NoReport { .. } | ReportError::NotThere { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::BAD_REQUEST,
        };
        Self {
            status,
            error: error.to_string(),
        }
    }

    /// It asks for something that is not there.
    pub(super) fn unknown(error: impl Into<String>) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            error: error.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let line = ErrorLine { error: &self.error };
        match json(&line) {
            Ok(answer) => (self.status, answer).into_response(),
            Err(_) => self.status.into_response(),
        }
    }
}

/// What a screen can show of a window.
pub(super) fn grid(from: u64, to: u64, width: u32) -> Result<Grid, Refusal> {
    Grid::new(from, to, width).ok_or_else(|| {
        Refusal::nonsense(
            "there is no such window: from must be before to, and width from 1 to 16384",
        )
    })
}

/// A value as JSON.
pub(super) fn json(value: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(value).map_err(|error| Refusal {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        error: error.to_string(),
    })?;
    let bytes = cut_texts(bytes);
    Ok(([(CONTENT_TYPE, "application/json")], bytes).into_response())
}

/// Typed arrays.
pub(super) fn binary(bytes: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
}
