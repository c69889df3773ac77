//! Where records make sense again after bytes that do not.
//!
//! A record that is no event of its version, or has too many numbers, still says where it ends. If what follows makes sense, it
//! alone is lost. Else decoding goes on at the next batch: it says whose events follow, and when.

use exectrace_format::go_v1::{EventType, Records};
use exectrace_format::limits::EVENT_BYTES_MAX;
use exectrace_format::{Version, varint};

/// What the batches so far say, beside which others must look likely.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The least and the greatest time at which one begins.
    ticks: Option<(i64, i64)>,
    worker_max: i64,
}

/// A search, which takes no more steps than a few for each byte of the file.
#[derive(Debug)]
pub(super) struct Search<'a> {
    file: &'a [u8],
    version: Version,
    /// Steps that may still be taken in vain, a byte each.
    budget: usize,
}

/// So many records must make sense, one after another, unless a batch or the end of the file comes first.
const RECORDS: usize = 8;
/// A worker of this number is likely in any file.
const WORKERS_USUAL: i64 = 1024;
/// An hour in ticks of 64 ns, about: so far may a batch be from others in any file.
const TICKS_APART: i64 = 1 << 36;
/// The longest time between two events of a batch that is likely.
const DELTA_MAX: u64 = 1 << 40;
/// More than a stack of the most frames takes, with the longest numbers.
const STACK_BYTES_MAX: usize = 1 << 16;
/// About what it takes to decode a record without a length.
const STEPS: usize = 16;
/// The type and the count bits of a batch.
const BATCH: u8 = EventType::Batch as u8 | 1 << 6;
const STACK: u8 = EventType::Stack as u8 | 3 << 6;

impl Seen {
    #[inline]
    pub(super) fn batch(&mut self, worker: i64, ticks: i64) {
        let (first, last) = self.ticks.unwrap_or((ticks, ticks));
        self.ticks = Some((first.min(ticks), last.max(ticks)));
        self.worker_max = self.worker_max.max(worker);
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.ticks.is_none()
    }

    fn is_likely(&self, worker: i64, ticks: i64) -> bool {
        let workers = WORKERS_USUAL.max(self.worker_max.saturating_mul(2));
        if ticks < 0 || !(-1..=workers).contains(&worker) {
            return false;
        }
        self.ticks.is_none_or(|(first, last)| {
            let apart = TICKS_APART.max(last.saturating_sub(first).saturating_mul(4));
            (first.saturating_sub(apart)..=last.saturating_add(apart)).contains(&ticks)
        })
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(file: &'a [u8], version: Version) -> Self {
        Self {
            file,
            version,
            budget: (1 << 20) + 16 * file.len(),
        }
    }

    /// Where the record at `at` ends, as its count bits or its length say, and its time if that is likely, or 0.
    pub(super) fn framed(&self, at: usize) -> Option<(usize, u64)> {
        let byte = *self.file.get(at)?;
        let is_5 = self.version == Version::Go1_5;
        let mut end = at + 1;
        let mut numbers = usize::from(byte >> 6) + 1 + usize::from(is_5);
        let mut limit = self.file.len();
        if byte >> 6 == 3 {
            let length = self.number(&mut end)?;
            limit = end.checked_add(usize::try_from(length).ok()?)?;
            // Only the time is of interest.
            numbers = 1 + usize::from(is_5);
        }
        let mut first = 0;
        for place in 0..numbers {
            let number = self.number(&mut end).filter(|_| end <= limit)?;
            // Version 1.5 has its sequence number before the time.
            if place == usize::from(is_5) {
                first = number;
            }
        }
        if byte >> 6 == 3 {
            end = limit;
        }
        if byte & 0x3f == EventType::UserLog as u8 {
            let length = self.number(&mut end)?;
            end = end.checked_add(usize::try_from(length).ok()?)?;
        }
        let delta = if first > DELTA_MAX { 0 } else { first };
        (end <= self.file.len()).then_some((end, delta))
    }

    fn number(&self, at: &mut usize) -> Option<u64> {
        let (number, next) = varint::read_wrapping(self.file, *at).ok()?;
        *at = next;
        Some(number)
    }

    /// The next batch from `from` on that looks likely, and its time.
    pub(super) fn batch(&mut self, from: usize, seen: &Seen) -> Option<(usize, i64)> {
        let mut from = from;
        while self.budget > 0 {
            let rest = self.file.get(from..)?;
            let at = from + rest.iter().position(|&byte| byte == BATCH)?;
            let batch = Records::resume(self.version, &self.file[at..], at as u64).next();
            if let Some(Ok(batch)) = batch
                && seen.is_likely(batch.args[0] as i64, batch.args[1] as i64)
                && self.makes_sense(at, seen)
            {
                return Some((at, batch.args[1] as i64));
            }
            from = at + 1;
        }
        None
    }

    /// Whether some records from `at` on make sense.
    pub(super) fn makes_sense(&mut self, at: usize, seen: &Seen) -> bool {
        let mut records = Records::resume(self.version, &self.file[at..], at as u64);
        for place in 0..RECORDS {
            let begin = records.offset() as usize;
            if !self.pay(begin) || self.is_too_long(begin) {
                return false;
            }
            match records.next() {
                None => return true,
                Some(Err(_)) => return false,
                Some(Ok(record)) if record.event_type == EventType::Batch => {
                    let [worker, ticks, ..] = record.args.map(|number| number as i64);
                    if !seen.is_likely(worker, ticks) {
                        return false;
                    }
                    // The first may be the one in question.
                    if place > 0 {
                        return true;
                    }
                }
                Some(Ok(record)) if record.delta > DELTA_MAX => return false,
                Some(Ok(_)) => {}
            }
        }
        true
    }

    /// Takes what it costs to decode the record at `at` from the budget. False if there is nothing left.
    pub(super) fn pay(&mut self, at: usize) -> bool {
        let steps = STEPS + self.length(at).unwrap_or(0);
        self.budget = self.budget.saturating_sub(steps);
        self.budget > 0
    }

    /// The length of a record that tells it, if the file has so many bytes.
    fn length(&self, at: usize) -> Option<usize> {
        self.file.get(at).filter(|&&byte| byte >> 6 == 3)?;
        let mut next = at + 1;
        let length = usize::try_from(self.number(&mut next)?).ok()?;
        (length <= self.file.len() - next).then_some(length)
    }

    /// Whether a record begins here that is longer than any that was ever written.
    fn is_too_long(&self, at: usize) -> bool {
        let limit = if self.file.get(at) == Some(&STACK) {
            STACK_BYTES_MAX
        } else {
            EVENT_BYTES_MAX
        };
        self.length(at).is_some_and(|length| length > limit)
    }
}
