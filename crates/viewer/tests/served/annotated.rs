//! What the author of a program has annotated: rows of user regions and what was logged, held against what the analysis of
//! annotations finds.

use std::collections::{BTreeMap, BTreeSet};

use exectrace_analysis::{Analysis, Annotations, Context, Pass, UserRegion, Window};
use exectrace_reader::{Event, Reader, Timestamp};
use exectrace_testkit::{Corpus, Random};

use crate::client::{Client, SMALL};
use crate::drawn::{Plain, parsed, plainly, random_window};

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
    /// How many regions there are of a name.
    names: BTreeMap<String, usize>,
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
            *found.names.entry(name).or_default() += 1;
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
    let end = |region: &UserRegion| region.end.map(|end| end.time).or(region.task_end);
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
        let begin_ns = region.begin.map_or(0, |begin| since(begin.time));
        let end_ns = end(region).map_or(trace_end_ns, &since);
        rows.entry(depth).or_default().push((begin_ns, end_ns, 6));
    }
    rows.into_values().collect()
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

#[test]
fn regions_of_a_name_are_a_row() {
    let corpus = Corpus::shipped();
    let mut seen = 0;
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let told = annotated(&bytes);
        let client = Client::of(bytes);
        client.wait();
        let window = format!("from=0&to={}", told.end_ns + 1);
        let groups = client.get("api/tracks?by=region").json()["tracks"].take();
        let mut names = BTreeMap::new();
        let mut tasks = BTreeSet::new();
        for group in groups.as_array().expect("is a list") {
            let id = group["id"].as_str().expect("is a text");
            let target = format!("api/runs?tracks={id}&{window}&width=1");
            let count = parsed(&client.get(&target).body).rows[0].begun();
            let name = group["name"].as_str().expect("is a text").to_owned();
            assert!(
                names.insert(name, count as usize).is_none(),
                "{file}: {group}"
            );
            let members = client
                .get(&format!("api/tracks?parent={id}&{window}"))
                .json();
            assert_eq!(members["total"], group["members"], "{file}: {group}");
            let members = members["tracks"].as_array().expect("is a list").clone();
            tasks.extend(
                members
                    .iter()
                    .filter_map(|it| it["id"].as_str().map(str::to_owned)),
            );
        }
        assert_eq!(names, told.names, "{file}");
        let told = told.rows.keys().map(|task| format!("task:{task}"));
        assert_eq!(tasks, told.collect(), "{file}");
        seen += names.len();
    }
    assert!(seen > 10, "{seen} names");
}

/// All annotations of a task are in its tree, each in what was open when it began.
#[test]
fn trees_have_all_that_a_task_annotated() {
    let corpus = Corpus::shipped();
    let mut seen = 0;
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
                around.push(node);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} annotations");
    let none = Client::of_text(SMALL);
    none.wait();
    assert_eq!(none.get("api/tree?id=task:1").json()["total"], 0);
    assert_eq!(none.get("api/tree?id=user:1").status, 404);
    assert_eq!(none.get("api/tree?id=worker:0").status, 404);
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
