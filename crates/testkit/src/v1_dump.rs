//! The events of a trace as Go 1.19 lists them: format v1 after ordering, without stacks.

use std::collections::BTreeMap;

use crate::Error;

/// The listing of `go tool trace -d` of Go 1.19.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct V1Dump {
    /// The events in the tool's order.
    pub lines: Vec<V1Line>,
}

/// One event of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V1Line {
    /// Time since the first event.
    pub time_ns: i64,
    /// The event's name: `GoStart`; the `Local` forms are listed as the plain ones.
    pub name: String,
    /// The worker; a number from 1,000,000 on for those that the tool makes up, -1 for none.
    pub worker: i64,
    /// The task, 0 for none.
    pub task: u64,
    /// The arguments in order, names as the tool prints them, the first one always `off`.
    pub arguments: Vec<(String, String)>,
}

impl V1Dump {
    /// Reads the tool's text. A line that begins no event belongs to the message of the event before it.
    ///
    /// # Errors
    ///
    /// `Unreadable` when the first line is no event.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut lines: Vec<V1Line> = Vec::new();
        for line in text.split_terminator('\n') {
            if let Some(event) = V1Line::parse(line) {
                lines.push(event);
            } else if let Some((_, value)) = lines
                .last_mut()
                .and_then(|event| event.arguments.last_mut())
            {
                value.push('\n');
                value.push_str(line);
            } else {
                return Err(Error::Unreadable {
                    line: line.to_owned(),
                });
            }
        }
        Ok(Self { lines })
    }

    /// How many events of each name there are.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for line in &self.lines {
            *counts.entry(line.name.clone()).or_insert(0) += 1;
        }
        counts
    }

    /// The events of that name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a V1Line> {
        self.lines.iter().filter(move |line| line.name == name)
    }
}

impl V1Line {
    /// The value of an argument: `g` of a `GoCreate`, `message` of a `UserLog`.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments
            .iter()
            .find(|(argument, _)| argument == name)
            .map(|(_, value)| value.as_str())
    }

    /// Reads `TIME NAME p=P g=G off=OFFSET ARGUMENTS`.
    fn parse(line: &str) -> Option<Self> {
        let (time, rest) = line.split_once(' ')?;
        let (name, rest) = rest.split_once(' ')?;
        let (worker, rest) = rest.strip_prefix("p=")?.split_once(' ')?;
        let (task, rest) = rest.strip_prefix("g=")?.split_once(' ')?;
        rest.strip_prefix("off=")?;
        Some(Self {
            time_ns: time.parse().ok()?,
            name: name.to_owned(),
            worker: worker.parse().ok()?,
            task: task.parse().ok()?,
            arguments: arguments(rest, text_arguments(name)),
        })
    }
}

/// The arguments of an event that may hold spaces; they stand last.
fn text_arguments(event: &str) -> &'static [&'static str] {
    match event {
        "UserLog" => &["category", "message"],
        "UserTaskCreate" | "UserRegion" => &["name"],
        "GoStartLabel" => &["label"],
        "GCSTWStart" => &["kind"],
        _ => &[],
    }
}

fn arguments(text: &str, textual: &[&str]) -> Vec<(String, String)> {
    let mut arguments = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let next = textual.iter().position(|&argument| argument == name);
        let (value, remaining) = match next {
            None => after.split_once(' ').unwrap_or((after, "")),
            // A text reaches to the next text's name, the last one to the end.
            Some(index) => match textual.get(index + 1) {
                Some(following) => {
                    let end = after.find(&format!(" {following}=")).unwrap_or(after.len());
                    (&after[..end], after.get(end + 1..).unwrap_or_default())
                }
                None => (after, ""),
            },
        };
        arguments.push((name.to_owned(), value.to_owned()));
        rest = remaining;
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> V1Line {
        let dump = V1Dump::parse(text).expect("the text is a listing");
        assert_eq!(dump.lines.len(), 1, "{dump:?}");
        dump.lines[0].clone()
    }

    #[test]
    fn numbers_are_separated_by_spaces() {
        let line = one("1109 GoStart p=1000003 g=18 off=38 g=18 seq=4\n");
        assert_eq!(
            (line.time_ns, line.worker, line.task),
            (1109, 1_000_003, 18)
        );
        assert_eq!(line.name, "GoStart");
        assert_eq!(line.argument("seq"), Some("4"));
        assert_eq!(line.argument("absent"), None);
    }

    #[test]
    fn a_worker_may_be_none() {
        assert_eq!(one("5 GoUnblock p=-1 g=0 off=5 g=7 seq=2\n").worker, -1);
    }

    #[test]
    fn texts_keep_spaces_and_line_ends() {
        let line = one(
            "9 UserLog p=0 g=1 off=306 id=0 keyid=8 category=a b message=n=42 x \n\t\"quoted\"\n\n",
        );
        assert_eq!(line.argument("category"), Some("a b"));
        assert_eq!(line.argument("message"), Some("n=42 x \n\t\"quoted\"\n"));
    }

    #[test]
    fn an_empty_text_is_an_argument() {
        let line = one("9 UserLog p=0 g=1 off=1 id=0 keyid=0 category= message=\n");
        assert_eq!(line.argument("category"), Some(""));
        assert_eq!(line.argument("message"), Some(""));
    }

    #[test]
    fn counts_are_by_name() {
        let dump = V1Dump::parse(
            "1 ProcStart p=0 g=0 off=1 thread=0\n2 GoStart p=0 g=1 off=2 g=1 seq=0\n3 GoStart p=1 g=2 off=3 g=2 seq=0\n",
        )
        .expect("the text is a listing");
        let counts = dump.counts();
        assert_eq!((counts["GoStart"], counts["ProcStart"]), (2, 1));
        assert_eq!(dump.named("GoStart").count(), 2);
    }

    #[test]
    fn text_that_begins_with_no_event_is_refused() {
        assert!(V1Dump::parse("panic: index out of range\n").is_err());
    }
}
