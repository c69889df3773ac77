//! Recordings of threads, as Go's own tools read them.

mod channels;
mod sessions;
mod stress;
mod support;
mod threads;
mod waits;
