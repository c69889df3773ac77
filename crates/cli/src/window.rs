//! What of a trace a command looks at.

use exectrace_analysis::Window;
use exectrace_json::{Axis, Moment, NoClock};

/// Arguments of all commands that can look at a part of a trace.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct WindowArguments {
    /// Only from this time on: since the trace's first event, such as 1.5s or 20ms, or of the wall clock in UTC, such as 02:13:05.120.
    #[arg(long, value_name = "TIME")]
    from: Option<Moment>,
    /// Only before this time.
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
}

impl WindowArguments {
    /// The window in a trace.
    pub(crate) fn of(&self, axis: Axis<'_>) -> Result<Window, NoClock> {
        let time = |moment: Option<Moment>| moment.map(|moment| axis.time(moment)).transpose();
        Ok(Window::of(time(self.from)?, time(self.to)?))
    }
}
