//! Tells the thread that fills the timeline what a trace has, while it is read.

use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, RwLock};
use std::thread::JoinHandle;
use std::{io, mem, panic, thread};

use exectrace_analysis::{Analysis, Context, Interval, MarkingTimes};
use exectrace_reader::{Event, EventType, Kind, Range, Timestamp, UserTaskId};

use super::Timeline;
use super::filling;
use super::lot::{Last, Lot, Teller, ThreadNames};

/// What a recording says of itself stands in logs of no user task with such keys.
const DESCRIPTION: &[u8] = b"exectrace.";

/// So many intervals are put into the timeline at once: whoever draws waits for no longer than that takes.
const INTERVALS_A_LOT: usize = 1_024;

/// So many lots may wait to be put there, or whoever reads does.
const LOTS_MAX: usize = 16;

/// Fills the timeline of a trace that others draw at the same time.
#[derive(Debug)]
pub(crate) struct Recording {
    lots: SyncSender<Lot>,
    filler: JoinHandle<()>,
    lot: Lot,
    teller: Teller,
    /// Since when the collector is at work, and since when the world is stopped.
    collecting: Option<Timestamp>,
    stopped: Option<Timestamp>,
    marking: MarkingTimes,
}

impl Recording {
    /// Starts the thread that fills it.
    ///
    /// # Errors
    ///
    /// When there is no thread to be had.
    pub(crate) fn new(timeline: Arc<RwLock<Timeline>>) -> io::Result<Self> {
        let (lots, receiver) = mpsc::sync_channel(LOTS_MAX);
        let filler = thread::Builder::new().name(String::from("exectrace-fill"));
        let filler = filler.spawn(move || filling::fill(&timeline, &receiver))?;
        Ok(Self {
            lots,
            filler,
            lot: Lot::default(),
            teller: Teller::default(),
            collecting: None,
            stopped: None,
            marking: MarkingTimes::default(),
        })
    }

    /// Hands over all that came.
    fn flush(&mut self, context: &Context<'_>) {
        let mut lot = mem::take(&mut self.lot);
        self.teller.complete(&mut lot, context);
        // It fails if the other thread is gone, by a panic, which is told at the end.
        let _ = self.lots.send(lot);
        self.lot.intervals.reserve(INTERVALS_A_LOT);
    }

    /// Since when a range is open.
    fn range(&mut self, range: Range) -> Option<&mut Option<Timestamp>> {
        match range {
            Range::Gc => Some(&mut self.collecting),
            Range::StopTheWorld => Some(&mut self.stopped),
            _ => None,
        }
    }
}

impl Analysis for Recording {
    type Report = Finishing;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        match event.kind {
            Kind::Metric { .. }
            | Kind::Sample
            | Kind::UserTaskBegin { .. }
            | Kind::UserTaskEnd { .. }
            | Kind::UserRegionEnd { .. } => self.lot.events.push(*event),
            // What is inferred at a region's end is not when it began.
            Kind::UserRegionBegin { .. } if event.event_type != EventType::Inferred => {
                self.lot.events.push(*event);
            }
            Kind::UserLog { user_task, key, .. } => {
                let of_recording = context.tables.string(key).starts_with(DESCRIPTION);
                if user_task != UserTaskId(0) || !of_recording {
                    self.lot.events.push(*event);
                }
            }
            Kind::RangeBegin { range, .. } | Kind::RangeActive { range, .. } => {
                self.marking.event(event, context.begin);
                if let Some(since) = self.range(range) {
                    since.get_or_insert(event.time);
                }
            }
            Kind::RangeEnd { range, .. } => {
                self.marking.event(event, context.begin);
                if let Some(since) = self.range(range).and_then(Option::take) {
                    self.lot.ranges.push((range, since, event.time));
                }
            }
            _ => {}
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let is_last = context.lives[interval.life].end().is_some();
        self.lot.intervals.push((*interval, is_last));
        if self.lot.intervals.len() == INTERVALS_A_LOT {
            self.flush(context);
        }
    }

    fn report(mut self, context: &Context<'_>) -> Finishing {
        for range in [Range::Gc, Range::StopTheWorld] {
            if let Some(since) = self.range(range).and_then(Option::take) {
                self.lot.ranges.push((range, since, context.end));
            }
        }
        self.flush(context);
        let mut last = Lot::default();
        self.teller.complete(&mut last, context);
        self.teller.rest(&mut last, context);
        self.marking.end(context.end);
        last.last = Some(Last {
            threads: ThreadNames::of(context),
            marking: self.marking,
        });
        Finishing {
            lots: self.lots,
            last,
            filler: self.filler,
        }
    }
}

/// A timeline that has all but the last.
///
/// To put that in takes memory for a moment, as much as a pass keeps of tasks: so the one comes after the other has gone.
#[derive(Debug)]
pub(crate) struct Finishing {
    lots: SyncSender<Lot>,
    last: Lot,
    filler: JoinHandle<()>,
}

impl Finishing {
    /// Waits until the timeline has all.
    pub(crate) fn finish(self) {
        let _ = self.lots.send(self.last);
        drop(self.lots);
        if let Err(panicked) = self.filler.join() {
            panic::resume_unwind(panicked);
        }
    }
}
