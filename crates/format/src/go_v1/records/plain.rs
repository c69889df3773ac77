//! Events as nearly all are: their time and then their arguments.

use super::near::NearEvent;
use crate::go_v1::layout::Forms;
use crate::go_v1::{ARGS_MAX, EventType};
use crate::varint;

/// Decodes events up to the first record that is none or that has anything unusual. It is a small value, which can stay in registers
/// while a loop runs.
///
/// # Examples
///
/// ```
/// use exectrace_format::Version;
/// use exectrace_format::go_v1::{Event, EventType, GoEnd, GoStart, Records};
/// use exectrace_format::{Seq, TaskId};
///
/// let mut bytes = Vec::new();
/// GoStart { task: TaskId(3), seq: Seq(2) }.append(7, &mut bytes);
/// GoEnd {}.append(1, &mut bytes);
/// bytes.extend([0; 16]);
/// let mut records = Records::resume(Version::Go1_19, &bytes, 100);
/// let (mut plain, mut args) = (records.plain_ones(), [0; 4]);
/// assert_eq!(plain.advance(&mut args), Some((EventType::GoStart, 100, 7)));
/// assert_eq!(args, [3, 2, 0, 0]);
/// records.go_on(plain);
/// assert_eq!(records.next().unwrap()?.event_type, EventType::GoEnd);
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlainEvents<'a> {
    /// From the next event on.
    pub(super) bytes: &'a [u8],
    /// The file's offset of what follows them.
    pub(super) end: u64,
    pub(super) forms: &'static Forms,
}

impl<'a> PlainEvents<'a> {
    /// Where in the file the next event begins.
    #[inline(always)]
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.end - self.bytes.len() as u64
    }

    /// The next event, to be decoded number by number, if it is not among the last of these bytes.
    #[inline(always)]
    #[must_use]
    pub fn near(&self) -> Option<NearEvent<'a>> {
        Some(NearEvent::of(self.bytes.first_chunk()?))
    }

    /// Goes on behind an event of [`Self::near`], of which all numbers were decoded.
    #[inline(always)]
    pub fn go_on(&mut self, event: NearEvent<'_>) {
        self.pass(event.length());
    }

    #[inline(always)]
    fn pass(&mut self, length: usize) {
        self.bytes = self.bytes.get(length..).unwrap_or_default();
    }

    /// Decodes the next event: its arguments into `args`, where nothing is left of earlier ones; its type, where it begins in the
    /// file, and its time since the record before into the answer. `None` says nothing of what comes; what `args` holds then is
    /// not said, either.
    // As a call it would move what it answers through memory.
    #[inline(always)]
    pub fn advance(&mut self, args: &mut [u64; ARGS_MAX]) -> Option<(EventType, u64, u64)> {
        let &byte = self.bytes.first()?;
        let form = self.forms[usize::from(byte)];
        let event_type = form.event_type?;
        let mut at = 1;
        let length_form = byte >> 6 == 3;
        let mut end = 0;
        if length_form {
            let &length_bytes = self.bytes.get(at).filter(|&&byte| byte < 0x80)?;
            at += 1;
            end = at + usize::from(length_bytes);
        }
        let mut numbers = varint::Row::at(self.bytes, at)?;
        let delta = numbers.next()?;
        *args = [0; ARGS_MAX];
        let mut left = usize::from(form.count) - 1;
        if let Some((first, others)) = args.split_first_mut().filter(|_| left > 0) {
            *first = numbers.next()?;
            left -= 1;
            if left > 0 {
                numbers = varint::Row::at(self.bytes, numbers.end()?)?;
                for arg in others.iter_mut().take(left) {
                    *arg = numbers.next()?;
                }
            }
        }
        at = numbers.end()?;
        if length_form && at != end {
            return None;
        }
        let offset = self.offset();
        self.pass(at);
        Some((event_type, offset, delta))
    }
}
