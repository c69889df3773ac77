//! What is decoded number by number, by whoever uses it at once.

use super::events::EVENTS;
use super::{Entries, EventType, Events};
use crate::Frame;
use crate::frames::Frames;
use crate::limits::V2_STACK_FRAMES_MAX;
use crate::varint;

/// An event that is not among the last of its batch, decoded as far as was asked for. A small value, which can stay in registers:
/// it is faster than [`Events::advance_short`] where an event is used at once.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::{Events, EventType};
///
/// let batch = [&[16, 5, 3, 2][..], &[0; 80]].concat();
/// let mut events = Events::new(&batch, 100);
/// let mut event = events.near().unwrap();
/// assert_eq!((event.event_type(), event.number()), (Some(EventType::GoStart), Some(5)));
/// assert!(event.is_whole());
/// assert_eq!(event.args(EventType::GoStart), Some([3, 2]));
/// events.go_on(event);
/// assert_eq!(events.offset(), 104);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NearEvent<'a> {
    bytes: &'a [u8; varint::NEAR_BYTES],
    /// What is decoded.
    at: usize,
}

impl<'a> Events<'a> {
    /// The next event, if it is not among the last of its batch.
    #[inline(always)]
    #[must_use]
    pub fn near(&self) -> Option<NearEvent<'a>> {
        let bytes = self.bytes.first_chunk()?;
        Some(NearEvent { bytes, at: 1 })
    }

    /// Goes on behind the numbers of the next event that were decoded: it must be all that it has.
    #[inline(always)]
    pub fn go_on(&mut self, event: NearEvent<'_>) {
        self.pass(event.at);
    }
}

impl NearEvent<'_> {
    /// Its type, whether it may stand among events or not; `None` if there is no such type.
    #[inline(always)]
    #[must_use]
    pub fn event_type(&self) -> Option<EventType> {
        EventType::from_number(self.bytes[0])
    }

    /// Whether what is left of it can be decoded. It can of some rare ones, too, of which this says no.
    #[inline(always)]
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let Some((_, count)) = EVENTS[usize::from(self.bytes[0])] else {
            return false;
        };
        varint::skip(self.bytes, self.at, usize::from(count)).is_some()
    }

    /// Its next number, if it has 32 bits at most. The first one is the time since the event before.
    #[inline(always)]
    pub fn number(&mut self) -> Option<u32> {
        let number;
        (number, self.at) = varint::read_near(self.bytes, self.at)?;
        Some(number)
    }

    /// Its arguments, which are so many as its type has; its time must have been decoded before.
    #[inline(always)]
    pub fn args<const N: usize>(&mut self, event_type: EventType) -> Option<[u32; N]> {
        debug_assert_eq!(event_type.spec().args.len(), N, "{event_type:?}");
        let mut args = [0; N];
        for arg in &mut args {
            *arg = self.number()?;
        }
        Some(args)
    }
}

/// A stack of a table, decoded frame by frame as far as was asked for: faster than [`Entries`]' records, for which its end must be
/// found before.
///
/// # Examples
///
/// ```
/// use exectrace_format::go_v2::Batch;
/// use exectrace_format::Version;
///
/// let data = b"\x02\x03\x07\x01\x09\x01\x02\x05\x03\x08\x00";
/// let mut entries = Batch { data, data_offset: 100, ..Batch::EMPTY }.entries(Version::Go1_26);
/// let mut stack = entries.near_stack().unwrap();
/// assert_eq!((stack.id(), stack.frames()), (7, 1));
/// assert_eq!(stack.skip_frame(), Some(9));
/// assert_eq!(stack.last_again().unwrap().line, 5);
/// entries.go_on(stack);
/// assert_eq!(entries.offset(), 108);
/// ```
#[derive(Clone, Debug)]
pub struct NearStack<'a> {
    id: u64,
    count: usize,
    frames: Frames<'a>,
}

impl<'a> Entries<'a> {
    /// The next entry, if it is a stack with so many frames as it may have.
    #[inline(always)]
    #[must_use]
    pub fn near_stack(&self) -> Option<NearStack<'a>> {
        let bytes = self.left();
        if !self.has_stacks() || bytes.first() != Some(&(EventType::Stack as u8)) {
            return None;
        }
        let (id, at) = varint::read(bytes, 1).ok()?;
        let (count, at) = varint::read(bytes, at).ok()?;
        let count = usize::try_from(count).ok()?;
        (count <= V2_STACK_FRAMES_MAX).then(|| NearStack {
            id,
            count,
            frames: Frames::new(&bytes[at..], Frames::NUMBERS_MAX),
        })
    }

    /// Goes on behind the frames of the next entry that were passed: they must be all that it has.
    #[inline(always)]
    pub fn go_on(&mut self, stack: NearStack<'_>) {
        self.pass(self.left().len() - stack.frames.left().len());
    }
}

impl NearStack<'_> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many frames it has.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.count
    }

    /// Passes the next frame, and decodes only its address. `None` if a number of it is longer than eight bytes or not whole. So
    /// many frames may be passed as there are.
    #[inline(always)]
    pub fn skip_frame(&mut self) -> Option<u64> {
        self.frames.skip_near()
    }

    /// The frame that was passed last; the first one if none was.
    #[inline]
    #[must_use]
    pub fn last_again(&self) -> Option<Frame> {
        self.frames.last_again()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go_v2::Batch;
    use crate::{Error, Version};
    use proptest::prelude::*;

    fn entries(data: &[u8]) -> Entries<'_> {
        let batch = Batch {
            data,
            ..Batch::EMPTY
        };
        batch.entries(Version::Go1_26)
    }

    /// The id of a stack, its frames, and where they end.
    type Stack = (u64, Vec<Frame>, u64);

    /// The next entry as it is passed on the way.
    fn passed(mut entries: Entries<'_>) -> Option<Stack> {
        let mut stack = entries.near_stack()?;
        let mut frames = Vec::new();
        for _ in 0..stack.frames() {
            let pc = stack.skip_frame()?;
            let frame = stack.last_again()?;
            assert_eq!(frame.pc, pc);
            frames.push(frame);
        }
        let id = stack.id();
        entries.go_on(stack);
        Some((id, frames, entries.offset()))
    }

    /// The same as the record has it.
    fn recorded(mut entries: Entries<'_>) -> Option<Result<Stack, Error>> {
        let record = entries.next()?;
        Some(record.map(|record| (record.args[0], record.frames().collect(), entries.offset())))
    }

    proptest! {
        #[test]
        fn a_stack_that_is_passed_is_the_one_that_is_recorded(
            frames in 0..4_u8,
            numbers in prop::collection::vec(prop_oneof![any::<u64>(), 0..300_u64], 0..20),
            cut in 0..100_usize,
            flip in (0..400_usize, 0..8),
        ) {
            let mut data = vec![EventType::Stacks as u8, EventType::Stack as u8, 7, frames];
            for number in numbers {
                varint::push(&mut data, number);
            }
            data.truncate(data.len().saturating_sub(cut).max(1));
            // Now and then one that is none.
            if let Some(byte) = data.get_mut(flip.0) {
                *byte ^= 1_u8 << flip.1;
            }
            let entries = entries(&data);
            if let Some(passed) = passed(entries.clone()) {
                prop_assert_eq!(recorded(entries), Some(Ok(passed)));
            }
        }

        #[test]
        fn stacks_of_usual_numbers_are_passed(
            frames in prop::collection::vec((0..1_u64 << 56, [0..1_u64 << 14, 0..1 << 14, 0..1 << 14]), 3),
        ) {
            let mut data = vec![EventType::Stacks as u8, EventType::Stack as u8, 7, 3];
            for (pc, others) in frames {
                for number in [&[pc][..], &others].concat() {
                    varint::push(&mut data, number);
                }
            }
            let entries = entries(&data);
            prop_assert!(passed(entries.clone()).is_some());
            prop_assert_eq!(passed(entries.clone()).map(Ok), recorded(entries));
        }
    }

    #[test]
    fn nothing_else_is_a_stack() {
        let strings = [EventType::Strings as u8, EventType::Stack as u8, 7, 0];
        assert!(entries(&strings).near_stack().is_none());
        let string = [EventType::Stacks as u8, EventType::String as u8, 7, 0];
        assert!(entries(&string).near_stack().is_none());
        let too_deep = [EventType::Stacks as u8, EventType::Stack as u8, 7, 0xff, 7];
        assert!(entries(&too_deep).near_stack().is_none());
        assert!(entries(&[]).near_stack().is_none());
    }
}
