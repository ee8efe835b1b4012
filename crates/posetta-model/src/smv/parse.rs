//! Modules and their sections.
//!
//! A mistake ends a declaration, not the reading: it goes on after the next `;` or at the next section.

use super::advice::{foreign, foreign_word, reserved};
use super::expressions::{Logic, is_reserved};
use super::lex::{Token, Words};
use super::tree::{
    Assignment, Choice, Declaration, Demands, Module, Name, NodeId, NodeKind, SpecItem, SpecTree, Tree, TypeTree, When,
};
use crate::fds::Role;
use crate::problem::Problems;
use posetta_base::{Kind, Span, Spanned};
use posetta_logic::nearest;

pub(super) type Parsed<T> = Result<T, Box<Spanned>>;

/// More levels inside each other are refused: the parser keeps some frames for each.
const MAX_NESTING: u32 = 200;

/// What begins a section.
const SECTIONS: [&str; 22] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "JUSTICE",
    "FAIRNESS",
    "COMPASSION",
    "FINAL",
    "LTLSPEC",
    "CTLSPEC",
    "SPEC",
    "PSLSPEC",
    "INVARSPEC",
    "ISA",
    "COMPUTE",
    "PRED",
];

/// How processes are written without them.
pub(super) const WHO_MOVES: &str = "choose who moves with an input: `IVAR turn : 0..1;`, give each instance its number, \
    and let it change only in its turn";

/// Sections of NuSMV and nuXmv that are not read.
const OUTSIDE: [&str; 5] = ["ISA", "COMPUTE", "PRED", "MIRROR", "FUN"];

pub(super) fn is_section(word: &str) -> bool {
    SECTIONS.contains(&word) || OUTSIDE.contains(&word)
}

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    pub(super) words: Words<'a>,
    pub(super) at: usize,
    pub(super) tree: Tree<'a>,
    /// Which operators of time the expression that is being read may have.
    pub(super) logic: Logic,
    pub(super) depth: u32,
    /// How many `case` wait for their `esac`.
    pub(super) open_cases: u32,
    /// Whether a process was met: one word about them is enough.
    processes: bool,
    pub(super) problems: Problems,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, words: Words<'a>) -> Self {
        Self {
            source,
            words,
            at: 0,
            tree: Tree::default(),
            logic: Logic::None,
            depth: 0,
            open_cases: 0,
            processes: false,
            problems: Problems::default(),
        }
    }

    pub(super) fn here(&self) -> (Token<'a>, Span) {
        self.words.words[self.at]
    }

    /// The word behind this one.
    pub(super) fn second(&self) -> Token<'a> {
        self.words.words.get(self.at + 1).map_or(Token::End, |w| w.0)
    }

    /// The span of the word before this one.
    pub(super) fn last_span(&self) -> Span {
        self.words.words[self.at.saturating_sub(1)].1
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.words.words.len() {
            self.at += 1;
        }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.here().0, Token::Sign(s) if s == sign)
    }

    /// The sign, which must come here.
    pub(super) fn sign(&mut self, sign: &'static str, what: &str) -> Parsed<Span> {
        if !self.is_sign(sign) {
            return Err(self.expected(what));
        }
        let span = self.here().1;
        self.advance();
        Ok(span)
    }

    pub(super) fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= MAX_NESTING {
            return Ok(());
        }
        let message = format!("nested more than {MAX_NESTING} levels deep");
        let problem = Spanned::new(Kind::Nesting, self.here().1, message);
        Err(problem.help("give parts of it names in a DEFINE section"))
    }

    #[cold]
    pub(super) fn expected(&self, what: &str) -> Box<Spanned> {
        let (token, span) = self.here();
        if let Some(problem) = self.translated(what) {
            return problem;
        }
        let problem = match token {
            Token::End => {
                // The caret stands behind the last word, where something is missing.
                let end = self.last_span().end;
                Spanned::new(Kind::Truncated, Span::new(end, end), "the model ends too early")
            }
            Token::Odd('"') => Spanned::new(Kind::Syntax, span, "this string does not end"),
            Token::Odd(c) => Spanned::new(Kind::Syntax, span, format!("the character {c:?} has no meaning here")),
            Token::Text => {
                Spanned::new(Kind::Syntax, span, "SMV has no strings").help("symbols are written without quotes")
            }
            _ => Spanned::new(Kind::Syntax, span, format!("{} cannot stand here", token.describe())),
        };
        let problem = problem.label(format!("expected {what}"));
        let advice = match token {
            Token::Sign("=") if what.contains(":=") => Some("an assignment is written `:=`"),
            Token::Sign(":=") => Some("inside of an expression equality is written `=`"),
            Token::Sign("%") => Some("the rest of a division is written `a mod b`"),
            Token::Word("R") if self.logic == Logic::Ltl => Some("release is written `V`"),
            Token::Word("U" | "V" | "S" | "T") if self.logic == Logic::Ctl => {
                Some("in CTL these stand in brackets, as in `A [ p U q ]`")
            }
            _ => None,
        };
        match advice {
            Some(advice) => problem.help(advice),
            None => problem,
        }
    }

    /// What is said of an operator of another language, if one stands here or, as a word, right before.
    fn translated(&self, what: &str) -> Option<Box<Spanned>> {
        let said = |word: &str, span, advice| {
            Some(Spanned::new(Kind::Syntax, span, format!("SMV has no `{word}`")).label(advice))
        };
        let (token, span) = self.here();
        match token {
            Token::Sign(sign) => {
                if let Some(advice) = foreign(sign, what == "an expression") {
                    return said(sign, span, advice);
                }
            }
            Token::Word(word) if !["name", "type", "symbol", ":="].iter().any(|w| what.contains(w)) => {
                // A name is read where an operand is expected, so this stands where an operator is.
                if let Some(advice) = foreign_word(word) {
                    return said(word, span, advice);
                }
            }
            _ => {}
        }
        let before = self.at.checked_sub(1).map(|i| self.words.words[i]);
        match (before, token) {
            (
                Some((Token::Word(word @ ("not" | "NOT")), span)),
                Token::Word(_) | Token::Number(_) | Token::Sign("("),
            ) => said(word, span, "negation is written `!`"),
            _ => None,
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name<'a>> {
        match self.here() {
            (Token::Word(text), span) if !is_reserved(text) && !is_section(text) => {
                self.advance();
                Ok(Name { text, span })
            }
            (Token::Word(text), span) if is_reserved(text) => Err(reserved(text, span, what, self.logic)),
            _ => Err(self.expected(what)),
        }
    }

    /// What stands behind a dot.
    pub(super) fn member(&mut self) -> Parsed<Name<'a>> {
        self.name("a name behind the dot")
    }

    /// Reads the whole file.
    pub(super) fn file(&mut self) {
        loop {
            match self.here() {
                (Token::End, _) => break,
                (Token::Word("MODULE"), _) => match self.header() {
                    Ok(module) => {
                        self.tree.modules.push(module);
                        self.sections();
                    }
                    Err(problem) => {
                        self.problems.push(problem);
                        self.skip_to("MODULE");
                    }
                },
                _ => {
                    let problem = self.expected("`MODULE`");
                    self.problems.push(problem.help("a model begins with `MODULE main`"));
                    self.skip_to("MODULE");
                }
            }
            if self.problems.is_full() {
                break;
            }
        }
    }

    fn skip_to(&mut self, word: &str) {
        self.reset();
        self.advance();
        while !matches!(self.here().0, Token::End) && !matches!(self.here().0, Token::Word(w) if w == word) {
            self.advance();
        }
    }

    fn reset(&mut self) {
        self.depth = 0;
        self.open_cases = 0;
        self.logic = Logic::None;
    }

    pub(super) fn at_section(&self) -> bool {
        match self.here().0 {
            Token::End => true,
            Token::Word(word) => is_section(word),
            _ => false,
        }
    }

    /// Behind the declaration that has a mistake.
    fn recover(&mut self, problem: Box<Spanned>) {
        self.problems.push(problem);
        let mut cases = i64::from(self.open_cases);
        self.reset();
        while !self.at_section() {
            let token = self.here().0;
            self.advance();
            match token {
                Token::Word("case") => cases += 1,
                Token::Word("esac") => cases -= 1,
                Token::Sign(";") if cases <= 0 => return,
                _ => {}
            }
        }
    }

    fn header(&mut self) -> Parsed<Module<'a>> {
        self.advance();
        let name = self.name("the name of the module")?;
        let mut params = Vec::new();
        if self.is_sign("(") {
            self.advance();
            while !self.is_sign(")") {
                if !params.is_empty() {
                    self.sign(",", "`,` or `)`")?;
                }
                params.push(self.name("the name of a parameter")?);
            }
            self.advance();
        }
        Ok(Module {
            name,
            params,
            vars: Vec::new(),
            defines: Vec::new(),
            constants: Vec::new(),
            assignments: Vec::new(),
            demands: Vec::new(),
            compassion: Vec::new(),
            specs: Vec::new(),
        })
    }

    fn module(&mut self) -> &mut Module<'a> {
        self.tree.modules.last_mut().expect("a section stands in a module")
    }

    /// The sections of a module, up to the next module.
    fn sections(&mut self) {
        loop {
            if self.problems.is_full() {
                return;
            }
            let (token, span) = self.here();
            match token {
                Token::End | Token::Word("MODULE") => return,
                Token::Word(word) if is_section(word) => {
                    self.advance();
                    if let Err(problem) = self.section(word, span) {
                        self.recover(problem);
                    }
                }
                // What `;` ends is ended once more.
                Token::Sign(";") => self.advance(),
                _ => {
                    let mut problem = self.expected("a section such as VAR, ASSIGN or LTLSPEC");
                    if let Token::Word(word) = token
                        && let Some(near) = nearest(word, SECTIONS.iter().copied())
                    {
                        problem = problem.help(format!("did you mean `{near}`?"));
                    }
                    self.advance();
                    self.recover(problem);
                    while !self.at_section() {
                        self.advance();
                    }
                }
            }
        }
    }

    fn section(&mut self, word: &'a str, span: Span) -> Parsed<()> {
        match word {
            "VAR" => self.items(|p| p.declaration(Role::State)),
            "IVAR" => self.items(|p| p.declaration(Role::Input)),
            "FROZENVAR" => self.items(|p| p.declaration(Role::Frozen)),
            "DEFINE" => self.items(Self::define),
            "ASSIGN" => self.items(Self::assignment),
            "CONSTANTS" => self.constants(),
            "INIT" => self.demand(Demands::Init),
            "TRANS" => self.demand(Demands::Trans),
            "INVAR" => self.demand(Demands::Invar),
            "JUSTICE" | "FAIRNESS" => self.demand(Demands::Justice),
            "FINAL" => self.demand(Demands::Final),
            "COMPASSION" => self.compassion(),
            "LTLSPEC" => self.spec(|p| Ok(SpecTree::Ltl(p.expression(Logic::Ltl)?))),
            "CTLSPEC" | "SPEC" => self.spec(|p| Ok(SpecTree::Ctl(p.expression(Logic::Ctl)?))),
            "INVARSPEC" => self.spec(|p| Ok(SpecTree::Invariant(p.expression(Logic::Invariant)?))),
            "PSLSPEC" => self.spec(Self::psl),
            _ => {
                let message = format!("`{word}` is outside the subset of SMV that is read");
                let problem = Spanned::new(Kind::Unsupported, span, message);
                while !self.at_section() {
                    self.advance();
                }
                Err(match word {
                    "ISA" => problem.help("write the declarations of that module here, or make an instance of it"),
                    "COMPUTE" => problem.help("count the steps with a variable and state an INVARSPEC"),
                    "FUN" => problem.help("a constant function is an array of FROZENVAR or a `case` under DEFINE"),
                    _ => problem.help("leave it out"),
                })
            }
        }
    }

    /// Declarations up to the next section; each can have its own mistake.
    fn items(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        while !self.at_section() && !self.problems.is_full() {
            if let Err(problem) = item(self) {
                self.recover(problem);
            }
        }
        Ok(())
    }

    fn declaration(&mut self, role: Role) -> Parsed<()> {
        let name = self.name("the name of a variable")?;
        self.sign(":", "`:` and a type").map_err(|problem| match nearest(name.text, SECTIONS.iter().copied()) {
            Some(near) => problem.help(format!("if `{}` begins a section: did you mean `{near}`?", name.text)),
            None => problem,
        })?;
        let ty = self.ty(role)?;
        self.sign(";", "`;`")?;
        self.module().vars.push(Declaration { name, role, ty });
        Ok(())
    }

    fn ty(&mut self, role: Role) -> Parsed<TypeTree<'a>> {
        let (token, span) = self.here();
        let outside = |message: &str| Err(Spanned::new(Kind::Unsupported, span, message));
        match (token, self.second()) {
            (Token::Word("boolean"), _) => {
                self.advance();
                Ok(TypeTree::Boolean)
            }
            (Token::Word("array"), _) => {
                self.advance();
                self.deeper()?;
                let lo = self.bound()?;
                self.sign("..", "`..`, as in `array 0..3 of boolean`")?;
                let hi = self.bound()?;
                if !matches!(self.here().0, Token::Word("of")) {
                    return Err(self.expected("`of`, as in `array 0..3 of boolean`"));
                }
                self.advance();
                let inner = self.here().1;
                let of = self.ty(role)?;
                self.depth -= 1;
                if let TypeTree::Instance { module, .. } = of {
                    let message =
                        format!("an array of instances of `{}` is outside the subset of SMV that is read", module.text);
                    let problem = Spanned::new(Kind::Unsupported, inner, message);
                    return Err(problem.help("write the instances one by one: p0, p1, …"));
                }
                Ok(TypeTree::Array(lo, hi, Box::new(of)))
            }
            (Token::Word("process"), Token::Word(_)) => {
                if !std::mem::replace(&mut self.processes, true) {
                    let message = "processes are outside the subset of SMV that is read";
                    self.problems.push(Spanned::new(Kind::Unsupported, span, message).help(WHO_MOVES));
                }
                // The rest is read as if the word were not there.
                self.advance();
                self.deeper()?;
                let ty = self.ty(role)?;
                self.depth -= 1;
                Ok(ty)
            }
            (Token::Word("bool"), _) => {
                Err(Spanned::new(Kind::Syntax, span, "`bool` is not a type").label("did you mean `boolean`?"))
            }
            (Token::Word("word" | "unsigned" | "signed"), _) => {
                match outside("words are outside the subset of SMV that is read") {
                    Err(problem) => Err(problem.help("use a range such as `0..255`, or an array of booleans")),
                    ok => ok,
                }
            }
            (Token::Word(w @ ("real" | "integer")), _) => {
                match outside(&format!("the type `{w}` is outside the subset of SMV that is read")) {
                    Err(problem) => Err(problem.help("use a range such as `0..1000`")),
                    ok => ok,
                }
            }
            (Token::Sign("{"), _) => self.choice(),
            (Token::Word(_), Token::Sign("(" | ";")) => {
                let module = self.name("a type")?;
                if role != Role::State {
                    let message = format!(
                        "`{}` is not a type of values: instances of modules are declared under VAR",
                        module.text
                    );
                    return Err(Spanned::new(Kind::Definition, module.span, message));
                }
                let args = if self.is_sign("(") { self.arguments()? } else { Vec::new() };
                Ok(TypeTree::Instance { module, args })
            }
            (Token::Word(_) | Token::Number(_) | Token::Sign("-" | "("), _) => {
                let lo = self.bound()?;
                let named = matches!(self.tree.node(lo).kind, NodeKind::Name(_));
                let what = if named {
                    "`;` after a module, its arguments, or `..` after a number"
                } else {
                    "`..` and the largest value"
                };
                self.sign("..", what)?;
                Ok(TypeTree::Range(lo, self.bound()?))
            }
            _ => Err(self.expected("a type such as `boolean`, `0..3` or `{a, b}`")),
        }
    }

    fn choice(&mut self) -> Parsed<TypeTree<'a>> {
        self.advance();
        let mut values = Vec::new();
        loop {
            values.push(match self.here().0 {
                Token::Word(_) => Choice::Symbol(self.name("a symbol or an integer")?),
                Token::Number(_) | Token::Sign("-") => Choice::Int(self.bound()?),
                _ => return Err(self.expected("a symbol or an integer")),
            });
            if self.is_sign("}") {
                self.advance();
                return Ok(TypeTree::Choice(values));
            }
            self.sign(",", "`,` or `}`")?;
        }
    }

    fn define(&mut self) -> Parsed<()> {
        let name = self.name("the name of a definition")?;
        self.sign(":=", "`:=` and an expression")?;
        let value = self.expression(Logic::None)?;
        self.sign(";", "an operator or `;`")?;
        self.module().defines.push((name, value));
        Ok(())
    }

    fn constants(&mut self) -> Parsed<()> {
        loop {
            let name = self.name("a symbol")?;
            self.module().constants.push(name);
            if !self.is_sign(",") {
                break;
            }
            self.advance();
        }
        self.end_of_section("`,` or `;`")
    }

    fn assignment(&mut self) -> Parsed<()> {
        let (token, start) = self.here();
        let when = match token {
            Token::Word("init") => When::Init,
            Token::Word("next") => When::Next,
            _ => When::Always,
        };
        let target = if when == When::Always {
            self.target()?
        } else {
            self.advance();
            self.sign("(", "`(` and the name of a variable")?;
            let target = self.target()?;
            self.sign(")", "`)`")?;
            target
        };
        self.sign(":=", "`:=` and an expression")?;
        let value = self.expression(Logic::None)?;
        let span = start.to(self.tree.span(value));
        self.sign(";", "an operator or `;`")?;
        self.module().assignments.push(Assignment { when, target, value, span });
        Ok(())
    }

    /// The end of a section that holds one thing: a `;`, which may be left out.
    fn end_of_section(&mut self, what: &str) -> Parsed<()> {
        if self.is_sign(";") {
            self.advance();
            return Ok(());
        }
        if self.at_section() { Ok(()) } else { Err(self.expected(what)) }
    }

    fn demand(&mut self, demands: Demands) -> Parsed<()> {
        let expr = self.expression(Logic::None)?;
        self.module().demands.push((demands, expr));
        let assigned = self.is_sign(":=");
        self.end_of_section("an operator, `;` or a section").map_err(|problem| {
            if assigned { problem.help("this is a condition: write `=`, or assign under ASSIGN") } else { problem }
        })
    }

    fn compassion(&mut self) -> Parsed<()> {
        self.sign("(", "`(`, as in `COMPASSION (p, q)`")?;
        let p = self.expression(Logic::None)?;
        self.sign(",", "`,` and the second assertion")?;
        let q = self.expression(Logic::None)?;
        self.sign(")", "`)`")?;
        self.module().compassion.push((p, q));
        self.end_of_section("`;` or a section")
    }

    fn spec(&mut self, read: impl FnOnce(&mut Self) -> Parsed<SpecTree>) -> Parsed<()> {
        let name = if matches!(self.here().0, Token::Word("NAME")) {
            self.advance();
            let name = self.name("the name of the property")?;
            self.sign(":=", "`:=` and the property")?;
            Some(name)
        } else {
            None
        };
        let start = self.here().1;
        let tree = read(self)?;
        let span = Span::new(start.start, self.last_span().end.max(start.start));
        self.module().specs.push(SpecItem { name, tree, span });
        let named = self.is_sign(":=");
        self.end_of_section("an operator, `;` or a section").map_err(|problem| {
            if named { problem.help("a property is named by `NAME`: `LTLSPEC NAME p := …`") } else { problem }
        })
    }

    /// A name with its path, inside a text that others read.
    pub(super) fn name_inside(&mut self, words: Words<'a>) -> Option<NodeId> {
        let (outer, at) = (std::mem::replace(&mut self.words, words), std::mem::take(&mut self.at));
        let depth = self.depth;
        let parsed = self.target();
        let whole = matches!(self.here().0, Token::End);
        self.words = outer;
        self.at = at;
        self.depth = depth;
        parsed.ok().filter(|_| whole)
    }
}
