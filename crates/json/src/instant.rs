//! Instants of a wall clock.

use std::time::SystemTime;

use jiff::Timestamp;

/// An instant as RFC 3339 has it, in UTC; `None` outside of the years that it can write.
///
/// # Examples
///
/// ```
/// let instant = exectrace_json::instant(std::time::UNIX_EPOCH).unwrap();
/// assert_eq!(instant, "1970-01-01T00:00:00Z");
/// ```
#[must_use]
pub fn instant(time: SystemTime) -> Option<String> {
    let timestamp = Timestamp::try_from(time).ok()?;
    Some(timestamp.to_string())
}
