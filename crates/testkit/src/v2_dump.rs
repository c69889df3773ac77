//! The events of a trace as Go 1.27 lists them: format v2, into which it turns v1, with stacks.

use std::collections::BTreeMap;

use crate::Error;

/// The listing of `go tool trace -d=parsed` of Go 1.27.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct V2Dump {
    /// The events in the tool's order.
    pub lines: Vec<V2Line>,
}

/// One event of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2Line {
    /// The thread, -1 for none.
    pub thread: i64,
    /// The worker, -1 for none.
    pub worker: i64,
    /// The task, -1 for none.
    pub task: i64,
    /// What kind of event: `StateTransition`, `TaskBegin`, `Log`, …
    pub kind: String,
    /// The time.
    pub time_ns: i64,
    /// What the kind adds, as printed: `GoID=1 Runnable->Running Reason=""`.
    pub detail: String,
    /// The stack of whoever made the event, innermost frame first; empty for none.
    pub stack: Vec<V2Frame>,
    /// The stack of the task that the event is about, where it has one.
    pub transition_stack: Vec<V2Frame>,
}

/// One frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2Frame {
    /// The function's name.
    pub function: String,
    /// The source file.
    pub file: String,
    /// The line in it.
    pub line: u64,
}

impl V2Dump {
    /// Reads the tool's text.
    ///
    /// # Errors
    ///
    /// `Unreadable` when a line is neither an event nor a part of a stack.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut lines: Vec<V2Line> = Vec::new();
        let mut section = Section::None;
        let mut rest = text.split_terminator('\n');
        while let Some(line) = rest.next() {
            let unreadable = || Error::Unreadable {
                line: line.to_owned(),
            };
            if let Some(event) = V2Line::parse(line) {
                lines.push(event);
                section = Section::None;
                continue;
            }
            match line {
                "" => section = Section::None,
                "Stack=" => section = Section::Stack,
                "TransitionStack=" => section = Section::TransitionStack,
                _ => {
                    let place = rest.next().unwrap_or_default();
                    let frame = V2Frame::parse(line, place).ok_or_else(unreadable)?;
                    let event = lines.last_mut().ok_or_else(unreadable)?;
                    match section {
                        Section::None => return Err(unreadable()),
                        Section::Stack => event.stack.push(frame),
                        Section::TransitionStack => event.transition_stack.push(frame),
                    }
                }
            }
        }
        Ok(Self { lines })
    }

    /// How many events of each kind there are.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for line in &self.lines {
            *counts.entry(line.kind.clone()).or_insert(0) += 1;
        }
        counts
    }

    /// The events of that kind.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a V2Line> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }
}

enum Section {
    None,
    Stack,
    TransitionStack,
}

impl V2Line {
    /// Reads `M=THREAD P=WORKER G=TASK KIND Time=TIME DETAIL`.
    fn parse(line: &str) -> Option<Self> {
        let (thread, rest) = line.strip_prefix("M=")?.split_once(' ')?;
        let (worker, rest) = rest.strip_prefix("P=")?.split_once(' ')?;
        let (task, rest) = rest.strip_prefix("G=")?.split_once(' ')?;
        let (kind, rest) = rest.split_once(' ')?;
        let rest = rest.strip_prefix("Time=")?;
        let (time, detail) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Self {
            thread: thread.parse().ok()?,
            worker: worker.parse().ok()?,
            task: task.parse().ok()?,
            kind: kind.to_owned(),
            time_ns: time.parse().ok()?,
            detail: detail.to_owned(),
            stack: Vec::new(),
            transition_stack: Vec::new(),
        })
    }
}

impl V2Frame {
    /// Reads the two lines `FUNCTION @ PC` and `FILE:LINE`, both indented.
    fn parse(function: &str, place: &str) -> Option<Self> {
        let (function, _) = function.strip_prefix('\t')?.rsplit_once(" @ 0x")?;
        let (file, line) = place.strip_prefix("\t\t")?.rsplit_once(':')?;
        Some(Self {
            function: function.to_owned(),
            file: file.to_owned(),
            line: line.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "M=-1 P=-1 G=-1 Sync Time=-1 N=1\n\
        M=77 P=0 G=1 StateTransition Time=8000 GoID=1 Running->Waiting Reason=\"sync\"\n\
        TransitionStack=\n\
        \ttokio::net::TcpStream::read @ 0x1000\n\
        \t\tsrc/net.rs:10\n\
        Stack=\n\
        \tserver::handle @ 0x2000\n\
        \t\tsrc/main.rs:20\n\
        \tserver::main @ 0x3000\n\
        \t\tsrc/main.rs:30\n\
        \n\
        M=77 P=0 G=1 Log Time=9000 Task=0 Category=\"a\" Message=\"two\\nlines\"\n";

    #[test]
    fn heads_are_read_by_field() {
        let dump = V2Dump::parse(TEXT).expect("the text is a listing");
        assert_eq!(dump.lines.len(), 3);
        let line = &dump.lines[1];
        assert_eq!((line.thread, line.worker, line.task), (77, 0, 1));
        assert_eq!(line.time_ns, 8000);
        assert_eq!(line.detail, "GoID=1 Running->Waiting Reason=\"sync\"");
        assert_eq!(dump.counts()["StateTransition"], 1);
        assert_eq!(dump.of_kind("Log").count(), 1);
    }

    #[test]
    fn frames_go_to_the_stack_they_stand_under() {
        let dump = V2Dump::parse(TEXT).expect("the text is a listing");
        let line = &dump.lines[1];
        let functions: Vec<&str> = line
            .stack
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        assert_eq!(functions, ["server::handle", "server::main"]);
        assert_eq!(
            line.transition_stack,
            [V2Frame {
                function: "tokio::net::TcpStream::read".to_owned(),
                file: "src/net.rs".to_owned(),
                line: 10,
            }]
        );
    }

    #[test]
    fn stray_text_is_refused() {
        for text in [
            "panic: boom\n",
            "M=-1 P=-1 G=-1 Sync Time=-1 N=1\nstray\n",
            "M=-1 P=-1 G=-1 Sync Time=-1 N=1\n\tf @ 0x1\n\t\tf.rs:1\n",
        ] {
            assert!(V2Dump::parse(text).is_err(), "{text:?}");
        }
    }
}
