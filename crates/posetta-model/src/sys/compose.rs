//! Systems: copies side by side, with new names and hidden actions, made flat.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::{Composition, List, Name, Rename, Where};
use super::unfold::{Checked, Instance, Label, NameId, Unfolder};
use super::{MOST_ARCS, MOST_COPIES};
use crate::aut::silent_name;
use crate::problem::meant;
use crate::system::{Behaviour, Builder, System};
use posetta_base::{ActionId, Diagnostic, Kind, Place, Span, Spanned};

/// So many names are listed in a message.
const SHOWN: usize = 8;

/// What a name in a composition means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// All copies of a component.
    Component(usize),
    Copy(usize, u64),
    System(usize),
}

type Targets<'t> = FxHashMap<&'t str, Target>;

/// New names for actions, all at once.
#[derive(Debug, Default)]
pub(super) struct Renaming {
    /// The new name, where it was asked for, and whether there was such an action.
    of: FxHashMap<NameId, (NameId, Span, bool)>,
    order: Vec<NameId>,
}

impl Renaming {
    /// Gives the new names; whether something changed.
    pub(super) fn apply(&mut self, labels: &mut [Label]) -> bool {
        let mut changed = false;
        for label in labels {
            if let Some((to, _, used)) = self.of.get_mut(&label.name) {
                *used = true;
                *label = Label { name: *to, silent: false, ..*label };
                changed = true;
            }
        }
        changed
    }

    /// What no action was called.
    pub(super) fn unused(&self) -> Vec<(NameId, Span)> {
        let unused = self.order.iter().map(|from| (*from, self.of[from]));
        unused.filter(|(_, (_, _, used))| !used).map(|(from, (_, span, _))| (from, span)).collect()
    }
}

/// Names for a message, some of them.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut shown: Vec<String> = names.take(SHOWN + 1).map(|n| format!("`{n}`")).collect();
    if shown.len() > SHOWN {
        shown[SHOWN] = "…".to_owned();
    }
    shown.join(", ")
}

impl<'t, 'a> Unfolder<'t, 'a, '_> {
    /// The system that is meant; `None` if something is wrong, which is then told in the fields for it.
    pub(super) fn system(&mut self, wanted: Option<&str>) -> Option<System> {
        let tree = self.tree;
        let targets = self.targets();
        let order = self.order(&targets);
        let goal = self.goal(wanted, &targets);
        let mut used = FxHashSet::default();
        for system in &tree.systems {
            self.resolve_all(&system.composition, &targets, &mut used);
        }
        let mut result = None;
        if let (Some(goal), Some(order)) = (goal, order)
            && self.problems.is_empty()
            && self.unplaced.is_empty()
        {
            let parts = self.parts_of(goal, &order, &targets);
            result = parts.and_then(|parts| self.assemble(goal, parts));
        }
        self.try_the_others();
        if !tree.systems.is_empty() && !matches!(goal, Some(Target::Component(_))) {
            for (i, component) in tree.components.iter().enumerate() {
                if !used.contains(&i) {
                    let message = format!("no system has the component `{}`", component.name);
                    self.warnings.push(Spanned::new(Kind::Vacuous, component.name_span, message));
                }
            }
        }
        result
    }

    /// What every name of the file means.
    fn targets(&mut self) -> Targets<'t> {
        let tree = self.tree;
        let mut targets: Targets<'t> = FxHashMap::default();
        let components = tree.components.iter().enumerate().map(|(i, c)| (&*c.name, c.name_span, Target::Component(i)));
        let systems = tree.systems.iter().enumerate().map(|(i, s)| (&*s.name, s.name_span, Target::System(i)));
        let mut all: Vec<(&'t str, Span, Target)> = components.chain(systems).collect();
        all.sort_by_key(|(_, span, _)| span.start);
        for (name, span, target) in all {
            if let Some(first) = targets.get(name) {
                let first = match *first {
                    Target::System(system) => tree.systems[system].name_span,
                    Target::Component(c) | Target::Copy(c, _) => tree.components[c].name_span,
                };
                let line = Place::in_text(self.source, first).line;
                let problem = Spanned::new(Kind::Definition, span, format!("`{name}` is defined twice"));
                self.problems.push(problem.label(format!("the first one is in line {line}")));
            } else {
                targets.insert(name, target);
            }
            if self.problems.is_full() {
                break;
            }
        }
        targets
    }

    /// What is to be read.
    fn goal(&mut self, wanted: Option<&str>, targets: &Targets<'t>) -> Option<Target> {
        let tree = self.tree;
        if let Some(wanted) = wanted {
            if let Some(&target) = targets.get(wanted) {
                return Some(target);
            }
            let systems = tree.systems.iter().map(|s| &*s.name);
            let names = listed(systems.chain(tree.components.iter().map(|c| &*c.name)));
            let unknown = Diagnostic::new(Kind::Definition, format!("there is no system `{wanted}`"));
            self.unplaced.push(unknown.help(format!("there are {names}")));
            return None;
        }
        if !tree.systems.is_empty() {
            return Some(Target::System(tree.systems.len() - 1));
        }
        if let [_] = tree.components[..] {
            return Some(Target::Component(0));
        }
        let names: Vec<&str> = tree.components.iter().take(SHOWN).map(|c| &*c.name).collect();
        let span = tree.components.last().map_or_else(Span::default, |c| c.name_span);
        let more = if tree.components.len() > SHOWN { " || …" } else { "" };
        let problem = Spanned::new(Kind::Definition, span, "there are several components and no system of them");
        self.problems.push(problem.help(format!("write `system S = {}{more}`", names.join(" || "))));
        None
    }

    /// What a name in a composition means.
    fn resolve(&self, name: &Name<'a>, targets: &Targets<'t>) -> Checked<Target> {
        let wrong = |message: String| Spanned::new(Kind::Definition, name.span, message);
        let base = &*name.base;
        let Some(&target) = targets.get(base) else {
            let mut known: Vec<&str> = targets.keys().copied().collect();
            known.sort_unstable();
            let problem = wrong(format!("there is no component `{base}`"));
            return Err(match meant(base, known.iter().copied()) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("there are {}", listed(known.into_iter()))),
            });
        };
        if name.indices.is_empty() {
            return Ok(target);
        }
        let Target::Component(component) = target else {
            return Err(wrong(format!("the system `{base}` has no copies")));
        };
        // A component whose ranges are wrong was told of.
        let Some(ranges) = &self.copies[component] else { return Ok(target) };
        if ranges.len() != name.indices.len() {
            return Err(match ranges.len() {
                0 => wrong(format!("`{base}` has no parameters")),
                1 => wrong(format!("`{base}` has one parameter")),
                n => wrong(format!("`{base}` has {n} parameters")),
            }
            .help("a copy is named by one number for each parameter"));
        }
        let mut copy = 0;
        for (index, &(from, count)) in name.indices.iter().zip(ranges) {
            let value = self.scope.value(index)?;
            let place = value.abs_diff(from);
            if value < from || place >= count {
                let problem =
                    Spanned::new(Kind::Definition, index.span, format!("there is no copy {value} of `{base}`"));
                return Err(match count {
                    0 => problem.label("there are none"),
                    _ => problem.label(format!("the copies are {from} to {}", from.wrapping_add_unsigned(count - 1))),
                });
            }
            copy = copy * count + place;
        }
        Ok(Target::Copy(component, copy))
    }

    /// Tells of every name that means nothing, and gathers the components that are used.
    fn resolve_all(&mut self, composition: &Composition<'a>, targets: &Targets<'t>, used: &mut FxHashSet<usize>) {
        if self.problems.is_full() {
            return;
        }
        each_use(composition, &mut |name| match self.resolve(name, targets) {
            Ok(Target::Component(component) | Target::Copy(component, _)) => {
                used.insert(component);
            }
            Ok(Target::System(_)) => {}
            Err(problem) => self.problems.push(problem),
        });
    }

    /// The systems, each behind those that it uses; `None` if one is a part of itself.
    fn order(&mut self, targets: &Targets<'t>) -> Option<Vec<usize>> {
        let tree = self.tree;
        let uses: Vec<Vec<(usize, Span)>> = tree
            .systems
            .iter()
            .map(|system| {
                let mut uses = Vec::new();
                each_use(&system.composition, &mut |name| {
                    if let Some(&Target::System(other)) = targets.get(&*name.base) {
                        uses.push((other, name.span));
                    }
                });
                uses
            })
            .collect();
        // 0: not met, 1: on the way, 2: done.
        let mut met = vec![0_u8; uses.len()];
        let mut order = Vec::with_capacity(uses.len());
        let mut is_fine = true;
        for start in 0..uses.len() {
            let mut stack = vec![(start, 0)];
            while let Some((system, next)) = stack.last_mut() {
                let system = *system;
                if *next == 0 {
                    if met[system] != 0 {
                        stack.pop();
                        continue;
                    }
                    met[system] = 1;
                }
                let Some(&(other, span)) = uses[system].get(*next) else {
                    met[system] = 2;
                    order.push(system);
                    stack.pop();
                    continue;
                };
                *next += 1;
                match met[other] {
                    0 => stack.push((other, 0)),
                    1 => {
                        is_fine = false;
                        let name = &tree.systems[other].name;
                        let message = format!("the system `{name}` is a part of itself");
                        self.problems.push(Spanned::new(Kind::Definition, span, message));
                    }
                    _ => {}
                }
            }
        }
        is_fine.then_some(order)
    }

    /// The parts of what is meant.
    fn parts_of(&mut self, goal: Target, order: &[usize], targets: &Targets<'t>) -> Option<Vec<Instance>> {
        let tree = self.tree;
        let goal_system = match goal {
            Target::System(system) => system,
            Target::Component(component) | Target::Copy(component, _) => {
                let mut parts = Vec::new();
                let span = tree.components[component].name_span;
                self.add(goal, span, &mut parts, &FxHashMap::default())?;
                return Some(parts);
            }
        };
        // Only what the goal is made of.
        let mut needed = FxHashSet::from_iter([goal_system]);
        for &system in order.iter().rev() {
            if needed.contains(&system) {
                each_use(&tree.systems[system].composition, &mut |name| {
                    if let Some(&Target::System(other)) = targets.get(&*name.base) {
                        needed.insert(other);
                    }
                });
            }
        }
        let mut made: FxHashMap<usize, Vec<Instance>> = FxHashMap::default();
        for &system in order.iter().filter(|s| needed.contains(s)) {
            let mut parts = Vec::new();
            self.compose(&tree.systems[system].composition, targets, &made, &mut parts)?;
            made.insert(system, parts);
        }
        made.remove(&goal_system)
    }

    /// Adds the parts of a composition; `None` if something is wrong, which has been told.
    fn compose(
        &mut self,
        composition: &Composition<'a>,
        targets: &Targets<'t>,
        made: &FxHashMap<usize, Vec<Instance>>,
        parts: &mut Vec<Instance>,
    ) -> Option<()> {
        match composition {
            Composition::Use(name) => {
                let target = self.resolve(name, targets).map_err(|problem| self.problems.push(problem)).ok()?;
                self.add(target, name.span, parts, made)
            }
            Composition::Parallel(all) => {
                // Each is looked at, so that all mistakes are found.
                let mut is_fine = true;
                for part in all {
                    is_fine &= self.compose(part, targets, made, parts).is_some();
                }
                is_fine.then_some(())
            }
            Composition::Where(inner, wheres) => {
                let first = parts.len();
                self.compose(inner, targets, made, parts)?;
                for part in wheres {
                    let changed = match part {
                        Where::Internal(list) => self.hide(list, &mut parts[first..]),
                        Where::Rename(list) => self.rename(list, &mut parts[first..]),
                    };
                    changed.map_err(|problem| self.problems.push(problem)).ok()?;
                }
                Some(())
            }
        }
    }

    /// Adds what a name means.
    fn add(
        &mut self,
        target: Target,
        span: Span,
        parts: &mut Vec<Instance>,
        made: &FxHashMap<usize, Vec<Instance>>,
    ) -> Option<()> {
        let count = match target {
            Target::Component(component) => self.copies[component].as_ref()?.iter().map(|&(_, count)| count).product(),
            Target::Copy(..) => 1,
            Target::System(system) => made.get(&system)?.len() as u64,
        };
        let fits = if parts.len() as u64 + count > MOST_COPIES {
            Err(Self::too_many_copies(span))
        } else {
            self.spend(count, span)
        };
        fits.map_err(|problem| self.problems.push(problem)).ok()?;
        match target {
            Target::Component(component) => {
                for copy in 0..count {
                    parts.push(self.part(component, copy, span)?);
                }
            }
            Target::Copy(component, copy) => parts.push(self.part(component, copy, span)?),
            Target::System(system) => parts.extend(made.get(&system)?.iter().cloned()),
        }
        Some(())
    }

    /// New names as they are asked for.
    pub(super) fn renaming(&mut self, list: &List<'a, Rename<'a>>) -> Checked<Renaming> {
        let mut renaming = Renaming::default();
        self.each(list, &mut |this, rename| {
            this.spend(1, rename.from.span)?;
            let (from, to) = (this.name(&rename.from)?, this.action_name(&rename.to)?);
            if renaming.of.insert(from, (to, rename.from.span, false)).is_some() {
                let message = format!("`{}` gets two new names", this.names.get(from));
                return Err(Spanned::new(Kind::Definition, rename.from.span, message));
            }
            renaming.order.push(from);
            Ok(())
        })?;
        Ok(renaming)
    }

    fn rename(&mut self, list: &List<'a, Rename<'a>>, parts: &mut [Instance]) -> Checked {
        let mut renaming = self.renaming(list)?;
        self.relabel(parts, |labels| renaming.apply(labels))?;
        self.tell_unknown(&renaming.unused(), parts);
        Ok(())
    }

    fn hide(&mut self, list: &List<'a, Name<'a>>, parts: &mut [Instance]) -> Checked {
        let mut hidden: FxHashMap<NameId, (Span, bool)> = FxHashMap::default();
        let mut order = Vec::new();
        self.each(list, &mut |this, action| {
            this.spend(1, action.span)?;
            let name = this.name(action)?;
            if hidden.insert(name, (action.span, false)).is_none() {
                order.push(name);
            }
            Ok(())
        })?;
        self.relabel(parts, |labels| {
            let mut changed = false;
            for label in labels {
                if let Some((_, used)) = hidden.get_mut(&label.name) {
                    *used = true;
                    changed |= !label.internal;
                    label.internal = true;
                }
            }
            changed
        })?;
        let unused: Vec<(NameId, Span)> =
            order.iter().filter(|n| !hidden[n].1).map(|&name| (name, hidden[&name].0)).collect();
        self.tell_unknown(&unused, parts);
        Ok(())
    }

    /// Changes the labels of parts; those of a part that stays as it is stay shared.
    fn relabel(&mut self, parts: &mut [Instance], mut change: impl FnMut(&mut [Label]) -> bool) -> Checked {
        for part in parts {
            self.spend(1 + part.labels.len() as u64 / 4, part.span)?;
            let mut labels = part.labels.to_vec();
            if change(&mut labels) {
                part.labels = labels.into();
            }
        }
        Ok(())
    }

    fn tell_unknown(&mut self, unknown: &[(NameId, Span)], parts: &[Instance]) {
        if unknown.is_empty() {
            return;
        }
        let mut met = FxHashSet::default();
        let labels = parts.iter().flat_map(|p| p.labels.iter().map(|l| l.name));
        let known: Vec<NameId> = labels.filter(|&name| met.insert(name)).collect();
        for &(name, span) in unknown {
            if self.problems.is_full() {
                break;
            }
            let problem = self.unknown_action(name, span, &known);
            self.problems.push(problem);
        }
    }

    #[cold]
    pub(super) fn unknown_action(&self, name: NameId, span: Span, known: &[NameId]) -> Box<Spanned> {
        let name = self.names.get(name);
        let names = || known.iter().map(|&id| &**self.names.get(id));
        let problem = Spanned::new(Kind::Definition, span, format!("no action here is called `{name}`"));
        match meant(name, names()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("there are {}", listed(names()))),
        }
    }

    /// Puts parts side by side.
    fn assemble(&mut self, goal: Target, parts: Vec<Instance>) -> Option<System> {
        let tree = self.tree;
        let (name, span) = match goal {
            Target::System(system) => (&tree.systems[system].name, tree.systems[system].name_span),
            Target::Component(c) | Target::Copy(c, _) => (&tree.components[c].name, tree.components[c].name_span),
        };
        if parts.is_empty() {
            self.problems.push(Spanned::new(Kind::Vacuous, span, format!("`{name}` has no components")));
            return None;
        }
        // What is shared with nothing else need not be copied.
        self.made.clear();
        let mut builder = Builder::new();
        let mut names: FxHashMap<Arc<str>, u32> = FxHashMap::default();
        let mut is_fine = true;
        let mut left = MOST_ARCS;
        for part in parts {
            let size = part.size();
            let Some(rest) = left.checked_sub(size) else {
                let message = format!("more than {} arcs, transitions and actions of components", MOST_ARCS);
                self.problems.push(Spanned::new(Kind::TooLarge, part.span, message));
                return None;
            };
            left = rest;
            let given = Arc::clone(self.names.get(part.name));
            let called = unused_name(&given, &mut names);
            let mut actions = Vec::with_capacity(part.labels.len());
            for label in part.labels.iter() {
                let action = if label.silent { silent_name(&called) } else { Arc::clone(self.names.get(label.name)) };
                let id = builder.action(&action, label.internal)?;
                if builder.is_internal(id) != label.internal {
                    is_fine = false;
                    let problem = mixed(&action, &called, label.internal, &builder, id, part.span);
                    self.problems.push(problem);
                }
                actions.push(id);
            }
            let behaviour = Rc::try_unwrap(part.behaviour).unwrap_or_else(|shared| (*shared).clone());
            builder.component(&called, &actions, with_actions(behaviour, &actions))?;
        }
        is_fine.then(|| builder.finish(name, Vec::new()))
    }

    /// Mistakes in components that are not part of what is meant are mistakes as well.
    fn try_the_others(&mut self) {
        if self.left == 0 {
            return;
        }
        self.left = MOST_ARCS;
        let warnings = std::mem::take(&mut self.warnings);
        let elsewhere = self.warnings_elsewhere.len();
        for component in 0..self.tree.components.len() {
            let is_empty = self.copies[component].as_ref().is_some_and(|r| r.iter().any(|&(_, count)| count == 0));
            if !is_empty && !self.tried.contains(&component) {
                self.part(component, 0, Span::default());
            }
        }
        self.warnings = warnings;
        self.warnings_elsewhere.truncate(elsewhere);
    }
}

/// The names in a composition.
fn each_use<'c, 'a>(composition: &'c Composition<'a>, then: &mut dyn FnMut(&'c Name<'a>)) {
    match composition {
        Composition::Use(name) => then(name),
        Composition::Parallel(parts) => parts.iter().for_each(|part| each_use(part, then)),
        Composition::Where(inner, _) => each_use(inner, then),
    }
}

/// A name that no component has yet: `Buf`, then `Buf#2`.
fn unused_name(given: &Arc<str>, names: &mut FxHashMap<Arc<str>, u32>) -> Arc<str> {
    let Some(count) = names.get(given).copied() else {
        names.insert(Arc::clone(given), 1);
        return Arc::clone(given);
    };
    let mut number = count;
    loop {
        number += 1;
        let name: Arc<str> = format!("{given}#{number}").into();
        if !names.contains_key(&name) {
            names.insert(Arc::clone(given), number);
            names.insert(Arc::clone(&name), 1);
            return name;
        }
    }
}

/// A behaviour with the actions of the whole system.
fn with_actions(mut behaviour: Behaviour, actions: &[ActionId]) -> Behaviour {
    match &mut behaviour {
        Behaviour::Lts(lts) => lts.arcs.iter_mut().for_each(|arc| arc.action = actions[arc.action.index()]),
        Behaviour::Net(net) => net.transitions.iter_mut().for_each(|t| t.action = actions[t.action.index()]),
    }
    behaviour
}

#[cold]
fn mixed(action: &str, here: &str, internal: bool, builder: &Builder, id: ActionId, span: Span) -> Box<Spanned> {
    let problem = match builder.first_with(id) {
        Some(other) => {
            let (inside, outside) = if internal { (here, &*other.name) } else { (&*other.name, here) };
            let message = format!("`{action}` is internal in `{inside}` and observable in `{outside}`");
            Spanned::new(Kind::Definition, span, message)
        }
        None => Spanned::new(Kind::Definition, span, format!("`{action}` is both internal and observable in `{here}`")),
    };
    problem.help(format!("declare it alike, or hide it in all of them: `(… || …) where {{ {action} }} internal`"))
}
