//! What Go's reader takes.

use std::time::Duration;

use crate::Error;

/// How many events Go's reader finds in a trace, and what it takes to read them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OracleCount {
    /// The events.
    pub events: u64,
    /// Time on the clock, from the open file to the last event.
    pub wall: Duration,
    /// Time on all cores.
    pub cpu: Duration,
    /// The most memory that the process had.
    pub peak_bytes: u64,
}

impl OracleCount {
    pub(crate) fn parse(line: &str) -> Result<Self, Error> {
        let mut numbers = [0.0; 4];
        let names = ["events", "seconds", "cpu_seconds", "peak_bytes"];
        let unreadable = || Error::Unreadable {
            line: line.to_owned(),
        };
        let mut words = line.split(' ');
        for (number, name) in numbers.iter_mut().zip(names) {
            let value = words
                .next()
                .and_then(|word| word.strip_prefix(name)?.strip_prefix('='));
            *number = value
                .and_then(|value| value.parse().ok())
                .ok_or_else(unreadable)?;
        }
        // What follows is why the reader stopped.
        if words.next().is_some() {
            return Err(unreadable());
        }
        let [events, wall, cpu, peak_bytes] = numbers;
        let duration = |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| unreadable());
        Ok(Self {
            events: events as u64,
            wall: duration(wall)?,
            cpu: duration(cpu)?,
            peak_bytes: peak_bytes as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_a_fault_is_not() {
        let line = "events=7 seconds=0.500000 cpu_seconds=0.250000 peak_bytes=4096";
        let count = OracleCount {
            events: 7,
            wall: Duration::from_millis(500),
            cpu: Duration::from_millis(250),
            peak_bytes: 4096,
        };
        assert_eq!(OracleCount::parse(line).expect("the line is good"), count);
        for bad in [&format!("{line} error=\"trace is empty\""), "events=7", ""] {
            assert!(OracleCount::parse(bad).is_err(), "{bad}");
        }
    }
}
