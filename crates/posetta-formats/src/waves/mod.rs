//! Waveforms: signals that change at times, and the states that are read off them.
//!
//! [`vcd`](super::vcd) and [`fst`](super::fst) tell a [`Sampler`] which signal changes to what, and when time goes on; it says when
//! there is a record and what the record assigns. [`Declarations`] gives signals their names, `bits` their values. What users choose is a
//! [`Sampling`]; docs/formats/vcd.md says what it means.

mod bits;
mod names;
mod sample;

pub(super) use bits::{BadBits, bit, complement, ones, real, slice, string, vector};
pub(super) use names::{Declarations, Ranges};
pub(super) use sample::Sampler;

use posetta_base::{Diagnostic, Kind};

pub use posetta_logic::Edge;

/// That a file was not written to its end, and what that means for what was read of it.
pub(super) fn unfinished(what: &str) -> Diagnostic {
    Diagnostic::new(Kind::Truncated, format!("the file is unfinished: {what}"))
        .help("answers are about what was read; let the simulator end by itself for the whole run")
}

/// When waveforms are looked at, and what is read off them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sampling {
    /// The signal whose edges say when; without one, there is a record for every time at which a signal changes.
    pub clock: Option<String>,
    /// Which edges.
    pub edge: Edge,
    /// Whether values are those before the edge or after it.
    pub moment: Moment,
    /// What bits that are neither 0 nor 1 are read as.
    pub unknown: Unknown,
}

posetta_base::setters! { Sampling { clock: Option<String>, edge: Edge, moment: Moment, unknown: Unknown } }

/// Which values an edge shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Moment {
    /// Those just before the time of the edge, as synchronous logic sees them.
    #[default]
    Before,
    /// Those after all changes at the time of the edge.
    After,
}

/// What bits that are neither 0 nor 1 are read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unknown {
    /// A string: `"x"` or `"z"` if all bits are so, else the bits, as short as a dump writes them.
    #[default]
    Text,
    /// 0.
    Zero,
    /// 1.
    One,
}

/// A signal with more bits is refused: bits that are not written may have to be.
pub(super) const MOST_BITS: u32 = 1 << 20;

/// What a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) kind: SignalKind,
    /// How many bits it has.
    pub(super) width: u32,
}

/// What values a signal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignalKind {
    /// Unsigned numbers.
    Bits,
    /// Numbers.
    Real,
    /// Strings.
    Text,
    /// 1 when something has happened since the last record, else 0.
    Event,
}
