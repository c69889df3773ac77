//! Answers that may look at all of a trace: in turn, and beside the threads that answer others.

use tokio::task;

use super::Shared;
use super::answer::{Answer, Refusal};
use crate::subject::Subject;

/// The answer of `work`, once it is its turn.
pub(super) async fn answer(
    subject: Shared,
    work: impl FnOnce(&Subject) -> Answer + Send + 'static,
) -> Answer {
    let turn = subject.turns.take().await.ok_or_else(Refusal::busy)?;
    let answer = task::spawn_blocking(move || {
        // Until the work is done, also where nobody waits for its answer any more.
        let _turn = turn;
        work(&subject)
    });
    answer
        .await
        .map_err(|_| Refusal::failed("the answer failed; this is a bug of the viewer"))?
}
