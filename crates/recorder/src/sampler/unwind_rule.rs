//! How to get from a function to its caller at one address, in 32 bits.

/// Where the caller's frame begins, and where its registers were saved.
///
/// ```text
///  bits 0–1        2–15           16–23               24–31
///  kind      frame's offset   frame pointer      return address
/// ```
///
/// The frame begins at an offset from the stack pointer or the frame pointer; what was saved stands so many words below that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnwindRule(u32);

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unwind {
    /// Nothing: there is no rule, or it does not fit.
    Unknown,
    /// The function has no caller.
    Outermost,
    /// The caller's frame begins at an offset.
    Frame {
        from: From,
        offset_bytes: usize,
        fp: Saved,
        return_address: Saved,
    },
}

/// What a frame's begin is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    StackPointer,
    FramePointer,
}

/// What became of the caller's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    /// It was left alone.
    No,
    /// So many words below the begin of the frame.
    Below(u8),
    /// It is gone.
    Lost,
}

const OFFSET_WORDS_MAX: usize = (1 << 14) - 1;
const LOST: u8 = u8::MAX;

impl UnwindRule {
    pub(super) const UNKNOWN: Self = Self(0);

    /// The rule as it is stored; unknown if it does not fit.
    pub(super) fn new(unwind: Unwind) -> Self {
        let Unwind::Frame {
            from,
            offset_bytes,
            fp,
            return_address,
        } = unwind
        else {
            return Self(if unwind == Unwind::Outermost { 3 } else { 0 });
        };
        let words = offset_bytes / 8;
        if !offset_bytes.is_multiple_of(8) || words > OFFSET_WORDS_MAX {
            return Self::UNKNOWN;
        }
        let kind = match from {
            From::StackPointer => 1,
            From::FramePointer => 2,
        };
        let saved = u32::from(fp.code()) << 16 | u32::from(return_address.code()) << 24;
        Self(kind | (words as u32) << 2 | saved)
    }

    /// What it says.
    ///
    /// # Signal safety
    /// Arithmetic.
    pub(super) fn get(self) -> Unwind {
        let from = match self.0 & 3 {
            0 => return Unwind::Unknown,
            1 => From::StackPointer,
            2 => From::FramePointer,
            _ => return Unwind::Outermost,
        };
        Unwind::Frame {
            from,
            offset_bytes: (self.0 >> 2) as usize % (OFFSET_WORDS_MAX + 1) * 8,
            fp: Saved::of_code((self.0 >> 16) as u8),
            return_address: Saved::of_code((self.0 >> 24) as u8),
        }
    }
}

impl Saved {
    fn code(self) -> u8 {
        match self {
            Self::No => 0,
            Self::Below(words) => words,
            Self::Lost => LOST,
        }
    }

    fn of_code(code: u8) -> Self {
        match code {
            0 => Self::No,
            LOST => Self::Lost,
            words => Self::Below(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unwind: Unwind, expect: Unwind) {
        assert_eq!(UnwindRule::new(unwind).get(), expect);
    }

    #[test]
    fn a_rule_that_fits_comes_out_as_it_went_in() {
        check(Unwind::Unknown, Unwind::Unknown);
        check(Unwind::Outermost, Unwind::Outermost);
        for from in [From::StackPointer, From::FramePointer] {
            for saved in [Saved::No, Saved::Lost, Saved::Below(1), Saved::Below(254)] {
                for offset_bytes in [0, 8, 16, OFFSET_WORDS_MAX * 8] {
                    let unwind = Unwind::Frame {
                        from,
                        offset_bytes,
                        fp: saved,
                        return_address: Saved::Below(1),
                    };
                    check(unwind, unwind);
                }
            }
        }
    }

    #[test]
    fn a_rule_that_does_not_fit_is_unknown() {
        for offset_bytes in [4, OFFSET_WORDS_MAX * 8 + 8] {
            let unwind = Unwind::Frame {
                from: From::StackPointer,
                offset_bytes,
                fp: Saved::No,
                return_address: Saved::Below(1),
            };
            check(unwind, Unwind::Unknown);
        }
    }
}
