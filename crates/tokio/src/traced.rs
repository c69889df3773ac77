//! A future that is a task of the recording: it tells the recorder of each poll, and gives its future wakers of ours.
#![expect(
    unsafe_code,
    reason = "the inner future is pinned with its wrapper and dropped in place; a pin-projection crate would cost every traced program a dependency for these two lines"
)]

use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};

use exectrace::hook::{BlockReason, Task, worker_parks};

use crate::poll_frame::PollFrame;
use crate::task_waker::TaskWaker;

/// A future that is a task of the recording.
///
/// While no session is running its polls pass their context through untouched. With one, the future sees a waker of ours,
/// which tells who wakes it and where it waits, and wakes the runtime's.
///
/// What is ours comes first: beside the task's head, which the runtime has just looked at.
#[repr(C)]
pub(crate) struct Traced<F> {
    task: Task,
    waker: TaskWaker,
    /// No poll is to come: the future is ready, or a panic went through it.
    is_over: bool,
    /// It is polled by the thread that wants its result, not by a scheduler.
    is_root: bool,
    /// The thread parks when the future is pending, and no runtime's hook tells of it.
    parks: bool,
    future: ManuallyDrop<F>,
}

const _: () = assert!(
    size_of::<Traced<()>>() <= 24,
    "an empty task fits Tokio's smallest cell, of 128 bytes"
);

impl<F: Future> Traced<F> {
    /// The future as a new task, created by the one that the calling thread runs.
    #[inline]
    pub(crate) fn new(future: F) -> Self {
        Self {
            task: Task::new(entry::<F>()),
            waker: TaskWaker::new(),
            is_over: false,
            is_root: false,
            parks: false,
            future: ManuallyDrop::new(future),
        }
    }

    /// The same, for a future that the calling thread runs to its end. `parks` says that meanwhile it runs nothing else.
    pub(crate) fn root(future: F, parks: bool) -> Self {
        let mut root = Self::new(future);
        root.is_root = true;
        root.parks = parks;
        root
    }
}

impl<F> Traced<F> {
    #[inline]
    pub(crate) fn task(&self) -> &Task {
        &self.task
    }
}

/// What the task is called by: its future's poll function, which for an `async fn` bears the function's name.
fn entry<F: Future>() -> *const () {
    let poll: fn(Pin<&mut F>, &mut Context<'_>) -> Poll<F::Output> = F::poll;
    poll as *const ()
}

impl<F: Future> Traced<F> {
    /// A poll while no session is running, unless one starts at this moment.
    #[inline(always)]
    fn poll_unrecorded(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is never moved, and dropped in place: it is pinned as its wrapper is.
        let future = unsafe { Pin::new_unchecked(&mut *self.future) };
        let run = self.task.start();
        run.end_stacks_here();
        // Stays so if a panic goes through.
        self.is_over = true;
        self.waker.saw_untraced_poll();
        let outcome = future.poll(context);
        match outcome {
            Poll::Ready(_) => run.end(),
            Poll::Pending => {
                self.is_over = false;
                run.wait(&[]);
            }
        }
        outcome
    }

    /// A poll of which anything may be unusual.
    #[inline(never)]
    fn poll_otherwise(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is never moved, and dropped in place: it is pinned as its wrapper is.
        let future = unsafe { Pin::new_unchecked(&mut *self.future) };
        let run = self.task.start();
        run.end_stacks_here();
        // Stays so if a panic goes through.
        self.is_over = true;
        let lent = if exectrace::is_enabled() {
            self.waker.lend(&self.task, context.waker())
        } else {
            self.waker.saw_untraced_poll();
            None
        };
        let Some(waker) = lent else {
            let outcome = future.poll(context);
            match outcome {
                Poll::Ready(_) => run.end(),
                Poll::Pending => {
                    self.is_over = false;
                    run.wait(&[]);
                }
            }
            return outcome;
        };
        let frame = PollFrame::new(waker.data(), waker.stock());
        let polling = frame.begin();
        let outcome = future.poll(&mut Context::from_waker(&waker));
        drop(polling);
        match outcome {
            Poll::Ready(_) => run.end(),
            Poll::Pending => {
                self.is_over = false;
                // A root may be polled without having been woken.
                if frame.is_idle() && !self.is_root && waker.is_forgotten() {
                    run.block(BlockReason::Forever);
                } else {
                    frame.end(run);
                }
                if self.parks {
                    worker_parks();
                }
            }
        }
        outcome
    }
}

impl<F: Future> Future for Traced<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: nothing is moved out of the wrapper; its future is pinned again right below.
        let this = unsafe { self.get_unchecked_mut() };
        if !exectrace::is_enabled() {
            return this.poll_unrecorded(context);
        }
        if this.is_root {
            return this.poll_otherwise(context);
        }
        // Nearly all polls of a session are as follows. They have a path of their own: what there might be else would cost them
        // registers.
        let Some(waker) = this.waker.lend(&this.task, context.waker()) else {
            return this.poll_otherwise(context);
        };
        let Some(run) = this.task.start_plainly() else {
            return this.poll_otherwise(context);
        };
        // Stays so if a panic goes through.
        this.is_over = true;
        let frame = PollFrame::new(waker.data(), waker.stock());
        let polling = frame.begin();
        // SAFETY: the future is never moved, and dropped in place: it is pinned as its wrapper is.
        let future = unsafe { Pin::new_unchecked(&mut *this.future) };
        let outcome = future.poll(&mut Context::from_waker(&waker));
        drop(polling);
        match outcome {
            Poll::Ready(_) => run.end(),
            Poll::Pending => {
                this.is_over = false;
                if frame.is_idle() && waker.is_forgotten() {
                    run.block(BlockReason::Forever);
                } else {
                    frame.end(run);
                }
            }
        }
        outcome
    }
}

impl<F> Drop for Traced<F> {
    /// The future is dropped as the task: what it does then is done by it.
    fn drop(&mut self) {
        // First, since what the future does may panic.
        self.waker.let_go(&self.task);
        let run = if self.is_over {
            None
        } else {
            let run = self.task.start();
            run.end_stacks_here();
            Some(run)
        };
        // SAFETY: this is the only place that drops the future, in place, and nobody uses it afterwards.
        unsafe { ManuallyDrop::drop(&mut self.future) };
        drop(run);
    }
}
