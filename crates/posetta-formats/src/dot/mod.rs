//! Graphs in the DOT language of Graphviz; meaning in docs/formats/dot.md.
//!
//! Nodes are events, clusters are processes, an arrow says that its tail happened before its head. `lex` and `parse` read
//! the language, `read` makes a run of the graph, `write` draws one.

mod lex;
mod parse;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// The attribute that holds a node's facts, and that marks a graph of ours.
const OWN: &str = "posetta";

/// Whether a file that begins so is a directed graph.
pub(super) fn looks_like(start: &[u8]) -> bool {
    let known = str::from_utf8(start).unwrap_or_else(|e| str::from_utf8(&start[..e.valid_up_to()]).unwrap_or(""));
    let mut lexer = lex::Lexer::new(known.trim_start_matches('\u{feff}'));
    let mut next = || lexer.next().ok().map(|t| t.token);
    let is = |token: &Option<lex::Token>, word: &str| matches!(token, Some(lex::Token::Id(id, false)) if id.eq_ignore_ascii_case(word));
    let mut token = next();
    if is(&token, "strict") {
        token = next();
    }
    if !is(&token, "digraph") && !is(&token, "graph") {
        return false;
    }
    match next() {
        Some(lex::Token::Open) => true,
        Some(lex::Token::Id(..)) => next() == Some(lex::Token::Open),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
