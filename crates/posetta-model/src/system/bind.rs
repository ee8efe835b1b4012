//! Ties a property that was written elsewhere to a system: its atoms become letters of a run's word, or conditions on states.
//!
//! A formula speaks of actions or of states, not of both: a run has a position per observed action in one case, a position per state in the
//! other. [`Binder::atom`] finds out what each atom speaks of ([`Meaning`]); then the whole formula is read one way.

use super::{Demand, Finite, Letter, Linear, Lts, Names, PlaceName, Predicate, Spec, System, TooLarge, of_ctl, of_ltl};
use std::sync::Arc;

use crate::problem::{Problems, meant};
use posetta_base::{ActionId, Kind, Mistakes, Number, Span, Spanned};
use posetta_logic::m2l::Program;
use posetta_logic::{
    Arith, Atom, Compare, Condition, Ctl, CtlUnary, Formula, Ltl, LtlUnary, Path, Property, Term, View,
};

/// How many names a message lists.
const SHOWN: usize = 8;

/// What an atom speaks of.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    /// An action, and where it is named.
    Action(ActionId, Span),
    /// `divergence`.
    Divergence(Span),
    /// `deadlock`, which can be said of runs and of states.
    Deadlock,
    /// A state, and where the atom stands.
    State(Predicate, Span),
}

/// Why there is no meaning; `None`: it was told.
type Stop = Option<Box<Spanned>>;

/// Something with a value.
enum Operand<'s> {
    Number(Linear),
    Text(String),
    /// The state of a transition system.
    State(&'s str, &'s Lts, u32),
}

struct Binder<'s, 'p> {
    names: Names<'s>,
    property: &'p Property,
    problems: Problems,
}

impl System {
    /// Ties a property to the system. `observe` are the actions that are observed beside those that the formula names.
    ///
    /// # Errors
    /// With every unknown name, every type error, and what has no meaning on a system: monitors, PSL, events and processes of a run, a formula over
    /// both actions and states, and `X` where the next action may be one that is not observed.
    pub fn bind(&self, property: &Property, observe: &[ActionId]) -> Result<Spec, Mistakes> {
        let refuse = |message: &str, help: &str| {
            Err(Mistakes::from(property.mistake(Kind::Unsupported, property.span, message).help(help)))
        };
        if let Some(mistake) = property.asks_for_some_order("a model", "a model is verified in all its runs") {
            return Err(mistake.into());
        }
        if let Some(mistake) = property.asks_for_instances("a model") {
            return Err(mistake.into());
        }
        let mut binder = Binder { names: Names::new(self), property, problems: Problems::default() };
        let demand = match &property.formula {
            Formula::Psl(..) => {
                return refuse("PSL is not verified on systems of components", "write the property in LTL or CTL");
            }
            Formula::M2l(_, formula) => binder.finite(formula.program(), observe),
            Formula::Monitor(..) => {
                return refuse(
                    "monitors are not verified on systems of components",
                    "write the property in LTL or CTL",
                );
            }
            Formula::Ltl(view, formula) => binder.linear(*view, formula, observe),
            Formula::Ctl(formula) => binder.branching(formula),
        };
        let Some(demand) = demand.filter(|_| binder.problems.is_empty()) else {
            return Err(binder.problems.diagnostics(&property.source).into());
        };
        Ok(Spec {
            name: property.name.clone(),
            demand,
            source: property.source.clone(),
            span: property.span,
            warnings: property.warnings.clone(),
        })
    }

    /// Reads a condition on single states of the system.
    ///
    /// # Errors
    /// With the mistakes in its syntax and in its names, and for temporal operators.
    pub fn bind_condition(&self, source: &str) -> Result<Predicate, Mistakes> {
        let property = Property::ltl(source)?;
        let mut binder = Binder { names: Names::new(self), property: &property, problems: Problems::default() };
        let formula = match &property.formula {
            Formula::Ltl(_, formula) => binder.states(formula, CONDITION),
            _ => None,
        };
        let Some(formula) = formula.filter(|_| binder.problems.is_empty()) else {
            return Err(binder.problems.diagnostics(source).into());
        };
        of_ltl(&formula).ok_or_else(|| {
            let whole = Span::new(0, source.len());
            let problem = if is_temporal(&formula) {
                Spanned::new(Kind::Unsupported, whole, "a condition on single states stands here")
                    .label("temporal operators and patterns speak of runs")
                    .help("give it as a property of its own")
            } else {
                Spanned::new(Kind::TooLarge, whole, "with its equivalences unfolded this condition has too many parts")
            };
            problem.diagnostic(source).into()
        })
    }

    /// The actions of these names, for lists of what is observed; `*` are all.
    ///
    /// # Errors
    /// With every name that is none.
    pub fn find_actions(&self, names: &[String]) -> Result<Vec<ActionId>, Mistakes> {
        let known = Names::new(self);
        let (mut found, mut mistakes) = (Vec::new(), Vec::new());
        for name in names {
            if name == "*" {
                found.extend(self.action_ids());
                continue;
            }
            match known.action(name) {
                Some(action) => found.push(action),
                None => mistakes.push(unknown_action(&known, name, Span::new(0, name.len())).diagnostic(name)),
            }
        }
        if mistakes.is_empty() { Ok(found) } else { Err(mistakes.into()) }
    }
}

/// Who may not speak of actions, and what to do instead.
#[derive(Clone, Copy)]
struct Refusal {
    message: &'static str,
    help: &'static str,
}

const BRANCHING: Refusal = Refusal {
    message: "CTL speaks of states, and an action is none",
    help: "ask whether it can take place, with enabled(…), or write the property in LTL",
};
const STATES: Refusal = Refusal {
    message: "this formula speaks of states and of actions",
    help: "a run has a position per state or per observed action, not both: ask with enabled(…) whether an action can take place, or split the property",
};
const CONDITION: Refusal =
    Refusal { message: "a state has no action", help: "ask whether it can take place: enabled(…)" };

fn is_temporal<A>(formula: &Ltl<A>) -> bool {
    matches!(formula, Ltl::Unary(..) | Ltl::Binary(..)) || formula.operands().into_iter().any(is_temporal)
}

/// An operator that counts letters, if there is one.
fn counts<A>(formula: &Ltl<A>) -> Option<LtlUnary> {
    match formula {
        Ltl::Unary(op @ (LtlUnary::Next | LtlUnary::WeakNext | LtlUnary::Yesterday), _) => Some(*op),
        _ => formula.operands().into_iter().find_map(counts),
    }
}

/// A few names, and how many more there are.
fn some_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

fn unknown_action(names: &Names<'_>, name: &str, span: Span) -> Box<Spanned> {
    let problem = Spanned::new(Kind::UnknownVariable, span, format!("the system has no action `{name}`"));
    match names.near_action(name) {
        Some(near) => problem.label(format!("did you mean `{near}`?")),
        None if names.system.actions.is_empty() => problem.label("it has no actions at all"),
        None => {
            let actions = some_of(names.system.actions.iter().map(|a| &*a.name));
            problem.label("unknown").help(format!("the actions are {actions}"))
        }
    }
}

impl<'s> Binder<'s, '_> {
    fn linear(&mut self, view: View, formula: &Ltl, observe: &[ActionId]) -> Option<Demand> {
        let meanings = formula.map_atoms(&mut |atom| self.meaning(atom));
        if !self.problems.is_empty() {
            return None;
        }
        let (mut action, mut state) = (None, None);
        drop(meanings.map_atoms(&mut |meaning| match meaning {
            Some(Meaning::Action(_, span) | Meaning::Divergence(span)) => action = action.or(Some(*span)),
            Some(Meaning::State(_, span)) => state = state.or(Some(*span)),
            Some(Meaning::Deadlock) | None => {}
        }));
        if state.is_none() {
            return self.of_actions(&meanings, observe);
        }
        if view == View::Events && action.is_none() {
            let problem = Spanned::new(Kind::Unsupported, self.property.span, "this property is over events");
            let problem = problem.label("it speaks of states, and an event is none");
            self.problems.push(problem.help("leave `over events` out, or speak of actions"));
            return None;
        }
        let states = self.states(formula, STATES)?;
        if let Ltl::Unary(LtlUnary::Globally, p) = &states
            && let Some(predicate) = of_ltl(p)
        {
            return Some(Demand::Invariant(predicate));
        }
        Some(Demand::States(states))
    }

    fn of_actions(&mut self, meanings: &Ltl<Option<Meaning>>, observe: &[ActionId]) -> Option<Demand> {
        let mut named = vec![false; self.names.system.actions.len()];
        for action in observe {
            if let Some(seen) = named.get_mut(action.index()) {
                *seen = true;
            }
        }
        let formula = meanings.map_atoms(&mut |meaning| match meaning {
            Some(Meaning::Action(action, _)) => {
                named[action.index()] = true;
                Letter::Action(*action)
            }
            Some(Meaning::Divergence(_)) => Letter::Divergence,
            Some(Meaning::Deadlock | Meaning::State(..)) | None => Letter::Deadlock,
        });
        if let Some(op) = counts(&formula)
            && named.contains(&false)
        {
            let (operator, which) = match op {
                LtlUnary::Yesterday => ("Y", "the last observed action before"),
                LtlUnary::WeakNext => ("WX", "the next observed action"),
                _ => ("X", "the next observed action"),
            };
            let unseen = self.names.system.actions.iter().zip(&named).filter(|(_, seen)| !**seen);
            let unseen = some_of(unseen.map(|(action, _)| &*action.name));
            let message = format!("`{operator}` would mean {which}, and not every action is observed");
            let problem = Spanned::new(Kind::Unsupported, self.property.span, message);
            let problem = problem.label(format!("expected a formula without `{operator}`, or all actions observed"));
            self.problems
                .push(problem.help(format!("not observed are {unseen}; observe all with --observe '*', or say what comes in between with U, F and G")));
            return None;
        }
        Some(Demand::Actions(formula))
    }

    /// A formula of M2L: all of its sets are actions.
    fn finite(&mut self, formula: &Program, observe: &[ActionId]) -> Option<Demand> {
        let mut observed: Vec<bool> = self.names.system.actions.iter().map(|action| !action.internal).collect();
        for action in observe {
            if let Some(seen) = observed.get_mut(action.index()) {
                *seen = true;
            }
        }
        let mut sets = Vec::new();
        for (var, atom) in &formula.atoms {
            match self.meaning(atom) {
                Some(Meaning::Action(action, _)) => {
                    observed[action.index()] = true;
                    sets.push((*var, action));
                }
                Some(Meaning::State(..) | Meaning::Deadlock | Meaning::Divergence(_)) => {
                    let span = formula.vars[var.index()].span;
                    let problem = Spanned::new(Kind::Unsupported, span, "on a system M2L speaks of actions");
                    self.problems.push(
                        problem
                            .label("this is none")
                            .help("write the name of an action in backquotes, or the property in LTL or CTL"),
                    );
                }
                None => {}
            }
        }
        let formula = Arc::new(formula.clone());
        self.problems.is_empty().then_some(Demand::Finite(Finite { formula, sets, observed }))
    }

    fn branching(&mut self, formula: &Ctl) -> Option<Demand> {
        let states = formula.map_atoms(&mut |atom| self.state_atom(atom, BRANCHING));
        if !self.problems.is_empty() {
            return None;
        }
        let single = match &states {
            Ctl::Unary(path, op, p) => of_ctl(p).map(|p| (*path, *op, p)),
            _ => None,
        };
        Some(match single {
            Some((Path::All, CtlUnary::Globally, p)) => Demand::Invariant(p),
            Some((Path::Some, CtlUnary::Finally, p)) => Demand::Reach(p),
            _ => Demand::Branching(states),
        })
    }

    /// A formula all of whose atoms speak of states.
    fn states(&mut self, formula: &Ltl, sort: Refusal) -> Option<Ltl<Predicate>> {
        let states = formula.map_atoms(&mut |atom| self.state_atom(atom, sort));
        self.problems.is_empty().then_some(states)
    }

    /// An atom as a condition on a state. Where there is a mistake it is told, and the answer means nothing.
    fn state_atom(&mut self, atom: &Atom, sort: Refusal) -> Predicate {
        let (span, what) = match self.meaning(atom) {
            Some(Meaning::State(predicate, _)) => return predicate,
            Some(Meaning::Deadlock) => return Predicate::Dead,
            Some(Meaning::Action(action, span)) => {
                (span, format!("`{}` is an action", self.names.system.action(action).name))
            }
            Some(Meaning::Divergence(span)) => (span, "`divergence` is said of runs".to_owned()),
            None => return Predicate::Constant(false),
        };
        self.problems.push(Spanned::new(Kind::Type, span, sort.message).label(what).help(sort.help));
        Predicate::Constant(false)
    }

    /// What an atom speaks of; `None` where there is a mistake, which is told.
    fn meaning(&mut self, atom: &Atom) -> Option<Meaning> {
        if self.problems.is_full() {
            return None;
        }
        self.atom(atom).map_err(|stop| self.problems.extend(stop)).ok()
    }

    fn atom(&mut self, atom: &Atom) -> Result<Meaning, Stop> {
        match atom {
            Atom::Event(name) => {
                let span = self.find(name);
                match self.names.action(name) {
                    Some(action) => Ok(Meaning::Action(action, span)),
                    None => Err(Some(unknown_action(&self.names, name, span))),
                }
            }
            Atom::Enabled(name) => {
                let span = self.find(name);
                match self.names.action(name) {
                    Some(action) => Ok(Meaning::State(Predicate::Enabled(vec![action]), span)),
                    None => Err(Some(unknown_action(&self.names, name, span))),
                }
            }
            Atom::Having(having) => {
                let span = having.tests.first().map_or(self.property.span, |test| test.spot.0);
                let problem = Spanned::new(Kind::Unsupported, span, "an action of a system has no attributes");
                Err(Some(problem.label("attributes belong to events of a run").help("name the action")))
            }
            Atom::Step(condition) => {
                let mut first = None;
                condition.for_each_var(&mut |var| first = first.or(Some(var.spot.0)));
                let span = first.unwrap_or(self.property.span);
                let problem = Spanned::new(Kind::Unsupported, span, "`prev` is for runs and streams");
                Err(Some(
                    problem
                        .label("a system says what comes next, not what came before")
                        .help("speak of states and actions"),
                ))
            }
            Atom::On(condition) => {
                let mut first = None;
                condition.for_each_var(&mut |var| first = first.or(Some(var.spot.0)));
                let span = first.unwrap_or(self.property.span);
                let problem = Spanned::new(Kind::Unsupported, span, "no action of a system assigns a variable");
                Err(Some(problem.label("`on` speaks of events of a run").help("name the action")))
            }
            Atom::Process(name) => {
                let problem = Spanned::new(Kind::Unsupported, self.find(name), "an action belongs to no process");
                let problem = problem.label("`process` speaks of events of a run");
                Err(Some(problem.help("name the actions of the component, with || between them")))
            }
            Atom::State(condition) => self.condition(condition),
        }
    }

    /// Where a name is written, if it is written so; atoms of names do not know their place.
    fn find(&self, name: &str) -> Span {
        let whole = self.property.span;
        let text = self.property.source.get(whole.start..whole.end).unwrap_or_default();
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let stands = |at: usize| {
            let end = at + name.len();
            !is_part(text[..at].chars().next_back()) && !is_part(text[end..].chars().next())
        };
        let found = text.match_indices(name).map(|(at, _)| at).find(|&at| !name.is_empty() && stands(at));
        found.map_or(whole, |at| Span::new(whole.start + at, whole.start + at + name.len()))
    }

    fn condition(&mut self, condition: &Condition) -> Result<Meaning, Stop> {
        let whole = self.property.span;
        match condition {
            Condition::Nonzero(Term::Var(var)) => self.bare(&var.name, var.spot.0),
            Condition::Nonzero(term) => {
                let span = place(term).unwrap_or(whole);
                let zero = Linear::constant(0, 1).map_err(|_| too_large(span))?;
                let value = self.number(term)?;
                let predicate = value.compare(Compare::Ne, &zero).map_err(|_| too_large(span))?;
                Ok(Meaning::State(predicate, span))
            }
            Condition::Compare(op, a, b) => {
                let span = both(a, b).unwrap_or(whole);
                let predicate = self.compare(*op, a, b, span)?;
                Ok(Meaning::State(predicate, span))
            }
            // An atom is a comparison or a term; the rest stands only inside `on`.
            _ => Err(Some(Spanned::new(Kind::Unsupported, whole, "a comparison or a name is needed here"))),
        }
    }

    /// A name by itself: an action, or a place that has tokens.
    fn bare(&mut self, name: &str, span: Span) -> Result<Meaning, Stop> {
        match name {
            "deadlock" => return Ok(Meaning::Deadlock),
            "divergence" => return Ok(Meaning::Divergence(span)),
            _ => {}
        }
        match (self.names.action(name), self.names.place(name)) {
            (Some(action), None) => Ok(Meaning::Action(action, span)),
            (Some(_), Some(_)) => {
                let problem = Spanned::new(Kind::Definition, span, format!("`{name}` is an action and a place"));
                Err(Some(problem.label("which of them?").help(format!("write event({name}) or {name} > 0"))))
            }
            (None, Some(_)) => {
                let zero = Linear::constant(0, 1).map_err(|_| too_large(span))?;
                let tokens = self.tokens(name, span)?;
                let predicate = tokens.compare(Compare::Ne, &zero).map_err(|_| too_large(span))?;
                Ok(Meaning::State(predicate, span))
            }
            (None, None) => match self.names.lts(name) {
                Some((lts, _)) => {
                    let message = format!("`{name}` is a component, which is neither true nor false");
                    let problem = Spanned::new(Kind::Type, span, message).label("expected a comparison with a state");
                    Err(Some(problem.help(example(name, lts))))
                }
                None => Err(Some(self.unknown(name, span))),
            },
        }
    }

    fn unknown(&self, name: &str, span: Span) -> Box<Spanned> {
        let message = format!("the system has no action, component or place `{name}`");
        let problem = Spanned::new(Kind::UnknownVariable, span, message);
        if let Some(near) = self.names.near(name) {
            return problem.label(format!("did you mean `{near}`?"));
        }
        let problem = problem.label("unknown");
        if self.names.system.actions.is_empty() {
            return problem;
        }
        let actions = some_of(self.names.system.actions.iter().map(|a| &*a.name));
        problem.help(format!("the actions are {actions}"))
    }

    fn compare(&mut self, op: Compare, a: &Term, b: &Term, span: Span) -> Result<Predicate, Stop> {
        let (left, right) = match (self.operand(a), self.operand(b)) {
            // A state that is written as a name.
            (Ok(Operand::State(name, lts, _)), Err(_)) if matches!(b, Term::Var(_)) => {
                return Err(Some(quotes(name, lts, b, span)));
            }
            (Err(_), Ok(Operand::State(name, lts, _))) if matches!(a, Term::Var(_)) => {
                return Err(Some(quotes(name, lts, a, span)));
            }
            (left, right) => (left?, right?),
        };
        match (left, right) {
            (Operand::Number(left), Operand::Number(right)) => left.compare(op, &right).map_err(|_| too_large(span)),
            (Operand::State(name, lts, slot), Operand::Text(state))
            | (Operand::Text(state), Operand::State(name, lts, slot)) => {
                if op.is_order() {
                    let problem = Spanned::new(Kind::Type, span, "states have no order");
                    return Err(Some(problem.label("only `==` and `!=` compare them")));
                }
                let Some(number) = lts.states.iter().position(|s| **s == *state) else {
                    return Err(Some(unknown_state(name, lts, &state, text_of(a).or(text_of(b)).unwrap_or(span))));
                };
                Ok(Predicate::Linear(vec![(slot, 1)], op, number as i64))
            }
            (Operand::State(name, lts, _), _) | (_, Operand::State(name, lts, _)) => {
                let message = format!("`{name}` is a component: its states are compared with strings");
                let problem = Spanned::new(Kind::Type, span, message).label("expected a comparison with a state");
                Err(Some(problem.help(example(name, lts))))
            }
            (Operand::Text(left), Operand::Text(right)) => {
                Ok(Predicate::Constant((left == right) == (op == Compare::Eq)))
            }
            (Operand::Text(_), Operand::Number(_)) | (Operand::Number(_), Operand::Text(_)) => {
                let problem = Spanned::new(Kind::Type, span, "a string is compared with a number");
                Err(Some(
                    problem.label("one side is a string").help("places have numbers of tokens, components have states"),
                ))
            }
        }
    }

    fn operand(&mut self, term: &Term) -> Result<Operand<'s>, Stop> {
        match term {
            Term::Text(text, _) => Ok(Operand::Text(text.clone())),
            Term::Var(var) if self.names.place(&var.name).is_none() => match self.names.lts(&var.name) {
                Some((lts, slot)) => {
                    let owner = self.names.owner_name(slot);
                    Ok(Operand::State(owner, lts, slot))
                }
                None => Ok(Operand::Number(self.tokens(&var.name, var.spot.0)?)),
            },
            _ => Ok(Operand::Number(self.number(term)?)),
        }
    }

    /// How many tokens a place has.
    fn tokens(&self, name: &str, span: Span) -> Result<Linear, Stop> {
        match self.names.place(name) {
            Some(PlaceName::One(slot)) => Ok(Linear::slot(slot)),
            Some(PlaceName::Several(full)) => {
                let problem = Spanned::new(Kind::Definition, span, format!("several nets have a place `{name}`"));
                let full = some_of(full.iter().map(String::as_str));
                Err(Some(problem.label("which of them?").help(format!("the full names are {full}"))))
            }
            None if self.names.action(name).is_some() => {
                let problem = Spanned::new(Kind::Type, span, format!("`{name}` is an action, which has no value"));
                Err(Some(
                    problem.label("expected a place").help(format!("write `{name}` or enabled({name}) by itself")),
                ))
            }
            None if matches!(name, "deadlock" | "divergence") => {
                let problem = Spanned::new(Kind::Type, span, format!("`{name}` has no value"));
                Err(Some(problem.label("it stands by itself")))
            }
            None if self.names.lts(name).is_some() => {
                let problem = Spanned::new(Kind::Type, span, format!("`{name}` is a component, and no number"));
                Err(Some(problem.label("expected a place")))
            }
            None => Err(Some(self.unknown(name, span))),
        }
    }

    fn number(&mut self, term: &Term) -> Result<Linear, Stop> {
        let span = place(term).unwrap_or(self.property.span);
        let large = |_: TooLarge| too_large(span);
        match term {
            Term::Number(n) => {
                let (above, over) = parts(n).ok_or_else(|| too_large(span))?;
                Ok(Linear::constant(above, over).map_err(large)?)
            }
            Term::Text(..) => {
                let problem = Spanned::new(Kind::Type, span, "there is no arithmetic on strings");
                Err(Some(problem.label("this is a string")))
            }
            Term::Var(var) => self.tokens(&var.name, var.spot.0),
            Term::Neg(t) => Ok(self.number(t)?.scaled(-1, 1).map_err(large)?),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let result = match op {
                    Arith::Add => a.plus(&b),
                    Arith::Sub => b.scaled(-1, 1).and_then(|b| a.plus(&b)),
                    Arith::Mul => match (a.value(), b.value()) {
                        (Some((above, over)), _) => b.scaled(above, over),
                        (_, Some((above, over))) => a.scaled(above, over),
                        (None, None) => {
                            let problem = Spanned::new(Kind::Unsupported, span, "two places are multiplied");
                            let problem = problem.label("expected a number times a place");
                            return Err(Some(
                                problem.help("tokens are added, and compared with each other and with numbers"),
                            ));
                        }
                    },
                    Arith::Div => match b.value() {
                        Some((above, over)) if above != 0 => a.scaled(over * above.signum(), above.abs()),
                        _ => {
                            let problem = Spanned::new(Kind::Unsupported, span, "tokens are divided by constants only");
                            let problem = problem.label("expected a number other than 0 on the right");
                            return Err(Some(problem.help("multiply both sides instead")));
                        }
                    },
                };
                Ok(result.map_err(large)?)
            }
        }
    }
}

/// How a component is compared with a state.
fn example(name: &str, lts: &Lts) -> String {
    let state = lts.states.first().map_or("", |s| &**s);
    format!("write {name} == \"{state}\"; the states are {}", some_of(lts.states.iter().map(|s| &**s)))
}

fn unknown_state(name: &str, lts: &Lts, state: &str, span: Span) -> Box<Spanned> {
    let problem = Spanned::new(Kind::UnknownVariable, span, format!("`{name}` has no state \"{state}\""));
    let problem = match meant(state, lts.states.iter().map(|s| &**s)) {
        Some(near) => problem.label(format!("did you mean \"{near}\"?")),
        None => problem.label("unknown"),
    };
    problem.help(format!("the states are {}", some_of(lts.states.iter().map(|s| &**s))))
}

/// A component beside a word that is no string.
fn quotes(name: &str, lts: &Lts, term: &Term, span: Span) -> Box<Spanned> {
    let Term::Var(var) = term else { return Spanned::new(Kind::Type, span, "expected a state in double quotes") };
    if lts.states.iter().any(|s| **s == *var.name) {
        let problem = Spanned::new(Kind::Type, var.spot.0, "a state is written in double quotes");
        return problem.label(format!("expected \"{}\"", var.name));
    }
    unknown_state(name, lts, &var.name, var.spot.0)
}

/// Where a term stands: numbers do not know.
fn place(term: &Term) -> Option<Span> {
    match term {
        Term::Number(_) => None,
        Term::Text(_, spot) => Some(spot.0),
        Term::Var(var) => Some(var.spot.0),
        Term::Neg(t) => place(t),
        Term::Binary(_, a, b) => both(a, b),
    }
}

fn both(a: &Term, b: &Term) -> Option<Span> {
    match (place(a), place(b)) {
        (Some(a), Some(b)) => Some(a.to(b)),
        (a, b) => a.or(b),
    }
}

fn text_of(term: &Term) -> Option<Span> {
    match term {
        Term::Text(_, spot) => Some(spot.0),
        _ => None,
    }
}

/// Numerator and denominator, if both are small enough to calculate with.
fn parts(n: &Number) -> Option<(i64, i64)> {
    if let Some(i) = n.as_i64() {
        return Some((i, 1));
    }
    let ratio = n.to_ratio();
    let above = i64::try_from(ratio.numerator().clone()).ok()?;
    Some((above, i64::try_from(ratio.denominator().clone()).ok()?))
}

fn too_large(span: Span) -> Stop {
    Some(
        Spanned::new(Kind::TooLarge, span, "numbers past 2^62 cannot be calculated with")
            .label("here are such numbers, perhaps when both sides are multiplied by their denominators"),
    )
}

#[cfg(test)]
mod tests;
