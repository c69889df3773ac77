//! An exported page: what stands in it is what the server says, and there is never more than fits.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use exectrace_json::Moment;
use exectrace_reader::{Source, UnpackLimit};
use exectrace_testkit::Corpus;
use exectrace_viewer::{Bytes, Export, ExportError, ExportOptions, Subject};
use flate2::read::DeflateDecoder;
use serde_json::Value;

use crate::client::Client;

fn export(file: Vec<u8>, options: &ExportOptions) -> Result<Export, ExportError> {
    let source = Source::from_bytes(file, UnpackLimit::default()).expect("is not packed");
    Export::of(
        Subject::new("a.trace", "a.trace", Bytes::Source(source)),
        options,
    )
}

/// The answers that stand in a page, by their questions.
fn answers(export: &Export) -> BTreeMap<String, Vec<u8>> {
    let (_, rest) = export
        .html()
        .split_once("id=\"answers\">")
        .expect("has answers");
    let (text, _) = rest.split_once("</script>").expect("end");
    let lines = text.lines().map(|line| {
        let (question, packed) = line.split_once(' ').expect("has an answer");
        let packed = STANDARD.decode(packed).expect("is base64");
        let mut answer = Vec::new();
        DeflateDecoder::new(&packed[..])
            .read_to_end(&mut answer)
            .expect("is packed");
        (question.to_owned(), answer)
    });
    lines.collect()
}

fn json(answers: &BTreeMap<String, Vec<u8>>, question: &str) -> Value {
    serde_json::from_slice(&answers[question]).expect("is JSON")
}

/// Whether an answer is the page's own, and no server's.
fn is_own(question: &str) -> bool {
    let (path, options) = question.split_once('?').unwrap_or((question, ""));
    let is_part = options.starts_with("number=") || ["labels", "logs"].contains(&path);
    is_part || path == "export" || path == "stacks"
}

#[test]
fn answers_are_those_of_the_server() {
    let bytes = Corpus::shipped()
        .trace("recorded/go1.27/blocked.trace")
        .bytes();
    let export = export(bytes.clone(), &ExportOptions::default()).expect("can be made");
    let client = Client::of(bytes);
    client.wait();
    let answers = answers(&export);
    let mut compared = 0;
    for (question, answer) in answers.iter().filter(|(question, _)| !is_own(question)) {
        let served = client.get(&format!("api/{question}"));
        assert_eq!(served.status, 200, "{question}: {}", served.text());
        assert!(served.body == *answer, "{question}: {}", served.text());
        compared += 1;
    }
    assert!(compared > 30, "only {compared} answers");
    // Whatever row there is has a sheet, and all that is in it.
    let about = json(&answers, "export");
    assert_eq!(
        (&about["step_ns"], &about["window"]),
        (&0.into(), &Value::Null)
    );
    let sheets = about["sheets"].as_array().expect("are told");
    let told: BTreeSet<Option<&str>> = sheets
        .iter()
        .flat_map(|sheet| sheet["tracks"].as_array().unwrap())
        .map(Value::as_str)
        .collect();
    for by in ["worker", "thread", "group", "user_task"] {
        let tracks = json(&answers, &format!("tracks?by={by}&most=500"));
        for track in tracks["tracks"].as_array().expect("are told") {
            assert!(told.contains(&track["id"].as_str()), "{track}");
        }
    }
}

#[test]
fn there_is_never_more_than_fits() {
    let bytes = Corpus::shipped()
        .trace("recorded/go1.27/ordinary.trace")
        .bytes();
    let mut options = ExportOptions::default();
    options.bytes_max = 400_000;
    options.from = Some(Moment::Since(10_000_000));
    options.to = Some(Moment::Since(11_000_000));
    let export = export(bytes, &options).expect("can be made");
    assert!(
        export.html().len() <= options.bytes_max,
        "{} bytes",
        export.html().len()
    );
    let answers = answers(&export);
    let about = json(&answers, "export");
    // The window is in full, and the rest is not.
    assert_eq!(about["window"]["from_ns"], 10_000_000);
    assert_eq!(about["window_step_ns"], 0);
    assert!(about["step_ns"].as_u64() > Some(0), "{}", about["step_ns"]);
    for question in [
        "trace",
        "report/findings?most=50",
        "report/gc?from=10000000&most=2000&to=11000000",
    ] {
        assert!(answers.contains_key(question), "{question}");
    }
}

#[test]
fn what_cannot_be_exported_says_why() {
    let nonsense = export(
        b"no trace at all, of no version".to_vec(),
        &ExportOptions::default(),
    );
    assert!(
        matches!(nonsense, Err(ExportError::Unreadable { .. })),
        "{nonsense:?}"
    );
    let bytes = Corpus::shipped()
        .trace("recorded/exectrace/threads.trace")
        .bytes();
    let mut options = ExportOptions::default();
    options.from = Some(Moment::Since(3_600_000_000_000));
    let late = export(bytes, &options).unwrap_err();
    assert!(
        late.to_string()
            .starts_with("there is nothing in that window: the trace is 0.05"),
        "{late}"
    );
}
