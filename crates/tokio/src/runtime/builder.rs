//! Builds runtimes whose threads tell what they do.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::LocalOptions;

use super::{LocalRuntime, Runtime};
use crate::leaf_class;
use crate::thread_hooks;

#[cfg(tokio_unstable)]
mod task_callbacks;
#[cfg(tokio_unstable)]
mod unstable;

#[cfg(tokio_unstable)]
use task_callbacks::TaskCallbacks;

type Callback = Option<Arc<dyn Fn() + Send + Sync>>;

/// As [`tokio::runtime::Builder`]: the runtimes that it builds are traced, and the callbacks that are set run as with Tokio's.
///
/// # Examples
///
/// ```
/// let runtime = exectrace_tokio::runtime::Builder::new_current_thread()
///     .on_thread_park(|| println!("nothing to do"))
///     .build()?;
/// assert_eq!(runtime.block_on(async { 42 }), 42);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Builder {
    inner: tokio::runtime::Builder,
    // The program's own callbacks: Tokio keeps one of each kind, which is ours.
    on_thread_start: Callback,
    on_thread_park: Callback,
    #[cfg(tokio_unstable)]
    on_task: TaskCallbacks,
}

/// Methods that are Tokio's.
macro_rules! forward {
    ($($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("As [`tokio::runtime::Builder::", stringify!($name), "`].")]
        $(#[$attribute])*
        pub fn $name(&mut self, $($argument: $type),*) -> &mut Self {
            self.inner.$name($($argument),*);
            self
        }
    )*};
}
#[cfg(tokio_unstable)]
use forward;

impl Builder {
    /// As [`tokio::runtime::Builder::new_current_thread`].
    pub fn new_current_thread() -> Self {
        Self::of(tokio::runtime::Builder::new_current_thread())
    }

    /// As [`tokio::runtime::Builder::new_multi_thread`].
    #[cfg(feature = "rt-multi-thread")]
    pub fn new_multi_thread() -> Self {
        Self::of(tokio::runtime::Builder::new_multi_thread())
    }

    fn of(inner: tokio::runtime::Builder) -> Self {
        Self {
            inner,
            on_thread_start: None,
            on_thread_park: None,
            #[cfg(tokio_unstable)]
            on_task: TaskCallbacks::default(),
        }
    }

    /// As [`tokio::runtime::Builder::build`].
    ///
    /// # Errors
    /// As Tokio's.
    pub fn build(&mut self) -> io::Result<Runtime> {
        self.install_hooks();
        #[cfg(tokio_unstable)]
        let number = self.on_task.install(&mut self.inner);
        let runtime = self.inner.build()?;
        #[cfg(tokio_unstable)]
        number.set(runtime.handle());
        Ok(Runtime::of(runtime))
    }

    /// As [`tokio::runtime::Builder::build_local`].
    ///
    /// # Errors
    /// As Tokio's.
    ///
    /// # Panics
    /// As Tokio's, on a builder of a runtime with several threads.
    pub fn build_local(&mut self, options: LocalOptions) -> io::Result<LocalRuntime> {
        self.install_hooks();
        #[cfg(tokio_unstable)]
        let number = self.on_task.install(&mut self.inner);
        let runtime = self.inner.build_local(options)?;
        #[cfg(tokio_unstable)]
        number.set(runtime.handle());
        Ok(LocalRuntime::of(runtime))
    }

    fn install_hooks(&mut self) {
        leaf_class::install();
        let own = self.on_thread_start.clone();
        self.inner.on_thread_start(move || {
            thread_hooks::thread_starts();
            call(&own);
        });
        let own = self.on_thread_park.clone();
        self.inner.on_thread_park(move || {
            call(&own);
            thread_hooks::worker_parks();
        });
    }

    /// As [`tokio::runtime::Builder::on_thread_start`].
    pub fn on_thread_start<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_start = Some(Arc::new(callback));
        self
    }

    /// As [`tokio::runtime::Builder::on_thread_stop`].
    pub fn on_thread_stop<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.inner.on_thread_stop(callback);
        self
    }

    /// As [`tokio::runtime::Builder::on_thread_park`].
    pub fn on_thread_park<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.on_thread_park = Some(Arc::new(callback));
        self
    }

    /// As [`tokio::runtime::Builder::on_thread_unpark`].
    pub fn on_thread_unpark<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn() + Send + Sync + 'static,
    {
        self.inner.on_thread_unpark(callback);
        self
    }

    /// As [`tokio::runtime::Builder::thread_name_fn`].
    pub fn thread_name_fn<F>(&mut self, name: F) -> &mut Self
    where
        F: Fn() -> String + Send + Sync + 'static,
    {
        self.inner.thread_name_fn(name);
        self
    }

    forward! {
        enable_all();
        #[cfg(any(feature = "net", feature = "process", feature = "signal"))]
        enable_io();
        #[cfg(feature = "time")]
        enable_time();
        #[cfg(feature = "test-util")]
        start_paused(start_paused: bool);
        #[track_caller]
        worker_threads(count: usize);
        #[track_caller]
        max_blocking_threads(count: usize);
        thread_name(name: impl Into<String>);
        #[track_caller]
        name(name: impl Into<String>);
        thread_stack_size(size_bytes: usize);
        thread_keep_alive(duration: Duration);
        #[track_caller]
        global_queue_interval(interval: u32);
        #[track_caller]
        event_interval(interval: u32);
        #[cfg(any(feature = "net", feature = "process", feature = "signal"))]
        #[track_caller]
        max_io_events_per_tick(capacity: usize);
        #[cfg(any(feature = "net", feature = "process", feature = "signal"))]
        #[track_caller]
        max_io_events_per_busy_tick(capacity: usize);
    }
}

fn call(callback: &Callback) {
    if let Some(callback) = callback {
        callback();
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
