//! Several kinds of records.

use super::RecordKind;

/// Some of the kinds of records.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{RecordKind, RecordKinds};
///
/// let kinds: RecordKinds = [RecordKind::Finding, RecordKind::Task].into_iter().collect();
/// assert!(kinds.contains(RecordKind::Task) && !kinds.contains(RecordKind::Worker));
/// assert_eq!(kinds.names(), "tasks; findings");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordKinds {
    /// A bit each.
    bits: u16,
}

impl RecordKinds {
    /// Whether a kind is among them.
    #[must_use]
    pub const fn contains(self, kind: RecordKind) -> bool {
        self.bits & Self::bit(kind) != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = RecordKind> {
        let all = RecordKind::ALL.into_iter();
        all.filter(move |&kind| self.contains(kind))
    }

    /// What they are called. Names may have an "and".
    #[must_use]
    pub fn names(self) -> String {
        let names: Vec<&str> = self.iter().map(RecordKind::name).collect();
        names.join("; ")
    }

    const fn bit(kind: RecordKind) -> u16 {
        1 << kind as u16
    }
}

impl From<RecordKind> for RecordKinds {
    fn from(kind: RecordKind) -> Self {
        Self {
            bits: Self::bit(kind),
        }
    }
}

impl FromIterator<RecordKind> for RecordKinds {
    fn from_iter<I: IntoIterator<Item = RecordKind>>(kinds: I) -> Self {
        let bits = kinds.into_iter().map(Self::bit);
        Self {
            bits: bits.fold(0, |all, bit| all | bit),
        }
    }
}
