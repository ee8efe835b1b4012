//! What the words of a property file mean: definitions, parameters, loop variables, keys, and where each is used.
//!
//! A word means, in this order: a parameter, a loop variable, a definition, a variable of the run. A definition is visible in its block and in
//! the blocks inside, also before it. Only what this document declares is here; see [`super::imports`] for other files.

use rustc_hash::FxHashMap;

use crate::document::{Document, comment_above};
use crate::imports::is_whole;
use posetta_base::Span;
use posetta_logic::written::words::operators;
use posetta_logic::written::{Logic, Named, Part, PartKind, Token, TokenKind, reads_as, tokens};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    Definition,
    /// A definition that is a whole property.
    Whole,
    Parameter,
    /// The variable of a loop over numbers.
    LoopVariable,
    /// The variable of a loop over values.
    Key,
    Property,
}

/// A name that this document declares.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) kind: NameKind,
    pub(crate) name: String,
    /// Where it is declared.
    pub(crate) span: Span,
    /// The item that declares it, or that it is a parameter of.
    pub(crate) item: Span,
    /// Where it can be used.
    pub(crate) scope: Span,
    pub(crate) parameters: Vec<String>,
    /// The comment above it.
    pub(crate) says: String,
}

/// All names of a document and their uses.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) declared: Vec<Declared>,
    /// A place, and what is used there; ascending.
    pub(crate) uses: Vec<(Span, usize)>,
    /// Words of formulas that nothing in this document declares: names of other files, or variables; ascending.
    pub(crate) free: Vec<Span>,
}

impl Names {
    /// The names of a document.
    pub(crate) fn of(document: &Document) -> Self {
        Self::in_parts(document.text(), &document.parts())
    }

    /// The same, once it is cut.
    pub(crate) fn in_parts(text: &str, parts: &[Part]) -> Self {
        let mut names = Self::walk(text, parts, true);
        names.uses.sort_by_key(|(span, _)| span.start);
        names.free.sort_by_key(|span| span.start);
        names
    }

    /// The names without their uses.
    pub(crate) fn declared_in(text: &str, parts: &[Part]) -> Self {
        Self::walk(text, parts, false)
    }

    fn walk(text: &str, parts: &[Part], uses: bool) -> Self {
        let (names, visible) = (Self::default(), Vec::new());
        let mut walk = Walk { text, uses, names, visible, by_name: FxHashMap::default() };
        walk.block(parts, Span::new(0, text.len()));
        walk.names
    }

    /// What is declared or used at a byte, and the place of the word.
    pub(crate) fn at(&self, offset: usize) -> Option<(usize, Span)> {
        let touches = |span: &Span| span.start <= offset && offset <= span.end;
        let used = self.uses.iter().find(|(span, _)| touches(span)).map(|&(span, id)| (id, span));
        used.or_else(|| self.declared.iter().position(|d| touches(&d.span)).map(|id| (id, self.declared[id].span)))
    }

    /// Every place of a name, its declaration first.
    pub(crate) fn places(&self, id: usize) -> Vec<Span> {
        let uses = self.uses.iter().filter(|(_, used)| *used == id).map(|(span, _)| *span);
        std::iter::once(self.declared[id].span).chain(uses).collect()
    }

    /// What can be used at a byte, the innermost first.
    pub(crate) fn visible(&self, offset: usize) -> impl Iterator<Item = &Declared> {
        let inside =
            move |d: &&Declared| d.scope.start <= offset && offset <= d.scope.end && d.kind != NameKind::Property;
        self.declared.iter().rev().filter(inside)
    }
}

/// How much a word can mean where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Anything.
    All,
    /// A parameter or a loop variable: the name of an event, a process or an attribute, an index.
    Local,
}

struct Walk<'t> {
    text: &'t str,
    /// Whether formulas are read, too.
    uses: bool,
    names: Names,
    /// What is visible, the innermost last.
    visible: Vec<usize>,
    /// The same by name.
    by_name: FxHashMap<String, Vec<usize>>,
}

impl Walk<'_> {
    fn declare(&mut self, kind: NameKind, named: &Named, item: Span, scope: Span) -> usize {
        self.names.declared.push(Declared {
            kind,
            name: named.name.clone(),
            span: named.span,
            item,
            scope,
            parameters: Vec::new(),
            says: String::new(),
        });
        self.names.declared.len() - 1
    }

    /// From here on a name can be used.
    fn show(&mut self, id: usize) {
        self.visible.push(id);
        self.by_name.entry(self.names.declared[id].name.clone()).or_default().push(id);
    }

    /// What was shown since so many were visible cannot be used any more.
    fn hide(&mut self, outside: usize) {
        for id in self.visible.drain(outside..).rev() {
            if let Some(same) = self.by_name.get_mut(&self.names.declared[id].name) {
                same.pop();
            }
        }
    }

    fn block(&mut self, parts: &[Part], scope: Span) {
        let outside = self.visible.len();
        for part in parts.iter().filter(|part| part.kind == PartKind::Let) {
            let Some(name) = &part.name else { continue };
            let kind = if is_whole(part) { NameKind::Whole } else { NameKind::Definition };
            let id = self.declare(kind, name, part.span, scope);
            self.names.declared[id].parameters = part.parameters.iter().map(|p| p.name.clone()).collect();
            self.names.declared[id].says = comment_above(self.text, part.span.start);
            self.show(id);
        }
        for (at, part) in parts.iter().enumerate() {
            // What is about to be written behind an item belongs to it.
            let end = parts.get(at + 1).map_or(scope.end, |next| next.span.start);
            self.part(part, end);
        }
        self.hide(outside);
    }

    fn part(&mut self, part: &Part, end: usize) {
        let outside = self.visible.len();
        let inside = match part.kind {
            // What it declares is not to be used in its head.
            PartKind::Foreach => part.block.unwrap_or(Span::new(part.span.end, part.span.end)),
            _ => Span::new(part.span.start, end),
        };
        let kind = match part.kind {
            PartKind::Let => Some(NameKind::Parameter),
            PartKind::Foreach => Some(NameKind::LoopVariable),
            _ => None,
        };
        if part.kind == PartKind::Foreach {
            self.head(part.body, &part.parameters, &part.keys);
        }
        if let Some(kind) = kind {
            for parameter in &part.parameters {
                let id = self.declare(kind, parameter, part.span, inside);
                self.show(id);
            }
        }
        for key in &part.keys {
            let id = self.declare(NameKind::Key, key, part.span, inside);
            self.show(id);
        }
        match part.kind {
            PartKind::Property | PartKind::Let => {
                if let Some(name) = &part.name {
                    if part.kind == PartKind::Property {
                        let id = self.declare(NameKind::Property, name, part.span, part.span);
                        self.names.declared[id].says = comment_above(self.text, part.span.start);
                    }
                    let head = Span::new(name.span.end, part.body.start.max(name.span.end));
                    self.head(head, &part.parameters, &part.keys);
                }
                if self.uses {
                    let logic = part.logic.or_else(|| reads_as(self.text, part.body)).unwrap_or(Logic::Ltl);
                    self.formula(part.body, logic);
                }
            }
            PartKind::Monitor => {
                if let Some(name) = &part.name {
                    let id = self.declare(NameKind::Property, name, part.span, part.span);
                    self.names.declared[id].says = comment_above(self.text, part.span.start);
                }
                if let Some(block) = part.block.filter(|_| self.uses) {
                    self.monitor(block);
                }
            }
            PartKind::Foreach => self.block(&part.parts, inside),
            PartKind::Event | PartKind::Import | PartKind::Odd => {}
        }
        self.hide(outside);
    }

    /// Indices of names, bounds of loops, attributes.
    fn head(&mut self, span: Span, parameters: &[Named], keys: &[Named]) {
        if !self.uses {
            return;
        }
        let declared = |token: &Token| parameters.iter().chain(keys).any(|named| named.span == token.span);
        let words = tokens(self.text, span, Logic::Ltl);
        for token in words.iter().filter(|token| token.kind == TokenKind::Name && !declared(token)) {
            self.word(token.span, Reach::Local, true);
        }
    }

    fn formula(&mut self, span: Span, logic: Logic) {
        let words = tokens(self.text, span, logic);
        if logic == Logic::M2l {
            for token in words {
                match token.kind {
                    TokenKind::Name => self.word(token.span, Reach::Local, true),
                    TokenKind::Atom => {
                        let inside = Span::new(token.span.start + 1, token.span.end - 1);
                        self.formula(inside, Logic::Ltl);
                    }
                    _ => {}
                }
            }
            return;
        }
        let words: Vec<Token> = words.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
        self.words(&words, logic);
    }

    /// Guards of a monitor: what stands behind the colon of a statement.
    fn monitor(&mut self, block: Span) {
        let words = tokens(self.text, block, Logic::Ltl);
        let words: Vec<Token> = words.into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
        let mut guard: Vec<Token> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            // A line, or a part of one.
            let mut end = at + 1;
            while end < words.len()
                && words[end - 1].text(self.text) != ";"
                && !self.text[words[end - 1].span.end..words[end].span.start].contains('\n')
            {
                end += 1;
            }
            let line = &words[at..end];
            let first = line[0].text(self.text);
            match line.iter().position(|token| token.text(self.text) == ":") {
                Some(colon) => {
                    self.words(&std::mem::take(&mut guard), Logic::Ltl);
                    guard = line[colon + 1..].to_vec();
                }
                None if matches!(first, "initial" | "bad" | "otherwise") => {
                    self.words(&std::mem::take(&mut guard), Logic::Ltl);
                }
                None => guard.extend_from_slice(line),
            }
            at = end;
        }
        self.words(&guard, Logic::Ltl);
    }

    fn words(&mut self, words: &[Token], logic: Logic) {
        // For every parenthesis whether it is that of an event, and whether a name of the run stands next.
        let mut open: Vec<Option<bool>> = Vec::new();
        for (at, token) in words.iter().enumerate() {
            let text = token.text(self.text);
            let next = words.get(at + 1).map(|next| (next.text(self.text), next.span.start == token.span.end));
            let before = at.checked_sub(1).map(|before| words[before].text(self.text));
            match token.kind {
                TokenKind::Sign => match text {
                    "(" => open.push(matches!(before, Some("event" | "process" | "enabled")).then_some(true)),
                    ")" => drop(open.pop()),
                    "," => open.iter_mut().rev().take(1).flatten().for_each(|name| *name = true),
                    "==" | "=" | "!=" | "<" | "<=" | ">" | ">=" => {
                        open.iter_mut().rev().take(1).flatten().for_each(|name| *name = false);
                    }
                    _ => {}
                },
                TokenKind::Name if before == Some(".") => {}
                TokenKind::Name if operators(logic).iter().any(|word| word.text == text) => {}
                TokenKind::Name => {
                    let reach = if open.last() == Some(&Some(true)) { Reach::Local } else { Reach::All };
                    let is_alone = next != Some(("[", true)) && !text.contains(['.', '[']);
                    self.word(token.span, reach, is_alone);
                }
                TokenKind::Key => self.key(token.span),
                _ => {}
            }
        }
    }

    /// A word that may have a meaning; `is_alone` if no path or index continues it.
    fn word(&mut self, span: Span, reach: Reach, is_alone: bool) {
        let text = &self.text[span.start..span.end];
        let head = &text[..text.find(['.', '[']).unwrap_or(text.len())];
        let names = &self.names;
        let meant = self.by_name.get(head).into_iter().flatten().rev().copied();
        // A parameter goes before a loop variable, and that before a definition.
        let best = meant.filter(|&id| match names.declared[id].kind {
            NameKind::Parameter => true,
            NameKind::LoopVariable => is_alone,
            NameKind::Definition | NameKind::Whole => is_alone && reach == Reach::All,
            NameKind::Key | NameKind::Property => false,
        });
        let rank = |id: usize| match names.declared[id].kind {
            NameKind::Parameter => 0,
            NameKind::LoopVariable => 1,
            _ => 2,
        };
        // Of equals the first is the innermost.
        match best.min_by_key(|&id| rank(id)) {
            Some(id) => self.names.uses.push((Span::new(span.start, span.start + head.len()), id)),
            None if reach == Reach::All => self.names.free.push(span),
            None => {}
        }
    }

    /// `$k`
    fn key(&mut self, span: Span) {
        let name = &self.text[span.start + 1..span.end];
        let same = self.by_name.get(name).into_iter().flatten().rev().copied();
        if let Some(id) = same.into_iter().find(|&id| self.names.declared[id].kind == NameKind::Key) {
            self.names.uses.push((Span::new(span.start + 1, span.end), id));
        }
    }
}

#[cfg(test)]
mod tests {
    use posetta_logic::written::parts;

    use super::*;

    /// Every name with its uses, by their lines.
    fn shown(text: &str) -> Vec<String> {
        let names = Names::in_parts(text, &parts(text));
        let line = |span: &Span| text[..span.start].matches('\n').count();
        let show = |(id, d): (usize, &Declared)| {
            let uses: Vec<String> =
                names.uses.iter().filter(|(_, used)| *used == id).map(|(span, _)| line(span).to_string()).collect();
            format!("{:?} {} {}: {}", d.kind, d.name, line(&d.span), uses.join(" "))
        };
        names.declared.iter().enumerate().map(show).collect()
    }

    #[test]
    fn words_mean_the_innermost_thing() {
        let text = "let a(i, n) = s[i] == n.role && b && event(b, k == b) && process(n)\n\
                    let b = x // a\n\
                    property p[i] = ltl G (b[0] == 1 && a(1, y)) && $\"b\" == \"b\" && b.c == x[2].b\n\
                    foreach i in 0..3 {\n\
                      let b = i + x[i].b\n\
                      property q = ctl AG b && i[0]\n\
                      property r = m2l ex1 p: p in `b == i` & p < i\n\
                    }\n\
                    property s = foreach k in values(o) { ltl b == $k && k }\n\
                    monitor m {\n  initial a, b\n  bad i\n  a -> b: b ||\n    a(1, 2)\n}\n";
        assert_eq!(
            shown(text),
            [
                "Definition a 0: 2 13",
                "Definition b 1: 0 0 8 12",
                "Parameter i 0: 0",
                "Parameter n 0: 0 0",
                "Property p 2: ",
                "LoopVariable i 3: 4 4 6 6",
                "Definition b 4: 5 6",
                "Property q 5: ",
                "Property r 6: ",
                "Key k 8: 8",
                "Property s 8: ",
                "Property m 9: ",
            ]
            .map(str::to_owned)
        );
    }
}
