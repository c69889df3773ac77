//! Using up CPU time, by the thread's own account: tests run on machines with other things to do.

use std::hint::black_box;
use std::time::Duration;

/// CPU time that the calling thread has used; exact to a tick of the kernel, some milliseconds.
pub(crate) fn own_cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel tells");
    let ns = text.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.expect("a number comes first"))
}

/// Uses up CPU time in user mode.
#[inline(never)]
pub(crate) fn burn(cpu_time: Duration) {
    let begin = own_cpu_time();
    while own_cpu_time() - begin < cpu_time {
        // The look at the clock is a hundredth of it.
        spin(100_000);
    }
}

/// Goes around so many times: a few nanoseconds each.
#[inline(never)]
pub(crate) fn spin(steps: u64) {
    let mut number = 1_u64;
    for step in 0..steps {
        number = black_box(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step),
        );
    }
}
