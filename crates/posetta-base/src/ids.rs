//! Dense ids. Each is a place in one table; a bare `usize` never crosses a room's boundary.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id for a place in its table; `None` past `u32::MAX - 1`, which stays free as a niche for "none".
            #[must_use]
            pub fn new(index: usize) -> Option<Self> {
                u32::try_from(index).ok().filter(|&i| i != u32::MAX).map(Self)
            }

            /// The place in its table.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The raw number, for packed tables.
            #[must_use]
            #[inline]
            pub fn raw(self) -> u32 {
                self.0
            }

            /// The inverse of [`Self::raw`].
            #[must_use]
            #[inline]
            pub fn from_raw(raw: u32) -> Self {
                Self(raw)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// The events of one trace are numbered densely in the order in which they were read.
    EventId
}
id! {
    /// The processes of one trace, numbered by first mention.
    ProcessId
}
id! {
    /// The variables of one trace, numbered by first mention.
    VarId
}
id! {
    /// A distinct value in a [`ValueTable`](super::ValueTable): two ids are equal exactly when their values are.
    ValueId
}
id! {
    /// A distinct string in an [`Interner`](super::Interner).
    Symbol
}
id! {
    /// The actions of one system of components, numbered by first mention.
    ActionId
}
id! {
    /// The components of one system, in the order of the composition.
    ComponentId
}
id! {
    /// A letter that can come in the words of one formula: a place in the table of its alphabet.
    LetterId
}
