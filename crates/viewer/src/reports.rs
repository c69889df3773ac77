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
pub(crate) type Question = (String, BTreeMap<String, String>);

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
    /// A report, computed unless it is kept; `None` where too many are asked for at once. The trace is read unless `at_hand` has it.
    pub(crate) fn get(
        &self,
        name: &str,
        options: &BTreeMap<String, String>,
        at_hand: impl FnOnce() -> Option<Vec<u8>>,
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
        let bytes = at_hand().map_or_else(|| report.run(told, trace), Ok);
        let bytes = bytes.map(|bytes| Arc::new(cut_texts(bytes)));
        if let Ok(bytes) = &bytes {
            self.lock().keep(question.clone(), bytes);
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

    /// Computes those that `at_hand` has, unless they are kept; the others come back. Who asks for one of them meanwhile waits for that.
    pub(crate) fn keep_at_hand(
        &self,
        mut questions: Vec<Question>,
        at_hand: impl Fn(&Question) -> Option<Vec<u8>>,
    ) -> Vec<Question> {
        questions.retain(|question| {
            let Some(None) = self.begin(question) else {
                return false;
            };
            let _computed = Computing {
                reports: self,
                question,
            };
            let bytes = at_hand(question).map(|bytes| Arc::new(cut_texts(bytes)));
            if let Some(bytes) = &bytes {
                self.lock().keep(question.clone(), bytes);
            }
            bytes.is_none()
        });
        questions
    }

    /// Reads the trace for those that are not kept, all at once: who asks for one of them meanwhile does not wait for that.
    pub(crate) fn prepare(&self, questions: Vec<Question>, trace: &TraceFile<'_>) {
        let named = questions.into_iter().filter_map(|question| {
            let is_kept = self.lock().kept.contains_key(&question);
            let report = Report::named(&question.0).ok().filter(|_| !is_kept)?;
            Some((report, question))
        });
        let questions: Vec<_> = named.collect();
        let asked = questions.iter().map(|(report, (_, options))| {
            let options = options.iter();
            (
                *report,
                options.map(|(name, value)| (name.as_str(), value.as_str())),
            )
        });
        let answers = Report::run_all(asked, trace);
        for ((_, question), answer) in questions.into_iter().zip(answers) {
            // What cannot be told is told to whoever asks.
            if let Ok(bytes) = answer {
                self.lock().keep(question, &Arc::new(cut_texts(bytes)));
            }
        }
    }

    /// Takes in a report that was computed elsewhere.
    pub(crate) fn keep(&self, name: &str, options: BTreeMap<String, String>, bytes: Vec<u8>) {
        let question = (name.to_owned(), options);
        self.lock().keep(question, &Arc::new(cut_texts(bytes)));
    }

    /// A report that is there already.
    #[cfg(test)]
    pub(crate) fn kept(
        &self,
        name: &str,
        options: &BTreeMap<String, String>,
    ) -> Option<Arc<Vec<u8>>> {
        let question = (name.to_owned(), options.clone());
        self.lock().kept.get(&question).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Keeps a report, unless it is there; the oldest make room for it.
    fn keep(&mut self, question: Question, bytes: &Arc<Vec<u8>>) {
        if self.kept.contains_key(&question) {
            return;
        }
        self.kept_bytes += bytes.len();
        self.order.push_back(question.clone());
        self.kept.insert(question, Arc::clone(bytes));
        while self.kept_bytes > KEPT_BYTES_MAX {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            let bytes = self.kept.remove(&oldest);
            self.kept_bytes -= bytes.map_or(0, |bytes| bytes.len());
        }
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
