//! Format v1: bytes that are no records.

use exectrace_format::go_v1::EventType;
use exectrace_format::limits::V1_WORKERS_MAX;
use exectrace_format::{ThreadId, WorkerId, varint};
use exectrace_reader::{Cause, Timestamp};

use super::read;
use super::v1::{BEGIN, fault, file};

/// A good file, and where the records begin whose text is given.
fn with_places(lines: &str, searched: &[&str]) -> (Vec<u8>, Vec<usize>) {
    let place = |line: &&str| {
        let (before, _) = lines.split_once(line).expect("is there");
        file("1.19", before).len()
    };
    (file("1.19", lines), searched.iter().map(place).collect())
}

#[test]
fn one_record_is_lost_if_it_says_where_it_ends() {
    let lines = format!(
        "{BEGIN}GCStart dt=1 seq=0\nUserLog dt=5\n{}",
        "GCDone dt=1\nGCStart dt=1 seq=1\n".repeat(8)
    );
    let (whole, places) = with_places(&lines, &["GCStart dt=1 seq=0", "UserLog"]);
    // There is no such type; the number says how many numbers follow. Or there are too few of them.
    for byte in [63 | 2 << 6, 7 | 1 << 6] {
        let mut file = whole.clone();
        file[places[0]] = byte;
        let read = read(&file);
        assert_eq!((read.loss.bytes, read.loss.events), (4, 1), "{byte}");
        assert!(read.loss.is_exact && read.loss.gap_count == 1);
        assert_eq!(read.loss.gaps[0].error, fault(&file));
        assert_eq!(read.loss.time, Some((Timestamp(30), Timestamp(30))));
        assert_eq!(read.events[4].time, Timestamp(36));
    }
}

#[test]
fn a_batch_that_lost_its_begin_is_lost_up_to_the_next_one() {
    let lines = format!(
        "{BEGIN}
        Batch worker=1 ticks=1200
        ProcStart dt=1 thread=8
        Batch worker=2 ticks=1400
        ProcStart dt=1 thread=9"
    );
    let (mut file, places) = with_places(&lines, &["Batch worker=1", "Batch worker=2"]);
    file[places[0]] = 0;
    // Nothing may look like a record of the batch before.
    file[places[0] + 1..places[1]].fill(0);
    let read = read(&file);
    assert_eq!(read.loss.bytes, (places[1] - places[0]) as u64);
    assert_eq!((read.loss.events, read.loss.is_exact), (1, false));
    assert_eq!(read.loss.time, Some((Timestamp(30), Timestamp(390))));
    assert_eq!(
        read.events.last().map(|event| event.thread),
        Some(ThreadId(9))
    );
    assert!(read.repairs.is_none());
}

#[test]
fn a_batch_is_known_by_its_time_too() {
    let begin = BEGIN.replace("ticks=1000\n", "ticks=100000000000\n");
    let lines = format!("{begin}Batch worker=1 ticks=100000001000\nProcStart dt=1 thread=8");
    let (mut file, places) = with_places(&lines, &["Batch worker=1"]);
    file[places[0]] ^= 1;
    let read = read(&file);
    assert_eq!((read.loss.bytes, read.loss.events), (8, 0));
    assert!(read.loss.is_exact && read.repairs.is_none());
    let last = read.events.last().expect("is told");
    assert_eq!((last.worker, last.time), (WorkerId(1), Timestamp(991)));
}

#[test]
fn records_fall_into_step_behind_one_that_does_not_say_where_it_ends() {
    let lines = format!(
        "{BEGIN}GCStart dt=1 seq=0 stack=5\n{}",
        "GCDone dt=1\nGCStart dt=1 seq=1 stack=5\n".repeat(8)
    );
    let (mut file, places) = with_places(&lines, &["GCStart"]);
    // A length that leads into nothing.
    file[places[0]] = 21 | 3 << 6;
    let read = read(&file);
    assert_eq!(read.loss.gap_count, 1);
    assert!(read.loss.bytes < 16 && !read.loss.is_exact, "{}", read.loss);
    assert!(read.events.len() > 16);
}

#[test]
fn a_cut_file_keeps_what_is_whole() {
    let (whole, places) = with_places(
        &format!("{BEGIN}UserLog dt=5 message=\"text\""),
        &["GoStart", "UserLog"],
    );
    let read_to = |length: usize| read(&whole[..length]);
    let read = read_to(places[1] - 1);
    assert_eq!(
        (read.loss.bytes, read.loss.events, read.loss.is_exact),
        (3, 1, false)
    );
    assert_eq!(read.types().len(), 3);
    // A log is told without its message.
    let read = read_to(whole.len() - 1);
    assert_eq!(
        (read.loss.bytes, read.loss.events, read.loss.is_exact),
        (4, 0, false)
    );
    assert_eq!(read.types().last(), Some(&"UserLog"));
}

#[test]
fn of_more_workers_than_a_process_has_the_rest_is_lost() {
    let mut file = file("1.19", BEGIN);
    let mut rest = 0;
    // There is one already.
    for worker in 1..V1_WORKERS_MAX + 10 {
        if worker == V1_WORKERS_MAX {
            rest = file.len();
        }
        file.push(EventType::Batch as u8 | 1 << 6);
        varint::push(&mut file, worker as u64);
        varint::push(&mut file, 2000);
        file.extend([EventType::HeapAlloc as u8 | 1 << 6, 1, 1]);
    }
    let fault = fault(&file);
    assert_eq!(
        (fault.cause, fault.offset),
        (Cause::TooManyWorkers, rest as u64)
    );
    let read = read(&file);
    assert_eq!(read.loss.bytes, (file.len() - rest) as u64);
    assert_eq!((read.loss.gap_count, read.loss.is_exact), (1, false));
    assert_eq!(read.loss.gaps[0].error, fault);
    assert_eq!(read.events.len(), 4 + V1_WORKERS_MAX - 1);
}
