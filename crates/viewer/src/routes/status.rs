//! `api/trace`: how far the trace was read, and whether it is whole.

use axum::extract::State;

use super::Shared;
use super::answer::{self, Answer};

pub(super) async fn answer(State(subject): State<Shared>) -> Answer {
    answer::json(&subject.status())
}
