//! What a screen shows, held against what a slow and plain routine finds.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What a screen shows, from the intervals alone.
fn plainly(track: &Track, grid: Grid) -> (Vec<Drawn>, BTreeMap<u64, Mix>) {
    let (from_ns, to_ns) = (grid.begin_ns(), grid.end_ns());
    let mut intervals = Vec::new();
    let mut mixes = BTreeMap::<u64, Mix>::new();
    for drawn in track.intervals().iter() {
        let is_in = drawn.begin_ns < to_ns && (drawn.end_ns > from_ns || drawn.begin_ns >= from_ns);
        if !is_in {
            continue;
        }
        if drawn.ns() >= grid.bucket_ns() {
            intervals.push(drawn);
            continue;
        }
        for bucket in grid.first..grid.first + grid.count {
            let (from_ns, to_ns) = (bucket << grid.shift, (bucket + 1) << grid.shift);
            let begins = (from_ns..to_ns).contains(&drawn.begin_ns);
            let reaches_in = drawn.begin_ns < from_ns && drawn.end_ns > from_ns;
            if begins || reaches_in {
                mixes.entry(bucket).or_default().add(&drawn, from_ns, to_ns);
            }
        }
    }
    (intervals, mixes)
}

fn check(track: &Track, from_ns: u64, to_ns: u64, width: u32) {
    let Some(grid) = Grid::new(from_ns, to_ns, width) else {
        return;
    };
    let runs = track.runs(grid);
    let (intervals, mixes) = plainly(track, grid);
    assert_eq!(runs.intervals, intervals, "{grid:?}");
    assert_eq!(runs.mixes, Vec::from_iter(mixes), "{grid:?}");
}

/// A track of intervals: gap before, length, shade.
fn track_of(intervals: impl IntoIterator<Item = (u64, u64, u8)>) -> Track {
    let mut track = Track::default();
    let mut end_ns = 0;
    for (index, (gap_ns, ns, shade)) in intervals.into_iter().enumerate() {
        let begin_ns = end_ns + gap_ns;
        end_ns = begin_ns + ns;
        track.push(Drawn {
            index: 0,
            begin_ns,
            end_ns,
            shade: Shade::ALL[usize::from(shade % 6)],
            cause: index as u32,
            other: 0,
        });
    }
    track
}

/// Lengths of all orders of magnitude, none and those at the bounds of buckets among them.
fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        (0_u32..24).prop_map(|shift| 1 << shift),
        (0_u32..24, any::<u64>()).prop_map(|(shift, ns)| ns & ((1 << shift) - 1)),
    ]
}

fn end_of(track: &Track) -> u64 {
    track
        .intervals()
        .iter()
        .last()
        .map_or(0, |drawn| drawn.end_ns)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_screen_shows_what_the_intervals_are(
        intervals in prop::collection::vec((lengths(), lengths(), any::<u8>()), 1..600),
        windows in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1_u32..300), 1..10),
    ) {
        let mut track = track_of(intervals);
        let mut pyramid = Pyramid::default();
        track.intervals().iter().for_each(|drawn| pyramid.push(&drawn));
        track.pyramid = Some(Box::new(pyramid));
        let end_ns = end_of(&track);
        for (one, other, width) in windows {
            let ends = [one.index(end_ns as usize + 2) as u64, other.index(end_ns as usize + 2) as u64];
            check(&track, ends[0].min(ends[1]), ends[0].max(ends[1]), width);
        }
    }
}

#[test]
fn a_long_track_has_levels_and_shows_the_same() {
    let mut intervals = Vec::new();
    for index in 0..50_000_u64 {
        // Bursts of short ones and a few that are long for some levels.
        let ns = match index {
            31_111 => 50_000_000,
            _ if index % 1000 == 0 => index * 17,
            _ => 700 + index % 900,
        };
        intervals.push((index % 300, ns, index as u8));
    }
    let track = track_of(intervals);
    let pyramid = track.pyramid.as_ref().unwrap();
    assert!(
        !pyramid.serves(Grid {
            shift: 8,
            first: 0,
            count: 1
        }),
        "the lowest levels are left out"
    );
    let end_ns = end_of(&track);
    for parts in [1, 3, 50, 1000, 40_000] {
        check(&track, end_ns / 3, end_ns / 3 + end_ns / parts, 1600);
    }
    // The one long interval is there, whatever the width.
    let runs = track.runs(Grid::new(0, end_ns, 100).unwrap());
    assert!(runs.intervals.iter().any(|drawn| drawn.ns() == 50_000_000));
}

#[test]
fn intervals_that_overlap_are_cut_and_gaps_are_kept() {
    let mut track = Track::default();
    let drawn = |begin_ns, end_ns| Drawn {
        index: 0,
        begin_ns,
        end_ns,
        shade: Shade::Running,
        cause: 1,
        other: 2,
    };
    for (begin_ns, end_ns) in [(10, 20), (15, 30), (30, 30), (50, 60), (40, 45)] {
        track.push(drawn(begin_ns, end_ns));
    }
    let intervals = track.intervals();
    let times = intervals
        .overlapping(0, 100)
        .map(|drawn| (drawn.index, drawn.begin_ns, drawn.end_ns));
    assert_eq!(
        Vec::from_iter(times),
        [
            (0, 10, 20),
            (1, 20, 30),
            (2, 30, 30),
            (3, 50, 60),
            (4, 60, 60)
        ]
    );
    assert_eq!(intervals.at(25).map(|drawn| drawn.index), Some(1));
    assert_eq!(intervals.at(30).map(|drawn| drawn.index), Some(2));
    assert_eq!(intervals.at(35), None);
    assert_eq!(intervals.at(5), None);
}

#[test]
fn an_interval_is_found_by_number_and_by_time_in_any_block() {
    let track = track_of((0..1_000).map(|index| (index % 3 * 500, index * 7 % 301, index as u8)));
    let intervals = track.intervals();
    let all: Vec<_> = intervals.iter().collect();
    assert_eq!(all.len(), 1_000);
    for (index, drawn) in (0..).zip(&all) {
        assert_eq!(intervals.get(index), Some(*drawn));
        let last = all.iter().rfind(|it| it.begin_ns <= drawn.begin_ns);
        assert_eq!(intervals.at(drawn.begin_ns).as_ref(), last);
    }
    assert_eq!(intervals.get(1_000), None);
    // Where nothing is, the one before counts, and before all of them the first.
    for pair in all.windows(2) {
        if let between @ 1.. = pair[1].begin_ns - pair[0].end_ns {
            let near = intervals.near(pair[0].end_ns + between / 2);
            assert_eq!(near, Some(pair[0]));
        }
    }
    assert_eq!(
        track_of([(9, 5, 1)]).intervals().near(3).unwrap().begin_ns,
        9
    );
}
