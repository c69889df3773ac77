//! A second thread that goes ahead of the reader: decodes rows of events, and builds the next generation's tables.
//!
//! ```text
//! second thread:  tables of generation 2 · rows · rows …        tables of generation 3 …
//! reader:         generation 1 in order, from rows that wait    generation 2 in order …
//! ```
//!
//! The reader asks for a thread's next row when it begins with the one before. If it is not begun when it is needed, the reader does
//! it itself: so neither waits long for the other, and what comes out is the same however far the second thread gets.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use super::coming::Coming;
use super::decoder::Decoder;
use super::piece::{Piece, Work};
use super::row::Row;

/// The second thread, as the reader sees it. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Scout<'a>(Arc<Post<'a>>);

/// One thread's rows, decoded ahead.
#[derive(Debug)]
pub(super) struct Ahead<'a> {
    post: Arc<Post<'a>>,
    piece: RowPiece<'a>,
    length_max: usize,
}

/// The next row of a thread.
#[derive(Debug)]
pub(super) struct NextRow<'a> {
    decoder: Decoder<'a>,
    row: Row,
    length: usize,
    is_done: bool,
}

type RowPiece<'a> = Arc<Piece<Box<NextRow<'a>>>>;
type GenerationPiece<'a> = Arc<Piece<Box<Coming<'a>>>>;

/// Where the reader leaves what it wants done.
#[derive(Debug)]
struct Post<'a> {
    orders: Mutex<Orders<'a>>,
    /// Rings when there are some again.
    bell: Condvar,
}

#[derive(Debug, Default)]
struct Orders<'a> {
    rows: VecDeque<RowPiece<'a>>,
    /// Less urgent than any row.
    generation: Option<GenerationPiece<'a>>,
    is_asleep: bool,
    is_over: bool,
}

enum Order<'a> {
    Row(RowPiece<'a>),
    Generation(GenerationPiece<'a>),
}

/// Events in a thread's first row, …
const ROW_FIRST: usize = 16;
/// … and in later ones: as many as two processors can pass between them without much ado.
const ROW_MAX: usize = 1024;
/// Events in rows of all threads: so that a trace of thousands of threads takes no more memory than one of a few.
const ROWS_MAX: usize = 1 << 17;
/// A row of fewer events is not worth it.
const ROW_MIN: usize = 32;
/// How often the second thread looks for orders before it sleeps: some dozen microseconds, since to wake it costs the reader some.
const LOOKS: usize = 64;
/// Pauses of the processor between two looks.
const PAUSES: usize = 16;

impl<'a> Scout<'a> {
    /// Starts the thread.
    pub(crate) fn start(scope: &'a Scope<'a, '_>) -> Self {
        let post = Arc::new(Post {
            orders: Mutex::default(),
            bell: Condvar::new(),
        });
        let of_thread = Arc::clone(&post);
        scope.spawn(move || of_thread.serve());
        Self(post)
    }

    /// Rows of one of so many threads.
    pub(super) fn rows(&self, decoder: Decoder<'a>, threads: usize) -> Ahead<'a> {
        let piece = Arc::new(Piece::idle());
        // The first row is needed at once: it is decoded here.
        piece.ask(Box::new(NextRow {
            decoder,
            row: Row::default(),
            length: ROW_FIRST,
            is_done: false,
        }));
        Ahead {
            post: Arc::clone(&self.0),
            piece,
            length_max: (ROWS_MAX / threads.max(1)).clamp(ROW_MIN, ROW_MAX),
        }
    }

    /// Asks for a generation.
    pub(super) fn ask(&self, generation: &GenerationPiece<'a>) {
        self.0
            .order(|orders| orders.generation = Some(Arc::clone(generation)));
    }
}

impl Drop for Scout<'_> {
    fn drop(&mut self) {
        self.0.order(|orders| orders.is_over = true);
    }
}

impl Ahead<'_> {
    /// Puts the next row in the place of this one, and asks for the one after it.
    pub(super) fn next(&mut self, row: &mut Row) {
        let Some(mut next) = self.piece.take() else {
            row.clear(0);
            return;
        };
        if !next.is_done {
            next.fill();
        }
        std::mem::swap(row, &mut next.row);
        let is_last = row.len == 0 && row.fault.is_none();
        if !is_last {
            next.is_done = false;
            next.length = (2 * next.length).min(self.length_max);
            self.piece.ask(next);
            let piece = Arc::clone(&self.piece);
            self.post.order(|orders| orders.rows.push_back(piece));
        }
    }
}

impl NextRow<'_> {
    fn fill(&mut self) {
        self.decoder.fill(&mut self.row, self.length);
        self.is_done = true;
    }
}

impl Work for Box<NextRow<'_>> {
    fn work(&mut self, _: &mut dyn FnMut()) {
        self.fill();
    }
}

impl<'a> Post<'a> {
    /// Changes the orders, and wakes the second thread if it sleeps.
    fn order(&self, change: impl FnOnce(&mut Orders<'a>)) {
        let mut orders = self.lock();
        change(&mut orders);
        if std::mem::take(&mut orders.is_asleep) {
            drop(orders);
            self.bell.notify_one();
        }
    }

    /// What the second thread does.
    fn serve(&self) {
        while let Some(order) = self.next() {
            match order {
                Order::Row(piece) => piece.work(&mut || ()),
                Order::Generation(piece) => piece.work(&mut || self.serve_rows()),
            }
        }
    }

    /// Decodes the rows that were asked for meanwhile.
    fn serve_rows(&self) {
        loop {
            let row = self.lock().rows.pop_front();
            let Some(piece) = row else {
                return;
            };
            piece.work(&mut || ());
        }
    }

    /// The next order; `None` when there are no more.
    fn next(&self) -> Option<Order<'a>> {
        for _ in 0..LOOKS {
            if let Some(next) = self.lock().next() {
                return next;
            }
            (0..PAUSES).for_each(|_| std::hint::spin_loop());
        }
        let mut orders = self.lock();
        loop {
            if let Some(next) = orders.next() {
                return next;
            }
            orders.is_asleep = true;
            orders = self
                .bell
                .wait(orders)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Orders<'a>> {
        // Nothing that can panic happens under the lock.
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Orders<'a> {
    /// The next order, or that there are no more; `None` when there is none yet.
    #[expect(
        clippy::option_option,
        reason = "the one says whether to wait, the other whether to end"
    )]
    fn next(&mut self) -> Option<Option<Order<'a>>> {
        if self.is_over {
            return Some(None);
        }
        let row = self.rows.pop_front().map(Order::Row);
        row.or_else(|| self.generation.take().map(Order::Generation))
            .map(Some)
    }
}
