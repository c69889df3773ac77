//! Files whose order or content needs all of their events at once: those of Go 1.5 and 1.6, and those with futile wakeups. None
//! is large: nothing has written them for years.

use std::collections::HashSet;

use exectrace_format::go_v1::EventType;

use super::account::Account;
use super::cursor::RawEvent;
use super::index::Index;
use super::stream::cursors;
use crate::id_map::IdMap;
use crate::{Cause, Error};

/// All events of a file of version 1.5, in the order of their sequence numbers.
pub(super) fn by_sequence<'a>(index: &mut Index<'a>, file: &'a [u8]) -> Vec<RawEvent<'a>> {
    let mut events = Vec::new();
    for mut cursor in cursors(index, file) {
        loop {
            let mut event = cursor.event();
            if event.event_type == EventType::GoSysExit {
                // It was written later than it happened.
                event.sequence = event.args[1] as i64;
                if event.args[2] != 0 {
                    event.ticks = event.args[2] as i64;
                }
            }
            events.push(event);
            if !cursor.advance() {
                break;
            }
        }
    }
    events.sort_by_key(|event| event.sequence);
    events
}

/// Checks that the order of the events is that of their times, too.
pub(super) fn check_times(events: &[RawEvent<'_>]) -> Result<(), Error> {
    match events.windows(2).find(|pair| pair[1].ticks < pair[0].ticks) {
        Some(pair) => Err(Error::at(Cause::TimeOrder, pair[1].offset)),
        None => Ok(()),
    }
}

/// Counts the events whose times have passed, which are told at that of an earlier event.
pub(super) fn count_skews(events: &[RawEvent<'_>], account: &mut Account<'_>) {
    let mut last_ticks = i64::MIN;
    for event in events {
        account.see(event);
        if event.ticks < last_ticks {
            let error = Error::at(Cause::TimeOrder, event.offset);
            account.skew(error, last_ticks.saturating_sub(event.ticks), event);
        }
        last_ticks = last_ticks.max(event.ticks);
    }
}

/// Takes out the wakes for nothing: from the unblock to the block, with all that stands between them of the task.
pub(super) fn without_futile_wakeups(events: Vec<RawEvent<'_>>) -> Vec<RawEvent<'_>> {
    #[derive(Default)]
    struct Wake {
        is_futile: bool,
        events: Vec<usize>,
    }
    let mut wakes: IdMap<Wake> = IdMap::default();
    let mut futile = HashSet::new();
    for (index, event) in events.iter().enumerate() {
        use EventType as E;
        match event.event_type {
            E::GoUnblock | E::GoUnblockLocal => {
                let wake = wakes.entry(event.args[0]).or_default();
                wake.events = vec![index];
            }
            E::GoStart | E::GoStartLocal | E::GoPreempt | E::FutileWakeup => {
                let wake = wakes.entry(event.owner).or_default();
                wake.events.push(index);
                wake.is_futile |= event.event_type == E::FutileWakeup;
            }
            E::GoBlock
            | E::GoBlockSend
            | E::GoBlockRecv
            | E::GoBlockSelect
            | E::GoBlockSync
            | E::GoBlockCond => {
                let wake = wakes.remove(&event.owner).unwrap_or_default();
                if wake.is_futile {
                    futile.insert(index);
                    futile.extend(wake.events);
                }
            }
            _ => {}
        }
    }
    let is_kept = |&(index, _): &(usize, RawEvent<'_>)| !futile.contains(&index);
    let kept = events.into_iter().enumerate().filter(is_kept);
    kept.map(|(_, event)| event).collect()
}
