//! An event that is decoded number by number, by whoever knows what its type has.

use crate::go_v1::EventType;
use crate::varint;

/// An event that is not among the last of its bytes, decoded as far as was asked for. A small value, which can stay in registers:
/// it is faster than [`PlainEvents::advance`](super::PlainEvents::advance) where an event is used at once.
///
/// # Examples
///
/// ```
/// use exectrace_format::Version;
/// use exectrace_format::go_v1::{Event, EventType, GoStart, Records};
/// use exectrace_format::{Seq, TaskId};
///
/// let mut bytes = Vec::new();
/// GoStart { task: TaskId(3), seq: Seq(2) }.append(7, &mut bytes);
/// bytes.extend([0; 80]);
/// let mut events = Records::resume(Version::Go1_19, &bytes, 100).plain_ones();
/// let mut event = events.near().unwrap();
/// assert_eq!((event.event_type(), event.number()), (Some(EventType::GoStart), Some(7)));
/// assert_eq!(event.args(), Some([3, 2]));
/// events.go_on(event);
/// assert_eq!(events.offset(), 104);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NearEvent<'a> {
    bytes: &'a [u8; varint::NEAR_BYTES],
    /// What is decoded.
    at: usize,
}

impl<'a> NearEvent<'a> {
    #[inline(always)]
    pub(super) fn of(bytes: &'a [u8; varint::NEAR_BYTES]) -> Self {
        // A length may stand before the numbers.
        let at = 1 + usize::from(bytes[0] >> 6 == 3);
        Self { bytes, at }
    }

    /// Its type, whether it is an event or another record; `None` if there is no such type.
    #[inline(always)]
    #[must_use]
    pub fn event_type(&self) -> Option<EventType> {
        EventType::from_number(self.bytes[0] & 0x3f)
    }

    /// Its next number, if it has 32 bits at most. The first one is the time since the record before.
    #[inline(always)]
    pub fn number(&mut self) -> Option<u32> {
        let number;
        (number, self.at) = varint::read_near(self.bytes, self.at)?;
        Some(number)
    }

    /// Its arguments, if it is written as an event with so many is and each has 32 bits at most; its time must have been decoded
    /// before. What stands behind the arguments of a log is not decoded.
    #[inline(always)]
    pub fn args<const N: usize>(&mut self) -> Option<[u32; N]> {
        if usize::from(self.bytes[0] >> 6) != N.min(3) {
            return None;
        }
        let mut args = [0; N];
        for arg in &mut args {
            *arg = self.number()?;
        }
        let is_whole = N < 3 || self.at == 2 + usize::from(self.bytes[1]);
        is_whole.then_some(args)
    }

    /// How many bytes of it are decoded.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::super::Records;
    use super::*;
    use crate::go_v1::{ARGS_MAX, Record};
    use crate::spec::Shape;
    use crate::version::Version;
    use proptest::prelude::*;

    const VERSION: Version = Version::Go1_21;

    /// Decodes an event of a type of so many arguments: its time and these, and how many bytes that took.
    fn decode(event: NearEvent<'_>, count: usize) -> Option<(Vec<u32>, usize)> {
        let mut event = event;
        let mut numbers = vec![event.number()?];
        match count {
            0 => numbers.extend(event.args::<0>()?),
            1 => numbers.extend(event.args::<1>()?),
            2 => numbers.extend(event.args::<2>()?),
            3 => numbers.extend(event.args::<3>()?),
            _ => numbers.extend(event.args::<4>()?),
        }
        Some((numbers, event.length()))
    }

    fn is_plain(event_type: EventType) -> bool {
        event_type.spec().shape == Shape::Timed
    }

    proptest! {
        #[test]
        fn what_a_recorder_writes_is_decoded(numbers: [u32; 1 + ARGS_MAX], shift in 0..32_u32) {
            for &event_type in EventType::ALL.iter().filter(|event_type| is_plain(**event_type)) {
                let numbers = numbers.map(|number| number >> shift);
                let [delta, args @ ..] = numbers.map(u64::from);
                let record = Record { offset: 0, event_type, sequence: 0, delta, args, rest: &[] };
                let mut bytes = Vec::new();
                record.append(VERSION, &mut bytes);
                let length = bytes.len();
                bytes.extend([0; varint::NEAR_BYTES]);
                let event = Records::resume(VERSION, &bytes, 0).plain_ones().near().unwrap();
                prop_assert_eq!(event.event_type(), Some(event_type));
                let count = event_type.spec().args.len();
                prop_assert_eq!(decode(event, count), Some((numbers[..=count].to_vec(), length)));
            }
        }

        #[test]
        fn what_is_decoded_is_a_record(
            first: u8,
            others in prop::collection::vec(prop_oneof![0..8_u8, 0x80..=0xff_u8], 0..20),
        ) {
            let bytes = [&[first][..], &others, &[0; varint::NEAR_BYTES]].concat();
            let mut records = Records::resume(VERSION, &bytes, 0);
            let event = records.plain_ones().near().unwrap();
            if let Some(event_type) = event.event_type().filter(|event_type| is_plain(*event_type)) {
                let count = event_type.spec().args.len();
                if let Some((numbers, length)) = decode(event, count) {
                    let record = records.next().unwrap().unwrap();
                    prop_assert_eq!(record.event_type, event_type);
                    let expect: Vec<u64> = [&[record.delta], &record.args[..count]].concat();
                    prop_assert_eq!(numbers.into_iter().map(u64::from).collect::<Vec<_>>(), expect);
                    prop_assert_eq!(length as u64, records.offset());
                }
            }
        }
    }
}
