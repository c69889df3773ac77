//! Every interleaving of the two sides, on buffers of a few words.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p exectrace-profbuf --release --test loom`
//!
//! Records are numbered by their time, so that a reader can say what must come next: a record
//! with that number, or a loss that begins with it. Loom itself reports a data race on words,
//! tags and the sleeper's slot, and a reader that nobody wakes.
#![cfg(loom)]

use exectrace_profbuf::{Mode, Read, Reader, Sizes, Writer, buffer};
use loom::thread;

/// A tag that has an address, so that a lost or doubled one shows as a leak or a crash.
type Tag = Box<u64>;

/// Words of a record without a stack.
const RECORD: usize = 3;

/// Explores all interleavings with at most this many forced switches of threads.
fn model(preemptions: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(run);
}

/// A buffer with headers of one word.
fn small(data_words: usize, tags: usize) -> (Writer<Tag>, Reader<Tag>) {
    let sizes = Sizes {
        header_words: 1,
        data_words,
        tags,
    };
    buffer(sizes).unwrap()
}

/// Writes the record of this number; true if it was not lost.
fn write(writer: &mut Writer<Tag>, number: u64) -> bool {
    let tag = Box::new(number);
    match writer.write(Some(tag), number, &[1], &[]) {
        Ok(()) => true,
        Err(lost) => {
            assert_eq!(lost.tag.as_deref(), Some(&number));
            false
        }
    }
}

/// Loses the record of this number, whatever room there is.
fn lose(writer: &mut Writer<Tag>, number: u64) {
    writer.write(None, number, &[1, 1], &[]).unwrap_err();
}

/// Reads once; false if that was the end. Moves `next` over what was read and lost.
fn read(reader: &mut Reader<Tag>, mode: Mode, next: &mut u64) -> bool {
    match reader.read(mode) {
        Read::Records(records) => {
            assert_ne!(records.len(), 0);
            for record in records {
                assert_eq!(record.time, *next);
                match record.lost() {
                    Some(count) => {
                        assert_eq!((record.header, record.tag), (&[0][..], None));
                        *next += count;
                    }
                    None => {
                        assert_eq!((record.header, record.stack), (&[1][..], &[][..]));
                        assert_eq!(record.tag.map(|tag| **tag), Some(*next));
                        *next += 1;
                    }
                }
            }
            true
        }
        Read::Empty => true,
        Read::End => false,
    }
}

/// Reads to the end and checks that `written` records were read or lost.
fn read_to_the_end(mut reader: Reader<Tag>, written: u64) {
    let mut next = 0;
    while read(&mut reader, Mode::Blocking, &mut next) {}
    assert_eq!(next, written);
}

#[test]
fn what_is_written_is_read() {
    model(3, || {
        let (mut writer, reader) = small(16, 4);
        let writing = thread::spawn(move || {
            assert!(write(&mut writer, 0));
            assert!(write(&mut writer, 1));
        });
        read_to_the_end(reader, 2);
        writing.join().unwrap();
    });
}

#[test]
fn a_read_that_does_not_block_sees_whole_records() {
    model(3, || {
        let (mut writer, mut reader) = small(16, 4);
        let writing = thread::spawn(move || {
            write(&mut writer, 0);
            write(&mut writer, 1);
        });
        let mut next = 0;
        read(&mut reader, Mode::NonBlocking, &mut next);
        read(&mut reader, Mode::NonBlocking, &mut next);
        writing.join().unwrap();
        while read(&mut reader, Mode::NonBlocking, &mut next) {}
        assert_eq!(next, 2);
    });
}

#[test]
fn room_is_reused_only_when_given_back() {
    model(3, || {
        // One record fills the buffer.
        let (mut writer, reader) = small(4, 1);
        let writing = thread::spawn(move || {
            for number in 0..3 {
                write(&mut writer, number);
            }
        });
        read_to_the_end(reader, 3);
        writing.join().unwrap();
    });
}

#[test]
fn a_record_at_the_ring_s_start_follows_a_marker() {
    model(3, || {
        // Two records leave two words, which the third skips, if there is room for it by then.
        let (mut writer, reader) = small(2 * RECORD + 2, 4);
        let writing = thread::spawn(move || {
            for number in 0..4 {
                write(&mut writer, number);
            }
        });
        read_to_the_end(reader, 4);
        writing.join().unwrap();
    });
}

#[test]
fn a_loss_is_told_once_by_either_side_and_in_order() {
    model(3, || {
        // Room for the report of a loss and one record.
        let (mut writer, reader) = small(8, 4);
        let writing = thread::spawn(move || {
            lose(&mut writer, 0);
            write(&mut writer, 1);
            lose(&mut writer, 2);
            lose(&mut writer, 3);
        });
        read_to_the_end(reader, 4);
        writing.join().unwrap();
    });
}

#[test]
fn a_loss_is_not_told_before_what_was_written_before_it() {
    model(4, || {
        let (mut writer, reader) = small(8, 4);
        let writing = thread::spawn(move || {
            assert!(write(&mut writer, 0));
            lose(&mut writer, 1);
        });
        read_to_the_end(reader, 2);
        writing.join().unwrap();
    });
}

#[test]
fn half_a_ring_of_data_wakes_the_reader() {
    model(4, || {
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            write(&mut writer, 0);
            write(&mut writer, 1);
            writer // Not dropped: the end would wake the reader too.
        });
        let mut next = 0;
        while next < 2 {
            // The first alone may be seen, but must not be waited for.
            read(&mut reader, Mode::Blocking, &mut next);
            if next == 1 {
                let _writer = writing.join().unwrap();
                assert!(read(&mut reader, Mode::NonBlocking, &mut next));
                assert_eq!(next, 2);
                return;
            }
        }
        writing.join().unwrap();
    });
}

#[test]
fn data_wakes_a_reader_that_sleeps_after_a_look() {
    model(3, || {
        // The writer looks for a sleeper at 6 words. If the reader sleeps after that, the third
        // record, with the words that it skips, is half a ring.
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            for number in 0..3 {
                write(&mut writer, number);
            }
            writer
        });
        let mut next = 0;
        while next < 3 {
            read(&mut reader, Mode::Blocking, &mut next);
        }
        writing.join().unwrap();
    });
}

#[test]
fn data_wakes_a_reader_that_sleeps_before_a_look() {
    model(3, || {
        // The writer looks for a sleeper at 9 words. If the reader sleeps there with 6 read, half
        // a ring is full at 14, and not only half a ring after the look.
        let (mut writer, mut reader) = small(16, 8);
        let writing = thread::spawn(move || {
            for number in 0..5 {
                write(&mut writer, number);
            }
            writer
        });
        let mut next = 0;
        // The last two are less than half a ring.
        while next < 3 {
            read(&mut reader, Mode::Blocking, &mut next);
        }
        writing.join().unwrap();
    });
}

#[test]
fn a_loss_wakes_the_reader() {
    model(4, || {
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            lose(&mut writer, 0);
            writer
        });
        let mut next = 0;
        read(&mut reader, Mode::Blocking, &mut next);
        assert_eq!(next, 1);
        writing.join().unwrap();
    });
}

#[test]
fn two_losses_wake_the_reader_once_each() {
    model(3, || {
        // The write between them reports the first loss, so that the second is news again,
        // perhaps before the reader is up.
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            lose(&mut writer, 0);
            write(&mut writer, 1);
            lose(&mut writer, 2);
            writer
        });
        let mut next = 0;
        while next < 3 {
            read(&mut reader, Mode::Blocking, &mut next);
        }
        writing.join().unwrap();
    });
}

#[test]
fn the_end_wakes_the_reader() {
    model(4, || {
        let (writer, mut reader) = small(8, 4);
        let closing = thread::spawn(move || writer.close());
        assert!(matches!(reader.read(Mode::Blocking), Read::End));
        closing.join().unwrap();
    });
}

#[test]
fn what_comes_just_before_the_end_is_read() {
    model(4, || {
        let (mut writer, reader) = small(8, 4);
        let writing = thread::spawn(move || {
            assert!(write(&mut writer, 0));
            writer.close();
        });
        read_to_the_end(reader, 1);
        writing.join().unwrap();
    });
}

#[test]
fn what_is_lost_just_before_the_end_is_told() {
    model(4, || {
        let (mut writer, reader) = small(8, 4);
        let writing = thread::spawn(move || {
            lose(&mut writer, 0);
            writer.close();
        });
        read_to_the_end(reader, 1);
        writing.join().unwrap();
    });
}

#[test]
fn a_reader_that_moved_is_woken_where_it_is() {
    model(2, || {
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            lose(&mut writer, 0);
            write(&mut writer, 1);
            lose(&mut writer, 2);
        });
        let first = thread::spawn(move || {
            let mut next = 0;
            read(&mut reader, Mode::Blocking, &mut next);
            (reader, next)
        });
        let (mut reader, mut next) = first.join().unwrap();
        while read(&mut reader, Mode::Blocking, &mut next) {}
        assert_eq!(next, 3);
        writing.join().unwrap();
    });
}

#[test]
fn either_handle_may_go_first_with_tags_left() {
    model(4, || {
        let (mut writer, mut reader) = small(8, 4);
        let writing = thread::spawn(move || {
            write(&mut writer, 0);
            write(&mut writer, 1);
        });
        let mut next = 0;
        read(&mut reader, Mode::NonBlocking, &mut next);
        drop(reader);
        writing.join().unwrap();
    });
}
