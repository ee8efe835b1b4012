//! The flags that say when waveforms are looked at.

use clap::{Args, ValueEnum};
use posetta_formats::waves::{Edge, Moment, Sampling, Unknown};

#[derive(Clone, Debug, Default, Args)]
pub struct SamplingArgs {
    /// For waveforms: a state for every edge of this signal [default: for every time at which a signal changes]
    #[arg(long, value_name = "SIGNAL", hide_short_help = true, help_heading = "Input")]
    pub clock: Option<String>,

    /// Which edges of the clock [default: rising]
    #[arg(long, value_enum, requires = "clock", value_name = "EDGE", hide_short_help = true, help_heading = "Input")]
    pub edge: Option<EdgeName>,

    /// Whether a state is what was just before the edge, or what is after it [default: before]
    #[arg(long, value_enum, requires = "clock", value_name = "MOMENT", hide_short_help = true, help_heading = "Input")]
    pub sample: Option<MomentName>,

    /// For waveforms: what bits that are neither 0 nor 1 are read as: strings of x and z, 0, or 1 [default: x]
    #[arg(long, value_enum, value_name = "BIT", hide_short_help = true, help_heading = "Input")]
    pub unknown: Option<UnknownName>,
}

/// Which edges.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum EdgeName {
    /// it becomes 1
    Rising,
    /// it becomes 0
    Falling,
    /// both
    Both,
}

/// Which values an edge shows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MomentName {
    /// those just before it, as synchronous logic sees them
    Before,
    /// those after all changes at its time
    After,
}

/// What unknown bits are read as.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum UnknownName {
    /// the string "x" or "z", or one of bits such as "1x0"
    X,
    /// 0
    #[value(name = "0")]
    Zero,
    /// 1
    #[value(name = "1")]
    One,
}

impl SamplingArgs {
    /// What was asked for first: by a flag, or by a property.
    pub fn asked(&self) -> Option<&'static str> {
        match self {
            Self { clock: Some(_), .. } => Some("a clock"),
            Self { unknown: Some(_), .. } => Some("--unknown"),
            _ => None,
        }
    }

    /// What the flags mean.
    pub fn sampling(&self) -> Sampling {
        Sampling::default()
            .clock(self.clock.clone())
            .edge(match self.edge {
                None | Some(EdgeName::Rising) => Edge::Rising,
                Some(EdgeName::Falling) => Edge::Falling,
                Some(EdgeName::Both) => Edge::Both,
            })
            .moment(match self.sample {
                None | Some(MomentName::Before) => Moment::Before,
                Some(MomentName::After) => Moment::After,
            })
            .unknown(match self.unknown {
                None | Some(UnknownName::X) => Unknown::Text,
                Some(UnknownName::Zero) => Unknown::Zero,
                Some(UnknownName::One) => Unknown::One,
            })
    }

    /// What is wrong with the flags for a run that is no waveform; `None` if none was given.
    pub fn useless_for(&self, format: posetta_formats::Format) -> Option<String> {
        let asked = self.asked().filter(|_| !format.holds_waves())?;
        Some(format!("{asked} is for waveforms, and the format is {}", format.name()))
    }
}
