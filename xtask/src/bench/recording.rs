//! What recording may cost.

use super::row::Row;
use super::table::Table;

/// The budgets of hooks, sessions and the sampler.
pub(super) const TABLE: Table = Table {
    heading: "Recording",
    rows: ROWS,
};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row::at_most("hook_off", "hook, no session running", "ns", 1.0, 0.5),
    Row::at_most("event", "event without stack", "ns", 14.0, 11.0),
    Row::at_most("event_stack_10", "event with a 10-frame stack seen before", "ns", 32.0, 25.0),
    Row::at_most("event_stack_30", "event with a 30-frame stack seen before", "ns", 65.0, 50.0),
    Row::at_most("tokio_poll", "Tokio poll, start and stop, CPU added", "ns", 28.0, 22.0),
    Row::at_most("tokio_poll_wake", "… with wakes and who woke", "ns", 52.0, 42.0),
    Row::at_most("tokio_poll_stacks", "… with both stacks, up to 20 frames", "ns", 140.0, 95.0),
    Row::at_most("tokio_spawn_join", "spawn and join of an empty task, CPU added", "ns", 180.0, 140.0),
    Row::at_most("tcp_echo", "TCP echo, 64 connections, throughput lost", "%", 2.0, 1.0),
    Row::at_most("poll_bytes", "bytes of a poll, start and stop", "B", 10.0, 8.0),
    Row::at_most("poll_wake_bytes", "… with wake", "B", 15.0, 12.0),
    Row::at_most("heap_wrapper", "allocation and free through the traced allocator, added", "ns", 3.0, 1.5),
    Row::at_most("heap_wrapper_on", "… with a session running", "ns", 3.0, 1.5),
    Row::at_most("sampling_cpu", "CPU sampling at 100 Hz, CPU added", "%", 0.3, 0.1),
    Row::at_least("samples_found", "CPU samples found of those expected", "%", 90.0, 97.0),
    Row::at_most("profbuf_write_1", "profbuf write, depth 1", "ns", 15.0, 10.0),
    Row::at_most("profbuf_write_32", "profbuf write, depth 32", "ns", 25.0, 18.0),
    Row::at_most("profbuf_write_128", "profbuf write, depth 128", "ns", 60.0, 45.0),
    Row::at_most("profbuf_write_full", "profbuf write into a full buffer", "ns", 8.0, 5.0),
    Row::at_most("thread_start", "thread start with sampler on, over without", "×", 1.15, 1.1),
    Row::at_most("memory", "memory beside the batches' budget and debug info", "MB", 8.0, 4.0),
    Row::at_most("crates", "crates added to the user's program", "", 14.0, 8.0),
    Row::at_most("session_pause", "start or stop with 20,000 live tasks, pause of others", "µs", 20.0, 0.0),
];
