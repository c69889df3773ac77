//! Why an event is refused, in one word.

use crate::Cause;

/// A cause that is boxed: it is large and never comes in most traces, and an answer that may hold one would go through memory for
/// every event.
pub(super) type Refusal = Box<Cause>;
