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
mod rules;
mod stream;
mod task;
mod teller;
mod tolerant;
mod whole;

use exectrace_format::go_v1::Records;
use exectrace_format::{ThreadId, Version};

use crate::Error;
use crate::block::Block;
use crate::damage::Damage;
use crate::event::Event;
use crate::reader::Contents;
use crate::tables::Tables;
use account::Account;
use checks::Checks;
use cursor::RawEvent;
use index::Index;
use meaning::{Meanings, Names};
use stream::{Stream, Upcoming};
use task::Tasks;
use teller::Teller;

/// The events of a file of format v1, in order.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    source: Source<'a>,
    teller: Teller<'a>,
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
        let meanings = Meanings::new(&mut tables, index.strings.are_of_exectrace);
        let ns_per_tick = 1e9 / index.ticks_per_second as f64;
        let mut threads = vec![ThreadId::NONE; workers];
        let mut tasks = Checks::first_tasks();
        let source = match &mut damage {
            None => open(&mut index, file, &mut tasks)?,
            Some(damage) => {
                let mut account = Account {
                    damage,
                    ns_per_tick,
                    threads: &mut threads,
                };
                tolerant::open(&mut index, file, &mut tasks, &mut account)
            }
        };
        threads.fill(ThreadId::NONE);
        let timer_tasks = std::mem::take(&mut index.timer_tasks);
        let teller = Teller {
            tasks,
            checks: Checks::new(index.version, workers, timer_tasks),
            meanings,
            threads,
            begin_ticks: None,
            last_ticks: i64::MIN,
            ns_per_tick,
            names: Names {
                file,
                index,
                tables,
            },
        };
        Ok(Self {
            source,
            teller,
            damage,
        })
    }

    pub(crate) fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    pub(crate) fn tables(&self) -> &Tables<'a> {
        &self.teller.names.tables
    }

    pub(crate) fn contents(&self) -> Contents {
        let index = &self.teller.names.index;
        Contents {
            strings: index.strings.len() as u64,
            stacks: index.stacks.len() as u64,
            generations: None,
        }
    }

    /// Puts the next events of all into the block: how many there were, and whether there may be more.
    pub(crate) fn fill(&mut self, block: &mut Vec<Event>) -> (usize, Result<bool, Error>) {
        let mut told = Block::new(block);
        let filled = self.tell_many(&mut told);
        (told.len(), filled)
    }

    fn tell_many(&mut self, told: &mut Block<'_>) -> Result<bool, Error> {
        while !told.is_full() {
            let upcoming = match &mut self.source {
                Source::Whole(events) => events.next().map(Upcoming::Beside),
                Source::Stream(stream) => match &mut self.damage {
                    None => stream.upcoming(&mut self.teller.tasks)?,
                    Some(damage) => {
                        let mut account = Account {
                            damage,
                            ns_per_tick: self.teller.ns_per_tick,
                            threads: &mut self.teller.threads,
                        };
                        stream.upcoming_any(&mut self.teller.tasks, &mut account)
                    }
                },
            };
            match (upcoming, &mut self.source) {
                (None, _) => return Ok(false),
                (Some(Upcoming::Beside(event)), _) => self.tell(&event, told)?,
                (Some(Upcoming::Worker(index)), Source::Stream(stream)) => {
                    if stream.run(index, &mut self.teller, told) {
                        continue;
                    }
                    let event = stream.event(index);
                    stream.take(index, &mut self.teller.tasks);
                    self.tell(&event, told)?;
                }
                (Some(Upcoming::Worker(_)), Source::Whole(_)) => {}
            }
        }
        Ok(true)
    }

    /// Checks an event and appends what it means. A tolerant reader does what it can if it does not fit.
    fn tell(&mut self, event: &RawEvent<'a>, told: &mut Block<'_>) -> Result<(), Error> {
        match &mut self.damage {
            None => self.teller.tell(event, told),
            Some(damage) => {
                self.teller.tell_any(damage, event, told);
                Ok(())
            }
        }
    }
}

fn open<'a>(index: &mut Index<'a>, file: &'a [u8], tasks: &mut Tasks) -> Result<Source<'a>, Error> {
    if index.version == Version::Go1_5 {
        let events = whole::by_sequence(index, file);
        whole::check_times(&events)?;
        let events = whole::without_futile_wakeups(events);
        return Ok(Source::Whole(events.into_iter()));
    }
    let has_futile_wakeups = index.has_futile_wakeups;
    let stream = Stream::open(index, file, tasks);
    if !has_futile_wakeups {
        return Ok(Source::Stream(Box::new(stream)));
    }
    let events = whole::without_futile_wakeups(stream.all(tasks)?);
    Ok(Source::Whole(events.into_iter()))
}
