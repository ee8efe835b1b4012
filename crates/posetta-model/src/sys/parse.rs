//! Words to a tree, by recursive descent.
//!
//! After a mistake the parser goes on at the next item that starts a line, so that one item's mistake leaves the others readable.

use std::borrow::Cow;

use super::expressions::Expr;
use super::lex::{Token, Word};
use super::tree::{
    Body, Component, Composition, Constant, Entry, List, Loop, LtsItem, Name, NetItem, Range, Regex, Rename,
    SystemItem, Tree, Weighted, Where,
};
use crate::problem::Problems;
use posetta_base::{Kind, Span, Spanned};
use posetta_logic::nearest;

pub(super) type Parsed<T> = Result<T, Box<Spanned>>;

/// Parentheses, brackets and loops inside each other beyond this are refused; a loop counts once for each of its variables.
const DEEPEST: usize = 100;

/// What a component is made of.
pub(super) const SECTIONS: [&str; 7] = ["observable", "internal", "lts", "net", "language", "import", "m2l"];
/// What a body begins with.
const BODIES: &str = "`lts`, `net`, `language`, `m2l` or `import`";
/// What a file is made of.
pub(super) const ITEMS: [&str; 3] = ["component", "system", "const"];

pub(super) struct Parser<'a> {
    words: Vec<Word<'a>>,
    at: usize,
    depth: usize,
    pub(super) tree: Tree<'a>,
    pub(super) problems: Problems,
}

impl<'a> Parser<'a> {
    pub(super) fn new(words: Vec<Word<'a>>) -> Self {
        Self { words, at: 0, depth: 0, tree: Tree::default(), problems: Problems::default() }
    }

    pub(super) fn token(&self) -> &Token<'a> {
        &self.words[self.at].token
    }

    pub(super) fn span(&self) -> Span {
        self.words[self.at].span
    }

    fn starts_line(&self) -> bool {
        self.words[self.at].starts_line
    }

    pub(super) fn advance(&mut self) {
        // The last word is the end, which stays.
        self.at = (self.at + 1).min(self.words.len() - 1);
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(s) if *s == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(w) if *w == word)
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn sign(&mut self, sign: &str, expected: &str) -> Parsed<Span> {
        let span = self.span();
        if self.eat_sign(sign) { Ok(span) } else { Err(self.unexpected(expected)) }
    }

    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Box<Spanned> {
        let kind = if *self.token() == Token::End { Kind::Truncated } else { Kind::Syntax };
        let message = match self.token() {
            Token::End => "the file ends here".to_owned(),
            token => format!("{} cannot stand here", token.describe()),
        };
        let problem = Spanned::new(kind, self.span(), message);
        let problem = problem.label(format!("expected {expected}"));
        match self.token() {
            Token::Odd('–' | '—' | '→') => problem.help("an arc is written `s -action-> t`"),
            Token::Sign("#") => problem.help("a comment begins with `//`"),
            _ => problem,
        }
    }

    /// Some levels further in.
    pub(super) fn deeper<T>(
        &mut self,
        span: Span,
        levels: usize,
        inner: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.depth + levels > DEEPEST {
            return Err(Self::too_deep(span));
        }
        self.depth += levels;
        let result = inner(self);
        self.depth -= levels;
        result
    }

    #[cold]
    fn too_deep(span: Span) -> Box<Spanned> {
        Spanned::new(Kind::Nesting, span, format!("more than {DEEPEST} levels inside each other"))
    }

    /// A whole file.
    pub(super) fn file(&mut self) {
        while *self.token() != Token::End && !self.problems.is_full() {
            self.depth = 0;
            let start = self.at;
            if let Err(problem) = self.item() {
                self.problems.push(problem);
                if self.at == start {
                    self.advance();
                }
                while *self.token() != Token::End
                    && !(self.starts_line() && matches!(self.token(), Token::Word(w) if ITEMS.contains(w)))
                {
                    self.advance();
                }
            }
        }
    }

    fn item(&mut self) -> Parsed<()> {
        let Token::Word(word) = *self.token() else { return Err(self.unexpected("`component` or `system`")) };
        let span = self.span();
        match word {
            "const" => {
                self.advance();
                let constant = self.constant()?;
                self.tree.constants.push(constant);
            }
            "component" => {
                self.advance();
                let component = self.component()?;
                self.tree.components.push(component);
            }
            "system" => {
                self.advance();
                let system = self.system()?;
                self.tree.systems.push(system);
            }
            _ => {
                let problem = self.unexpected("`component`, `system` or `const`");
                return Err(match nearest(word, ITEMS.into_iter()) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None if word == "MODULE" && span.start == 0 => problem.help("a model in SMV is a `.smv` file"),
                    None if word == "des" => {
                        problem.help("a transition system in the Aldebaran format is an `.aut` file")
                    }
                    None => problem,
                });
            }
        }
        while self.eat_sign(";") {}
        Ok(())
    }

    fn constant(&mut self) -> Parsed<Constant<'a>> {
        let (name, span) = self.variable("the name of a constant")?;
        self.sign("=", "`=` and a number")?;
        Ok(Constant { name, span, value: self.number()? })
    }

    /// The name of a number.
    fn variable(&mut self, what: &str) -> Parsed<(&'a str, Span)> {
        let span = self.span();
        match *self.token() {
            Token::Word(word) if !word.contains('.') => {
                self.advance();
                Ok((word, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// A name without indices, perhaps in quotes.
    fn plain(&mut self, what: &str) -> Parsed<(Cow<'a, str>, Span)> {
        let span = self.span();
        let base = match self.token() {
            Token::Word(word) => Cow::Borrowed(*word),
            Token::Text(text) if !text.is_empty() => text.clone(),
            Token::Text(_) => return Err(Spanned::new(Kind::Syntax, span, "a name cannot be empty")),
            _ => return Err(self.unexpected(what)),
        };
        self.advance();
        Ok((base, span))
    }

    fn indices(&mut self) -> Parsed<(Vec<Expr<'a>>, Span)> {
        let mut indices = Vec::new();
        let mut span = Span::new(usize::MAX, 0);
        while self.is_sign("[") {
            let start = self.span();
            self.advance();
            indices.push(self.deeper(start, 1, Self::number)?);
            span = span.to(start).to(self.sign("]", "`]`")?);
        }
        Ok((indices, span))
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        let (base, span) = self.plain(what)?;
        let (indices, rest) = self.indices()?;
        Ok(Name { base, indices, span: span.to(rest) })
    }

    fn range(&mut self) -> Parsed<Range<'a>> {
        let (variable, start) = self.variable("a variable")?;
        if !self.is_word("in") {
            return Err(self.unexpected("`in` and a range such as `0..N-1`"));
        }
        self.advance();
        let from = self.number()?;
        self.sign("..", "`..` and the last number")?;
        let to = self.number()?;
        let bounds = from.span.to(to.span);
        Ok(Range { variable, from, to, span: start.to(bounds), bounds })
    }

    fn ranges(&mut self) -> Parsed<Vec<Range<'a>>> {
        let mut ranges = vec![self.range()?];
        while self.eat_sign(",") {
            ranges.push(self.range()?);
            if ranges.len() > DEEPEST {
                return Err(Self::too_deep(self.span()));
            }
        }
        for (i, range) in ranges.iter().enumerate() {
            if ranges[..i].iter().any(|r| r.variable == range.variable) {
                return Err(Spanned::new(Kind::Definition, range.span, format!("`{}` has two ranges", range.variable)));
            }
        }
        Ok(ranges)
    }

    /// The head of a loop, behind `for`.
    fn head(&mut self, span: Span) -> Parsed<Loop<'a>> {
        let ranges = self.ranges()?;
        let condition = if self.is_word("if") {
            self.advance();
            Some(self.condition()?)
        } else {
            None
        };
        Ok(Loop { ranges, condition, span })
    }

    /// Things with commas between them.
    fn list<T>(&mut self, one: &impl Fn(&mut Self) -> Parsed<T>) -> Parsed<List<'a, T>> {
        let mut list = Vec::new();
        loop {
            let span = self.span();
            if self.is_word("for") {
                self.advance();
                let head = self.head(span)?;
                self.sign("{", "`{`")?;
                let inner = self.deeper(span, head.ranges.len(), |p| p.list(one))?;
                self.sign("}", "`}`")?;
                list.push(Entry::For(head, inner));
            } else {
                list.push(Entry::One(one(self)?));
            }
            if !self.eat_sign(",") {
                return Ok(list);
            }
        }
    }

    /// Things with `;` or line ends between them, up to `}`.
    fn block<T>(&mut self, one: &impl Fn(&mut Self) -> Parsed<T>) -> Parsed<List<'a, T>> {
        self.sign("{", "`{`")?;
        let mut list = Vec::new();
        loop {
            while self.eat_sign(";") {}
            if self.eat_sign("}") {
                return Ok(list);
            }
            let span = self.span();
            if self.is_word("for") {
                self.advance();
                let head = self.head(span)?;
                let inner = self.deeper(span, head.ranges.len(), |p| p.block(one))?;
                list.push(Entry::For(head, inner));
                continue;
            }
            list.push(Entry::One(one(self)?));
            if !self.is_sign(";") && !self.is_sign("}") && !self.starts_line() {
                return Err(self.unexpected("`;`, a new line or `}`"));
            }
        }
    }

    fn component(&mut self) -> Parsed<Component<'a>> {
        let (name, name_span) = self.plain("the name of a component")?;
        let mut parameters = Vec::new();
        if self.eat_sign("(") {
            parameters = self.ranges()?;
            self.sign(")", "`)`")?;
        } else if self.is_sign("[") {
            return Err(self
                .unexpected("`{`")
                .help("copies are made by a parameter: `component Phil(i in 0..9) { … }`"));
        }
        self.sign("{", "`{`")?;
        let mut declared = Vec::new();
        let mut body: Option<(Body<'a>, Span)> = None;
        loop {
            while self.eat_sign(";") {}
            let span = self.span();
            if self.eat_sign("}") {
                break;
            }
            let Token::Word(word) = *self.token() else {
                return Err(self.unexpected(if body.is_some() { "`}`" } else { BODIES }));
            };
            if !SECTIONS.contains(&word) {
                let problem = self.unexpected(if body.is_some() { "`}`" } else { BODIES });
                return Err(match nearest(word, SECTIONS.into_iter()) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem,
                });
            }
            if !matches!(word, "observable" | "internal") && body.is_some() {
                return Err(Spanned::new(Kind::Definition, span, format!("`{name}` has two bodies"))
                    .help("write two components and put them side by side by `||`"));
            }
            self.advance();
            match word {
                "observable" | "internal" => {
                    declared.push((word == "internal", self.list(&|p| p.name("an action"))?));
                }
                "lts" => body = Some((Body::Lts(self.block(&Self::lts_item)?), span)),
                "net" => body = Some((Body::Net(self.block(&Self::net_item)?), span)),
                "language" => body = Some((Body::Language(self.choice()?), span)),
                "import" => body = Some((self.import()?, span)),
                _ => body = Some((self.formula()?, span)),
            }
        }
        let Some((body, body_span)) = body else {
            return Err(Spanned::new(Kind::Definition, name_span, format!("`{name}` has no body"))
                .label("expected `lts { … }`, `net { … }`, `language …`, `m2l \"…\"` or `import \"…\"` in it"));
        };
        Ok(Component { name, name_span, parameters, declared, body, body_span })
    }

    fn lts_item(&mut self) -> Parsed<LtsItem<'a>> {
        if self.is_word("init") {
            self.advance();
            return Ok(LtsItem::Init(self.state()?));
        }
        let first = self.state()?;
        let mut steps = Vec::new();
        loop {
            if !self.eat_sign("-") {
                if steps.is_empty() {
                    return Err(self.unexpected("`-action->` and a state"));
                }
                return Ok(LtsItem::Path(first, steps));
            }
            let mut actions = vec![self.name("an action")?];
            while self.eat_sign(",") {
                actions.push(self.name("an action")?);
            }
            self.sign("->", "`->` and a state")?;
            steps.push((actions, self.state()?));
        }
    }

    /// The name of a state, which may be a number.
    fn state(&mut self) -> Parsed<Name<'a>> {
        if let Token::Number(digits) = *self.token() {
            let span = self.span();
            self.advance();
            return Ok(Name { base: Cow::Borrowed(digits), indices: Vec::new(), span });
        }
        self.name("a state")
    }

    fn net_item(&mut self) -> Parsed<NetItem<'a>> {
        let name = self.name("a place or a transition")?;
        if self.eat_sign("=") {
            return Ok(NetItem::Tokens(name, self.number()?));
        }
        self.sign(":", "`= number` of a place, or `: places -> places` of a transition")?;
        let takes = if self.is_sign("->") { Vec::new() } else { self.list(&Self::weighted)? };
        self.sign("->", "`->` and places")?;
        let is_over = self.is_sign(";") || self.is_sign("}") || self.starts_line();
        let puts = if is_over { Vec::new() } else { self.list(&Self::weighted)? };
        Ok(NetItem::Transition { name, takes, puts })
    }

    fn weighted(&mut self) -> Parsed<Weighted<'a>> {
        let next = &self.words[(self.at + 1).min(self.words.len() - 1)];
        let is_constant = matches!(self.token(), Token::Word(_))
            && matches!(next.token, Token::Word(_) | Token::Text(_) | Token::Sign("*"))
            && !next.starts_line;
        let weight = if is_constant || matches!(self.token(), Token::Number(_) | Token::Sign("(")) {
            let weight = self.factor()?;
            self.eat_sign("*");
            Some(weight)
        } else {
            None
        };
        Ok(Weighted { weight, place: self.name("a place")? })
    }

    /// `language`, behind the word: `|` binds least.
    fn choice(&mut self) -> Parsed<Regex<'a>> {
        let mut choices = vec![self.sequence()?];
        while self.eat_sign("|") {
            choices.push(self.sequence()?);
        }
        Ok(match choices.pop() {
            Some(only) if choices.is_empty() => only,
            last => {
                choices.extend(last);
                Regex::Choice(choices)
            }
        })
    }

    fn sequence(&mut self) -> Parsed<Regex<'a>> {
        let mut parts: Vec<Regex<'a>> = Vec::new();
        loop {
            let span = self.span();
            let part = match self.token() {
                Token::Word("empty") => {
                    self.advance();
                    Regex::Empty
                }
                Token::Word("for") => {
                    return Err(Spanned::new(Kind::Syntax, span, "a language has no loops")
                        .label("one after the other, or one of them?")
                        .help("write it out, or write the component as `lts { … }`"));
                }
                Token::Word(word) if !SECTIONS.contains(word) => Regex::Letter(self.name("an action")?),
                Token::Text(_) => Regex::Letter(self.name("an action")?),
                Token::Sign("(") => {
                    self.advance();
                    let inner = self.deeper(span, 1, Self::choice)?;
                    self.sign(")", "`)`")?;
                    inner
                }
                _ if parts.is_empty() => return Err(self.unexpected("an action, `(` or `empty`")),
                _ => break,
            };
            parts.push(self.repeated(part));
        }
        Ok(match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                Regex::Sequence(parts)
            }
        })
    }

    fn repeated(&mut self, part: Regex<'a>) -> Regex<'a> {
        let (mut none, mut many) = (false, false);
        loop {
            match self.token() {
                Token::Sign("*") => (none, many) = (true, true),
                Token::Sign("+") => many = true,
                Token::Sign("?") => none = true,
                _ => break,
            }
            self.advance();
        }
        if none || many { Regex::Repeat { none, many, inner: Box::new(part) } } else { part }
    }

    /// `m2l`, behind the word: strings, of which each may be a line of the formula.
    fn formula(&mut self) -> Parsed<Body<'a>> {
        let mut strings = Vec::new();
        while matches!(self.token(), Token::Text(_)) {
            strings.push(self.span());
            self.advance();
        }
        if strings.is_empty() {
            return Err(self.unexpected("a formula in quotes"));
        }
        Ok(Body::M2l(strings))
    }

    fn import(&mut self) -> Parsed<Body<'a>> {
        let span = self.span();
        let Token::Text(file) = self.token().clone() else {
            return Err(self.unexpected("the name of a file in quotes"));
        };
        self.advance();
        let mut renames = Vec::new();
        while self.is_word("where") {
            let start = self.span();
            match self.where_part()? {
                Where::Rename(list) if renames.is_empty() => renames = list,
                Where::Rename(_) => {
                    return Err(Spanned::new(Kind::Syntax, start, "an import has one `where`")
                        .help("put all new names into one pair of braces"));
                }
                Where::Internal(_) => {
                    return Err(Spanned::new(Kind::Syntax, start, "an import has new names here, nothing else")
                        .help("declare what is internal: `internal a, b`"));
                }
            }
        }
        Ok(Body::Import { file, span, renames })
    }

    fn system(&mut self) -> Parsed<SystemItem<'a>> {
        let (name, name_span) = self.plain("the name of a system")?;
        self.sign("=", "`=` and components")?;
        Ok(SystemItem { name, name_span, composition: self.composition()? })
    }

    fn composition(&mut self) -> Parsed<Composition<'a>> {
        let mut parts = vec![self.part()?];
        while self.eat_sign("||") {
            parts.push(self.part()?);
        }
        if self.is_sign("|") {
            return Err(self.unexpected("`||`"));
        }
        let composition = match parts.pop() {
            Some(only) if parts.is_empty() => only,
            last => {
                parts.extend(last);
                Composition::Parallel(parts)
            }
        };
        let mut wheres = Vec::new();
        while self.is_word("where") {
            wheres.push(self.where_part()?);
        }
        if !wheres.is_empty() && self.is_sign("||") {
            return Err(self
                .unexpected("the end of the system")
                .help("`where` is about everything before it: put what it is about into parentheses"));
        }
        Ok(if wheres.is_empty() { composition } else { Composition::Where(Box::new(composition), wheres) })
    }

    fn part(&mut self) -> Parsed<Composition<'a>> {
        let span = self.span();
        if self.eat_sign("(") {
            let inner = self.deeper(span, 1, Self::composition)?;
            self.sign(")", "`||`, `where` or `)`")?;
            return Ok(inner);
        }
        Ok(Composition::Use(self.name("a component, a system or `(`")?))
    }

    fn where_part(&mut self) -> Parsed<Where<'a>> {
        self.advance();
        let start = self.sign("{", "`{`")?;
        let list = self.list(&|p: &mut Self| {
            let from = p.name("an action")?;
            let to = if p.eat_sign("->") { Some(p.name("the new name of the action")?) } else { None };
            Ok((from, to))
        })?;
        let end = self.sign("}", "`,` or `}`")?;
        if self.is_word("internal") {
            self.advance();
            let names = map(list, &|(from, to): (Name<'a>, Option<Name<'a>>)| match to {
                None => Ok(from),
                Some(to) => Err(Spanned::new(Kind::Syntax, to.span, "new names and `internal` do not go together")
                    .help("write two of them: `where { a -> b } where { c } internal`")),
            })?;
            return Ok(Where::Internal(names));
        }
        let renames = map(list, &|(from, to): (Name<'a>, Option<Name<'a>>)| match to {
            Some(to) => Ok(Rename { from, to }),
            None => Err(Spanned::new(Kind::Syntax, start.to(end), "it is not said what is to become of these actions")
                .help("write `where { a, b } internal`, or new names: `where { a -> c }`")),
        })?;
        Ok(Where::Rename(renames))
    }
}

fn map<'a, T, U>(list: List<'a, T>, f: &impl Fn(T) -> Parsed<U>) -> Parsed<List<'a, U>> {
    list.into_iter()
        .map(|entry| {
            Ok(match entry {
                Entry::One(one) => Entry::One(f(one)?),
                Entry::For(head, inner) => Entry::For(head, map(inner, f)?),
            })
        })
        .collect()
}
