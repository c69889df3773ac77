//! Filters that were asked for last, with what they were found to mean.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use exectrace_analysis::FilterError;

use crate::timeline::RowFilter;

/// So many are kept: a page asks with one at a time, and few pages are open. Each has a bit an interval, and eight bytes a task.
const KEPT_MAX: usize = 2;

/// Filters by their texts, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    kept: Mutex<VecDeque<(String, Arc<RowFilter>)>>,
}

impl Filters {
    /// The filter of a text.
    ///
    /// # Errors
    ///
    /// Where the text makes no sense, and what would.
    pub(crate) fn get(&self, text: &str) -> Result<Arc<RowFilter>, FilterError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, filter)) = kept.iter().find(|(known, _)| known == text) {
            return Ok(Arc::clone(filter));
        }
        let filter = Arc::new(RowFilter::parse(text)?);
        if kept.len() == KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back((text.to_owned(), Arc::clone(&filter)));
        Ok(filter)
    }
}
