//! What of a trace a command looks at.

use exectrace_analysis::Window;
use exectrace_reader::Timestamp;
use jiff::SignedDuration;

/// Arguments of all commands that can look at a part of a trace.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct WindowArguments {
    /// Only from this time since the trace's first event on, such as 1.5s or 20ms.
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<SignedDuration>,
    /// Only before this time since the trace's first event.
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<SignedDuration>,
}

impl WindowArguments {
    /// The window in a trace with this first event.
    pub(crate) fn of(&self, first: Timestamp) -> Window {
        let time = |since: SignedDuration| {
            let since_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
            Timestamp(first.0.saturating_add(since_ns))
        };
        Window::of(self.from.map(time), self.to.map(time))
    }
}

/// A time since the first event.
pub(crate) fn time(text: &str) -> Result<SignedDuration, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|error: jiff::Error| error.to_string())?;
    if time.is_negative() {
        return Err(String::from("must not be negative"));
    }
    Ok(time)
}
