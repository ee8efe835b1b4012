//! What of a source is not read though it could be taken for an assertion, as warnings: nobody should believe that it holds.

use super::assertions::{Brackets, Item, Skipped, Unread, items};
use super::visible::Visible;
use posetta_base::{Diagnostic, Kind, Place, Span};

/// So many lines are listed.
const SHOWN: usize = 8;

/// `line 3`, `lines 3, 9 and 12`.
fn lines(source: &str, places: &[Span]) -> String {
    let mut lines: Vec<u64> = places.iter().map(|span| Place::in_text(source, *span).line).collect();
    lines.dedup();
    let told: Vec<String> = lines.iter().take(SHOWN).map(u64::to_string).collect();
    match (told.as_slice(), lines.len().saturating_sub(SHOWN)) {
        ([one], _) => format!("line {one}"),
        ([all @ .., last], 0) => format!("lines {} and {last}", all.join(", ")),
        (all, more) => format!("lines {} and {more} more", all.join(", ")),
    }
}

fn warning(source: &str, places: &[Span], message: impl FnOnce(&str) -> String, help: &str) -> Option<Diagnostic> {
    let first = *places.first()?;
    let message = message(&lines(source, places));
    Some(Diagnostic::new(Kind::Unsupported, message).at(Place::in_text(source, first)).help(help))
}

/// Assertions in branches that are not compiled.
pub(super) fn skipped(source: &str, seen: &Visible, skipped: &Skipped) -> Vec<Diagnostic> {
    if skipped.branches.is_empty() {
        return Vec::new();
    }
    let mut places: Vec<Span> = Vec::new();
    let brackets = Brackets::of(&seen.bare);
    for item in items(&seen.bare, &brackets, &skipped.asserting).0 {
        if matches!(item, Item::Directive { .. } | Item::Endless(_)) {
            places.push(item.span());
        }
    }
    let mut found = Vec::new();
    for (branch, why) in &skipped.branches {
        let psl = &seen.psl[branch.start..branch.end];
        let in_comment = branch.start + (psl.len() - psl.trim_start().len());
        let comment = (in_comment < branch.end).then(|| Span::new(in_comment, in_comment + 1));
        let own = places.iter().copied().filter(|span| branch.start <= span.start && span.start < branch.end);
        let mut own: Vec<Span> = own.map(|span| Span::new(span.start, span.start + 1)).chain(comment).collect();
        own.sort_by_key(|span| span.start);
        found.extend(warning(
            source,
            &own,
            |lines| format!("what is asserted in {lines} is not compiled, and not read: {why}"),
            "macros are those that the file defines; to have it read, put `define in front, or write it outside of the branch",
        ));
    }
    found
}

/// What stands among the assertions and is no concurrent one.
pub(super) fn statements(source: &str, bare: &str, unread: &[(Span, Unread)]) -> Vec<Diagnostic> {
    let of = |kind: Unread| unread.iter().filter(|(_, own)| *own == kind).map(|(span, _)| *span).collect::<Vec<_>>();
    let macros = of(Unread::Macro);
    let name = macros.first().map_or("", |span| &bare[span.start..span.end]);
    let all = [
        warning(
            source,
            &of(Unread::Statement),
            |lines| format!("immediate assertions are not read: {lines}"),
            "they are statements of a simulation; asked at every cycle it is `assert property (@(posedge clk) …);`",
        ),
        warning(
            source,
            &macros,
            |lines| format!("macros are not put in, so what `{name}` and its like assert is not read: {lines}"),
            "write what the macro stands for: `name: assert property (@(posedge clk) disable iff (reset) …);`",
        ),
        warning(
            source,
            &of(Unread::Bind),
            |lines| format!("`bind` is not read: {lines}"),
            "assertions are about the signals that the waveform has under the names that they use, wherever they are bound",
        ),
    ];
    all.into_iter().flatten().collect()
}

/// Statements of the HDL in a unit.
pub(super) fn hdl(source: &str, statements: &[Span]) -> Option<Diagnostic> {
    warning(
        source,
        statements,
        |lines| format!("statements of the HDL in a unit are not read: {lines}"),
        "signals that they declare are read from the waveform, if the simulator wrote them there",
    )
}

/// Comments that begin with `psl` and go on as sentences do.
pub(super) fn prose(source: &str, comments: &[Span]) -> Option<Diagnostic> {
    warning(
        source,
        comments,
        |lines| format!("a comment that begins with `psl` is no directive, and not read: {lines}"),
        "a directive begins with `assert`, `assume`, `cover`, `property` … or with a label",
    )
}

/// Assertions of SystemVerilog without a clock.
pub(super) fn unclocked(source: &str, assertions: &[Span]) -> Option<Diagnostic> {
    warning(
        source,
        assertions,
        |lines| format!("an assertion has no clock, so every state of a run is a cycle: {lines}"),
        "write `default clocking @(posedge clk); endclocking`, or `@(posedge clk)` in front; or say --clock",
    )
}
