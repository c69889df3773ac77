//! What a filter leaves of the timeline, held against what the reader tells, by a plain test of each interval.

use std::collections::BTreeMap;

use exectrace_analysis::{Analysis, Context, Interval, Pass, Window, state_word};
use exectrace_reader::{Reader, State};
use exectrace_testkit::{Corpus, Random};

use crate::client::{Client, SMALL};
use crate::drawn::{Plain, parsed, plainly_if, random_window};

/// Traces of both formats and both languages.
const TRACES: [&str; 4] = [
    "recorded/exectrace/futures.trace",
    "recorded/go1.19/blocked.trace",
    "recorded/go1.27/blocked.trace",
    "recorded/go1.27/ordinary.trace",
];

/// Windows that are tried of each trace and filter.
const WINDOWS: usize = 2;

/// Rows that are looked at.
const ROWS: usize = 30;

/// What is known of an interval.
struct Fact {
    plain: Plain,
    state: &'static str,
    reason: String,
    worker: i64,
    function: String,
}

/// The intervals of each task.
#[derive(Default)]
struct Facts(BTreeMap<u64, Vec<Fact>>);

impl Analysis for Facts {
    type Report = Self;

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let since = |edge: &exectrace_analysis::Edge| edge.time.since_ns(context.begin) as u64;
        let number = match interval.state {
            State::Running => 1,
            State::Runnable => 2,
            State::Waiting => 3,
            State::Syscall => 4,
            State::Undetermined => 5,
            _ => return,
        };
        self.0.entry(interval.task.0).or_default().push(Fact {
            plain: (since(&interval.begin), since(&interval.end), number),
            state: state_word(interval.state),
            reason: context.tables.text(interval.reason).into_owned(),
            // What a task ran on is told by itself, too, when it stops.
            worker: if interval.begin.worker.0 < 0 && number == 1 {
                interval.end.worker.0
            } else {
                interval.begin.worker.0
            },
            function: String::new(),
        });
    }

    fn report(mut self, context: &Context<'_>) -> Self {
        let mut lives = BTreeMap::<u64, usize>::new();
        for (_, life) in context.lives.iter() {
            *lives.entry(life.task.0).or_default() += 1;
            let function = life.function(context.tables);
            let function = context.tables.text(function).into_owned();
            for fact in self.0.get_mut(&life.task.0).into_iter().flatten() {
                fact.function.clone_from(&function);
            }
        }
        // An id that was used twice means its last life.
        self.0.retain(|task, _| lives[task] == 1);
        self
    }
}

fn facts(file: &[u8]) -> Facts {
    let mut reader = Reader::tolerant(file).expect("is a trace");
    let mut pass = Pass::new(Window::WHOLE, Facts::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("a tolerant reader has none"), reader.tables());
    }
    pass.report(reader.tables())
}

/// Whether a filter means an interval of a task: all of its intervals, and the number of that one.
type IsMeant = fn(&[Fact], usize) -> bool;

/// Filters, and the same as code.
const FILTERS: [(&str, IsMeant); 6] = [
    (r#"state == "blocked" && duration > 100us"#, |all, at| {
        all[at].state == "blocked" && all[at].plain.1 - all[at].plain.0 > 100_000
    }),
    (r#"state != "runnable" && worker == 1"#, |all, at| {
        all[at].state != "runnable" && all[at].worker == 1
    }),
    (r#"reason != "" && !(reason contains "chan")"#, |all, at| {
        !all[at].reason.is_empty() && !all[at].reason.contains("chan")
    }),
    (
        r#"task.function contains "main." || begin < 1ms"#,
        |all, at| all[at].function.contains("main.") || all[at].plain.0 < 1_000_000,
    ),
    // Intervals do not have it: it is asked of the task.
    ("running > 100us", |all, _| {
        let ran = all.iter().filter(|it| it.state == "running");
        ran.map(|it| it.plain.1 - it.plain.0).sum::<u64>() > 100_000
    }),
    ("task > 1000000", |_, _| false),
];

fn escaped(filter: &str) -> String {
    let bytes = filter.bytes().map(|byte| format!("%{byte:02X}"));
    bytes.collect()
}

#[test]
fn what_is_left_of_rows_is_what_the_filter_means() {
    let corpus = Corpus::shipped();
    let mut random = Random::from_environment();
    let mut meant_at_all = [0; FILTERS.len()];
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let facts = facts(&bytes).0;
        let client = Client::of(bytes);
        client.wait();
        let end_ns = client.get("api/trace").json()["end_ns"].as_u64();
        let end_ns = end_ns.expect("is a number");
        for ((filter, is_meant), meant_at_all) in FILTERS.iter().zip(&mut meant_at_all) {
            let filter = escaped(filter);
            let ids: Vec<String> = facts
                .keys()
                .take(ROWS)
                .map(|id| format!("task:{id}"))
                .collect();
            for window in 0..WINDOWS {
                let (from, to) = match window {
                    0 => (0, end_ns + 1),
                    _ => random_window(&mut random, end_ns),
                };
                let width = 1 + random.below(100);
                let target = format!("api/runs?from={from}&to={to}&width={width}&where={filter}");
                let answer = client.get(&format!("{target}&tracks={}", ids.join(",")));
                let answer = parsed(&answer.body);
                for ((id, all), row) in facts.iter().zip(&answer.rows) {
                    let plain: Vec<Plain> = all.iter().map(|it| it.plain).collect();
                    let meant: Vec<bool> = (0..all.len()).map(|at| is_meant(all, at)).collect();
                    let expected = plainly_if(&plain, &answer, |at| meant[at]);
                    assert_eq!(*row, expected, "{file}: task:{id} in {target}");
                    *meant_at_all += meant.iter().filter(|&&is_meant| is_meant).count();
                }
                if window < 2 {
                    is_listed(&client, &filter, &facts, *is_meant, (from, to));
                }
            }
        }
    }
    let [.., nothing] = meant_at_all;
    assert_eq!(nothing, 0);
    let others = &meant_at_all[..FILTERS.len() - 1];
    assert!(others.iter().all(|&meant| meant > 0), "{meant_at_all:?}");
}

/// Those tasks are listed of which something is meant, below those functions that have such tasks.
fn is_listed(
    client: &Client,
    filter: &str,
    facts: &BTreeMap<u64, Vec<Fact>>,
    is_meant: IsMeant,
    (from, to): (u64, u64),
) {
    let tracks = |target: &str| {
        let target = format!("api/tracks?{target}&from={from}&to={to}&most=10000");
        let answer = client.get(&format!("{target}&where={filter}"));
        let tracks = answer.json()["tracks"]
            .as_array()
            .expect("is a list")
            .clone();
        let ids = tracks.iter().filter_map(|it| it["id"].as_str());
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let groups = tracks("by=group");
    let listed = groups.iter().flat_map(|group| {
        let tasks = tracks(&format!("parent={group}"));
        assert!(
            !tasks.is_empty(),
            "{filter}: {group} has none in {from}..{to}"
        );
        tasks
    });
    let mut listed: Vec<String> = listed.collect();
    let known = |id: &String| facts.contains_key(&id[5..].parse().expect("is a number"));
    listed.retain(known);
    listed.sort();
    let is_in = |(begin, end, _): Plain| begin < to && (end > from || begin >= from);
    let meant = facts.iter().filter(|(_, all)| {
        let mut places = 0..all.len();
        places.any(|at| is_in(all[at].plain) && is_meant(all, at))
    });
    let mut meant: Vec<String> = meant.map(|(id, _)| format!("task:{id}")).collect();
    meant.sort();
    assert_eq!(listed, meant, "{filter}");
    assert_eq!(groups.is_empty(), meant.is_empty(), "{filter}");
}

#[test]
fn what_a_filter_leaves_of_a_function_is_what_it_leaves_of_its_tasks() {
    let file = Corpus::shipped()
        .trace("recorded/go1.27/ordinary.trace")
        .bytes();
    let client = Client::of(file);
    client.wait();
    let filter = escaped(r#"state == "running" && worker == 1"#);
    let window = "from=0&to=1000000000000&width=1";
    let groups = client.get("api/tracks?by=group").json()["tracks"].take();
    let ids = |tracks: &serde_json::Value| {
        let ids = tracks.as_array().expect("is a list").iter();
        let ids: Vec<String> = ids
            .filter_map(|it| it["id"].as_str().map(str::to_owned))
            .collect();
        ids.join(",")
    };
    let counts = |tracks: &str| {
        let target = format!("api/runs?tracks={tracks}&{window}&where={filter}");
        let rows = parsed(&client.get(&target).body).rows;
        rows.iter().map(|row| row.begun()).sum::<u32>()
    };
    let workers = counts("worker:1");
    assert!(workers > 0);
    assert_eq!(counts(&ids(&groups)), workers, "of all functions");
    assert_eq!(counts("worker:0"), 0);
}

#[test]
fn a_filter_that_makes_no_sense_is_refused_in_words() {
    let client = Client::of_text(SMALL);
    client.wait();
    for (target, filter, expect) in [
        (
            "tracks?by=worker",
            "duratoin > 5ms",
            "filter: column 1: there is no such field; tasks have ",
        ),
        (
            "runs?tracks=task:1&from=0&to=9&width=9",
            "duration >",
            "filter: column 11: here must be a duration",
        ),
        (
            "tracks?by=worker",
            r#"kind == "region""#,
            "these tracks do not have what the filter asks for",
        ),
        (
            "tracks?by=user_task",
            r#"state == "blocked""#,
            "these tracks do not have what the filter asks for",
        ),
        (
            "tracks?by=group",
            "user_task == 5",
            "these tracks do not have what the filter asks for",
        ),
    ] {
        let answer = client.get(&format!("api/{target}&where={}", escaped(filter)));
        assert_eq!(answer.status, 400, "{filter}");
        let error = answer.json()["error"]
            .as_str()
            .expect("is a text")
            .to_owned();
        assert!(error.starts_with(expect), "{filter}: {error}");
    }
    // What is below a row is asked for by what that row is, whichever rows are looked at.
    let filter = escaped(r#"state == "running""#);
    for by in ["worker", "user_task", "region"] {
        let answer = client.get(&format!("api/tracks?by={by}&parent=group:0&where={filter}"));
        assert_eq!(answer.json()["tracks"][0]["id"], "task:1", "{by}");
    }
    let filter = escaped(r#"kind == "region""#);
    let answer = client.get(&format!(
        "api/tracks?by=region&parent=group:0&where={filter}"
    ));
    assert_eq!(answer.status, 400);
    // One of nothing but spaces is none.
    let all = client.get("api/tracks?by=worker");
    assert_eq!(client.get("api/tracks?by=worker&where=%20").body, all.body);
}
