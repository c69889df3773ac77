//! A damaged trace.

/// A damage to a trace of a [`Corpus`](crate::Corpus), and what Go's readers say of the damaged copy.
///
/// The operation `none` is the file itself, `cut N` keeps the first N bytes, `flip OFFSET BIT` inverts a bit, 0 the lowest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The trace, as the corpus's table calls it.
    pub file: String,
    /// What is done to it.
    pub operation: String,
    /// As in the corpus's table.
    pub verdict: String,
    /// The number of events before the fault.
    pub events: String,
    /// What the fault is.
    pub reason: String,
}

impl Mutation {
    #[track_caller]
    pub(crate) fn new(row: Vec<String>) -> Self {
        let [file, operation, verdict, events, reason] = match <[String; 5]>::try_from(row) {
            Ok(columns) => columns,
            Err(row) => panic!("a damage has five columns: {row:?}"),
        };
        Self {
            file,
            operation,
            verdict,
            events,
            reason,
        }
    }

    /// Damages a copy of the trace.
    ///
    /// # Panics
    ///
    /// When the operation is none of those that are known, or lies outside of the file.
    ///
    /// # Examples
    ///
    /// ```
    /// # use exectrace_testkit::Mutation;
    /// let [file, verdict, events, reason] = Default::default();
    /// let flip = Mutation { file, operation: "flip 1 0".to_owned(), verdict, events, reason };
    /// assert_eq!(flip.applied_to(b"abc".to_vec()), b"acc");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn applied_to(&self, mut file: Vec<u8>) -> Vec<u8> {
        let number = |word: &str| -> usize {
            let number = word.parse();
            number.unwrap_or_else(|_| panic!("no number in {}", self.operation))
        };
        match self.operation.split(' ').collect::<Vec<_>>()[..] {
            ["none"] => {}
            ["cut", length] => file.truncate(number(length)),
            ["flip", offset, bit] => file[number(offset)] ^= 1 << number(bit),
            _ => panic!("unknown operation {}", self.operation),
        }
        file
    }
}
