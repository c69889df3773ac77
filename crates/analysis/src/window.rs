//! A stretch of a trace.

use exectrace_reader::Timestamp;

/// From when to when a trace is looked at: the begin is in it, the end is not, so that windows that follow on each other add up
/// to the whole.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::Window;
/// use exectrace_reader::Timestamp;
///
/// let first = Window::until(Timestamp(30));
/// let second = Window::since(Timestamp(30));
/// assert_eq!(first.clip(Timestamp(10), Timestamp(50)), Some((Timestamp(10), Timestamp(30))));
/// assert_eq!(second.clip(Timestamp(10), Timestamp(50)), Some((Timestamp(30), Timestamp(50))));
/// assert!(!first.contains(Timestamp(30)) && second.contains(Timestamp(30)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    from: Option<Timestamp>,
    to: Option<Timestamp>,
}

impl Window {
    /// The whole trace.
    pub const WHOLE: Self = Self {
        from: None,
        to: None,
    };

    /// All from a time on.
    #[must_use]
    pub const fn since(from: Timestamp) -> Self {
        Self {
            from: Some(from),
            to: None,
        }
    }

    /// All before a time.
    #[must_use]
    pub const fn until(to: Timestamp) -> Self {
        Self {
            from: None,
            to: Some(to),
        }
    }

    /// All from a time on and before another; `None` is no bound.
    #[must_use]
    pub const fn of(from: Option<Timestamp>, to: Option<Timestamp>) -> Self {
        Self { from, to }
    }

    /// Where it begins, if that is not the trace's begin.
    #[must_use]
    pub const fn from(self) -> Option<Timestamp> {
        self.from
    }

    /// Where it ends, if that is not the trace's end.
    #[must_use]
    pub const fn to(self) -> Option<Timestamp> {
        self.to
    }

    /// Whether a moment is in it.
    #[must_use]
    pub fn contains(self, time: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= time) && self.to.is_none_or(|to| time < to)
    }

    /// What of a stretch is in it, if anything is. One without length is in the window that its moment is in.
    #[must_use]
    pub fn clip(self, begin: Timestamp, end: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let from = self.from.map_or(begin, |from| from.max(begin));
        let to = self.to.map_or(end, |to| to.min(end));
        (from < to || begin == end && self.contains(begin)).then_some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_or_only_touches_is_not_in_it() {
        let window = Window::of(Some(Timestamp(10)), Some(Timestamp(20)));
        for (begin, end) in [(0, 5), (0, 10), (20, 20), (20, 30), (25, 25), (9, 9)] {
            assert_eq!(
                window.clip(Timestamp(begin), Timestamp(end)),
                None,
                "{begin}..{end}"
            );
        }
        for (begin, end, clipped) in [(10, 10, (10, 10)), (5, 30, (10, 20)), (19, 25, (19, 20))] {
            let clipped = Some((Timestamp(clipped.0), Timestamp(clipped.1)));
            assert_eq!(window.clip(Timestamp(begin), Timestamp(end)), clipped);
        }
    }

    #[test]
    fn a_window_that_ends_before_it_begins_is_empty() {
        let window = Window::of(Some(Timestamp(20)), Some(Timestamp(10)));
        assert_eq!(window.clip(Timestamp(0), Timestamp(30)), None);
        assert_eq!(window.clip(Timestamp(15), Timestamp(15)), None);
    }
}
