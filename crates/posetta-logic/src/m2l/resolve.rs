//! Declarations to a program: names, and what each stands for. Expressions are in [`super::values`].
//!
//! A declaration with a mistake still declares its names, so that later ones can use them; a name whose meaning is not known is
//! [`Entry::Broken`] and causes no further mistakes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::expr::{Bound, Declaration, Expr, Formal};
use super::include::{ReadAtom, Text};
use super::tree::{
    Connective, Formula, Mode, Order, Position, PredId, Predicate, Program, Remarks, Set, VarId, Variable, Verify,
};
use super::{Source, fold};
use crate::atom::Atom;
use crate::nearest;
use posetta_base::{Diagnostic, Kind, Located, Mistakes, Place, Span, Spanned};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Var(VarId),
    Const(i128),
    Pred(PredId),
    /// Something with a mistake.
    Broken,
}

/// What a file declares.
struct Global {
    entry: Entry,
    /// The text and the place of its declaration; `None` for what was not written.
    place: Option<(usize, Span)>,
}

pub(super) struct Resolver<'t> {
    texts: &'t [Text],
    /// The text that is being read.
    text: usize,
    pub(super) sort: Source,
    pub(super) program: Program,
    globals: FxHashMap<String, Global>,
    /// The keys of the above, in their order, for suggestions.
    names: Vec<String>,
    /// The names of quantifiers, `let`s and parameters, the innermost last.
    scope: Vec<(String, Entry)>,
    /// The predicate that is being read.
    within: Option<String>,
    mistakes: Vec<Located>,
    atoms: FxHashMap<Atom, VarId>,
    read_atom: &'t mut ReadAtom<'t>,
    formulas: Vec<Formula>,
    assertions: Vec<Formula>,
}

/// How a message calls what a variable of this order is.
pub(super) fn kind_of(order: Order) -> &'static str {
    match order {
        Order::Zero => "a truth value",
        Order::One => "a position",
        Order::Two => "a set",
    }
}

impl<'t> Resolver<'t> {
    pub(super) fn new(texts: &'t [Text], sort: Source, mode: Mode, read_atom: &'t mut ReadAtom<'t>) -> Self {
        let program = Program {
            mode,
            vars: Vec::new(),
            globals: Vec::new(),
            preds: Vec::new(),
            formula: Formula::Constant(true),
            assertion: Formula::Constant(true),
            verify: Vec::new(),
            default_one: None,
            default_two: None,
            all_positions: None,
            last_position: None,
            atoms: Vec::new(),
            remarks: Remarks::default(),
        };
        let mut resolver = Self {
            texts,
            text: 0,
            sort,
            program,
            globals: FxHashMap::default(),
            names: Vec::new(),
            scope: Vec::new(),
            within: None,
            mistakes: Vec::new(),
            atoms: FxHashMap::default(),
            read_atom,
            formulas: Vec::new(),
            assertions: Vec::new(),
        };
        if mode == Mode::M2lStr {
            resolver.positions_of_a_string();
        }
        resolver
    }

    /// Names that stand for numbers before anything is declared.
    pub(super) fn with_numbers(mut self, numbers: &[(String, i64)]) -> Self {
        for (name, number) in numbers {
            self.names.push(name.clone());
            self.globals.insert(name.clone(), Global { entry: Entry::Const((*number).into()), place: None });
        }
        self
    }

    /// What `m2l-str` stands for: `var2 $ where ~ex1 p where true: p notin $ & p+1 in $; allpos $; defaultwhere1(p) = p in $;
    /// defaultwhere2(P) = P sub $;`.
    fn positions_of_a_string(&mut self) {
        let whole = self.variable("$", Order::Two, Span::default());
        let all = || Set::Var(whole);
        let p = self.variable("p", Order::One, Span::default());
        self.program.vars[p.index()].restriction = Some(Formula::Constant(true));
        let outside = Formula::Not(Box::new(Formula::In(Position::Var(p), all())));
        let next = Formula::In(Position::Plus(Box::new(Position::Var(p)), 1), all());
        let gap = Formula::Joined(Connective::And, Box::new(outside), Box::new(next));
        let gap = Formula::Quantified { all: false, vars: vec![p], body: Box::new(gap) };
        self.program.vars[whole.index()].restriction = Some(Formula::Not(Box::new(gap)));
        self.program.globals.push(whole);
        self.program.all_positions = Some(whole);
        let p = self.variable("p", Order::One, Span::default());
        self.program.default_one = Some((p, Formula::In(Position::Var(p), all())));
        let set = self.variable("P", Order::Two, Span::default());
        self.program.default_two = Some((set, Formula::Sub(Set::Var(set), all())));
        self.names.push("$".to_owned());
        self.globals.insert("$".to_owned(), Global { entry: Entry::Var(whole), place: None });
    }

    /// All declarations.
    pub(super) fn program(mut self, declarations: Vec<(usize, Declaration)>) -> Result<Program, Mistakes<Located>> {
        let last = declarations.last().map_or(0, |(text, _)| *text);
        for (text, declaration) in declarations {
            if self.mistakes.len() >= Spanned::ENOUGH {
                break;
            }
            self.text = text;
            self.declare(declaration);
        }
        if self.sort.is_lone() && self.formulas.is_empty() && self.mistakes.is_empty() {
            self.text = last;
            let end = self.texts[last].end;
            self.tell(
                Spanned::new(Kind::Syntax, Span::new(end, end), "there is no formula").label("expected a formula"),
            );
        }
        if !self.mistakes.is_empty() {
            return Err(self.mistakes.into());
        }
        let and = |a, b| Formula::Joined(Connective::And, Box::new(a), Box::new(b));
        self.program.formula = fold(self.formulas, &and).unwrap_or(Formula::Constant(true));
        self.program.assertion = fold(self.assertions, &and).unwrap_or(Formula::Constant(true));
        self.program.number();
        Ok(self.program)
    }

    pub(super) fn source(&self) -> &'t str {
        &self.texts[self.text].source
    }

    pub(super) fn name_at(&self, span: Span) -> &'t str {
        &self.source()[span.start..span.end]
    }

    #[expect(clippy::boxed_local, reason = "problems are made in boxes, because a failing parse returns them")]
    pub(super) fn tell(&mut self, problem: Box<Spanned>) {
        let diagnostic = problem.diagnostic(self.source());
        self.tell_located(Located { file: Arc::clone(&self.texts[self.text].name), diagnostic });
    }

    fn tell_located(&mut self, mistake: Located) {
        if self.mistakes.len() < Spanned::ENOUGH && !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// A file that `export` would write.
    pub(super) fn unwritten(&mut self, file: Span) {
        let name = self.name_at(file);
        let diagnostic = Diagnostic::new(Kind::Unsupported, format!("the file {name} is not written"))
            .at(Place::in_text(self.source(), file))
            .label("`export` is what the formula in it is")
            .help("`--mona` prints the automaton of the main formula for MONA");
        let remarks = &mut self.program.remarks.0;
        let remark = Located { file: Arc::clone(&self.texts[self.text].name), diagnostic };
        if remarks.len() < Spanned::ENOUGH && !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// A new variable.
    fn variable(&mut self, name: &str, order: Order, span: Span) -> VarId {
        let id = VarId(u32::try_from(self.program.vars.len()).unwrap_or(u32::MAX));
        self.program.vars.push(Variable { name: name.to_owned(), order, restriction: None, span });
        id
    }

    /// What a name stands for here. Unknown ones are told.
    pub(super) fn look_up(&mut self, span: Span) -> Entry {
        let name = self.name_at(span);
        if let Some((_, entry)) = self.scope.iter().rev().find(|(n, _)| n == name) {
            return *entry;
        }
        if let Some(global) = self.globals.get(name) {
            return global.entry;
        }
        if self.within.as_deref() == Some(name) {
            self.tell(
                Spanned::new(Kind::Definition, span, format!("`{name}` is defined by itself"))
                    .label("a predicate can call only those before it"),
            );
            return Entry::Broken;
        }
        // One letter is near every other letter: only its other case is a guess.
        let alone = name.len() == 1;
        let known = self.scope.iter().rev().map(|(n, _)| n).chain(&self.names).map(String::as_str);
        let near = nearest(name, known.filter(|n| !alone || n.eq_ignore_ascii_case(name))).map(str::to_owned);
        let problem = Spanned::new(Kind::Definition, span, format!("`{name}` is not declared"));
        let problem = match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None if self.sort.is_lone() => problem.help(format!(
                "what holds at positions of a {} is written as an atom in backquotes: `{}`",
                self.sort.subject(),
                self.sort.atom()
            )),
            None => problem.help("variables are declared before they are used, by `var0`, `var1` or `var2`"),
        };
        self.tell(problem);
        Entry::Broken
    }

    /// The set of positions where an atom holds.
    pub(super) fn atom(&mut self, span: Span) -> Option<VarId> {
        match super::atoms::read(&self.texts[self.text], span, self.read_atom) {
            Ok(atom) => {
                if let Some(&known) = self.atoms.get(&atom) {
                    return Some(known);
                }
                let id = self.variable(&atom.to_string(), Order::Two, span);
                self.program.globals.push(id);
                self.program.atoms.push((id, atom.clone()));
                self.atoms.insert(atom, id);
                Some(id)
            }
            Err(mistakes) => {
                for mistake in mistakes {
                    self.tell_located(mistake);
                }
                None
            }
        }
    }

    /// Gives a global name its meaning, unless it has one.
    fn global(&mut self, span: Span, entry: Entry) -> bool {
        let name = self.name_at(span);
        if let Some(first) = self.globals.get(name) {
            let problem = Spanned::new(Kind::Definition, span, format!("`{name}` is declared twice"));
            let problem = match first.place {
                Some((text, place)) => {
                    let Text { name, source, .. } = &self.texts[text];
                    let line = Place::in_text(source, place).line;
                    problem.label(if text == self.text {
                        format!("first in line {line}")
                    } else {
                        format!("first in line {line} of {name:?}")
                    })
                }
                None if matches!(first.entry, Entry::Const(_)) => {
                    problem.label("it is the variable of a loop around this")
                }
                None => problem.label("in `m2l-str` it is the set of all positions"),
            };
            self.tell(problem);
            return false;
        }
        self.names.push(name.to_owned());
        self.globals.insert(name.to_owned(), Global { entry, place: Some((self.text, span)) });
        true
    }

    /// The variables of a list, one after the other: each sees those before it.
    pub(super) fn bind<'e>(&mut self, order: Order, names: impl Iterator<Item = &'e Bound>) -> Vec<VarId> {
        let depth = self.scope.len();
        let mut vars = Vec::new();
        for Bound { name, restriction } in names {
            let text = self.name_at(*name);
            if self.scope[depth..].iter().any(|(n, _)| n == text) {
                self.twice(*name);
            }
            let var = self.local(*name, order);
            vars.push(var);
            if let Some(restriction) = restriction {
                self.restrict(var, restriction);
            }
        }
        vars
    }

    pub(super) fn local(&mut self, name: Span, order: Order) -> VarId {
        let text = self.name_at(name);
        let var = self.variable(text, order, name);
        self.scope.push((text.to_owned(), Entry::Var(var)));
        var
    }

    pub(super) fn twice(&mut self, name: Span) {
        let text = self.name_at(name);
        self.tell(Spanned::new(Kind::Definition, name, format!("`{text}` stands twice in one list")));
    }

    fn restrict(&mut self, var: VarId, restriction: &Expr) {
        let restriction = self.formula(restriction, "behind `where` stands a formula");
        self.program.vars[var.index()].restriction = restriction;
    }

    /// How many local names there are, to [`close`](Self::close) down to.
    pub(super) fn open(&self) -> usize {
        self.scope.len()
    }

    pub(super) fn close(&mut self, depth: usize) {
        self.scope.truncate(depth);
    }

    /// A part of the language that is not for properties.
    fn only_in_files(&mut self, span: Span, what: &str, help: &str) -> bool {
        if !self.sort.is_lone() {
            return false;
        }
        let problem = Spanned::new(Kind::Unsupported, span, format!("{what} is not for {}", self.sort.purpose()));
        self.tell(problem.label("only in files for `posetta m2l`").help(help));
        true
    }

    fn declare(&mut self, declaration: Declaration) {
        match declaration {
            Declaration::Formula(expr) => {
                let formula = self.formula(&expr, "expected a formula");
                self.formulas.extend(formula);
            }
            Declaration::Assert { word, formula } => {
                if !self.only_in_files(word, "`assert`", "write `assumption => formula`") {
                    let formula = self.formula(&formula, "behind `assert` stands a formula");
                    self.assertions.extend(formula);
                }
            }
            Declaration::Execute { word, formula } => {
                if !self.only_in_files(word, "`execute`", "write the formula without it") {
                    // Nothing is decided: all that it is for is what it would write.
                    self.formula(&formula, "behind `execute` stands a formula");
                }
            }
            Declaration::Verify { word, title, formula } => {
                if !self.only_in_files(word, "`verify`", &format!("write {} of its own", self.sort.one())) {
                    let title = title.map(|t| self.name_at(Span::new(t.start + 1, t.end - 1)).to_owned());
                    if let Some(formula) = self.formula(&formula, "behind `verify` stands a formula") {
                        self.program.verify.push(Verify { title, formula });
                    }
                }
            }
            Declaration::Const { name, value } => {
                let value = self.integer(&value).map_or(Entry::Broken, Entry::Const);
                self.global(name, value);
            }
            Declaration::Var { order, names } => self.variables(order, &names),
            Declaration::Predicate { is_macro, name, formals, body } => self.predicate(is_macro, name, &formals, &body),
            Declaration::Default { order, word, name, body } => self.default_restriction(order, word, name, &body),
            Declaration::AllPositions { word, name } => {
                let var = self.end_of_string(word, name, Order::Two);
                self.program.all_positions = self.program.all_positions.or(var);
            }
            Declaration::LastPosition { word, name } => {
                let var = self.end_of_string(word, name, Order::One);
                self.program.last_position = self.program.last_position.or(var);
            }
            // What they include stands in their places.
            Declaration::Include(_) => {}
        }
    }

    fn variables(&mut self, order: Order, names: &[Bound]) {
        for Bound { name, restriction } in names {
            let text = self.name_at(*name);
            if self.sort.is_lone() {
                let (one, subject, atom) = (self.sort.one(), self.sort.subject(), self.sort.atom());
                let problem = Spanned::new(Kind::Unsupported, *name, format!("{one} has no variables of its own"))
                    .label(format!("nothing says what it stands for on a {subject}"));
                self.tell(problem.help(match order {
                    Order::Zero | Order::One => format!("quantify over it, as in `ex1 p: p in `{atom}``"),
                    Order::Two => format!("write what holds at its positions as an atom in backquotes: `{atom}`"),
                }));
                // What it is used for is right.
                self.globals.insert(text.to_owned(), Global { entry: Entry::Broken, place: None });
                continue;
            }
            let var = self.variable(text, order, *name);
            if self.global(*name, Entry::Var(var)) {
                self.program.globals.push(var);
            }
            if let Some(restriction) = restriction {
                self.restrict(var, restriction);
            }
        }
    }

    fn predicate(&mut self, is_macro: bool, name: Span, formals: &[Formal], body: &Expr) {
        let mut vars = Vec::new();
        for Formal { order, name } in formals {
            let text = self.name_at(name.name);
            if self.scope.iter().any(|(n, _)| n == text) {
                self.twice(name.name);
            }
            if let Some(restriction) = &name.restriction {
                self.only_in_files(restriction.span, "`where` at a parameter", "write the condition into the body");
            }
            let var = self.local(name.name, *order);
            vars.push(var);
            if let Some(restriction) = &name.restriction {
                self.restrict(var, restriction);
            }
        }
        let text = self.name_at(name);
        self.within = Some(text.to_owned());
        let body = self.formula(body, "behind `=` stands a formula");
        self.within = None;
        self.close(0);
        let id = PredId(u32::try_from(self.program.preds.len()).unwrap_or(u32::MAX));
        if self.global(name, Entry::Pred(id)) {
            // Without a body there is a mistake, and the program is never seen.
            let body = body.unwrap_or(Formula::Constant(true));
            self.program.preds.push(Predicate { name: text.to_owned(), formals: vars, body, is_macro });
        }
    }

    fn default_restriction(&mut self, order: Order, word: Span, name: Span, body: &Expr) {
        if self.only_in_files(word, "a default restriction", "restrict each variable by its own `where`") {
            return;
        }
        let text = self.name_at(word);
        let known = if order == Order::One { &self.program.default_one } else { &self.program.default_two };
        if known.is_some() {
            let problem = Spanned::new(Kind::Definition, word, format!("`{text}` is declared twice"));
            self.tell(match self.program.mode {
                Mode::M2lStr => problem.label("`m2l-str` has one already: variables range over the string `$`"),
                Mode::Ws1s => problem,
            });
            return;
        }
        if !self.program.preds.is_empty() {
            self.tell(
                Spanned::new(Kind::Definition, word, format!("`{text}` stands behind a predicate"))
                    .label("it must come before all `pred` and `macro`"),
            );
        }
        let var = self.local(name, order);
        let body = self.formula(body, "behind `=` stands a formula");
        self.close(0);
        let body = body.map(|body| (var, body));
        if order == Order::One {
            self.program.default_one = body;
        } else {
            self.program.default_two = body;
        }
    }

    /// The variable of `allpos` or `lastpos`.
    fn end_of_string(&mut self, word: Span, name: Span, order: Order) -> Option<VarId> {
        let text = self.name_at(word);
        let what = format!("`{text}`");
        if self.only_in_files(word, &what, &format!("the positions of a {} are the set `$`", self.sort.subject())) {
            return None;
        }
        if self.program.all_positions.is_some() || self.program.last_position.is_some() {
            let problem = Spanned::new(Kind::Definition, word, "the positions of the string are declared twice");
            self.tell(match self.program.mode {
                Mode::M2lStr => problem.label("in `m2l-str` they are the set `$`"),
                Mode::Ws1s => problem.label("at most one `allpos` or `lastpos`"),
            });
            return None;
        }
        let found = match self.look_up(name) {
            Entry::Broken => return None,
            Entry::Var(var) if self.program.vars[var.index()].order == order => return Some(var),
            Entry::Var(var) => kind_of(self.program.vars[var.index()].order),
            Entry::Const(_) => "a number",
            Entry::Pred(_) => "a predicate",
        };
        let name_text = self.name_at(name);
        self.tell(
            Spanned::new(Kind::Type, name, format!("`{name_text}` is {found}"))
                .label(format!("behind `{text}` stands {}", kind_of(order))),
        );
        None
    }
}
