//! Format v1: all workers at once, in order.
//!
//! ```text
//! file ─► index ─► cursors by worker ─► order ─► stream ─► checks, meanings ─► events
//!         tables,                       (state)  (time)
//!         samples
//! ```

mod account;
mod checks;
mod cursor;
mod index;
mod meaning;
mod order;
mod stream;
mod tolerant;
mod whole;

use exectrace_format::go_v1::{EventType, Records};
use exectrace_format::{StringId, TaskId, ThreadId, Version, WorkerId};

use crate::damage::Damage;
use crate::event::{Event, EventType as AnyType};
use crate::reader::{BLOCK_EVENTS, Contents};
use crate::tables::Tables;
use crate::{Cause, Error, Timestamp};
use account::Account;
use checks::Checks;
use cursor::RawEvent;
use index::Index;
use meaning::{Meanings, Names};
use stream::{Stream, Upcoming};

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
    threads: Vec<ThreadId>,
    /// Ticks of the first event, from which times count.
    begin_ticks: Option<i64>,
    /// Ticks of the event that was told last, for a tolerant reader.
    last_ticks: i64,
    ns_per_tick: f64,
    /// What is lost and repaired; `None` for a strict reader.
    damage: Option<Damage>,
}

/// Where events come from.
#[derive(Debug)]
enum Source<'a> {
    Stream(Box<Stream<'a>>),
    Whole(std::vec::IntoIter<RawEvent<'a>>),
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        file: &'a [u8],
        records: Records<'a>,
        damage: Option<Damage>,
    ) -> Result<Self, Error> {
        let mut damage = damage;
        let mut index = Index::read(file, records, damage.as_mut())?;
        let workers = index.workers.len();
        let mut tables = Tables::new(file);
        let meanings = Meanings::new(&mut tables);
        let ns_per_tick = 1e9 / index.ticks_per_second as f64;
        let mut threads = vec![ThreadId::NONE; workers];
        let source = match &mut damage {
            None => open(&mut index, file)?,
            Some(damage) => {
                let mut account = Account {
                    damage,
                    ns_per_tick,
                    threads: &mut threads,
                };
                tolerant::open(&mut index, file, &mut account)
            }
        };
        threads.fill(ThreadId::NONE);
        let timer_tasks = std::mem::take(&mut index.timer_tasks);
        Ok(Self {
            file,
            tables,
            source,
            checks: Checks::new(index.version, workers, timer_tasks),
            meanings,
            threads,
            begin_ticks: None,
            last_ticks: i64::MIN,
            ns_per_tick,
            index,
            damage,
        })
    }

    pub(crate) fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
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

    /// Appends the next events, in order. False when there are no more.
    pub(crate) fn fill(&mut self, told: &mut Vec<Event>) -> Result<bool, Error> {
        if self.damage.is_some() {
            return Ok(self.fill_tolerant(told));
        }
        let mut teller = Teller {
            names: Names {
                file: self.file,
                index: &mut self.index,
                tables: &mut self.tables,
            },
            checks: &mut self.checks,
            meanings: &mut self.meanings,
            threads: &mut self.threads,
            begin_ticks: &mut self.begin_ticks,
            ns_per_tick: self.ns_per_tick,
        };
        while told.len() < BLOCK_EVENTS {
            match &mut self.source {
                Source::Whole(events) => match events.next() {
                    Some(event) => teller.tell(&event, told)?,
                    None => return Ok(false),
                },
                Source::Stream(stream) => match stream.upcoming()? {
                    Some(Upcoming::Worker(index)) => loop {
                        teller.tell(stream.event(index), told)?;
                        let is_next = stream.take(index);
                        if !is_next || told.len() >= BLOCK_EVENTS {
                            break;
                        }
                    },
                    Some(Upcoming::Beside(event)) => teller.tell(&event, told)?,
                    None => return Ok(false),
                },
            }
        }
        Ok(true)
    }
}

/// What is needed to tell an event.
struct Teller<'r, 'a> {
    names: Names<'r, 'a>,
    checks: &'r mut Checks,
    meanings: &'r mut Meanings,
    threads: &'r mut [ThreadId],
    begin_ticks: &'r mut Option<i64>,
    ns_per_tick: f64,
}

impl<'a> Teller<'_, 'a> {
    /// Checks an event and appends what it means.
    #[inline]
    fn tell(&mut self, raw: &RawEvent<'a>, told: &mut Vec<Event>) -> Result<(), Error> {
        let name = self.push(raw, told);
        if let Err(cause) = self.checks.event(raw, name) {
            told.pop();
            return Err(fault(cause, raw));
        }
        Ok(())
    }

    /// Appends what an event means. The answer is a region's name. Always inlined, as [`Checks::event`].
    #[inline(always)]
    fn push(&mut self, raw: &RawEvent<'a>, told: &mut Vec<Event>) -> StringId {
        if raw.event_type == EventType::ProcStart {
            self.threads[raw.place] = ThreadId(raw.args[0]);
        }
        let begin_ticks = *self.begin_ticks.get_or_insert(raw.ticks);
        let ticks = raw.ticks.wrapping_sub(begin_ticks);
        let thread = self.threads.get(raw.place).copied();
        told.push(Event {
            time: Timestamp((ticks as f64 * self.ns_per_tick) as i64),
            offset: raw.offset,
            task: TaskId(raw.before),
            worker: WorkerId(raw.worker),
            thread: thread.unwrap_or(ThreadId::NONE),
            ..Event::blank(AnyType::V1(plain(raw.event_type)))
        });
        let last = told.len() - 1;
        self.meanings.tell(raw, &mut self.names, &mut told[last])
    }
}

#[cold]
fn fault(cause: Cause, raw: &RawEvent<'_>) -> Error {
    let mut error = Error::at(cause, raw.offset);
    error.task = (raw.owner != 0).then_some(TaskId(raw.owner));
    error
}

fn open<'a>(index: &mut Index<'a>, file: &'a [u8]) -> Result<Source<'a>, Error> {
    if index.version == Version::Go1_5 {
        let events = whole::by_sequence(index, file);
        whole::check_times(&events)?;
        let events = whole::without_futile_wakeups(events);
        return Ok(Source::Whole(events.into_iter()));
    }
    let has_futile_wakeups = index.has_futile_wakeups;
    let stream = Stream::open(index, file);
    if !has_futile_wakeups {
        return Ok(Source::Stream(Box::new(stream)));
    }
    let events = whole::without_futile_wakeups(stream.all()?);
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
