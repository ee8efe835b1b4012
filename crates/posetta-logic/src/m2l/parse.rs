//! Words to declarations. Expressions are in [`super::operators`].
//!
//! After a mistake the parser goes on behind the next `;`, so that one declaration's mistake leaves the others readable.

use super::expr::{Bound, Declaration, Expr, Formal};
use super::lex::{Token, Word};
use super::tree::{Mode, Order};
use super::{MAX_NESTING, Source};
use crate::nearest;
use posetta_base::{Kind, Span, Spanned};

pub(super) type Parsed<T> = Result<T, Box<Spanned>>;

/// What a declaration may begin with, for slips.
const STARTS: [&str; 15] = [
    "var0",
    "var1",
    "var2",
    "pred",
    "macro",
    "const",
    "assert",
    "execute",
    "verify",
    "include",
    "allpos",
    "lastpos",
    "defaultwhere1",
    "defaultwhere2",
    "let1",
];

/// What belongs to trees: `ws2s`, `m2l-tree`, and these.
const TREES: [&str; 11] = [
    "guide",
    "universe",
    "type",
    "tree",
    "root",
    "succ",
    "variant",
    "sometype",
    "in_state_space",
    "const_tree",
    "tree_root",
];

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    words: Vec<Word>,
    at: usize,
    depth: u32,
    pub(super) sort: Source,
    pub(super) problems: Vec<Spanned>,
}

/// The word of the language that gives a variable's order.
pub(super) fn order_of(word: &str) -> Order {
    match word.as_bytes().last() {
        Some(b'0') => Order::Zero,
        Some(b'1') => Order::One,
        _ => Order::Two,
    }
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, words: Vec<Word>, sort: Source) -> Self {
        Self { source, words, at: 0, depth: 0, sort, problems: Vec::new() }
    }

    pub(super) fn token(&self) -> Token {
        self.words[self.at].token
    }

    pub(super) fn span(&self) -> Span {
        self.words[self.at].span
    }

    /// The word in hand as it is written.
    pub(super) fn text(&self, span: Span) -> &'a str {
        &self.source[span.start..span.end]
    }

    /// Takes the word in hand.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        // The last word is the end, which stays.
        self.at = (self.at + 1).min(self.words.len() - 1);
        span
    }

    /// The end of the last word taken.
    pub(super) fn last_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.words[at].span.end)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token(), Token::Sign(s) if s == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.token(), Token::Word(w) if w == word)
    }

    pub(super) fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn sign(&mut self, sign: &str, expected: &str) -> Parsed<Span> {
        if self.is_sign(sign) { Ok(self.advance()) } else { Err(self.unexpected(expected)) }
    }

    pub(super) fn name(&mut self, expected: &str) -> Parsed<Span> {
        if self.token() == Token::Name { Ok(self.advance()) } else { Err(self.unexpected(expected)) }
    }

    /// One level further in.
    pub(super) fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(too_deep(span));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The word in hand is not what can stand there.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Box<Spanned> {
        let span = self.span();
        let text = self.text(span);
        if let Some(problem) = self.unsupported() {
            return problem;
        }
        let whole = if self.sort.is_lone() { "formula" } else { "file" };
        let (kind, message) = match self.token() {
            Token::End => (Kind::Truncated, format!("the {whole} ends here")),
            Token::Odd(c) => (Kind::Syntax, format!("the character {c:?} has no meaning here")),
            Token::Text => (Kind::Syntax, format!("the string {text} cannot stand here")),
            _ => (Kind::Syntax, format!("`{text}` cannot stand here")),
        };
        let problem = Spanned::new(kind, span, message).label(format!("expected {expected}"));
        match self.spelling() {
            Some(help) => problem.help(help),
            None => problem,
        }
    }

    /// How MONA writes what other languages write so.
    fn spelling(&self) -> Option<&'static str> {
        let before = self.at.checked_sub(1).map(|at| self.words[at]);
        let pair = before.filter(|w| w.span.end == self.span().start).map(|w| w.token);
        match (pair, self.token()) {
            (Some(Token::Sign("&")), Token::Sign("&")) => Some("“and” is written `&`"),
            (Some(Token::Sign("|")), Token::Sign("|")) => Some("“or” is written `|`"),
            (Some(Token::Sign("=")), Token::Sign("=")) => {
                Some("“equal” is written `=` for positions and sets, `<=>` for formulas")
            }
            (Some(Token::Sign("<")), Token::Sign("->")) => Some("“if and only if” is written `<=>`"),
            (Some(Token::Sign("/")), Token::Sign("/")) => Some("a comment begins with `#`, or stands in `/* … */`"),
            (_, Token::Odd('!')) => Some("“not” is written `~`, “unequal” `~=`"),
            (_, Token::Sign("->")) => Some("“implies” is written `=>`"),
            (_, Token::Sign("%")) => Some("`%` stands behind a step, as in `p + 1 % q`"),
            (_, Token::Sign("...")) => Some("a range is written `{p,...,q}`, commas included"),
            (_, Token::Sign("-")) => {
                Some("a position is not negative; numbers are subtracted behind one, as in `p - 1`")
            }
            (_, Token::Atom) => {
                Some("backquoted atoms are for properties of runs; in a file sets are declared by `var2`")
            }
            (_, Token::Sign("=")) => Some("put what is defined or compared here into parentheses"),
            _ => None,
        }
    }

    /// Words and signs of parts of the language that are not here.
    pub(super) fn unsupported(&self) -> Option<Box<Spanned>> {
        let span = self.span();
        let text = self.text(span);
        let new = |message: String| Spanned::new(Kind::Unsupported, span, message);
        match self.token() {
            Token::Word("ws2s" | "m2l-tree") => Some(trees(span, text)),
            Token::Word(word) if TREES.contains(&word) => Some(trees(span, text)),
            Token::Sign("^" | "." | "[") => Some(trees(span, text)),
            Token::Word("import") => Some(
                new(format!("`{text}` is about automata in files, which MONA keeps in a format of its own"))
                    .label("not supported")
                    .help("put the formulas into one file, or `include` them"),
            ),
            Token::Word("ws1s" | "m2l-str") if self.sort == Source::Included => Some(
                Spanned::new(Kind::Syntax, span, format!("`{text}` cannot stand in an included file"))
                    .label("only the first file says what strings it is about"),
            ),
            Token::Word("ws1s" | "m2l-str") => Some(
                Spanned::new(Kind::Syntax, span, format!("`{text}` cannot stand here"))
                    .label("it can only be the very first word"),
            ),
            _ => None,
        }
    }

    /// What the file begins with. `None`: a mistake that leaves nothing to read.
    pub(super) fn header(&mut self) -> Option<Mode> {
        let span = self.span();
        let result = match (self.token(), self.sort) {
            (Token::Word("ws1s"), Source::Property | Source::Component | Source::Relation) => {
                let message = format!("{} is about the positions of one {}", self.sort.one(), self.sort.subject());
                Err(Spanned::new(Kind::Unsupported, span, message).label("expected `m2l-str` or nothing"))
            }
            (
                Token::Word(word @ ("ws1s" | "m2l-str")),
                Source::File | Source::Property | Source::Component | Source::Relation,
            ) => {
                self.advance();
                let mode = if word == "ws1s" { Mode::Ws1s } else { Mode::M2lStr };
                self.sign(";", "`;`").map(|_| mode)
            }
            (Token::Word("ws2s" | "m2l-tree"), _) => Err(trees(span, self.text(span))),
            (_, Source::Property | Source::Component | Source::Relation) => Ok(Mode::M2lStr),
            _ => Ok(Mode::Ws1s),
        };
        result.map_err(|p| self.problems.push(*p)).ok()
    }

    /// All declarations up to the end.
    pub(super) fn declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        if self.token() == Token::End && self.sort == Source::File {
            let expected = self.unexpected("a formula or a declaration");
            self.problems.push(*expected);
        }
        while self.token() != Token::End && self.problems.len() < Spanned::ENOUGH {
            self.depth = 0;
            match self.declaration() {
                Ok(declaration) => declarations.push(declaration),
                Err(problem) => {
                    self.problems.push(*problem);
                    while !self.is_sign(";") && self.token() != Token::End {
                        self.advance();
                    }
                    self.eat_sign(";");
                }
            }
        }
        declarations
    }

    fn declaration(&mut self) -> Parsed<Declaration> {
        let start = self.span();
        let declaration = match self.token() {
            Token::Word(word) => match word {
                "assert" => {
                    self.advance();
                    Declaration::Assert { word: start, formula: self.expr(0)? }
                }
                "execute" => {
                    self.advance();
                    Declaration::Execute { word: start, formula: self.expr(0)? }
                }
                "verify" => {
                    self.advance();
                    let title = (self.token() == Token::Text).then(|| self.advance());
                    Declaration::Verify { word: start, title, formula: self.expr(0)? }
                }
                "const" => {
                    self.advance();
                    let name = self.name("the name of a number")?;
                    self.sign("=", "`=` and a number")?;
                    Declaration::Const { name, value: self.number()? }
                }
                "var0" | "var1" | "var2" => {
                    self.advance();
                    Declaration::Var { order: order_of(word), names: self.names()? }
                }
                "pred" | "macro" => {
                    self.advance();
                    self.predicate(word == "macro")?
                }
                "defaultwhere1" | "defaultwhere2" => {
                    self.advance();
                    self.sign("(", "`(` and a variable")?;
                    let name = self.name("a variable")?;
                    self.sign(")", "`)`")?;
                    self.sign("=", "`=` and a formula")?;
                    Declaration::Default { order: order_of(word), word: start, name, body: self.expr(0)? }
                }
                "allpos" => {
                    self.advance();
                    Declaration::AllPositions { word: start, name: self.name("a set that was declared by `var2`")? }
                }
                "lastpos" => {
                    self.advance();
                    let name = self.name("a position that was declared by `var1`")?;
                    Declaration::LastPosition { word: start, name }
                }
                "include" => {
                    self.advance();
                    if self.token() != Token::Text {
                        return Err(self.unexpected("the name of a file in quotes"));
                    }
                    Declaration::Include(self.advance())
                }
                _ => Declaration::Formula(self.expr(0)?),
            },
            _ => Declaration::Formula(self.expr(0)?),
        };
        if self.token() == Token::End && self.sort.is_lone() {
            return Ok(declaration);
        }
        if self.is_sign(";") {
            self.advance();
            return Ok(declaration);
        }
        Err(self.after(&declaration))
    }

    /// Something follows a complete declaration.
    #[cold]
    fn after(&self, declaration: &Declaration) -> Box<Spanned> {
        if self.is_sign(")") {
            return Spanned::new(Kind::Syntax, self.span(), "this `)` closes nothing")
                .label("no `(` before it is open");
        }
        if self.is_sign("}") {
            return Spanned::new(Kind::Syntax, self.span(), "this `}` closes nothing")
                .label("no `{` before it is open");
        }
        let problem = self.unexpected(match declaration {
            Declaration::Formula(_)
            | Declaration::Assert { .. }
            | Declaration::Execute { .. }
            | Declaration::Verify { .. } => "an operator or `;`",
            Declaration::Var { .. } => "`,`, `where` or `;`",
            _ => "`;`",
        });
        // A word that was mistyped reads as a formula of its own.
        let Declaration::Formula(Expr { kind: super::expr::ExprKind::Name, span, .. }) = declaration else {
            return problem;
        };
        match nearest(self.text(*span), STARTS.into_iter()) {
            Some(near) if self.token() == Token::Name && problem.help.is_none() => {
                problem.help(format!("did you mean `{near}` by `{}`?", self.text(*span)))
            }
            _ => problem,
        }
    }

    /// Names with their `where`s.
    pub(super) fn names(&mut self) -> Parsed<Vec<Bound>> {
        let mut names = Vec::new();
        loop {
            let name = self.name("the name of a variable")?;
            names.push(Bound { name, restriction: self.restriction()? });
            if !self.eat_sign(",") {
                return Ok(names);
            }
        }
    }

    fn restriction(&mut self) -> Parsed<Option<Expr>> {
        if !self.is_word("where") {
            return Ok(None);
        }
        let span = self.advance();
        self.deeper(span, |p| p.expr(0)).map(Some)
    }

    fn predicate(&mut self, is_macro: bool) -> Parsed<Declaration> {
        let name = self.name("a name")?;
        let formals = if self.eat_sign("(") { self.formals()? } else { Vec::new() };
        self.sign("=", "`=` and a formula")?;
        Ok(Declaration::Predicate { is_macro, name, formals, body: self.expr(0)? })
    }

    fn formals(&mut self) -> Parsed<Vec<Formal>> {
        let mut formals: Vec<Formal> = Vec::new();
        if self.eat_sign(")") {
            return Ok(formals);
        }
        loop {
            let order = match (self.token(), formals.last()) {
                (Token::Word(word @ ("var0" | "var1" | "var2")), _) => {
                    self.advance();
                    order_of(word)
                }
                (Token::Name, Some(last)) => last.order,
                (Token::Name, None) => {
                    return Err(self
                        .unexpected("`var0`, `var1` or `var2`")
                        .help("the first parameter says what it stands for: a truth value, a position or a set"));
                }
                _ => return Err(self.unexpected("a parameter, as in `var1 p`")),
            };
            let name = self.name("the name of a parameter")?;
            if order == Order::Zero && self.is_word("where") {
                return Err(self
                    .unexpected("`,` or `)`")
                    .help("parameters that are truth values are not restricted; write the condition into the body"));
            }
            formals.push(Formal { order, name: Bound { name, restriction: self.restriction()? } });
            if self.eat_sign(")") {
                return Ok(formals);
            }
            self.sign(",", "`,` or `)`")?;
        }
    }
}

#[cold]
pub(super) fn too_deep(span: Span) -> Box<Spanned> {
    Spanned::new(
        Kind::Nesting,
        Span::new(span.start, span.start + 1),
        format!("this formula is nested more than {MAX_NESTING} levels deep"),
    )
    .help("give parts of it names with `pred`")
}

/// Trees are not strings.
#[cold]
fn trees(span: Span, text: &str) -> Box<Spanned> {
    Spanned::new(Kind::Unsupported, span, format!("`{text}` is for trees, which are not supported"))
        .label("strings only: `ws1s` and `m2l-str`")
}
