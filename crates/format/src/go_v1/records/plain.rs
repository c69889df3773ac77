//! Events as nearly all are: their time and then their arguments.

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
    pub(super) bytes: &'a [u8],
    pub(super) position: usize,
    /// The file's offset of the first byte.
    pub(super) base: u64,
    pub(super) forms: &'static Forms,
}

impl PlainEvents<'_> {
    /// Decodes the next event: its arguments into `args`, where nothing is left of earlier ones; its type, where it begins in the
    /// file, and its time since the record before into the answer. `None` says nothing of what comes; what `args` holds then is
    /// not said, either.
    // As a call it would move what it answers through memory.
    #[inline(always)]
    pub fn advance(&mut self, args: &mut [u64; ARGS_MAX]) -> Option<(EventType, u64, u64)> {
        let start = self.position;
        let &byte = self.bytes.get(start)?;
        let form = self.forms[usize::from(byte)];
        let event_type = form.event_type?;
        let mut at = start + 1;
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
        self.position = at;
        Some((event_type, self.base + start as u64, delta))
    }
}
