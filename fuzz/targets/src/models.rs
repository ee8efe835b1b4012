//! Models of systems: what is read can be printed and asked about.

use std::collections::BTreeSet;

use posetta_base::Located;
use posetta_logic::{Atom, Compare, Condition, Ltl, LtlUnary, Property, Spot, Term, Var};
use posetta_model::system::{Behaviour, Demand, MOST_TOKENS, Net, Predicate, Slots, System};
use posetta_model::{aut, fds::Fds, mcc, pnml as nets, smv::read, sys};

use crate::LONGEST;
use crate::logic::NEXT_FILE;
use crate::places::Lines;

/// Properties from outside cost a look at the whole model each.
const MOST_ASKED: usize = 20;

/// The bytes as a model in SMV.
///
/// # Panics
/// When a promise is broken.
pub fn smv(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    match read(source) {
        Ok(mut fds) => {
            let lines = Lines::of_text(source);
            lines.hold_all(&fds.warnings);
            for spec in &fds.specs {
                lines.hold_all(&spec.warnings);
                assert!(!spec.text().is_empty(), "a property lies in its file");
            }
            prints(&fds);
            answers(&mut fds);
        }
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}

/// Every demand has a text, and a place in the source.
fn prints(fds: &Fds) {
    let fair = fds.compassion.iter().flat_map(|(p, q)| [p, q]);
    let clauses =
        fds.init.iter().chain(&fds.invar).chain(&fds.trans).chain(&fds.justice).chain(&fds.finals).chain(fair);
    for clause in clauses {
        assert!(!fds.show(clause.expr).is_empty());
        let written = fds.source.get(clause.span.start..clause.span.end);
        assert!(written.is_some_and(|t| !t.trim().is_empty()), "a demand lies in its file");
    }
}

/// Whatever has a name can be asked for by it, and is then what it was.
fn answers(fds: &mut Fds) {
    let vars = fds.vars.len();
    let mut names: Vec<String> = fds.vars.iter().take(MOST_ASKED).map(|v| v.name.to_string()).collect();
    names.extend(fds.defines.keys().take(MOST_ASKED).map(ToString::to_string));
    for name in names {
        let text = format!("G ($\"{name}\" == $\"{name}\")");
        let property = Property::ltl(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        if let Err(mistakes) = fds.bind(&property) {
            panic!("{text}: {mistakes:?}");
        }
        assert_eq!(fds.vars.len(), vars, "asking changes nothing");
        assert!(fds.find(&name).is_some() || fds.defines.contains_key(name.as_str()));
    }
}

/// The bytes as a system file and those that it may import by number, form feeds between them.
///
/// # Panics
/// When a promise is broken.
pub fn sys(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    let files: Vec<&str> = source.split(NEXT_FILE).collect();
    let number = |name: &str| name.parse::<usize>().ok().filter(|&n| n < files.len());
    let mut load = |_: &str, wanted: &str| match number(wanted) {
        Some(n) => Ok((n.to_string(), files[n].to_owned())),
        None => Err("there is no such file".into()),
    };
    match sys::read("0", files[0], None, &mut load) {
        Ok(system) => {
            Lines::of_text(files[0]).hold_all(&system.warnings);
            is_sound(&system);
            // What is meant can be asked for.
            let again = sys::read("0", files[0], Some(&system.name), &mut load);
            assert_eq!(again.as_ref().map(|s| &s.components), Ok(&system.components));
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a failure without a mistake");
            for Located { file, diagnostic } in mistakes {
                let file = number(&file).expect("a mistake is in a file that was read");
                // An imported file is read without its byte order mark.
                let lines = if file == 0 { Lines::of_text(files[0]) } else { Lines::of_run(files[file].as_bytes()) };
                lines.hold(&[diagnostic]);
            }
        }
    }
}

/// The bytes as a transition system in the Aldebaran format.
///
/// # Panics
/// When a promise is broken.
pub fn aut(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    match aut::read("F", source) {
        Ok(system) => {
            Lines::of_run(data).hold_all(&system.warnings);
            is_sound(&system);
            let Behaviour::Lts(lts) = &system.components[0].behaviour else { panic!("a transition system") };
            let text = aut::write(lts, &system);
            let again = aut::read("F", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            let Behaviour::Lts(other) = &again.components[0].behaviour else { panic!("a transition system") };
            let rewritten = aut::write(other, &again);
            let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
            // A state that nothing leads to or from is not kept; the others keep their order.
            assert_eq!(lines(&text), lines(&rewritten));
        }
        Err(mistakes) => Lines::of_run(data).hold(&mistakes),
    }
}

/// Whether no name is empty or there twice.
fn is_once<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    let mut met = BTreeSet::new();
    names.all(|n| !n.is_empty() && met.insert(n))
}

/// The invariants that the type states.
fn is_sound(system: &System) {
    assert!(!system.components.is_empty());
    assert!(is_once(system.actions.iter().map(|a| &*a.name)), "two actions with one name");
    assert!(is_once(system.components.iter().map(|c| &*c.name)), "two components with one name");
    for action in &system.actions {
        assert!(!action.parts.is_empty() && action.parts.is_sorted_by(|a, b| a < b), "{action:?}");
        assert!(action.parts.iter().all(|c| c.index() < system.components.len()));
    }
    for (id, component) in system.component_ids().zip(&system.components) {
        let takes_part = |a: posetta_base::ActionId| system.action(a).parts.binary_search(&id).is_ok();
        match &component.behaviour {
            Behaviour::Lts(lts) => {
                assert!(is_once(lts.states.iter().map(|s| &**s)));
                let size = lts.states.len() as u32;
                assert!(lts.initial < size && lts.arcs.is_sorted_by(|a, b| a < b));
                assert!(lts.arcs.iter().all(|a| a.from < size && a.to < size && takes_part(a.action)));
            }
            Behaviour::Net(net) => {
                assert!(is_once(net.places.iter().map(|p| &*p.name)));
                assert!(net.places.iter().all(|p| p.initial <= MOST_TOKENS));
                for t in &net.transitions {
                    assert!(takes_part(t.action));
                    for side in [&t.takes, &t.puts] {
                        assert!(side.is_sorted_by(|a, b| a.0 < b.0));
                        let is_arc = |&(place, n): &(u32, u32)| {
                            (place as usize) < net.places.len() && (1..=MOST_TOKENS).contains(&n)
                        };
                        assert!(side.iter().all(is_arc));
                    }
                }
            }
        }
    }
    // Steps of a system with very many components, or very many choices, cost too much here.
    if system.components.len() <= 8 && system.actions.len() <= 100 {
        let slots = Slots::new(system);
        let choices = |c: &posetta_model::system::Component| match &c.behaviour {
            Behaviour::Lts(lts) => lts.arcs.len(),
            Behaviour::Net(net) => net.transitions.len(),
        };
        if system.components.iter().map(|c| choices(c) as f64 + 1.0).product::<f64>() < 1e5 {
            assert_eq!(system.initial().len(), slots.count());
            for (step, next) in system.moves(&slots, &system.initial()) {
                assert_eq!(step.locals.len(), system.action(step.action).parts.len());
                assert!(next.is_none_or(|state| state.len() == slots.count()));
            }
        }
    }
}

/// The bytes as a net.
///
/// # Panics
/// When a promise is broken.
pub fn pnml(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    match nets::read(source) {
        Ok(system) => {
            Lines::of_text(source).hold_all(&system.warnings);
            for component in &system.components {
                match &component.behaviour {
                    Behaviour::Net(net) => is_well_made(net),
                    Behaviour::Lts(_) => panic!("a net is read as a net"),
                }
            }
            if let Some(units) = system.by_units() {
                assert_eq!(units.actions.len(), system.actions.len());
            }
            names_are_found(&system);
        }
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}

fn is_well_made(net: &Net) {
    for transition in &net.transitions {
        for ends in [&transition.takes, &transition.puts] {
            assert!(ends.is_sorted_by(|a, b| a.0 < b.0), "places ascend");
            assert!(ends.iter().all(|&(place, count)| (place as usize) < net.places.len() && count > 0));
        }
    }
    if let Some(units) = &net.units {
        let mut places: Vec<u32> = units.iter().flat_map(|u| u.places.iter().copied()).collect();
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..net.places.len() as u32), "every place is in one unit");
    }
}

/// Whatever has a name can be asked for by it.
fn names_are_found(system: &System) {
    let always = |atom: Atom| Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Atom(atom)));
    let ask = |atom: Atom| {
        let text = always(atom).to_string();
        let property = Property::ltl(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        system.bind(&property, &[]).unwrap_or_else(|e| panic!("{text}: {e:?}")).demand
    };
    for id in system.action_ids().take(MOST_ASKED) {
        let demand = ask(Atom::Enabled(system.action(id).name.to_string()));
        assert_eq!(demand, Demand::Invariant(Predicate::Enabled(vec![id])));
    }
    let Some(Behaviour::Net(net)) = system.components.first().map(|c| &c.behaviour) else { return };
    for (slot, place) in net.places.iter().enumerate().take(MOST_ASKED) {
        let var = Term::Var(Var::now(&place.name, Spot::default()));
        let demand = ask(Atom::State(Condition::Compare(Compare::Ge, var, Term::Number(1.into()))));
        assert_eq!(demand, Demand::Invariant(Predicate::Linear(vec![(slot as u32, 1)], Compare::Ge, 1)));
    }
}

/// A net for the formulas of the next target.
const NET: &str = "<pnml><net id='n' type='ptnet'><place id='p'/><place id='q'/><transition id='t'/><transition id='u'/></net></pnml>";

/// The bytes as formulas of the Model Checking Contest.
///
/// # Panics
/// When a promise is broken.
pub fn mcc(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    let system = nets::read(NET).unwrap_or_else(|e| panic!("{e:?}"));
    match mcc::read(&system, source) {
        Ok(specs) => {
            assert!(!specs.is_empty(), "a set without formulas is a mistake");
            for spec in &specs {
                assert!(spec.name.as_ref().is_some_and(|n| !n.is_empty()), "a formula has a name");
                assert!(!spec.source.is_empty() && spec.span.end == spec.source.len(), "a formula is printed");
            }
        }
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}
