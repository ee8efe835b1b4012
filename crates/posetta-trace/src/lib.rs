//! A finite trace: events of processes, what they assign, and what happened before what.
//!
//! [`Builder`] takes events as a format reads them and refuses what is not a partial order; [`Trace`] is the immutable
//! result. On top of it stand [`Clocks`] (who knows of whom), [`Lattice`] (cuts, packed), [`count_cuts`] and
//! [`count_linearisations`], [`width`], [`reduced_edges`] and [`unordered_writes`]. [`Trace::with_edges`] is the same run, ordered
//! more, and [`Projections`] are runs of some of its events.

mod assumed;
mod attributes;
mod builder;
mod clock;
mod count;
mod cut;
mod cycle;
mod edges;
mod event;
mod feed;
mod lack;
mod linearize;
mod mistakes;
mod names;
mod project;
mod reason;
mod reduce;
#[cfg(test)]
mod sketch;
mod slice;
mod width;
mod writes;

pub use attributes::Column;
pub use builder::Builder;
pub use builder::ENOUGH;
pub use clock::Clocks;
pub use count::{count_cuts, count_linearisations};
pub use cut::{Cut, Lattice, Packing};
pub use event::{Assignment, Attribute, Timing, Trace, Whereabouts};
pub use feed::{Arrival, Assigned, Feed, Frontier, Heard, Laggard};
pub use lack::{Lack, Missing};
pub use linearize::{complete, first_misplaced};
pub use names::shortened;
pub use project::{Projections, Times};
pub use reason::Reason;
pub use reduce::reduced_edges;
pub use slice::Slice;
pub use width::width;
pub use writes::{UnorderedWrites, unordered_writes};
