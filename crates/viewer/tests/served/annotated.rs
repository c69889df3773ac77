//! What the author of a program has annotated: rows of user regions and what was logged, held against what the analysis of
//! annotations finds.

use std::collections::{BTreeMap, BTreeSet};

use exectrace_analysis::{Analysis, Annotations, Context, Pass, UserRegion, Window};
use exectrace_reader::{Event, Reader, Timestamp};
use exectrace_testkit::{Corpus, Random};

use crate::client::{Client, SMALL};
use crate::drawn::{Plain, parsed, plain_counts, plainly, random_window};

/// Traces of both formats and both languages that have some, regions that are left open, end twice or began before among them.
const TRACES: [&str; 9] = [
    "handmade/v1-annotations.trace",
    "recorded/exectrace/futures.trace",
    "recorded/exectrace/threads.trace",
    "recorded/go1.19/ended_twice.trace",
    "recorded/go1.19/generations.trace",
    "recorded/go1.19/left_open.trace",
    "recorded/go1.19/ordinary.trace",
    "recorded/go1.27/ended_twice_inside.trace",
    "recorded/go1.27/ordinary.trace",
];

/// Windows that are tried of each row.
const WINDOWS: usize = 6;

/// What is annotated, with times since the trace began.
#[derive(Default)]
struct Annotated {
    analysis: Annotations,
    /// Of each task the rows of its regions, the outermost first.
    rows: BTreeMap<u64, Vec<Vec<Plain>>>,
    /// The regions of a name, by task.
    names: BTreeMap<String, BTreeMap<u64, Vec<Plain>>>,
    /// By task: when, key and text.
    logs: BTreeMap<u64, Vec<(u64, String, String)>>,
    end_ns: u64,
}

impl Analysis for Annotated {
    type Report = Self;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.analysis.event(event, context);
    }

    fn report(self, context: &Context<'_>) -> Self {
        let since = |time: Timestamp| time.since_ns(context.begin) as u64;
        let report = self.analysis.report(context);
        let end_ns = since(context.end);
        let mut found = Self {
            end_ns,
            ..Self::default()
        };
        let mut by_task = BTreeMap::<u64, Vec<&UserRegion>>::new();
        for region in report.regions.iter().filter(|it| it.task.0 > 0) {
            by_task.entry(region.task.0).or_default().push(region);
        }
        for region in by_task.values().flatten() {
            let name = context.tables.text(region.name).into_owned();
            let tasks = found.names.entry(name).or_default();
            let regions = tasks.entry(region.task.0).or_default();
            regions.push(plain(region, since, end_ns));
        }
        for (task, regions) in by_task {
            found.rows.insert(task, rows(&regions, since, end_ns));
        }
        for log in report.logs.iter().filter(|it| it.moment.task.0 > 0) {
            let texts = [log.key, log.message].map(|id| context.tables.text(id).into_owned());
            let [key, text] = texts;
            let logs = found.logs.entry(log.moment.task.0).or_default();
            logs.push((since(log.moment.time), key, text));
        }
        found
    }
}

/// The rows of a task's regions: each lies one deeper than what was open when it began, and what began before the trace is around all
/// that ended before it.
fn rows(
    regions: &[&UserRegion],
    since: impl Fn(Timestamp) -> u64,
    trace_end_ns: u64,
) -> Vec<Vec<Plain>> {
    let mut depths: Vec<i32> = Vec::new();
    let mut outside = 0;
    for (place, region) in regions.iter().enumerate() {
        let Some(begin) = region.begin else {
            outside -= 1;
            depths.push(outside);
            continue;
        };
        let open = regions[..place].iter().zip(&depths);
        let open = open.filter(|(it, _)| end(it).is_none_or(|end| end >= begin.time));
        let open = open.filter(|(it, _)| it.begin.is_some());
        depths.push(open.map(|(_, depth)| depth + 1).max().unwrap_or(0));
    }
    let mut rows = BTreeMap::<i32, Vec<Plain>>::new();
    for (region, depth) in regions.iter().zip(depths) {
        let plain = plain(region, &since, trace_end_ns);
        rows.entry(depth).or_default().push(plain);
    }
    rows.into_values().collect()
}

fn end(region: &UserRegion) -> Option<Timestamp> {
    region.end.map(|end| end.time).or(region.task_end)
}

fn plain(region: &UserRegion, since: impl Fn(Timestamp) -> u64, trace_end_ns: u64) -> Plain {
    let begin_ns = region.begin.map_or(0, |begin| since(begin.time));
    (begin_ns, end(region).map_or(trace_end_ns, since), 6)
}

fn annotated(file: &[u8]) -> Annotated {
    let mut reader = Reader::tolerant(file).expect("is a trace");
    let mut pass = Pass::new(Window::WHOLE, Annotated::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("a tolerant reader has none"), reader.tables());
    }
    pass.report(reader.tables())
}

#[test]
fn regions_are_rows_below_their_tasks() {
    let corpus = Corpus::shipped();
    let mut random = Random::from_environment();
    let mut compared = 0;
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let told = annotated(&bytes);
        let client = Client::of(bytes);
        client.wait();
        for (task, rows) in &told.rows {
            let target = format!("api/tracks?parent=task:{task}");
            let tracks = client.get(&target).json()["tracks"].take();
            let ids = (0..rows.len()).map(|depth| format!("regions:{task}.{depth}"));
            let ids: Vec<String> = ids.collect();
            let listed = tracks.as_array().expect("is a list").iter();
            let listed: Vec<&str> = listed.filter_map(|it| it["id"].as_str()).collect();
            assert_eq!(listed, ids, "{file}: {target}");
            for window in 0..WINDOWS {
                let (from, to) = match window {
                    0 => (0, told.end_ns + 1),
                    _ => random_window(&mut random, told.end_ns),
                };
                let width = 1 + random.below(700);
                let rows_asked = ids.join(",");
                let target =
                    format!("api/runs?tracks={rows_asked}&from={from}&to={to}&width={width}");
                let answer = parsed(&client.get(&target).body);
                for (row, drawn) in rows.iter().zip(&answer.rows) {
                    assert_eq!(*drawn, plainly(row, &answer), "{file}: {target}");
                    compared += row.len();
                }
            }
        }
    }
    assert!(compared > 1_000, "{compared} were compared");
}

/// Regions of a name in themselves, as recursion has them, and one that ends with no begin of it.
const IN_THEMSELVES: &str = "\
    go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    ProcStart dt=1 thread=7
    GoCreate dt=1 task=1
    GoCreate dt=1 task=2
    GoStart dt=1 task=1 seq=1
    UserRegion dt=1 user_task=0 mode=0 name=2
    UserRegion dt=600 user_task=0 mode=0 name=2
    UserRegion dt=100 user_task=0 mode=1 name=2
    UserRegion dt=300 user_task=0 mode=1 name=2
    UserRegion dt=500 user_task=0 mode=0 name=3
    UserRegion dt=100 user_task=0 mode=1 name=3
    UserRegion dt=300 user_task=0 mode=1 name=3
    GoEnd dt=1
    GoStart dt=1 task=2 seq=1
    UserRegion dt=1 user_task=0 mode=0 name=2
    UserRegion dt=100 user_task=0 mode=1 name=2
    GoEnd dt=1
    String string=2 text=\"walk\"
    String string=3 text=\"step\"";

#[test]
fn regions_of_a_name_are_a_row() {
    let corpus = Corpus::shipped();
    let in_themselves = exectrace_format::text::parse(IN_THEMSELVES).expect("is a trace");
    // The same where names are of different bytes that no text has, and so are shown as the same.
    let mut no_texts = in_themselves.clone();
    for (name, bytes) in [(b"walk", b"\xffabc"), (b"step", b"\xfeabc")] {
        let place = no_texts.windows(4).position(|it| it == name);
        let place = place.expect("the name is in it");
        no_texts[place..place + 4].copy_from_slice(bytes);
    }
    let files = TRACES.map(|file| (file, corpus.trace(file).bytes()));
    let handmade = [("in themselves", in_themselves), ("no texts", no_texts)];
    let mut random = Random::from_environment();
    let (mut seen, mut in_part) = (0, 0);
    for (file, bytes) in files.into_iter().chain(handmade) {
        let told = annotated(&bytes);
        let client = Client::of(bytes);
        client.wait();
        let groups = client.get("api/tracks?by=region").json()["tracks"].take();
        let groups = groups.as_array().expect("is a list");
        let text = |line: &serde_json::Value, key: &str| line[key].as_str().map(str::to_owned);
        let names: BTreeSet<_> = groups.iter().filter_map(|it| text(it, "name")).collect();
        assert_eq!(names.len(), groups.len(), "{file}: {groups:?}");
        assert!(names.iter().eq(told.names.keys()), "{file}: {groups:?}");
        for group in groups {
            let (id, name) = (text(group, "id").unwrap(), text(group, "name").unwrap());
            let tasks = &told.names[&name];
            assert_eq!(group["members"], tasks.len(), "{file}: {group}");
            let all: Vec<Plain> = tasks.values().flatten().copied().collect();
            for window in 0..2 * WINDOWS {
                let (from, to) = match window {
                    0 => (0, told.end_ns + 1),
                    // In the outer of those that are in themselves, and before the inner.
                    1 => (100, 200),
                    _ => random_window(&mut random, told.end_ns),
                };
                let width = 1 + random.below(700);
                let target = format!("api/runs?tracks={id}&from={from}&to={to}&width={width}");
                let answer = parsed(&client.get(&target).body);
                let counts = answer.rows[0].counts();
                assert_eq!(counts, plain_counts(&all, &answer), "{file}: {target}");
                let target = format!("api/tracks?parent={id}&from={from}&to={to}");
                let members = client.get(&target).json()["tracks"].take();
                let members = members.as_array().expect("is a list").iter();
                let members: BTreeSet<_> = members.filter_map(|it| text(it, "id")).collect();
                let is_in = |&(begin, end, _): &Plain| begin < to && (end > from || begin >= from);
                let there = tasks.iter().filter(|(_, all)| all.iter().any(is_in));
                let there: BTreeSet<_> = there.map(|(task, _)| format!("task:{task}")).collect();
                assert_eq!(members, there, "{file}: {target}");
                in_part += usize::from((1..tasks.len()).contains(&members.len()));
            }
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} names");
    assert!(in_part > 10, "{in_part} windows had some of a name");
}

/// All annotations of a task are in its tree, each in what was open when it began.
#[test]
fn trees_have_all_that_a_task_annotated() {
    let corpus = Corpus::shipped();
    let (mut seen, mut inner) = (0, 0);
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let told = annotated(&bytes);
        let client = Client::of(bytes);
        client.wait();
        let tasks: BTreeSet<&u64> = told.rows.keys().chain(told.logs.keys()).collect();
        for task in tasks {
            let tree = client
                .get(&format!("api/tree?id=task:{task}&most=100000"))
                .json();
            let nodes = tree["nodes"].as_array().expect("is a list");
            assert_eq!(tree["total"], nodes.len(), "{file}: task:{task}");
            let of = |kind: &'static str| nodes.iter().filter(move |node| node["kind"] == kind);
            let regions = told
                .rows
                .get(task)
                .map_or(0, |rows| rows.iter().map(Vec::len).sum());
            assert_eq!(of("region").count(), regions, "{file}: task:{task}");
            let logs = told.logs.get(task).map_or(0, Vec::len);
            assert_eq!(of("log").count(), logs, "{file}: task:{task}");
            let mut around: Vec<&serde_json::Value> = Vec::new();
            for node in nodes {
                let number = |node: &serde_json::Value, key: &str| node[key].as_u64();
                around.truncate(node["depth"].as_u64().expect("is a number") as usize);
                assert_eq!(Some(around.len() as u64), number(node, "depth"));
                if let Some(outer) = around.last() {
                    assert!(
                        number(outer, "begin_ns") <= number(node, "begin_ns"),
                        "{node}"
                    );
                    let is_in = number(outer, "end_ns") >= number(node, "begin_ns");
                    assert!(is_in || outer["kind"] == "user_task", "{outer}: {node}");
                }
                // What has a region around it is in that, or in its own user task.
                let has_around = told.rows.get(task).is_some_and(|rows| match row_of(node) {
                    Some(0) => false,
                    Some(row) => is_around(&rows[row - 1], number(node, "begin_ns")),
                    None => node["kind"] == "log" && is_around(&rows[0], number(node, "begin_ns")),
                });
                assert!(!has_around || !around.is_empty(), "{file}: {node}");
                inner += usize::from(has_around);
                around.push(node);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} annotations");
    assert!(inner > 4, "{inner} of them in regions");
    let none = Client::of_text(SMALL);
    none.wait();
    assert_eq!(none.get("api/tree?id=task:1").json()["total"], 0);
    assert_eq!(none.get("api/tree?id=user:1").status, 404);
    assert_eq!(none.get("api/tree?id=worker:0").status, 404);
}

/// How many rows are above that of a region.
fn row_of(node: &serde_json::Value) -> Option<usize> {
    let (_, row) = node["track"]
        .as_str()?
        .strip_prefix("regions:")?
        .split_once('.')?;
    row.parse().ok()
}

/// Whether one of a row was open at a time.
fn is_around(row: &[Plain], at_ns: Option<u64>) -> bool {
    let at_ns = at_ns.expect("is a number");
    row.iter()
        .any(|&(begin, end, _)| begin < at_ns && at_ns < end)
}

#[test]
fn a_region_tells_its_name_and_where_it_is_from() {
    let bytes = Corpus::shipped()
        .trace("recorded/go1.19/ordinary.trace")
        .bytes();
    let told = annotated(&bytes);
    let client = Client::of(bytes);
    client.wait();
    let mut names = Vec::new();
    for (task, rows) in &told.rows {
        for depth in 0..rows.len() {
            let target = format!("api/interval?track=regions:{task}.{depth}&index=0");
            let region = client.get(&target).json();
            assert_eq!(region["task"], format!("task:{task}"));
            assert_eq!(region["state"], "open");
            assert!(region["begin_stack"][0]["function"].is_string(), "{region}");
            names.extend(region["reason"].as_str().map(str::to_owned));
        }
    }
    assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
    let found = client.get(&format!("api/search?q={}", names[0])).json();
    let hits = found["hits"].as_array().expect("is a list").clone();
    let is_it = |hit: &serde_json::Value| hit["kind"] == "region" && hit["name"] == names[0];
    assert!(hits.iter().any(is_it), "{found}");
}

#[test]
fn logs_are_all_there_with_their_texts() {
    let corpus = Corpus::shipped();
    let mut seen = 0;
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let told = annotated(&bytes);
        let client = Client::of(bytes);
        client.wait();
        for (task, logs) in &told.logs {
            let to = told.end_ns + 1;
            let target = format!("api/marks?tracks=task:{task}&from=0&to={to}&width=900");
            let marks = client.get(&target).json();
            let marks = marks["logs"].as_array().expect("is a list").clone();
            let count: u64 = marks.iter().filter_map(|mark| mark["count"].as_u64()).sum();
            assert_eq!(count, logs.len() as u64, "{file}: {target}");
            let target = format!("api/logs?track=task:{task}&from=0&to={to}&most=1");
            let answer = client.get(&target).json();
            assert_eq!(answer["total"], logs.len(), "{file}: {target}");
            assert_eq!(answer["logs"][0]["at_ns"], logs[0].0, "{file}: {target}");
            // Page by page they are the same.
            let of_page = |skip: usize| {
                let answer = client.get(&format!("{target}&skip={skip}")).json();
                assert_eq!(answer["total"], logs.len(), "{file}: {target}");
                answer["logs"].as_array().expect("is a list").clone()
            };
            let pages: Vec<_> = (0..=logs.len()).flat_map(of_page).collect();
            let texts = pages.iter().map(|log| log["text"].as_str());
            let expected = logs.iter().map(|(_, _, text)| Some(text.as_str()));
            assert!(texts.eq(expected), "{file}: {target}: {pages:?}");
            for (at_ns, key, text) in logs {
                let to = at_ns + 1;
                let target = format!("api/logs?track=task:{task}&from={at_ns}&to={to}");
                let answer = client.get(&target).json();
                let found = answer["logs"].as_array().expect("is a list").clone();
                let is_it = |log: &serde_json::Value| log["key"] == *key && log["text"] == *text;
                assert!(found.iter().any(is_it), "{file}: {target}: {answer}");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen} logs");
}

#[test]
fn search_finds_logs_and_frames_of_stacks() {
    let bytes = Corpus::shipped()
        .trace("recorded/go1.19/ordinary.trace")
        .bytes();
    let told = annotated(&bytes);
    let client = Client::of(bytes);
    client.wait();
    let hits = |query: &str, kind: &str| {
        let found = client.get(&format!("api/search?q={query}")).json();
        let hits = found["hits"].as_array().expect("is a list").clone();
        let hits = hits.into_iter().filter(|hit| hit["kind"] == kind);
        hits.collect::<Vec<_>>()
    };
    let logs = told.logs.iter();
    let mut logs = logs.flat_map(|(task, logs)| logs.iter().map(move |log| (task, log)));
    let word = |text: &str| {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        words
            .max_by_key(|word| word.len())
            .unwrap_or_default()
            .to_owned()
    };
    let (task, (at_ns, _, text)) = logs
        .find(|(_, log)| word(&log.2).len() > 2)
        .expect("is one");
    // Whatever the case.
    let found = hits(&word(text).to_uppercase(), "log");
    let is_it = |hit: &serde_json::Value| {
        let name = hit["name"].as_str().unwrap_or_default();
        hit["id"] == format!("task:{task}") && hit["from_ns"] == *at_ns && name.ends_with(text)
    };
    assert!(found.iter().any(is_it), "{text}: {found:?}");
    assert_eq!(hits("main.MAIN", "function")[0]["name"], "main.main");
    assert_eq!(hits("nobody+wrote+this", "log").len(), 0);
}
