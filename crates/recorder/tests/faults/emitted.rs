//! An account of the hooks that a test calls.

use std::collections::BTreeMap;

use exectrace::Statistics;
use exectrace::hook::{BlockReason, Task, heap_live};
use exectrace_format::go_v1::{EventType, Records};

/// Hooks that were called, by the event that each is to write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emitted(BTreeMap<&'static str, u64>);

pub(crate) fn entry() -> *const () {
    fn work() {}
    work as fn() as *const ()
}

impl Emitted {
    pub(crate) fn add(&mut self, kind: &'static str, count: u64) {
        *self.0.entry(kind).or_default() += count;
    }

    /// Calls [`heap_live`] so many times.
    pub(crate) fn heap(&mut self, count: u64) {
        for number in 0..count {
            heap_live(number);
        }
        self.add("HeapAlloc", count);
    }

    /// The life of a task that waits so many times and is woken each time.
    pub(crate) fn life(&mut self, waits: u64) {
        let task = Task::new(entry());
        let waker = task.reference();
        for _ in 0..waits {
            task.start().block(BlockReason::Receive);
            waker.wake();
        }
        task.start().end();
        self.add("GoCreate", 1);
        self.add("GoStart", waits + 1);
        self.add("GoBlockRecv", waits);
        self.add("GoUnblock", waits);
        self.add("GoEnd", 1);
    }

    /// Of each kind, written + dropped = emitted.
    #[track_caller]
    pub(crate) fn assert_accounted(&self, statistics: &Statistics) {
        assert_eq!(statistics.dropped_without_room, 0, "{statistics}");
        let of = |kind| statistics.events.of(kind) + statistics.dropped.of(kind);
        // Tasks of other tests that live on are introduced.
        let introduced = of("GoWaiting") + of("GoInSyscall");
        for (&kind, &count) in &self.0 {
            let introduced = if kind == "GoCreate" { introduced } else { 0 };
            let found = of(kind) - introduced;
            assert_eq!(found, count, "{kind}: {statistics:?}");
        }
    }

    /// As [`Self::assert_accounted`], and all is written.
    #[track_caller]
    pub(crate) fn assert_written(&self, statistics: &Statistics) {
        self.assert_accounted(statistics);
        assert!(statistics.is_complete(), "{statistics}");
        assert_eq!(statistics.dropped_total(), 0, "{statistics:?}");
    }
}

/// The events in a file, by kind, up to its end or its first cut record.
pub(crate) fn events_in(file: &[u8]) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    let records = Records::of_file(file).expect("the file has its header");
    for record in records.map_while(Result::ok) {
        match record.event_type {
            EventType::Batch | EventType::Frequency | EventType::Stack | EventType::String => {}
            event_type => {
                // As Go lists them.
                let name = event_type.spec().name.trim_end_matches("Local");
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    counts
}

/// The file holds just what the account says that it does.
#[track_caller]
pub(crate) fn assert_holds(file: &[u8], statistics: &Statistics) {
    let ours: BTreeMap<&'static str, u64> = statistics.events.iter().collect();
    assert_eq!(events_in(file), ours);
    assert_eq!(file.len() as u64, statistics.bytes_written);
}
