//! A runtime with one worker, plain or traced.

use std::future::Future;

use crate::workload::Contender;

/// A runtime with one worker.
pub(crate) enum OneWorker {
    Plain(tokio::runtime::Runtime),
    Traced(exectrace_tokio::runtime::Runtime),
}

impl OneWorker {
    pub(crate) fn new(contender: Contender) -> Self {
        match contender {
            Contender::Plain => {
                let mut builder = tokio::runtime::Builder::new_multi_thread();
                let runtime = builder.worker_threads(1).enable_all().build();
                Self::Plain(runtime.expect("a runtime"))
            }
            Contender::Traced => {
                let mut builder = exectrace_tokio::runtime::Builder::new_multi_thread();
                let runtime = builder.worker_threads(1).enable_all().build();
                Self::Traced(runtime.expect("a runtime"))
            }
        }
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        match self {
            Self::Plain(runtime) => runtime.block_on(future),
            Self::Traced(runtime) => runtime.block_on(future),
        }
    }
}
