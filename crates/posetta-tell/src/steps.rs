//! A run as lines: what each step changes, and at a deadlock who waits for whom.

use posetta_model::system::{Behaviour, End, Move, Run, Slots, System};

/// So many steps are shown one by one; of longer runs the middle is left out.
const WHOLE: usize = 40;
/// What is shown of a longer run: its beginning, its end, the surroundings of where the cycle begins, and the first few observed actions.
const ENDS: usize = 10;
const AROUND: usize = 2;
const SEEN: usize = 12;
/// So many changes of one step are shown.
const CHANGES: usize = 12;
/// So many components are shown at a deadlock, with so many actions and places each.
const COMPONENTS: usize = 10;
const ACTIONS: usize = 3;
const PLACES: usize = 6;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A step.
    Step {
        /// From 1.
        number: usize,
        /// What takes place.
        action: String,
        /// Who takes part: places among the components.
        parts: Vec<usize>,
        /// Who takes part, and what changes.
        changes: Vec<String>,
        /// Its action is observed.
        observed: bool,
        /// It belongs to the cycle.
        cycle: bool,
    },
    /// So many steps are left out.
    Gap {
        /// How many.
        steps: usize,
        /// They belong to the cycle.
        cycle: bool,
    },
}

/// How a run goes on behind its last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// Again from a step, counted from 0; `divergent`: without an observed action.
    Cycle {
        /// The first step of the cycle.
        to: usize,
        /// No action on it is observed.
        divergent: bool,
    },
    /// No action can take place: where each component is, and what it waits for.
    Dead(Vec<(String, String)>),
    /// It does not matter; what is to be said there, or nothing.
    Open(String),
}

/// A run as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The lines.
    pub lines: Vec<Line>,
    /// How many steps there are.
    pub count: usize,
    /// Some actions are not observed, so that those that are have a mark.
    pub marks: bool,
    /// How it goes on.
    pub then: Then,
    /// The names of the components.
    pub components: Vec<String>,
}

impl Steps {
    /// `observed` is by action, or empty if that means nothing; `end` is said of a run that ends nowhere in particular.
    #[must_use]
    pub fn new(system: &System, run: &Run, observed: &[bool], end: &str) -> Self {
        let (lines, last) = lines(system, run, observed);
        let then = match run.end {
            End::Cycle(to) => {
                let unseen = |step: &Move| observed.get(step.action.index()) == Some(&false);
                Then::Cycle { to, divergent: !observed.is_empty() && run.steps[to..].iter().all(unseen) }
            }
            End::Dead => Then::Dead(waiting(system, &last)),
            End::Open => Then::Open(end.to_owned()),
        };
        let components = system.components.iter().map(|component| component.name.to_string()).collect();
        Self { lines, count: run.steps.len(), marks: observed.contains(&false), then, components }
    }
}

/// The names of all slots: components, or places, with their component in front if there are several.
#[must_use]
pub fn slot_names(system: &System) -> Vec<String> {
    let alone = system.components.len() == 1;
    let mut names = Vec::new();
    for component in &system.components {
        match &component.behaviour {
            Behaviour::Lts(_) => names.push(component.name.to_string()),
            Behaviour::Net(net) if alone => names.extend(net.places.iter().map(|p| p.name.to_string())),
            Behaviour::Net(net) => {
                names.extend(net.places.iter().map(|p| format!("{}.{}", component.name, p.name)));
            }
        }
    }
    names
}

/// Goes along a run: `visit` gets the place of each step, the step, and the states before and after it. Answers with the last state.
pub fn walk(system: &System, run: &Run, mut visit: impl FnMut(usize, &Move, &[u32], &[u32])) -> Vec<u32> {
    let slots = Slots::new(system);
    let mut state = system.initial();
    for (i, step) in run.steps.iter().enumerate() {
        let before = state.clone();
        for (&component, &local) in system.action(step.action).parts.iter().zip(&step.locals) {
            // A run that does not replay is not shown, so it can.
            let _ = system.apply(component, &mut state[slots.of(component)], local);
        }
        visit(i, step, &before, &state);
    }
    state
}

/// The lines of a run, and the state at its end. `observed` is by action, or empty if that means nothing.
fn lines(system: &System, run: &Run, observed: &[bool]) -> (Vec<Line>, Vec<u32>) {
    let count = run.steps.len();
    let start = match run.end {
        End::Cycle(to) => Some(to),
        End::Open | End::Dead => None,
    };
    let is_seen = |step: &Move| observed.get(step.action.index()).copied().unwrap_or(false);
    let seen: Vec<usize> = (0..count).filter(|&i| is_seen(&run.steps[i])).take(SEEN).collect();
    let is_shown = |i: usize| {
        count <= WHOLE
            || i < ENDS
            || i + ENDS >= count
            || start.is_some_and(|c| i + AROUND >= c && i <= c + AROUND)
            || seen.contains(&i)
    };
    let in_cycle = |i: usize| start.is_some_and(|c| i >= c);
    let names = slot_names(system);
    let slots = Slots::new(system);
    let mut all = Vec::new();
    let mut next = 0;
    let last = walk(system, run, |i, step, before, after| {
        if !is_shown(i) {
            return;
        }
        if next < i {
            all.push(Line::Gap { steps: i - next, cycle: in_cycle(i) });
        }
        next = i + 1;
        all.push(Line::Step {
            number: i + 1,
            action: system.action(step.action).name.to_string(),
            parts: system.action(step.action).parts.iter().map(|part| part.index()).collect(),
            changes: changes(system, (&slots, &names), step, before, after),
            observed: is_seen(step),
            cycle: in_cycle(i),
        });
    });
    (all, last)
}

fn changes(
    system: &System,
    (slots, names): (&Slots, &[String]),
    step: &Move,
    before: &[u32],
    after: &[u32],
) -> Vec<String> {
    let mut all = Vec::new();
    for &component in &system.action(step.action).parts {
        for slot in slots.of(component) {
            let (old, new) = (before[slot], after[slot]);
            match &system.component(component).behaviour {
                Behaviour::Lts(lts) if old == new => all.push(format!("{}: {}", names[slot], lts.states[old as usize])),
                Behaviour::Lts(lts) => {
                    let (old, new) = (&lts.states[old as usize], &lts.states[new as usize]);
                    all.push(format!("{}: {old} → {new}", names[slot]));
                }
                Behaviour::Net(_) if old == new => {}
                Behaviour::Net(_) => all.push(format!("{} {old} → {new}", names[slot])),
            }
        }
    }
    limited(all, CHANGES)
}

/// The first few, and how many more there are.
fn limited(mut all: Vec<String>, most: usize) -> Vec<String> {
    if all.len() > most + 1 {
        let more = all.len() - most;
        all.truncate(most);
        all.push(format!("{more} more"));
    }
    all
}

/// For each component: where it is, and what it waits for. For a state in which no action can take place.
#[must_use]
pub fn waiting(system: &System, state: &[u32]) -> Vec<(String, String)> {
    let slots = Slots::new(system);
    // By component: the actions that it could do, and who refuses.
    let mut wants: Vec<Vec<String>> = vec![Vec::new(); system.components.len()];
    for action in system.action_ids() {
        let parts = &system.action(action).parts;
        let can = |c: &&posetta_base::ComponentId| !system.locals(**c, &state[slots.of(**c)], action).is_empty();
        let (able, refusing): (Vec<_>, Vec<_>) = parts.iter().partition(can);
        if refusing.is_empty() {
            continue;
        }
        let by: Vec<String> = refusing.iter().map(|&&c| system.component(c).name.to_string()).collect();
        let by = limited(by, ACTIONS).join(" and ");
        for &&component in &able {
            wants[component.index()].push(format!("{}, refused by {by}", system.action(action).name));
        }
    }
    let mut all: Vec<(String, String)> = Vec::new();
    for (id, wants) in system.component_ids().zip(wants) {
        let component = system.component(id);
        let own = &state[slots.of(id)];
        let at = match &component.behaviour {
            Behaviour::Lts(lts) => format!("{} in {}", component.name, lts.states[own[0] as usize]),
            Behaviour::Net(net) => {
                let marked = net.places.iter().zip(own).filter(|(_, n)| **n > 0);
                let marked = limited(marked.map(|(p, n)| format!("{} {n}", p.name)).collect(), PLACES);
                match marked.is_empty() {
                    true => format!("{} without tokens", component.name),
                    false => format!("{} with {}", component.name, marked.join(", ")),
                }
            }
        };
        let what = match wants.is_empty() {
            true => "can do nothing".to_owned(),
            false => format!("waits for {}", limited(wants, ACTIONS).join("; or ")),
        };
        all.push((at, what));
    }
    if all.len() > COMPONENTS + 1 {
        let more = all.len() - COMPONENTS;
        all.truncate(COMPONENTS);
        all.push((format!("… and {more} more"), String::new()));
    }
    all
}

#[cfg(test)]
mod tests {
    use posetta_model::sys;

    use super::*;

    fn counter(n: usize) -> System {
        let text = "component C { lts { init s[0]; for i in 0..N-1 { s[i] -t-> s[i+1] }; s[N] -back-> s[0] } }";
        let text = format!("const N = {n}\n{text}\n");
        sys::read("m.sys", &text, None, &mut |_, _| Err("no".into())).expect("a system")
    }

    #[test]
    fn the_middle_of_a_long_run_is_left_out_and_counted() {
        for (n, cycle) in [(39, false), (40, false), (500, false), (500, true)] {
            let system = counter(n);
            let mut run = Run { steps: Vec::new(), end: if cycle { End::Cycle(0) } else { End::Open } };
            let slots = Slots::new(&system);
            let mut state = system.initial();
            for _ in 0..n + usize::from(cycle) {
                let (step, next) = system.moves(&slots, &state).remove(0);
                state = next.expect("a state");
                run.steps.push(step);
            }
            let seen: Vec<bool> = system.actions.iter().map(|a| &*a.name == "back").collect();
            let (lines, last) = lines(&system, &run, &seen);
            assert_eq!(last, state);
            let mut next = 1;
            for line in &lines {
                match line {
                    Line::Step { number, changes, .. } => {
                        assert_eq!((*number, changes.len()), (next, 1));
                        next += 1;
                    }
                    Line::Gap { steps, .. } => next += steps,
                }
            }
            assert_eq!(next, run.steps.len() + 1);
            assert!(lines.len() <= WHOLE, "{n}");
            assert_eq!(lines.iter().any(|l| matches!(l, Line::Gap { .. })), n > WHOLE);
        }
    }
}
