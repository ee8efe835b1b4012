//! Histories of Jepsen and Elle, in EDN or JSON: what clients asked of a database, and when; docs/formats/jepsen.md.
//!
//! `edn` brings an operation in EDN into the JSON that Jepsen writes for it, so that `operations` knows one of the two only.
//!
//! Our own reader of EDN rather than the crate `edn-format`: that reads a value at once from a text, without places in its mistakes, rounds
//! decimals, and brings chrono, uuid and a second crate of large numbers.

mod edn;
mod operations;
#[cfg(test)]
mod tests;

use std::io::{BufRead, Cursor, Read};

use self::edn::Forms;
use self::operations::History;
use crate::documents::Documents;
use crate::lines::READING;
use crate::tree::Tree;
use posetta_base::{Budget, Diagnostic, Error, Place};
use posetta_trace::Trace;

/// Reads a run.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(mut reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let (mut start, mut opening) = (Vec::new(), Opening::default());
    let is_edn = loop {
        // What cannot be read is told by whoever reads on.
        let Some(&next) = reader.fill_buf().unwrap_or_default().first() else { break false };
        start.push(next);
        reader.consume(1);
        budget.step(0, READING)?;
        if let Some(is_edn) = opening.see(next) {
            break is_edn;
        }
    };
    let reader = Cursor::new(start).chain(reader);
    if is_edn { edn(reader, budget) } else { json(reader, budget) }
}

/// The beginning of a history, byte by byte.
#[derive(Default)]
struct Opening {
    seen: usize,
    /// The first byte that is not blank.
    first: Option<u8>,
}

impl Opening {
    /// Whether a history that goes on with this byte is in EDN: JSON has a quote behind its first brackets. `None` if more must be seen.
    fn see(&mut self, byte: u8) -> Option<bool> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        let is_mark = MARK.get(self.seen) == Some(&byte);
        self.seen += 1;
        if is_mark || byte.is_ascii_whitespace() && self.first.is_none() {
            return None;
        }
        let first = *self.first.get_or_insert(byte);
        let is_inside = !b" \t\r\n[({".contains(&byte);
        is_inside.then(|| first == b'(' || !b"\"}]".contains(&byte))
    }
}

fn json(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let mut documents = Documents::new(reader, budget)?;
    let (mut history, mut tree) = (History::default(), Tree::default());
    loop {
        match documents.advance(history.weight() as usize + tree.weight()) {
            Ok(true) => {}
            Ok(false) => break,
            Err(Error::Invalid(mistakes)) => {
                if mistakes.into_iter().all(|mistake| history.lose(mistake)) {
                    continue;
                }
                break;
            }
            Err(over) => return Err(over),
        }
        let text = documents.text();
        let taken = tree.parse(text).and_then(|()| history.operation(text, &tree, documents.line()));
        if let Err(mistake) = taken
            && !history.lose(documents.diagnose(*mistake))
        {
            break;
        }
    }
    history.finish(budget)
}

fn edn(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let mut forms = Forms::new(reader, budget)?;
    let (mut history, mut tree) = (History::default(), Tree::default());
    let mut claim = budget.claim(0, READING)?;
    loop {
        match forms.advance() {
            Ok(true) => {}
            Ok(false) => break,
            // Behind a mistake nobody knows where the next form begins.
            Err(Error::Invalid(mistakes)) => {
                for mistake in mistakes {
                    history.lose(mistake);
                }
                break;
            }
            Err(over) => return Err(over),
        }
        let (json, line) = (forms.json(), forms.line());
        let taken = tree.parse(json).and_then(|()| history.operation(json, &tree, line));
        if let Err(mistake) = taken {
            let mut diagnostic = Diagnostic::new(mistake.kind, mistake.message).at(Place::line_only(line));
            (diagnostic.label, diagnostic.help) = (mistake.label, mistake.help);
            if !history.lose(diagnostic) {
                break;
            }
        }
        claim.grow_to(history.weight(), READING)?;
    }
    drop(claim);
    history.finish(budget)
}
