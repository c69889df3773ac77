//! A crate that is traced by one line: below it, `std` is ours everywhere, and all else of it works as ever.

extern crate exectrace_std as std;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::{thread, time::Duration};

#[derive(Clone, Debug, Default, PartialEq)]
struct Counts(BTreeMap<String, usize>);

thread_local! {
    static SEEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

mod words {
    /// In other modules, too, and by its whole path.
    pub(super) fn count(text: &'static str) -> std::thread::JoinHandle<usize> {
        std::thread::spawn(move || text.split_whitespace().count())
    }
}

/// What is there without any path is the standard library's prelude, and macros find what they name.
fn report(counts: &Counts) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let mut report = String::new();
    for (text, count) in &counts.0 {
        write!(report, "{text}: {count}; ")?;
    }
    assert!(!matches!(vec![report.len()].as_slice(), [0]));
    Ok(std::format!("{}{:?}", report, "1".parse::<u8>()?))
}

#[test]
fn a_crate_is_traced_by_one_line() {
    let session = exectrace::start(std::io::sink()).expect("the session starts");
    let counts: Arc<exectrace_std::sync::Mutex<Counts>> = Arc::new(Mutex::default());
    for text in ["a b", "c"] {
        let count = words::count(text).join().expect("no panic");
        counts
            .lock()
            .expect("no panic")
            .0
            .insert(text.to_owned(), count);
        SEEN.set(SEEN.get() + count);
    }
    thread::sleep(Duration::from_millis(1));
    let report = report(&counts.lock().expect("no panic")).expect("no error");
    assert_eq!(report, "a b: 2; c: 1; 1");
    assert_eq!(SEEN.get(), 3);
    let statistics = session.stop();
    assert_eq!(statistics.events.of("GoSleep"), 1);
    assert!(statistics.events.of("GoEnd") >= 2);
}
