//! What can stand at a place.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::document::{Document, Language};
use crate::explain::{logic_at, part_at};
use crate::imports::{definitions, imported};
use crate::lines::{Position, Range};
use crate::names::{NameKind, Names};
use crate::sys;
use crate::vocabulary::Vocabulary;
use posetta_base::Span;
use posetta_logic::written::words::{self, Word};
use posetta_logic::written::{Logic, Part, PartKind, Token, TokenKind, tokens};
use posetta_logic::{LIBRARY, Load};

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// An operator.
    Operator,
    /// A pattern or a definition with parameters.
    Function,
    /// A definition, a parameter, a loop variable.
    Name,
    /// A variable of a run.
    Variable,
    /// The name of an event or a process.
    Event,
    /// A value.
    Value,
    /// A file.
    File,
    /// The beginning of an item.
    Snippet,
}

/// Something that can stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// As it is listed.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// How it is used, or where it comes from; may be empty.
    pub detail: String,
    /// What it means; may be empty.
    pub says: String,
    /// What is put in. With `is_snippet`, `${1:name}` is a place to fill in.
    pub insert: String,
    /// Whether it has such places.
    pub is_snippet: bool,
    /// What it takes the place of: the part of a word that is written.
    pub range: Range,
}

/// Everything that can stand at a place, in the order in which it is offered. The editor leaves out what does not begin as the word there.
pub fn completions(
    document: &Document,
    position: Position,
    load: &mut Load<'_>,
    vocabulary: Option<&Vocabulary>,
) -> Vec<Completion> {
    let offset = document.offset(position);
    match document.language {
        Language::Sys => sys::completions(document, offset),
        Language::Props => Completer::new(document, offset, vocabulary).all(load),
    }
}

/// Gathers completions that take the place of one word.
pub(crate) struct List {
    range: Range,
    found: Vec<Completion>,
}

impl List {
    pub(crate) fn new(range: Range) -> Self {
        Self { range, found: Vec::new() }
    }

    pub(crate) fn finish(self) -> Vec<Completion> {
        self.found
    }

    pub(crate) fn push(&mut self, label: &str, kind: CompletionKind, detail: &str, says: &str, insert: Option<&str>) {
        if self.found.iter().any(|known| known.label == label && known.kind == kind) {
            return;
        }
        self.found.push(Completion {
            label: label.to_owned(),
            kind,
            detail: detail.to_owned(),
            says: says.to_owned(),
            insert: insert.unwrap_or(label).to_owned(),
            is_snippet: insert.is_some(),
            range: self.range,
        });
    }

    pub(crate) fn words(&mut self, words: &[Word], kind: CompletionKind) {
        for word in words {
            self.push(word.text, kind, word.usage, word.says, None);
        }
    }

    /// Something with parameters.
    fn call(&mut self, name: &str, parameters: &[String], detail: &str, says: &str) {
        match parameters {
            [] => self.push(name, CompletionKind::Name, detail, says, None),
            _ => self.push(name, CompletionKind::Function, detail, says, Some(&snippet(name, parameters, ", "))),
        }
    }
}

/// A call with places for the arguments.
fn snippet(name: &str, parameters: &[String], separator: &str) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
    let places: Vec<String> = parameters
        .iter()
        .enumerate()
        .map(|(at, parameter)| format!("${{{}:{}}}", at + 1, escaped(parameter)))
        .collect();
    format!("{}({})", escaped(name), places.join(separator))
}

/// The same for a pattern, by its usage.
fn pattern_snippet(usage: &str) -> String {
    let (name, rest) = usage.split_once('(').unwrap_or((usage, ""));
    let inside = rest.trim_end_matches(')').replace(", …", "");
    let separator = if inside.contains(';') { "; " } else { ", " };
    let parameters: Vec<String> = inside.split(separator).map(|p| p.trim().to_owned()).collect();
    snippet(name, &parameters, separator)
}

/// Whether a character belongs to the word that is being written.
pub(crate) fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

struct Completer<'a> {
    document: &'a Document,
    offset: usize,
    /// Where the word begins that is being written.
    start: usize,
    vocabulary: Option<&'a Vocabulary>,
    parts: Arc<[Part]>,
    names: OnceCell<Names>,
}

impl<'a> Completer<'a> {
    fn new(document: &'a Document, offset: usize, vocabulary: Option<&'a Vocabulary>) -> Self {
        let before = &document.text()[..offset];
        let start = before.trim_end_matches(is_inside).len();
        // A key begins with its sign.
        let start = if before[..start].ends_with('$') { start - 1 } else { start };
        Self { document, offset, start, vocabulary, parts: document.parts(), names: OnceCell::new() }
    }

    fn text(&self) -> &'a str {
        self.document.text()
    }

    /// What this document declares; the work is done when it is asked for.
    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::declared_in(self.text(), &self.parts))
    }

    fn list_from(&self, start: usize) -> List {
        List::new(self.document.range(Span::new(start, self.offset)))
    }

    fn all(&self, load: &mut Load<'_>) -> Vec<Completion> {
        let text = self.text();
        let line_start = text[..self.offset].rfind('\n').map_or(0, |at| at + 1);
        let mut list = self.list_from(self.start);
        let starts_line = text[line_start..self.start].trim().is_empty();
        let part = part_at(&self.parts, self.start);
        let Some(part) = part else {
            if starts_line && self.start == line_start {
                items(&mut list);
            }
            return list.finish();
        };
        let before = self.words_before(part);
        // A comment goes to the end of its line.
        if before.last().is_some_and(|token| token.kind == TokenKind::Comment && token.span.start >= line_start) {
            return Vec::new();
        }
        if let Some(open) = open_string(text, line_start, self.offset) {
            return self.in_string(part, open);
        }
        let in_block =
            part.kind == PartKind::Foreach && part.block.is_some_and(|b| b.start <= self.start && self.start <= b.end);
        let is_top = self.start == line_start;
        if starts_line && (is_top || in_block || self.is_in_block(part)) {
            items(&mut list);
            if is_top || in_block {
                return list.finish();
            }
        }
        match part.kind {
            PartKind::Property | PartKind::Let => self.in_formula(&mut list, part, &before, load),
            PartKind::Monitor => self.in_monitor(&mut list, part, &before, load),
            PartKind::Foreach => list.words(words::LOOPS, CompletionKind::Keyword),
            PartKind::Event => self.events(&mut list),
            PartKind::Import | PartKind::Odd => {}
        }
        list.finish()
    }

    /// Whether an item stands in the block of a loop.
    fn is_in_block(&self, part: &Part) -> bool {
        !self.parts.iter().any(|top| top.span == part.span)
    }

    /// The words of an item up to the one that is being written.
    fn words_before(&self, part: &Part) -> Vec<Token> {
        let text = self.text();
        let body = part.body.start.min(self.start);
        let logic = logic_at(text, part, part.body.start);
        let mut all = tokens(text, Span::new(part.span.start.min(body), body), Logic::Ltl);
        all.extend(tokens(text, Span::new(body, self.start), logic));
        all
    }

    /// Inside of quotes: the path of an import, a value, a name of the run.
    fn in_string(&self, part: &Part, open: usize) -> Vec<Completion> {
        let mut list = self.list_from(open + 1);
        if part.kind == PartKind::Import {
            for file in LIBRARY {
                list.push(&file.path(), CompletionKind::File, "library of properties", &file.subject(), None);
            }
            return list.finish();
        }
        let Some(known) = self.vocabulary else { return Vec::new() };
        let inside = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
        let before = self.text()[..open].trim_end();
        let names = if before.ends_with("event(") || part.kind == PartKind::Event {
            &known.events
        } else if before.ends_with("process(") {
            &known.processes
        } else {
            let values = self.compared(before).into_iter().flat_map(|variable| variable.values.iter());
            for value in values.filter_map(|value| value.strip_prefix('"')?.strip_suffix('"')) {
                list.push(value, CompletionKind::Value, &known.source, "", None);
            }
            return list.finish();
        };
        for name in names {
            list.push(&inside(name), CompletionKind::Event, &known.source, "", None);
        }
        list.finish()
    }

    /// The variable that is compared with what comes next.
    fn compared(&self, before: &str) -> Option<&'a crate::vocabulary::Variable> {
        let name = before.strip_suffix("==").or_else(|| before.strip_suffix("!="))?.trim_end();
        let is_part = |c: char| is_inside(c) || matches!(c, '[' | ']');
        let name = &name[name.trim_end_matches(is_part).len()..];
        self.vocabulary?.variables.iter().find(|variable| variable.name == name)
    }

    fn events(&self, list: &mut List) {
        for name in self.vocabulary.into_iter().flat_map(|known| &known.events) {
            let source = self.vocabulary.map_or("", |known| known.source.as_str());
            list.push(name, CompletionKind::Event, source, "", quoted(name).as_deref());
        }
    }

    fn in_formula(&self, list: &mut List, part: &Part, before: &[Token], load: &mut Load<'_>) {
        let text = self.text();
        let words: Vec<&str> =
            before.iter().filter(|t| t.kind != TokenKind::Comment).map(|token| token.text(text)).collect();
        let last = words.last().copied().unwrap_or_default();
        let equals = words.iter().position(|word| *word == "=");
        // Before the `=` stand names that nobody has thought of yet.
        let Some(equals) = equals else { return };
        let behind: Vec<&str> = words[equals + 1..].to_vec();
        if last == "over" {
            list.words(&words::VIEWS[1..], CompletionKind::Keyword);
            return;
        }
        if last == "in" && behind.contains(&"foreach") && !behind.contains(&"{") {
            list.words(&words::LOOPS[1..], CompletionKind::Keyword);
            return;
        }
        let is_first = matches!(last, "=" | "some" | "every") && behind.len() <= 1
            || last == "{" && behind.first() == Some(&"foreach") && behind.iter().filter(|w| **w == "{").count() == 1;
        let logic = logic_at(text, part, part.body.start);
        if is_first {
            if last != "some" && last != "every" {
                list.words(words::QUANTIFIERS, CompletionKind::Keyword);
                if last == "=" {
                    list.words(&words::ITEMS[4..5], CompletionKind::Keyword);
                }
            }
            list.words(words::LOGICS, CompletionKind::Keyword);
            if part.kind == PartKind::Property {
                patterns(list);
                self.definitions(list, true, load);
                return;
            }
        }
        if part.logic.is_some_and(|logic| logic.word() == last) && logic != Logic::Ctl {
            list.words(&words::VIEWS[..1], CompletionKind::Keyword);
        }
        if logic == Logic::M2l && !self.in_backquotes() {
            list.words(words::operators(logic), CompletionKind::Operator);
            return;
        }
        self.operands(list, if logic == Logic::M2l { Logic::Ltl } else { logic }, &words, load);
    }

    fn in_backquotes(&self) -> bool {
        let line = self.text()[..self.offset].rsplit('\n').next().unwrap_or_default();
        line.matches('`').count() % 2 == 1
    }

    fn in_monitor(&self, list: &mut List, part: &Part, before: &[Token], load: &mut Load<'_>) {
        let text = self.text();
        let words: Vec<&str> = before.iter().map(|token| token.text(text)).collect();
        let last = words.last().copied().unwrap_or_default();
        if last == "over" {
            list.words(&words::VIEWS[1..], CompletionKind::Keyword);
        } else if part.block.is_none_or(|block| block.start > self.start) {
            list.words(&words::VIEWS[..1], CompletionKind::Keyword);
        } else if last == "otherwise" {
            list.words(&words::MONITORS[3..], CompletionKind::Keyword);
        } else {
            let line = text[..self.start].rsplit(['\n', ';', '{']).next().unwrap_or_default();
            if line.trim().is_empty() {
                list.words(&words::MONITORS[..3], CompletionKind::Keyword);
            } else if line.contains(':') {
                self.operands(list, Logic::Ltl, &words, load);
            }
        }
    }

    /// What a formula is made of.
    fn operands(&self, list: &mut List, logic: Logic, before: &[&str], load: &mut Load<'_>) {
        let source = self.vocabulary.map_or("", |known| known.source.as_str());
        let (last, second) = (before.last().copied().unwrap_or_default(), before.iter().rev().nth(1).copied());
        if last == "(" && matches!(second, Some("event" | "process" | "enabled")) {
            match second {
                Some("process") => {
                    for name in self.vocabulary.into_iter().flat_map(|known| &known.processes) {
                        list.push(name, CompletionKind::Event, source, "", quoted(name).as_deref());
                    }
                }
                _ => self.events(list),
            }
            self.locals(list);
            return;
        }
        if last == "(" && second == Some("values") || last == "," && is_in_event(before) {
            for name in self.vocabulary.into_iter().flat_map(|known| &known.attributes) {
                list.push(name, CompletionKind::Variable, source, "an attribute", variable(name).as_deref());
            }
            return;
        }
        if let Some(compared) = self.compared(self.text()[..self.start].trim_end()) {
            for value in &compared.values {
                list.push(value, CompletionKind::Value, source, "", None);
            }
        }
        self.locals(list);
        self.definitions(list, false, load);
        for known in self.vocabulary.into_iter().flat_map(|known| &known.variables) {
            list.push(
                &known.name,
                CompletionKind::Variable,
                source,
                &known.values.join(", "),
                variable(&known.name).as_deref(),
            );
        }
        for word in words::ATOMS {
            let insert = match word.text {
                "on" => Some("on(${1:condition})"),
                "event" => Some("event(${1:name})"),
                "process" => Some("process(${1:name})"),
                "prev" => Some("prev(${1:variable})"),
                "enabled" => Some("enabled(${1:name})"),
                _ => None,
            };
            list.push(word.text, CompletionKind::Keyword, word.usage, word.says, insert);
        }
        let letters = |word: &&Word| word.text.starts_with(char::is_alphabetic);
        for word in words::operators(logic).iter().filter(letters) {
            list.push(word.text, CompletionKind::Operator, word.usage, word.says, None);
        }
        if logic != Logic::Ctl {
            patterns(list);
            if last == ")" || before.contains(&"between") || before.contains(&"after") {
                list.words(words::SCOPES, CompletionKind::Keyword);
            }
        }
    }

    /// Parameters, loop variables and keys.
    fn locals(&self, list: &mut List) {
        for declared in self.names().visible(self.start) {
            match declared.kind {
                NameKind::Parameter => list.push(&declared.name, CompletionKind::Name, "parameter", "", None),
                NameKind::LoopVariable => list.push(&declared.name, CompletionKind::Name, "loop variable", "", None),
                NameKind::Key => {
                    let label = format!("${}", declared.name);
                    let says = "the value that an instance is about";
                    list.push(&label, CompletionKind::Name, says, "", Some(&format!("\\${}", declared.name)));
                }
                NameKind::Definition | NameKind::Whole | NameKind::Property => {}
            }
        }
    }

    /// Definitions: those that are whole properties, or the others.
    fn definitions(&self, list: &mut List, whole: bool, load: &mut Load<'_>) {
        let wanted = if whole { NameKind::Whole } else { NameKind::Definition };
        let usage = |name: &str, parameters: &[String]| match parameters {
            [] => name.to_owned(),
            _ => format!("{name}({})", parameters.join(", ")),
        };
        for declared in self.names().visible(self.start).filter(|declared| declared.kind == wanted) {
            list.call(
                &declared.name,
                &declared.parameters,
                &usage(&declared.name, &declared.parameters),
                &declared.says,
            );
        }
        let files = imported(self.document.name(), &self.parts, load);
        for found in definitions(&files).iter().filter(|found| found.is_whole == whole) {
            let from = if found.is_library { found.file.trim_end_matches(".props") } else { &found.file };
            let detail = format!("{} ({from})", usage(&found.name, &found.parameters));
            list.call(&found.name, &found.parameters, &detail, &found.says);
        }
    }
}

/// Whether the words end inside of the parentheses of an event.
fn is_in_event(words: &[&str]) -> bool {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().rev() {
        match *word {
            ")" => depth += 1,
            "(" if depth == 0 => return at > 0 && words[at - 1] == "event",
            "(" => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Where the string begins that is open at a byte of a line.
fn open_string(text: &str, line_start: usize, offset: usize) -> Option<usize> {
    let mut open = None;
    let mut escaped = false;
    for (at, c) in text[line_start..offset].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if open.is_some() => escaped = true,
            '"' => open = if open.is_some() { None } else { Some(line_start + at) },
            _ => {}
        }
    }
    open
}

/// A name of an event or a process, in quotes if it needs them. As a snippet.
fn quoted(name: &str) -> Option<String> {
    let plain = name.chars().all(is_inside) && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (!plain).then(|| format!("\"{}\"", escaped(name)))
}

/// A variable that is not one plain word. As a snippet.
fn variable(name: &str) -> Option<String> {
    let reads = posetta_logic::parse_guard(name).is_ok();
    (!reads).then(|| format!("\\$\"{}\"", escaped(name)))
}

fn escaped(name: &str) -> String {
    let text = name.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

fn patterns(list: &mut List) {
    for pattern in words::patterns() {
        let insert = pattern_snippet(pattern.usage);
        list.push(pattern.name, CompletionKind::Function, pattern.usage, pattern.says, Some(&insert));
    }
}

/// What an item begins with.
fn items(list: &mut List) {
    for word in words::ITEMS {
        let insert = match word.text {
            "property" => "property ${1:name} = ${2:ltl} $0",
            "let" => "let ${1:name} = $0",
            "import" => "import \"${1:std/}\"",
            "event" => "event ${1:name}",
            "foreach" => "foreach ${1:i} in ${2:0..4} {\n  $0\n}",
            _ => "monitor ${1:name} {\n  initial ${2:start}\n  bad ${3:end}\n  $2 -> $3: $0\n}",
        };
        list.push(word.text, CompletionKind::Snippet, word.usage, word.says, Some(insert));
    }
    list.push("some", CompletionKind::Keyword, "some monitor NAME { … }", words::QUANTIFIERS[0].says, None);
}
