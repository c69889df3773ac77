//! Where records make sense again after bytes that do not.
//!
//! A record that is no event of its version, or has too many numbers, still says where it ends. If what follows makes sense, it
//! alone is lost. Else a place is looked for nearby; records soon fall into step. At last decoding goes on at the next batch,
//! which says whose events follow, and when.

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

/// Where decoding goes on in the same batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    pub(super) at: usize,
    /// The time that passes in what is left out, as far as it is known.
    pub(super) delta: u64,
    /// How many records are left out; `None` if nobody knows.
    pub(super) records: Option<u64>,
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
/// Within so many bytes a record is looked for whose predecessor does not say where it ends.
const NEAR: usize = 256;
/// Few logs take more.
const LOG_BYTES_USUAL: usize = 1024;
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

    /// The worker and the time in a record that is a batch but for its type.
    pub(super) fn as_batch(&self, at: usize, seen: &Seen) -> Option<(usize, [i64; 2])> {
        let (first, _) = seen.ticks.filter(|_| self.version != Version::Go1_5)?;
        let mut end = at + 1;
        let worker = self.number(&mut end)? as i64;
        let ticks = self.number(&mut end)? as i64;
        // The arguments of most events are smaller.
        let is_batch = first > TICKS_APART && seen.is_likely(worker, ticks);
        (is_batch && self.file[at] >> 6 == BATCH >> 6).then_some((end, [worker, ticks]))
    }

    /// Where the next record of the same batch begins, after the faulty one at `at`.
    pub(super) fn next_record(&mut self, at: usize, seen: &Seen) -> Option<Next> {
        let byte = *self.file.get(at)?;
        let event_type = EventType::from_number(byte & 0x3f);
        // Either the type is wrong or the count.
        let ends = [
            self.end_by_count(at, usize::from(byte >> 6)),
            event_type.and_then(|event_type| self.end_by_type(at, event_type)),
        ];
        // A wrong length swallows many records.
        let bytes_max = match event_type {
            Some(EventType::Stack) => STACK_BYTES_MAX,
            Some(EventType::UserLog) => LOG_BYTES_USUAL,
            _ => EVENT_BYTES_MAX,
        };
        for (end, delta) in ends.into_iter().flatten() {
            if end - at <= bytes_max && self.makes_sense(end, seen) {
                let is_timed = event_type.is_none_or(|event_type| event_type.spec().is_timed());
                return Some(Next {
                    at: end,
                    delta: if is_timed { delta } else { 0 },
                    records: Some(1),
                });
            }
        }
        let near = at + 1..self.file.len().min(at + NEAR);
        let next = { near }.find(|&next| self.make_sense(next, seen, false))?;
        Some(Next {
            at: next,
            delta: 0,
            records: None,
        })
    }

    /// Where a record with these count bits ends, and its time if that is likely, or 0.
    fn end_by_count(&self, at: usize, count_bits: usize) -> Option<(usize, u64)> {
        if count_bits < 3 {
            return self.end_by_numbers(at, count_bits + 1);
        }
        let mut start = at + 1;
        let length = self.number(&mut start)?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        // Only the time is of interest.
        let (_, delta) = self.end_by_numbers(start - 1, 1)?;
        self.with_message(at, end, delta)
    }

    /// Where the record ends if its type is right.
    fn end_by_type(&self, at: usize, event_type: EventType) -> Option<(usize, u64)> {
        let spec = event_type.spec();
        let args = spec.args_in(self.version).count();
        match args + usize::from(spec.is_timed()) {
            numbers @ 1..=3 => self.end_by_numbers(at, numbers),
            _ => self.end_by_count(at, 3),
        }
    }

    fn end_by_numbers(&self, at: usize, numbers: usize) -> Option<(usize, u64)> {
        let mut end = at + 1;
        let mut delta = 0;
        // Version 1.5 has its sequence number before the time, and does not count it.
        let is_5 = usize::from(self.version == Version::Go1_5);
        for place in 0..numbers + is_5 {
            let number = self.number(&mut end)?;
            if place == is_5 && number <= DELTA_MAX {
                delta = number;
            }
        }
        self.with_message(at, end, delta)
    }

    /// The message of a log stands after the record.
    fn with_message(&self, at: usize, end: usize, delta: u64) -> Option<(usize, u64)> {
        let mut end = end;
        if self.file[at] & 0x3f == EventType::UserLog as u8 {
            let length = self.number(&mut end)?;
            end = end.checked_add(usize::try_from(length).ok()?)?;
        }
        (end <= self.file.len()).then_some((end, delta))
    }

    fn number(&self, at: &mut usize) -> Option<u64> {
        let (number, next) = varint::read_wrapping(self.file, *at).ok()?;
        *at = next;
        Some(number)
    }

    /// The next batch from `from` on that looks likely.
    pub(super) fn batch(&mut self, from: usize, seen: &Seen) -> Option<usize> {
        let mut from = from;
        while self.budget > 0 {
            let rest = self.file.get(from..)?;
            let at = from + rest.iter().position(|&byte| byte == BATCH)?;
            if self.makes_sense(at, seen) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }

    /// The time of the batch that begins at `at`, if one does.
    pub(super) fn batch_ticks(&self, at: usize) -> Option<i64> {
        self.file.get(at).filter(|&&byte| byte == BATCH)?;
        let batch = Records::resume(self.version, &self.file[at..], at as u64).next()?;
        Some(batch.ok()?.args[1] as i64)
    }

    /// Whether some records from `at` on make sense, or those up to the end of the file.
    pub(super) fn makes_sense(&mut self, at: usize, seen: &Seen) -> bool {
        self.make_sense(at, seen, true)
    }

    fn make_sense(&mut self, at: usize, seen: &Seen, may_end: bool) -> bool {
        let mut records = Records::resume(self.version, &self.file[at..], at as u64);
        for place in 0..RECORDS {
            let begin = records.offset() as usize;
            if !self.pay(begin) || self.is_too_long(begin) {
                return false;
            }
            match records.next() {
                None => return may_end,
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
