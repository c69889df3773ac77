//! Reports of the trace, each computed once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use exectrace_json::{Report, ReportError, TraceFile};

use crate::cut_texts::cut_texts;

/// So much is kept of what was asked for.
const KEPT_BYTES_MAX: usize = 32 << 20;

/// So many reports are computed at once: each takes a processor, and some a second one to read ahead.
const COMPUTED_MAX: usize = 2;

/// Who waits for more than so many others is told to come again.
const WAITING_MAX: usize = 30;

/// A report that was computed.
pub(crate) type Computed = Result<Arc<Vec<u8>>, ReportError>;

/// Which report: its name, and its options.
type Question = (String, BTreeMap<String, String>);

/// Reports of a trace.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    kept: BTreeMap<Question, Arc<Vec<u8>>>,
    /// The oldest first.
    order: VecDeque<Question>,
    kept_bytes: usize,
    /// Those that are being computed, so that no two threads do the same.
    computed: Vec<Question>,
    waiting: usize,
}

impl Reports {
    /// A report, computed unless it is kept; `None` where too many are asked for at once.
    pub(crate) fn get(
        &self,
        name: &str,
        options: &BTreeMap<String, String>,
        trace: &TraceFile<'_>,
    ) -> Option<Computed> {
        let report = match Report::named(name) {
            Ok(report) => report,
            Err(error) => return Some(Err(error)),
        };
        let question = (name.to_owned(), options.clone());
        if let Some(kept) = self.begin(&question)? {
            return Some(Ok(kept));
        }
        let told = options
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let computed = Computing {
            reports: self,
            question: &question,
        };
        let bytes = report.run(told, trace);
        let bytes = bytes.map(|bytes| Arc::new(cut_texts(bytes)));
        if let Ok(bytes) = &bytes {
            self.keep(question.clone(), bytes);
        }
        drop(computed);
        Some(bytes)
    }

    /// Waits until the report is there, or may be computed.
    fn begin(&self, question: &Question) -> Option<Option<Arc<Vec<u8>>>> {
        let mut state = self.lock();
        loop {
            if let Some(kept) = state.kept.get(question) {
                return Some(Some(Arc::clone(kept)));
            }
            if state.computed.len() < COMPUTED_MAX && !state.computed.contains(question) {
                state.computed.push(question.clone());
                return Some(None);
            }
            if state.waiting == WAITING_MAX {
                return None;
            }
            state.waiting += 1;
            state = self
                .freed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn keep(&self, question: Question, bytes: &Arc<Vec<u8>>) {
        let mut state = self.lock();
        state.kept_bytes += bytes.len();
        state.order.push_back(question.clone());
        state.kept.insert(question, Arc::clone(bytes));
        while state.kept_bytes > KEPT_BYTES_MAX {
            let Some(oldest) = state.order.pop_front() else {
                break;
            };
            let bytes = state.kept.remove(&oldest);
            state.kept_bytes -= bytes.map_or(0, |bytes| bytes.len());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A report is being computed, until this is dropped: also by a panic.
struct Computing<'a> {
    reports: &'a Reports,
    question: &'a Question,
}

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.reports
            .lock()
            .computed
            .retain(|question| question != self.question);
        self.reports.freed.notify_all();
    }
}
