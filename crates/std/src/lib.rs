//! The thread and sync modules of the standard library, traced.
