//! The Tokio adapter of the exectrace execution tracer.
