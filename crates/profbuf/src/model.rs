//! A plain model of the buffer, with which random sequences of operations must agree.
//!
//! The model keeps its records in a queue and only their places as numbers, which never wrap. It
//! foretells each outcome: which records are lost, what every single read returns, and when a
//! tag is dropped.

use std::{collections::VecDeque, rc::Rc};

use proptest::prelude::*;

use crate::{
    Mode, Read, Reader, Sizes, Writer,
    buffer::starting_at,
    counts::Counts,
    record::{FIXED_WORDS, loss_words},
};

/// What is done to the buffer.
#[derive(Clone, Debug)]
enum Operation {
    Write {
        header_words: usize,
        depth: usize,
        has_tag: bool,
    },
    Read,
    Close,
}

/// What is read.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Record {
        time: u64,
        header: Vec<u64>,
        stack: Vec<u64>,
        tag: Option<u64>,
    },
    Lost {
        time: u64,
        count: u64,
    },
}

/// A buffer as it should be.
struct Model {
    sizes: Sizes,
    /// Words counted from the ring's start, and tags, that are written.
    written: (usize, usize),
    /// The same, given back.
    given: (usize, usize),
    /// The same, returned.
    next: (usize, usize),
    /// Records not yet returned, each with the word where it begins.
    queue: VecDeque<(usize, Item)>,
    /// Time and number of the records lost and not yet told.
    pending: Option<(u64, u64)>,
    is_closed: bool,
}

impl Model {
    /// An empty buffer that begins at this word of a ring.
    fn new(sizes: Sizes, start: usize) -> Self {
        Self {
            sizes: Sizes {
                data_words: sizes.data_words.next_power_of_two(),
                tags: sizes.tags.next_power_of_two(),
                ..sizes
            },
            written: (start, 0),
            given: (start, 0),
            next: (start, 0),
            queue: VecDeque::new(),
            pending: None,
            is_closed: false,
        }
    }

    /// Where a record of `length` words begins if the rings are written up to `from`, if it has
    /// room.
    fn place(&self, from: (usize, usize), length: usize) -> Option<usize> {
        let ring = self.sizes.data_words;
        let left = ring - from.0 % ring;
        let begin = if length <= left {
            from.0
        } else {
            from.0 + left
        };
        let has_room = begin + length <= self.given.0 + ring;
        let has_slot = from.1 < self.given.1 + self.sizes.tags;
        (has_room && has_slot).then_some(begin)
    }

    fn push(&mut self, begin: usize, length: usize, item: Item) {
        self.queue.push_back((begin, item));
        self.written = (begin + length, self.written.1 + 1);
    }

    /// Writes a record; true if it is not lost.
    fn write(&mut self, length: Option<usize>, time: u64, item: Item) -> bool {
        let written = length.is_some_and(|length| self.try_write(length, item));
        if !written {
            let (_, count) = self.pending.get_or_insert((time, 0));
            *count += 1;
        }
        written
    }

    fn try_write(&mut self, length: usize, item: Item) -> bool {
        if let Some((time, count)) = self.pending {
            let loss = loss_words(self.sizes.header_words);
            let Some(begin) = self.place(self.written, loss) else {
                return false;
            };
            let after = (begin + loss, self.written.1 + 1);
            if self.place(after, length).is_none() {
                return false;
            }
            self.push(begin, loss, Item::Lost { time, count });
            self.pending = None;
        }
        let Some(begin) = self.place(self.written, length) else {
            return false;
        };
        self.push(begin, length, item);
        true
    }

    /// What the next read returns; none if that is nothing.
    fn read(&mut self) -> Vec<Item> {
        self.given = self.next;
        let Some(&(first, _)) = self.queue.front() else {
            let loss = self.pending.take();
            return loss
                .map(|(time, count)| Item::Lost { time, count })
                .into_iter()
                .collect();
        };
        let ring = self.sizes.data_words;
        let mut items = Vec::new();
        while let Some((begin, item)) = self.queue.pop_front() {
            if begin / ring != first / ring {
                self.queue.push_front((begin, item));
                break;
            }
            items.push(item);
        }
        // A marker is skipped with the record after it.
        let end = match self.queue.front() {
            None => self.written.0,
            Some(_) => self.end_of_lap(first, &items),
        };
        self.next = (end, self.next.1 + items.len());
        items
    }

    /// Where records end that begin at `first`, not counting words skipped after them.
    fn end_of_lap(&self, first: usize, items: &[Item]) -> usize {
        first + items.iter().map(|it| self.length(it)).sum::<usize>()
    }

    fn length(&self, item: &Item) -> usize {
        match item {
            Item::Record { header, stack, .. } => FIXED_WORDS + header.len() + stack.len(),
            Item::Lost { .. } => loss_words(self.sizes.header_words),
        }
    }

    /// How many tags the buffer holds: those written and not given back.
    fn tags(&self, returned: &[Item]) -> usize {
        let has_tag = |item: &&Item| matches!(item, Item::Record { tag: Some(_), .. });
        let queued = self.queue.iter().map(|(_, item)| item);
        queued.chain(returned).filter(has_tag).count()
    }
}

/// Does the operations to a buffer whose counts start at `start`, and to a model of it.
fn check(sizes: Sizes, start: Counts, operations: &[Operation]) {
    let (writer, mut reader) = starting_at::<Rc<u64>>(start, sizes).unwrap();
    let mut writer = Some(writer);
    let ring = sizes.data_words.next_power_of_two();
    let mut model = Model::new(sizes, start.words() as usize % ring);
    let alive = Rc::new(0);
    let mut returned = Vec::new();
    for (time, operation) in operations.iter().enumerate() {
        let time = time as u64;
        match (operation, &mut writer) {
            (
                &Operation::Write {
                    header_words,
                    depth,
                    has_tag,
                },
                Some(writer),
            ) => {
                let tag = has_tag.then(|| Rc::clone(&alive));
                write(writer, &mut model, (header_words, depth, tag), time);
            }
            (Operation::Read, _) => {
                let items = read(&mut reader, model.is_closed);
                assert_eq!(items, model.read(), "at {time}");
                returned = items;
            }
            (Operation::Close, writer) => {
                *writer = None;
                model.is_closed = true;
            }
            (Operation::Write { .. }, None) => {}
        }
        assert_eq!(
            Rc::strong_count(&alive) - 1,
            model.tags(&returned),
            "at {time}"
        );
    }
    drop((writer, reader));
    assert_eq!(Rc::strong_count(&alive), 1);
}

/// Writes the same record to both.
fn write(
    writer: &mut Writer<Rc<u64>>,
    model: &mut Model,
    (header_words, depth, tag): (usize, usize, Option<Rc<u64>>),
    time: u64,
) {
    let most = model.sizes.header_words;
    let header: Vec<u64> = (1..=header_words as u64).collect();
    let stack: Vec<u64> = (0..depth as u64).map(|it| time << 8 | it).collect();
    let mut padded = header.clone();
    padded.resize(most, 0);
    let item = Item::Record {
        time,
        header: padded,
        stack: stack.clone(),
        tag: tag.as_deref().copied(),
    };
    let length = (header_words <= most).then(|| FIXED_WORDS + most + depth);
    let had_tag = tag.is_some();
    let written = writer.write(tag, time, &header, &stack);
    assert_eq!(
        written.is_ok(),
        model.write(length, time, item),
        "at {time}"
    );
    if let Err(lost) = written {
        assert_eq!(lost.tag.is_some(), had_tag);
    }
}

/// Reads once.
fn read(reader: &mut Reader<Rc<u64>>, is_closed: bool) -> Vec<Item> {
    match reader.read(Mode::NonBlocking) {
        Read::Records(records) => records
            .map(|it| match it.lost() {
                Some(count) => Item::Lost {
                    time: it.time,
                    count,
                },
                None => Item::Record {
                    time: it.time,
                    header: it.header.to_vec(),
                    stack: it.stack.to_vec(),
                    tag: it.tag.map(|tag| **tag),
                },
            })
            .collect(),
        Read::Empty => {
            assert!(!is_closed);
            Vec::new()
        }
        Read::End => {
            assert!(is_closed);
            Vec::new()
        }
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        60 => (0..5usize, 0..24usize, any::<bool>()).prop_map(
            |(header_words, depth, has_tag)| Operation::Write { header_words, depth, has_tag }
        ),
        40 => Just(Operation::Read),
        1 => Just(Operation::Close),
    ]
}

fn sizes() -> impl Strategy<Value = Sizes> {
    (0..5usize, 0..60usize, 0..12usize).prop_map(|(header_words, more, tags)| Sizes {
        header_words,
        data_words: loss_words(header_words) + more,
        tags,
    })
}

/// Counts anywhere, and often so that one or both wrap.
fn start() -> impl Strategy<Value = Counts> {
    let count = || prop_oneof![any::<u32>(), u32::MAX - 200..=u32::MAX, 0..200u32];
    (count(), count()).prop_map(|(words, tags)| Counts::new(words, tags))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_operations_do_what_the_model_does(
        sizes in sizes(),
        start in start(),
        operations in prop::collection::vec(operation(), 0..200),
    ) {
        check(sizes, start, &operations);
    }
}
