//! The wire formats of Go's execution traces: event tables, varints, batch framing, limits, text form.
