//! Two systems side by side: are their observable actions the same?
//!
//! Only then does it mean something that one implements the other (paper 004, section 2.3: *comparable* systems). An action that only one of
//! them knows would otherwise be refused by the other, or be taken for silent, and nobody would have said which.

use rustc_hash::FxHashMap;

use posetta_base::{ActionId, Diagnostic, Kind};
use posetta_logic::nearest;
use posetta_model::system::System;

/// So many names are listed for each side.
const LISTED: usize = 8;

/// Two comparable systems.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'s> {
    pub(crate) implementation: &'s System,
    pub(crate) specification: &'s System,
    /// By action of the implementation: the specification's action of the same name; `None` for internal ones.
    pub(crate) partner: Vec<Option<ActionId>>,
}

impl<'s> Pair<'s> {
    /// Puts two systems side by side.
    ///
    /// # Errors
    /// When one has an observable action that the other lacks.
    pub(crate) fn new(implementation: &'s System, specification: &'s System) -> Result<Self, Diagnostic> {
        let (left, right) = (Side::new(implementation), Side::new(specification));
        if left.lacks_nothing_of(&right) && right.lacks_nothing_of(&left) {
            let of = |action: ActionId| {
                let action = implementation.action(action);
                if action.internal { None } else { right.actions.get(&*action.name).copied() }
            };
            return Ok(Self { implementation, specification, partner: implementation.action_ids().map(of).collect() });
        }
        Err(different(&left, &right))
    }

    /// The observable actions, as the implementation numbers them.
    pub(crate) fn observable(&self) -> impl Iterator<Item = (ActionId, ActionId)> + '_ {
        self.implementation.action_ids().filter_map(|a| Some((a, self.partner[a.index()]?)))
    }
}

/// One of the two.
struct Side<'s> {
    system: &'s System,
    actions: FxHashMap<&'s str, ActionId>,
}

impl<'s> Side<'s> {
    fn new(system: &'s System) -> Self {
        Self { system, actions: system.action_ids().map(|id| (&*system.action(id).name, id)).collect() }
    }

    /// The names of the observable actions, as the system lists them.
    fn observable(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.system.actions.iter().filter(|a| !a.internal).map(|a| &*a.name)
    }

    fn observes(&self, name: &str) -> bool {
        self.actions.get(name).is_some_and(|&a| !self.system.action(a).internal)
    }

    fn lacks_nothing_of(&self, other: &Self) -> bool {
        other.observable().all(|name| self.observes(name))
    }

    /// What only this side observes, with what the other one may have meant.
    fn alone(&self, other: &Self, who: &str, other_who: &str) -> Option<String> {
        let alone: Vec<&str> = self.observable().filter(|name| !other.observes(name)).collect();
        let free = || other.observable().filter(|name| !self.observes(name));
        let told = |name: &&str| {
            let why = match (other.actions.contains_key(name), nearest(name, free())) {
                (true, _) => format!(" (internal in {other_who})"),
                (false, Some(near)) => format!(" (is it `{near}` of {other_who}?)"),
                (false, None) => String::new(),
            };
            format!("`{name}`{why}")
        };
        let mut list: Vec<String> = alone.iter().take(LISTED).map(told).collect();
        if alone.len() > LISTED {
            list.push(format!("{} more", alone.len() - LISTED));
        }
        (!list.is_empty()).then(|| format!("only {who} has {}", list.join(", ")))
    }
}

fn different(left: &Side<'_>, right: &Side<'_>) -> Diagnostic {
    let message = "the two systems do not have the same observable actions";
    let sides = [
        left.alone(right, "the implementation", "the specification"),
        right.alone(left, "the specification", "the implementation"),
    ];
    let label = sides.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let help = "make the others internal, or give them the same names: `system S = … where { c } internal` and \
                `… where { old -> new }`; an action that one of them never does can be declared with `observable`";
    Diagnostic::new(Kind::Comparison, format!("{message}: {label}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::ComponentId;
    use posetta_model::system::Action;

    fn with(names: &[&str]) -> System {
        let action = |name: &&str| Action {
            name: name.trim_start_matches('-').into(),
            internal: name.starts_with('-'),
            parts: vec![ComponentId::from_raw(0)],
        };
        System { actions: names.iter().map(action).collect(), ..System::default() }
    }

    #[test]
    fn names_decide() {
        let (a, b) = (with(&["x", "-i", "y"]), with(&["y", "-j", "x"]));
        let pair = Pair::new(&a, &b).unwrap();
        assert_eq!(pair.observable().map(|(a, b)| (a.raw(), b.raw())).collect::<Vec<_>>(), [(0, 2), (2, 0)]);
        let (a, b) = (with(&["start", "c", "x"]), with(&["strat", "-c", "x"]));
        let mistake = Pair::new(&a, &b).unwrap_err();
        assert_eq!(
            mistake.message,
            "the two systems do not have the same observable actions: only the implementation has `start` (is it `strat` \
             of the specification?), `c` (internal in the specification); only the specification has `strat` (is it \
             `start` of the implementation?)"
        );
    }
}
