//! What changed from one trace to another, and what is only noise.
//!
//! Two recordings of one program are never the same. So each quantity is seen in blocks: the median or another percentile of
//! instances that follow on each other, or what there was in a stretch of time. A difference is a change if
//!
//! - a rank sum test (`rank_test`) of the blocks of one trace against those of the other, with all of its family taken together by
//!   Holm's method, says that chance makes such a one in less than 1 of 100 comparisons ([`Threshold::significance`]). With 16
//!   blocks each, and hundreds of quantities, that takes a trace of which nearly every block lies above nearly every one of the other:
//!   what lasts for a part of a recording is no change; and
//! - it is large enough ([`Threshold`]), as a whole and in the median block.
//!
//! Families are what took time by name, what tasks did, and each type of profile. What differs from run to run as a whole, as where
//! the machine had other work during one recording, no test on two traces can tell from a change of the program.

mod block_sums;
mod doings;
mod findings;
mod groups;
mod measures;
mod quantity;
mod rank_test;
mod series;
mod slices;
mod stack_times;
mod stretch_times;
mod threshold;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

pub use self::findings::findings_beyond;
use self::rank_test::{RankTest, Tested};
use self::series::Series;
use crate::ProfileType;
pub use measures::{Measures, MeasuresReport};
pub use quantity::{Measure, TaskState, Topic, Unit};
pub use threshold::Threshold;

/// What changed from an older trace to a newer one.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{Comparison, Measures, Pass, Threshold, Window};
/// use exectrace_reader::Reader;
///
/// # let file = exectrace_format::text::parse("\
/// #     go 1.19 trace
/// #     Batch worker=0 ticks=1000
/// #     Frequency ticks_per_second=1000000000
/// #     ProcStart dt=1 thread=7
/// #     GoCreate dt=4 task=1
/// #     GoStart dt=5 task=1 seq=1
/// #     GoBlockRecv dt=20").unwrap();
/// let measures = |file: &[u8]| {
///     let mut reader = Reader::tolerant(file)?;
///     let mut pass = Pass::new(Window::WHOLE, Measures::default());
///     while let Some(event) = reader.next() {
///         pass.event(&event?, reader.tables());
///     }
///     Ok::<_, exectrace_reader::Error>(pass.report(reader.tables()))
/// };
/// let (old, new) = (measures(&file)?, measures(&file)?);
/// let comparison = Comparison::of(&old, &new, Threshold::default());
/// assert!(!comparison.differences.iter().any(|it| it.verdict.is_change()));
/// # Ok::<(), exectrace_reader::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// How long the older trace is, in nanoseconds.
    pub old_span_ns: i64,
    /// How long the newer one is.
    pub new_span_ns: i64,
    /// What is called a change.
    pub threshold: Threshold,
    /// All that was compared and is worth a word in one of them: by family and topic, those with changes first, and what costs or saves
    /// most before the rest.
    pub differences: Vec<Difference>,
}

/// How a quantity differs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// What it is about.
    pub topic: Topic,
    /// What is measured.
    pub measure: Measure,
    /// What it is in the older trace; `None` if it is not there.
    pub old: Option<f64>,
    /// And in the newer one.
    pub new: Option<f64>,
    /// How probable it is that chance makes this difference, or a more improbable one in its family; `None` where there is too little
    /// for a test.
    pub p: Option<f64>,
    /// What that means.
    pub verdict: Verdict,
    /// What the difference is in tasks' time, for each nanosecond of the trace.
    pub weight: f64,
}

/// Whether something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It is more, or took longer.
    More,
    /// It is less, or took shorter.
    Less,
    /// It is in the newer trace alone.
    New,
    /// It is in the older trace alone.
    Gone,
    /// What differs is noise, or too little.
    Same,
    /// There is too little for a test.
    TooFew,
}

/// What is tested together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Family {
    /// How long user tasks and regions took; where a trace has none, tasks.
    Latencies,
    /// What tasks did.
    Tasks,
    /// A profile.
    Profile(ProfileType),
}

impl Comparison {
    /// Compares what was measured of two traces.
    #[must_use]
    pub fn of(old: &MeasuresReport, new: &MeasuresReport, threshold: Threshold) -> Self {
        let mut test = RankTest::default();
        let has_annotations = old.has_annotations || new.has_annotations;
        let keys: BTreeSet<_> = old.quantities.keys().chain(new.quantities.keys()).collect();
        let keys = keys.into_iter().filter(|(topic, measure)| {
            let is_life = matches!((topic, measure), (Topic::Group(_), Measure::Took(_)));
            !(is_life && has_annotations)
        });
        let mut tested: Vec<TestedDifference> = keys
            .filter_map(|key| {
                let (old, new) = (old.series(key), new.series(key));
                TestedDifference::of(key, old, new, &threshold, &mut test)
            })
            .collect();
        for family in Family::ALL {
            let of_family = tested
                .iter_mut()
                .filter(|it| it.difference.family() == family);
            let p_values = of_family.filter_map(|it| it.difference.p.as_mut());
            rank_test::adjust(&mut p_values.collect::<Vec<_>>());
        }
        let per_ns = 1.0 / new.span_ns.max(1) as f64;
        let judged = tested.into_iter().map(|it| it.judged(&threshold, per_ns));
        let mut differences: Vec<Difference> = judged.collect();
        sort(&mut differences);
        Self {
            old_span_ns: old.span_ns,
            new_span_ns: new.span_ns,
            threshold,
            differences,
        }
    }

    /// How many quantities of a family a test was made of.
    #[must_use]
    pub fn compared(&self, family: Family) -> usize {
        let tested = self.of_family(family).filter(|it| it.p.is_some());
        tested.count()
    }

    /// How many of them changed.
    #[must_use]
    pub fn changed(&self, family: Family) -> usize {
        let changed = self.of_family(family).filter(|it| it.verdict.is_change());
        changed.count()
    }

    /// What is worth telling of a family: of what took time by name all, and of the rest what changed.
    pub fn told(&self, family: Family) -> impl Iterator<Item = &Difference> {
        let all = self.of_family(family);
        all.filter(move |it| family == Family::Latencies || it.verdict.is_change())
    }

    fn of_family(&self, family: Family) -> impl Iterator<Item = &Difference> {
        let differences = self.differences.iter();
        differences.filter(move |it| it.family() == family)
    }

    /// What got worse: less of it is better, whatever the program was asked to do.
    pub fn worse(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|it| it.is_worse())
    }

    /// How many of the quantities of which less is better could be compared.
    #[must_use]
    pub fn judged(&self) -> usize {
        let differences = self.differences.iter();
        let judged = differences.filter(|it| it.measure.is_cost() && it.p.is_some());
        judged.count()
    }
}

/// Sorts by family; what is about one topic stays together.
fn sort(differences: &mut [Difference]) {
    let mut topics: BTreeMap<(Family, Topic), (bool, f64)> = BTreeMap::new();
    for it in &*differences {
        let key = (it.family(), it.topic.clone());
        let (is_changed, weight) = topics.entry(key).or_default();
        *is_changed |= it.verdict.is_change();
        *weight = weight.max(it.weight);
    }
    let rank = |it: &Difference| topics.get(&(it.family(), it.topic.clone())).copied();
    differences.sort_by_cached_key(|it| {
        let (is_changed, weight) = rank(it).unwrap_or_default();
        // Weights are not negative, so that their bits are in the order of their values.
        let rank = (it.family(), !is_changed, Reverse(weight.to_bits()));
        (rank, it.topic.clone(), it.measure.clone())
    });
}

impl MeasuresReport {
    /// A quantity. Of what is not there nothing was spent, in all blocks of time.
    fn series(&self, key: &(Topic, Measure)) -> Option<Series> {
        let series = self.quantities.get(key).cloned();
        let is_of_time = key.1.unit() != Unit::Ns;
        series.or_else(|| is_of_time.then(|| Series::zero(self.time_blocks)))
    }
}

/// A difference before all of its family are known.
struct TestedDifference {
    difference: Difference,
    is_higher: bool,
    /// It is large enough in the median block, too.
    is_far: bool,
    count: u64,
}

impl TestedDifference {
    /// Compares a quantity; `None` if there is so little of it that it cannot change by as much as counts.
    fn of(
        (topic, measure): &(Topic, Measure),
        old: Option<Series>,
        new: Option<Series>,
        threshold: &Threshold,
        test: &mut RankTest,
    ) -> Option<Self> {
        let value = |series: &Option<Series>| series.as_ref().map(|series| series.value);
        let unit = measure.unit();
        let most = value(&old).unwrap_or(0.0).max(value(&new).unwrap_or(0.0));
        if unit != Unit::Ns && most < threshold.absolute(unit) {
            return None;
        }
        // Whether there are such tasks at all is told by how many were created.
        let is_of_tasks = matches!(topic, Topic::Group(_));
        if is_of_tasks && (old.is_none() || new.is_none()) {
            return None;
        }
        let mut difference = Difference {
            topic: topic.clone(),
            measure: measure.clone(),
            old: value(&old),
            new: value(&new),
            p: None,
            verdict: Verdict::TooFew,
            weight: 0.0,
        };
        let count = new
            .as_ref()
            .or(old.as_ref())
            .map_or(0, |series| series.count);
        let (mut is_higher, mut is_far) = (false, false);
        if let (Some(old), Some(new)) = (&old, &new)
            && !old.blocks.is_empty()
            && !new.blocks.is_empty()
        {
            let Tested {
                p,
                is_higher: higher,
            } = test.test(&old.blocks, &new.blocks);
            difference.p = Some(p);
            is_higher = higher;
            is_far = threshold.is_far(old.median_block(), new.median_block(), unit);
        }
        Some(Self {
            difference,
            is_higher,
            is_far,
            count,
        })
    }

    fn judged(self, threshold: &Threshold, per_ns: f64) -> Difference {
        let mut judged = self.difference;
        let unit = judged.measure.unit();
        let (old, new) = (judged.old.unwrap_or(0.0), judged.new.unwrap_or(0.0));
        judged.weight = match unit {
            Unit::Ns => (new - old).abs() * self.count as f64 * per_ns,
            Unit::Share => (new - old).abs(),
            Unit::PerSecond => 0.0,
        };
        let is_change = judged.p.is_some_and(|p| p <= threshold.significance)
            && self.is_far
            && threshold.is_far(old, new, unit)
            && self.is_higher == (new > old);
        judged.verdict = match (judged.old, judged.new) {
            (None, _) => Verdict::New,
            (_, None) => Verdict::Gone,
            _ if judged.p.is_none() => Verdict::TooFew,
            _ if !is_change => Verdict::Same,
            _ if old == 0.0 => Verdict::New,
            _ if new == 0.0 => Verdict::Gone,
            _ if new > old => Verdict::More,
            _ => Verdict::Less,
        };
        judged
    }
}

impl Difference {
    /// The family that it is tested with.
    #[must_use]
    pub fn family(&self) -> Family {
        match (&self.topic, &self.measure) {
            (_, Measure::Took(_)) => Family::Latencies,
            (Topic::Function(profile, _) | Topic::Stack(profile, _), _) => {
                Family::Profile(*profile)
            }
            _ => Family::Tasks,
        }
    }

    /// Whether it is a change for the worse, whatever the program was asked to do.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.verdict == Verdict::More && self.measure.is_cost()
    }
}

impl Verdict {
    /// Whether it is a change.
    #[must_use]
    pub const fn is_change(self) -> bool {
        !matches!(self, Self::Same | Self::TooFew)
    }

    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Same => "same",
            Self::TooFew => "too_few",
        }
    }
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Latencies,
        Self::Tasks,
        Self::Profile(ProfileType::Cpu),
        Self::Profile(ProfileType::OffCpu),
    ];
}
