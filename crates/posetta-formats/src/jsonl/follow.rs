//! Reading a run while it is written: nothing is kept but what later records can ask for.

#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::ops::ControlFlow;

use super::read::Records;
use crate::{Listener, lines};
use posetta_base::{Budget, Diagnostic, Error};
use posetta_trace::{Feed, Heard};

/// Reads records and hands on each event as soon as all its causes have come, until `each` has enough or the input ends. The
/// first line with a mistake ends it. With `states`, lines without a process are states whatever their fields look like. Answers with what
/// is worth knowing of what was read.
///
/// # Errors
/// With the mistakes of a line or of the order of events, with what waits at the end for an event that never came, with what
/// `each` fails with, or when the budget is spent. What the feed knows stays in it.
pub fn follow(
    mut reader: impl BufRead,
    states: bool,
    feed: &mut Feed,
    budget: &Budget,
    mut each: impl FnMut(Heard<'_>, &Feed) -> Result<ControlFlow<()>, Error>,
) -> Result<Vec<Diagnostic>, Error> {
    follow_any(&mut reader, states, feed, budget, &mut each)
}

/// The same of any reader and for any listener, compiled once and here.
fn follow_any(
    reader: &mut dyn BufRead,
    states: bool,
    feed: &mut Feed,
    budget: &Budget,
    mut each: &mut Listener<'_>,
) -> Result<Vec<Diagnostic>, Error> {
    let mut records = Records::new(states);
    let mut ended = Ok(ControlFlow::Continue(()));
    lines::read_into(feed, reader, budget, |feed, line| {
        let _ = records.line(feed, line);
        if feed.has_mistakes() {
            return ControlFlow::Break(());
        }
        ended = feed.advance(&mut each).map_err(|failure| line.complete(failure));
        match &ended {
            Ok(flow) => *flow,
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    let mistakes = feed.take_mistakes();
    if !mistakes.is_empty() {
        return Err(Error::Invalid(mistakes));
    }
    if let ControlFlow::Continue(()) = ended? {
        records.are_states()?;
        feed.finish(&mut each)?;
    }
    Ok(records.warnings())
}
