//! A lock-free profiling buffer: one writer, which may be a signal handler, and one reader.
