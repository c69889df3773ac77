//! What Tokio's builder offers under `tokio_unstable`.

use std::sync::Arc;

use tokio::runtime::{HistogramConfiguration, RngSeed, TaskMeta, UnhandledPanic};

use super::{Builder, forward};

impl Builder {
    /// As [`tokio::runtime::Builder::on_task_spawn`].
    pub fn on_task_spawn<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.on_task.spawn = Some(Arc::new(callback));
        self
    }

    /// As [`tokio::runtime::Builder::on_before_task_poll`].
    pub fn on_before_task_poll<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.on_task.before_poll = Some(Arc::new(callback));
        self
    }

    /// As [`tokio::runtime::Builder::on_after_task_poll`].
    pub fn on_after_task_poll<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.on_task.after_poll = Some(Arc::new(callback));
        self
    }

    /// As [`tokio::runtime::Builder::on_task_terminate`].
    pub fn on_task_terminate<F>(&mut self, callback: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.on_task.terminate = Some(Arc::new(callback));
        self
    }

    forward! {
        #[cfg(all(feature = "time", feature = "rt-multi-thread"))]
        enable_alt_timer();
        #[cfg(feature = "rt-multi-thread")]
        enable_eager_driver_handoff();
        enable_sharded_blocking_queue();
        unhandled_panic(behavior: UnhandledPanic);
        disable_lifo_slot();
        rng_seed(seed: RngSeed);
        enable_metrics_poll_time_histogram();
        metrics_poll_time_histogram_configuration(configuration: HistogramConfiguration);
    }
}
