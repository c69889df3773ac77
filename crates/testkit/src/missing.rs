//! What happens to a check that lacks what it needs: skipped aloud, or failed where CI asks for it.

use std::collections::HashSet;
use std::env;
use std::io::Write;
use std::sync::Mutex;
use std::thread;

/// Says that the running test skips a check because `what` is missing.
///
/// # Panics
///
/// With `EXECTRACE_REQUIRE_GO=1`.
#[track_caller]
pub(crate) fn skip(what: &str, hint: &str) {
    let required = env::var_os("EXECTRACE_REQUIRE_GO").is_some_and(|value| value == "1");
    assert!(
        !required,
        "needs {what} ({hint}), and EXECTRACE_REQUIRE_GO=1 forbids to skip"
    );
    say(what, hint);
}

/// Says the same without the choice to fail, once per test and `what`.
///
/// The line goes to the standard error itself and not through `eprintln!`, whose output the test harness captures.
pub(crate) fn say(what: &str, hint: &str) {
    static SAID: Mutex<Option<HashSet<(String, String)>>> = Mutex::new(None);
    let test = thread::current().name().unwrap_or("a check").to_owned();
    let line = format!("skipped: {test} needs {what} ({hint})\n");
    let first = SAID
        .lock()
        .is_ok_and(|mut said| said.get_or_insert_default().insert((test, what.to_owned())));
    if first {
        // One write, so that lines of tests that run at the same time do not mix. A closed standard error is no failure.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}
