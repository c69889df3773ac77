//! An event that is decoded number by number, by whoever knows what its type has.

use super::{EventType, Events};
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
