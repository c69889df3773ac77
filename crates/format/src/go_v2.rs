//! Format v2 (headers 1.22 to 1.26): the table of events and how they are written and read.
//!
//! ```text
//! file     := header item*
//! item     := batch | experimental batch | end of generation (from 1.26)
//! batch    := 01 generation thread time size data[size]
//! exp.     := 31 experiment(1 byte) generation thread time size data[size]
//! data     := 04 (05 id size bytes[size])*                             string table
//!           | 02 (03 id count (pc function file line)[count])*         stack table
//!           | 06 (07 time thread worker task stack)*                   CPU samples
//!           | 08 frequency                                             sync, up to 1.23
//!           | 32 (08 frequency | 33 dt monotonic s ns)*                sync, from 1.25
//!           | (type dt argument*)*                                     events of the thread
//! ```
//!
//! Numbers are varints, types bytes. An event has no length: its type says how many arguments it
//! has. Generations are self-contained: tables, samples and sequence numbers begin anew in each.
//!
//! | item | does |
//! | --- | --- |
//! | [`EventType`], [`Event`] and a struct for each event | the table; writing an event |
//! | [`Batch`], [`write_string`], [`write_stack`] | writing the rest |
//! | [`Items`], [`Batch`] | reading the framing |
//! | [`Events`], [`Entries`], [`Record`] | reading what is in a batch, without any meaning |
//! | [`RawEvent`], [`ShortEvent`], [`NearEvent`] | the same events, decoded faster the less is asked for |
//! | [`NearStack`] | a stack of a table, in the same way |
//! | [`Records`] | all of it in file order |

mod batch;
mod entries;
mod event;
mod events;
mod items;
mod near;
mod record;
mod records;
mod structure;

pub use batch::{Batch, BatchKind, Generation};
pub use entries::Entries;
pub use event::Event;
pub use events::{Events, RawEvent, ShortEvent};
pub use items::{Item, Items};
pub use near::{NearEvent, NearStack};
pub use record::Record;
pub use records::Records;
pub use structure::{write_stack, write_string};

use event::encode_args;

use crate::ids::{Seq, StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
use crate::limits::V2_ARGS_MAX as ARGS_MAX;
use crate::table::event_table;

event_table! {
    /// A batch begins: generation, thread, time, size, and so many bytes of data.
    1 => EventBatch { generation: u64, thread: ThreadId, time: u64 }
        as Structure, since Go1_22, shape Raw;

    /// The data of the batch is a stack table.
    2 => Stacks {}
        as Structure, since Go1_22, shape Untimed;

    /// An entry of the stack table: id, count, and so many frames of pc, function, file and line.
    3 => Stack { stack: StackId }
        as Structure, since Go1_22, shape Raw;

    /// The data of the batch is a string table.
    4 => Strings {}
        as Structure, since Go1_22, shape Untimed;

    /// An entry of the string table: id, length, bytes.
    5 => String { string: StringId }
        as Structure, since Go1_22, shape Raw;

    /// The data of the batch are CPU samples.
    6 => CPUSamples {}
        as Structure, since Go1_22, shape Untimed;

    /// The CPU profiler's signal came at `time`, which does not count from the batch's.
    7 => CPUSample { time: u64, thread: ThreadId, worker: WorkerId, task: TaskId, stack: StackId }
        as Sample, since Go1_22, shape Untimed;

    /// How many units of time make a second.
    8 => Frequency { units_per_second: u64 }
        as Structure, since Go1_22, shape Untimed;

    /// The number of workers changes.
    9 => ProcsChange { workers: u64, stack: StackId }
        as Metric(Workers), since Go1_22;

    /// A worker starts on the thread.
    10 => ProcStart { worker: WorkerId, seq: Seq }
        as Transition(Worker, Idle, Running), since Go1_22;

    /// The thread's worker stops.
    11 => ProcStop {}
        as Transition(Worker, Running, Idle), since Go1_22;

    /// A worker in a system call is taken from a thread.
    12 => ProcSteal { worker: WorkerId, seq: Seq, thread: ThreadId }
        as Transition(Worker, Syscall, Idle), since Go1_22;

    /// Tells a worker's state: 1 running, 2 idle, 3 in a system call, 4 that and abandoned.
    13 => ProcStatus { worker: WorkerId, status: u64 }
        as Status(Worker), since Go1_22;

    /// A task is created; `start_stack` has the function that it will run.
    14 => GoCreate { task: TaskId, start_stack: StackId, stack: StackId }
        as Transition(Task, NotExist, Runnable), since Go1_22;

    /// A task appears on a thread that was not the runtime's, in a system call.
    15 => GoCreateSyscall { task: TaskId }
        as Transition(Task, NotExist, Syscall), since Go1_22;

    /// A task starts to run on the thread's worker.
    16 => GoStart { task: TaskId, seq: Seq }
        as Transition(Task, Runnable, Running), since Go1_22;

    /// The running task ends.
    17 => GoDestroy {}
        as Transition(Task, Running, NotExist), since Go1_22;

    /// A task in a system call ends with the thread's return to foreign code.
    18 => GoDestroySyscall {}
        as Transition(Task, Syscall, NotExist), since Go1_22;

    /// The running task stops, but could go on.
    19 => GoStop { reason: StringId, stack: StackId }
        as Transition(Task, Running, Runnable), since Go1_22;

    /// The running task stops and waits.
    20 => GoBlock { reason: StringId, stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_22;

    /// A waiting task can run again.
    21 => GoUnblock { task: TaskId, seq: Seq, stack: StackId }
        as Transition(Task, Waiting, Runnable), since Go1_22;

    /// The running task enters a system call.
    22 => GoSyscallBegin { worker_seq: Seq, stack: StackId }
        as Transition(Task, Running, Syscall), since Go1_22;

    /// The task is back from its system call and still has its worker.
    23 => GoSyscallEnd {}
        as Transition(Task, Syscall, Running), since Go1_22;

    /// The task is back from its system call and has lost its worker.
    24 => GoSyscallEndBlocked {}
        as Transition(Task, Syscall, Runnable), since Go1_22;

    /// Tells a task's state: 1 runnable, 2 running, 3 in a system call, 4 waiting.
    25 => GoStatus { task: TaskId, thread: ThreadId, status: u64 }
        as Status(Task), since Go1_22;

    /// The world is stopped; `kind` says why.
    26 => STWBegin { kind: StringId, stack: StackId }
        as RangeBegin(StopTheWorld), since Go1_22;

    /// The world goes on.
    27 => STWEnd {}
        as RangeEnd(StopTheWorld), since Go1_22;

    /// A cycle of the garbage collector that began in an earlier generation goes on.
    28 => GCActive { seq: Seq }
        as RangeActive(Gc), since Go1_22;

    /// A cycle of the garbage collector begins.
    29 => GCBegin { seq: Seq, stack: StackId }
        as RangeBegin(Gc), since Go1_22;

    /// The cycle of the garbage collector ends.
    30 => GCEnd { seq: Seq }
        as RangeEnd(Gc), since Go1_22;

    /// A worker that began to sweep in an earlier generation goes on.
    31 => GCSweepActive { worker: WorkerId }
        as RangeActive(Sweep), since Go1_22;

    /// The worker begins to sweep.
    32 => GCSweepBegin { stack: StackId }
        as RangeBegin(Sweep), since Go1_22;

    /// The worker has swept so many bytes and got back so many of them.
    33 => GCSweepEnd { swept_bytes: u64, reclaimed_bytes: u64 }
        as RangeEnd(Sweep), since Go1_22;

    /// A task that began to help the collector in an earlier generation goes on.
    34 => GCMarkAssistActive { task: TaskId }
        as RangeActive(MarkAssist), since Go1_22;

    /// The running task begins to help the collector.
    35 => GCMarkAssistBegin { stack: StackId }
        as RangeBegin(MarkAssist), since Go1_22;

    /// The running task has helped the collector.
    36 => GCMarkAssistEnd {}
        as RangeEnd(MarkAssist), since Go1_22;

    /// So many bytes of heap are live.
    37 => HeapAlloc { live_bytes: u64 }
        as Metric(HeapLive), since Go1_22;

    /// The heap may grow to so many bytes before the next cycle.
    38 => HeapGoal { goal_bytes: u64 }
        as Metric(HeapGoal), since Go1_22;

    /// The running task gets a label.
    39 => GoLabel { label: StringId }
        as Label, since Go1_22;

    /// A user task begins; `parent` 0 means none.
    40 => UserTaskBegin { user_task: UserTaskId, parent: UserTaskId, name: StringId, stack: StackId }
        as UserTaskBegin, since Go1_22;

    /// A user task ends.
    41 => UserTaskEnd { user_task: UserTaskId, stack: StackId }
        as UserTaskEnd, since Go1_22;

    /// A user region of the running task begins.
    42 => UserRegionBegin { user_task: UserTaskId, name: StringId, stack: StackId }
        as UserRegionBegin, since Go1_22;

    /// A user region of the running task ends.
    43 => UserRegionEnd { user_task: UserTaskId, name: StringId, stack: StackId }
        as UserRegionEnd, since Go1_22;

    /// The program logs a message.
    44 => UserLog { user_task: UserTaskId, key: StringId, message: StringId, stack: StackId }
        as UserLog, since Go1_22;

    /// The running task hands its worker to a waiting one, and waits.
    45 => GoSwitch { task: TaskId, seq: Seq }
        as Switch(Waiting), since Go1_23;

    /// The running task hands its worker to a waiting one, and ends.
    46 => GoSwitchDestroy { task: TaskId, seq: Seq }
        as Switch(NotExist), since Go1_23;

    /// A task is created that waits to be switched to.
    47 => GoCreateBlocked { task: TaskId, start_stack: StackId, stack: StackId }
        as Transition(Task, NotExist, Waiting), since Go1_23;

    /// As GoStatus, with the task's stack.
    48 => GoStatusStack { task: TaskId, thread: ThreadId, status: u64, stack: StackId }
        as Status(Task), since Go1_23;

    /// A batch of an experiment, which alone knows its data.
    49 => ExperimentalBatch { experiment: u64, generation: u64, thread: ThreadId, time: u64 }
        as Structure, since Go1_23, shape Raw;

    /// The data of the batch are a frequency and a clock snapshot.
    50 => Sync {}
        as Structure, since Go1_25, shape Untimed;

    /// The monotonic clock and the wall clock at one time.
    51 => ClockSnapshot { monotonic_ns: u64, wall_s: u64, wall_ns: u64 }
        as Structure, since Go1_25;

    /// A generation ends. Stands between batches.
    52 => EndOfGeneration {}
        as Structure, since Go1_26, shape Untimed;

    /// Experiment 1: a heap span exists.
    128 => Span { span: u64, pages: u64, kind: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a heap span is allocated.
    129 => SpanAlloc { span: u64, pages: u64, kind: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a heap span is freed.
    130 => SpanFree { span: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a heap object exists.
    131 => HeapObject { object: u64, kind: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a heap object is allocated.
    132 => HeapObjectAlloc { object: u64, kind: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a heap object is freed.
    133 => HeapObjectFree { object: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a task's stack memory exists.
    134 => GoroutineStack { memory: u64, order: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a task's stack memory is allocated.
    135 => GoroutineStackAlloc { memory: u64, order: u64 }
        as Experiment, since Go1_23;

    /// Experiment 1: a task's stack memory is freed.
    136 => GoroutineStackFree { memory: u64 }
        as Experiment, since Go1_23;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_and_names_lead_back_to_the_type() {
        for &event_type in EventType::ALL {
            let spec = event_type.spec();
            assert_eq!(spec.number, event_type as u8);
            assert_eq!(EventType::from_number(spec.number), Some(event_type));
            assert_eq!(EventType::from_name(spec.name), Some(event_type));
        }
        assert!(EventType::ALL.is_sorted());
        assert_eq!(EventType::ALL.len(), 52 + 9);
        assert_eq!(EventType::from_number(53), None);
        assert_eq!(EventType::from_number(137), None);
    }

    proptest! {
        /// What the struct writes is what the row says; that this is read again, tests/rows.rs checks.
        #[test]
        fn every_struct_writes_what_its_row_says(
            numbers: [u64; ARGS_MAX], delta: u64, shift in 0..64_u32,
        ) {
            for &event_type in EventType::ALL {
                let args = numbers.map(|number| number >> shift);
                let delta = delta >> shift;
                let Some(written) = encode_as_struct(event_type, &args, delta) else { continue };
                let record = Record { offset: 0, event_type, delta, args, rest: &[] };
                let mut bytes = Vec::new();
                record.append(&mut bytes);
                prop_assert_eq!(written, bytes, "{}", event_type.spec().name);
            }
        }
    }
}
