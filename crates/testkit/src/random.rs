//! Numbers for tests that act at random.

use std::env;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Numbers that are random enough for a test, the same for each seed: Marsaglia's xorshift of 64 bits.
///
/// ```
/// use exectrace_testkit::Random;
///
/// let mut random = Random::new(7);
/// assert!((0..100).all(|_| random.below(10) < 10));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Neither 0, at which they would stay, nor much alike for seeds that are.
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The numbers of the seed in `EXECTRACE_SEED`, else of one by the clock. The seed is printed, past the test harness's
    /// capture, so that a failure can be looked for again.
    ///
    /// # Panics
    ///
    /// If `EXECTRACE_SEED` is not a number, or if standard error is closed.
    #[must_use]
    pub fn from_environment() -> Self {
        let seed = match env::var("EXECTRACE_SEED") {
            Ok(seed) => seed.parse().expect("EXECTRACE_SEED is a number"),
            Err(_) => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_nanos() as u64),
        };
        writeln!(std::io::stderr(), "EXECTRACE_SEED={seed}").expect("standard error is open");
        Self::new(seed)
    }

    /// The next number, less than `bound`.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Other numbers, for another thread.
    #[must_use]
    pub fn split(&mut self) -> Self {
        Self::new(self.below(u64::MAX))
    }
}
