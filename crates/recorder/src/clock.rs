//! Ticks: what the events of a recording are stamped with.
//!
//! A tick is 16 CPU ticks where the processor's counter is invariant, else a nanosecond of the monotonic clock. At Go's own
//! division by 64 a tick would be longer than an event costs, and strictly rising times would run ahead of real time.
#![expect(
    unsafe_code,
    reason = "the processor's tick counter, and clock_gettime"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// CPU ticks in a tick, as a power of two.
#[cfg(target_arch = "x86_64")]
const TICK_SHIFT: u32 = 4;

const UNKNOWN: u8 = 0;
const COUNTER: u8 = 1;
const MONOTONIC: u8 = 2;

static SOURCE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Where ticks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockSource {
    /// The processor's counter (TSC, generic timer).
    CpuCounter,
    /// The system's monotonic clock, in nanoseconds.
    Monotonic,
}

/// Now, in ticks.
///
/// # Signal safety
/// Reads a counter, or calls `clock_gettime`, which is allowed in a handler.
#[inline(always)]
pub(crate) fn now() -> u64 {
    // Relaxed: written before the first session starts, whose word the reader has acquired.
    read(SOURCE.load(Ordering::Relaxed) != COUNTER)
}

/// Now, in ticks, by who knows the source already.
///
/// # Signal safety
/// As [`now`].
#[inline(always)]
pub(crate) fn read(is_system_clock: bool) -> u64 {
    if is_system_clock {
        monotonic_ns()
    } else {
        counter()
    }
}

/// Chooses the source, once.
pub(crate) fn source() -> ClockSource {
    // Relaxed: all threads would choose the same.
    if SOURCE.load(Ordering::Relaxed) == UNKNOWN {
        let source = if counter_is_invariant() {
            COUNTER
        } else {
            MONOTONIC
        };
        // Relaxed: as above.
        SOURCE.store(source, Ordering::Relaxed);
    }
    // Relaxed: as above.
    if SOURCE.load(Ordering::Relaxed) == COUNTER {
        ClockSource::CpuCounter
    } else {
        ClockSource::Monotonic
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; user mode may run it wherever the kernel's own clock does.
    let ticks = unsafe { core::arch::x86_64::_rdtsc() };
    ticks >> TICK_SHIFT
}

#[cfg(target_arch = "x86_64")]
fn counter_is_invariant() -> bool {
    use core::arch::x86_64::__cpuid;
    const INVARIANT_TSC: u32 = 1 << 8;
    if __cpuid(0x8000_0000).eax < 0x8000_0007 {
        return false;
    }
    if __cpuid(0x8000_0007).edx & INVARIANT_TSC == 0 {
        return false;
    }
    // The kernel watches the counters of all processors and drops a clock that is out of step.
    std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        .is_ok_and(|name| {
            matches!(
                name.trim(),
                "tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page"
            )
        })
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(crate) fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: reads the generic timer's virtual counter, which Linux lets user mode read.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

#[cfg(target_arch = "aarch64")]
fn counter_is_invariant() -> bool {
    true
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn counter() -> u64 {
    monotonic_ns()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter_is_invariant() -> bool {
    false
}

/// The monotonic clock, in nanoseconds.
pub(crate) fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// A clock of the system, in nanoseconds; 0 if it cannot be read.
pub(crate) fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local that outlives the call.
    if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
        return 0;
    }
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// A tick beside the monotonic clock, taken at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockPair {
    pub(crate) tick: u64,
    pub(crate) monotonic_ns: u64,
}

impl ClockPair {
    /// The pair of several that took the least time, so that a thread that lost its processor in between does no harm.
    pub(crate) fn take() -> Self {
        let mut best: Option<(u64, Self)> = None;
        for _ in 0..5 {
            let before = now();
            let monotonic_ns = monotonic_ns();
            let after = now();
            let width = after.saturating_sub(before);
            if best.is_none_or(|(least, _)| width < least) {
                let tick = before + width / 2;
                best = Some((width, Self { tick, monotonic_ns }));
            }
        }
        best.map_or(
            Self {
                tick: 0,
                monotonic_ns: 0,
            },
            |(_, pair)| pair,
        )
    }

    /// Ticks per second between two pairs. Shorter than 10 ms apart, the later pair is taken anew after a pause.
    pub(crate) fn frequency_since(earlier: Self) -> u64 {
        if source() == ClockSource::Monotonic {
            return 1_000_000_000;
        }
        let mut later = Self::take();
        let apart_ns = later.monotonic_ns.saturating_sub(earlier.monotonic_ns);
        if apart_ns < 10_000_000 {
            std::thread::sleep(Duration::from_nanos(10_000_000 - apart_ns));
            later = Self::take();
        }
        let ticks = u128::from(later.tick.saturating_sub(earlier.tick));
        let ns = u128::from(later.monotonic_ns.saturating_sub(earlier.monotonic_ns)).max(1);
        u64::try_from((ticks * 1_000_000_000 + ns / 2) / ns)
            .unwrap_or(u64::MAX)
            .max(1)
    }
}

/// The first pair of the process.
static FIRST: OnceLock<ClockPair> = OnceLock::new();

/// Chooses the source and takes the first pair, so that the frequency is known better later.
pub(crate) fn prepare() {
    source();
    FIRST.get_or_init(ClockPair::take);
}

/// Ticks per second, measured since [`prepare`]; the longer ago that was, the better. A call less than 10 ms after it waits.
pub(crate) fn ticks_per_second() -> u64 {
    ClockPair::frequency_since(*FIRST.get_or_init(ClockPair::take))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_rise_and_the_frequency_is_plausible() {
        source();
        let pair = ClockPair::take();
        let frequency = ClockPair::frequency_since(pair);
        assert!(now() > pair.tick);
        // From an old generic timer to a processor of 10 GHz.
        assert!(
            (1_000_000..=1_000_000_000).contains(&frequency),
            "{frequency}"
        );
    }
}
