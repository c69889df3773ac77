//! A second thread that goes ahead of the reader: builds the next generation's tables.
//!
//! ```text
//! second thread:  tables of generation 2 …    tables of generation 3 …
//! reader:         generation 1 in order …     generation 2 in order …
//! ```
//!
//! That is a sixth of all work, and asks for nothing that happened before. Events are decoded by who lets them happen: to pass
//! them from one processor to another takes longer than to decode them.
//!
//! The reader asks for a generation when it begins with the one before. If it is not begun when it is needed, the reader does it
//! itself: so what comes out is the same however far the second thread gets.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Scope;

use super::coming::Coming;
use super::piece::Piece;

/// The second thread, as the reader sees it. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Scout<'a>(Sender<GenerationPiece<'a>>);

type GenerationPiece<'a> = Arc<Piece<Box<Coming<'a>>>>;

impl<'a> Scout<'a> {
    /// Starts the thread.
    pub(super) fn start(scope: &'a Scope<'a, '_>) -> Self {
        let (orders, to_do) = channel::<GenerationPiece<'a>>();
        scope.spawn(move || {
            for piece in to_do {
                piece.work();
            }
        });
        Self(orders)
    }

    /// Asks for a generation.
    pub(super) fn ask(&self, generation: &GenerationPiece<'a>) {
        // If the thread is no more it has panicked, and whoever took what it was at was told so.
        let _ = self.0.send(Arc::clone(generation));
    }
}
