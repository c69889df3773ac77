//! What each type of event demands of a task and makes of it: the one table for the order of events, for the checks, and for what
//! an event means.

use exectrace_format::go_v1::EventType;
use exectrace_format::limits;
use exectrace_format::role::{Role, State, Subject};
use exectrace_format::spec::ArgKind;

use super::task::{End, Status, Task};

/// A row of the table. What is about no task demands nothing and changes nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Bits of the task's word that matter: those of the order decide when the event can come, the others whether it may.
    pub(super) mask: u64,
    /// What they must be.
    pub(super) want: u64,
    /// Whether the event's second argument is the sequence number: all bits or none.
    pub(super) argument: u64,
    /// Bits of the word that stay.
    pub(super) keep: u64,
    /// What is added to those.
    pub(super) add: u64,
    pub(super) who: Who,
    /// To whom the event belongs, as Go's readers see it.
    pub(super) owner: Who,
    pub(super) actor: Actor,
    pub(super) effect: Effect,
    /// The type that is told: the local forms are the plain ones, whose sequence number goes without saying.
    pub(super) told: EventType,
    /// The argument that has the stack of who wrote the event; one that the type lacks, and so is 0, if there is none.
    pub(super) stack_arg: u8,
    /// The task's state before and after.
    pub(super) from: State,
    pub(super) to: State,
}

/// Which task an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// None.
    Nobody,
    /// That of its first argument.
    Argument,
    /// The one that runs on the worker.
    Owner,
    /// The collector, whose cycle's number is the first argument.
    Collector,
}

/// What must run on the event's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Actor {
    /// Nothing that matters.
    Any,
    /// The task that it belongs to, which may be none.
    Owner,
    /// The same, and it must be one.
    Task,
}

/// What becomes of the task that runs on the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It goes on.
    Nothing,
    /// The first argument starts to run, where none ran.
    Starts,
    /// It runs no more.
    Stops,
}

/// What an event has to do with its task's sequence.
#[derive(Clone, Copy)]
enum Sequenced {
    /// Nothing.
    No,
    /// It is the next one, whatever the number.
    Local,
    /// It is the one of this number.
    At(u64),
    /// It is the one of the number in its second argument.
    Argument,
}

/// The table, by number.
pub(super) static RULES: [Rule; 64] = {
    let mut rules = [Rule::nothing(EventType::Batch); 64];
    let mut i = 0;
    while i < EventType::ALL.len() {
        let event_type = EventType::ALL[i];
        rules[event_type as usize] = Rule::of_type(event_type);
        i += 1;
    }
    rules
};

/// The row of a type.
#[inline(always)]
pub(super) fn rule(event_type: EventType) -> &'static Rule {
    &RULES[event_type as usize & 63]
}

impl Rule {
    const fn nothing(event_type: EventType) -> Self {
        Self {
            mask: 0,
            want: 0,
            argument: 0,
            keep: u64::MAX,
            add: 0,
            who: Who::Nobody,
            owner: owner(event_type),
            actor: Actor::Any,
            effect: Effect::Nothing,
            told: event_type,
            stack_arg: stack_arg(event_type),
            from: State::Undetermined,
            to: State::Undetermined,
        }
    }

    const fn of_type(event_type: EventType) -> Self {
        use EventType as E;
        let mut rule = Self::nothing(event_type);
        match event_type {
            E::GCStart => rule.who = Who::Collector,
            E::GoSysCall => {
                (rule.who, rule.actor) = (Who::Owner, Actor::Task);
            }
            _ => {}
        }
        if let Role::Transition(Subject::Task, from, to) = event_type.spec().role {
            (rule.from, rule.to) = (from, to);
            rule.told = plain(event_type);
            rule = rule
                .with_parts(event_type)
                .ordered(event_type)
                .checked(event_type);
        }
        rule
    }

    /// Who takes part in a task's transition.
    const fn with_parts(mut self, event_type: EventType) -> Self {
        use EventType as E;
        self.who = Who::Argument;
        match event_type {
            E::GoCreate | E::GoUnblock | E::GoUnblockLocal => self.actor = Actor::Owner,
            E::GoStart | E::GoStartLocal | E::GoStartLabel => self.effect = Effect::Starts,
            E::GoWaiting | E::GoInSyscall | E::GoSysExit | E::GoSysExitLocal => {}
            _ => {
                self.who = Who::Owner;
                (self.actor, self.effect) = (Actor::Task, Effect::Stops);
            }
        }
        self
    }

    /// When a task's transition can come.
    const fn ordered(mut self, event_type: EventType) -> Self {
        use EventType as E;
        let sequenced = match event_type {
            // Nothing of the task comes after these.
            E::GoEnd | E::GoStop => return self,
            E::GoCreate => Sequenced::At(0),
            E::GoWaiting | E::GoInSyscall => Sequenced::At(1),
            E::GoStart | E::GoStartLabel | E::GoUnblock | E::GoSysExit => Sequenced::Argument,
            E::GoStartLocal | E::GoUnblockLocal | E::GoSysExitLocal => Sequenced::Local,
            _ => Sequenced::No,
        };
        let (mask, sequence) = match sequenced {
            Sequenced::No | Sequenced::Local => (Task::STATUS, 0),
            Sequenced::At(sequence) => (Task::ORDER, sequence),
            Sequenced::Argument => {
                self.argument = u64::MAX;
                (Task::ORDER, 0)
            }
        };
        let counts = !matches!(sequenced, Sequenced::No);
        self.mask |= mask;
        self.want |= sequence << Task::SEQUENCE_SHIFT | status(self.from) as u64;
        self.keep &= !Task::STATUS;
        self.add |= (counts as u64) << Task::SEQUENCE_SHIFT | status(self.to) as u64;
        self
    }

    /// What a task's transition demands of its state.
    const fn checked(mut self, event_type: EventType) -> Self {
        use EventType as E;
        let (mask, want) = match self.from {
            // One that was never heard of, whatever state that is.
            State::NotExist => (Task::KNOWN, 0),
            // For Go's readers, one in a system call waits, too.
            State::Waiting | State::Syscall => (Task::IS_AWAY, Task::IS_AWAY),
            from => (Task::STATE, Task::state_bits(from)),
        };
        self.mask |= mask;
        self.want |= want;
        let (to, end) = match event_type {
            E::GoEnd => (State::NotExist, Some(End::Over)),
            E::GoStop => (State::NotExist, Some(End::Stopped)),
            _ => (self.to, None),
        };
        self.keep &= !(Task::STATE | Task::KNOWN);
        self.add |= Task::state_bits(to) | Task::KNOWN;
        if let Some(end) = end {
            self.keep &= !Task::END;
            self.add |= Task::end_bits(end);
        }
        self
    }

    /// Whether a task of this word is as the event demands, which has this second argument. Both for order and for the checks.
    #[inline(always)]
    pub(super) const fn fits(&self, task: Task, second: u64) -> bool {
        task.0 & self.mask == self.want | self.sequence_bits(second)
    }

    /// The bits of the sequence number in an event's second argument, if that is one.
    #[inline(always)]
    pub(super) const fn sequence_bits(&self, second: u64) -> u64 {
        let sequence = if second < Task::SEQUENCE_MAX {
            second
        } else {
            Task::SEQUENCE_MAX
        };
        sequence << Task::SEQUENCE_SHIFT & self.argument
    }

    /// Whether the checks have nothing against the task's state.
    #[inline]
    pub(super) const fn allows(&self, task: Task) -> bool {
        (task.0 ^ self.want) & self.mask & !Task::ORDER == 0
    }

    /// What becomes of the task.
    #[inline(always)]
    pub(super) const fn apply(&self, task: Task) -> Task {
        Task((task.0 & self.keep).wrapping_add(self.add))
    }

    /// The same, only for the order of events.
    #[inline]
    pub(super) const fn apply_order(&self, task: Task) -> Task {
        let kept = task.0 & (self.keep | !Task::ORDER);
        Task(kept.wrapping_add(self.add & Task::ORDER))
    }

    /// The same, only for the checks.
    #[inline]
    pub(super) const fn apply_checks(&self, task: Task) -> Task {
        Task(task.0 & (self.keep | Task::ORDER) | self.add & !Task::ORDER)
    }

    /// Whether it can depend on the event when those of other workers come.
    #[inline(always)]
    pub(super) const fn orders(&self) -> bool {
        self.mask & Task::STATUS != 0
    }
}

const fn owner(event_type: EventType) -> Who {
    use EventType as E;
    match event_type {
        E::GoStart | E::GoStartLocal | E::GoStartLabel => Who::Argument,
        E::GoSysExit | E::GoWaiting | E::GoInSyscall => Who::Argument,
        E::GCStart | E::GCDone | E::GCSTWStart | E::GCSTWDone => Who::Nobody,
        _ => Who::Owner,
    }
}

const fn status(state: State) -> Status {
    match state {
        State::Runnable => Status::Runnable,
        State::Running => Status::Running,
        State::Waiting | State::Syscall => Status::Waiting,
        _ => Status::Dead,
    }
}

const fn plain(event_type: EventType) -> EventType {
    match event_type {
        EventType::GoStartLocal => EventType::GoStart,
        EventType::GoUnblockLocal => EventType::GoUnblock,
        EventType::GoSysExitLocal => EventType::GoSysExit,
        other => other,
    }
}

const fn stack_arg(event_type: EventType) -> u8 {
    let args = event_type.spec().args;
    let mut place = limits::V1_ARGS_MAX - 1;
    let mut i = 0;
    while i < args.len() {
        if matches!(args[i].kind, ArgKind::StackId) {
            place = i;
        }
        i += 1;
    }
    place as u8
}
