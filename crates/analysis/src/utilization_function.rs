//! Utilisation over time, and the least of it in any window.

use exectrace_reader::Timestamp;

/// The share of time that is left for the program, as steps in time: each holds until the next one, the last one ends it all.
#[derive(Clone, Debug)]
pub(crate) struct UtilizationFunction {
    steps: Vec<Step>,
    /// What has turned out later: up to then it was less by that, from the begin on.
    late: Vec<Late>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    time: i64,
    utilization: f64,
}

/// The integral up to a time that moves on.
struct Integral<'a> {
    steps: &'a [Step],
    /// The last step that does not lie behind it, and the integral up to there.
    place: usize,
    sum: f64,
}

#[derive(Clone, Copy, Debug)]
struct Late {
    until: i64,
    share: f64,
}

/// A window, and the mean utilisation in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mean {
    pub(crate) begin: i64,
    pub(crate) mean: f64,
}

impl Mean {
    /// Of the last window, in which nothing was taken from the program.
    pub(crate) const NOTHING_USED: Self = Self {
        begin: i64::MAX,
        mean: 1.0,
    };

    /// The one with less; of equals the earlier.
    #[inline]
    pub(crate) fn lesser(self, other: Self) -> Self {
        let is_less = other.mean < self.mean;
        let is_earlier = other.mean == self.mean && other.begin < self.begin;
        if is_less || is_earlier { other } else { self }
    }
}

impl UtilizationFunction {
    /// One that begins with all time left.
    pub(crate) fn new(begin: Timestamp) -> Self {
        let step = Step {
            time: begin.0,
            utilization: 1.0,
        };
        Self {
            steps: vec![step],
            late: Vec::new(),
        }
    }

    /// From `time` on it is that. Of several at one time the last holds: the others took no time.
    pub(crate) fn step(&mut self, time: Timestamp, utilization: f64) {
        let step = |time, utilization| Step { time, utilization };
        match &mut self.steps[..] {
            [.., last] if last.time < time.0 => {
                if last.utilization != utilization {
                    self.steps.push(step(time.0, utilization));
                }
            }
            [.., before, _] if before.utilization == utilization => {
                self.steps.pop();
            }
            [.., last] => last.utilization = utilization,
            [] => self.steps.push(step(time.0, utilization)),
        }
    }

    /// Up to `time` it was less by `share`, from its begin on.
    pub(crate) fn lower_until(&mut self, time: Timestamp, share: f64) {
        self.late.push(Late {
            until: time.0,
            share,
        });
    }

    /// It ends, and is not changed any more.
    pub(crate) fn end(&mut self, time: Timestamp) {
        self.steps.push(Step {
            time: self
                .steps
                .last()
                .map_or(time.0, |last| last.time.max(time.0)),
            utilization: 0.0,
        });
        let late = std::mem::take(&mut self.late);
        let mut missing: f64 = late.iter().map(|late| late.share).sum();
        let mut late = late.into_iter().peekable();
        for step in &mut self.steps {
            while let Some(past) = late.next_if(|late| late.until <= step.time) {
                missing -= past.share;
            }
            if late.peek().is_some() {
                step.utilization = (step.utilization - missing).max(0.0);
            }
        }
    }

    /// The less of two at each moment of the first; both have ended.
    pub(crate) fn least_of(&self, other: &Self) -> Self {
        let (mut mine, mut others) = (self.steps.iter().peekable(), other.steps.iter().peekable());
        let begin = self.steps.first().map_or(0, |first| first.time);
        let end = self.steps.last().map_or(0, |last| last.time);
        let mut function = Self::new(Timestamp(begin));
        let (mut own, mut foreign) = (1.0_f64, 1.0_f64);
        loop {
            let times = [
                mine.peek().map(|it| it.time),
                others.peek().map(|it| it.time),
            ];
            let Some(time) = times.into_iter().flatten().min().filter(|&time| time < end) else {
                break;
            };
            while let Some(step) = mine.next_if(|it| it.time == time) {
                own = step.utilization;
            }
            while let Some(step) = others.next_if(|it| it.time == time) {
                foreign = step.utilization;
            }
            function.step(Timestamp(time.max(begin)), own.min(foreign));
        }
        function.end(Timestamp(end));
        function
    }

    /// From its begin to its end.
    pub(crate) fn duration_ns(&self) -> i64 {
        match (self.steps.first(), self.steps.last()) {
            (Some(first), Some(last)) => last.time - first.time,
            _ => 0,
        }
    }

    /// Tells the mean in each window that may have the least.
    ///
    /// The mean in a window that moves is linear in its begin as long as neither of its edges meets a step. So it is least where one
    /// does: windows that begin at a step and windows that end at one are all that need be looked at. The function has ended, and a
    /// window is neither empty nor longer than that.
    pub(crate) fn means(&self, window_ns: i64, mut tell: impl FnMut(Mean)) {
        let (Some(first), Some(last)) = (self.steps.first(), self.steps.last()) else {
            return;
        };
        let (first_end, last_begin) = (first.time + window_ns, last.time - window_ns);
        let begins = self.steps.iter().map(|step| step.time);
        self.means_from(
            begins.take_while(|it| *it <= last_begin),
            window_ns,
            &mut tell,
        );
        let ends = self.steps.iter().map(|step| step.time);
        let ends = ends.skip_while(|it| *it < first_end);
        self.means_from(ends.map(|it| it - window_ns), window_ns, &mut tell);
    }

    /// Tells the means in windows that begin later and later.
    fn means_from(
        &self,
        begins: impl Iterator<Item = i64>,
        window_ns: i64,
        tell: &mut impl FnMut(Mean),
    ) {
        let [mut before, mut until] = [(); 2].map(|()| Integral::of(&self.steps));
        for begin in begins {
            let sum = until.up_to(begin + window_ns) - before.up_to(begin);
            let mean = sum / window_ns as f64;
            tell(Mean { begin, mean });
        }
    }
}

impl<'a> Integral<'a> {
    fn of(steps: &'a [Step]) -> Self {
        Self {
            steps,
            place: 0,
            sum: 0.0,
        }
    }

    /// The integral up to a time that is not before the last one.
    #[inline]
    fn up_to(&mut self, time: i64) -> f64 {
        let mut step = self.steps[self.place];
        while let Some(next) = self.steps.get(self.place + 1).filter(|it| it.time <= time) {
            self.sum += step.integral_up_to(next.time);
            self.place += 1;
            step = *next;
        }
        self.sum + step.integral_up_to(time)
    }
}

impl Step {
    fn integral_up_to(self, time: i64) -> f64 {
        self.utilization * (time - self.time) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of hundredths, and the end.
    fn function(steps: &[(i64, u32)], end: i64) -> UtilizationFunction {
        let mut function = UtilizationFunction::new(Timestamp(0));
        for &(time, percent) in steps {
            function.step(Timestamp(time), f64::from(percent) / 100.0);
        }
        function.end(Timestamp(end));
        function
    }

    fn least(function: &UtilizationFunction, window_ns: i64) -> f64 {
        let mut least = 1.0_f64;
        function.means(window_ns, |it| least = least.min(it.mean));
        least
    }

    #[track_caller]
    fn check(steps: &[(i64, u32)], end: i64, window_ns: i64, expect: f64) {
        let found = least(&function(steps, end), window_ns);
        assert!((found - expect).abs() < 1e-12, "{found}, not {expect}");
    }

    #[test]
    fn the_least_mean_is_where_an_edge_meets_a_step() {
        let pause = [(40, 0), (50, 100)];
        check(&pause, 100, 5, 0.0);
        check(&pause, 100, 10, 0.0);
        check(&pause, 100, 20, 0.5);
        check(&pause, 100, 100, 0.9);
        // Two pauses in a window are worse than each alone.
        check(&[(10, 0), (20, 100), (25, 0), (35, 100)], 100, 25, 0.2);
        check(&[(10, 50)], 20, 10, 0.5);
        check(&[], 20, 10, 1.0);
    }

    #[test]
    fn what_takes_no_time_does_not_count() {
        let function = function(&[(10, 0), (10, 100), (15, 50), (15, 0), (15, 100)], 20);
        assert_eq!(function.steps.len(), 2);
        check(&[(10, 0), (10, 50)], 20, 10, 0.5);
        check(&[(0, 0), (0, 50)], 20, 20, 0.5);
    }

    #[test]
    fn what_turns_out_late_holds_since_the_begin() {
        let mut function = UtilizationFunction::new(Timestamp(0));
        function.step(Timestamp(10), 0.75);
        function.step(Timestamp(20), 1.0);
        function.lower_until(Timestamp(20), 0.25);
        function.lower_until(Timestamp(20), 0.25);
        function.end(Timestamp(30));
        // Half until 10, a quarter until 20, then all.
        assert!((least(&function, 10) - 0.25).abs() < 1e-12);
        assert!((least(&function, 20) - 0.375).abs() < 1e-12);
        assert!((least(&function, 30) - 17.5 / 30.0).abs() < 1e-12);
    }

    /// Against all windows, one by one.
    #[test]
    fn no_window_is_worse_than_the_least() {
        let mut random = 7_u32;
        let mut next = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        for _ in 0..300 {
            let mut utilizations = vec![100; 60];
            let mut steps = Vec::new();
            for _ in 0..next(12) {
                steps.push((i64::from(next(60)), next(5) * 25));
            }
            steps.sort_by_key(|&(time, _)| time);
            for &(time, percent) in &steps {
                utilizations[time as usize..].fill(percent);
            }
            let window = 1 + next(60) as usize;
            let sums = utilizations
                .windows(window)
                .map(|it| it.iter().sum::<u32>());
            let expect = f64::from(sums.min().unwrap_or_default()) / window as f64 / 100.0;
            check(&steps, 60, window as i64, expect);
        }
    }
}
