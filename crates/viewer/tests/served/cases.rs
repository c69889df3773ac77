//! What users of other tools stumbled over, as the page is told it.

use exectrace_testkit::{Corpus, Random};
use serde_json::Value;

use crate::client::Client;

/// What other tools print for "none".
const NONE_AS_NUMBER: &str = "18446744073709551615";

fn shipped(file: &str) -> Vec<u8> {
    Corpus::shipped().trace(file).bytes()
}

fn shown(file: Vec<u8>) -> Client {
    let client = Client::of(file);
    client.wait();
    client
}

/// The rows that an answer lists.
fn rows(client: &Client, question: &str) -> Vec<Value> {
    let mut answer = client.get(question).json();
    let Value::Array(rows) = answer["tracks"].take() else {
        panic!("{question}: {answer}");
    };
    rows
}

#[test]
fn what_began_before_the_trace_has_a_placeholder() {
    for version in ["go1.19", "go1.27"] {
        let client = shown(shipped(&format!("recorded/{version}/early_task.trace")));
        let groups = rows(&client, "api/tracks?by=user_task");
        let nameless = groups.iter().find(|group| group["name"] == "");
        let nameless = nameless.unwrap_or_else(|| panic!("{version}: {groups:?}"));
        let id = nameless["id"].as_str().expect("is a text");
        let members = rows(&client, &format!("api/tracks?parent={id}"));
        assert_eq!(members.len(), 1, "{version}");
        assert_eq!(
            (&members[0]["id"], &members[0]["detail"]),
            (&"user:1".into(), &"began before the trace".into()),
            "{version}"
        );
        let child = client.get("api/report/latency?name=child").json();
        let parent = &child["groups"][0]["worst"][0]["parent"];
        assert_eq!(
            (&parent["user_task"], &parent["name"]),
            (&"user:1".into(), &Value::Null),
            "{version}"
        );
        for question in [
            "api/trace",
            "api/tracks?by=user_task",
            "api/search?q=1",
            "api/scatter",
            "api/report/latency",
            "api/report/latency?name=child",
            "api/report/why?id=user:1",
            "api/report/why?id=user:2",
        ] {
            let answer = client.get(question);
            assert_eq!(answer.status, 200, "{version}: {question}");
            assert!(
                !answer.text().contains(NONE_AS_NUMBER),
                "{version}: {question}"
            );
        }
    }
}

#[test]
fn what_is_lost_has_a_time_and_what_comes_after_it_is_there() {
    let whole = shipped("recorded/go1.27/generations.trace");
    let untouched = shown(whole.clone()).get("api/trace").json();
    assert_eq!(untouched["gaps"], Value::Array(Vec::new()));
    let mut random = Random::new(56);
    let mut scratched = whole.clone();
    let half = scratched.len() / 2;
    scratched[half..half + 100].fill_with(|| random.below(256) as u8);

    let client = shown(scratched);
    let status = client.get("api/trace").json();
    assert_eq!(status["verdict"], "partial");
    let gaps = status["gaps"].as_array().expect("is a list");
    assert_eq!(gaps.len(), 1, "{status}");
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{status}"));
    let (from_ns, to_ns) = (number(&gaps[0]["from_ns"]), number(&gaps[0]["to_ns"]));
    assert!(number(&gaps[0]["events"]) > 0, "{status}");
    assert!(
        from_ns < to_ns && to_ns < number(&status["end_ns"]),
        "{status}"
    );
    // The generation after the damage is read again.
    let begins = rows(&client, "api/tracks?by=worker")
        .into_iter()
        .filter_map(|row| {
            let id = row["id"].as_str()?.to_owned();
            let first = client
                .get(&format!("api/interval?track={id}&index=0"))
                .json();
            let last = first["count"].as_u64()? - 1;
            let last = client
                .get(&format!("api/interval?track={id}&index={last}"))
                .json();
            last["from_ns"].as_u64()
        });
    assert!(begins.max() > Some(to_ns), "{status}");

    let cut = shown(whole[..whole.len() * 56 / 100].to_vec());
    let status = cut.get("api/trace").json();
    assert_ne!(status["gaps"], Value::Array(Vec::new()), "{status}");
}

#[test]
fn what_takes_no_time_is_not_extended() {
    let client = Client::of_text(
        "\
    go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    ProcStart dt=1 thread=7
    GoCreate dt=4 task=1
    GoStart dt=5 task=1 seq=1
    GoSysCall dt=0
    GoBlockNet dt=0
    GoCreate dt=20 task=2
    GoUnblock dt=10 task=1 seq=2
    GoStart dt=5 task=1 seq=3
    GoEnd dt=5",
    );
    client.wait();
    let told = |index: u32| {
        let interval = client.get(&format!("api/interval?track=task:1&index={index}"));
        let interval = interval.json();
        let [state, from, to] = ["state", "from_ns", "to_ns"].map(|key| interval[key].to_string());
        format!("{state} {from} {to}")
    };
    assert_eq!(told(0), "\"runnable\" 4 9");
    assert_eq!(told(1), "\"running\" 9 9");
    assert_eq!(told(2), "\"waiting\" 9 39");
    // On its worker it is told, too, before the one that took time.
    let first = client.get("api/interval?track=worker:0&index=0").json();
    assert_eq!((&first["from_ns"], &first["to_ns"]), (&9.into(), &9.into()));
}
