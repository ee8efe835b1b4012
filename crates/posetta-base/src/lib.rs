//! What every other room stands on: ids, exact values, places in a text, budgets and verdicts; and the writers of documents that several rooms write ([`dot`], [`hoa`]).

mod attributes;
mod budget;
mod diagnostic;
pub mod dot;
mod error;
pub mod hoa;
mod ids;
mod intern;
mod natural;
mod number;
mod packed;
mod setters;
mod spanned;
mod turns;
mod value;
mod verdict;
mod when;

pub use attributes::{Attributes, TakenAttributes, WantedAttributes, json_value};
pub use budget::{Budget, Claim, Limit, OverBudget, Stop, Tally};
pub use diagnostic::{About, Diagnostic, Kind, Place, Span, Subject};
pub use error::{Error, Located, Mistakes};
pub use ids::{ActionId, ComponentId, EventId, LetterId, ProcessId, Symbol, ValueId, VarId};
pub use intern::Interner;
pub use natural::Natural;
pub use number::{MAX_DIGITS, Number, NumberError, ParseNumberError};
pub use packed::PackedSet;
pub use spanned::Spanned;
pub use turns::Turns;
pub use value::{Value, ValueTable, unsafe_to_show};
pub use verdict::{Verdict, Witness};
pub use when::{TimeUnit, When};
