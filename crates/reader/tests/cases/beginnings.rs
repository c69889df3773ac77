//! What goes on already when the trace begins, and still when it ends.

use exectrace_format::role::{Range, State};
use exectrace_reader::{Cause, EventType, Kind, Reader, Repair};

use super::{RECORDERS, Told, recorded};

#[test]
fn a_collection_that_is_under_way_is_open_from_the_begin() {
    let file = recorded("go1.27", "start_in_gc");
    let told = Told::strictly(&file);
    let ranges: Vec<_> = told
        .events
        .iter()
        .filter(|event| {
            matches!(
                event.kind,
                Kind::RangeActive {
                    range: Range::Gc,
                    ..
                } | Kind::RangeBegin {
                    range: Range::Gc,
                    ..
                } | Kind::RangeEnd {
                    range: Range::Gc,
                    ..
                }
            )
        })
        .collect();
    assert!(matches!(ranges[0].kind, Kind::RangeActive { .. }));
    assert!(matches!(ranges[1].kind, Kind::RangeEnd { .. }));
    // No time lies before the begin.
    let times: Vec<_> = told.events.iter().map(|event| event.time).collect();
    assert!(times.is_sorted());
    assert_eq!(told.events[0].kind, Kind::Sync);
    // A generation's clock is read a little later than its first event.
    assert!(ranges[0].time > times[0]);
}

#[test]
fn a_task_that_waits_throughout_is_one_task_that_waits() {
    use State::{NotExist, Runnable, Undetermined, Waiting};
    for by in RECORDERS {
        let file = recorded(by, "blocked");
        let told = Told::strictly(&file);
        let tasks = told.tasks_in("main.waitForever");
        assert_eq!(tasks.len(), 1, "{by}: {tasks:?}");
        // Format v2 says it once a generation, whenever that comes to it; v1 at the begin.
        let steps = told.steps(tasks[0]);
        let states: Vec<_> = steps.iter().map(|(_, from, to)| (*from, *to)).collect();
        let expect = match by {
            "go1.19" => [(NotExist, Runnable), (Runnable, Waiting)],
            _ => [(Undetermined, Waiting), (Waiting, Waiting)],
        };
        assert_eq!(states, expect, "{by}");
    }
}

#[test]
fn allocations_are_events_of_an_experiment() {
    let file = recorded("go1.27", "allocations");
    let told = Told::strictly(&file);
    let count = |name: &str| {
        let is_one = |it: &&exectrace_reader::Event| {
            it.event_type.name() == name && matches!(it.kind, Kind::Experiment { .. })
        };
        told.events.iter().filter(is_one).count()
    };
    // The program makes 500 objects and drops them; the runtime has more.
    assert!(count("HeapObjectAlloc") > 500 && count("HeapObjectFree") > 500);
    assert!(count("Span") > 0 && count("GoroutineStack") > 0);
    // The others are there as ever.
    let is_plain = |event: &&exectrace_reader::Event| {
        matches!(event.event_type, EventType::V2(_))
            && !matches!(event.kind, Kind::Experiment { .. })
    };
    assert!(told.events.iter().filter(is_plain).count() > 50);
}

#[test]
fn of_a_program_that_died_whole_generations_are_there() {
    let file = recorded("go1.27", "no_stop");
    let told = Told::strictly(&file);
    // The program lived for 1.2 s, and a generation lasts a second.
    let (first, last) = (
        told.events[0].time.0,
        told.events[told.events.len() - 1].time.0,
    );
    assert!((900_000_000..1_200_000_000).contains(&(last - first)));
    assert_eq!(told.reader.contents().generations, Some(2));
    assert_eq!(told.tasks_in("main.main").len(), 1);
    // A tolerant reader gives the same, and says that there is no end.
    let tolerant = Told::tolerantly(&file);
    assert_eq!(tolerant.events, told.events);
    let (loss, repairs) = (tolerant.reader.loss(), tolerant.reader.repairs());
    assert_eq!((repairs.total(), repairs.count(Repair::End)), (1, 1));
    assert_eq!(
        (loss.bytes, loss.events, loss.is_exact, loss.gap_count),
        (0, 0, false, 1)
    );
    let fault = loss.gaps[0].error;
    assert_eq!(
        (fault.cause, fault.generation),
        (Cause::GenerationCut, Some(2))
    );
}

#[test]
fn what_a_recording_has_that_was_not_stopped_keeps_its_times() {
    let file = recorded("exectrace", "unstopped");
    // The batch in which the busy task was made was not full, and so is missing.
    let mut events = Reader::new(&file).expect("has a header");
    let fault = events.find_map(Result::err).expect("Go refuses it");
    assert_eq!(fault.cause, Cause::NoOrder);
    let told = Told::tolerantly(&file);
    let (loss, repairs) = (told.reader.loss(), told.reader.repairs());
    assert!(
        loss.is_none() && repairs.count(Repair::TimeOrder) == 0,
        "{loss}; {repairs}"
    );
    let regions = told.events.iter().filter(|event| {
        matches!(
            event.kind,
            Kind::UserRegionBegin { .. } | Kind::UserRegionEnd { .. }
        )
    });
    let times: Vec<_> = regions.map(|event| event.time).collect();
    assert!(times.len() > 10_000, "{}", times.len());
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn of_a_program_that_died_format_v1_has_a_header() {
    let file = recorded("go1.19", "no_stop");
    let fault = Reader::new(&file).expect_err("Go refuses it");
    assert_eq!((fault.cause, fault.offset), (Cause::Empty, 16));
}
