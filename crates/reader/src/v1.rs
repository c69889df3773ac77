//! Format v1: all workers at once, in order.
//!
//! ```text
//! file ─► index ─► cursors by worker ─► order ─► stream ─► checks, meanings ─► events
//!         tables,                       (state)  (time)
//!         samples
//! ```

mod checks;
mod cursor;
mod index;
mod meaning;
mod order;
mod stream;
mod whole;

use exectrace_format::go_v1::{EventType, Records};
use exectrace_format::{TaskId, ThreadId, Version, WorkerId};

use crate::event::{Event, EventType as AnyType};
use crate::reader::Contents;
use crate::tables::Tables;
use crate::{Error, Timestamp};
use checks::Checks;
use cursor::RawEvent;
use index::Index;
use meaning::{Meanings, Names};
use stream::Stream;

/// The events of a file of format v1, in order.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    file: &'a [u8],
    index: Index<'a>,
    tables: Tables<'a>,
    source: Source<'a>,
    checks: Checks,
    meanings: Meanings,
    /// The thread of each worker.
    threads: std::collections::HashMap<i64, ThreadId>,
    /// Ticks of the first event, from which times count.
    begin_ticks: Option<i64>,
    ns_per_tick: f64,
    ended: bool,
}

/// Where events come from.
#[derive(Debug)]
enum Source<'a> {
    Stream(Box<Stream<'a>>),
    Whole(std::vec::IntoIter<RawEvent<'a>>),
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a [u8], records: Records<'a>) -> Result<Self, Error> {
        let mut index = Index::read(records)?;
        let source = open(&mut index, file)?;
        let timer_tasks = std::mem::take(&mut index.timer_tasks);
        Ok(Self {
            file,
            tables: Tables::new(file),
            source,
            checks: Checks::new(index.version, timer_tasks),
            meanings: Meanings::default(),
            threads: std::collections::HashMap::new(),
            begin_ticks: None,
            ns_per_tick: 1e9 / index.ticks_per_second as f64,
            ended: false,
            index,
        })
    }

    pub(crate) fn tables(&self) -> &Tables<'a> {
        &self.tables
    }

    pub(crate) fn contents(&self) -> Contents {
        Contents {
            strings: self.index.strings.len() as u64,
            stacks: self.index.stacks.len() as u64,
            generations: None,
        }
    }

    /// The next event; `None` after the last one, and after an error.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Result<Event, Error>> {
        if self.ended {
            return None;
        }
        let next = match &mut self.source {
            Source::Stream(stream) => stream.next(),
            Source::Whole(events) => Ok(events.next()),
        };
        let event = match next {
            Ok(Some(event)) => self.event(&event),
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Err(error) => Err(error),
        };
        self.ended |= event.is_err();
        Some(event)
    }

    #[inline]
    fn event(&mut self, raw: &RawEvent<'a>) -> Result<Event, Error> {
        let mut names = Names {
            file: self.file,
            index: &mut self.index,
            tables: &mut self.tables,
        };
        let meaning = self.meanings.of(raw, &mut names);
        if let Err(cause) = self.checks.event(raw, meaning.name) {
            let mut error = Error::at(cause, raw.offset);
            error.task = (raw.owner != 0).then_some(TaskId(raw.owner));
            return Err(error);
        }
        if raw.event_type == EventType::ProcStart {
            self.threads.insert(raw.worker, ThreadId(raw.args[0]));
        }
        let begin_ticks = *self.begin_ticks.get_or_insert(raw.ticks);
        let ticks = raw.ticks.wrapping_sub(begin_ticks);
        Ok(Event {
            time: Timestamp((ticks as f64 * self.ns_per_tick) as i64),
            offset: raw.offset,
            task: TaskId(raw.before),
            worker: WorkerId(raw.worker),
            thread: self
                .threads
                .get(&raw.worker)
                .copied()
                .unwrap_or(ThreadId::NONE),
            stack: meaning.stack,
            event_type: AnyType::V1(plain(raw.event_type)),
            kind: meaning.kind,
        })
    }
}

fn open<'a>(index: &mut Index<'a>, file: &'a [u8]) -> Result<Source<'a>, Error> {
    if index.version == Version::Go1_5 {
        let events = whole::by_sequence(index, file)?;
        let events = whole::without_futile_wakeups(events);
        return Ok(Source::Whole(events.into_iter()));
    }
    let has_futile_wakeups = index.has_futile_wakeups;
    let mut stream = Stream::open(index, file)?;
    if !has_futile_wakeups {
        return Ok(Source::Stream(Box::new(stream)));
    }
    let mut events = Vec::new();
    while let Some(event) = stream.next()? {
        events.push(event);
    }
    let events = whole::without_futile_wakeups(events);
    Ok(Source::Whole(events.into_iter()))
}

/// The local forms are the plain types, whose sequence number goes without saying.
fn plain(event_type: EventType) -> EventType {
    match event_type {
        EventType::GoStartLocal => EventType::GoStart,
        EventType::GoUnblockLocal => EventType::GoUnblock,
        EventType::GoSysExitLocal => EventType::GoSysExit,
        other => other,
    }
}
