//! Events of ours beside those of Go, while both read.

use std::collections::HashMap;

use exectrace_reader::{Event, Reader};
use exectrace_testkit::{Error, LineStream};

use crate::listing::Listing;
use crate::v1_listing::{self, Teller, V1Listing};
use crate::v2_listing;

/// The lines of Go, without those that tell stacks.
struct Lines {
    stream: LineStream,
    /// By hash, as Go tells them.
    stacks: HashMap<Vec<u8>, Vec<u8>>,
    /// The line that was looked at and not taken.
    ahead: Option<Vec<u8>>,
}

impl Lines {
    fn open(stream: Result<LineStream, Error>) -> Result<Self, String> {
        Ok(Self {
            stream: stream.map_err(|error| error.to_string())?,
            stacks: HashMap::new(),
            ahead: None,
        })
    }

    /// The next event, or how the trace ended.
    fn next(&mut self) -> Result<Vec<u8>, String> {
        if let Some(line) = self.ahead.take() {
            return Ok(line);
        }
        loop {
            let line = self.stream.next_line().map_err(|error| error.to_string())?;
            let Some(line) = line else {
                return Err(String::from("the oracle's output has no end"));
            };
            let Some(stack) = line.strip_prefix(b"stack ") else {
                return Ok(line.to_vec());
            };
            let hash = stack.split(|&byte| byte == b' ').next().unwrap_or_default();
            self.stacks.insert(hash.to_vec(), stack.to_vec());
        }
    }

    /// The next events of one time, or how the trace ended.
    fn next_of_time(&mut self) -> Result<Vec<Vec<u8>>, String> {
        let first = self.next()?;
        let time = time_of(&first).to_vec();
        let mut lines = vec![first];
        if ends(&lines[0]) {
            return Ok(lines);
        }
        loop {
            let line = self.next()?;
            if time_of(&line) != time {
                self.ahead = Some(line);
                return Ok(lines);
            }
            lines.push(line);
        }
    }
}

/// Compares a trace of format v2 in its order; how many events there are, or where the first difference is.
pub(crate) fn in_order(stream: Result<LineStream, Error>, file: &[u8]) -> Result<u64, String> {
    let mut go = Lines::open(stream)?;
    let mut listing = Listing::default();
    let mut number = 0;
    let mut is_whole = false;
    // What is no trace has no events.
    if let Ok(mut reader) = Reader::new(file) {
        is_whole = true;
        while let Some(event) = reader.next() {
            let Ok(event) = event else {
                is_whole = false;
                break;
            };
            number += 1;
            v2_listing::write(&mut listing, &event, reader.tables());
            let theirs = go.next()?;
            if listing.line != theirs {
                return Err(difference(number, &[theirs], &go, &listing));
            }
        }
    }
    expect_end(go.next()?, is_whole, number)
}

/// Compares a trace of format v1, whose events of one time may come in any order.
pub(crate) fn by_tick(
    stream: Result<LineStream, Error>,
    teller: Teller,
    file: &[u8],
) -> Result<u64, String> {
    let mut go = Lines::open(stream)?;
    let mut listing = Listing::default();
    let mut records = V1Listing::of(teller);
    let mut number = 0;
    let mut theirs: Vec<Vec<u8>> = Vec::new();
    let mut reader = Reader::new(file).map_err(|error| error.to_string())?;
    while let Some(event) = reader.next() {
        let event: Event = event.map_err(|error| format!("we refuse the file: {error}"))?;
        number += 1;
        if theirs.is_empty() {
            theirs = go.next_of_time()?;
        }
        records.write(&mut listing, &event, reader.tables());
        let place = theirs
            .iter()
            .position(|line| v1_listing::is_same(&listing.line, line));
        let Some(place) = place else {
            return Err(difference(number, &theirs, &go, &listing));
        };
        theirs.remove(place);
    }
    if theirs.is_empty() {
        theirs = go.next_of_time()?;
    }
    expect_end(theirs.swap_remove(0), true, number)
}

/// Go's next line is its end, of the same kind as ours.
fn expect_end(line: Vec<u8>, is_whole: bool, number: u64) -> Result<u64, String> {
    let wanted: &[u8] = if is_whole { b"end" } else { b"error " };
    if line.starts_with(wanted) {
        return Ok(number);
    }
    let ours = if is_whole {
        "as a whole trace"
    } else {
        "with a fault"
    };
    let line = String::from_utf8_lossy(&line);
    Err(format!(
        "after {number} events we end {ours}, and Go has:\n  {line}"
    ))
}

fn ends(line: &[u8]) -> bool {
    line == b"end" || line.starts_with(b"error ")
}

fn time_of(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b' ').next().unwrap_or_default()
}

/// Both sides of a difference, and the stacks that they name.
fn difference(number: u64, theirs: &[Vec<u8>], go: &Lines, listing: &Listing) -> String {
    let mut text = format!("event {number} differs");
    tell(&mut text, "ours", &listing.line, &listing.stacks);
    for line in theirs {
        tell(&mut text, "Go's", line, &go.stacks);
    }
    text
}

fn tell(text: &mut String, whose: &str, line: &[u8], stacks: &HashMap<Vec<u8>, Vec<u8>>) {
    text.push_str(&format!("\n  {whose}: {}", String::from_utf8_lossy(line)));
    for field in line.split(|&byte| byte == b' ') {
        let hash = field.rsplit(|&byte| byte == b'=').next();
        if let Some(stack) = hash.and_then(|hash| stacks.get(hash)) {
            text.push_str(&format!("\n    {}", String::from_utf8_lossy(stack)));
        }
    }
}
