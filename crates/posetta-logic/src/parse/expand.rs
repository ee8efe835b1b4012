//! Puts definitions, parameters, loop variables and patterns in for their names.
//!
//! Arguments are put in as trees, never as text, so precedence cannot change and nothing is captured. What comes out of a
//! definition carries the span of its outermost use, in the text of the property: a later mistake, such as a variable that
//! the run does not have, is shown where the property was written.
//!
//! A word means, in this order: a parameter, a loop variable, a definition, a variable.

use std::rc::Rc;
use std::sync::Arc;

use super::define::{Definition, Definitions, ROOT};
use super::expr::{Expr, ExprKind, Laid, Name, Piece};
use super::index::Sign;
use super::psl::PslOp;
use super::{Dialect, Index, MAX_DEPTH};
use crate::atom::{Arith, Spot};
use crate::each::{Domain, Each};
use crate::ltl::Ltl;
use crate::pattern::{Arity, MOST_ARGUMENTS, PATTERNS, Pattern, Scope, Skeleton, skeleton, triggers};
use crate::suggest::{nearest, unglued};
use posetta_base::{Diagnostic, Kind, Located, Number, Place, Span};

/// Definitions can double what they stand for, again and again. Past so many parts a formula, or all formulas of a file
/// together, are refused.
pub(crate) const MOST_NODES: u64 = 1_000_000;

/// Where a tree stands: its text, what its words mean there, and the use that it is put in for.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    text: &'a Arc<str>,
    file: &'a Arc<str>,
    /// The text of the property; [`Self::site`] refers to it.
    home: (&'a Arc<str>, &'a Arc<str>),
    params: &'a [(String, Rc<Expr>)],
    loops: &'a [(String, i64)],
    block: usize,
    pub(super) site: Option<Span>,
    /// What `$k` stands for.
    pub(super) each: Option<&'a Each>,
}

impl<'a> Frame<'a> {
    /// Outside every loop, in the property itself.
    pub(crate) fn at_home(text: &'a Arc<str>, file: &'a Arc<str>) -> Self {
        Self::in_block(text, file, ROOT, &[])
    }

    /// In a block, in one round of its loops.
    pub(crate) fn in_block(text: &'a Arc<str>, file: &'a Arc<str>, block: usize, loops: &'a [(String, i64)]) -> Self {
        Self { text, file, home: (text, file), params: &[], loops, block, site: None, each: None }
    }

    /// The variables of the loops around it.
    pub(super) fn loops(&self) -> &'a [(String, i64)] {
        self.loops
    }

    /// In one round of a loop inside.
    pub(super) fn with_loops<'b>(&self, loops: &'b [(String, i64)]) -> Frame<'b>
    where
        'a: 'b,
    {
        Frame { loops, ..*self }
    }

    /// Where something is shown that stands here.
    pub(super) fn site(&self, span: Span) -> Span {
        self.site.unwrap_or(span)
    }

    /// In a loop over values or processes.
    pub(crate) fn for_each(self, each: Option<&'a Each>) -> Self {
        Self { each, ..self }
    }
}

pub(crate) type Expanded<T = Expr> = Result<T, Box<Located>>;

/// Expands the formulas of one logic.
pub(crate) struct Expander<'d> {
    definitions: &'d mut Definitions,
    pub(super) dialect: Dialect,
    /// The definitions that are being put in, to notice one that needs itself.
    open: Vec<usize>,
    /// A definition is looked at by itself, and its parameters stand for nothing in particular.
    pub(super) trying: bool,
    /// How many nodes may still be made.
    pub(crate) left: u64,
    /// Things worth knowing that change nothing.
    pub(crate) warnings: Vec<Located>,
    /// Whether anything was put in for its name.
    pub(crate) unfolded: bool,
}

impl<'d> Expander<'d> {
    pub(crate) fn new(definitions: &'d mut Definitions, dialect: Dialect, left: u64) -> Self {
        Self { definitions, dialect, open: Vec::new(), trying: false, left, warnings: Vec::new(), unfolded: false }
    }

    /// A formula with everything put in.
    pub(crate) fn formula(&mut self, expr: &Expr, frame: &Frame<'_>) -> Expanded {
        self.expr(expr, frame, 0)
    }

    /// A definition by itself, to find its mistakes even if nothing uses it: every parameter is 0, which can stand anywhere.
    pub(crate) fn try_definition(&mut self, id: usize, loops: &[(String, i64)]) -> Expanded<()> {
        let d = Rc::clone(self.definitions.get(id));
        let zero = Expr { kind: ExprKind::Number(Number::ZERO), span: d.name_span, depth: 1 };
        let params: Vec<_> = d.params.iter().map(|p| (p.clone(), Rc::new(zero.clone()))).collect();
        let frame = Frame {
            params: &params,
            ..Frame::in_block(&d.text, &d.file, d.block, &loops[..self.definitions.loops(d.block)])
        };
        let body = self.body(id)?;
        self.trying = true;
        self.open.push(id);
        self.expr(&body, &frame, 0).map(|_| ())
    }

    fn body(&mut self, id: usize) -> Expanded<Rc<Expr>> {
        let body = self.definitions.body(id, self.dialect);
        body.map_err(|diagnostic| Box::new(Located { file: Arc::clone(&self.definitions.get(id).file), diagnostic }))
    }

    /// A mistake where it is written, be it inside a definition.
    fn wrong(frame: &Frame<'_>, kind: Kind, span: Span, message: impl Into<String>) -> Located {
        let diagnostic = Diagnostic::new(kind, message).at(Place::in_text(frame.text, span));
        Located { file: Arc::clone(frame.file), diagnostic }
    }

    /// A mistake that depends on the arguments: it is shown at the use.
    pub(super) fn misused(&self, frame: &Frame<'_>, kind: Kind, span: Span, message: impl Into<String>) -> Located {
        let Some(site) = frame.site else { return Self::wrong(frame, kind, span, message) };
        let diagnostic = Diagnostic::new(kind, message).at(Place::in_text(frame.home.0, site));
        let inside = self.open.last().map(|&id| self.definitions.get(id));
        let diagnostic = match inside {
            Some(d) => {
                let line = Place::in_text(&d.text, d.name_span).line;
                let place = match d.file == *frame.home.1 {
                    true => format!("in line {line}"),
                    false => format!("in {}", shown_line(&d.file, line)),
                };
                diagnostic.help(format!("it stands in the definition of `{}`, {place}", d.name))
            }
            None => diagnostic,
        };
        Located { file: Arc::clone(frame.home.1), diagnostic }
    }

    pub(super) fn node(&mut self, kind: ExprKind, span: Span, children: u32, frame: &Frame<'_>) -> Expanded {
        let span = frame.site.unwrap_or(span);
        if children >= MAX_DEPTH {
            return Err(Box::new(Self::too_deep(frame, span)));
        }
        self.spend(1, frame, span)?;
        Ok(Expr { kind, span, depth: children + 1 })
    }

    fn too_deep(frame: &Frame<'_>, span: Span) -> Located {
        let message = format!("with its definitions put in, this formula is nested more than {MAX_DEPTH} levels deep");
        let (text, file) = frame.home;
        let place = Place::in_text(text, frame.site.unwrap_or(Span::new(span.start, span.start + 1)));
        let diagnostic = Diagnostic::new(Kind::Nesting, message).at(place).help("split it into several properties");
        Located { file: Arc::clone(file), diagnostic }
    }

    /// Takes so many nodes of those that may be made.
    pub(crate) fn spend(&mut self, nodes: u64, frame: &Frame<'_>, span: Span) -> Expanded<()> {
        match self.left.checked_sub(nodes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let message = "with definitions and patterns put in, the formulas have more than a million parts";
                let (text, file) = frame.home;
                let place = Place::in_text(text, frame.site.unwrap_or(span));
                let diagnostic =
                    Diagnostic::new(Kind::TooLarge, message).at(place).help("split it into several properties");
                Err(Box::new(Located { file: Arc::clone(file), diagnostic }))
            }
        }
    }

    /// `level` is how deep the recursion is, so that a long chain of definitions cannot exhaust the stack.
    pub(super) fn expr(&mut self, expr: &Expr, frame: &Frame<'_>, level: u32) -> Expanded {
        if level > MAX_DEPTH {
            return Err(Box::new(Self::too_deep(frame, expr.span)));
        }
        match &expr.kind {
            ExprKind::Word(pieces) => self.word(pieces, expr.span, frame, level),
            ExprKind::Call { name, name_span, lists, scope } => {
                self.call(name, *name_span, lists, scope.as_deref(), expr.span, frame, level)
            }
            ExprKind::Event(name, tests) => self.event(name.as_ref(), tests, expr.span, frame, level),
            ExprKind::Process(Name::Key(name, span)) => self.own_process(name, *span, expr.span, frame),
            ExprKind::Key(name) => {
                self.key(name, expr.span, frame)?;
                if let Some(each) = frame.each.filter(|each| each.second.is_some() && !self.trying) {
                    let message = format!("in `{each}`, `${name}` is compared with attributes only");
                    let mut mistake = self.misused(frame, Kind::Unsupported, expr.span, message);
                    mistake.diagnostic = mistake.diagnostic.label(format!("expected `event(*, ATTRIBUTE == ${name})`"));
                    return Err(Box::new(mistake));
                }
                self.node(expr.kind.clone(), expr.span, 0, frame)
            }
            ExprKind::Process(name) => {
                let kind = ExprKind::Process(Name::Given(self.name(name, expr.span, frame)?));
                self.node(kind, expr.span, 0, frame)
            }
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                let (parts, depth) = self.all(parts, frame, level)?;
                let is_and = matches!(expr.kind, ExprKind::And(_));
                let kind = if is_and { ExprKind::And(parts) } else { ExprKind::Or(parts) };
                self.node(kind, expr.span, depth, frame)
            }
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Var(_) | ExprKind::Bool(_) => {
                self.node(expr.kind.clone(), expr.span, 0, frame)
            }
            ExprKind::On(e) => self.one(e, expr.span, ExprKind::On, frame, level),
            ExprKind::Neg(e) => self.one(e, expr.span, ExprKind::Neg, frame, level),
            ExprKind::Not(e) => self.one(e, expr.span, ExprKind::Not, frame, level),
            ExprKind::LtlUnary(op, e) => self.one(e, expr.span, |e| ExprKind::LtlUnary(*op, e), frame, level),
            ExprKind::CtlUnary(path, op, e) => {
                self.one(e, expr.span, |e| ExprKind::CtlUnary(*path, *op, e), frame, level)
            }
            ExprKind::Implies(a, b) => self.two(a, b, expr.span, ExprKind::Implies, frame, level),
            ExprKind::Iff(a, b) => self.two(a, b, expr.span, ExprKind::Iff, frame, level),
            ExprKind::Arith(op, a, b) => self.two(a, b, expr.span, |a, b| ExprKind::Arith(*op, a, b), frame, level),
            ExprKind::Compare(op, a, b) => {
                let compared = self.two(a, b, expr.span, |a, b| ExprKind::Compare(*op, a, b), frame, level)?;
                if self.dialect.is_psl() { self.truths(compared, frame) } else { Ok(compared) }
            }
            ExprKind::LtlBinary(op, a, b) => {
                self.two(a, b, expr.span, |a, b| ExprKind::LtlBinary(*op, a, b), frame, level)
            }
            ExprKind::CtlBinary(path, op, a, b) => {
                self.two(a, b, expr.span, |a, b| ExprKind::CtlBinary(*path, *op, a, b), frame, level)
            }
            ExprKind::Psl(PslOp::Forall(variable, values, at), body) => {
                self.forall(variable, values, *at, &body[0], expr.span, frame, level)
            }
            ExprKind::Psl(PslOp::Named(_), _) => {
                let message = "an argument with a name belongs to a property or a sequence";
                Err(Box::new(Self::wrong(frame, Kind::Syntax, expr.span, message)))
            }
            ExprKind::Psl(op, parts) => {
                let (parts, depth) = self.all(parts, frame, level)?;
                let op = self.psl_op(op, frame)?;
                self.node(ExprKind::Psl(op, parts), expr.span, depth, frame)
            }
            ExprKind::Pattern(..) | ExprKind::Enabled(_) | ExprKind::Prev(_) => unreachable!("made by expansion only"),
        }
    }

    fn one(
        &mut self,
        operand: &Expr,
        span: Span,
        build: impl FnOnce(Box<Expr>) -> ExprKind,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let operand = Box::new(self.expr(operand, frame, level + 1)?);
        let depth = operand.depth;
        self.node(build(operand), span, depth, frame)
    }

    fn two(
        &mut self,
        a: &Expr,
        b: &Expr,
        span: Span,
        build: impl FnOnce(Box<Expr>, Box<Expr>) -> ExprKind,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let a = Box::new(self.expr(a, frame, level + 1)?);
        let b = Box::new(self.expr(b, frame, level + 1)?);
        let depth = a.depth.max(b.depth);
        self.node(build(a, b), span, depth, frame)
    }

    fn all(&mut self, parts: &[Expr], frame: &Frame<'_>, level: u32) -> Expanded<(Vec<Expr>, u32)> {
        let parts: Vec<Expr> = parts.iter().map(|e| self.expr(e, frame, level + 1)).collect::<Result<_, _>>()?;
        let depth = parts.iter().map(|e| e.depth).max().unwrap_or(0);
        Ok((parts, depth))
    }

    fn word(&mut self, pieces: &[Piece], span: Span, frame: &Frame<'_>, level: u32) -> Expanded {
        if let [Piece::Text(name)] = pieces {
            if let Some(argument) = param(frame, name) {
                self.spend(size(argument), frame, span)?;
                return Ok(argument.clone());
            }
            if let Some(value) = loop_value(frame, name) {
                return self.node(ExprKind::Number(Number::from(value)), span, 0, frame);
            }
            if let Some(found) = self.definitions.find(name, frame.block) {
                let id = found.map_err(|mistake| Box::new(mistake.clone()))?;
                self.is_formula(id, span, frame)?;
                let put_in = self.put_in(id, Vec::new(), span, span, frame, level)?;
                return self.endpoint(id, put_in, span, frame);
            }
        }
        let name = self.spell(pieces, span, frame)?;
        self.node(ExprKind::Var(name), span, 0, frame)
    }

    /// A name with its indices worked out. Its first word may be a parameter that stands for a name.
    fn spell(&mut self, pieces: &[Piece], span: Span, frame: &Frame<'_>) -> Expanded<String> {
        let mut name = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) if name.is_empty() => {
                    let (head, path) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
                    let is_whole = path.is_empty() && pieces.len() == 1;
                    match param(frame, head).filter(|_| !is_whole) {
                        None => name.push_str(head),
                        Some(Expr { kind: ExprKind::Var(given), .. }) => name.push_str(given),
                        Some(_) if self.trying => name.push_str(head),
                        Some(_) => {
                            return Err(Box::new(self.misused(
                                frame,
                                Kind::Definition,
                                span,
                                format!("`{head}` must be given as a name here, because `{head}{path}…` continues it"),
                            )));
                        }
                    }
                    name.push_str(path);
                }
                Piece::Text(text) => name.push_str(text),
                Piece::Slice(first, last) => {
                    let (first, last) = (self.index(first, span, frame)?, self.index(last, span, frame)?);
                    name.push_str(&format!("[{first}:{last}]"));
                }
                Piece::Index(index) => {
                    let value = self.index(index, span, frame)?;
                    if value < 0 && !self.trying {
                        let message = format!("an index cannot be negative, and this one is {value}");
                        return Err(Box::new(self.misused(frame, Kind::Definition, span, message)));
                    }
                    name.push_str(&format!("[{value}]"));
                }
            }
        }
        Ok(name)
    }

    /// A name that may be made in a loop: that of a property.
    pub(crate) fn property_name(&mut self, pieces: &[Piece], span: Span, frame: &Frame<'_>) -> Expanded<String> {
        self.spell(pieces, span, frame)
    }

    /// The name of an event or a process.
    pub(crate) fn name(&mut self, name: &Name, span: Span, frame: &Frame<'_>) -> Expanded<String> {
        let pieces = match name {
            Name::Given(name) => return Ok(name.clone()),
            Name::Key(_, span) => {
                return Err(Box::new(Self::wrong(frame, Kind::Syntax, *span, "a name is needed here")));
            }
            Name::Word(pieces) => pieces,
        };
        if let [Piece::Text(word)] = pieces.as_slice() {
            match param(frame, word).map(|e| &e.kind) {
                None => {}
                Some(ExprKind::Var(name) | ExprKind::Text(name)) => return Ok(name.clone()),
                Some(ExprKind::Number(n)) => return Ok(n.to_string()),
                Some(_) => {
                    let message = format!("`{word}` must be given as a name here");
                    return Err(Box::new(self.misused(frame, Kind::Definition, span, message)));
                }
            }
            if let Some(value) = loop_value(frame, word) {
                return Ok(value.to_string());
            }
        }
        self.spell(pieces, span, frame)
    }

    /// The value of an index.
    pub(crate) fn index(&mut self, index: &Index, span: Span, frame: &Frame<'_>) -> Expanded<i64> {
        match index {
            Index::Int(n) => Ok(*n),
            Index::Word(word, at) => {
                if let Some(argument) = param(frame, word) {
                    return constant(argument).ok_or_else(|| {
                        let message = format!("`{word}` is an index here, so a whole number must be given for it");
                        Box::new(self.misused(frame, Kind::Definition, span, message))
                    });
                }
                loop_value(frame, word).ok_or_else(|| {
                    let mut mistake = Self::wrong(
                        frame,
                        Kind::Definition,
                        *at,
                        format!("`{word}` is neither a parameter nor a loop variable here"),
                    );
                    mistake.diagnostic = mistake
                        .diagnostic
                        .label("expected a whole number")
                        .help("an index is worked out before any run is read; a variable cannot be one");
                    Box::new(mistake)
                })
            }
            Index::Binary(sign, a, b) => {
                let (a, b) = (self.index(a, span, frame)?, self.index(b, span, frame)?);
                sign.apply(a, b).or(self.trying.then_some(0)).ok_or_else(|| {
                    let sum = format!("{a} {} {b}", sign.text());
                    let (message, label) = match sign {
                        Sign::Rem => {
                            (format!("this index is {sum}, which has no value"), "expected a number from 1 behind `%`")
                        }
                        _ => (
                            format!("this index is {sum}, which is more than 64 bits hold"),
                            "expected smaller numbers",
                        ),
                    };
                    let mut mistake = self.misused(frame, Kind::Definition, span, message);
                    mistake.diagnostic = mistake.diagnostic.label(label);
                    Box::new(mistake)
                })
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a call has many parts, and each is needed once")]
    fn call(
        &mut self,
        name: &str,
        name_span: Span,
        lists: &[Vec<Expr>],
        scope: Option<&Scope<Expr>>,
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        if let Some((pattern, arity, usage)) = Pattern::named(name) {
            return self.pattern(pattern, arity, usage, name_span, lists, scope, span, frame, level);
        }
        if param(frame, name).is_some() || loop_value(frame, name).is_some() {
            let message = format!("`{name}` is a parameter or a loop variable here, and takes no arguments");
            return Err(Box::new(Self::wrong(frame, Kind::Definition, name_span, message)));
        }
        let id = match self.definitions.find(name, frame.block) {
            Some(Ok(id)) => id,
            Some(Err(mistake)) => return Err(Box::new(mistake.clone())),
            None if name == "enabled" => return self.enabled(lists, scope, span, frame),
            None if name == "prev" && !self.dialect.is_psl() => return self.prev(lists, scope, span, frame, level),
            None => {
                let function = match scope {
                    None => self.function(name, name_span, lists, span, frame, level),
                    Some(_) => None,
                };
                return function.unwrap_or_else(|| Err(Box::new(self.unknown(name, name_span, frame))));
            }
        };
        let wrong = |message: String| {
            let definition = self.definitions.get(id);
            let line = Place::in_text(&definition.text, definition.name_span).line;
            let mut mistake = Self::wrong(frame, Kind::Definition, name_span, message);
            mistake.diagnostic = mistake.diagnostic.label(format!("defined in {}", shown_line(&definition.file, line)));
            Err(Box::new(mistake))
        };
        if lists.len() > 1 {
            return wrong(format!("the arguments of `{name}` are separated by commas"));
        }
        if scope.is_some() {
            return wrong(format!("only patterns have a scope, and `{name}` is a definition"));
        }
        self.is_formula(id, name_span, frame)?;
        let named = self.by_name(id, &lists[0], frame)?;
        let arguments = self.all(named.as_deref().unwrap_or(&lists[0]), frame, level)?.0;
        let put_in = self.put_in(id, arguments, name_span, span, frame, level)?;
        self.endpoint(id, put_in, span, frame)
    }

    /// The arguments that are given by name, in the order of the parameters; `None` if they are not.
    fn by_name(&self, id: usize, list: &[Expr], frame: &Frame<'_>) -> Expanded<Option<Vec<Expr>>> {
        let named = |e: &Expr| match &e.kind {
            ExprKind::Psl(PslOp::Named(name), parts) => Some((name.clone(), parts[0].clone())),
            _ => None,
        };
        if !list.iter().any(|e| named(e).is_some()) {
            return Ok(None);
        }
        let definition = self.definitions.get(id);
        let mut found: Vec<Option<Expr>> = vec![None; definition.params.len()];
        for argument in list {
            let wrong = |message: String| Err(Box::new(Self::wrong(frame, Kind::Definition, argument.span, message)));
            let Some((name, value)) = named(argument) else {
                return wrong("behind arguments with names all have one".to_owned());
            };
            let place = definition.params.iter().position(|param| *param == name);
            match place.map(|place| &mut found[place]) {
                None => return wrong(format!("`{}` has no parameter `{name}`", definition.name)),
                Some(Some(_)) => return wrong(format!("`{name}` is given twice")),
                Some(own) => *own = Some(value),
            }
        }
        // One that is missing is told by the number of arguments.
        Ok(Some(found.into_iter().flatten().collect()))
    }

    /// What an endpoint stands for; other definitions stand for their text.
    fn endpoint(&mut self, id: usize, put_in: Expr, span: Span, frame: &Frame<'_>) -> Expanded {
        if !self.definitions.get(id).is_endpoint {
            return Ok(put_in);
        }
        let depth = put_in.depth;
        self.node(ExprKind::Psl(PslOp::Ended, vec![put_in]), span, depth, frame)
    }

    /// A whole property is no part of a formula.
    fn is_formula(&self, id: usize, span: Span, frame: &Frame<'_>) -> Expanded<()> {
        let d = self.definitions.get(id);
        if !d.is_whole {
            return Ok(());
        }
        let mut mistake =
            Self::wrong(frame, Kind::Definition, span, format!("`{}` is a whole property, not a formula", d.name));
        mistake.diagnostic =
            mistake.diagnostic.label("expected a formula").help(format!("as in `property p = {}`", usage(d)));
        Err(Box::new(mistake))
    }

    /// The use of a definition that is a whole property, for which the loop is `own`, if it has one: the formula, and that loop with its
    /// attribute put in.
    pub(crate) fn whole(
        &mut self,
        id: usize,
        expr: &Expr,
        own: Option<&(Arc<Each>, bool)>,
        frame: &Frame<'_>,
    ) -> Expanded<(Expr, Option<Each>)> {
        let d = Rc::clone(self.definitions.get(id));
        let (arguments, name_span) = match &expr.kind {
            ExprKind::Word(_) => (Vec::new(), expr.span),
            ExprKind::Call { name, name_span, lists, scope: None } if lists.len() == 1 && *name == d.name => {
                (self.all(&lists[0], frame, 0)?.0, *name_span)
            }
            _ => {
                let message = format!("`{}` is a whole property, and nothing can stand beside it", d.name);
                let mut mistake = Self::wrong(frame, Kind::Definition, expr.span, message);
                mistake.diagnostic = mistake.diagnostic.label(format!("expected {} alone", usage(&d)));
                return Err(Box::new(mistake));
            }
        };
        let own = match own {
            Some((own, is_word)) => {
                if let Some(outer) = frame.each {
                    let message = "a loop over values cannot stand in another one";
                    let mut mistake = Self::wrong(frame, Kind::Unsupported, name_span, message);
                    let around = format!("`{outer}` is around it");
                    mistake.diagnostic =
                        mistake.diagnostic.label(around).help(format!("`{}` is itself `{own}`", d.name));
                    return Err(Box::new(mistake));
                }
                let mut each = Each { spot: Spot(expr.span), ..Each::clone(own) };
                if let Domain::Values(attribute) = &mut each.domain
                    && *is_word
                    && let Some(argument) = d.params.iter().position(|p| p == attribute).and_then(|i| arguments.get(i))
                {
                    match &argument.kind {
                        ExprKind::Var(name) | ExprKind::Text(name) => attribute.clone_from(name),
                        _ => {
                            let message = format!("`{attribute}` must be given as the name of an attribute here");
                            let mut mistake = Self::wrong(frame, Kind::Definition, argument.span, message);
                            mistake.diagnostic = mistake.diagnostic.label(format!("expected {}", usage(&d)));
                            return Err(Box::new(mistake));
                        }
                    }
                }
                Some(each)
            }
            None => None,
        };
        let inside = frame.for_each(own.as_ref().or(frame.each));
        let expanded = self.put_in(id, arguments, name_span, expr.span, &inside, 0)?;
        Ok((expanded, own))
    }

    /// `enabled(name)`, where nothing is defined under that name.
    fn enabled(&mut self, lists: &[Vec<Expr>], scope: Option<&Scope<Expr>>, span: Span, frame: &Frame<'_>) -> Expanded {
        let name = match lists {
            [list] if scope.is_none() => match list.as_slice() {
                [Expr { kind: ExprKind::Word(pieces), .. }] => Some(Name::Word(pieces.clone())),
                [Expr { kind: ExprKind::Var(name) | ExprKind::Text(name), .. }] => Some(Name::Given(name.clone())),
                [Expr { kind: ExprKind::Number(n), .. }] => Some(Name::Given(n.to_string())),
                _ => None,
            },
            _ => None,
        };
        let Some(name) = name else {
            let mut mistake = Self::wrong(frame, Kind::Syntax, span, "`enabled` takes the name of one action");
            let diagnostic = mistake.diagnostic.label("expected enabled(name)");
            mistake.diagnostic = diagnostic.help("an odd name is written in double quotes");
            return Err(Box::new(mistake));
        };
        let kind = ExprKind::Enabled(self.name(&name, span, frame)?);
        self.node(kind, span, 0, frame)
    }

    /// `prev(x)`, where nothing is defined under that name.
    fn prev(
        &mut self,
        lists: &[Vec<Expr>],
        scope: Option<&Scope<Expr>>,
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let variable = match lists {
            [list] if scope.is_none() => match list.as_slice() {
                [one] => Some(self.expr(one, frame, level + 1)?),
                _ => None,
            },
            _ => None,
        };
        let name = match variable.map(|variable| variable.kind) {
            Some(ExprKind::Var(name)) => name,
            // A parameter that stands for nothing in particular.
            Some(ExprKind::Number(_)) if self.trying => {
                return self.node(ExprKind::Number(Number::ZERO), span, 0, frame);
            }
            _ => {
                let mut mistake = self.misused(frame, Kind::Syntax, span, "`prev` takes one variable");
                let diagnostic = mistake.diagnostic.label("expected prev(x)");
                mistake.diagnostic = match diagnostic.help {
                    None => diagnostic.help("what was true at the position before is said with `Y`, in LTL"),
                    Some(_) => diagnostic,
                };
                return Err(Box::new(mistake));
            }
        };
        self.node(ExprKind::Prev(name), span, 0, frame)
    }

    /// A definition for its use.
    fn put_in(
        &mut self,
        id: usize,
        arguments: Vec<Expr>,
        name_span: Span,
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let d = Rc::clone(self.definitions.get(id));
        if arguments.len() != d.params.len() {
            let takes = match d.params.len() {
                0 => "no arguments".to_owned(),
                1 => "1 argument".to_owned(),
                n => format!("{n} arguments"),
            };
            let mut mistake = Self::wrong(
                frame,
                Kind::Definition,
                name_span,
                format!("`{}` takes {takes}, and {} given", d.name, counted(arguments.len())),
            );
            if !d.params.is_empty() {
                mistake.diagnostic = mistake.diagnostic.label(format!("expected {}", usage(&d)));
            }
            return Err(Box::new(mistake));
        }
        if let Some(from) = self.open.iter().position(|&open| open == id) {
            let names: Vec<&str> =
                self.open[from..].iter().chain([&id]).map(|&id| self.definitions.get(id).name.as_str()).collect();
            let message = format!("`{}` is defined by itself", d.name);
            let mut mistake = Self::wrong(frame, Kind::Definition, name_span, message);
            mistake.diagnostic = mistake.diagnostic.label(names.join(" needs "));
            return Err(Box::new(mistake));
        }
        if self.trying && self.definitions.is_known(id) {
            return self.node(ExprKind::Number(Number::ZERO), span, 0, frame);
        }
        let params: Vec<_> = d.params.iter().cloned().zip(arguments.into_iter().map(Rc::new)).collect();
        let inside = Frame {
            text: &d.text,
            file: &d.file,
            home: frame.home,
            params: &params,
            loops: &frame.loops[..self.definitions.loops(d.block)],
            block: d.block,
            site: Some(frame.site.unwrap_or(span)),
            each: frame.each,
        };
        let body = match self.body(id) {
            Ok(body) => body,
            Err(mistake) => return Err(self.of_other_logic(id, name_span, frame).unwrap_or(mistake)),
        };
        self.unfolded = true;
        self.open.push(id);
        let expanded = self.expr(&body, &inside, level + 1);
        self.open.pop();
        expanded
    }

    /// If only another logic can read a definition, its use is the mistake.
    fn of_other_logic(&mut self, id: usize, span: Span, frame: &Frame<'_>) -> Option<Box<Located>> {
        let all = [Dialect::Ltl, Dialect::Ctl, Dialect::PSL];
        let other = all.into_iter().find(|&d| d != self.dialect && self.definitions.body(id, d).is_ok())?;
        let (theirs, ours) = (other.name(), self.dialect.name());
        let place = |id: usize| {
            let d = self.definitions.get(id);
            let line = Place::in_text(&d.text, d.name_span).line;
            if d.file == *frame.home.1 { format!("line {line}") } else { shown_line(&d.file, line) }
        };
        let name = &self.definitions.get(id).name;
        let message = format!("`{name}` is defined by a formula of {theirs}, and this is {ours}");
        let mut help = format!("`{name}` is defined in {}", place(id));
        if let (Some(&inside), Some(_)) = (self.open.last(), frame.site) {
            help.push_str(&format!(" and used by `{}` in {}", self.definitions.get(inside).name, place(inside)));
        }
        help.push_str(&format!("; write `{name}` in {ours}, or this property in {theirs}"));
        let mut mistake = self.misused(frame, Kind::Unsupported, span, message);
        mistake.diagnostic = mistake.diagnostic.label(format!("expected a formula of {ours}")).help(help);
        Some(Box::new(mistake))
    }

    fn unknown(&self, name: &str, span: Span, frame: &Frame<'_>) -> Located {
        let message = format!("there is no definition or pattern called `{name}`");
        let mut mistake = Self::wrong(frame, Kind::Definition, span, message);
        let mut known = self.definitions.names(frame.block);
        known.extend(PATTERNS.iter().map(|(_, name, ..)| *name));
        let is_known = |name: &str| matches!(name, "on" | "event" | "process") || known.contains(&name);
        let meant = unglued(name, self.dialect.unary(), &is_known);
        mistake.diagnostic = match meant.or_else(|| nearest(name, known.iter().copied()).map(str::to_owned)) {
            Some(near) => mistake.diagnostic.label(format!("did you mean `{near}`?")),
            None => mistake.diagnostic.label("expected a definition, a pattern, or an operator behind the name").help(
                format!("define it with `let {name}(…) = …`; after a variable an operator must stand before the `(`"),
            ),
        };
        mistake
    }

    #[expect(clippy::too_many_arguments, reason = "as for `call`")]
    fn pattern(
        &mut self,
        pattern: Pattern,
        arity: Arity,
        usage: &str,
        name_span: Span,
        lists: &[Vec<Expr>],
        scope: Option<&Scope<Expr>>,
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let wrong = |kind: Kind, message: String, label: String| {
            let mut mistake = Self::wrong(frame, kind, name_span, message);
            mistake.diagnostic = mistake.diagnostic.label(label);
            Err(Box::new(mistake))
        };
        if self.dialect == Dialect::Ctl {
            let message = "patterns are formulas of LTL, and this is CTL";
            let mut mistake = self.misused(frame, Kind::Unsupported, name_span, message);
            mistake.diagnostic = mistake.diagnostic.label("expected a CTL formula");
            return Err(Box::new(mistake));
        }
        let counts: Vec<usize> = lists.iter().map(Vec::len).collect();
        let fits = match (arity, counts.as_slice()) {
            (Arity::Exactly(n), [given]) => *given == n,
            (Arity::Several, [given]) => *given >= 2,
            (Arity::Lists, [first, second]) => *first > 0 && *second > 0,
            _ => false,
        };
        if !fits {
            let given: usize = counts.iter().sum();
            let message = match (arity, counts.len()) {
                (Arity::Lists, 1) => "a chain has two lists, separated by a semicolon".to_owned(),
                (Arity::Exactly(_) | Arity::Several, 2..) => "the arguments are separated by commas".to_owned(),
                _ => format!("this pattern takes other arguments, and {} given", counted(given)),
            };
            return wrong(Kind::Definition, message, format!("expected {usage}"));
        }
        if pattern == Pattern::Starts && scope.is_some() {
            let message = "`starts` speaks of one position and has no scope".to_owned();
            return wrong(Kind::Definition, message, format!("expected {usage}"));
        }
        let total: usize = counts.iter().sum();
        if total > MOST_ARGUMENTS {
            let message = format!("a pattern takes at most {MOST_ARGUMENTS} arguments, and {} given", counted(total));
            return wrong(Kind::TooLarge, message, "split it".to_owned());
        }
        let mut arguments = Vec::new();
        for argument in lists.iter().flatten() {
            let expanded = self.expr(argument, frame, level + 1)?;
            if pattern.counts() && lasts(&expanded) {
                self.warn_lasting(pattern, expanded.span, frame);
            }
            arguments.push(expanded);
        }
        let scope = self.scope(scope, &mut arguments, frame, level)?;
        let triggers = triggers(pattern, counts[0], total, scope);
        let skeleton = skeleton(pattern, counts[0], total, scope);
        self.unfolded = true;
        let sizes: Vec<u64> = arguments.iter().map(size).collect();
        self.spend(skeleton_size(&skeleton, &sizes), frame, span)?;
        let depth = skeleton_depth(&skeleton) + arguments.iter().map(|a| a.depth).max().unwrap_or(0);
        self.node(ExprKind::Pattern(Box::new(Laid { skeleton, triggers }), arguments), span, depth, frame)
    }

    /// The scope over the numbers of its formulas, which join the arguments.
    fn scope(
        &mut self,
        scope: Option<&Scope<Expr>>,
        arguments: &mut Vec<Expr>,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded<Scope<usize>> {
        let mut add = |formula: &Expr| -> Expanded<usize> {
            arguments.push(self.expr(formula, frame, level + 1)?);
            Ok(arguments.len() - 1)
        };
        Ok(match scope {
            None | Some(Scope::Globally) => Scope::Globally,
            Some(Scope::Before(r)) => Scope::Before(add(r)?),
            Some(Scope::After(q)) => Scope::After(add(q)?),
            Some(Scope::Between(q, r)) => Scope::Between(add(q)?, add(r)?),
            Some(Scope::AfterUntil(q, r)) => Scope::AfterUntil(add(q)?, add(r)?),
        })
    }

    fn warn_lasting(&mut self, pattern: Pattern, span: Span, frame: &Frame<'_>) {
        let name = if pattern == Pattern::ExactlyOnce { "exactly_once" } else { "alternation" };
        let message = format!("`{name}` counts positions, and a condition on states may last over many");
        let (text, file) = frame.home;
        let diagnostic = Diagnostic::new(Kind::Pattern, message)
            .at(Place::in_text(text, span))
            .label("this counts at every position where it holds")
            .help("`starts(…)` counts only where it begins, `on(…)` where an event makes it so");
        let warning = Located { file: Arc::clone(file), diagnostic };
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// A line of a file, as messages call it.
fn shown_line(file: &Arc<str>, line: u64) -> String {
    if file.is_empty() { format!("line {line} of this text") } else { format!("line {line} of `{file}`") }
}

/// How a definition is used.
fn usage(d: &Definition) -> String {
    if d.params.is_empty() { d.name.clone() } else { format!("{}({})", d.name, d.params.join(", ")) }
}

/// `1 is`, `2 are`.
fn counted(n: usize) -> String {
    format!("{n} {}", if n == 1 { "is" } else { "are" })
}

pub(super) fn param<'a>(frame: &Frame<'a>, name: &str) -> Option<&'a Expr> {
    frame.params.iter().find(|(param, _)| param == name).map(|(_, argument)| &**argument)
}

pub(super) fn loop_value(frame: &Frame<'_>, name: &str) -> Option<i64> {
    frame.loops.iter().rev().find(|(variable, _)| variable == name).map(|&(_, value)| value)
}

/// The whole number that a tree without variables stands for.
pub(super) fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(n) => n.as_i64(),
        ExprKind::Neg(e) => constant(e)?.checked_neg(),
        ExprKind::Arith(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                Arith::Add => a.checked_add(b),
                Arith::Sub => a.checked_sub(b),
                Arith::Mul => a.checked_mul(b),
                Arith::Div => None,
            }
        }
        _ => None,
    }
}

/// Whether a formula is a condition on states alone, which may hold at many positions in a row.
fn lasts(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::On(_) | ExprKind::Event(..) | ExprKind::Process(_) => false,
        ExprKind::LtlUnary(..) | ExprKind::LtlBinary(..) | ExprKind::Pattern(..) | ExprKind::Psl(..) => false,
        ExprKind::Not(e) => lasts(e),
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().all(lasts),
        ExprKind::Implies(a, b) | ExprKind::Iff(a, b) => lasts(a) && lasts(b),
        _ => true,
    }
}

/// How many parts the formula of a tree has.
pub(super) fn size(expr: &Expr) -> u64 {
    let children = match &expr.kind {
        ExprKind::On(e)
        | ExprKind::Neg(e)
        | ExprKind::Not(e)
        | ExprKind::LtlUnary(_, e)
        | ExprKind::CtlUnary(_, _, e) => size(e),
        ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Psl(_, parts) => parts.iter().map(size).sum(),
        ExprKind::Implies(a, b)
        | ExprKind::Iff(a, b)
        | ExprKind::Arith(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::LtlBinary(_, a, b)
        | ExprKind::CtlBinary(_, _, a, b) => size(a) + size(b),
        ExprKind::Pattern(laid, arguments) => {
            return skeleton_size(&laid.skeleton, &arguments.iter().map(size).collect::<Vec<_>>());
        }
        _ => 0,
    };
    children + 1
}

/// How many parts a skeleton has with arguments of these sizes put in. Saturates far above what is allowed.
pub(super) fn skeleton_size(skeleton: &Skeleton, sizes: &[u64]) -> u64 {
    let of = |f: &Skeleton| skeleton_size(f, sizes);
    let children = match skeleton {
        Ltl::Atom(n) => return sizes[*n],
        Ltl::True | Ltl::False => 0,
        Ltl::Not(f) | Ltl::Unary(_, f) => of(f),
        Ltl::And(fs) | Ltl::Or(fs) => fs.iter().map(of).fold(0, u64::saturating_add),
        Ltl::Implies(f, g) | Ltl::Iff(f, g) | Ltl::Binary(_, f, g) => of(f).saturating_add(of(g)),
    };
    children.saturating_add(1)
}

fn skeleton_depth(skeleton: &Skeleton) -> u32 {
    match skeleton {
        Ltl::Atom(_) | Ltl::True | Ltl::False => 0,
        Ltl::Not(f) | Ltl::Unary(_, f) => 1 + skeleton_depth(f),
        Ltl::And(fs) | Ltl::Or(fs) => 1 + fs.iter().map(skeleton_depth).max().unwrap_or(0),
        Ltl::Implies(f, g) | Ltl::Iff(f, g) | Ltl::Binary(_, f, g) => 1 + skeleton_depth(f).max(skeleton_depth(g)),
    }
}
