//! Format v1.
