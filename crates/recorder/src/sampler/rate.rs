//! How many samples a second of CPU time gives.
#![expect(unsafe_code, reason = "clock_getres")]

/// The most that is granted, whatever the kernel ticks at.
const HZ_MAX: u32 = 10_000;

/// The kernel's tick where it does not tell: the most common one.
const TICK_HZ_USUAL: u32 = 250;

/// A rate that was asked for, and what the kernel grants of it.
///
/// Timers on a thread's CPU clock are looked at on the kernel's tick. More often than that they do not fire, whatever they are
/// set to: what is asked beyond it is not asked of the kernel, so that one signal is one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleRate {
    pub(crate) wished_hz: u32,
    pub(crate) effective_hz: u32,
    pub(crate) tick_hz: u32,
}

impl SampleRate {
    /// The rate that the running kernel grants.
    pub(crate) fn granted(wished_hz: u32) -> Self {
        Self::of(wished_hz, tick_hz())
    }

    fn of(wished_hz: u32, tick_hz: u32) -> Self {
        Self {
            wished_hz,
            effective_hz: wished_hz.clamp(1, HZ_MAX).min(tick_hz),
            tick_hz,
        }
    }

    /// CPU time between two samples.
    pub(crate) fn period_ns(self) -> u64 {
        1_000_000_000 / u64::from(self.effective_hz)
    }
}

/// The kernel's ticks per second (CONFIG_HZ): the coarse clocks go forward by one.
fn tick_hz() -> u32 {
    let mut resolution = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local that outlives the call.
    let answer = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut resolution) };
    match (answer, u32::try_from(resolution.tv_nsec)) {
        (0, Ok(tick_ns)) if tick_ns > 0 => ((1_000_000_000 + tick_ns / 2) / tick_ns).max(1),
        _ => TICK_HZ_USUAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wished_hz: u32, tick_hz: u32, effective_hz: u32) {
        let rate = SampleRate::of(wished_hz, tick_hz);
        assert_eq!(
            (rate.wished_hz, rate.effective_hz),
            (wished_hz, effective_hz)
        );
    }

    #[test]
    fn no_more_is_granted_than_the_kernel_ticks_and_the_wish_stays() {
        check(100, 250, 100);
        check(999, 250, 250);
        check(999, 1000, 999);
        check(0, 250, 1);
        check(u32::MAX, 100_000, HZ_MAX);
    }

    #[test]
    fn the_kernel_ticks_at_a_rate_that_it_can_be_built_with() {
        assert!((24..=10_000).contains(&tick_hz()), "{}", tick_hz());
        assert_eq!(SampleRate::of(100, 250).period_ns(), 10_000_000);
    }
}
