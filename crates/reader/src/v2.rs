//! Format v2: generation by generation, each in order.
//!
//! ```text
//! file ─► framing ─► generation ─► cursors by thread ─► frontier ─► order ─► events
//!                      tables, samples                 (by time)  (by state)
//! ```

mod clock;
mod cursor;
mod framing;
mod frontier;
mod generation;
mod order;
mod range_rules;
mod state;
mod task_rules;
mod worker_rules;

use exectrace_format::go_v2::{EventType, Items};
use exectrace_format::{StackId, TaskId, ThreadId, WorkerId};

use crate::event::{Event, EventType as AnyType, Kind};
use crate::reader::Contents;
use crate::tables::Tables;
use crate::{Cause, Error, Timestamp};
use cursor::Cursor;
use framing::Framing;
use frontier::Frontier;
use generation::{Generation, Sample};
use order::{Order, Tried, told_task};

/// The events of a file of format v2, in order.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    framing: Framing<'a>,
    tables: Tables<'a>,
    order: Order,
    open: Option<Open<'a>>,
    contents: Contents,
    /// The time of the last event.
    last: Timestamp,
    /// The end of the events was told, in order or with an error that is still to come.
    ended: Option<Result<(), Error>>,
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
    pub(crate) fn new(file: &'a [u8], items: Items<'a>) -> Self {
        Self {
            framing: Framing::new(items),
            tables: Tables::new(file),
            order: Order::new(),
            open: None,
            contents: Contents {
                generations: Some(0),
                ..Contents::default()
            },
            last: Timestamp(0),
            ended: None,
        }
    }

    pub(crate) fn contents(&self) -> Contents {
        self.contents
    }

    pub(crate) fn tables(&self) -> &Tables<'a> {
        &self.tables
    }

    /// The next event; `None` after the last one, and after an error.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Result<Event, Error>> {
        if let Some(event) = self.order.take() {
            return Some(Ok(self.stamp(event)));
        }
        loop {
            let Some(open) = &mut self.open else {
                return self.turn();
            };
            let sample = open.generation.samples.get(open.sample).copied();
            let time_ns = open.frontier.time_ns();
            if let Some(sample) = sample
                && time_ns.is_none_or(|time_ns| sample.time_ns < time_ns)
            {
                open.sample += 1;
                let event = open.sample_event(sample, &mut self.tables);
                return Some(Ok(self.stamp(event)));
            }
            if open.frontier.is_empty() {
                self.open = None;
                continue;
            }
            if let Err(error) = open.step(&mut self.order, &mut self.tables) {
                let error = error.in_generation(open.generation.number);
                self.order.discard();
                self.open = None;
                self.ended = Some(Ok(()));
                return Some(Err(error));
            }
            if let Some(event) = self.order.take() {
                return Some(Ok(self.stamp(event)));
            }
        }
    }

    /// From one generation to the next: a sync first, then what it brings.
    #[cold]
    fn turn(&mut self) -> Option<Result<Event, Error>> {
        match self.ended.take() {
            None => {}
            Some(ended) => {
                self.ended = Some(Ok(()));
                return ended.err().map(Err);
            }
        }
        let time = match self.framing.next() {
            Ok(Some(generation)) => {
                let time = Timestamp(generation.clock.ns(generation.begin_units));
                if let Err(error) = self.enter(generation) {
                    self.ended = Some(Ok(()));
                    return Some(Err(error));
                }
                time
            }
            Ok(None) => {
                self.ended = Some(Ok(()));
                self.last
            }
            Err(error) => {
                self.ended = Some(Err(error));
                self.last
            }
        };
        let event = Event {
            time,
            offset: 0,
            task: TaskId(0),
            worker: WorkerId::NONE,
            thread: ThreadId::NONE,
            stack: StackId(0),
            event_type: AnyType::V2(EventType::Sync),
            kind: Kind::Sync,
        };
        Some(Ok(self.stamp(event)))
    }

    /// Begins a generation.
    fn enter(&mut self, mut generation: Generation<'a>) -> Result<(), Error> {
        self.order.begin(generation.number);
        self.contents.add(&generation);
        let mut frontier = Frontier::default();
        for group in std::mem::take(&mut generation.groups) {
            let place = (group.thread != ThreadId::NONE).then(|| self.order.thread(group.thread));
            let cursor = Cursor::open(group, place, generation.clock)
                .map_err(|error| error.in_generation(generation.number))?;
            if let Some(cursor) = cursor {
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

    /// The event with its time in the trace: later than all before it.
    #[inline]
    fn stamp(&mut self, mut event: Event) -> Event {
        if event.time <= self.last {
            event.time = Timestamp(self.last.0.wrapping_add(1));
        }
        self.last = event.time;
        event
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
    /// Lets one event happen.
    #[inline]
    fn step(&mut self, order: &mut Order, tables: &mut Tables<'a>) -> Result<(), Error> {
        if self.attempt(0, order, tables)? == Tried::Happened {
            return Ok(());
        }
        self.step_aside(order, tables)
    }

    /// The earliest event must wait: another thread's comes first.
    #[cold]
    fn step_aside(&mut self, order: &mut Order, tables: &mut Tables<'a>) -> Result<(), Error> {
        self.frontier.sort();
        for index in 1..self.frontier.len() {
            if self.attempt(index, order, tables)? == Tried::Happened {
                return Ok(());
            }
        }
        Err(self.error(0, Cause::NoOrder))
    }

    #[inline]
    fn attempt(
        &mut self,
        index: usize,
        order: &mut Order,
        tables: &mut Tables<'a>,
    ) -> Result<Tried, Error> {
        let clock = self.generation.clock;
        let cursor = self.frontier.get_mut(index);
        let tried = order.attempt(&cursor.next, cursor.place, &mut self.generation, tables);
        match tried {
            Ok(Tried::Happened) => {}
            Ok(Tried::NotYet) => return Ok(Tried::NotYet),
            Err(cause) => return Err(self.error(index, cause)),
        }
        if cursor.advance(clock)? {
            self.frontier.restore(index);
        } else {
            self.frontier.remove(index);
        }
        Ok(Tried::Happened)
    }

    #[cold]
    fn error(&mut self, index: usize, cause: Cause) -> Error {
        let cursor = self.frontier.get_mut(index);
        let next = &cursor.next;
        let task = task_rules::subject(next.event_type, &next.args);
        Error {
            cause,
            offset: next.offset,
            generation: Some(self.generation.number),
            thread: Some(cursor.thread),
            task,
        }
    }

    fn sample_event(&mut self, sample: Sample, tables: &mut Tables<'a>) -> Event {
        let [thread, worker, task, stack] = sample.args;
        Event {
            time: Timestamp(sample.time_ns),
            offset: sample.offset,
            task: told_task(task),
            worker: WorkerId(worker as i64),
            thread: ThreadId(thread),
            // Unlike those of events these are not checked.
            stack: self.generation.stack(stack, tables).unwrap_or_default(),
            event_type: AnyType::V2(EventType::CPUSample),
            kind: Kind::Sample,
        }
    }
}
