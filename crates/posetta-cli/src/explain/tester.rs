//! The temporal tester of a linear property, for people in the form of its paper (Pnueli and Zaks 2006), for programs as lists.

use std::collections::HashMap;

use posetta_base::{Budget, Diagnostic, Kind};
use posetta_compile::tester::{AssertionId, Module, Tester, show_grammar};
use posetta_logic::{Atom, AtomId, Formula};
use posetta_tell::json::Schema;
use serde_json::{Value, json};

use crate::limited::Stopped;
use crate::paint::{Paint, clean};
use crate::problem::Problem;
use crate::properties::Named;

/// The testers of all properties. They must be formulas of LTL or PSL.
pub(super) fn told(named: &[Named], is_json: bool, paint: Paint, budget: &Budget) -> Result<String, Stopped> {
    let mistakes: Vec<Problem> = named.iter().filter_map(refused).collect();
    if !mistakes.is_empty() {
        return Err(Stopped::Mistakes(mistakes));
    }
    let mut parts = Vec::new();
    let mut objects = Vec::new();
    for property in named {
        let mut atoms = Names::default();
        let tester = match &property.property.formula {
            Formula::Ltl(_, f) => Tester::ltl(&f.map_atoms(&mut |atom| atoms.number(atom)), budget)?,
            Formula::Psl(_, f) => Tester::psl(&f.map_atoms(&mut |atom| atoms.number(atom)), budget)?,
            Formula::Ctl(_) | Formula::M2l(..) | Formula::Monitor(..) => continue,
        };
        let name = |id: AtomId| atoms.texts.get(id.0 as usize).cloned().unwrap_or_default();
        if is_json {
            objects.push(object(property, &tester, &name));
        } else {
            let logic = paint.dim(&property.logic().to_uppercase());
            parts.push(format!("{}  {logic}\n\n{}", paint.bold(&clean(&property.formula)), tester.print(&name)));
        }
    }
    Ok(if is_json {
        Schema::Explain.lists(&[("properties", objects), ("errors", Vec::new())], &[])
    } else {
        parts.join("\n")
    })
}

/// What has no tester.
fn refused(property: &Named) -> Option<Problem> {
    let what = match &property.property.formula {
        Formula::Ltl(..) | Formula::Psl(..) => return None,
        Formula::Ctl(_) => "CTL",
        Formula::M2l(..) => "M2L",
        Formula::Monitor(..) => "a monitor",
    };
    let message = format!("`{}` is {what}, and testers are of LTL and PSL", property.name);
    let help = "a tester says at each position of a word whether a formula holds there; choose one with --property";
    Some(Problem::in_text(&property.file, Diagnostic::new(Kind::Unsupported, message).help(help)))
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
