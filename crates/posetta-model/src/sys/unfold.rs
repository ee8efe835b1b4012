//! Copies of components: loops run, names worked out.
//!
//! A copy is a [`Instance`]: a behaviour whose actions are places in a list of [`Label`]s of its own. Giving actions new names and hiding them
//! changes labels only; the behaviour is shared.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::expressions::{Expr, Scope};
use super::language::{self, Regular};
use super::m2l::Formulas;
use super::tree::{Body, Entry, List, Loop, LtsItem, Name, NetItem, Range, Regex, Tree, Weighted};
use super::{Load, MOST_ARCS, MOST_COPIES, import};
use crate::aut::silent_name;
use crate::problem::Problems;
use crate::system::{Behaviour, Lts, LtsArc, MOST_TOKENS, Net, Place, Transition, is_reserved};
use posetta_base::{ActionId, Diagnostic, Kind, Located, Span, Spanned};
use posetta_logic::NoFile;

pub(super) type Checked<T = ()> = Result<T, Box<Spanned>>;

/// What a language may cost, in places of its expression that are looked at.
const MOST_PLACES: u64 = 20_000_000;

/// A distinct name: a place in the table of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NameId(pub(super) u32);

/// Names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, NameId>,
}

impl Names {
    pub(super) fn intern(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        // What is made is counted, far below 32 bits.
        let id = NameId(self.all.len() as u32);
        let text: Arc<str> = text.into();
        self.all.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    pub(super) fn get(&self, id: NameId) -> &Arc<str> {
        &self.all[id.0 as usize]
    }
}

/// An action of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) name: NameId,
    pub(super) internal: bool,
    /// The silent action of an import, which is called after its component.
    pub(super) silent: bool,
}

/// One copy of a component.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) name: NameId,
    /// Its actions are places in `labels`.
    pub(super) behaviour: Rc<Behaviour>,
    /// The alphabet. A name that is there twice is one action.
    pub(super) labels: Rc<[Label]>,
    /// Where it was asked for.
    pub(super) span: Span,
}

impl Instance {
    /// What it counts for.
    pub(super) fn size(&self) -> u64 {
        let arcs = match &*self.behaviour {
            Behaviour::Lts(lts) => lts.arcs.len(),
            Behaviour::Net(net) => net.transitions.iter().map(|t| 1 + t.takes.len() + t.puts.len()).sum(),
        };
        (arcs + self.labels.len()) as u64
    }
}

/// What was read from an imported file.
#[derive(Clone, Debug)]
struct Imported {
    behaviour: Rc<Behaviour>,
    labels: Vec<Label>,
}

/// Numbers for names in one copy.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    pub(super) of: FxHashMap<NameId, u32>,
    all: Vec<(NameId, Span)>,
}

impl Numbering {
    fn number(&mut self, name: NameId, span: Span) -> u32 {
        let all = &mut self.all;
        *self.of.entry(name).or_insert_with(|| {
            all.push((name, span));
            all.len() as u32 - 1
        })
    }
}

/// The alphabet of one copy while it is made.
#[derive(Debug, Default)]
pub(super) struct Alphabet {
    pub(super) names: Numbering,
    pub(super) labels: Vec<Label>,
    /// Declared and not yet done.
    pub(super) idle: Vec<bool>,
}

/// Makes copies, and then systems of them (in `compose`).
pub(super) struct Unfolder<'t, 'a, 'l> {
    pub(super) file: &'t str,
    pub(super) source: &'a str,
    pub(super) tree: &'t Tree<'a>,
    pub(super) scope: Scope<'a>,
    pub(super) names: Names,
    pub(super) problems: Problems,
    /// Mistakes in other files.
    pub(super) elsewhere: Vec<Located>,
    /// Mistakes without a place.
    pub(super) unplaced: Vec<Diagnostic>,
    pub(super) warnings: Problems,
    pub(super) warnings_elsewhere: Vec<Diagnostic>,
    load: &'t mut Load<'l>,
    /// For each component the first number and how many there are, for each parameter; `None` if they are wrong.
    pub(super) copies: Vec<Option<Vec<(i64, u64)>>>,
    /// The parts that were made, by component and number of the copy.
    pub(super) made: FxHashMap<(usize, u64), Instance>,
    /// `None` for a file that cannot be read, which was told.
    imports: FxHashMap<usize, Option<Imported>>,
    /// Components of which a copy was made, or could not be.
    pub(super) tried: FxHashSet<usize>,
    /// Components that are broken, which was told.
    broken: FxHashSet<usize>,
    /// Components of which one copy was warned about.
    warned: FxHashSet<usize>,
    /// Whether the copy that is being made is the first of which something is to be told.
    warns: bool,
    pub(super) left: u64,
    places_left: u64,
    pub(super) formulas: Formulas,
    text: String,
}

impl<'t, 'a, 'l> Unfolder<'t, 'a, 'l> {
    pub(super) fn new(
        file: &'t str,
        source: &'a str,
        tree: &'t Tree<'a>,
        scope: Scope<'a>,
        problems: Problems,
        load: &'t mut Load<'l>,
    ) -> Self {
        let mut unfolder = Self {
            file,
            source,
            tree,
            scope,
            names: Names::default(),
            problems,
            elsewhere: Vec::new(),
            unplaced: Vec::new(),
            warnings: Problems::default(),
            warnings_elsewhere: Vec::new(),
            load,
            copies: Vec::new(),
            made: FxHashMap::default(),
            imports: FxHashMap::default(),
            tried: FxHashSet::default(),
            broken: FxHashSet::default(),
            warned: FxHashSet::default(),
            warns: true,
            left: MOST_ARCS,
            places_left: MOST_PLACES,
            formulas: Formulas::default(),
            text: String::new(),
        };
        for component in &tree.components {
            let copies = unfolder.ranges(&component.parameters);
            let copies = copies.map_err(|problem| unfolder.problems.push(problem)).ok();
            unfolder.copies.push(copies);
        }
        unfolder
    }

    /// The ranges of parameters.
    fn ranges(&mut self, parameters: &[Range<'a>]) -> Checked<Vec<(i64, u64)>> {
        let mut ranges = Vec::with_capacity(parameters.len());
        let mut total = 1_u64;
        for parameter in parameters {
            let (from, to) = (self.scope.value(&parameter.from)?, self.scope.value(&parameter.to)?);
            let count = if to < from { 0 } else { to.abs_diff(from).saturating_add(1) };
            if count == 0 {
                let message = format!("the range {from}..{to} is empty");
                self.warnings.push(Spanned::new(Kind::Vacuous, parameter.bounds, message).label("there are no copies"));
            }
            total = total.saturating_mul(count);
            if total > MOST_COPIES {
                return Err(Self::too_many_copies(parameter.bounds));
            }
            ranges.push((from, count));
        }
        Ok(ranges)
    }

    #[cold]
    pub(super) fn too_many_copies(span: Span) -> Box<Spanned> {
        Spanned::new(Kind::TooLarge, span, format!("more than {MOST_COPIES} copies of components"))
    }

    /// Accounts for what is made.
    pub(super) fn spend(&mut self, count: u64, span: Span) -> Checked {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                let message = format!("more than {MOST_ARCS} arcs, transitions, actions and rounds of loops");
                Err(Spanned::new(Kind::TooLarge, span, message))
            }
        }
    }

    /// A name with its indices worked out.
    pub(super) fn name(&mut self, name: &Name<'a>) -> Checked<NameId> {
        if name.indices.is_empty() {
            return Ok(self.names.intern(&name.base));
        }
        self.text.clear();
        self.text.push_str(&name.base);
        for index in &name.indices {
            let value = self.scope.value(index)?;
            push_index(&mut self.text, value);
        }
        // Long names are paid for.
        self.spend(self.text.len() as u64 / 64, name.span)?;
        Ok(self.names.intern(&self.text))
    }

    /// The name of an action.
    pub(super) fn action_name(&mut self, name: &Name<'a>) -> Checked<NameId> {
        let id = self.name(name)?;
        if is_reserved(self.names.get(id)) {
            let message = format!("no action can be called `{}`", self.names.get(id));
            return Err(Spanned::new(Kind::Definition, name.span, message)
                .help("formulas have this word for runs that stop, or go on unseen"));
        }
        Ok(id)
    }

    /// Everything in a list, once for each round of its loops.
    pub(super) fn each<T>(&mut self, list: &List<'a, T>, then: &mut dyn FnMut(&mut Self, &T) -> Checked) -> Checked {
        for entry in list {
            match entry {
                Entry::One(one) => then(self, one)?,
                Entry::For(head, inner) => self.rounds(head, 0, &mut |this| this.each(inner, then))?,
            }
        }
        Ok(())
    }

    /// The rounds of a loop, from one of its ranges on.
    fn rounds(&mut self, head: &Loop<'a>, at: usize, then: &mut dyn FnMut(&mut Self) -> Checked) -> Checked {
        let Some(range) = head.ranges.get(at) else {
            let goes = head.condition.as_ref().map_or(Ok(1), |condition| self.scope.value(condition))?;
            return if goes == 0 { Ok(()) } else { then(self) };
        };
        let (from, to) = (self.scope.value(&range.from)?, self.scope.value(&range.to)?);
        for value in from..=to {
            self.spend(1, head.span.to(range.span))?;
            self.scope.variables.push((range.variable, value));
            let done = self.rounds(head, at + 1, then);
            self.scope.variables.pop();
            done?;
        }
        Ok(())
    }

    /// One copy of a component; `None` if it is broken, which has been told.
    pub(super) fn part(&mut self, component: usize, copy: u64, span: Span) -> Option<Instance> {
        if let Some(part) = self.made.get(&(component, copy)) {
            return Some(Instance { span, ..part.clone() });
        }
        if self.broken.contains(&component) || self.problems.is_full() {
            return None;
        }
        self.tried.insert(component);
        let ranges = self.copies[component].clone()?;
        let mut values = Vec::with_capacity(ranges.len());
        let mut rest = copy;
        for &(from, count) in ranges.iter().rev() {
            values.push(from.wrapping_add_unsigned(rest % count.max(1)));
            rest /= count.max(1);
        }
        values.reverse();
        let tree = self.tree;
        let item = &tree.components[component];
        let variables = item.parameters.iter().map(|p| p.variable).zip(values.iter().copied()).collect();
        let outside = std::mem::replace(&mut self.scope.variables, variables);
        self.text.clear();
        self.text.push_str(&item.name);
        for &value in &values {
            push_index(&mut self.text, value);
        }
        let name = self.names.intern(&self.text);
        let made = self.copy(component, name);
        self.scope.variables = outside;
        match made {
            Ok(Some((behaviour, labels))) => {
                let part = Instance { name, behaviour, labels: labels.into(), span };
                self.made.insert((component, copy), part.clone());
                Some(part)
            }
            Ok(None) => {
                self.broken.insert(component);
                None
            }
            Err(problem) => {
                self.problems.push(problem);
                self.broken.insert(component);
                None
            }
        }
    }

    /// What a copy does; the scope has its parameters. `None` if its import or its formula is broken.
    fn copy(&mut self, component: usize, name: NameId) -> Checked<Option<(Rc<Behaviour>, Vec<Label>)>> {
        let tree = self.tree;
        let item = &tree.components[component];
        self.warns = !self.warned.contains(&component);
        let mut alphabet = Alphabet::default();
        for (internal, list) in &item.declared {
            self.each(list, &mut |this, action| this.declare(&mut alphabet, action, *internal))?;
        }
        let behaviour = match &item.body {
            Body::Lts(list) => Rc::new(Behaviour::Lts(self.lts(component, list, &mut alphabet)?)),
            Body::Net(list) => Rc::new(Behaviour::Net(self.net(list, &mut alphabet)?)),
            Body::Language(regex) => Rc::new(Behaviour::Lts(self.language(component, regex, &mut alphabet)?)),
            Body::M2l(strings) => match self.formula(component, strings, &mut alphabet)? {
                Some(lts) => Rc::new(Behaviour::Lts(lts)),
                None => return Ok(None),
            },
            Body::Import { .. } => match self.import(component, name, &mut alphabet)? {
                Some(behaviour) => behaviour,
                None => return Ok(None),
            },
        };
        if alphabet.labels.is_empty() {
            return Err(Spanned::new(Kind::Definition, item.name_span, format!("`{}` has no actions", item.name))
                .label("a component does something, or keeps others from it"));
        }
        if self.warns {
            let idle: Vec<usize> = (0..alphabet.idle.len()).filter(|&i| alphabet.idle[i]).collect();
            for &label in &idle {
                let action = alphabet.labels[label].name;
                let span = alphabet.names.all.iter().find(|(n, _)| *n == action).map_or(item.name_span, |&(_, s)| s);
                let (action, name) = (self.names.get(action), self.names.get(name));
                let message = format!("`{action}` never takes place: `{name}` declares it and has no arc for it");
                self.warnings.push(Spanned::new(Kind::Vacuous, span, message));
                self.warned.insert(component);
            }
        }
        Ok(Some((behaviour, alphabet.labels)))
    }

    fn declare(&mut self, alphabet: &mut Alphabet, action: &Name<'a>, internal: bool) -> Checked {
        self.spend(1, action.span)?;
        let name = self.action_name(action)?;
        let number = alphabet.names.number(name, action.span) as usize;
        if let Some(label) = alphabet.labels.get(number) {
            if label.internal != internal {
                let message = format!("`{}` is declared both internal and observable", self.names.get(name));
                return Err(Spanned::new(Kind::Definition, action.span, message));
            }
        } else {
            alphabet.labels.push(Label { name, internal, silent: false });
            alphabet.idle.push(true);
        }
        Ok(())
    }

    /// An action that is done.
    fn act(&mut self, alphabet: &mut Alphabet, action: &Name<'a>) -> Checked<ActionId> {
        let name = self.action_name(action)?;
        let number = alphabet.names.number(name, action.span);
        match alphabet.idle.get_mut(number as usize) {
            Some(idle) => *idle = false,
            None => {
                alphabet.labels.push(Label { name, internal: false, silent: false });
                alphabet.idle.push(false);
            }
        }
        Ok(ActionId::from_raw(number))
    }

    fn lts(&mut self, component: usize, list: &List<'a, LtsItem<'a>>, alphabet: &mut Alphabet) -> Checked<Lts> {
        let mut states = Numbering::default();
        let mut initial: Option<u32> = None;
        let mut arcs: Vec<LtsArc> = Vec::new();
        self.each(list, &mut |this, item| {
            match item {
                LtsItem::Init(state) => {
                    let name = this.name(state)?;
                    let number = states.number(name, state.span);
                    if let Some(first) = initial.replace(number) {
                        let first = this.names.get(states.all[first as usize].0);
                        let message = format!("there is an initial state already, `{first}`");
                        return Err(Spanned::new(Kind::Definition, state.span, message)
                            .help("one state is the initial one: add a first step that chooses"));
                    }
                }
                LtsItem::Path(first, steps) => {
                    let name = this.name(first)?;
                    let mut from = states.number(name, first.span);
                    for (actions, next) in steps {
                        let name = this.name(next)?;
                        let to = states.number(name, next.span);
                        this.spend(actions.len() as u64, next.span)?;
                        for action in actions {
                            arcs.push(LtsArc { from, action: this.act(alphabet, action)?, to });
                        }
                        from = to;
                    }
                }
            }
            Ok(())
        })?;
        let item = &self.tree.components[component];
        let Some(initial) = initial else {
            let problem =
                Spanned::new(Kind::Definition, item.body_span, format!("`{}` has no initial state", item.name));
            let first = states.all.first().map_or("s", |&(name, _)| self.names.get(name));
            return Err(problem.label("expected `init` and a state in it").help(format!("write `init {first};`")));
        };
        arcs.sort_unstable();
        arcs.dedup();
        let names = states.all.iter().map(|&(name, _)| Arc::clone(self.names.get(name))).collect();
        let lts = Lts { states: names, initial, arcs };
        if self.warns {
            for state in lts.unreached() {
                let (name, span) = states.all[state as usize];
                let (name, initial) = (self.names.get(name), &lts.states[initial as usize]);
                let message = format!("no arcs lead from the initial state `{initial}` to `{name}`");
                self.warnings.push(Spanned::new(Kind::Vacuous, span, message));
                self.warned.insert(component);
            }
        }
        Ok(lts)
    }

    fn net(&mut self, list: &List<'a, NetItem<'a>>, alphabet: &mut Alphabet) -> Checked<Net> {
        let mut places = Numbering::default();
        let mut tokens: FxHashMap<u32, u32> = FxHashMap::default();
        let mut transitions: Vec<Transition> = Vec::new();
        self.each(list, &mut |this, item| {
            match item {
                NetItem::Tokens(place, count) => {
                    this.spend(1, place.span)?;
                    let name = this.name(place)?;
                    let number = places.number(name, place.span);
                    let count = this.tokens(count, 0)?;
                    if tokens.insert(number, count).is_some() {
                        let message = format!("the tokens of `{}` are given twice", this.names.get(name));
                        return Err(Spanned::new(Kind::AssignedTwice, place.span, message));
                    }
                }
                NetItem::Transition { name, takes, puts } => {
                    this.spend(1, name.span)?;
                    let action = this.act(alphabet, name)?;
                    let takes = this.side(takes, &mut places)?;
                    let puts = this.side(puts, &mut places)?;
                    transitions.push(Transition { action, takes, puts });
                }
            }
            Ok(())
        })?;
        let places = places.all.iter().zip(0..);
        let places = places.map(|(&(name, _), number)| Place {
            name: Arc::clone(self.names.get(name)),
            initial: tokens.get(&number).copied().unwrap_or(0),
        });
        Ok(Net { places: places.collect(), transitions, units: None })
    }

    /// A number of tokens.
    fn tokens(&self, expr: &Expr<'a>, least: u32) -> Checked<u32> {
        let value = self.scope.value(expr)?;
        let wrong = |kind, message: String| Err(Spanned::new(kind, expr.span, message));
        match u32::try_from(value) {
            Ok(count) if count < least => wrong(Kind::Definition, "an arc needs at least one token".to_owned()),
            Ok(count) if count <= MOST_TOKENS => Ok(count),
            _ if value < 0 => wrong(Kind::Definition, format!("there cannot be {value} tokens")),
            _ => wrong(Kind::TooLarge, format!("more than {MOST_TOKENS} tokens")),
        }
    }

    /// The places on one side of a transition.
    fn side(&mut self, list: &List<'a, Weighted<'a>>, places: &mut Numbering) -> Checked<Vec<(u32, u32)>> {
        let mut side: Vec<(u32, u32, Span)> = Vec::new();
        self.each(list, &mut |this, entry| {
            this.spend(1, entry.place.span)?;
            let name = this.name(&entry.place)?;
            let weight = entry.weight.as_ref().map_or(Ok(1), |weight| this.tokens(weight, 1))?;
            side.push((places.number(name, entry.place.span), weight, entry.place.span));
            Ok(())
        })?;
        side.sort_by_key(|&(place, ..)| place);
        let mut summed: Vec<(u32, u32)> = Vec::with_capacity(side.len());
        for (place, weight, span) in side {
            match summed.last_mut() {
                Some((last, sum)) if *last == place => {
                    // Both are far below 32 bits.
                    *sum += weight;
                    if *sum > MOST_TOKENS {
                        return Err(Spanned::new(Kind::TooLarge, span, format!("more than {MOST_TOKENS} tokens")));
                    }
                }
                _ => summed.push((place, weight)),
            }
        }
        Ok(summed)
    }

    fn language(&mut self, component: usize, regex: &Regex<'a>, alphabet: &mut Alphabet) -> Checked<Lts> {
        let span = self.tree.components[component].body_span;
        let regular = self.regular(regex, alphabet)?;
        let prefixes = language::prefixes(&regular, &mut self.places_left).map_err(|language::TooMuch| {
            Spanned::new(Kind::TooLarge, span, "this language takes too many states")
                .help("write the component as `lts { … }`, which need not be deterministic")
        })?;
        self.spend(prefixes.arcs.len() as u64, span)?;
        let states = (0..prefixes.states).map(|s| {
            let name = self.names.intern(&format!("s{s}"));
            Arc::clone(self.names.get(name))
        });
        let arcs =
            prefixes.arcs.iter().map(|&(from, letter, to)| LtsArc { from, action: ActionId::from_raw(letter), to });
        Ok(Lts { states: states.collect(), initial: 0, arcs: arcs.collect() })
    }

    fn regular(&mut self, regex: &Regex<'a>, alphabet: &mut Alphabet) -> Checked<Regular> {
        let all = |this: &mut Self, parts: &[Regex<'a>], alphabet: &mut Alphabet| -> Checked<Vec<Regular>> {
            parts.iter().map(|part| this.regular(part, alphabet)).collect()
        };
        Ok(match regex {
            Regex::Empty => Regular::Empty,
            Regex::Letter(action) => {
                self.spend(1, action.span)?;
                Regular::Letter(self.act(alphabet, action)?.raw())
            }
            Regex::Sequence(parts) => Regular::Sequence(all(self, parts, alphabet)?),
            Regex::Choice(parts) => Regular::Choice(all(self, parts, alphabet)?),
            Regex::Repeat { none, many, inner } => {
                Regular::Repeat { none: *none, many: *many, inner: Box::new(self.regular(inner, alphabet)?) }
            }
        })
    }

    /// What an imported file does. Its actions come first in the alphabet, as its behaviour counts them.
    fn import(&mut self, component: usize, name: NameId, alphabet: &mut Alphabet) -> Checked<Option<Rc<Behaviour>>> {
        let tree = self.tree;
        let Body::Import { file, span, renames } = &tree.components[component].body else { return Ok(None) };
        if !self.imports.contains_key(&component) {
            let imported = self.read_import(component, file, *span)?;
            self.imports.insert(component, imported);
        }
        let Some(Imported { behaviour, mut labels }) = self.imports[&component].clone() else { return Ok(None) };
        self.spend(labels.len() as u64, *span)?;
        let silent = self.names.intern(&silent_name(&Arc::clone(self.names.get(name))));
        for label in labels.iter_mut().filter(|l| l.silent) {
            label.name = silent;
        }
        if !renames.is_empty() {
            let mut changed = self.renaming(renames)?;
            let known: Vec<NameId> = labels.iter().map(|l| l.name).collect();
            changed.apply(&mut labels);
            if let Some(&(from, span)) = changed.unused().first() {
                return Err(self.unknown_action(from, span, &known));
            }
        }
        let declared = std::mem::take(&mut alphabet.labels);
        let mut done: FxHashMap<NameId, Vec<usize>> = FxHashMap::default();
        for (i, label) in labels.iter().enumerate() {
            done.entry(label.name).or_default().push(i);
        }
        alphabet.idle = vec![false; labels.len()];
        for label in declared {
            match done.get(&label.name) {
                Some(places) => places.iter().for_each(|&i| labels[i].internal = label.internal),
                None => {
                    labels.push(label);
                    alphabet.idle.push(true);
                }
            }
        }
        alphabet.labels = labels;
        Ok(Some(behaviour))
    }

    /// Reads an imported file; `None` if there are mistakes in it.
    fn read_import(&mut self, component: usize, asked: &str, span: Span) -> Checked<Option<Imported>> {
        let (file, text) = (self.load)(self.file, asked).map_err(|NoFile { why, help }| {
            let problem = Spanned::new(Kind::Input, span, format!("`{asked}` cannot be read")).label(why);
            match help {
                Some(help) => problem.help(help),
                None => problem,
            }
        })?;
        let item = &self.tree.components[component];
        let mut system = match import::read(&item.name, &file, &text) {
            Ok(system) => system,
            Err(mistakes) => {
                let file: Arc<str> = file.into();
                for diagnostic in mistakes {
                    let mistake = Located { file: Arc::clone(&file), diagnostic };
                    // Several components may import one file.
                    if self.elsewhere.len() < Spanned::ENOUGH && !self.elsewhere.contains(&mistake) {
                        self.elsewhere.push(mistake);
                    }
                }
                return Ok(None);
            }
        };
        for mut warning in std::mem::take(&mut system.warnings) {
            let line = warning.place.take().map_or(String::new(), |p| format!("{}: ", p.line));
            warning.message = format!("{file}:{line}{}", warning.message);
            if self.warnings_elsewhere.len() < Spanned::ENOUGH && !self.warnings_elsewhere.contains(&warning) {
                self.warnings_elsewhere.push(warning);
            }
        }
        let silent = silent_name(&item.name);
        let labels = system.actions.iter().map(|action| Label {
            name: self.names.intern(&action.name),
            internal: action.internal,
            silent: action.internal && action.name == silent,
        });
        let labels = labels.collect();
        let mut components = system.components.into_iter();
        match (components.next(), components.next()) {
            (Some(only), None) => Ok(Some(Imported { behaviour: Rc::new(only.behaviour), labels })),
            _ => {
                let message = format!("`{asked}` does not have exactly one component");
                Err(Spanned::new(Kind::Unsupported, span, message))
            }
        }
    }
}

pub(super) fn push_index(text: &mut String, value: i64) {
    use std::fmt::Write;
    write!(text, "[{value}]").expect("writing to a string does not fail");
}
