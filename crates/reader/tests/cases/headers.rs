//! Files that are hardly there, and files of long ago.

use std::collections::BTreeSet;

use exectrace_reader::{Reader, Survey, Verdict};
use exectrace_testkit::Corpus;

use super::Told;

/// What is wrong with a file, in words.
#[track_caller]
fn fault(file: &[u8]) -> String {
    let fault = match Reader::new(file) {
        Ok(mut events) => events.find_map(Result::err).expect("is refused"),
        Err(fault) => fault,
    };
    fault.to_string()
}

#[test]
fn tiny_files_are_told_what_they_lack_and_where() {
    for (file, expect) in [
        (
            &b"gotrace\0\xc3\x0200"[..],
            "byte 0: not an execution trace: no header",
        ),
        (
            b"gotrace\0\x020",
            "byte 0: not an execution trace: no header",
        ),
        (
            b"gotrace\0T00\0\x020",
            "byte 0: not an execution trace: no header",
        ),
        (
            b"go 1.22 trace\0\0\0\x01000\x85\0\x080001",
            "generation 48: a batch has an entry of type 48, at byte 24",
        ),
        (b"", "byte 0: the header is cut: 0 of 16 bytes"),
        (
            b"go 1.26 trace",
            "byte 13: the header is cut: 13 of 16 bytes",
        ),
        (b"go 1.19 trace\0\0\0", "byte 16: the trace is empty"),
    ] {
        assert_eq!(fault(file), expect, "{:?}", String::from_utf8_lossy(file));
    }
}

#[test]
fn a_header_of_format_v2_alone_is_whole_and_empty() {
    let survey = Survey::of(b"go 1.26 trace\0\0\0");
    assert_eq!((survey.verdict, survey.fault), (Verdict::Accepted, None));
    assert!(survey.is_empty());
}

#[test]
fn old_traces_open_without_the_program() {
    let (mut opened, mut named) = (BTreeSet::new(), BTreeSet::new());
    for trace in Corpus::all().flat_map(|corpus| corpus.traces()) {
        let is_old = trace.format() == "v1" && trace.difference("verdict").is_none();
        if !is_old || trace.verdict() != "accepted" {
            continue;
        }
        let file = trace.bytes();
        let told = Told::strictly(&file);
        let minor = told.reader.version().minor();
        opened.insert(minor);
        let events = told.events.iter();
        let mut frames = events.flat_map(|event| told.reader.tables().frames(event.stack));
        if frames.any(|frame| !told.text(frame.function).is_empty()) {
            named.insert(minor);
        }
    }
    assert!(
        opened.is_superset(&BTreeSet::from([8, 11, 19, 21])),
        "{opened:?}"
    );
    if Corpus::large().is_some() {
        assert_eq!(opened, BTreeSet::from([5, 7, 8, 9, 10, 11, 19, 21]));
    }
    // Up to Go 1.6 a frame is an address, for which only the program has a name.
    opened.remove(&5);
    assert_eq!(named, opened);
}
