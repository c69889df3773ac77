//! What the two handles promise each other, one promise to a test; both on one thread.
#![cfg(not(loom))]

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use exectrace_profbuf::{Cause, Mode, Read, Reader, Sizes, Writer, buffer};

/// What a test wants to know of a record.
#[derive(Debug, PartialEq)]
enum Seen {
    Record {
        time: u64,
        stack: Vec<u64>,
        tag: Option<u32>,
    },
    Lost {
        time: u64,
        count: u64,
    },
}

fn record(time: u64, stack: &[u64], tag: Option<u32>) -> Seen {
    let stack = stack.to_vec();
    Seen::Record { time, stack, tag }
}

fn lost(time: u64, count: u64) -> Seen {
    Seen::Lost { time, count }
}

/// A buffer with headers of two words, as the sampler has them.
fn small<T>(data_words: usize, tags: usize) -> (Writer<T>, Reader<T>) {
    let sizes = Sizes {
        header_words: 2,
        data_words,
        tags,
    };
    buffer(sizes).unwrap()
}

/// Words of a record with a stack of this length.
const fn words(depth: usize) -> usize {
    4 + depth
}

/// The header of every record here.
const HEADER: [u64; 2] = [3 << 1 | 1, 17];

/// Reads once; none if there is nothing or the end.
fn read(reader: &mut Reader<u32>) -> Vec<Seen> {
    let Read::Records(records) = reader.read(Mode::NonBlocking) else {
        return Vec::new();
    };
    assert_ne!(records.len(), 0);
    let len = records.len();
    let seen: Vec<Seen> = records
        .map(|it| match it.lost() {
            Some(count) => {
                assert_eq!(
                    (it.header, it.stack, it.tag),
                    (&[0, 0][..], &[count][..], None)
                );
                lost(it.time, count)
            }
            None => {
                assert_eq!(it.header, HEADER);
                record(it.time, it.stack, it.tag.copied())
            }
        })
        .collect();
    assert_eq!(seen.len(), len);
    seen
}

/// Reads until there is nothing more.
fn read_all(reader: &mut Reader<u32>) -> Vec<Seen> {
    let mut all = Vec::new();
    loop {
        let seen = read(reader);
        if seen.is_empty() {
            return all;
        }
        all.extend(seen);
    }
}

#[test]
fn an_empty_buffer_reads_as_empty_again_and_again() {
    let (_writer, mut reader) = small::<u32>(16, 4);
    for _ in 0..3 {
        assert!(matches!(reader.read(Mode::NonBlocking), Read::Empty));
    }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let (mut writer, mut reader) = small(16, 4);
    writer.write(Some(9), 77, &HEADER, &[1, 2, 3]).unwrap();
    assert_eq!(read(&mut reader), [record(77, &[1, 2, 3], Some(9))]);
    assert_eq!(read(&mut reader), []);
    writer.write(None, 78, &HEADER, &[]).unwrap();
    assert_eq!(read(&mut reader), [record(78, &[], None)]);
}

#[test]
fn one_read_returns_all_records_up_to_the_ring_s_end() {
    let (mut writer, mut reader) = small(32, 8);
    for time in 0..4 {
        writer
            .write(Some(time as u32), time, &HEADER, &[time])
            .unwrap();
    }
    let expected: Vec<Seen> = (0..4)
        .map(|it| record(it, &[it], Some(it as u32)))
        .collect();
    assert_eq!(read(&mut reader), expected);
}

#[test]
fn what_is_read_stays_while_the_writer_goes_on() {
    let (mut writer, mut reader) = small(16, 4);
    writer.write(Some(1), 1, &HEADER, &[1; 4]).unwrap();
    let Read::Records(mut records) = reader.read(Mode::NonBlocking) else {
        panic!("there is a record");
    };
    let first = records.next().unwrap();
    writer.write(Some(2), 2, &HEADER, &[2; 4]).unwrap();
    writer.write(Some(3), 3, &HEADER, &[3; 4]).unwrap_err();
    assert_eq!(
        (first.time, first.stack, first.tag),
        (1, &[1; 4][..], Some(&1))
    );
    let expected = [record(2, &[2; 4], Some(2)), lost(3, 1)];
    assert_eq!(read_all(&mut reader), expected);
}

#[test]
fn a_short_header_is_padded_with_zeros() {
    let (mut writer, mut reader) = small::<u32>(16, 4);
    // The ring's words have been used before.
    for _ in 0..8 {
        writer.write(None, 1, &[u64::MAX; 2], &[u64::MAX]).unwrap();
        let Read::Records(_) = reader.read(Mode::NonBlocking) else {
            panic!("there is a record");
        };
    }
    for header in [&[][..], &[5], &[5, 6]] {
        writer.write(None, 1, header, &[]).unwrap();
        let Read::Records(mut records) = reader.read(Mode::NonBlocking) else {
            panic!("there is a record");
        };
        let mut padded = header.to_vec();
        padded.resize(2, 0);
        let record = records.next().unwrap();
        assert_eq!((record.header, record.lost()), (&padded[..], None));
    }
}

#[test]
fn a_record_with_a_header_too_long_is_refused_and_counted() {
    let (mut writer, mut reader) = small(32, 4);
    writer.write(None, 1, &HEADER, &[]).unwrap();
    let refused = writer.write(Some(8), 2, &[1, 2, 3], &[]).unwrap_err();
    assert_eq!(
        (refused.cause, refused.tag),
        (Cause::HeaderTooLong, Some(8))
    );
    writer.write(None, 3, &HEADER, &[]).unwrap();
    let expected = [record(1, &[], None), lost(2, 1), record(3, &[], None)];
    assert_eq!(read_all(&mut reader), expected);
}

#[test]
fn a_real_record_that_looks_like_a_loss_is_none() {
    let (mut writer, mut reader) = small::<u32>(16, 4);
    writer.write(None, 1, &[0, 0], &[5]).unwrap();
    let Read::Records(mut records) = reader.read(Mode::NonBlocking) else {
        panic!("there is a record");
    };
    assert_eq!(records.next().unwrap().lost(), None);
}

#[test]
fn every_stack_length_is_read_at_every_offset() {
    const DATA: usize = 32;
    // Up to half a ring fits wherever the ring's end is, if the ring is empty.
    for depth in 0..=DATA / 2 - words(0) {
        let (mut writer, mut reader) = small(DATA, 2);
        let stack: Vec<u64> = (0..depth as u64).collect();
        // Twice around, and with lengths that do not divide the ring's, at every offset.
        for time in 0..2 * DATA as u64 {
            writer.write(Some(1), time, &HEADER, &stack).unwrap();
            assert_eq!(read(&mut reader), [record(time, &stack, Some(1))]);
            assert_eq!(read(&mut reader), [], "and is given back");
            // Moves the next record by a length that is not its own.
            writer.write(None, time, &HEADER, &[]).unwrap();
            assert_eq!(read(&mut reader), [record(time, &[], None)]);
            assert_eq!(read(&mut reader), []);
        }
    }
}

#[test]
fn a_record_as_long_as_the_ring_fits_at_its_start_alone() {
    let (mut writer, mut reader) = small(16, 4);
    let stack = [7; 16 - words(0)];
    writer.write(None, 1, &HEADER, &stack).unwrap();
    assert_eq!(read_all(&mut reader), [record(1, &stack, None)]);
    writer.write(None, 2, &HEADER, &[]).unwrap();
    assert_eq!(read_all(&mut reader), [record(2, &[], None)]);
    writer.write(None, 3, &HEADER, &stack).unwrap_err();
    assert_eq!(read_all(&mut reader), [lost(3, 1)]);
    writer.write(None, 4, &HEADER, &[0; 16]).unwrap_err();
    assert_eq!(read_all(&mut reader), [lost(4, 1)]);
}

#[test]
fn the_reader_tells_a_loss_that_the_writer_could_not() {
    let (mut writer, mut reader) = small(16, 4);
    for time in 0..2 {
        writer.write(None, time, &HEADER, &[9; 4]).unwrap();
    }
    for time in 2..7 {
        let lost = writer.write(Some(1), time, &HEADER, &[]).unwrap_err();
        assert_eq!((lost.cause, lost.tag), (Cause::NoRoom, Some(1)));
    }
    let expected = [record(0, &[9; 4], None), record(1, &[9; 4], None)];
    assert_eq!(read(&mut reader), expected);
    assert_eq!(read(&mut reader), [lost(2, 5)]);
    assert_eq!(read(&mut reader), []);
}

#[test]
fn room_counts_only_when_it_has_been_given_back() {
    let (mut writer, mut reader) = small(16, 4);
    for time in 0..4 {
        writer.write(None, time, &HEADER, &[]).unwrap();
    }
    for time in 4..7 {
        writer.write(None, time, &HEADER, &[]).unwrap_err();
    }
    assert_eq!(read(&mut reader).len(), 4);
    // Nothing is given back before the next read, so this is lost too.
    writer.write(None, 7, &HEADER, &[]).unwrap_err();
    let Read::Records(mut told) = reader.read(Mode::NonBlocking) else {
        panic!("the loss is told by the reader");
    };
    assert_eq!(told.next().unwrap().lost(), Some(4));
    // Now there is room, and nothing left to tell.
    writer.write(None, 8, &HEADER, &[]).unwrap();
    assert_eq!(read(&mut reader), [record(8, &[], None)]);
}

#[test]
fn a_loss_told_by_the_writer_stands_between_its_neighbours() {
    let (mut writer, mut reader) = small(16, 4);
    writer.write(None, 0, &HEADER, &[]).unwrap();
    assert_eq!(read(&mut reader).len(), 1);
    writer.write(None, 1, &HEADER, &[0; 20]).unwrap_err();
    writer.write(None, 2, &HEADER, &[0; 20]).unwrap_err();
    // The report takes the words from 4 to 9, this record those after.
    writer.write(Some(5), 3, &HEADER, &[3]).unwrap();
    let expected = [lost(1, 2), record(3, &[3], Some(5))];
    assert_eq!(read(&mut reader), expected);
}

#[test]
fn the_report_of_a_loss_may_have_to_skip_the_ring_s_end() {
    let (mut writer, mut reader) = small(16, 4);
    writer.write(None, 0, &HEADER, &[0; 8]).unwrap();
    assert_eq!(read_all(&mut reader).len(), 1);
    // Four words are left at the end; the report takes five.
    writer.write(None, 1, &HEADER, &[0; 20]).unwrap_err();
    writer.write(None, 2, &HEADER, &[2]).unwrap();
    let expected = [lost(1, 1), record(2, &[2], None)];
    assert_eq!(read_all(&mut reader), expected);
}

#[test]
fn a_record_that_would_fit_is_lost_while_a_loss_is_pending() {
    let (mut writer, mut reader) = small(16, 4);
    writer.write(None, 0, &HEADER, &[0; 2]).unwrap();
    writer.write(None, 1, &HEADER, &[0; 7]).unwrap_err();
    // Ten words are free: not enough for the report and this one.
    writer.write(None, 2, &HEADER, &[0; 2]).unwrap_err();
    // But enough for this one and the report.
    writer.write(None, 3, &HEADER, &[0; 1]).unwrap();
    let expected = [record(0, &[0; 2], None), lost(1, 2), record(3, &[0], None)];
    assert_eq!(read_all(&mut reader), expected);
}

#[test]
fn tags_that_run_out_lose_records_too() {
    let (mut writer, mut reader) = small(64, 2);
    writer.write(Some(0), 0, &HEADER, &[]).unwrap();
    writer.write(None, 1, &HEADER, &[]).unwrap();
    writer.write(Some(2), 2, &HEADER, &[]).unwrap_err();
    let expected = [record(0, &[], Some(0)), record(1, &[], None), lost(2, 1)];
    assert_eq!(read_all(&mut reader), expected);
    writer.write(Some(3), 3, &HEADER, &[]).unwrap();
    assert_eq!(read_all(&mut reader), [record(3, &[], Some(3))]);
}

#[test]
fn what_is_left_at_the_end_is_read_before_the_end() {
    for mode in [Mode::Blocking, Mode::NonBlocking] {
        let (mut writer, mut reader) = small::<u32>(16, 4);
        writer.write(Some(1), 1, &HEADER, &[1; 8]).unwrap();
        writer.write(Some(2), 2, &HEADER, &[2; 8]).unwrap_err();
        writer.close();
        assert!(matches!(reader.read(mode), Read::Records(it) if it.len() == 1));
        let Read::Records(mut told) = reader.read(mode) else {
            panic!("the loss is told before the end");
        };
        assert_eq!(told.next().unwrap().lost(), Some(1));
        for _ in 0..3 {
            assert!(matches!(reader.read(mode), Read::End));
        }
    }
}

#[test]
fn a_writer_without_a_reader_fills_the_buffer_and_then_counts() {
    let (mut writer, reader) = small::<u32>(16, 4);
    drop(reader);
    let written = (0..10)
        .filter(|&time| writer.write(Some(1), time, &HEADER, &[]).is_ok())
        .count();
    assert_eq!(written, 4);
}

#[test]
fn a_tag_lives_until_the_read_after_its_own() {
    let (mut writer, mut reader) = small(16, 4);
    let tag = Arc::new(());
    writer
        .write(Some(Arc::clone(&tag)), 1, &HEADER, &[])
        .unwrap();
    assert_eq!(Arc::strong_count(&tag), 2);
    let Read::Records(mut records) = reader.read(Mode::NonBlocking) else {
        panic!("there is a record");
    };
    assert!(Arc::ptr_eq(records.next().unwrap().tag.unwrap(), &tag));
    assert_eq!(Arc::strong_count(&tag), 2);
    assert!(matches!(reader.read(Mode::NonBlocking), Read::Empty));
    assert_eq!(Arc::strong_count(&tag), 1);
}

#[test]
fn a_slot_without_a_tag_does_not_show_an_old_one() {
    let (mut writer, mut reader) = small(16, 1);
    writer.write(Some(1), 1, &HEADER, &[]).unwrap();
    assert_eq!(read_all(&mut reader), [record(1, &[], Some(1))]);
    writer.write(None, 2, &HEADER, &[]).unwrap();
    assert_eq!(read_all(&mut reader), [record(2, &[], None)]);
}

#[test]
fn tags_left_go_with_the_last_handle() {
    for reader_last in [false, true] {
        let (mut writer, mut reader) = small(64, 4);
        let tag = Arc::new(());
        for time in 0..3 {
            writer
                .write(Some(Arc::clone(&tag)), time, &HEADER, &[])
                .unwrap();
        }
        assert!(matches!(reader.read(Mode::NonBlocking), Read::Records(_)));
        if reader_last {
            drop(writer);
            assert_eq!(Arc::strong_count(&tag), 4);
            drop(reader);
        } else {
            drop(reader);
            assert_eq!(Arc::strong_count(&tag), 4);
            drop(writer);
        }
        assert_eq!(Arc::strong_count(&tag), 1);
    }
}

#[test]
fn a_tag_whose_drop_panics_is_dropped_once() {
    struct Bomb<'a>(&'a Cell<u32>);
    impl Drop for Bomb<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
            if self.0.get() == 2 {
                panic!("the second tag");
            }
        }
    }
    let drops = Cell::new(0);
    let (mut writer, mut reader) = small(64, 4);
    for time in 0..3 {
        writer
            .write(Some(Bomb(&drops)), time, &HEADER, &[])
            .unwrap();
    }
    assert!(matches!(reader.read(Mode::NonBlocking), Read::Records(_)));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        reader.read(Mode::NonBlocking);
    }));
    panicked.unwrap_err();
    assert!(matches!(reader.read(Mode::NonBlocking), Read::Empty));
    assert_eq!(drops.get(), 3);
    writer.write(None, 3, &HEADER, &[0; 40]).unwrap();
}

#[test]
fn records_can_be_walked_twice() {
    let (mut writer, mut reader) = small::<u32>(64, 4);
    for time in 0..3 {
        writer.write(None, time, &HEADER, &[]).unwrap();
    }
    let Read::Records(mut records) = reader.read(Mode::NonBlocking) else {
        panic!("there are records");
    };
    records.next();
    let again = records.clone();
    assert_eq!((records.len(), again.len()), (2, 2));
    assert!(records.map(|it| it.time).eq(again.map(|it| it.time)));
}

#[test]
fn both_handles_may_move_to_other_threads() {
    fn check<T: Send>(_: &T) {}
    let (writer, reader) = small::<Cell<u32>>(16, 4);
    check(&writer);
    check(&reader);
}
