//! The items of a property file with their names, parameters and formulas, as far as they are written.

use rustc_hash::FxHashMap;

use super::{Logic, Token, TokenKind, tokens};
use crate::parse::{Dialect, Parser};
use crate::pattern::Pattern;
use crate::props::items::{Item, closing, items};
use posetta_base::Span;

/// Loops inside each other beyond this are one item: the parser refuses them anyway.
const DEEPEST: usize = 50;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// `property NAME = …`
    Property,
    /// `monitor NAME { … }`
    Monitor,
    /// `event NAME, …`
    Event,
    /// `let NAME(…) = …`
    Let,
    /// `import "…"`
    Import,
    /// `foreach … { … }`
    Foreach,
    /// What stands where no item is, and is more than a comment.
    Odd,
}

/// A name and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name, without quotes.
    pub name: String,
    /// Where, with quotes.
    pub span: Span,
}

/// An item, or the part of one that is written already.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// From its first word to its last, or to the brace that closes its block.
    pub span: Span,
    /// What it is called: a property, a monitor or a definition. Of a name with an index, what stands before that.
    pub name: Option<Named>,
    /// The names of a definition's parameters, of the variable of a loop over numbers, or of declared events.
    pub parameters: Vec<Named>,
    /// The variables of a loop over values, which are used as `$k`; also of a loop inside a property or a definition.
    pub keys: Vec<Named>,
    /// The logic that it names.
    pub logic: Option<Logic>,
    /// The formula; of an item without one, what stands behind its first word.
    pub body: Span,
    /// What an import asks for.
    pub path: Option<Named>,
    /// The inside of its braces: of a loop over items, and of a monitor.
    pub block: Option<Span>,
    /// The items in the block of a loop.
    pub parts: Vec<Part>,
}

/// The items of a property file, in their order.
#[must_use]
pub fn parts(source: &str) -> Vec<Part> {
    parts_of(source, Span::new(0, source.len()), false, 0)
}

/// The items of a text, kept for the next time: what is written as before is not taken apart again. Start with an empty one.
#[derive(Clone, Debug, Default)]
pub struct PartsMemory {
    /// By what is written: where the item was, and what it is made of.
    known: FxHashMap<Box<str>, (Item, Option<Part>)>,
}

impl PartsMemory {
    /// The items of a property file, as [`parts`] has them.
    #[must_use]
    pub fn parts(&mut self, source: &str) -> Vec<Part> {
        let mut met = FxHashMap::default();
        let mut found = Vec::new();
        for item in items(source, Span::new(0, source.len()), false) {
            let end = item.block.map_or(item.span.end, |block| block.end + 1);
            let written = &source[item.span.start..end];
            let known = self.known.remove_entry(written).and_then(|(text, (old, mut part))| {
                let moved = |span: Span| moved(span, old.span.start, item.span.start);
                if (old.word, moved(old.span), old.block.map(moved)) != (item.word, item.span, item.block) {
                    return None;
                }
                part.iter_mut().for_each(|part| part.shift(&moved));
                Some((text, part))
            });
            let (text, part) = known.unwrap_or_else(|| (written.into(), part(source, item, 0)));
            found.extend(part.clone());
            met.insert(text, (item, part));
        }
        self.known = met;
        found
    }
}

fn moved(span: Span, from: usize, to: usize) -> Span {
    Span::new(span.start - from + to, span.end - from + to)
}

/// The first logic in which a formula without one can be read: the body of a definition. `None` if no logic can.
#[must_use]
pub fn reads_as(source: &str, body: Span) -> Option<Logic> {
    let reads = |dialect: Dialect| Parser::new(source, body, dialect).and_then(Parser::whole).is_ok();
    let all = [(Logic::Ltl, Dialect::Ltl), (Logic::Psl, Dialect::PSL), (Logic::Ctl, Dialect::Ctl)];
    all.into_iter().find(|(_, dialect)| reads(*dialect)).map(|(logic, _)| logic)
}

fn parts_of(source: &str, span: Span, in_block: bool, depth: usize) -> Vec<Part> {
    let found = items(source, span, in_block).into_iter();
    found.filter_map(|item| part(source, item, depth)).collect()
}

/// `None` for blanks and comments.
fn part(source: &str, item: Item, depth: usize) -> Option<Part> {
    let mut words = Words::of(source, item.span);
    let first = words.here()?;
    let kind = match item.word {
        None => PartKind::Odd,
        Some("property") => PartKind::Property,
        Some("monitor") => PartKind::Monitor,
        Some("event") => PartKind::Event,
        Some("let") => PartKind::Let,
        Some("import") => PartKind::Import,
        Some(_) => PartKind::Foreach,
    };
    let end = match item.block {
        Some(block) => block.end + 1,
        None => words.all.last().map_or(item.span.end, |last| last.span.end),
    };
    let span = Span::new(first.span.start, end);
    let mut part = Part {
        kind,
        span,
        name: None,
        parameters: Vec::new(),
        keys: Vec::new(),
        logic: None,
        body: Span::new(span.end, span.end),
        path: None,
        block: item.block,
        parts: Vec::new(),
    };
    if kind == PartKind::Odd {
        part.body = span;
        return Some(part);
    }
    // `some monitor` has two words.
    words.eat_any(&["some", "every"]);
    words.advance();
    part.body = Span::new(words.start(), words.end);
    match kind {
        PartKind::Property => {
            part.name = words.name();
            words.until("=");
            part.formula(&mut words);
        }
        PartKind::Let => {
            part.name = words.name();
            if words.eat("(") {
                part.parameters = words.names_until(")");
            }
            words.until("=");
            part.formula(&mut words);
        }
        PartKind::Monitor => {
            part.name = words.name();
            part.body = part.block.unwrap_or(part.body);
        }
        PartKind::Event => part.parameters = words.names_until(""),
        PartKind::Import => part.path = words.name(),
        PartKind::Foreach => {
            let variables = words.loop_variables();
            match words.is_over_values() {
                true => part.keys = variables,
                false => part.parameters = variables,
            }
            if let Some(block) = part.block.filter(|_| depth < DEEPEST) {
                part.parts = parts_of(source, block, true, depth + 1);
            }
        }
        PartKind::Odd => {}
    }
    Some(part)
}

impl Part {
    /// Puts it where its text is now.
    fn shift(&mut self, moved: &impl Fn(Span) -> Span) {
        let Self { kind: _, span, name, parameters, keys, logic: _, body, path, block, parts } = self;
        let names = name.iter_mut().chain(parameters).chain(keys).chain(path);
        let places = names.map(|named| &mut named.span).chain([span, body]).chain(block);
        places.for_each(|place| *place = moved(*place));
        parts.iter_mut().for_each(|part| part.shift(moved));
    }

    /// What stands behind the `=`: a loop over values, whether it asks for some order, the logic, the view, the formula.
    fn formula(&mut self, words: &mut Words<'_>) {
        self.body = Span::new(words.start(), self.span.end);
        if words.eat("foreach") {
            self.keys = words.loop_variables();
            words.until("{");
            let close = words.before().and_then(|open| closing(&words.source[..self.span.end], open.span.start));
            let end = close.unwrap_or(self.span.end);
            *words = Words::of(words.source, Span::new(words.start().min(end), end));
            self.body = Span::new(words.start().min(end), end);
        }
        let end = self.body.end;
        words.eat_any(&["some", "every"]);
        self.logic = words.here().and_then(|token| Logic::called(token.text(words.source)));
        if self.logic.is_some() {
            words.advance();
            if words.is("over") && words.is_next(&["states", "events"]) {
                words.advance();
                words.advance();
            }
        } else if words.here().is_some_and(|token| Pattern::named(token.text(words.source)).is_some()) {
            // A property that begins with a pattern is LTL.
            self.logic = (self.kind == PartKind::Property).then_some(Logic::Ltl);
        }
        let start = words.start().min(end);
        self.body = Span::new(start, start + words.source[start..end].trim_end().len());
    }
}

/// The words of the head of an item, without comments.
struct Words<'t> {
    source: &'t str,
    all: Vec<Token>,
    at: usize,
    end: usize,
}

impl<'t> Words<'t> {
    fn of(source: &'t str, span: Span) -> Self {
        let mut all = tokens(source, span, Logic::Ltl);
        all.retain(|token| token.kind != TokenKind::Comment);
        let end = all.last().map_or(span.end, |last| last.span.end);
        Self { source, all, at: 0, end }
    }

    fn here(&self) -> Option<Token> {
        self.all.get(self.at).copied()
    }

    fn before(&self) -> Option<Token> {
        self.all.get(self.at.checked_sub(1)?).copied()
    }

    /// Where the word in hand begins.
    fn start(&self) -> usize {
        self.here().map_or(self.end, |token| token.span.start)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn is(&self, text: &str) -> bool {
        self.here().is_some_and(|token| token.text(self.source) == text)
    }

    fn is_next(&self, texts: &[&str]) -> bool {
        self.all.get(self.at + 1).is_some_and(|token| texts.contains(&token.text(self.source)))
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn eat_any(&mut self, texts: &[&str]) {
        if texts.iter().any(|text| self.is(text)) {
            self.advance();
        }
    }

    /// Goes behind the next such word.
    fn until(&mut self, text: &str) {
        while self.here().is_some() && !self.eat(text) {
            self.advance();
        }
    }

    /// The name in hand, if there is one.
    fn name(&mut self) -> Option<Named> {
        let token = self.here()?;
        let text = token.text(self.source);
        let name = match token.kind {
            TokenKind::Name => text.to_owned(),
            TokenKind::Text => {
                text.get(1..text.len() - 1).unwrap_or_default().replace("\\\"", "\"").replace("\\\\", "\\")
            }
            _ => return None,
        };
        self.advance();
        Some(Named { name, span: token.span })
    }

    /// The names up to a word, or up to the end.
    fn names_until(&mut self, end: &str) -> Vec<Named> {
        let mut names = Vec::new();
        while self.here().is_some() && !self.eat(end) {
            match self.name() {
                Some(name) => names.push(name),
                None => self.advance(),
            }
        }
        names
    }

    /// The variables of a loop, up to `in`.
    fn loop_variables(&mut self) -> Vec<Named> {
        self.names_until("in")
    }

    /// Whether the domain in hand is one of values that a run has.
    fn is_over_values(&self) -> bool {
        self.is("processes") || self.is("values") && self.is_next(&["("])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Vec<String> {
        fn show(source: &str, part: &Part) -> String {
            let names = |all: &[Named]| all.iter().map(|n| n.name.as_str()).collect::<Vec<_>>().join(",");
            let name = part.name.as_ref().or(part.path.as_ref()).map_or("", |n| n.name.as_str());
            let logic = part.logic.map_or("", Logic::word);
            let inside: Vec<String> = part.parts.iter().map(|p| show(source, p)).collect();
            let body = &source[part.body.start..part.body.end];
            let (parameters, keys) = (names(&part.parameters), names(&part.keys));
            format!("{:?} {name}({parameters})${keys} {logic} <{}> [{}]", part.kind, body.trim(), inside.join("; "))
        }
        parts(source).iter().map(|part| show(source, part)).collect()
    }

    #[test]
    fn items_are_taken_apart() {
        let source = "// c\nimport \"std/mutex\"\nevent a, \"b c\"\nlet e(i) = s[i] == 1 // d\nlet w = some psl over events {a}\n\
                      property p[i] = ltl over events\n  G x // c\n// next\nproperty q = foreach k in values(o) { ctl AG x } \n\
                      property r = mutex(a, b)\nproperty s = over\nforeach i, j in 0..n {\n  property t = m2l ex1 p: p in `a`\n}\n\
                      foreach n in processes { monitor m over states { initial a } }\nsome monitor m { }";
        assert_eq!(
            shown(source),
            [
                "Import std/mutex()$  <\"std/mutex\"> []",
                "Event (a,b c)$  <a, \"b c\"> []",
                "Let e(i)$  <s[i] == 1> []",
                "Let w()$ psl <{a}> []",
                "Property p()$ ltl <G x> []",
                "Property q()$k ctl <AG x> []",
                "Property r()$ ltl <mutex(a, b)> []",
                "Property s()$  <over> []",
                "Foreach (i,j)$  <i, j in 0..n> [Property t()$ m2l <ex1 p: p in `a`> []]",
                "Foreach ()$n  <n in processes> [Monitor m()$  <initial a> []]",
                "Monitor m()$  <> []",
            ]
        );
    }

    #[test]
    fn what_is_not_written_yet_is_left_out() {
        for source in [
            "let",
            "let ",
            "let a(",
            "property",
            "property p",
            "property p =",
            "property p = foreach",
            "import",
            "import \"",
            "foreach i in",
            "monitor",
            "some monitor ",
            "event",
            "x",
            "property p = foreach k in values(a) {",
        ] {
            assert_eq!(parts(source).len(), 1, "{source}");
        }
        assert!(parts("").is_empty() && parts(" // c\n").is_empty());
    }

    #[test]
    fn a_definition_is_read_by_the_first_logic_that_can() {
        for (text, logic) in [
            ("x == 1", Some(Logic::Ltl)),
            ("{a; b[*]}", Some(Logic::Psl)),
            ("A[p U q]", Some(Logic::Ctl)),
            ("x ==", None),
        ] {
            assert_eq!(reads_as(text, Span::new(0, text.len())), logic, "{text}");
        }
    }
}
