//! Files that are cut or damaged, and what a tolerant reader makes of them.

use std::collections::BTreeSet;

use exectrace_reader::{Event, Kind, Loss};
use exectrace_testkit::Random;

use super::{Told, recorded};

/// Three generations of format v2.
#[track_caller]
fn generations() -> Vec<u8> {
    recorded("go1.27", "generations")
}

/// The events of each generation; what follows the last sync is none.
fn by_generation(events: &[Event]) -> Vec<&[Event]> {
    let mut generations: Vec<_> = events.split(|event| event.kind == Kind::Sync).collect();
    generations.remove(0);
    generations.pop();
    generations
}

/// Where the records of events begin that stand in the file.
fn offsets(events: &[Event]) -> BTreeSet<u64> {
    events.iter().map(|event| event.offset).collect()
}

/// A loss says how much, at least, and when.
#[track_caller]
fn check_loss(loss: &Loss, begin: i64, end: i64) {
    assert!(loss.bytes > 0 && loss.events > 0, "{loss}");
    let (from, to) = loss.time.expect("is known");
    assert!(begin < from.0 && from <= to && to.0 < end, "{loss:?}");
    let fault = loss.gaps[0].error;
    assert_eq!(fault.generation, Some(2), "{fault}");
}

#[test]
fn of_a_file_that_is_cut_whole_generations_are_there() {
    let file = generations();
    let whole = Told::strictly(&file);
    let (first, last) = (
        whole.events[0].time.0,
        whole.events[whole.events.len() - 1].time.0,
    );
    let cut = &file[..file.len() * 56 / 100];
    let told = Told::tolerantly(cut);
    check_loss(told.reader.loss(), first, last);
    assert!(!told.reader.loss().is_exact);
    let (whole, told) = (by_generation(&whole.events), by_generation(&told.events));
    assert_eq!((whole.len(), told.len()), (3, 2));
    assert_eq!(whole[0], told[0]);
    // Of the second one there is what the file has.
    assert!(!told[1].is_empty() && told[1].len() < whole[1].len());
}

#[test]
fn reading_resumes_after_what_is_damaged() {
    let file = generations();
    let whole = Told::strictly(&file);
    let (first, last) = (
        whole.events[0].time.0,
        whole.events[whole.events.len() - 1].time.0,
    );
    let mut damaged = file.clone();
    let half = file.len() / 2;
    let mut random = Random::new(56);
    for byte in &mut damaged[half..half + 100] {
        *byte = random.below(256) as u8;
    }
    let told = Told::tolerantly(&damaged);
    check_loss(told.reader.loss(), first, last);
    // What is damaged in the middle of a generation is gone until another batch of the thread, or until the generation's end.
    let (from, to) = told.reader.loss().time.expect("is known");
    assert!(to.0 - from.0 > 10_000_000, "{}", told.reader.loss());
    let (whole, told) = (by_generation(&whole.events), by_generation(&told.events));
    assert_eq!((whole.len(), told.len()), (3, 3));
    assert_eq!(whole[0], told[0]);
    // What is lost may change what later events mean, but not that they are there.
    assert!(offsets(whole[2]).is_subset(&offsets(told[2])));
    let (all, left) = (offsets(whole[1]), offsets(told[1]));
    let lost = all.difference(&left).count();
    assert!(lost > 0 && lost < all.len() / 2, "{lost} of {}", all.len());
}
