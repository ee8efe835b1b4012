//! Which bit of a diagram stands for what.
//!
//! Every variable of the model and of the testers has bits for its value now and, unless it is frozen, for its value in the next state. The two
//! copies of a bit are neighbours, the bits of a variable stand together, and the variables are ordered by [`posetta_dd::order`].

use posetta_dd::bdd::Bit;
use posetta_dd::order;
use posetta_model::fds::{Domain, Fds, Role, Value};

/// The bits of one variable, the highest first.
#[derive(Clone, Debug)]
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
    /// Lays out the model's variables and, for each property, so many of its tester. `clauses` say which of them are mentioned together: the
    /// model's variables first, then all testers' in turn. `tops` of them come before all others.
    pub(super) fn new(model: &Fds, testers: &[usize], clauses: &[Vec<usize>], tops: &[usize]) -> Self {
        let model_vars = model.vars.len();
        let items = model_vars + testers.iter().sum::<usize>();
        let mut slots: Vec<Option<Slot>> = vec![None; items];
        let (mut bits, mut blocks) = (0_u32, Vec::new());
        let mut fresh = || {
            bits += 1;
            Bit(bits - 1)
        };
        let others: Vec<Vec<usize>> =
            clauses.iter().map(|c| c.iter().copied().filter(|item| !tops.contains(item)).collect()).collect();
        let rest = order::force(items, &others).into_iter().filter(|item| !tops.contains(item));
        for item in tops.iter().copied().chain(rest) {
            let (width, frozen) =
                model.vars.get(item).map_or((1, false), |v| (width(&v.domain), v.role == Role::Frozen));
            let (mut now, mut next) = (Vec::new(), Vec::new());
            for _ in 0..width {
                now.push(fresh());
                next.push(if frozen { now[now.len() - 1] } else { fresh() });
                blocks.push(if frozen { 1 } else { 2 });
            }
            slots[item] = Some(Slot { now, next });
        }
        let mut slots = slots.into_iter().map(|slot| slot.expect("the order has every item"));
        let vars = slots.by_ref().take(model_vars).collect();
        let testers = testers.iter().map(|&n| slots.by_ref().take(n).collect()).collect();
        Self { vars, testers, bits, blocks }
    }
}
