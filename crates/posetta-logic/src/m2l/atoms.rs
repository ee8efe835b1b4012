//! Atoms in backquotes: sets of the positions where something holds.

use std::sync::Arc;

use crate::atom::Atom;
use crate::monitor::Guard;
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Place, Span};

use super::include::{ReadAtom, Text};

/// Reads the atom between the backquotes of a span. Its own spans are those of the whole text.
///
/// # Errors
/// With its mistakes, or if it is not one atom.
pub(super) fn read(text: &Text, span: Span, read: &mut ReadAtom<'_>) -> Result<Atom, Mistakes<Located>> {
    let inside = Span::new(span.start + 1, span.end - 1);
    let one_position = |m: Located| Located { diagnostic: of_one_position(m.diagnostic), ..m };
    let guard =
        read(&text.source, inside).map_err(|mistakes| mistakes.into_iter().map(one_position).collect::<Vec<_>>())?;
    match guard {
        Guard::Atom(atom) => Ok(atom),
        guard => {
            let diagnostic =
                Diagnostic::new(Kind::Type, "this is not a single atom").at(Place::in_text(&text.source, span));
            let diagnostic =
                diagnostic.label("expected a comparison, `on(…)`, `event(…)` or `process(…)`").help(match guard {
                    Guard::Not(_) => "what is not in a set is `p notin `…``, or the set `$ \\ `…``",
                    Guard::And(_) => "put each part into backquotes of its own and join them with `inter`",
                    Guard::Or(_) => "put each part into backquotes of its own and join them with `union`",
                    Guard::True => "all positions are the set `$`",
                    Guard::False => "no positions are the set `empty`",
                    _ => "put each part into backquotes of its own and speak of positions: `p in `a` => p in `b``",
                });
            Err(vec![Located { file: Arc::clone(&text.name), diagnostic }].into())
        }
    }
}

/// What time has to do with an atom is said in the words of M2L.
fn of_one_position(mut mistake: Diagnostic) -> Diagnostic {
    if mistake.kind != Kind::Unsupported {
        return mistake;
    }
    "an atom speaks of one position".clone_into(&mut mistake.message);
    mistake
        .label("temporal operators and patterns cannot stand in an atom")
        .help("speak of other positions: `ex1 q where p < q: …`")
}
