//! Interval decision diagrams.
