//! The records that have a form of their own: strings, stacks and the messages of logs.

use super::Records;
use crate::error::Error;
use crate::go_v1::{EventType, Record, frame_numbers};
use crate::limits::{V1_STACK_FRAMES_MAX, V1_STRING_BYTES_MAX};
use crate::varint;

impl<'a> Records<'a> {
    /// Decodes a stack: id, count and frames, all of which are counted here.
    pub(super) fn stack(&mut self) -> Result<Record<'a>, Error> {
        let start = self.position;
        let payload = self.payload()?;
        let wrong_length = |records: &Self| records.wrong_length(start, payload);
        let mut at = 0;
        let mut numbers = 0_u64;
        let mut heads = [0; 2];
        let mut frames_at = 0;
        while at < payload.len() {
            let (number, next) =
                varint::read_wrapping(payload, at).map_err(|_| wrong_length(self))?;
            at = next;
            if let Some(head) = heads.get_mut(numbers as usize) {
                *head = number;
                frames_at = at;
            }
            numbers += 1;
        }
        let [id, frames] = heads;
        let offset = self.offset_of(start);
        if frames > V1_STACK_FRAMES_MAX as u64 {
            return Err(Error::StackTooDeep { offset, frames });
        }
        let want = 2 + frames * frame_numbers(self.version) as u64;
        if numbers != want {
            let number = EventType::Stack as u8;
            return Err(Error::WrongCount {
                offset,
                number,
                want,
                got: numbers,
            });
        }
        let args = [id, 0, 0, 0];
        let rest = &payload[frames_at..];
        Ok(Record {
            offset,
            event_type: EventType::Stack,
            sequence: 0,
            delta: 0,
            args,
            rest,
        })
    }

    /// Decodes a string: id, length and text.
    pub(super) fn string(&mut self) -> Result<Record<'a>, Error> {
        let offset = self.offset();
        let mut at = self.position + 1;
        let id = self.number(&mut at)?;
        let length_bytes = self.number(&mut at)?;
        let text = self.bytes_at(at, length_bytes).ok_or(Error::Cut { offset });
        let too_long = length_bytes > V1_STRING_BYTES_MAX as u64;
        if let Ok(text) = text {
            self.position = at + text.len();
        }
        match (id, length_bytes, text) {
            (0, ..) => Err(Error::StringIdZero { offset }),
            (_, 0, _) => Err(Error::StringEmpty { offset }),
            _ if too_long => Err(Error::StringTooLong {
                offset,
                length_bytes,
            }),
            (_, _, text) => {
                let args = [id, 0, 0, 0];
                let event_type = EventType::String;
                Ok(Record {
                    offset,
                    event_type,
                    sequence: 0,
                    delta: 0,
                    args,
                    rest: text?,
                })
            }
        }
    }

    /// Decodes the message after a log. A fault in it does not cost the log.
    pub(super) fn message(&mut self) -> &'a [u8] {
        let start = self.position;
        let offset = self.offset_of(start);
        let mut at = start;
        let fault = match self.number(&mut at) {
            Ok(length_bytes) => match self.bytes_at(at, length_bytes) {
                Some(message) => {
                    self.position = at + message.len();
                    if message.len() <= V1_STRING_BYTES_MAX {
                        return message;
                    }
                    Error::StringTooLong {
                        offset,
                        length_bytes,
                    }
                }
                None if length_bytes > V1_STRING_BYTES_MAX as u64 => {
                    self.position = self.bytes.len();
                    Error::StringTooLong {
                        offset,
                        length_bytes,
                    }
                }
                None => {
                    self.position = self.bytes.len();
                    Error::MessageCut { offset }
                }
            },
            Err(fault) => {
                self.position = self.bytes.len();
                match fault {
                    Error::Cut { .. } => Error::MessageCut { offset },
                    fault => fault,
                }
            }
        };
        self.pending = Some(fault);
        &[]
    }
}
