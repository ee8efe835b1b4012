//! Interval sharing trees.
