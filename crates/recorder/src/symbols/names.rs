//! Names, each kept once.

use std::collections::HashMap;
use std::sync::Arc;

/// A function or file name of a [`Symboliser`](super::Symboliser).
///
/// Equal names have equal ids, so that a table from id to the recording's string id is a plain vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(u32);

impl NameId {
    /// The empty name: an unknown file.
    pub(crate) const EMPTY: Self = Self(0);

    /// Ids count up from 0.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names seen so far.
#[derive(Debug)]
pub(super) struct Names {
    ids: HashMap<Arc<str>, NameId>,
    texts: Vec<Arc<str>>,
}

impl Names {
    pub(super) fn new() -> Self {
        let mut names = Self {
            ids: HashMap::new(),
            texts: Vec::new(),
        };
        let empty = names.intern("");
        assert_eq!(empty, NameId::EMPTY);
        names
    }

    /// The id of `text`. Once every id is given away, new names are the empty one.
    pub(super) fn intern(&mut self, text: &str) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let Ok(id) = u32::try_from(self.texts.len()).map(NameId) else {
            return NameId::EMPTY;
        };
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    pub(super) fn text(&self, id: NameId) -> &str {
        self.texts.get(id.index()).map_or("", |text| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_ids() {
        let mut names = Names::new();
        let (a, b) = (names.intern("a"), names.intern("b"));
        assert_ne!(a, b);
        assert_eq!(names.intern("a"), a);
        assert_eq!((names.text(a), names.text(b)), ("a", "b"));
        assert_eq!(names.intern(""), NameId::EMPTY);
    }
}
