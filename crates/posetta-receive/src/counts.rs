//! What has come, and what was refused.

use std::collections::BTreeMap;

/// Why something that was sent was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// It is not an export of traces, or one that is damaged.
    Malformed,
    /// It is larger than a body may be, packed or unpacked.
    TooLarge,
    /// It has a type or a packing that is not read.
    Unsupported,
    /// A web page sent it.
    Page,
    /// It was sent to a path where nothing is received.
    Path,
    /// It is not a request that sends anything.
    Method,
    /// It took too long to come.
    Slow,
    /// Its sender left before it was complete, or it was under way when the receiver was stopped.
    CutOff,
    /// Too much was under way at the same time.
    Busy,
    /// Everything that may be written has been.
    Full,
    /// It could not be written.
    Unwritten,
}

impl Refusal {
    /// Whether spans may have been lost with it.
    #[must_use]
    pub fn loses_spans(self) -> bool {
        self != Self::Method
    }

    /// The status of HTTP that says it.
    pub(crate) fn http(self) -> u16 {
        match self {
            Self::Malformed | Self::CutOff => 400,
            Self::Page => 403,
            Self::Path => 404,
            Self::Method => 405,
            Self::Slow => 408,
            Self::TooLarge => 413,
            Self::Unsupported => 415,
            Self::Busy => 503,
            Self::Full | Self::Unwritten => 507,
        }
    }

    /// The status of gRPC that says it. Only what may go well later has one that is tried again.
    pub(crate) fn grpc(self) -> u8 {
        match self {
            Self::Malformed | Self::CutOff => 3,
            Self::Slow => 4,
            Self::Page => 7,
            Self::TooLarge => 8,
            Self::Unsupported | Self::Path | Self::Method => 12,
            Self::Full | Self::Unwritten => 13,
            Self::Busy => 14,
        }
    }
}

/// What has come so far.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Connections that were opened.
    pub connections: u64,
    /// Connections that are open now.
    pub open: u64,
    /// Requests that are under way now.
    pub under_way: u64,
    /// How often anything began or ended: as long as it stays the same, nothing happens.
    pub changes: u64,
    /// Exports of traces that were taken.
    pub exports: u64,
    /// The spans in them. One that is sent again counts again.
    pub spans: u64,
    /// The bytes that were written.
    pub written: u64,
    /// Exports of metrics and logs, which are let go.
    pub others: u64,
    /// What was not taken: how often, and what was wrong the first time.
    pub refused: BTreeMap<Refusal, (u64, String)>,
}

impl Counts {
    pub(crate) fn refuse(&mut self, refusal: Refusal, what: &str) {
        let (times, _) = self.refused.entry(refusal).or_insert_with(|| (0, what.to_owned()));
        *times += 1;
    }

    /// How often something was refused that may have had spans.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.refused.iter().filter(|(refusal, _)| refusal.loses_spans()).map(|(_, (times, _))| times).sum()
    }
}
