//! Why an edge is there, and whether that is known or assumed.

use std::fmt;

/// Why one event happened before another on another process. Of several reasons for one edge the first in this order
/// stays: what is known before what is assumed, and of assumptions the one that is given up last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Reason {
    /// The file says so: `after`, or an edge of its own.
    Stated,
    /// A message was received after it was sent; both ends name it.
    Message,
    /// The same, the two ends matched by what the message says.
    Content,
    /// A span begins after the one that caused it.
    Parent,
    /// A server begins after its client, and its client ends after it.
    Call,
    /// A span names another one that it goes on from.
    Link,
    /// A vector clock counts the event.
    Clock,
    /// A lock was taken after it was released.
    Lock,
    /// A value was read after it was written.
    Shared,
    /// A span ends after the spans inside of it.
    Nesting,
    /// One clock stamped both: that of a chain of local calls.
    Segment,
    /// One clock stamped both: that of an instance of a service.
    Instance,
    /// One clock stamped both: that of a host.
    Host,
    /// Wall clocks are further apart than they can be wrong.
    Skew,
}

impl Reason {
    /// Every reason, those that are known first.
    pub const ALL: [Self; 14] = [
        Self::Stated,
        Self::Message,
        Self::Content,
        Self::Parent,
        Self::Call,
        Self::Link,
        Self::Clock,
        Self::Lock,
        Self::Shared,
        Self::Nesting,
        Self::Segment,
        Self::Instance,
        Self::Host,
        Self::Skew,
    ];

    /// The reason with a number, as [`Self::ALL`] counts.
    pub(super) fn from_raw(raw: u8) -> Self {
        Self::ALL.get(usize::from(raw)).copied().unwrap_or(Self::Stated)
    }

    /// The reason that files and reports call so.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }

    /// What files and reports call it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Message => "message id",
            Self::Content => "message content",
            Self::Parent => "parent",
            Self::Call => "client/server",
            Self::Link => "link",
            Self::Clock => "vector clock",
            Self::Lock => "lock",
            Self::Shared => "shared variable",
            Self::Nesting => "nesting",
            Self::Segment => "same clock",
            Self::Instance => "instance clock",
            Self::Host => "host clock",
            Self::Skew => "skew",
        }
    }

    /// Whether the edge follows from an assumption rather than from a cause.
    #[must_use]
    pub fn is_assumed(self) -> bool {
        self >= Self::Nesting
    }

    /// The reasons that are assumptions, in the order in which they are given up.
    #[must_use]
    pub fn assumed() -> [Self; 5] {
        [Self::Skew, Self::Host, Self::Instance, Self::Segment, Self::Nesting]
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_name_one_reason_each() {
        for (raw, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(Reason::from_raw(raw as u8), reason);
            assert_eq!(reason as usize, raw);
            assert_eq!(Reason::from_word(reason.word()), Some(reason));
            assert_eq!(Reason::assumed().contains(&reason), reason.is_assumed());
        }
    }
}
