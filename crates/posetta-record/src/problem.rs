//! What can go wrong while recording. The program under test goes on; [`Recorder::finish`](crate::Recorder::finish) tells.

use std::fmt;
use std::io;

/// Something that could not be recorded.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The writer failed. What came after is lost.
    Write(io::Error),
    /// The writer panicked. What came after is lost.
    WriterPanicked,
    /// A variable was given an infinity or NaN. The assignment is left out.
    NotFinite {
        /// The variable.
        variable: String,
    },
    /// A variable was declared with two different values. The first counts.
    DeclaredTwice {
        /// The variable.
        variable: String,
    },
    /// A process without a name. Its events are recorded as those of `?`.
    NoName,
    /// A process that is not among the declared ones. Its events are lost.
    Undeclared {
        /// The process.
        process: String,
    },
    /// A stamp counts more events of a process than this recorder has seen of it, although it records that process.
    /// Two recorders that share a run must not share the name of a process.
    ForeignStamp {
        /// What the stamp says, as `process.index`.
        event: String,
    },
    /// Text or bytes that are no stamp.
    BadStamp {
        /// What was there instead.
        text: String,
        /// Why it is none.
        error: crate::ParseStampError,
    },
    /// A process has more events, or a run more processes, than a run can hold. What came after is lost.
    TooMany,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "the recording could not be written: {error}"),
            Self::WriterPanicked => write!(f, "the recording could not be written: its writer panicked"),
            Self::NotFinite { variable } => {
                write!(f, "the variable `{variable}` was given a number that is not finite, which was left out")
            }
            Self::DeclaredTwice { variable } => {
                write!(f, "the variable `{variable}` was declared with two different values, of which the first counts")
            }
            Self::NoName => write!(f, "a process without a name, recorded as `?`"),
            Self::Undeclared { process } => {
                write!(f, "the process `{process}` is not among those that were declared, so its events are lost")
            }
            Self::ForeignStamp { event } => {
                write!(f, "a stamp of `{event}` came back, but that event was not recorded here; do two recorders ")?;
                write!(f, "have a process of that name?")
            }
            Self::BadStamp { text, error } => write!(f, "`{text}` is not a stamp: {error}"),
            Self::TooMany => write!(f, "more events or processes than a run can hold"),
        }
    }
}

/// A recording that lacks something.
#[derive(Debug)]
pub struct Incomplete {
    /// What went wrong first.
    pub first: Problem,
    /// How much more went wrong.
    pub others: u64,
    /// How many events are missing from the output.
    pub lost: u64,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        if self.lost > 0 {
            write!(f, "; {} {} lost", self.lost, if self.lost == 1 { "event is" } else { "events are" })?;
        }
        if self.others > 0 {
            write!(f, "; and {} other problem{}", self.others, if self.others == 1 { "" } else { "s" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Incomplete {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.first {
            Problem::Write(error) => Some(error),
            Problem::BadStamp { error, .. } => Some(error),
            _ => None,
        }
    }
}
