//! A second thread changes nothing but how long it takes.

use std::fs;
use std::path::Path;
use std::thread;

use exectrace_format::{Format, Version};
use exectrace_reader::{Error, Event, Mode, Reader};
use exectrace_testkit::{Corpus, Random};

/// All that a reader tells, as far as it can be compared.
#[derive(Debug, PartialEq)]
struct Read {
    events: Vec<Event>,
    fault: Option<Error>,
    account: String,
}

impl Read {
    fn of(reader: Result<Reader<'_>, Error>) -> Self {
        let mut read = Self {
            events: Vec::new(),
            fault: None,
            account: String::new(),
        };
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(fault) => {
                read.fault = Some(fault);
                return read;
            }
        };
        for event in &mut reader {
            match event {
                Ok(event) => read.events.push(event),
                Err(fault) => read.fault = Some(fault),
            }
        }
        let stacks = read.events.iter().map(|event| event.stack);
        let frames: Vec<_> = stacks.max().map_or(Vec::new(), |last| {
            reader.tables().frames(last).copied().collect()
        });
        let (loss, repairs) = (reader.loss(), reader.repairs());
        read.account = format!("{:?} {loss:?} {repairs:?} {frames:?}", reader.contents());
        read
    }
}

/// Reads a file in all ways. Gives what is different.
fn difference(file: &[u8]) -> Option<String> {
    [Mode::Strict, Mode::Tolerant].into_iter().find_map(|mode| {
        let alone = Read::of(Reader::open(file, mode));
        let ahead = thread::scope(|scope| Read::of(Reader::open_ahead(file, mode, scope)));
        if alone == ahead {
            return None;
        }
        let same = alone.events.iter().zip(&ahead.events);
        let same = same.take_while(|(one, other)| one == other).count();
        Some(format!(
            "{mode:?}: {} and {} events, {same} the same; {:?} and {:?}; {} and {}",
            alone.events.len(),
            ahead.events.len(),
            alone.fault,
            ahead.fault,
            alone.account,
            ahead.account,
        ))
    })
}

/// Whether a file is of format v2: the other one is read by one thread.
fn has_generations(file: &[u8]) -> bool {
    Version::of(file).is_ok_and(|version| version.format() == Format::V2)
}

#[test]
fn every_file_is_read_the_same() {
    let mut random = Random::new(11);
    let mut faults = Vec::new();
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let file = trace.bytes();
        let mut lengths = vec![file.len()];
        let cuts = if has_generations(&file) { 4 } else { 0 };
        lengths.extend((0..cuts).map(|_| random.below(file.len() as u64 + 1) as usize));
        for length in lengths {
            let fault = difference(&file[..length]);
            faults.extend(fault.map(|fault| format!("{} of {length}: {fault}", trace.file())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn damaged_files_are_read_the_same() {
    let mut faults = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let file = fs::read(&path).expect("a file");
        faults.extend(difference(&file).map(|fault| format!("{}: {fault}", path.display())));
    }
    if let Some(corpus) = Corpus::large() {
        for mutation in corpus.mutations() {
            let file = mutation.applied_to(corpus.trace(&mutation.file).bytes());
            if !has_generations(&file) {
                continue;
            }
            faults.extend(difference(&file).map(|fault| format!("{mutation:?}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_reader_may_be_left_at_any_event() {
    for trace in Corpus::shipped().traces() {
        let file = trace.bytes();
        for count in [0, 1, 2, 300, 3000] {
            // The scope ends, so the thread has ended.
            let read = thread::scope(|scope| {
                let reader = Reader::open_ahead(&file, Mode::Tolerant, scope);
                reader.map_or(0, |reader| reader.take(count).count())
            });
            assert!(read <= count);
        }
    }
}
