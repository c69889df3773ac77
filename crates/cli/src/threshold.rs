//! What commands call a change.

use exectrace_analysis::Threshold;
use jiff::SignedDuration;

/// Arguments of commands that compare traces.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ThresholdArguments {
    /// The least change, in percent of what there was.
    #[arg(long, value_name = "PERCENT", default_value = "10", value_parser = percent)]
    min_change: f64,
    /// The least change of times, on top of that.
    #[arg(long, value_name = "TIME", default_value = "20us", value_parser = nanoseconds)]
    min_shift: f64,
    /// How probable it may be that chance alone makes even one change of a kind.
    #[arg(long, value_name = "PROBABILITY", default_value = "0.01", value_parser = probability)]
    significance: f64,
}

impl ThresholdArguments {
    /// The same for an analysis.
    pub(crate) fn threshold(&self) -> Threshold {
        let mut threshold = Threshold::default();
        threshold.relative = self.min_change;
        threshold.ns = self.min_shift;
        threshold.significance = self.significance;
        threshold
    }
}

/// A share, from a number with a sign or without.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let percent: f64 = number
        .parse()
        .map_err(|error: std::num::ParseFloatError| error.to_string())?;
    if percent.is_finite() && percent >= 0.0 {
        Ok(percent / 100.0)
    } else {
        Err(String::from("must not be negative"))
    }
}

fn nanoseconds(text: &str) -> Result<f64, String> {
    let duration: SignedDuration = text
        .parse()
        .map_err(|error: jiff::Error| error.to_string())?;
    if duration.is_negative() {
        return Err(String::from("must not be negative"));
    }
    Ok(duration.as_nanos() as f64)
}

fn probability(text: &str) -> Result<f64, String> {
    let probability: f64 = text
        .parse()
        .map_err(|error: std::num::ParseFloatError| error.to_string())?;
    if probability > 0.0 && probability < 1.0 {
        Ok(probability)
    } else {
        Err(String::from("must be between 0 and 1, such as 0.01"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_written_as_people_do() {
        assert_eq!((percent("10"), percent("2.5%")), (Ok(0.1), Ok(0.025)));
        assert_eq!(nanoseconds("1.5ms"), Ok(1.5e6));
        assert_eq!(probability("0.05"), Ok(0.05));
        for text in ["", "-1", "ten", "inf", "1"] {
            assert!(percent(text).is_err() || text == "1", "{text}");
            assert!(nanoseconds(text).is_err(), "{text}");
            assert!(probability(text).is_err(), "{text}");
        }
    }
}
