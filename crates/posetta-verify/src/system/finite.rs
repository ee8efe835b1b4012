//! Formulas of M2L about the observed actions of finite runs, as a comparison of traces.
//!
//! With every run there are its beginnings, so a system satisfies a formula if and only if its traces are words all of whose beginnings satisfy it. The automaton of the
//! formula without its refusing states is a transition system with exactly these traces, and [`refine::refine`] compares the two.

use std::sync::Arc;

use super::{Answer, Engine, Stats};
use crate::refine;
use posetta_base::{ActionId, Budget, ComponentId, Error, Natural, OverBudget, Verdict};
use posetta_compile::m2l::over_letters;
use posetta_logic::AtomId;
use posetta_logic::eval::{M2L_STEPS, Word, m2l_holds};
use posetta_logic::m2l::VarId;
use posetta_model::system::{Action, Behaviour, Component, End, Finite, Lts, LtsArc, Run, System};

/// Decides whether the observed actions of every finite run satisfy a formula.
pub(super) fn answer(system: &System, finite: &Finite, engine: Engine, budget: &Budget) -> Result<Answer, Error> {
    let Some(allowed) = allowed(system, finite, budget)? else {
        let nothing = Run { steps: Vec::new(), end: End::Open };
        let stats = Stats { engine: Engine::Explicit, ..Stats::default() };
        return Ok(Answer { stats, ..Answer::unless(Some(nothing)) });
    };
    let mut seen = system.clone();
    seen.actions.iter_mut().zip(&finite.observed).for_each(|(action, observed)| action.internal = !observed);
    let engine = match engine {
        Engine::Auto | Engine::Coverability | Engine::Equation => refine::Engine::Auto,
        Engine::Explicit => refine::Engine::Explicit,
        Engine::Sog | Engine::Modular => refine::Engine::Symbolic,
    };
    let refine::Answer { verdict, stats } = refine::refine(&seen, &allowed, engine, budget)?;
    let stats = Stats {
        engine: if stats.engine == refine::Engine::Symbolic { Engine::Sog } else { Engine::Explicit },
        states: stats.states.or(stats.implementation_states.map(Natural::from)),
        diagram_nodes: stats.diagram_nodes,
        ..Stats::default()
    };
    let verdict = match verdict {
        Verdict::Holds => Verdict::Holds,
        Verdict::Violated(lacking) => Verdict::Violated(Some(lacking.run)),
        Verdict::Unknown(over) => Verdict::Unknown(over),
    };
    Ok(Answer { stats, ..Answer::new(verdict) })
}

/// A system that does exactly the words of observed actions all of whose beginnings satisfy the formula; `None` if the empty word does not.
fn allowed(system: &System, finite: &Finite, budget: &Budget) -> Result<Option<System>, Error> {
    let observed: Vec<ActionId> = system.action_ids().filter(|a| finite.observed[a.index()]).collect();
    let letters: Vec<Vec<VarId>> = observed
        .iter()
        .map(|action| finite.sets.iter().filter(|(_, a)| a == action).map(|&(var, _)| var).collect())
        .collect();
    let list = over_letters(&finite.formula, &letters, budget)?;
    if !list.accepts[0] {
        return Ok(None);
    }
    let whole = ComponentId::from_raw(0);
    let name = |action: &ActionId| Arc::clone(&system.action(*action).name);
    let actions = observed.iter().map(|a| Action { name: name(a), internal: false, parts: vec![whole] }).collect();
    let mut arcs = Vec::new();
    for (state, row) in list.next.chunks(letters.len().max(1)).enumerate() {
        budget.step(row.len() as u64, "listing the states of the formula")?;
        for (action, &to) in row.iter().enumerate() {
            if list.accepts[state] && list.accepts[to as usize] {
                arcs.push(LtsArc { from: state as u32, action: ActionId::from_raw(action as u32), to });
            }
        }
    }
    let states = (0..list.accepts.len()).map(|state| format!("s{state}").into()).collect();
    let behaviour = Behaviour::Lts(Lts { states, initial: 0, arcs });
    let component = Component { name: "formula".into(), behaviour };
    Ok(Some(System { name: "formula".to_owned(), actions, components: vec![component], warnings: Vec::new() }))
}

/// Whether a run does not satisfy the formula, by definition where that takes few steps; where it takes more, the automaton alone has said so.
pub(super) fn is_violated_by(finite: &Finite, run: &Run, budget: &Budget) -> Result<bool, OverBudget> {
    let seen: Vec<ActionId> = run.steps.iter().map(|s| s.action).filter(|a| finite.observed[a.index()]).collect();
    let rows = finite.sets.iter().map(|(_, action)| seen.iter().map(|a| a == action).collect()).collect();
    let word = Word::from_rows(rows, seen.len());
    let atoms: Vec<AtomId> = (0..finite.sets.len() as u32).map(AtomId).collect();
    Ok(m2l_holds(&finite.formula, &atoms, &word, M2L_STEPS, budget)? != Some(true))
}
