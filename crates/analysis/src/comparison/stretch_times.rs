//! What is compared of stretches of time and of samples: where tasks ran, and where they stopped.

use std::collections::BTreeMap;

use exectrace_reader::{Event, Kind, StackId, Timestamp};

use super::quantity::{Measure, Topic};
use super::series::{Series, TimeBlocks};
use super::stack_times::StackTimes;
use crate::profile::samples_hz;
use crate::selector::{Member, Selector};
use crate::stretch::Stretch;
use crate::{Analysis, Context, Filter, Interval, Profile, ProfileType, Selection};

/// Time by stack: CPU samples, and stretches in which tasks did not run.
#[derive(Clone, Debug)]
pub(super) struct StretchTimes {
    cpu: StackTimes,
    off_cpu: StackTimes,
    /// Where tasks stop.
    stops: Profile,
    selector: Selector,
    /// What the filter cannot tell yet.
    undecided: Vec<Undecided>,
}

/// What may count in the end.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    member: Member,
    is_sample: bool,
    stack: StackId,
    time: Timestamp,
    amount: i64,
}

impl StretchTimes {
    /// Those that a filter lets through.
    pub(super) fn of(filter: Filter) -> Self {
        let selection = Selection {
            filter,
            ..Selection::default()
        };
        Self {
            cpu: StackTimes::default(),
            off_cpu: StackTimes::default(),
            stops: Profile::new(ProfileType::OffCpu),
            selector: Selector::new(selection),
            undecided: Vec::new(),
        }
    }

    /// Says since when time counts.
    pub(super) fn begin(&mut self, begin: Timestamp) {
        self.cpu.begin(begin);
        self.off_cpu.begin(begin);
    }

    pub(super) fn event(&mut self, event: &Event, context: &Context<'_>) {
        if event.kind == Kind::Sample {
            let sample = Stretch::sample(event, context);
            let member = self.selector.takes(&sample, context);
            self.add(member, true, event.stack, event.time, 1);
        }
        self.outside(event, context);
    }

    pub(super) fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.stops.outside(event, context);
        self.selector.event(event, context);
    }

    /// An interval in which a task did not run.
    pub(super) fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        // Also of what takes no time, or does not count: where a task stops holds for what follows.
        let (stack, _) = self.stops.place(interval);
        let member = self.selector.takes(&Stretch::of(interval), context);
        self.add(member, false, stack, interval.end.time, interval.ns());
    }

    fn add(
        &mut self,
        member: Option<Member>,
        is_sample: bool,
        stack: StackId,
        time: Timestamp,
        amount: i64,
    ) {
        match member {
            None => {}
            Some(Member::Anybody) => self.times(is_sample).add(stack, time, amount),
            Some(member) => self.undecided.push(Undecided {
                member,
                is_sample,
                stack,
                time,
                amount,
            }),
        }
    }

    fn times(&mut self, is_sample: bool) -> &mut StackTimes {
        if is_sample {
            &mut self.cpu
        } else {
            &mut self.off_cpu
        }
    }

    /// Adds up both profiles, as far as a time.
    pub(super) fn report(
        mut self,
        (to, blocks): (Timestamp, &TimeBlocks),
        context: &Context<'_>,
        quantities: &mut BTreeMap<(Topic, Measure), Series>,
    ) {
        let members = self.selector.members(context);
        for it in std::mem::take(&mut self.undecided) {
            if members.has(it.member) {
                self.times(it.is_sample).add(it.stack, it.time, it.amount);
            }
        }
        let ns = 1e9 / samples_hz(context);
        let (cpu, off_cpu) = (ProfileType::Cpu, ProfileType::OffCpu);
        self.cpu.report(cpu, ns, (to, blocks), context, quantities);
        self.off_cpu
            .report(off_cpu, 1.0, (to, blocks), context, quantities);
    }
}
