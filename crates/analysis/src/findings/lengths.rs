//! How long intervals were, in little memory.

/// Intervals by length, four classes an octave.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    classes: Vec<Class>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Class {
    count: u64,
    ns: i64,
    lost_ns: i64,
}

/// What intervals of some lengths cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) count: u64,
    /// Their lengths.
    pub(super) ns: i64,
    pub(super) lost_ns: i64,
}

/// The class of a length.
fn class_of(ns: i64) -> usize {
    let ns = u64::try_from(ns).unwrap_or_default().max(4);
    let octave = ns.ilog2();
    (octave as usize) * 4 + (ns >> (octave - 2) & 3) as usize
}

/// The least length of a class.
fn floor_of(class: usize) -> i64 {
    let octave = class / 4;
    if octave < 2 {
        return 0;
    }
    let quarters = 4 + (class % 4) as u64;
    i64::try_from(quarters << (octave - 2)).unwrap_or(i64::MAX)
}

impl Lengths {
    /// An interval, and what it cost.
    pub(super) fn add(&mut self, ns: i64, lost_ns: i64) {
        let class = class_of(ns);
        if self.classes.len() <= class {
            self.classes.resize(class + 1, Class::default());
        }
        let class = &mut self.classes[class];
        class.count += 1;
        class.ns = class.ns.saturating_add(ns);
        class.lost_ns = class.lost_ns.saturating_add(lost_ns);
    }

    /// The median: the least length of its class.
    pub(super) fn median_ns(&self) -> i64 {
        let total: u64 = self.classes.iter().map(|class| class.count).sum();
        let mut seen = 0;
        for (index, class) in self.classes.iter().enumerate() {
            seen += class.count;
            if seen * 2 >= total && seen > 0 {
                return floor_of(index);
            }
        }
        0
    }

    /// Those of the classes that begin at a length or behind it.
    pub(super) fn from(&self, ns: i64) -> Cost {
        let mut cost = Cost::default();
        for (index, class) in self.classes.iter().enumerate() {
            if floor_of(index) >= ns {
                cost.count += class.count;
                cost.ns = cost.ns.saturating_add(class.ns);
                cost.lost_ns = cost.lost_ns.saturating_add(class.lost_ns);
            }
        }
        cost
    }
}

/// From which length on intervals are long: ten times as long as most, but not shorter than `least_ns`, and always from `most_ns`.
pub(super) fn long_ns(median_ns: i64, least_ns: i64, most_ns: i64) -> i64 {
    median_ns.saturating_mul(10).clamp(least_ns, most_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_length_is_in_the_class_that_begins_at_or_before_it() {
        for ns in (0..5000).chain([1 << 40, i64::MAX - 1, i64::MAX]) {
            let class = class_of(ns);
            assert!(floor_of(class) <= ns.max(4), "{ns}");
            assert!(floor_of(class + 1) > ns.min(i64::MAX - 1), "{ns}");
        }
        assert_eq!(class_of(-5), class_of(0));
    }

    #[test]
    fn the_median_and_the_long_ones() {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.median_ns(), 0);
        for _ in 0..9 {
            lengths.add(1024, 1);
        }
        lengths.add(1 << 20, 100);
        assert_eq!(lengths.median_ns(), 1024);
        let cost = Cost {
            count: 1,
            ns: 1 << 20,
            lost_ns: 100,
        };
        assert_eq!(lengths.from(2048), cost);
        assert_eq!(lengths.from(0).count, 10);
        assert_eq!(long_ns(1024, 5000, 50_000), 10_240);
        assert_eq!(long_ns(10, 5000, 50_000), 5000);
        assert_eq!(long_ns(1_000_000, 5000, 50_000), 50_000);
    }
}
