//! Answers as the language server protocol wants them (version 3.17): objects that are handed on as they are, to an editor or to a page.

use serde_json::{Value, json};

use crate::complete::{Completion, CompletionKind};
use crate::diagnose::{Finding, Severity};
use crate::explain::Hover;
use crate::format::Edit;
use crate::lines::{Position, Range};
use crate::navigate::{Symbol, SymbolKind};

/// `Position`.
#[must_use]
pub fn position(position: Position) -> Value {
    json!({ "line": position.line, "character": position.character })
}

/// A `Position`, if it is one.
#[must_use]
pub fn position_of(value: &Value) -> Option<Position> {
    let number = |key: &str| Some(u32::try_from(value.get(key)?.as_u64()?).unwrap_or(u32::MAX));
    Some(Position { line: number("line")?, character: number("character")? })
}

/// `Range`.
#[must_use]
pub fn range(range: Range) -> Value {
    json!({ "start": position(range.start), "end": position(range.end) })
}

/// A `Range`, if it is one.
#[must_use]
pub fn range_of(value: &Value) -> Option<Range> {
    Some(Range { start: position_of(value.get("start")?)?, end: position_of(value.get("end")?)? })
}

/// `Diagnostic`. `uri` says where a file of another name is.
pub fn diagnostic(finding: &Finding, uri: &mut dyn FnMut(&str) -> Option<String>) -> Value {
    let severity = match finding.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    };
    let mut value = json!({
        "range": range(finding.range),
        "severity": severity,
        "code": finding.code,
        "source": "posetta",
        "message": finding.message,
    });
    if let Some(related) = &finding.related
        && let Some(uri) = uri(&related.file)
    {
        let number = |n: u64| u32::try_from(n.saturating_sub(1)).unwrap_or(u32::MAX);
        let at = Position { line: number(related.line), character: number(related.column) };
        value["relatedInformation"] = json!([{
            "location": { "uri": uri, "range": range(Range { start: at, end: at }) },
            "message": related.message,
        }]);
    }
    value
}

/// `Hover`.
#[must_use]
pub fn hover(hover: &Hover) -> Value {
    json!({ "contents": { "kind": "markdown", "value": hover.text }, "range": range(hover.range) })
}

/// `CompletionItem`; `place` is its place in the list, which the editor keeps.
#[must_use]
pub fn completion(completion: &Completion, place: usize, snippets: bool) -> Value {
    let kind = match completion.kind {
        CompletionKind::Keyword => 14,
        CompletionKind::Operator => 24,
        CompletionKind::Function => 3,
        CompletionKind::Name | CompletionKind::Variable => 6,
        CompletionKind::Event => 23,
        CompletionKind::Value => 12,
        CompletionKind::File => 17,
        CompletionKind::Snippet => 15,
    };
    let (text, format) = match (completion.is_snippet, snippets) {
        (true, true) => (completion.insert.clone(), 2),
        (true, false) => (plain(&completion.insert), 1),
        (false, _) => (completion.insert.clone(), 1),
    };
    let mut value = json!({
        "label": completion.label,
        "kind": kind,
        "sortText": format!("{place:05}"),
        "insertTextFormat": format,
        "textEdit": { "range": range(completion.range), "newText": text },
    });
    if !completion.detail.is_empty() {
        value["detail"] = completion.detail.clone().into();
    }
    if !completion.says.is_empty() {
        value["documentation"] = completion.says.clone().into();
    }
    value
}

/// A snippet for whoever knows none: the names of its places stay.
fn plain(snippet: &str) -> String {
    let mut out = String::new();
    let mut chars = snippet.chars().peekable();
    let mut open = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '$' if chars.peek() == Some(&'{') => {
                chars.next();
                while chars.next_if(char::is_ascii_digit).is_some() {}
                chars.next_if_eq(&':');
                open += 1;
            }
            '$' => while chars.next_if(char::is_ascii_digit).is_some() {},
            '}' if open > 0 => open -= 1,
            c => out.push(c),
        }
    }
    out
}

/// `DocumentSymbol`.
#[must_use]
pub fn symbol(symbol: &Symbol) -> Value {
    let kind = match symbol.kind {
        SymbolKind::Property | SymbolKind::Monitor => 24,
        SymbolKind::Definition => 12,
        SymbolKind::Loop => 3,
        SymbolKind::Import => 2,
        SymbolKind::Constant => 14,
        SymbolKind::Component => 5,
        SymbolKind::System => 4,
    };
    let children: Vec<Value> = symbol.inside.iter().map(self::symbol).collect();
    json!({
        "name": symbol.name,
        "kind": kind,
        "range": range(symbol.range),
        "selectionRange": range(symbol.selection),
        "children": children,
    })
}

/// `TextEdit`.
#[must_use]
pub fn edit(edit: &Edit) -> Value {
    json!({ "range": range(edit.range), "newText": edit.text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_back() {
        let place = Range { start: Position::new(1, 2), end: Position::new(3, 4) };
        assert_eq!(range_of(&range(place)), Some(place));
        for value in [
            json!(null),
            json!([]),
            json!({"line": 1}),
            json!({"line": -1, "character": 0}),
            json!({"line": 1.5, "character": 0}),
        ] {
            assert_eq!(position_of(&value), None, "{value}");
        }
        assert_eq!(position_of(&json!({"line": u64::MAX, "character": 0})), Some(Position::new(u32::MAX, 0)));
    }

    #[test]
    fn snippets_become_text() {
        for (snippet, text) in
            [("a(${1:p}, ${2:q})", "a(p, q)"), ("\\$k", "$k"), ("$0x$1", "x"), ("{\n  $0\n}", "{\n  \n}")]
        {
            assert_eq!(plain(snippet), text);
        }
    }
}
