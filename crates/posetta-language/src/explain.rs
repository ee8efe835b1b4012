//! What a word means, for whoever points at it.

use crate::document::{Document, Language, comment_above};
use crate::imports::{Definition, LIBRARY, definitions, imported};
use crate::lines::{Position, Range};
use crate::names::{Declared, NameKind, Names};
use crate::sys;
use crate::vocabulary::Vocabulary;
use posetta_base::{Budget, Span};
use posetta_compile::{Character, Finding, Linear, character};
use posetta_logic::written::words::{self, Word};
use posetta_logic::written::{Logic, Part, PartKind, Token, TokenKind, parts, reads_as, tokens};
use posetta_logic::{Atoms, Formula, Letters, LibraryFile, Load, Property, read_props_with};

/// What the kind of a property may cost while somebody waits, in bytes and in steps: some milliseconds.
const KIND: (u64, u64) = (16 << 20, 20_000);

/// A formula longer than this is cut when it is shown.
const LONGEST: usize = 2_000;

/// What is said about a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What is said, as Markdown.
    pub text: String,
    /// The word.
    pub range: Range,
}

/// What the word at a place means.
pub fn hover(
    document: &Document,
    position: Position,
    load: &mut Load<'_>,
    vocabulary: Option<&Vocabulary>,
) -> Option<Hover> {
    let offset = document.offset(position);
    let (text, span) = match document.language {
        Language::Sys => sys::hover(document, offset)?,
        Language::Props => props(document, offset, load, vocabulary)?,
    };
    Some(Hover { text, range: document.range(span) })
}

/// A block of code.
fn code(text: &str) -> String {
    // What is shown must not end the block.
    format!("```props\n{}\n```", short(text).replace("```", "'''"))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

fn props(
    document: &Document,
    offset: usize,
    load: &mut Load<'_>,
    vocabulary: Option<&Vocabulary>,
) -> Option<(String, Span)> {
    let text = document.text();
    let all = document.parts();
    let part = part_at(&all, offset)?;
    if let Some(path) = part.path.as_ref().filter(|path| path.span.start <= offset && offset <= path.span.end) {
        return Some((about_import(document, &path.name, load)?, path.span));
    }
    let names = Names::in_parts(text, &all);
    if let Some((id, span)) = names.at(offset) {
        let declared = &names.declared[id];
        let said = match declared.kind {
            NameKind::Property => about_property(document, declared, load),
            NameKind::Definition | NameKind::Whole => about_definition(document, &all, declared, part, offset, load),
            NameKind::Parameter => format!("`{}` is a parameter of this definition.", declared.name),
            NameKind::LoopVariable => format!("`{}` is the variable of a loop over numbers.", declared.name),
            NameKind::Key => format!("`${}` is the value that an instance of this property is about.", declared.name),
        };
        return Some((said, span));
    }
    let (token, logic) = token_at(text, part, offset)?;
    let word = token.text(text);
    if token.kind == TokenKind::Name
        && let Some(pattern) = words::patterns().into_iter().find(|pattern| pattern.name == word)
    {
        let call = call_at(text, part, logic, token);
        let mut said =
            format!("{}\n\n{} It stands for:\n\n{}", code(pattern.usage), pattern.says, code(&pattern.formula()));
        let here = call.and_then(|call| expanded(document, &all, part, document.slice(call), load));
        if let Some(here) = here {
            said.push_str(&format!("\n\nHere:\n\n{}", code(&here)));
        }
        return Some((said, token.span));
    }
    if let Some(word) = word_of(word, &token, part, logic, offset) {
        return Some((format!("{}\n\n{}", code(word.usage), word.says), token.span));
    }
    if token.kind == TokenKind::Name {
        let files = imported(document.name(), &all, load);
        if let Some(found) = definitions(&files).into_iter().find(|d| d.name == word) {
            return Some((about_imported(&found), token.span));
        }
    }
    let name = match token.kind {
        TokenKind::Name => word,
        TokenKind::Quoted => word.get(2..word.len() - 1)?,
        _ => return None,
    };
    let known = vocabulary?;
    let variable = known.variables.iter().find(|variable| variable.name == name)?;
    let mut said = format!("`{name}` is a variable of `{}`.", known.source);
    if !variable.values.is_empty() {
        said.push_str(&format!(" Some of its values: {}.", variable.values.join(", ")));
    }
    Some((said, token.span))
}

/// The item at a byte: the last one that begins before it.
pub(crate) fn part_at(parts: &[Part], offset: usize) -> Option<&Part> {
    let part = parts.iter().rev().find(|part| part.span.start <= offset)?;
    let inside = part.block.filter(|block| block.start <= offset && offset <= block.end);
    match inside.and_then(|_| part_at(&part.parts, offset)) {
        Some(inside) => Some(inside),
        None => Some(part),
    }
}

/// The logic that a byte of an item is written in.
pub(crate) fn logic_at(text: &str, part: &Part, offset: usize) -> Logic {
    match part.logic {
        _ if offset < part.body.start => Logic::Ltl,
        Some(logic) => logic,
        None if part.kind == PartKind::Let => reads_as(text, part.body).unwrap_or(Logic::Ltl),
        None => Logic::Ltl,
    }
}

/// The word at a byte, and the logic that it is written in; inside of the backquotes of M2L, too.
fn token_at(text: &str, part: &Part, offset: usize) -> Option<(Token, Logic)> {
    let logic = logic_at(text, part, offset);
    let span = match part.kind {
        PartKind::Property | PartKind::Let if offset >= part.body.start => part.body,
        _ => part.span,
    };
    let touches = |token: &&Token| token.span.start <= offset && offset <= token.span.end;
    let pick = |all: Vec<Token>| {
        let best = |kind: TokenKind| !matches!(kind, TokenKind::Sign | TokenKind::Comment | TokenKind::Odd);
        let found: Vec<&Token> = all.iter().filter(touches).collect();
        found.iter().find(|t| best(t.kind)).or_else(|| found.iter().find(|t| t.span.end > offset)).map(|t| **t)
    };
    let token = pick(tokens(text, span, logic))?;
    if token.kind == TokenKind::Atom {
        let inside = Span::new(token.span.start + 1, token.span.end - 1);
        return Some((pick(tokens(text, inside, Logic::Ltl))?, Logic::Ltl));
    }
    Some((token, logic))
}

/// What a word of the language is for, where it stands.
fn word_of(word: &str, token: &Token, part: &Part, logic: Logic, offset: usize) -> Option<Word> {
    let in_table = |table: &[Word]| table.iter().find(|known| known.text == word).copied();
    let in_tables = |tables: &[&[Word]]| tables.iter().find_map(|table| in_table(table));
    if !matches!(token.kind, TokenKind::Name | TokenKind::Sign) {
        return None;
    }
    if token.span.start == part.span.start {
        return in_tables(&[words::ITEMS, words::QUANTIFIERS]);
    }
    let in_body = part.body.start <= offset && matches!(part.kind, PartKind::Property | PartKind::Let);
    if part.kind == PartKind::Monitor {
        return in_tables(&[words::MONITORS, words::VIEWS, words::ATOMS, words::SIGNS]);
    }
    if !in_body {
        return in_tables(&[words::QUANTIFIERS, words::LOGICS, words::VIEWS, words::LOOPS, words::ITEMS]);
    }
    match logic {
        Logic::M2l => in_table(words::operators(logic)),
        _ => in_tables(&[words::operators(logic), words::ATOMS, words::SIGNS, words::SCOPES]),
    }
}

fn about_import(document: &Document, path: &str, load: &mut Load<'_>) -> Option<String> {
    if let Some(name) = path.strip_prefix(LIBRARY) {
        let file = LibraryFile::named(name).ok()?;
        let mut said = format!("**{}**: {}\n", file.path(), file.subject());
        for definition in file.definitions().iter().filter(|d| d.is_whole) {
            said.push_str(&format!("\n- `{}`: {}", definition.usage, definition.says.join(" ")));
        }
        return Some(said);
    }
    let (file, text) = load(document.name(), path).ok()?;
    let parts = parts(&text);
    let count = |kind: PartKind| parts.iter().filter(|part| part.kind == kind).count();
    Some(format!("`{file}`: properties: {}, definitions: {}.", count(PartKind::Property), count(PartKind::Let)))
}

/// A property: what it stands for, and what kind of property it is.
fn about_property(document: &Document, declared: &Declared, load: &mut Load<'_>) -> String {
    let mut said = String::new();
    let read = read_props_with(document.name(), document.text(), load).unwrap_or_default();
    let is_own = |p: &&Property| {
        p.file.as_deref() == Some(document.name())
            && declared.item.start <= p.span.start
            && p.span.end <= declared.item.end
    };
    let own: Vec<&Property> = read.iter().filter(is_own).collect();
    if let [first, rest @ ..] = own.as_slice() {
        if !matches!(first.formula, Formula::Monitor(..)) {
            let view = first.formula.view().filter(|view| *view == posetta_logic::View::Events);
            let over = if view.is_some() { " over events" } else { "" };
            said.push_str(&code(&format!("{}{over} {}", first.logic(), first.formula)));
        }
        if let Some(each) = &first.each {
            said.push_str(&format!("\n\nOne instance for each value: `{each}`."));
        }
        if !rest.is_empty() {
            said.push_str(&format!("\n\nThe first of {} that the loops make.", own.len()));
        }
        if let Some(kind) = kind(first) {
            said.push_str(&format!("\n\n{kind}"));
        }
    }
    if said.is_empty() {
        said = code(document.slice(declared.item));
    }
    with_comment(said, &declared.says)
}

fn with_comment(mut said: String, comment: &str) -> String {
    if !comment.is_empty() {
        said.push_str("\n\n");
        said.push_str(comment);
    }
    said
}

/// What kind of property it is, if that is found out quickly.
fn kind(property: &Property) -> Option<&'static str> {
    let budget = Budget::with_work(KIND.0, KIND.1);
    let mut atoms = Atoms::default();
    let linear = Linear::of(&property.formula, &mut atoms, &budget).ok()??;
    if matches!(property.formula, Formula::Monitor(..) | Formula::M2l(..)) {
        return None;
    }
    let letters = Letters::over(atoms, linear.0, &budget).ok()?;
    let found: Character = character(property, &linear.1, &letters, &budget).ok()?;
    let yes = |finding: &Finding| matches!(finding, Finding::Yes);
    let no = |finding: &Finding| matches!(finding, Finding::No(_));
    Some(match &found {
        c if yes(&c.tautology) => "**Always true**: every run satisfies it. It is probably not what was meant.",
        c if yes(&c.contradiction) => "**Never true**: no run satisfies it. It is probably not what was meant.",
        c if yes(&c.safety) && yes(&c.guarantee) => "**Decided at once**: its first position decides it.",
        c if yes(&c.safety) => "**Safety**: something bad never happens. Once violated, it stays violated.",
        c if yes(&c.guarantee) => "**Guarantee**: something good happens at last. Once satisfied, it stays satisfied.",
        c if no(&c.safety) && no(&c.guarantee) => {
            "**Neither safety nor guarantee**: in general only the whole run decides."
        }
        _ => return None,
    })
}

/// A definition of this document; at a use, also what it stands for there.
fn about_definition(
    document: &Document,
    all: &[Part],
    declared: &Declared,
    part: &Part,
    offset: usize,
    load: &mut Load<'_>,
) -> String {
    let mut said = code(document.slice(declared.item));
    if declared.kind == NameKind::Whole {
        said.push_str("\n\nA whole property: it says its logic itself, and stands alone behind `=`.");
    }
    let is_use = !(declared.span.start <= offset && offset <= declared.span.end);
    if is_use
        && let Some((token, logic)) = token_at(document.text(), part, offset)
        && declared.kind == NameKind::Definition
        && let Some(call) = call_at(document.text(), part, logic, token)
        && let Some(here) = expanded(document, all, part, document.slice(call), load)
    {
        said.push_str(&format!("\n\nHere:\n\n{}", code(&here)));
    }
    with_comment(said, &declared.says)
}

fn about_imported(found: &Definition) -> String {
    let said = format!("{}\n\nDefined in `{}`.", code(&found.item), found.file);
    with_comment(said, &found.says)
}

/// The use of a name with its arguments, and the scope behind a pattern as far as the item goes.
fn call_at(text: &str, part: &Part, logic: Logic, name: Token) -> Option<Span> {
    let span = Span::new(name.span.start, part.body.end.max(name.span.end));
    let words: Vec<Token> =
        tokens(text, span, logic).into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let mut depth = 0_usize;
    for (at, token) in words.iter().enumerate().skip(1) {
        match token.text(text) {
            "(" => depth += 1,
            ")" if depth <= 1 => return (depth == 1).then(|| with_scope(text, &words, at, span.start)),
            ")" => depth -= 1,
            _ if depth == 0 => break,
            _ => {}
        }
    }
    Some(name.span)
}

/// A call that ends with the word `last`, with its scope.
fn with_scope(text: &str, words: &[Token], last: usize, start: usize) -> Span {
    let end = words[last].span.end;
    let begins = |word: &str| matches!(word, "globally" | "before" | "after" | "between");
    if !words.get(last + 1).is_some_and(|token| begins(token.text(text))) {
        return Span::new(start, end);
    }
    let mut depth = 0_usize;
    let mut whole = end;
    for token in &words[last + 1..] {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" | "," | ";" if depth == 0 => break,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        whole = token.span.end;
    }
    Span::new(start, whole)
}

/// A formula with everything put in, in the place of an item: read as a property of its own, behind the definitions of the file. Parameters stay
/// as they are; what needs the number of a loop has no such text.
fn expanded(document: &Document, all: &[Part], part: &Part, formula: &str, load: &mut Load<'_>) -> Option<String> {
    let logic = logic_at(document.text(), part, part.body.start);
    let mut text = String::new();
    for part in all.iter().filter(|part| matches!(part.kind, PartKind::Let | PartKind::Import)) {
        text.push_str(document.slice(part.span));
        text.push('\n');
    }
    let logic = if logic == Logic::M2l { Logic::Ltl } else { logic };
    text.push_str(&format!("property \"what is asked\" = {} {formula}\n", logic.word()));
    let read = read_props_with(document.name(), &text, load).ok()?;
    read.iter().rev().find(|p| p.name.as_deref() == Some("what is asked")).map(|p| p.formula.to_string())
}

/// The comment above an item, for what is listed.
pub(crate) fn says(document: &Document, start: usize) -> String {
    comment_above(document.text(), start)
}
