//! Format v2: generation by generation, each in order.
//!
//! ```text
//! file ─► framing ─► generation ─► cursors by thread ─► frontier ─► order ─► events
//!                      tables, samples                 (by time)  (by state)
//! ```

mod ahead;
mod clock;
mod coming;
mod cursor;
mod decoder;
mod demands;
mod framing;
mod frontier;
mod generation;
mod go_sort;
mod mend;
mod order;
mod piece;
mod plain;
mod range_rules;
mod refusal;
mod row;
mod run;
mod salvage;
mod stacks;
mod state;
mod task_rules;
mod told;
mod worker_rules;

use std::sync::Arc;
use std::thread::Scope;

use exectrace_format::go_v2::{EventType, Items};
use exectrace_format::{StackId, ThreadId, WorkerId};

use crate::damage::Damage;
use crate::event::{Event, EventType as AnyType, Kind};
use crate::reader::Contents;
use crate::tables::Tables;
use crate::{Cause, Error, Timestamp};
use ahead::Scout;
use coming::Coming;
use cursor::Cursor;
use decoder::Decoder;
use framing::Framing;
use frontier::Frontier;
use generation::{Generation, Sample};
use mend::Mender;
use order::{Order, Stuck, Tried, told_task};
use piece::Piece;
use told::Told;

/// The events of a file of format v2, in order.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    file: &'a [u8],
    coming: Arc<Piece<Box<Coming<'a>>>>,
    /// A second thread, if there is one.
    scout: Option<Scout<'a>>,
    tables: Tables<'a>,
    order: Order,
    open: Option<Open<'a>>,
    contents: Contents,
    /// The number of the last generation that has begun.
    generation: Option<u64>,
    /// The time of the last event.
    last: Timestamp,
    /// What comes after the last sync.
    ended: Option<Result<(), Error>>,
    /// What is lost and repaired; `None` for a strict reader.
    damage: Option<Damage>,
}

/// The generation that is being read.
#[derive(Debug)]
struct Open<'a> {
    generation: Generation<'a>,
    frontier: Frontier<'a>,
    /// The next of its samples.
    sample: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a [u8], items: Items<'a>, damage: Option<Damage>) -> Self {
        let coming = Arc::new(Piece::idle());
        let framing = Framing::new(file, items);
        coming.ask(Box::new(Coming::new(framing, damage.is_some())));
        Self {
            file,
            coming,
            scout: None,
            tables: Tables::new(file),
            order: Order::new(),
            open: None,
            contents: Contents {
                generations: Some(0),
                ..Contents::default()
            },
            generation: None,
            last: Timestamp(0),
            ended: None,
            damage,
        }
    }

    /// From now on a second thread goes ahead.
    pub(crate) fn read_ahead(&mut self, scope: &'a Scope<'a, '_>) {
        self.scout = Some(Scout::start(scope));
    }

    pub(crate) fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    pub(crate) fn contents(&self) -> Contents {
        self.contents
    }

    pub(crate) fn tables(&self) -> &Tables<'a> {
        &self.tables
    }

    /// The number of the generation that is being read.
    pub(crate) fn generation(&self) -> Option<u64> {
        self.generation
    }

    /// Puts the next events in order, over those of `block`. Gives how many, and false when there are no more.
    pub(crate) fn fill(&mut self, block: &mut Vec<Event>) -> (usize, Result<bool, Error>) {
        let mut told = Told::new(block, self.last);
        let filled = self.tell(&mut told);
        self.last = told.last();
        (told.len(), filled)
    }

    fn tell(&mut self, told: &mut Told<'_>) -> Result<bool, Error> {
        if let Some(ended) = self.ended.take() {
            return ended.map(|()| false);
        }
        let Some(open) = &mut self.open else {
            return self.turn(told);
        };
        let mut is_open = true;
        while is_open && !told.is_full() {
            let stepped = open.step(&mut self.order, &mut self.tables, told);
            is_open = match stepped {
                Ok(is_open) => is_open,
                Err((index, stuck)) => match &mut self.damage {
                    None => return Err(open.fault(index, *stuck, &self.order, told)),
                    Some(damage) => {
                        let mut mender = Mender {
                            file: self.file,
                            order: &mut self.order,
                            tables: &mut self.tables,
                            damage,
                        };
                        open.mend(index, *stuck, &mut mender, told);
                        true
                    }
                },
            };
        }
        if let Some(damage) = &mut self.damage {
            open.tell_unnamed(damage);
        }
        if !is_open {
            self.open = None;
        }
        Ok(true)
    }

    /// From one generation to the next: a sync first, then what it brings.
    #[cold]
    fn turn(&mut self, told: &mut Told<'_>) -> Result<bool, Error> {
        if let Some(damage) = &mut self.damage {
            damage.go_on(None, self.last);
        }
        // It is always there: below it is asked for again.
        let Some(mut coming) = self.coming.take() else {
            return Ok(false);
        };
        let generation = coming.next(self.damage.as_mut());
        let has_begun = coming.framing.has_begun();
        self.coming.ask(coming);
        let time = match generation {
            Ok(Some(generation)) => {
                if let Some(scout) = &self.scout {
                    scout.ask(&self.coming);
                }
                let time = Timestamp(generation.clock.ns(generation.begin_units));
                self.enter(generation)?;
                time
            }
            Ok(None) => {
                let begun = u64::from(has_begun);
                self.contents.generations = self.contents.generations.map(|count| count + begun);
                self.ended = Some(Ok(()));
                self.last
            }
            Err(error) => {
                self.ended = Some(Err(error));
                self.last
            }
        };
        told.push(Event {
            time,
            ..Event::blank(AnyType::V2(EventType::Sync))
        });
        Ok(true)
    }

    /// Begins a generation.
    fn enter(&mut self, mut generation: Generation<'a>) -> Result<(), Error> {
        self.order.begin(generation.number);
        self.generation = Some(generation.number);
        self.contents.add(&generation);
        generation.recognise_stacks(&self.tables);
        let mut frontier = Frontier::default();
        for group in std::mem::take(&mut generation.groups) {
            let thread = group.thread;
            let place = (thread != ThreadId::NONE).then(|| self.order.thread(thread));
            let decoder = Decoder::new(group, generation.clock);
            let mut cursor = Cursor::new(thread, place, decoder);
            let has_events = match &mut self.damage {
                None => cursor
                    .advance()
                    .map_err(|error| error.in_generation(generation.number))?,
                Some(damage) => mend::advance(&mut cursor, generation.number, damage),
            };
            if has_events {
                frontier.push(cursor);
            }
        }
        self.open = Some(Open {
            generation,
            frontier,
            sample: 0,
        });
        Ok(())
    }
}

impl Contents {
    fn add(&mut self, generation: &Generation<'_>) {
        let (strings, stacks) = generation.table_sizes();
        self.strings += strings as u64;
        self.stacks += stacks as u64;
        self.generations = self.generations.map(|count| count + 1);
    }
}

impl<'a> Open<'a> {
    /// Lets a CPU sample happen, or events of threads that come before it. False when there are none.
    #[inline]
    fn step(
        &mut self,
        order: &mut Order,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<bool, (usize, Box<Stuck>)> {
        let time_ns = self.frontier.time_ns();
        let mut until_ns = i64::MAX;
        if let Some(&sample) = self.generation.samples.get(self.sample) {
            until_ns = sample.time_ns;
            if time_ns.is_none_or(|time_ns| sample.time_ns < time_ns) {
                self.sample += 1;
                let event = self.sample_event(sample, tables);
                told.push(event);
                return Ok(true);
            }
        }
        if time_ns.is_none() {
            return Ok(false);
        }
        let (frontier, generation) = (&mut self.frontier, &mut self.generation);
        let tried = order.run(frontier, until_ns, generation, tables, told);
        if tried.map_err(|stuck| (0, stuck))? == Tried::NotYet {
            self.step_aside(order, tables, told)?;
        }
        Ok(true)
    }

    /// The earliest event must wait: another thread's comes first.
    #[cold]
    fn step_aside(
        &mut self,
        order: &mut Order,
        tables: &mut Tables<'a>,
        told: &mut Told<'_>,
    ) -> Result<(), (usize, Box<Stuck>)> {
        let (frontier, generation) = (&mut self.frontier, &mut self.generation);
        frontier.sort();
        for index in 1..frontier.len() {
            let tried = order.run_one(frontier, index, generation, tables, told);
            if tried.map_err(|stuck| (index, stuck))? == Tried::Happened {
                return Ok(());
            }
        }
        Err((0, Box::new(Stuck::NoOrder)))
    }

    /// What a strict reader says of a thread whose events cannot go on.
    #[cold]
    fn fault(&mut self, index: usize, stuck: Stuck, order: &Order, told: &mut Told<'_>) -> Error {
        let cursor = self.frontier.get_mut(index);
        let error = match stuck {
            Stuck::Refused(cause) => order.named(cursor.error(*cause), cursor.place),
            Stuck::NoOrder => order.named(cursor.error(Cause::NoOrder), cursor.place),
            Stuck::Cut(error) => {
                // Go's reader looks at what comes next before it tells an event.
                told.take_back();
                *error
            }
        };
        error.in_generation(self.generation.number)
    }

    /// Unlike those of events these are not checked.
    fn sample_stack(&mut self, id: u64, tables: &mut Tables<'a>) -> StackId {
        let known = self.generation.known_stack(id, tables);
        known.unwrap_or_default()
    }

    fn sample_event(&mut self, sample: Sample, tables: &mut Tables<'a>) -> Event {
        let [thread, worker, task, stack] = sample.args;
        Event {
            time: Timestamp(sample.time_ns),
            offset: sample.offset,
            task: told_task(task),
            worker: WorkerId(worker as i64),
            thread: ThreadId(thread),
            stack: self.sample_stack(stack, tables),
            event_type: AnyType::V2(EventType::CPUSample),
            kind: Kind::Sample,
        }
    }
}
