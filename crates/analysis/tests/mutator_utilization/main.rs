//! What collectors leave of workers: against the curves of Go's own analyses.

mod as_in_go;
#[path = "../support/mod.rs"]
mod support;

use exectrace_analysis::{MutatorUtilization, MutatorUtilizationReport, Pass, Window};
use exectrace_reader::{Mode, Reader};
use exectrace_testkit::{Corpus, CorpusTrace};
use serde_json::Value;

use support::oracle;

/// What Go's values call the selections of work, in our order.
const SELECTIONS: [&str; 4] = [
    "stw",
    "stw|background|assist",
    "stw|background|assist|sweep",
    "perProc|stw|background|assist",
];

/// Where Go's own code panics: a sweep stands before the number of workers.
const PANICS: [(&str, &str); 1] = [("go-testdata-v1/stress_start_stop_1_9_good", SELECTIONS[2])];

/// Files of format v1 with many events at one time, whose order Go's reader does not define. What takes no time counts until the next
/// event in Go's curves, so that they are lower.
const WITH_TIES: [&str; 3] = [
    "go-testdata-v1/stress_1_7_good",
    "go-testdata-v1/stress_1_19_good",
    "go-testdata-v1/stress_1_21_good",
];

fn report(file: &[u8], mode: Mode) -> MutatorUtilizationReport {
    let mut reader = Reader::open(file, mode).expect("has a header");
    let mut pass = Pass::new(Window::WHOLE, MutatorUtilization::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("can be read"), reader.tables());
    }
    pass.report(reader.tables())
}

#[test]
fn curves_are_those_of_gos_analyses() {
    let Some(corpus) = Corpus::large() else {
        return;
    };
    let (mut points, mut same) = (0, 0);
    let mut faults = Vec::new();
    for trace in corpus.traces() {
        let Some(oracle) = oracle(&corpus, &trace) else {
            continue;
        };
        let bytes = trace.bytes();
        let report = report(&bytes, Mode::Strict);
        for (curve, name) in report.curves.iter().zip(SELECTIONS) {
            // Files of 1.5 have no analyses in Go.
            let Some(gos) = gos_points(&trace, &oracle["mmu"][name], name) else {
                continue;
            };
            let ours = gos.iter().map(|&(window_ns, _)| {
                let point = curve.points.iter().find(|it| it.window_ns == window_ns);
                point.expect("has the window").utilization
            });
            let is_same = |(&(_, gos), ours): (&(i64, f64), f64)| (gos - ours).abs() < 1e-9;
            points += gos.len();
            if gos.iter().zip(ours.clone()).all(is_same) {
                same += gos.len();
                continue;
            }
            let windows: Vec<i64> = gos.iter().map(|&(window_ns, _)| window_ns).collect();
            let as_in_go = as_in_go::utilizations(&bytes, curve.work, &windows);
            for ((&(window_ns, gos), ours), as_in_go) in gos.iter().zip(ours).zip(as_in_go) {
                let is_explained = as_in_go.is_some_and(|it| (it - gos).abs() < 1e-9);
                let is_of_ties =
                    WITH_TIES.contains(&trace.file()) && (0.0..1e-4).contains(&(ours - gos));
                if !is_explained && !is_of_ties && (ours - gos).abs() > 1e-9 {
                    faults.push(format!(
                        "{} {name} {window_ns}: {ours}, Go {gos}",
                        trace.file()
                    ));
                }
            }
        }
    }
    assert!(same > 1_900 && points > same, "{same} of {points}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Windows and minima; `None` where Go has no curve.
fn gos_points(trace: &CorpusTrace, curve: &Value, name: &str) -> Option<Vec<(i64, f64)>> {
    let panics = curve.as_str().is_some_and(|it| it.starts_with("panic"));
    assert_eq!(
        panics,
        PANICS.contains(&(trace.file(), name)),
        "{}",
        trace.file()
    );
    let point = |point: &Value| Some((point[0].as_i64()?, point[1].as_f64()?));
    let points = curve["mmu_by_window_ns"].as_array()?;
    Some(
        points
            .iter()
            .map(|it| point(it).expect("numbers"))
            .collect(),
    )
}
