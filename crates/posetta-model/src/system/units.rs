//! Nets of units as transition systems that synchronise on the transitions.
//!
//! A unit that has one token at most is a transition system: it is in one of its places, or in none. A transition of the net takes part in every unit
//! that it touches. It happens where all of these can do their part, and that is where it is enabled in the net, as far as the claim about
//! the units is true: a transition that takes two tokens from a unit can never happen, and one that would put a second token there neither.

use std::sync::Arc;

use super::{Action, Behaviour, Component, Lts, LtsArc, Net, System};
use posetta_base::{ActionId, ComponentId};

impl System {
    /// The same behaviour with every unit of its nets as a component of its own; components that are transition systems stay as they are.
    /// Actions keep their ids, so that a run of one is by its actions a run of the other. `None` if some net has no units or more than one token
    /// in a unit at the start, or if two transitions of a net do the same action.
    #[must_use]
    pub fn by_units(&self) -> Option<Self> {
        let mut components = Vec::new();
        let mut parts: Vec<Vec<ComponentId>> = vec![Vec::new(); self.actions.len()];
        let mut split = false;
        for (id, component) in self.component_ids().zip(&self.components) {
            match &component.behaviour {
                Behaviour::Lts(_) => {
                    let new = ComponentId::new(components.len())?;
                    for (action, parts) in self.actions.iter().zip(&mut parts) {
                        if action.parts.contains(&id) {
                            parts.push(new);
                        }
                    }
                    components.push(component.clone());
                }
                Behaviour::Net(net) => {
                    split = true;
                    // Without a place there is no unit to take part in anything.
                    if net.places.is_empty() {
                        return None;
                    }
                    let first = components.len();
                    components.extend(net.by_units(&component.name)?);
                    // An action of the net without a transition that touches a unit must still have a part: it is blocked, or always possible.
                    let owned = self.owned(net, id)?;
                    for (action, (touched, is_free)) in owned.into_iter().enumerate() {
                        let Some(touched) = touched else { continue };
                        if is_free {
                            loop_in(components.get_mut(first)?, ActionId::new(action)?);
                        }
                        for unit in touched {
                            parts[action].push(ComponentId::new(first + unit)?);
                        }
                    }
                }
            }
        }
        if !split {
            return None;
        }
        for component in &mut components {
            if let Behaviour::Lts(lts) = &mut component.behaviour {
                lts.arcs.sort_unstable();
                lts.arcs.dedup();
            }
        }
        let with_parts = |(action, parts): (&Action, Vec<ComponentId>)| Action { parts, ..action.clone() };
        let actions = self.actions.iter().zip(parts).map(with_parts).collect();
        Some(Self { name: self.name.clone(), actions, components, warnings: self.warnings.clone() })
    }

    /// For each action that a net takes part in: the units that its transition touches (the first, if none), and whether it touches none. `None`
    /// if it has two transitions.
    fn owned(&self, net: &Net, id: ComponentId) -> Option<Vec<(Option<Vec<usize>>, bool)>> {
        let unit_of = net.unit_of()?;
        let mut owned: Vec<(Option<Vec<usize>>, bool)> = vec![(None, false); self.actions.len()];
        for transition in &net.transitions {
            let places = transition.takes.iter().chain(&transition.puts);
            let mut units: Vec<usize> = places.map(|&(place, _)| unit_of[place as usize]).collect();
            units.sort_unstable();
            units.dedup();
            let is_free = units.is_empty();
            let entry = owned.get_mut(transition.action.index())?;
            if entry.0.replace(if is_free { vec![0] } else { units }).is_some() {
                return None;
            }
            entry.1 = is_free;
        }
        for (action, entry) in self.actions.iter().zip(&mut owned) {
            if entry.0.is_none() && action.parts.contains(&id) {
                entry.0 = Some(vec![0]);
            }
        }
        Some(owned)
    }
}

/// An action that is possible in every state and changes nothing.
fn loop_in(component: &mut Component, action: ActionId) {
    if let Behaviour::Lts(lts) = &mut component.behaviour {
        lts.arcs.extend((0..lts.states.len() as u32).map(|state| LtsArc { from: state, action, to: state }));
    }
}

impl Net {
    /// Whether no transition puts more tokens into a unit than it takes from there: then a unit that has one at the start never has more.
    #[must_use]
    pub fn keeps_units(&self) -> bool {
        let Some(unit_of) = self.unit_of() else { return false };
        self.transitions.iter().all(|transition| {
            let sum = |ends: &[(u32, u32)], unit: usize| -> u64 {
                ends.iter().filter(|(place, _)| unit_of[*place as usize] == unit).map(|&(_, n)| u64::from(n)).sum()
            };
            transition
                .puts
                .iter()
                .map(|&(place, _)| unit_of[place as usize])
                .all(|unit| sum(&transition.puts, unit) <= sum(&transition.takes, unit))
        })
    }

    /// The unit of each place.
    fn unit_of(&self) -> Option<Vec<usize>> {
        let mut unit_of = vec![None; self.places.len()];
        for (unit, places) in self.units.as_ref()?.iter().enumerate() {
            for &place in &places.places {
                *unit_of.get_mut(place as usize)? = Some(unit);
            }
        }
        unit_of.into_iter().collect()
    }

    /// A transition system for each unit. Arcs are not in order yet.
    fn by_units(&self, of: &str) -> Option<Vec<Component>> {
        let unit_of = self.unit_of()?;
        let units = self.units.as_ref()?;
        // The number of a place in its unit, not counting "none".
        let mut rank = vec![0; self.places.len()];
        let mut initial = Vec::with_capacity(units.len());
        for unit in units {
            let mut marked = None;
            for (number, &place) in unit.places.iter().enumerate() {
                rank[place as usize] = number as u32;
                match (self.places[place as usize].initial, marked) {
                    (0, _) => {}
                    (1, None) => marked = Some(number as u32),
                    _ => return None,
                }
            }
            initial.push(marked);
        }
        // What each transition does in each unit: from and to a place, or none.
        let mut deeds = vec![Vec::new(); units.len()];
        let mut can_be_empty: Vec<bool> = initial.iter().map(Option::is_none).collect();
        for transition in &self.transitions {
            let mut touched: Vec<(usize, Token, Token)> = Vec::new();
            for (ends, is_from) in [(&transition.takes, true), (&transition.puts, false)] {
                for &(place, count) in ends {
                    let unit = unit_of[place as usize];
                    let at = match touched.iter().position(|t| t.0 == unit) {
                        Some(at) => at,
                        None => {
                            touched.push((unit, Token::No, Token::No));
                            touched.len() - 1
                        }
                    };
                    let token = if is_from { &mut touched[at].1 } else { &mut touched[at].2 };
                    *token = match (&token, count) {
                        (Token::No, 1) => Token::At(rank[place as usize]),
                        _ => Token::Several,
                    };
                }
            }
            for (unit, from, to) in touched {
                let place = |token| match token {
                    Token::No => Some(None),
                    Token::At(place) => Some(Some(place)),
                    Token::Several => None,
                };
                if let (Some(from), Some(to)) = (place(from), place(to)) {
                    can_be_empty[unit] |= to.is_none();
                    deeds[unit].push((from, transition.action, to));
                }
            }
        }
        let mut components = Vec::with_capacity(units.len());
        for (i, unit) in units.iter().enumerate() {
            let shift = u32::from(can_be_empty[i]);
            let mut states: Vec<Arc<str>> = Vec::with_capacity(unit.places.len() + 1);
            if can_be_empty[i] {
                states.push(self.name_for_none(&unit.places));
            }
            states.extend(unit.places.iter().map(|&p| self.places[p as usize].name.clone()));
            // From a unit that is never empty nothing starts in "none".
            let state = |place: Option<u32>| match place {
                Some(place) => Some(place + shift),
                None => can_be_empty[i].then_some(0),
            };
            let arcs = deeds[i]
                .iter()
                .filter_map(|&(from, action, to)| Some(LtsArc { from: state(from)?, action, to: state(to)? }))
                .collect();
            let lts = Lts { states, initial: state(initial[i])?, arcs };
            components.push(Component { name: format!("{of}.{}", unit.name).into(), behaviour: Behaviour::Lts(lts) });
        }
        Some(components)
    }

    /// `none`, or something like it that no place of the unit is called.
    fn name_for_none(&self, places: &[u32]) -> Arc<str> {
        let mut name = "none".to_owned();
        while places.iter().any(|&p| *self.places[p as usize].name == *name) {
            name.push('\'');
        }
        name.into()
    }
}

/// What a transition takes from a unit, or puts there.
#[derive(Clone, Copy)]
enum Token {
    No,
    /// One token, of this place.
    At(u32),
    /// More than the unit can have.
    Several,
}

#[cfg(test)]
mod tests;
