//! The temporal tester of a linear property (Pnueli and Zaks 2006), which `verify` runs beside a model.

use std::collections::HashMap;

use posetta_base::{Budget, Diagnostic, Kind, OverBudget};
use posetta_compile::tester::{AssertionId, Module, Tester, show_grammar};
use posetta_logic::{Atom, AtomId, Formula};
use serde_json::{Value, json};

use crate::named::Named;

/// A property and its tester.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The property.
    pub property: Named,
    /// Its tester.
    pub tester: Tester,
    /// The atoms as they are printed.
    atoms: Vec<String>,
}

impl Tested {
    /// `None` if [there is none](Self::refused).
    ///
    /// # Errors
    /// If it is too large.
    pub fn new(property: &Named, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let mut atoms = Names::default();
        let tester = match &property.property.formula {
            Formula::Ltl(_, f) => Tester::ltl(&f.map_atoms(&mut |atom| atoms.number(atom)), budget)?,
            Formula::Psl(_, f) => Tester::psl(&f.map_atoms(&mut |atom| atoms.number(atom)), budget)?,
            Formula::Ctl(_) | Formula::M2l(..) | Formula::Monitor(..) => return Ok(None),
        };
        Ok(Some(Self { property: property.clone(), tester, atoms: atoms.texts }))
    }

    /// Why a property has no tester.
    #[must_use]
    pub fn refused(property: &Named) -> Option<Diagnostic> {
        let what = match &property.property.formula {
            Formula::Ltl(..) | Formula::Psl(..) => return None,
            Formula::Ctl(_) => "CTL",
            Formula::M2l(..) => "M2L",
            Formula::Monitor(..) => "a monitor",
        };
        let message = format!("`{}` is {what}, and testers are of LTL and PSL", property.name);
        let help = "a tester says at each position of a word whether a formula holds there; choose one with --property";
        Some(Diagnostic::new(Kind::Unsupported, message).help(help))
    }

    /// In the form of the paper.
    #[must_use]
    pub fn print(&self) -> String {
        self.tester.print(&|id| self.name(id))
    }

    fn name(&self, id: AtomId) -> String {
        self.atoms.get(id.0 as usize).cloned().unwrap_or_default()
    }

    /// As an entry of `properties`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        object(&self.property, &self.tester, &|id| self.name(id))
    }
}

/// Atoms as they are printed, each once.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    known: HashMap<String, AtomId>,
}

impl Names {
    fn number(&mut self, atom: &Atom) -> AtomId {
        let next = AtomId(u32::try_from(self.texts.len()).expect("a formula has fewer atoms than bytes"));
        *self.known.entry(atom.to_string()).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            next
        })
    }
}

fn object(property: &Named, tester: &Tester, name: &dyn Fn(AtomId) -> String) -> Value {
    let all = |ids: &[AssertionId]| -> Vec<String> { ids.iter().map(|&id| tester.show(id, name)).collect() };
    let module = |module: &Module| {
        let vars: Vec<String> = module.vars.iter().map(|&v| tester.name(v, name)).collect();
        json!({
            "tests": tester.basic(module, name),
            "output": vars.first(),
            "vars": vars,
            "init": all(&module.init),
            "trans": all(&module.trans),
            "justice": all(&module.justice),
            "final": all(&module.finals),
        })
    };
    json!({
        "property": property.name,
        "logic": property.logic(),
        "over": property.over(),
        "formula": property.formula,
        "tester": {
            "vars": tester.modules.iter().flat_map(|m| &m.vars).map(|&v| tester.name(v, name)).collect::<Vec<_>>(),
            "grammars": tester.grammars.iter().map(|g| show_grammar(g, name)).collect::<Vec<_>>(),
            "modules": tester.modules.iter().map(module).collect::<Vec<_>>(),
            "output": tester.show(tester.output, name),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::Property;

    #[test]
    fn an_atom_has_one_name_wherever_it_stands() {
        let property = Named::new("--ltl", Property::ltl("a == 1 U (b == 2 || a == 1)").unwrap());
        let tested = Tested::new(&property, &Budget::unlimited()).unwrap().unwrap();
        assert_eq!(tested.atoms, ["a == 1", "b == 2"]);
        let object = tested.to_json();
        assert_eq!(
            (&object["logic"], &object["tester"]["modules"][0]["output"]),
            (&"ltl".into(), &object["tester"]["output"])
        );
    }

    #[test]
    fn ctl_has_none() {
        let property = Named::new("--ctl", Property::ctl("AG a").unwrap());
        assert!(Tested::new(&property, &Budget::unlimited()).unwrap().is_none());
        assert_eq!(Tested::refused(&property).unwrap().message, "`AG a` is CTL, and testers are of LTL and PSL");
    }
}
