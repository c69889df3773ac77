//! The samples of a profile, as `go tool pprof -raw` tells them.

use std::collections::HashMap;

use crate::Error;

/// A sample of a profile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PprofSample {
    /// A value for each type of the profile.
    pub values: Vec<i64>,
    /// The frames of its stack, innermost first: address, function, file and line.
    pub stack: Vec<String>,
}

impl PprofSample {
    /// Reads the tool's text.
    pub(crate) fn parse_all(text: &str) -> Result<Vec<Self>, Error> {
        let mut lines = text.lines();
        let mut samples = Vec::new();
        lines.by_ref().find(|line| *line == "Samples:");
        // The types of the values.
        lines.next();
        for line in lines.by_ref().take_while(|line| *line != "Locations") {
            // Labels stand below their sample, without numbers before their colons.
            let numbers = line
                .split_once(':')
                .and_then(|(values, places)| Some((numbers(values)?, numbers(places)?)));
            samples.extend(numbers);
        }
        let locations = lines.take_while(|line| *line != "Mappings").map(location);
        let locations: Result<HashMap<i64, String>, Error> = locations.collect();
        let locations = locations?;
        let sample = |(values, places): (Vec<i64>, Vec<i64>)| {
            let stack = places.iter().map(|place| {
                let frame = locations.get(place).cloned();
                frame.ok_or_else(|| unreadable(&format!("location {place}")))
            });
            Ok(Self {
                values,
                stack: stack.collect::<Result<_, _>>()?,
            })
        };
        samples.into_iter().map(sample).collect()
    }
}

/// Numbers with blanks between them.
fn numbers(text: &str) -> Option<Vec<i64>> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().ok()).collect()
}

/// A line such as `     1: 0x472bb2 M=1 main.main main.go:90 s=0`; Go 1.27 has a column behind the line, which is 0.
fn location(line: &str) -> Result<(i64, String), Error> {
    let parts = line.trim().split_once(": ");
    let numbered = parts.and_then(|(id, frame)| Some((id.parse().ok()?, frame)));
    let (id, frame) = numbered.ok_or_else(|| unreadable(line))?;
    let words = frame.split(' ').filter(|word| !word.starts_with("M="));
    let mut words: Vec<&str> = words.collect();
    if words.last().is_some_and(|word| word.starts_with("s=")) {
        words.pop();
    }
    let mut frame = words.join(" ");
    let has_line = |frame: &str| {
        let line = frame.rsplit_once(':').map(|(_, line)| line);
        line.is_some_and(|line| line.parse::<u64>().is_ok())
    };
    if let Some(without_column) = frame.strip_suffix(":0").filter(|rest| has_line(rest)) {
        frame.truncate(without_column.len());
    }
    Ok((id, frame))
}

fn unreadable(line: &str) -> Error {
    Error::Unreadable {
        line: line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "\
PeriodType: trace count
Period: 1
Samples:
contentions/count delay/nanoseconds
          1    2515876: 1 2
                waits_for:[sync]
        201     166284: 2
          3          4:
Locations
     1: 0x472bb2 M=1 sync.(*Mutex).Lock sync/mutex.go:90 s=0
     2: 0x693669 <T as a: b>::f app.rs:65:0 s=0
Mappings
1: 0x0/0x0/0x0";

    #[test]
    fn samples_have_values_and_frames() {
        let samples = PprofSample::parse_all(RAW).expect("is a profile");
        let (lock, f) = (
            "0x472bb2 sync.(*Mutex).Lock sync/mutex.go:90".to_owned(),
            "0x693669 <T as a: b>::f app.rs:65".to_owned(),
        );
        let sample = |values: [i64; 2], stack| PprofSample {
            values: values.to_vec(),
            stack,
        };
        let expect = [
            sample([1, 2_515_876], vec![lock, f.clone()]),
            sample([201, 166_284], vec![f]),
            sample([3, 4], vec![]),
        ];
        assert_eq!(samples, expect);
    }

    #[test]
    fn a_frame_that_is_not_there_is_an_error() {
        let text = RAW.replace("     2: 0x69", "     3: 0x69");
        assert!(PprofSample::parse_all(&text).is_err());
    }
}
