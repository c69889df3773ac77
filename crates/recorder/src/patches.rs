//! Open stops: events whose kind and stack are settled when the leaves' stacks have been looked at.

use exectrace_format::go_v1::EventType;

use crate::batch::{Counts, Patch};
use crate::block_reason::{BlockReason, LeafClass, code, weigh};
use crate::lane_writer::{PADDED_BYTES, write_padded};
use crate::stack_frames::StackFrames;

/// Settles the open stops of a batch in its records and counts.
pub(crate) fn apply(
    patches: &[Patch],
    records: &mut [u8],
    counts: &mut Counts,
    frames: &StackFrames,
) {
    for patch in patches {
        let stacks = &patch.stacks[..(patch.stacks_len as usize).min(patch.stacks.len())];
        let codes = stacks.iter().map(|&stack| match frames.class(stack) {
            code::UNKNOWN => code::of(LeafClass::Waits(BlockReason::Other)),
            class => class,
        });
        let Some(verdict) = weigh(codes) else {
            continue;
        };
        let event_type = match verdict.class {
            LeafClass::Waits(reason) => reason.event_type(),
            // The task's word says that it waits, and its next start comes after an unblock: a yield is told as a wait.
            LeafClass::Yields | LeafClass::Timer => EventType::GoBlock,
        };
        settle(
            records,
            patch.offset as usize,
            event_type,
            stacks[verdict.leaf],
        );
        counts[EventType::GoBlock as usize] -= 1;
        counts[event_type as usize] += 1;
    }
}

/// Sets type and stack of the record at `offset`.
fn settle(records: &mut [u8], offset: usize, event_type: EventType, stack: u32) {
    records[offset] = (records[offset] & !63) | event_type as u8;
    let mut at = offset + 1;
    // The time.
    while records[at] >= 0x80 {
        at += 1;
    }
    at += 1;
    write_padded(&mut records[at..at + PADDED_BYTES], stack);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_record_has_its_type_and_stack() {
        // A GoBlock with a two-byte time and an open stack, between other bytes.
        let mut records = vec![9, 20 | 1 << 6, 0x85, 0x01, 0x80, 0x80, 0x80, 0x80, 0x00, 9];
        settle(&mut records, 1, EventType::GoSleep, 300);
        assert_eq!(
            records,
            [9, 19 | 1 << 6, 0x85, 0x01, 0xac, 0x82, 0x80, 0x80, 0x00, 9]
        );
    }
}
