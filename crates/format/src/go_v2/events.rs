//! The events of a batch.

use super::{ARGS_MAX, EventType, Record};
use crate::error::Error;
use crate::limits::V2_EVENT_ARGS_MAX;
use crate::role::Role;
use crate::varint::{self, VarintError};

/// Decodes the events of one batch, in their order.
///
/// As in Go's own reader, an event need not be of the header's version. An error is the last item:
/// an event has no length, so nobody knows where the next one begins.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    /// What is not decoded yet.
    pub(super) bytes: &'a [u8],
    /// The file's offset of its end.
    end: u64,
}

/// An event as numbers, to decode the next one into: what [`Record`] has of an event, and no more.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Events, EventType, RawEvent};
///
/// let mut events = Events::new(&[16, 5, 3, 2, 17, 1], 100);
/// let mut event = RawEvent::EMPTY;
/// assert!(events.advance(&mut event)?);
/// assert_eq!((event.event_type, event.delta, event.args), (EventType::GoStart, 5, [3, 2, 0, 0]));
/// assert!(events.advance(&mut event)?);
/// assert_eq!((event.event_type, event.offset), (EventType::GoDestroy, 104));
/// assert!(!events.advance(&mut event)?);
/// # Ok::<(), exectrace_format::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawEvent {
    /// Where it begins in the file.
    pub offset: u64,
    /// The time since the event before.
    pub delta: u64,
    /// The arguments in the order of the table, then zeros.
    pub args: [u64; V2_EVENT_ARGS_MAX],
    /// Its type.
    pub event_type: EventType,
}

impl RawEvent {
    /// One to decode into: no event of a file.
    pub const EMPTY: Self = Self {
        offset: 0,
        delta: 0,
        args: [0; V2_EVENT_ARGS_MAX],
        event_type: EventType::EventBatch,
    };
}

/// An event whose numbers are all small, as most are, in as few bytes as can be: where many wait, and where they pass from one
/// processor to another.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Events, EventType, ShortEvent};
///
/// let batch = [&[16, 5, 3, 2][..], &[0; 80]].concat();
/// let mut event = ShortEvent::EMPTY;
/// assert!(Events::new(&batch, 100).advance_short(&mut event));
/// assert_eq!((event.event_type, event.delta, event.args, event.length_bytes), (EventType::GoStart, 5, [3, 2, 0, 0], 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortEvent {
    /// The time since the event before.
    pub delta: u32,
    /// The arguments in the order of the table, then zeros.
    pub args: [u32; V2_EVENT_ARGS_MAX],
    /// Its type.
    pub event_type: EventType,
    /// How long it is in the file.
    pub length_bytes: u8,
}

impl ShortEvent {
    /// One to decode into: no event of a file.
    pub const EMPTY: Self = Self {
        delta: 0,
        args: [0; V2_EVENT_ARGS_MAX],
        event_type: EventType::EventBatch,
        length_bytes: 0,
    };
}

/// The types that may stand among events, with the number of their arguments.
pub(super) static EVENTS: [Option<(EventType, u8)>; 256] = {
    let mut events = [None; 256];
    let mut i = 0;
    while i < EventType::ALL.len() {
        let event_type = EventType::ALL[i];
        let spec = event_type.spec();
        if spec.is_timed() && !matches!(spec.role, Role::Structure) {
            assert!(spec.args.len() <= V2_EVENT_ARGS_MAX);
            events[event_type as usize] = Some((event_type, spec.args.len() as u8));
        }
        i += 1;
    }
    events
};

impl<'a> Events<'a> {
    /// The events in the data of a batch, which begins at `offset` in the file.
    #[must_use]
    pub fn new(data: &'a [u8], offset: u64) -> Self {
        Self {
            bytes: data,
            end: offset.wrapping_add(data.len() as u64),
        }
    }

    /// Where in the file the next event begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.end.wrapping_sub(self.bytes.len() as u64)
    }

    /// Decodes the next event into `event`, where nothing is left of an earlier one, if it is one whose numbers are all small, and
    /// not among the last of its batch. Else gives false and stays where it is: then [`Self::advance`] has to look.
    // As a call it would keep its place in memory.
    #[inline(always)]
    pub fn advance_short(&mut self, event: &mut ShortEvent) -> bool {
        let near = self.bytes.first_chunk();
        match near.and_then(|near| decode_short(near, event)) {
            Some(length) => {
                self.pass(length);
                true
            }
            None => false,
        }
    }

    /// Decodes the next event into `event`, where nothing is left of an earlier one. False at the end of the batch.
    ///
    /// # Errors
    ///
    /// As those of the iterator's items; then `event` holds the offset of what is none, and what else is not said.
    // As a call it would keep its place in memory.
    #[inline(always)]
    pub fn advance(&mut self, event: &mut RawEvent) -> Result<bool, Error> {
        let Some(&byte) = self.bytes.first() else {
            return Ok(false);
        };
        match decode(self.bytes, self.offset(), byte, event) {
            Ok(length) => {
                self.pass(length);
                Ok(true)
            }
            Err(error) => {
                self.pass(self.bytes.len());
                Err(error)
            }
        }
    }

    /// Goes on behind so many bytes.
    #[inline(always)]
    pub(super) fn pass(&mut self, length: usize) {
        self.bytes = self.bytes.get(length..).unwrap_or_default();
    }
}

/// Decodes the event that the bytes begin with, if it is one of the usual ones. Gives its length.
#[inline(always)]
fn decode_short(bytes: &[u8; varint::NEAR_BYTES], event: &mut ShortEvent) -> Option<usize> {
    let (event_type, count) = EVENTS[usize::from(bytes[0])]?;
    event.event_type = event_type;
    let mut at = 1;
    (event.delta, at) = varint::read_near(bytes, at)?;
    event.args = [0; V2_EVENT_ARGS_MAX];
    for (index, arg) in event.args.iter_mut().enumerate() {
        if index >= usize::from(count) {
            break;
        }
        (*arg, at) = varint::read_near(bytes, at)?;
    }
    // Five numbers of five bytes and a byte, at most.
    event.length_bytes = at as u8;
    Some(at)
}

/// Decodes the event at `offset`, which the bytes begin with, the first of them being `byte`. Gives its length.
#[inline]
fn decode(bytes: &[u8], offset: u64, byte: u8, event: &mut RawEvent) -> Result<usize, Error> {
    event.offset = offset;
    let Some((event_type, count)) = EVENTS[usize::from(byte)] else {
        return Err(no_event(byte, offset));
    };
    let number =
        |at| varint::read(bytes, at).map_err(|fault| bad_number(fault, offset, offset + at as u64));
    event.event_type = event_type;
    event.args = [0; V2_EVENT_ARGS_MAX];
    let mut at = 1;
    (event.delta, at) = number(at)?;
    for arg in event.args.iter_mut().take(usize::from(count)) {
        (*arg, at) = number(at)?;
    }
    Ok(at)
}

#[cold]
fn no_event(number: u8, offset: u64) -> Error {
    match EventType::from_number(number) {
        Some(_) => Error::NotAnEvent { offset, number },
        None => Error::UnknownType { offset, number },
    }
}

/// A fault in a number at `at` of the event at `offset`.
#[cold]
fn bad_number(fault: VarintError, offset: u64, at: u64) -> Error {
    match fault {
        VarintError::Cut => Error::Cut { offset },
        _ => Error::BadNumber { offset: at },
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Record<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let mut event = RawEvent::EMPTY;
        match self.advance(&mut event) {
            Ok(true) => {
                let mut args = [0; ARGS_MAX];
                args[..V2_EVENT_ARGS_MAX].copy_from_slice(&event.args);
                Some(Ok(Record {
                    offset: event.offset,
                    event_type: event.event_type,
                    delta: event.delta,
                    args,
                    rest: &[],
                }))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl std::iter::FusedIterator for Events<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(data: &[u8], good: usize, expect: Option<Error>) {
        let mut events = Events::new(data, 100);
        for _ in 0..good {
            assert!(matches!(events.next(), Some(Ok(_))));
        }
        assert_eq!(events.next(), expect.map(Err));
        assert_eq!(events.next(), None);
    }

    #[test]
    fn each_fault_has_its_error() {
        check(&[17, 1, 16, 1, 2, 3], 2, None);
        check(&[17, 1, 16, 1, 2], 1, Some(Error::Cut { offset: 102 }));
        check(
            &[17, 1, 5],
            1,
            Some(Error::NotAnEvent {
                offset: 102,
                number: 5,
            }),
        );
        check(
            &[51, 1, 2, 3, 4],
            0,
            Some(Error::NotAnEvent {
                offset: 100,
                number: 51,
            }),
        );
        check(
            &[53],
            0,
            Some(Error::UnknownType {
                offset: 100,
                number: 53,
            }),
        );
        check(
            &[137],
            0,
            Some(Error::UnknownType {
                offset: 100,
                number: 137,
            }),
        );
        let overlong = [&[16, 1][..], &[0xff; 10]].concat();
        check(&overlong, 0, Some(Error::BadNumber { offset: 102 }));
    }

    proptest! {
        #[test]
        fn what_is_said_to_be_whole_can_be_decoded(
            first in prop_oneof![9..52_u8, any::<u8>()],
            delta in any::<u32>(),
            args in prop::collection::vec(prop_oneof![0..3_u8, 0x80..=0xff_u8], 40),
            small in any::<bool>(),
        ) {
            let mut data = vec![first];
            varint::push(&mut data, delta.into());
            data.extend(args.iter().map(|byte| if small { byte & 0x7f } else { *byte }));
            data.extend([0; 40]);
            let mut events = Events::new(&data, 100);
            let mut event = events.near().unwrap();
            prop_assert_eq!(event.number(), Some(delta));
            let is_whole = event.is_whole();
            let decoded = events.next().unwrap();
            prop_assert!(decoded.is_ok() || !is_whole);
            // Numbers of a byte are the usual ones.
            prop_assert!(decoded.is_err() || !small || is_whole);
        }

        #[test]
        fn an_event_is_the_same_wherever_its_batch_ends(
            data in prop::collection::vec(prop_oneof![9..52_u8, 0..=1_u8, 0x80..=0xff_u8], 0..60),
        ) {
            let long = [&data[..], &[0; 80]].concat();
            let mut near = Events::new(&long, 100);
            for far in Events::new(&data, 100).map_while(Result::ok) {
                let mut short = ShortEvent::EMPTY;
                let before = near.offset();
                if let Some(mut event) = near.near() {
                    prop_assert_eq!(event.event_type(), Some(far.event_type));
                    let count = far.event_type.spec().args.len();
                    let numbers: Option<Vec<u32>> = (0..=count).map(|_| event.number()).collect();
                    let mut after = near.clone();
                    prop_assert_eq!(numbers.is_some(), after.advance_short(&mut short));
                    if let Some(numbers) = numbers {
                        prop_assert_eq!((short.delta, &short.args[..count]), (numbers[0], &numbers[1..]));
                        let mut passed = near.clone();
                        passed.go_on(event);
                        prop_assert_eq!(passed.offset(), after.offset());
                    }
                }
                if near.advance_short(&mut short) {
                    prop_assert_eq!(near.offset() - before, u64::from(short.length_bytes));
                    prop_assert_eq!((before, short.event_type), (far.offset, far.event_type));
                    prop_assert_eq!(u64::from(short.delta), far.delta);
                    prop_assert_eq!(&short.args.map(u64::from), &far.args[..V2_EVENT_ARGS_MAX]);
                } else {
                    prop_assert_eq!(near.next(), Some(Ok(far)));
                }
            }
        }
    }
}
