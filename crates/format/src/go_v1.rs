//! Format v1 (headers 1.5 to 1.21): the table of events and how they are written.
//!
//! A file is a header and records up to its end. A record is
//!
//! ```text
//!  7 6 | 5 4 3 2 1 0
//!  nnn | event type        n = 0, 1, 2: n+1 numbers follow
//!                          n = 3: a length, then so many bytes of numbers
//! ```
//!
//! and its first number, but for the untimed records, is the time since the record before. The
//! number of arguments of a type fixes n. Version 1.5 has one number more in each record, part of a
//! global order, which n does not count: it stands first in timed records, second in untimed ones.
//!
//! Two records have a form of their own: a string is type, id, length and bytes, and a user log is
//! followed by the length and the bytes of its message, which its own length does not count.
//!
//! | item | does |
//! | --- | --- |
//! | [`EventType`], [`Event`] and a struct for each event | the table; writing an event |
//! | [`write_string`], [`write_stack`], [`write_message`] | writing the rest |
//! | [`Records`], [`Record`] | reading, in file order, without any meaning |

mod event;
mod layout;
mod record;
mod records;
mod structure;

pub use event::Event;
pub use record::Record;
pub use records::{Head, NearEvent, PlainEvents, Records};
pub(crate) use structure::frame_numbers;
pub use structure::{write_message, write_stack, write_string};

use crate::limits::V1_ARGS_MAX as ARGS_MAX;
use event::encode_args;

use crate::ids::{Seq, StackId, StringId, TaskId, ThreadId, UserTaskId, WorkerId};
use crate::table::event_table;

event_table! {
    /// All records up to the next batch are this worker's; the time begins at `ticks`.
    1 => Batch { worker: WorkerId, ticks: u64 }
        as Structure, since Go1_5, shape Untimed;

    /// How many ticks make a second. The last one of a file counts.
    2 => Frequency { ticks_per_second: u64 }
        as Structure, since Go1_5, shape Untimed;

    /// An entry of the stack table: id, count, and so many frames of pc, function, file and line.
    ///
    /// Always in the length form. In version 1.5 a frame is its pc alone.
    3 => Stack { stack: StackId }
        as Structure, since Go1_5, shape Raw;

    /// The number of workers changes.
    4 => Gomaxprocs { workers: u64, stack: StackId }
        as Metric(Workers), since Go1_5;

    /// The worker starts on a thread.
    5 => ProcStart { thread: ThreadId }
        as Transition(Worker, Idle, Running), since Go1_5;

    /// The worker stops.
    6 => ProcStop {}
        as Transition(Worker, Running, Idle), since Go1_5;

    /// A cycle of the garbage collector begins.
    7 => GCStart { seq: Seq since Go1_7, stack: StackId }
        as RangeBegin(Gc), since Go1_5;

    /// The cycle of the garbage collector ends.
    8 => GCDone {}
        as RangeEnd(Gc), since Go1_5;

    /// The world is stopped; `kind` says why.
    ///
    /// Up to version 1.19 kind is 0 for mark termination and 1 for sweep termination. Since version
    /// 1.21 it is a place in a list of 17 reasons.
    9 => GCSTWStart { kind: u64 since Go1_10 }
        as RangeBegin(StopTheWorld), since Go1_5, renamed STWStart since Go1_21;

    /// The world goes on.
    10 => GCSTWDone {}
        as RangeEnd(StopTheWorld), since Go1_5, renamed STWDone since Go1_21;

    /// The worker begins to sweep.
    11 => GCSweepStart { stack: StackId }
        as RangeBegin(Sweep), since Go1_5;

    /// The worker has swept so many bytes and got back so many of them.
    12 => GCSweepDone { swept_bytes: u64 since Go1_9, reclaimed_bytes: u64 since Go1_9 }
        as RangeEnd(Sweep), since Go1_5;

    /// A task is created; `start_stack` has the function that it will run.
    13 => GoCreate { task: TaskId, start_stack: StackId, stack: StackId }
        as Transition(Task, NotExist, Runnable), since Go1_5;

    /// A task starts to run on the worker.
    14 => GoStart { task: TaskId, seq: Seq since Go1_7 }
        as Transition(Task, Runnable, Running), since Go1_5;

    /// The running task ends.
    15 => GoEnd {}
        as Transition(Task, Running, NotExist), since Go1_5;

    /// The running task stops for ever.
    16 => GoStop { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "forever";

    /// The running task yields.
    17 => GoSched { stack: StackId }
        as Transition(Task, Running, Runnable), since Go1_5, reason "runtime.Gosched";

    /// The running task is preempted.
    18 => GoPreempt { stack: StackId }
        as Transition(Task, Running, Runnable), since Go1_5, reason "preempted";

    /// The running task sleeps.
    19 => GoSleep { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "sleep";

    /// The running task waits for something that has no event of its own.
    20 => GoBlock { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "unspecified";

    /// A waiting task can run again.
    21 => GoUnblock { task: TaskId, seq: Seq since Go1_7, stack: StackId }
        as Transition(Task, Waiting, Runnable), since Go1_5;

    /// The running task waits to send on a channel.
    22 => GoBlockSend { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "chan send";

    /// The running task waits to receive from a channel.
    23 => GoBlockRecv { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "chan receive";

    /// The running task waits for one of several.
    24 => GoBlockSelect { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "select";

    /// The running task waits for a lock or the like.
    25 => GoBlockSync { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "sync";

    /// The running task waits on a condition variable.
    26 => GoBlockCond { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "sync.(*Cond).Wait";

    /// The running task waits for the network.
    27 => GoBlockNet { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_5, reason "network";

    /// The running task enters a system call.
    28 => GoSysCall { stack: StackId }
        as SyscallBegin, since Go1_5;

    /// A task is back from a system call that blocked; it ended at `real_ticks`, if that is not 0.
    29 => GoSysExit { task: TaskId, seq: Seq, real_ticks: u64 }
        as Transition(Task, Syscall, Runnable), since Go1_5;

    /// The system call of the running task blocks, and the worker is taken from it.
    30 => GoSysBlock {}
        as Transition(Task, Running, Syscall), since Go1_5;

    /// A task waits at the start of the trace.
    31 => GoWaiting { task: TaskId }
        as Transition(Task, Runnable, Waiting), since Go1_5;

    /// A task is in a system call at the start of the trace.
    32 => GoInSyscall { task: TaskId }
        as Transition(Task, Runnable, Syscall), since Go1_5;

    /// So many bytes of heap are live.
    33 => HeapAlloc { live_bytes: u64 }
        as Metric(HeapLive), since Go1_5;

    /// The heap may grow to so many bytes before the next cycle; 0 when only a limit starts it.
    34 => HeapGoal { goal_bytes: u64 }
        as Metric(HeapGoal), since Go1_5;

    /// This task runs timers. Retired: versions 1.19 and 1.21 do not write it.
    35 => TimerGoroutine { task: TaskId }
        as TimerTask, since Go1_5, shape Untimed;

    /// The running task was woken for nothing. Retired: versions 1.19 and 1.21 do not write it.
    36 => FutileWakeup {}
        as FutileWakeup, since Go1_5;

    /// An entry of the string table: id, length, bytes. It has no count bits.
    37 => String { string: StringId }
        as Structure, since Go1_7, shape Raw;

    /// A task starts to run on the worker on which it ran last; its sequence number moves on by one.
    38 => GoStartLocal { task: TaskId }
        as Transition(Task, Runnable, Running), since Go1_7;

    /// A waiting task can run again on the same worker; its sequence number moves on by one.
    39 => GoUnblockLocal { task: TaskId, stack: StackId }
        as Transition(Task, Waiting, Runnable), since Go1_7;

    /// As GoSysExit, on the same worker. Never to be written: all of Go's readers refuse it.
    40 => GoSysExitLocal { task: TaskId, real_ticks: u64 }
        as Transition(Task, Syscall, Runnable), since Go1_7;

    /// A task with a label starts to run.
    41 => GoStartLabel { task: TaskId, seq: Seq, label: StringId }
        as Transition(Task, Runnable, Running), since Go1_8;

    /// The running task waits until it may help the collector.
    42 => GoBlockGC { stack: StackId }
        as Transition(Task, Running, Waiting), since Go1_8, reason "GC mark assist wait for work";

    /// The running task begins to help the collector.
    43 => GCMarkAssistStart { stack: StackId }
        as RangeBegin(MarkAssist), since Go1_9;

    /// The running task has helped the collector.
    44 => GCMarkAssistDone {}
        as RangeEnd(MarkAssist), since Go1_9;

    /// A user task begins; `parent` 0 means none.
    45 => UserTaskCreate { user_task: UserTaskId, parent: UserTaskId, name: StringId, stack: StackId }
        as UserTaskBegin, since Go1_11;

    /// A user task ends.
    46 => UserTaskEnd { user_task: UserTaskId, stack: StackId }
        as UserTaskEnd, since Go1_11;

    /// A user region begins (`mode` 0) or ends (1).
    47 => UserRegion { user_task: UserTaskId, mode: u64, name: StringId, stack: StackId }
        as UserRegion, since Go1_11;

    /// The program logs a message, which follows the record.
    48 => UserLog { user_task: UserTaskId, key: StringId, stack: StackId }
        as UserLog, since Go1_11, shape Log;

    /// The CPU profiler's signal came at `real_ticks`; the record's own time is that of its writing.
    49 => CPUSample { real_ticks: u64, worker: WorkerId, task: TaskId, stack: StackId }
        as Sample, since Go1_19;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::EVENT_BYTES_MAX;
    use crate::spec::Shape;
    use crate::version::Version;
    use proptest::prelude::*;

    #[track_caller]
    fn check(event: impl Event, delta: u64, expect: &[u8]) {
        let mut out = [0xee; EVENT_BYTES_MAX];
        let length = event.encode(delta, &mut out);
        assert_eq!(&out[..length], expect);
        assert!(
            out[length..].iter().all(|&byte| byte == 0xee),
            "writes past its end"
        );
    }

    #[test]
    fn the_count_of_numbers_decides_the_form() {
        check(GoEnd {}, 7, &[15, 7]);
        check(
            GoSched { stack: StackId(3) },
            300,
            &[17 | 1 << 6, 0xac, 2, 3],
        );
        check(
            GoStart {
                task: TaskId(1),
                seq: Seq(2),
            },
            1,
            &[14 | 2 << 6, 1, 1, 2],
        );
        check(
            GoUnblock {
                task: TaskId(1),
                seq: Seq(2),
                stack: StackId(200),
            },
            1,
            &[21 | 3 << 6, 5, 1, 1, 2, 0xc8, 1],
        );
    }

    #[test]
    fn untimed_records_leave_out_the_delta() {
        check(
            Batch {
                worker: WorkerId(2),
                ticks: 100,
            },
            77,
            &[1 | 1 << 6, 2, 100],
        );
        check(
            Frequency {
                ticks_per_second: 5,
            },
            77,
            &[2, 5],
        );
        let none = [
            1 | 1 << 6,
            0xff,
            0xff,
            0xff,
            0xff,
            0xff,
            0xff,
            0xff,
            0xff,
            0xff,
            1,
            9,
        ];
        check(
            Batch {
                worker: WorkerId::NONE,
                ticks: 9,
            },
            0,
            &none,
        );
    }

    #[test]
    fn the_longest_event_fits() {
        let event = CPUSample {
            real_ticks: u64::MAX,
            worker: WorkerId::NONE,
            task: TaskId(u64::MAX),
            stack: StackId(u64::MAX),
        };
        let mut out = [0; EVENT_BYTES_MAX];
        assert_eq!(event.encode(u64::MAX, &mut out), 52);
        assert_eq!(out[..2], [49 | 3 << 6, 50]);
    }

    #[test]
    fn numbers_and_names_lead_back_to_the_type() {
        for (i, &event_type) in EventType::ALL.iter().enumerate() {
            let spec = event_type.spec();
            assert_eq!(
                (spec.number, event_type as usize),
                (event_type as u8, i + 1)
            );
            assert_eq!(EventType::from_number(spec.number), Some(event_type));
            for version in Version::ALL {
                assert_eq!(
                    EventType::from_name(spec.name_in(version)),
                    Some(event_type)
                );
            }
        }
        assert_eq!(EventType::ALL.len(), 49);
        assert_eq!(EventType::from_number(0), None);
        assert_eq!(EventType::from_number(50), None);
        assert_eq!(EventType::from_name("GoFly"), None);
    }

    #[test]
    fn argument_lists_grow_with_the_version() {
        let names = |event_type: EventType, version| {
            event_type
                .spec()
                .args_in(version)
                .map(|arg| arg.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(EventType::GoUnblock, Version::Go1_5),
            ["task", "stack"]
        );
        assert_eq!(
            names(EventType::GoUnblock, Version::Go1_7),
            ["task", "seq", "stack"]
        );
        assert_eq!(names(EventType::GCSTWStart, Version::Go1_9), [""; 0]);
        assert_eq!(names(EventType::GCSTWStart, Version::Go1_10), ["kind"]);
        assert_eq!(names(EventType::GCSweepDone, Version::Go1_8), [""; 0]);
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
                let record = Record { offset: 0, event_type, sequence: 0, delta, args, rest: &[] };
                let mut bytes = Vec::new();
                record.append(Version::Go1_21, &mut bytes);
                if event_type.spec().shape == Shape::Log {
                    // The message is not part of the struct.
                    bytes.pop();
                }
                prop_assert_eq!(written, bytes, "{}", event_type.spec().name);
            }
        }
    }
}
