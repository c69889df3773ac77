//! User tasks that end elsewhere than where they were made: who carries one that has ended carries the next outer one.

mod support;

use exectrace::hook::{BlockReason, Task};
use exectrace::{Recorder, UserTask};
use exectrace_testkit::{V1Dump, V2Dump, accepts};
use support::{record, turn};

/// A name and that of the user task that it belongs to.
type Belongs = (String, String);

/// What a tool says of user tasks: the parent of each, and whose each log is.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    parents: Vec<Belongs>,
    logs: Vec<Belongs>,
}

impl Told {
    /// `tasks` are ids, parents' ids and names; `logs` are ids and messages.
    fn of(tasks: &[[String; 3]], logs: impl Iterator<Item = [String; 2]>) -> Self {
        let name = |id: &String| {
            let task = tasks.iter().find(|[other, ..]| other == id);
            task.map_or("none", |[_, _, name]| name).to_owned()
        };
        let parents = tasks.iter();
        Self {
            parents: parents
                .map(|[_, parent, own]| (own.clone(), name(parent)))
                .collect(),
            logs: logs.map(|[id, message]| (message, name(&id))).collect(),
        }
    }

    fn by_v1(dump: &V1Dump) -> Self {
        let tasks = dump.named("UserTaskCreate").map(|line| {
            ["taskid", "pid", "name"].map(|name| line.argument(name).unwrap_or("?").to_owned())
        });
        let logs = dump
            .named("UserLog")
            .filter(|line| line.argument("category") == Some("told"))
            .map(|line| {
                ["id", "message"].map(|name| line.argument(name).unwrap_or("?").to_owned())
            });
        Self::of(&tasks.collect::<Vec<_>>(), logs)
    }

    fn by_v2(dump: &V2Dump) -> Self {
        // `Name=value Name="text"`, the texts here without spaces or quotes.
        let field = |detail: &str, name: &str| {
            let words = detail.split(' ');
            let value = words.filter_map(|word| word.split_once('='));
            let found = value.into_iter().find(|(other, _)| *other == name);
            found
                .map_or("?", |(_, value)| value.trim_matches('"'))
                .to_owned()
        };
        let tasks = dump
            .of_kind("TaskBegin")
            .map(|line| ["ID", "Parent", "Type"].map(|name| field(&line.detail, name)));
        let logs = dump
            .of_kind("Log")
            .filter(|line| field(&line.detail, "Category") == "told")
            .map(|line| ["Task", "Message"].map(|name| field(&line.detail, name)));
        Self::of(&tasks.collect::<Vec<_>>(), logs)
    }
}

/// Records `work`; both tools say that parents and logs are so.
#[track_caller]
fn check(work: impl FnOnce(), parents: &[(&str, &str)], logs: &[(&str, &str)]) {
    let _turn = turn();
    let owned = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter();
        pairs
            .map(|&(name, of)| (name.to_owned(), of.to_owned()))
            .collect()
    };
    let expected = Told {
        parents: owned(parents),
        logs: owned(logs),
    };
    let (recorded, ()) = record(Recorder::new(), work);
    assert!(recorded.statistics.is_complete(), "{}", recorded.statistics);
    let accepted = recorded.check(accepts);
    if let Some(dump) = accepted.v1 {
        assert_eq!(Told::by_v1(&dump), expected);
    }
    if let Some(dump) = accepted.v2 {
        assert_eq!(Told::by_v2(&dump), expected);
    }
}

fn tell(message: impl AsRef<[u8]>) {
    exectrace::log("told", message);
}

fn task() -> Task {
    fn work() {}
    Task::new(work as fn() as *const ())
}

/// A loop that accepts: each request is made here and ends in a task of its own.
fn accept(requests: usize) {
    let acceptor = task();
    let run = acceptor.start();
    let server = UserTask::new("server");
    run.block(BlockReason::Net);
    for number in 0..requests {
        let run = acceptor.start();
        let request = UserTask::new(format!("request-{number}"));
        tell(format!("accepted-{number}"));
        let handler = task();
        run.block(BlockReason::Net);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let run = handler.start();
                tell(format!("handled-{number}"));
                drop(request);
                tell(format!("left-{number}"));
                run.end();
            });
        });
    }
    let run = acceptor.start();
    tell("accepted-all");
    let late = task();
    drop(server);
    tell("closed");
    run.end();
    // It was spawned inside of a user task that has ended.
    let run = late.start();
    tell("late");
    drop(UserTask::new("alone"));
    run.end();
}

#[test]
fn a_user_task_that_ends_in_another_task_is_no_parent_and_gets_no_logs() {
    check(
        || accept(3),
        &[
            ("server", "none"),
            ("request-0", "server"),
            ("request-1", "server"),
            ("request-2", "server"),
            ("alone", "none"),
        ],
        &[
            ("accepted-0", "request-0"),
            ("handled-0", "request-0"),
            ("left-0", "server"),
            ("accepted-1", "request-1"),
            ("handled-1", "request-1"),
            ("left-1", "server"),
            ("accepted-2", "request-2"),
            ("handled-2", "request-2"),
            ("left-2", "server"),
            ("accepted-all", "server"),
            ("closed", "none"),
            ("late", "none"),
        ],
    );
}

#[test]
fn what_was_carried_before_another_was_entered_may_end_meanwhile() {
    check(
        || {
            let task = task();
            let run = task.start();
            let outer = UserTask::new("outer");
            let inner = UserTask::new("inner");
            let entered = outer.enter();
            tell("entered");
            drop(inner);
            tell("still-entered");
            drop(entered);
            // Not the inner one, which was carried before.
            tell("left");
            drop(UserTask::new("next"));
            drop(outer);
            tell("ended");
            run.end();
        },
        &[("outer", "none"), ("inner", "outer"), ("next", "outer")],
        &[
            ("entered", "outer"),
            ("still-entered", "outer"),
            ("left", "outer"),
            ("ended", "none"),
        ],
    );
}

#[test]
fn user_tasks_that_end_in_the_order_of_their_making_leave_nothing_behind() {
    check(
        || {
            let task = task();
            let run = task.start();
            let first = UserTask::new("first");
            let second = UserTask::new("second");
            drop(first);
            tell("in-second");
            drop(second);
            tell("ended");
            run.end();
        },
        &[("first", "none"), ("second", "first")],
        &[("in-second", "second"), ("ended", "none")],
    );
}
