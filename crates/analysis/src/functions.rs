//! What tasks run, as text.

use std::collections::HashMap;

use exectrace_reader::Tables;

use crate::lives::Life;

/// The functions that tasks run, each stack looked up once.
#[derive(Default)]
pub(crate) struct Functions {
    by_stack: HashMap<u64, String>,
}

impl Functions {
    /// The function that a task runs; empty if nothing tells it.
    pub(crate) fn of(&mut self, life: &Life, tables: &Tables<'_>) -> String {
        let function = self
            .by_stack
            .entry(life.stack().0)
            .or_insert_with(|| tables.text(life.function(tables)).into_owned());
        function.clone()
    }
}
