//! What an event of format v1 means, in the one model.

use exectrace_format::go_v1::EventType;
use exectrace_format::role::{Metric, Range, Role, State, Subject};
use exectrace_format::{Frame, StackId, StringId, TaskId, UserTaskId, Version, WorkerId};

use super::cursor::RawEvent;
use super::index::Index;
use super::rules::{Who, rule};
use crate::event::{Event, Kind, UserTaskBegin};
use crate::id_map::IdMap;
use crate::tables::Tables;

/// Why the world is stopped, by number, since version 1.21.
const STOP_REASONS: [&str; 17] = [
    "unknown",
    "GC mark termination",
    "GC sweep termination",
    "write heap dump",
    "goroutine profile",
    "goroutine profile cleanup",
    "all goroutines stack trace",
    "read mem stats",
    "AllThreadsSyscall",
    "GOMAXPROCS",
    "start trace",
    "stop trace",
    "CountPagesInUse (test)",
    "ReadMetricsSlow (test)",
    "ReadMemStatsSlow (test)",
    "PageCachePagesLeaked (test)",
    "ResetDebugLog (test)",
];

/// The same up to version 1.19: a place in the list above.
const OLD_STOP_REASONS: [usize; 2] = [1, 2];

/// What recordings of Rust programs say in place of Go's words.
const RUST_REASONS: [(&str, &str); 4] = [
    ("chan receive", "receive"),
    ("chan send", "send"),
    ("runtime.Gosched", "yield"),
    // Of a condition variable or of a runtime's notification.
    ("sync.(*Cond).Wait", "notify"),
];

/// Gives events their meaning; what a begin has said is told at the end once more.
#[derive(Debug)]
pub(super) struct Meanings {
    user_tasks: IdMap<UserTaskBegin>,
    stop_reason: StringId,
    before: Overwritten,
    /// Why a task stops, by the event's type.
    reasons: [StringId; 64],
}

/// What the last event of its kind has overwritten, in case that it did not follow from what was there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overwritten {
    pub(super) stop_reason: StringId,
    pub(super) user_task: Option<UserTaskBegin>,
}

/// The names and stacks of a trace.
#[derive(Debug)]
pub(super) struct Names<'a> {
    pub(super) file: &'a [u8],
    pub(super) index: Index<'a>,
    pub(super) tables: Tables<'a>,
}

impl<'a> Names<'a> {
    fn string(&mut self, id: u64) -> StringId {
        self.index.strings.id(id, &mut self.tables)
    }

    #[inline]
    fn stack(&mut self, id: u64) -> StackId {
        let (version, strings) = (self.index.version, &mut self.index.strings);
        self.index
            .stacks
            .id(id, self.file, version, strings, &mut self.tables)
    }

    /// The stack of what a new task will run.
    fn start_stack(&mut self, id: u64) -> StackId {
        if self.index.version.at_least(Version::Go1_7) {
            return self.stack(id);
        }
        // Before, the entry's address stands in its place; in stacks an address is that behind a call.
        let frame = self.tables.frame(Frame {
            pc: id.wrapping_add(1),
            ..Frame::default()
        });
        self.tables.stack(&[frame])
    }
}

impl Meanings {
    pub(super) fn new(tables: &mut Tables<'_>, is_of_exectrace: bool) -> Self {
        let mut reasons = [StringId(0); 64];
        for event_type in EventType::ALL {
            if let Some(reason) = event_type.spec().reason {
                let in_rust = RUST_REASONS.iter().find(|(go, _)| *go == reason);
                let reason = match in_rust {
                    Some((_, rust)) if is_of_exectrace => rust,
                    _ => reason,
                };
                reasons[*event_type as usize & 63] = tables.intern(reason.as_bytes());
            }
        }
        Self {
            user_tasks: IdMap::default(),
            stop_reason: StringId(0),
            before: Overwritten::default(),
            reasons,
        }
    }

    /// What the last event has overwritten.
    pub(super) fn before(&self) -> Overwritten {
        self.before
    }

    /// Says in `told` what the event means. The answer is a region's name.
    pub(super) fn tell<'a>(
        &mut self,
        event: &RawEvent<'a>,
        names: &mut Names<'a>,
        told: &mut Event,
    ) -> StringId {
        let place = usize::from(rule(event.event_type).stack_arg);
        let stack = names.stack(event.args[place]);
        let spec = event.event_type.spec();
        let mut name = StringId(0);
        told.stack = stack;
        told.kind = match spec.role {
            Role::Transition(Subject::Task, from, to) => {
                self.task_transition(event, from, to, stack, names)
            }
            Role::Transition(Subject::Worker, from, to) => Kind::WorkerTransition {
                worker: WorkerId(event.worker),
                from,
                to,
            },
            Role::RangeBegin(range) => self.range_begin(event, range, names),
            Role::RangeEnd(range) => self.range_end(event, range, names.index.version),
            Role::Metric(metric) => metric_kind(event, metric),
            Role::SyscallBegin => Kind::SyscallBegin,
            Role::FutileWakeup => Kind::FutileWakeup,
            Role::UserTaskBegin => self.user_task_begin(event, names),
            Role::UserTaskEnd => Kind::UserTaskEnd {
                user_task: UserTaskId(event.args[0]),
                begin: self.user_tasks.remove(&event.args[0]),
            },
            Role::UserRegion => {
                let [user_task, mode, id, ..] = event.args;
                name = names.string(id);
                let user_task = UserTaskId(user_task);
                if mode == 0 {
                    Kind::UserRegionBegin { user_task, name }
                } else {
                    Kind::UserRegionEnd { user_task, name }
                }
            }
            Role::UserLog => Kind::UserLog {
                user_task: UserTaskId(event.args[0]),
                key: names.string(event.args[1]),
                message: names.tables.in_file(event.message),
            },
            // Nothing else is an event of format v1.
            _ => Kind::Sample,
        };
        name
    }

    fn range_begin<'a>(
        &mut self,
        event: &RawEvent<'a>,
        range: Range,
        names: &mut Names<'a>,
    ) -> Kind {
        let mut reason = StringId(0);
        if range == Range::StopTheWorld {
            reason = names
                .tables
                .intern(stop_reason(event.args[0], names.index.version).as_bytes());
            self.before.stop_reason = std::mem::replace(&mut self.stop_reason, reason);
        }
        Kind::RangeBegin { range, reason }
    }

    fn range_end(&mut self, event: &RawEvent<'_>, range: Range, version: Version) -> Kind {
        let (mut reason, mut swept_bytes, mut reclaimed_bytes) = (StringId(0), 0, 0);
        match range {
            Range::StopTheWorld => {
                reason = self.stop_reason;
                self.before.stop_reason = reason;
                // Before 1.10 workers stop the world side by side, all for the one reason that there is.
                if version.at_least(Version::Go1_10) {
                    self.stop_reason = StringId(0);
                }
            }
            Range::Sweep => [swept_bytes, reclaimed_bytes, ..] = event.args,
            Range::Gc | Range::MarkAssist => {}
        }
        Kind::RangeEnd {
            range,
            reason,
            swept_bytes,
            reclaimed_bytes,
        }
    }

    fn user_task_begin<'a>(&mut self, event: &RawEvent<'a>, names: &mut Names<'a>) -> Kind {
        let [id, parent, name, _] = event.args;
        let (parent, name) = (UserTaskId(parent), names.string(name));
        self.before.user_task = self.user_tasks.insert(id, UserTaskBegin { parent, name });
        Kind::UserTaskBegin {
            user_task: UserTaskId(id),
            parent,
            name,
        }
    }

    fn task_transition<'a>(
        &self,
        event: &RawEvent<'a>,
        from: State,
        to: State,
        stack: StackId,
        names: &mut Names<'a>,
    ) -> Kind {
        use EventType as E;
        let task = match rule(event.event_type).who {
            Who::Argument => event.args[0],
            _ => event.owner,
        };
        let (reason, stack) = match event.event_type {
            E::GoCreate => (StringId(0), names.start_stack(event.args[1])),
            E::GoUnblock | E::GoUnblockLocal | E::GoSysExitLocal => (StringId(0), StackId(0)),
            E::GoStartLabel => (names.string(event.args[2]), StackId(0)),
            event_type => (self.reason(event_type), stack),
        };
        Kind::TaskTransition {
            task: TaskId(task),
            from,
            to,
            reason,
            stack,
        }
    }

    /// Why a task stops, as far as the event's type says it.
    #[inline(always)]
    pub(super) fn reason(&self, event_type: EventType) -> StringId {
        self.reasons[event_type as usize & 63]
    }
}

fn metric_kind(event: &RawEvent<'_>, metric: Metric) -> Kind {
    Kind::Metric {
        metric,
        value: event.args[0],
    }
}

fn stop_reason(number: u64, version: Version) -> &'static str {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let place = if version.at_least(Version::Go1_21) {
        Some(number)
    } else {
        OLD_STOP_REASONS.get(number).copied()
    };
    place
        .and_then(|place| STOP_REASONS.get(place).copied())
        .unwrap_or(STOP_REASONS[0])
}
