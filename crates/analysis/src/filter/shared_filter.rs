//! One filter for records of several kinds.

use super::{Field, Filter, FilterError, RecordKind, RecordKinds, parser};

/// A filter for records of several kinds. It asks those kinds that have all of its fields, and lets all others through.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{RecordKind, SharedFilter};
///
/// let kinds = [RecordKind::Task, RecordKind::Annotation, RecordKind::Finding];
/// let filter = SharedFilter::parse("duration > 5ms", kinds.into_iter().collect())?;
/// assert!(!filter.of(RecordKind::Task).is_none() && !filter.of(RecordKind::Annotation).is_none());
/// assert!(filter.of(RecordKind::Finding).is_none());
/// # Ok::<(), exectrace_analysis::FilterError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedFilter {
    filter: Filter,
    kinds: RecordKinds,
}

impl SharedFilter {
    /// Reads a filter for some of these kinds.
    ///
    /// # Errors
    ///
    /// Where the text makes no sense, and what would; or that no kind has all of its fields.
    pub fn parse(text: &str, kinds: RecordKinds) -> Result<Self, FilterError> {
        let (root, kinds) = parser::parse(text, kinds)?;
        let filter = Filter { root: Some(root) };
        Ok(Self { filter, kinds })
    }

    /// The filter for records of a kind.
    #[must_use]
    pub fn of(&self, kind: RecordKind) -> Filter {
        if self.kinds.contains(kind) {
            self.filter.clone()
        } else {
            Filter::default()
        }
    }

    /// The kinds that it asks; none if it is none.
    #[must_use]
    pub fn kinds(&self) -> RecordKinds {
        self.kinds
    }

    /// A field that it asks about which names something of one trace, and anything or nothing in another.
    #[must_use]
    pub fn id(&self) -> Option<Field> {
        let root = self.filter.root.as_ref()?;
        root.find(&Field::is_id)
    }
}
