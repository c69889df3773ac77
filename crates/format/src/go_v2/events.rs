//! The events of a batch.

use super::{ARGS_MAX, EventType, Record};
use crate::error::Error;
use crate::role::Role;
use crate::varint::{self, VarintError};

/// Decodes the events of one batch, in their order.
///
/// As in Go's own reader, an event need not be of the header's version. An error is the last item:
/// an event has no length, so nobody knows where the next one begins.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The file's offset of the first byte.
    base: u64,
}

/// The types that may stand among events, with the number of their arguments.
static EVENTS: [Option<(EventType, u8)>; 256] = {
    let mut events = [None; 256];
    let mut i = 0;
    while i < EventType::ALL.len() {
        let event_type = EventType::ALL[i];
        let spec = event_type.spec();
        if spec.is_timed() && !matches!(spec.role, Role::Structure) {
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
            position: 0,
            base: offset,
        }
    }

    /// Where in the file the next event begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Decodes the next event into `record`, which spares its move. False at the end of the batch.
    ///
    /// # Errors
    ///
    /// As those of the iterator's items; what `record` holds then is not said.
    #[inline]
    pub fn advance(&mut self, record: &mut Record<'a>) -> Result<bool, Error> {
        let Some(&byte) = self.bytes.get(self.position) else {
            return Ok(false);
        };
        let decoded = self.event(byte, record);
        if decoded.is_err() {
            self.position = self.bytes.len();
        }
        decoded.map(|()| true)
    }

    #[inline]
    fn event(&mut self, byte: u8, record: &mut Record<'a>) -> Result<(), Error> {
        record.offset = self.offset();
        let Some((event_type, count)) = EVENTS[usize::from(byte)] else {
            return Err(self.no_event(byte));
        };
        record.event_type = event_type;
        let mut at = self.position + 1;
        (record.delta, at) = self.number(at)?;
        record.args = [0; ARGS_MAX];
        for arg in record.args.iter_mut().take(usize::from(count)) {
            (*arg, at) = self.number(at)?;
        }
        self.position = at;
        Ok(())
    }

    #[inline]
    fn number(&self, at: usize) -> Result<(u64, usize), Error> {
        varint::read(self.bytes, at).map_err(|fault| match fault {
            VarintError::Cut => Error::Cut {
                offset: self.offset(),
            },
            _ => Error::BadNumber {
                offset: self.base + at as u64,
            },
        })
    }

    #[cold]
    fn no_event(&self, number: u8) -> Error {
        let offset = self.offset();
        match EventType::from_number(number) {
            Some(_) => Error::NotAnEvent { offset, number },
            None => Error::UnknownType { offset, number },
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Result<Record<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Record::EMPTY;
        match self.advance(&mut record) {
            Ok(true) => Some(Ok(record)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl std::iter::FusedIterator for Events<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

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
}
