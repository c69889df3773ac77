//! A writer that never pauses, against a fast, a slow and a sleeping reader.
//!
//! Every record has a tag that counts its drop. In the end read + lost = written, in order, and
//! each tag was dropped once.
#![cfg(not(loom))]

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use exectrace_profbuf::{Mode, Read, Reader, Sizes, Writer, buffer};

/// Records written to each reader.
const RECORDS: u64 = 300_000;

/// A tag on the heap, so that a sanitizer sees a use after its drop.
struct Tag<'a> {
    number: Box<u64>,
    drops: &'a AtomicU64,
}

impl Drop for Tag<'_> {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes without a pause while this reader reads.
fn check(data_words: usize, tags: usize, read: impl Fn(&mut Reader<Tag<'_>>, &mut u64) -> bool) {
    let drops = AtomicU64::new(0);
    let sizes = Sizes {
        header_words: 1,
        data_words,
        tags,
    };
    let (writer, mut reader) = buffer(sizes).unwrap();
    thread::scope(|scope| {
        let drops = &drops;
        let writing = scope.spawn(move || write_all(writer, drops));
        let mut next = 0;
        while read(&mut reader, &mut next) {}
        writing.join().unwrap();
        assert_eq!(next, RECORDS);
    });
    drop(reader);
    assert_eq!(drops.load(Ordering::Relaxed), RECORDS);
}

fn write_all<'a>(mut writer: Writer<Tag<'a>>, drops: &'a AtomicU64) {
    for number in 0..RECORDS {
        let tag = Tag {
            number: Box::new(number),
            drops,
        };
        let stack = [number; 8];
        let depth = number as usize % 9;
        if let Err(lost) = writer.write(Some(tag), number, &[1], &stack[..depth]) {
            let tag = lost.tag.expect("a lost record gives its tag back");
            assert_eq!(*tag.number, number);
        }
    }
}

/// Reads once and moves `next` over what was read and lost; false at the end.
fn read_once(reader: &mut Reader<Tag<'_>>, mode: Mode, next: &mut u64) -> bool {
    let records = match reader.read(mode) {
        Read::Records(records) => records,
        Read::Empty => return true,
        Read::End => return false,
    };
    for record in records {
        assert_eq!(record.time, *next);
        if let Some(count) = record.lost() {
            *next += count;
            continue;
        }
        let number = record.tag.map(|tag| *tag.number);
        assert_eq!(number, Some(*next));
        assert_eq!(record.stack.len() as u64, *next % 9);
        assert!(record.stack.iter().all(|it| it == next));
        *next += 1;
    }
    true
}

#[test]
fn a_fast_reader_gets_all_in_order() {
    check(1 << 16, 1 << 13, |reader, next| {
        read_once(reader, Mode::NonBlocking, next)
    });
}

#[test]
fn a_slow_reader_is_told_what_it_missed() {
    check(1 << 8, 1 << 5, |reader, next| {
        for work in 0..2_000 {
            black_box(work);
        }
        read_once(reader, Mode::NonBlocking, next)
    });
}

#[test]
fn a_sleeping_reader_is_woken_in_time() {
    for data_words in [16, 64, 1 << 12] {
        check(data_words, 64, |reader, next| {
            read_once(reader, Mode::Blocking, next)
        });
    }
}
