//! The properties that a model states.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluate::{Evaluator, Outcome, Stop};
use super::flatten::Allowed;
use super::scope::{ScopeId, Thing};
use super::tree::{NodeId, SpecItem, SpecTree};
use crate::fds::typed::{Made, Typed};
use crate::fds::{Binder, Demand, ExprId, Names, Spec};
use crate::problem::{Problems, meant};
use posetta_base::{Kind, Place, Span, Spanned};
use posetta_logic::Psl;

impl Evaluator<'_, '_> {
    /// The properties of all instances.
    pub(super) fn specs(&mut self, source: &Arc<str>) -> Vec<Spec> {
        let tree = self.tree;
        let mut found = Vec::new();
        let mut named: FxHashMap<String, Span> = FxHashMap::default();
        for scope in 0..self.scopes.all.len() {
            let scope = ScopeId(scope as u32);
            for item in &tree.module(self.scopes.get(scope).module).specs {
                let name = item.name.map(|n| format!("{}{}", self.scopes.get(scope).prefix, n.text));
                if let (Some(own), Some(name)) = (item.name, &name)
                    && let Some(first) = named.insert(name.clone(), own.span)
                {
                    let problem =
                        Spanned::new(Kind::DuplicateProperty, own.span, format!("two properties are called `{name}`"));
                    let line = Place::in_text(self.source, first).line;
                    self.problems.push(problem.label(format!("the other one is in line {line}")));
                }
                // What is worth knowing about a property stays with it.
                let outer = std::mem::take(&mut self.typed.warnings);
                let demand = self.spec(scope, item);
                let mut warnings = std::mem::replace(&mut self.typed.warnings, outer);
                if let SpecTree::Psl { warnings: own, .. } = &item.tree {
                    own.iter().for_each(|w| warnings.push(Box::new(w.clone())));
                }
                if let Some(demand) = demand {
                    let warnings = warnings.diagnostics(source);
                    found.push(Spec { name, demand, source: source.clone(), span: item.span, warnings });
                }
                if self.problems.is_full() || self.typed.is_spent() {
                    return found;
                }
            }
        }
        found
    }

    fn spec(&mut self, scope: ScopeId, item: &SpecItem<'_>) -> Option<Demand> {
        match &item.tree {
            SpecTree::Ltl(root) => {
                let (thing, outcome) = self.timed(scope, *root);
                let span = self.tree.span(*root);
                let made = self.permit(&outcome, Allowed { place: "LTL", next: false, input: true });
                let made = made.map_err(Stop::from).and_then(|()| self.formula((thing, span)));
                Some(Demand::Ltl(self.told(made)?.0))
            }
            SpecTree::Ctl(root) => {
                let (thing, outcome) = self.timed(scope, *root);
                let span = self.tree.span(*root);
                let made = self.permit(&outcome, Allowed::state("CTL"));
                let made = made.map_err(Stop::from).and_then(|()| self.formula((thing, span)));
                Some(Demand::Ctl(self.told(made)?.0))
            }
            SpecTree::Invariant(root) => {
                Some(Demand::Invariant(self.truth(scope, *root, Allowed::state("INVARSPEC"))?))
            }
            SpecTree::Psl { formula, names, start, .. } => {
                let span = item.span;
                Some(Demand::Psl(self.psl(scope, formula, names, *start, span)?))
            }
        }
    }

    /// A formula, and what is to be known of it apart from itself.
    fn timed(&mut self, scope: ScopeId, root: NodeId) -> (Thing, Outcome) {
        let Outcome { thing, next, input } = self.evaluate(scope, root);
        (thing, Outcome { thing: Thing::Wrong, next, input })
    }

    fn psl(
        &mut self,
        scope: ScopeId,
        formula: &Psl,
        names: &BTreeMap<String, NodeId>,
        shift: usize,
        whole: Span,
    ) -> Option<Psl<ExprId>> {
        let mut inside = Inside { evaluator: self, scope, names };
        let mut binder = Binder { names: &mut inside, shift, whole, problems: Problems::default() };
        let bound = formula.map_atoms(&mut |atom| binder.atom(atom));
        let problems = binder.problems;
        if problems.is_empty() && self.problems.is_empty() {
            return Some(bound);
        }
        problems.into_iter().for_each(|p| self.problems.push(Box::new(p)));
        None
    }
}

/// The names of a property of a module, in one of its instances.
struct Inside<'e, 't, 'a> {
    evaluator: &'e mut Evaluator<'t, 'a>,
    scope: ScopeId,
    names: &'e BTreeMap<String, NodeId>,
}

impl Names for Inside<'_, '_, '_> {
    fn typed(&mut self) -> &mut Typed {
        &mut self.evaluator.typed
    }

    fn meaning(&mut self, name: &str, span: Span) -> Made<Option<ExprId>> {
        let Some(&node) = self.names.get(name) else {
            let problem = Spanned::new(Kind::UnknownVariable, span, format!("nothing here is called `{name}`"));
            return Err(problem.label("expected a name of the model"));
        };
        let Outcome { thing, next, input } = self.evaluator.evaluate(self.scope, node);
        let outcome = Outcome { thing: Thing::Wrong, next, input };
        self.evaluator.permit(&outcome, Allowed { place: "PSL", next: false, input: true })?;
        match self.evaluator.as_value(thing, span) {
            Ok(at) => Ok(Some(at.id)),
            Err(Stop::Mistake(problem)) => Err(problem),
            Err(_) => Ok(None),
        }
    }

    fn symbol(&mut self, text: &str) -> Result<(), Option<String>> {
        let symbols = &self.evaluator.scopes.symbols;
        if symbols.contains(text) {
            return Ok(());
        }
        let mut known: Vec<&str> = symbols.iter().copied().collect();
        known.sort_unstable();
        Err(meant(text, known.into_iter()).map(str::to_owned))
    }
}
