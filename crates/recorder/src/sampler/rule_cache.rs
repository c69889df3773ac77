//! Rules that were looked up before: a program returns to the same places again and again.
//!
//! A search in a table touches half a dozen cache lines, which are cold when a signal comes: with thirty frames it took most of
//! the handler's time. A look here touches one.

use super::unwind_rule::UnwindRule;

/// Places: 16 KiB.
const PLACES: usize = 1024;

/// Rules by address, each address at one place.
#[derive(Debug)]
pub(super) struct RuleCache {
    /// For which state of the process's code the rules hold.
    epoch: u64,
    places: [Place; PLACES],
}

#[derive(Clone, Copy, Debug)]
struct Place {
    /// 0 where nothing is.
    address: u64,
    rule: UnwindRule,
}

const NOTHING: Place = Place {
    address: 0,
    rule: UnwindRule::UNKNOWN,
};

impl RuleCache {
    pub(super) const fn new() -> Self {
        Self {
            epoch: 0,
            places: [NOTHING; PLACES],
        }
    }

    /// Forgets everything if the process's code has changed.
    ///
    /// # Signal safety
    /// Stores.
    pub(super) fn keep_for(&mut self, epoch: u64) {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.places.fill(NOTHING);
        }
    }

    /// The rule at an address, remembered or found by `find`. What is not known is not remembered: it may be known soon.
    ///
    /// # Signal safety
    /// A load, and stores, beside what `find` does.
    pub(super) fn get_or(
        &mut self,
        address: u64,
        find: impl FnOnce() -> Option<UnwindRule>,
    ) -> Option<UnwindRule> {
        // 2^64 divided by the golden ratio; the product's high bits are good.
        const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
        let index = address.wrapping_mul(MULTIPLIER) >> (u64::BITS - PLACES.ilog2());
        let place = &mut self.places[index as usize % PLACES];
        if place.address == address && address != 0 {
            return Some(place.rule);
        }
        let found = find();
        if let Some(rule) = found
            && rule != UnwindRule::UNKNOWN
        {
            *place = Place { address, rule };
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::unwind_rule::Unwind;

    fn rule() -> UnwindRule {
        UnwindRule::new(Unwind::Outermost)
    }

    #[test]
    fn what_is_known_is_remembered_until_the_code_changes() {
        let mut cache = RuleCache::new();
        cache.keep_for(1);
        for address in 1..10_000 {
            assert_eq!(cache.get_or(address, || Some(rule())), Some(rule()));
            let again = cache.get_or(address, || unreachable!("it was just found"));
            assert_eq!(again, Some(rule()));
        }
        cache.keep_for(1);
        let again = cache.get_or(9_999, || unreachable!("nothing has changed"));
        assert_eq!(again, Some(rule()));
        cache.keep_for(2);
        assert_eq!(cache.get_or(9_999, || None), None);
    }

    #[test]
    fn what_is_not_known_is_asked_for_again() {
        let mut cache = RuleCache::new();
        for unknown in [None, Some(UnwindRule::UNKNOWN)] {
            assert_eq!(cache.get_or(7, || unknown), unknown);
        }
        assert_eq!(cache.get_or(7, || Some(rule())), Some(rule()));
        for _ in 0..2 {
            assert_eq!(cache.get_or(0, || None), None);
        }
    }
}
