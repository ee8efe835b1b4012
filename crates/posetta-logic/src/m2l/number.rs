//! The order of a program: in which its declarations are printed, and how its variables are numbered.
//!
//! A program does not say how variables and definitions were mixed; [`Program::items`] is one way that declares everything before its use.
//! Variables are numbered as they are met that way, so that a program and what its text reads as are equal.

use super::tree::{Formula, Order, PredId, Program, VarId};
use super::walk::Visitor;

/// A declaration of variables or a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Global(VarId),
    Default(Order),
    Predicate(PredId),
}

/// The last predicate that is called.
struct LastCall(Option<PredId>);

impl Visitor for LastCall {
    fn binder(&mut self, _: &mut VarId) {}
    fn var(&mut self, _: &mut VarId) {}
    fn call(&mut self, pred: PredId) {
        self.0 = self.0.max(Some(pred));
    }
}

/// Variables as they are met: binders, and atoms where they are first used.
struct Meeting<'a> {
    order: Vec<VarId>,
    is_met: Vec<bool>,
    is_atom: &'a [bool],
    /// The restrictions, taken out of the program.
    restrictions: &'a mut [Option<Formula>],
}

impl Meeting<'_> {
    fn meet(&mut self, var: VarId) {
        if let Some(met @ false) = self.is_met.get_mut(var.index()) {
            *met = true;
            self.order.push(var);
        }
    }

    /// A variable and what is said of it where it is declared.
    fn declare(&mut self, var: VarId) {
        self.meet(var);
        if let Some(mut restriction) = self.restrictions.get_mut(var.index()).and_then(Option::take) {
            restriction.walk(self);
            self.restrictions[var.index()] = Some(restriction);
        }
    }
}

impl Visitor for Meeting<'_> {
    fn binder(&mut self, var: &mut VarId) {
        self.declare(*var);
    }
    fn var(&mut self, var: &mut VarId) {
        if self.is_atom.get(var.index()).copied().unwrap_or(false) {
            self.meet(*var);
        }
    }
    fn call(&mut self, _: PredId) {}
}

/// Gives every variable its new number.
struct Renaming<'a>(&'a [VarId]);

impl Visitor for Renaming<'_> {
    fn binder(&mut self, var: &mut VarId) {
        *var = self.0[var.index()];
    }
    fn var(&mut self, var: &mut VarId) {
        *var = self.0[var.index()];
    }
    fn call(&mut self, _: PredId) {}
}

impl Program {
    /// Whether a variable is an atom in backquotes.
    pub(super) fn is_atom(&self, var: VarId) -> bool {
        self.atoms.iter().any(|(atom, _)| *atom == var)
    }

    /// Everything that is declared, each after what it needs: global variables as early as they can be. Atoms are not declared.
    pub(super) fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut done = 0;
        let mut defaults = false;
        for &var in &self.globals {
            if self.is_atom(var) {
                continue;
            }
            let mut last = LastCall(None);
            if let Some(restriction) = &self.vars[var.index()].restriction {
                restriction.clone().walk(&mut last);
            }
            if let Some(PredId(last)) = last.0 {
                self.definitions(&mut items, &mut defaults, &mut done, last as usize + 1);
            }
            items.push(Item::Global(var));
        }
        self.definitions(&mut items, &mut defaults, &mut done, self.preds.len());
        items
    }

    /// The predicates up to one, and the default restrictions before the first.
    fn definitions(&self, items: &mut Vec<Item>, defaults: &mut bool, done: &mut usize, end: usize) {
        if !std::mem::replace(defaults, true) {
            items.extend(self.default_one.as_ref().map(|_| Item::Default(Order::One)));
            items.extend(self.default_two.as_ref().map(|_| Item::Default(Order::Two)));
        }
        let end = end.min(self.preds.len());
        items.extend((*done..end).map(|p| Item::Predicate(PredId(p as u32))));
        *done = end.max(*done);
    }

    /// Every formula beside the restrictions, in the order of the text; what the items declare is told on the way.
    fn each_formula(&mut self, items: &[Item], declare: &mut impl FnMut(VarId), f: &mut impl FnMut(&mut Formula)) {
        for item in items {
            match *item {
                Item::Global(var) => declare(var),
                Item::Default(order) => {
                    let known = if order == Order::One { &mut self.default_one } else { &mut self.default_two };
                    if let Some((var, formula)) = known {
                        declare(*var);
                        f(formula);
                    }
                }
                Item::Predicate(pred) => {
                    let predicate = &mut self.preds[pred.index()];
                    predicate.formals.iter().for_each(|&var| declare(var));
                    f(&mut predicate.body);
                }
            }
        }
        f(&mut self.assertion);
        f(&mut self.formula);
        self.verify.iter_mut().for_each(|v| f(&mut v.formula));
    }

    /// Numbers the variables as they are met, and leaves out what is met nowhere.
    pub(super) fn number(&mut self) {
        let items = self.items();
        let mut is_atom = vec![false; self.vars.len()];
        self.atoms.iter().for_each(|(var, _)| is_atom[var.index()] = true);
        let mut restrictions: Vec<Option<Formula>> = self.vars.iter_mut().map(|v| v.restriction.take()).collect();
        let meeting = std::cell::RefCell::new(Meeting {
            order: Vec::with_capacity(self.vars.len()),
            is_met: vec![false; self.vars.len()],
            is_atom: &is_atom,
            restrictions: &mut restrictions,
        });
        self.each_formula(&items, &mut |var| meeting.borrow_mut().declare(var), &mut |formula| {
            formula.walk(&mut *meeting.borrow_mut());
        });
        let order = meeting.into_inner().order;
        let mut renamed = vec![VarId(u32::MAX); self.vars.len()];
        for (new, old) in order.iter().enumerate() {
            renamed[old.index()] = VarId(new as u32);
        }
        self.vars = order
            .iter()
            .map(|old| {
                let mut var = self.vars[old.index()].clone();
                var.restriction = restrictions[old.index()].take();
                var
            })
            .collect();
        let mut renaming = Renaming(&renamed);
        self.vars.iter_mut().filter_map(|v| v.restriction.as_mut()).for_each(|r| r.walk(&mut renaming));
        self.each_formula(&items, &mut |_| {}, &mut |formula| formula.walk(&mut renaming));
        let rename = |var: &mut VarId| *var = renamed[var.index()];
        self.preds.iter_mut().flat_map(|p| &mut p.formals).for_each(rename);
        self.default_one.iter_mut().for_each(|(var, _)| rename(var));
        self.default_two.iter_mut().for_each(|(var, _)| rename(var));
        self.all_positions.iter_mut().for_each(rename);
        self.last_position.iter_mut().for_each(rename);
        self.globals.iter_mut().for_each(rename);
        self.atoms.iter_mut().for_each(|(var, _)| rename(var));
        // Atoms stand in the order of their first use, behind what is declared.
        self.atoms.sort_by_key(|(var, _)| *var);
        let atoms: Vec<VarId> = self.atoms.iter().map(|(var, _)| *var).collect();
        self.globals.retain(|var| atoms.binary_search(var).is_err());
        self.globals.extend(atoms);
    }
}
