//! Which bit of a diagram stands for what.
//!
//! Every variable of the model and of the testers has bits for its value now and, unless it is frozen, for its value in the next state. The two
//! copies of a bit are neighbours, the bits of a variable stand together, or in turn with those of numbers that it meets, and the variables
//! are ordered by [`posetta_dd::order`].

use std::collections::BTreeSet;

use super::related::Related;
use posetta_dd::bdd::Bit;
use posetta_dd::order;
use posetta_model::fds::{Domain, Fds, Role, Value};

/// The bits of one variable, the highest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) now: Vec<Bit>,
    /// The same bits in the next state; of a frozen variable the same.
    pub(super) next: Vec<Bit>,
}

/// A place for every variable.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// By the model's variables.
    pub(super) vars: Vec<Slot>,
    /// By the property, then by its tester's variables.
    pub(super) testers: Vec<Vec<Slot>>,
    /// How many bits there are.
    pub(super) bits: u32,
    /// How many of them stay together, from the first on, when the order changes: the two copies of a bit.
    pub(super) blocks: Vec<u32>,
}

/// How many bits the number of a value in its domain takes.
pub(super) fn width(domain: &Domain) -> u32 {
    128 - (domain.size() - 1).leading_zeros()
}

/// The value at a place of a domain.
pub(super) fn value(domain: &Domain, code: u64) -> Value {
    match domain {
        Domain::Bool => Value::Bool(code != 0),
        Domain::Range(lo, _) => Value::Int(lo.wrapping_add(code.cast_signed())),
        Domain::Choice(values) => values[usize::try_from(code).unwrap_or(0).min(values.len() - 1)].clone(),
    }
}

impl Layout {
    /// Lays out the model's variables and, for each property, so many of its tester, as `related` says: what is mentioned together close together,
    /// choosers above, and the bits of words in turn.
    pub(super) fn new(model: &Fds, testers: &[usize], related: &Related) -> Self {
        let model_vars = model.vars.len();
        let items = model_vars + testers.iter().sum::<usize>();
        // A word has the place of its first variable.
        let mut leader: Vec<usize> = (0..items).collect();
        for word in &related.words {
            word.iter().for_each(|&v| leader[v] = word[0]);
        }
        let is_placed = |item: usize| related.choosers.contains(&item) || leader[item] != item;
        let clauses: Vec<Vec<usize>> = related
            .together
            .iter()
            .map(|clause| {
                let leaders: BTreeSet<usize> = clause.iter().map(|&item| leader[item]).collect();
                leaders.into_iter().filter(|item| !related.choosers.contains(item)).collect()
            })
            .collect();
        let rest = order::force(items, &clauses).into_iter().filter(|&item| !is_placed(item));
        let mut slots: Vec<Option<Slot>> = vec![None; items];
        let (mut bits, mut blocks) = (0_u32, Vec::new());
        for item in related.choosers.iter().copied().chain(rest) {
            let word = related.words.iter().find(|word| word[0] == item);
            let members = word.map_or(std::slice::from_ref(&item), Vec::as_slice);
            let shape =
                |item: usize| model.vars.get(item).map_or((1, false), |v| (width(&v.domain), v.role == Role::Frozen));
            let most = members.iter().map(|&m| shape(m).0).max().unwrap_or(0);
            // From the highest bit down, those of equal weight in turn.
            for weight in (0..most).rev() {
                for &member in members {
                    let (width, frozen) = shape(member);
                    if weight < width {
                        let slot = slots[member].get_or_insert_with(Slot::default);
                        slot.now.push(Bit(bits));
                        slot.next.push(Bit(if frozen { bits } else { bits + 1 }));
                        let copies = if frozen { 1 } else { 2 };
                        bits += copies;
                        blocks.push(copies);
                    }
                }
            }
        }
        // A variable of one value has no bits.
        let mut slots = slots.into_iter().map(Option::unwrap_or_default);
        let vars = slots.by_ref().take(model_vars).collect();
        let testers = testers.iter().map(|&n| slots.by_ref().take(n).collect()).collect();
        Self { vars, testers, bits, blocks }
    }
}
