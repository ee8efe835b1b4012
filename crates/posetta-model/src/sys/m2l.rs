//! Components given by a formula of M2L over the words of their actions.
//!
//! A word has one action at each position, and an action in backquotes is the set of its positions. Names in backquotes are those of system
//! files: they are worked out, put into the formula as atoms, and the formula is read where all names are known. Its automaton
//! (`compile::m2l`), followed along the actions, gives the words; what begins one of them is what the component does.

use std::rc::Rc;
use std::sync::Arc;

use super::language::{Deterministic, smallest};
use super::lex::{self, Token};
use super::parse::Parser;
use super::quoted::Gathered;
use super::unfold::{Alphabet, Checked, Unfolder, push_index};
use crate::problem::meant;
use crate::system::{Lts, LtsArc};
use posetta_base::{ActionId, Budget, Diagnostic, Kind, Mistakes, Span, Spanned};
use posetta_compile::m2l::{LetterTable, over_letters};
use posetta_logic::m2l::{Program, VarId, atom_spans, parse_component};
use posetta_logic::{Atom, Condition, Spot, Term, Var};

/// What the automata of one file may take, in bytes and in steps: some seconds.
const MOST_BYTES: u64 = 1 << 28;
const MOST_STEPS: u64 = 20_000_000;

/// More actions than this are not listed in a message.
const SHOWN: usize = 8;

/// What the formulas of a file share.
#[derive(Debug)]
pub(super) struct Formulas {
    budget: Budget,
    /// Copies of a component that differ only in the names of their actions do the same: by component, by how many actions
    /// there are and by the actions that the formula names, in its order.
    known: rustc_hash::FxHashMap<(usize, usize, Vec<u32>), Rc<Deterministic>>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self { budget: Budget::with_work(MOST_BYTES, MOST_STEPS), known: rustc_hash::FxHashMap::default() }
    }
}

impl Unfolder<'_, '_, '_> {
    /// What a formula says, which stands in strings; `None` if there are mistakes in it, which have been told.
    pub(super) fn formula(
        &mut self,
        component: usize,
        strings: &[Span],
        alphabet: &mut Alphabet,
    ) -> Checked<Option<Lts>> {
        let span = self.tree.components[component].body_span;
        if alphabet.labels.is_empty() {
            let item = &self.tree.components[component];
            return Err(Spanned::new(Kind::Definition, span, format!("`{}` has no actions", item.name))
                .label("a formula says which words there are, not of what")
                .help("declare its actions before it: `observable a, b`"));
        }
        let gathered = Gathered::of(strings, self.source);
        self.spend(gathered.text.len() as u64 / 64, span)?;
        if gathered.text.trim().is_empty() {
            return Err(Spanned::new(Kind::Syntax, strings[0], "there is no formula").label("expected a formula"));
        }
        let atoms = match atom_spans(&gathered.text) {
            Ok(atoms) => atoms,
            Err(mistake) => return Ok(self.told(&gathered, vec![mistake].into())),
        };
        let mut actions = Vec::with_capacity(atoms.len());
        let mut parts = Vec::with_capacity(atoms.len());
        let mut wrong = false;
        for atom in atoms {
            match self.action_in(component, &gathered, atom, alphabet) {
                Ok(action) => {
                    let name = self.names.get(alphabet.labels[action as usize].name);
                    parts.push((atom, format!("`{}`", atom_of(name))));
                    actions.push(action);
                }
                Err(problem) => {
                    self.problems.push(problem);
                    wrong = true;
                }
            }
        }
        if wrong {
            return Ok(None);
        }
        let key = (component, alphabet.labels.len(), actions);
        let known = self.formulas.known.get(&key).cloned();
        let words = match known {
            Some(words) => words,
            None => {
                let gathered = gathered.with(&parts);
                let program = match parse_component(&gathered.text) {
                    Ok(program) => program,
                    Err(mistakes) => return Ok(self.told(&gathered, mistakes)),
                };
                let classes = self.classes(&program, alphabet);
                let words = Rc::new(self.words(&program, &classes, span)?);
                self.formulas.known.insert(key, Rc::clone(&words));
                words
            }
        };
        self.spend(words.arcs.len() as u64, span)?;
        for &(_, action, _) in &words.arcs {
            alphabet.idle[action as usize] = false;
        }
        let states = (0..words.states).map(|s| {
            let name = self.names.intern(&format!("s{s}"));
            Arc::clone(self.names.get(name))
        });
        let states = states.collect();
        let arcs = words.arcs.iter().map(|&(from, action, to)| LtsArc { from, action: ActionId::from_raw(action), to });
        Ok(Some(Lts { states, initial: 0, arcs: arcs.collect() }))
    }

    /// Tells mistakes where they were written.
    fn told(&mut self, gathered: &Gathered, mistakes: Mistakes) -> Option<Lts> {
        for Diagnostic { kind, message, label, help, place, .. } in mistakes {
            let span = place.map_or_else(|| gathered.written(Span::default()), |place| gathered.written_at(&place));
            self.problems.push(Box::new(Spanned { kind, span, message, label, help }));
        }
        None
    }

    /// The action between the backquotes of an atom.
    fn action_in(&self, component: usize, gathered: &Gathered, atom: Span, alphabet: &Alphabet) -> Checked<u32> {
        let inside = Span::new(atom.start + 1, atom.end - 1);
        let placed = |mut problem: Box<Spanned>| {
            let Span { start, end } = problem.span;
            problem.span = gathered.written(Span::new(inside.start + start, inside.start + end));
            if problem.kind == Kind::Truncated {
                problem.message = "the name of an action ends here".to_owned();
                problem.kind = Kind::Syntax;
            }
            problem
        };
        let text = &gathered.text[inside.start..inside.end];
        let mut parser = Parser::new(lex::lex(text).map_err(placed)?);
        let name = parser.name("an action").map_err(placed)?;
        if *parser.token() != Token::End {
            let problem = parser.unexpected("a backquote").help("in backquotes stands the name of an action");
            return Err(placed(problem));
        }
        let mut written = name.base.into_owned();
        for index in &name.indices {
            push_index(&mut written, self.scope.value(index).map_err(placed)?);
        }
        let number = self.names.find(&written).and_then(|id| alphabet.names.of.get(&id).copied());
        number.ok_or_else(|| {
            let known: Vec<&str> = alphabet.labels.iter().map(|label| &**self.names.get(label.name)).collect();
            let item = &self.tree.components[component].name;
            let mut shown: Vec<String> = known.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
            if known.len() > SHOWN {
                shown.push("…".to_owned());
            }
            let message = format!("no action of `{item}` is called `{written}`");
            let problem = Spanned::new(Kind::Definition, gathered.written(atom), message);
            let problem = problem.label(format!("it has {}", shown.join(", ")));
            match meant(&written, known.into_iter()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help("declare its actions before the formula: `observable a, b`"),
            }
        })
    }

    /// Actions that the formula does not tell apart, each class with the set that stands for it; by their first actions.
    fn classes(&self, program: &Program, alphabet: &Alphabet) -> Vec<(Vec<VarId>, Vec<u32>)> {
        let mut sets: Vec<Option<VarId>> = vec![None; alphabet.labels.len()];
        for (var, atom) in &program.atoms {
            let action = name_of(atom).and_then(|name| alphabet.names.of.get(&self.names.find(name)?).copied());
            let action = action.expect("every atom is an action that was put in");
            sets[action as usize] = Some(*var);
        }
        let mut classes: Vec<(Vec<VarId>, Vec<u32>)> = Vec::new();
        let mut others: Option<usize> = None;
        for (action, set) in (0..).zip(sets) {
            match (set, others) {
                (Some(set), _) => classes.push((vec![set], vec![action])),
                (None, Some(class)) => classes[class].1.push(action),
                (None, None) => {
                    others = Some(classes.len());
                    classes.push((Vec::new(), vec![action]));
                }
            }
        }
        classes
    }

    /// What begins a word that satisfies the formula.
    fn words(&self, program: &Program, classes: &[(Vec<VarId>, Vec<u32>)], span: Span) -> Checked<Deterministic> {
        let letters: Vec<Vec<VarId>> = classes.iter().map(|(sets, _)| sets.clone()).collect();
        let listed = over_letters(program, &letters, &self.formulas.budget).map_err(|over| {
            Spanned::new(Kind::TooLarge, span, "the automaton of this formula takes too much")
                .label(format!("given up while {}", over.what))
                .help("write the component as `lts { … }`, or as several components with a part of the formula each")
        })?;
        let begun = begun(&listed).ok_or_else(|| {
            Spanned::new(Kind::Definition, span, "no word satisfies this formula")
                .label("a component does the beginnings of the words that do")
                .help("where there is no word, there is not even the empty one; a component that does nothing is `~ex1 p: true`")
        })?;
        let found = smallest(&begun);
        let all = found.arcs.iter().map(|&(_, class, _)| classes[class as usize].1.len() as u64).sum::<u64>();
        if all > super::MOST_ARCS {
            return Err(Spanned::new(Kind::TooLarge, span, format!("more than {} arcs", super::MOST_ARCS)));
        }
        let arcs = found
            .arcs
            .iter()
            .flat_map(|&(from, class, to)| classes[class as usize].1.iter().map(move |&action| (from, action, to)));
        let mut arcs: Vec<(u32, u32, u32)> = arcs.collect();
        arcs.sort_unstable();
        Ok(Deterministic { states: found.states, arcs })
    }
}

/// The states from which a word can still be accepted, and what leads from one to another; `None` if no word is accepted at all.
fn begun(listed: &LetterTable) -> Option<Deterministic> {
    let states = listed.accepts.len();
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); states];
    for (from, targets) in listed.next.chunks(listed.letters).enumerate() {
        targets.iter().for_each(|&to| sources[to as usize].push(from as u32));
    }
    let mut can = listed.accepts.clone();
    let mut open: Vec<u32> = (0..states as u32).filter(|&s| can[s as usize]).collect();
    while let Some(state) = open.pop() {
        for &source in &sources[state as usize] {
            if !std::mem::replace(&mut can[source as usize], true) {
                open.push(source);
            }
        }
    }
    if !can[0] {
        return None;
    }
    let mut arcs = Vec::new();
    for (from, targets) in listed.next.chunks(listed.letters).enumerate().filter(|&(from, _)| can[from]) {
        let targets = (0..).zip(targets).filter(|&(_, &to)| can[to as usize]);
        arcs.extend(targets.map(|(letter, &to)| (from as u32, letter, to)));
    }
    Some(Deterministic { states: states as u32, arcs })
}

/// The atom that is true where an action takes place.
fn atom_of(action: &str) -> Atom {
    Atom::State(Condition::Nonzero(Term::Var(Var::now(action, Spot::default()))))
}

/// The action of such an atom.
fn name_of(atom: &Atom) -> Option<&str> {
    match atom {
        Atom::State(Condition::Nonzero(Term::Var(var))) => Some(&var.name),
        _ => None,
    }
}
