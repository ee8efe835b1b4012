//! Whether comparisons can hold together, and values that make them.
//!
//! Variables that no comparison connects are independent, so a question falls into components. Inside one, each
//! variable is a number or a string; where both are possible both are tried. Numbers are left to [`super::linear`];
//! strings can only be equal or not, and there is always another one.

use std::collections::BTreeMap;

use super::compare::{Comparison, Order};
use super::linear::{self, Form, Relation};
use posetta_base::{Budget, OverBudget, Value};

const WHAT: &str = "finding out which atoms can hold together";

/// What a variable may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Number,
    Text,
    Either,
}

/// A comparison or its negation.
pub(super) type Claim<'a> = (&'a Comparison, bool);

/// The sort that a variable needs: one that is never compared with a string, nor with a variable that is, may as well be a
/// number, and one that is never compared with a number may as well be a string, for there are enough of both.
pub(super) fn sorts(variables: usize, numeric: &[bool], comparisons: &[Comparison]) -> Vec<Sort> {
    let mut groups = Groups::new(variables);
    for comparison in comparisons {
        if let Comparison::Same(a, b) = comparison {
            groups.join(*a, *b);
        }
    }
    let (mut numbers, mut texts) = (vec![false; variables], vec![false; variables]);
    for comparison in comparisons {
        match comparison {
            Comparison::Text(v, _) => texts[groups.find(*v)] = true,
            Comparison::Same(..) => {}
            Comparison::Linear { .. } | Comparison::Other(..) => {
                for v in comparison.variables() {
                    numbers[groups.find(v)] = true;
                }
            }
        }
    }
    let forced = |v: usize| numeric.get(v).copied().unwrap_or(false);
    for v in (0..variables).filter(|&v| forced(v)) {
        numbers[groups.find(v)] = true;
    }
    (0..variables)
        .map(|v| match (forced(v), numbers[groups.find(v)], texts[groups.find(v)]) {
            (true, ..) | (_, _, false) => Sort::Number,
            (_, false, true) => Sort::Text,
            (_, true, true) => Sort::Either,
        })
        .collect()
}

/// Sets of variables that are joined.
pub(super) struct Groups(Vec<usize>);

impl Groups {
    pub(super) fn new(size: usize) -> Self {
        Self((0..size).collect())
    }

    pub(super) fn find(&self, mut v: usize) -> usize {
        while self.0[v] != v {
            v = self.0[v];
        }
        v
    }

    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller one leads, so that groups come in the order of their first member.
        self.0[a.max(b)] = a.min(b);
    }
}

/// The claims by component, each a list of places in `comparisons`, in the order of their first variables.
pub(super) fn components(variables: usize, comparisons: &[&Comparison]) -> Vec<Vec<usize>> {
    let mut groups = Groups::new(variables);
    for comparison in comparisons {
        if matches!(comparison, Comparison::Other(..)) {
            continue;
        }
        let members = comparison.variables();
        members.windows(2).for_each(|w| groups.join(w[0], w[1]));
    }
    let mut by_leader: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut apart = Vec::new();
    for (i, comparison) in comparisons.iter().enumerate() {
        match comparison.variables().first() {
            Some(&v) if !matches!(comparison, Comparison::Other(..)) => {
                by_leader.entry(groups.find(v)).or_default().push(i);
            }
            _ => apart.push(vec![i]),
        }
    }
    by_leader.into_values().chain(apart).collect()
}

/// Values for the variables of the claims, if all can hold together. Nothing is asked of [`Comparison::Other`].
pub(super) fn solve(
    claims: &[Claim<'_>],
    sorts: &[Sort],
    budget: &Budget,
) -> Result<Option<BTreeMap<usize, Value>>, OverBudget> {
    let mut values = BTreeMap::new();
    let comparisons: Vec<&Comparison> = claims.iter().map(|c| c.0).collect();
    for component in components(sorts.len(), &comparisons) {
        let part: Vec<Claim<'_>> = component.into_iter().map(|i| claims[i]).collect();
        match solve_component(&part, sorts, budget)? {
            Some(found) => values.extend(found),
            None => return Ok(None),
        }
    }
    Ok(Some(values))
}

/// [`solve`] for claims that are connected.
pub(super) fn solve_component(
    claims: &[Claim<'_>],
    sorts: &[Sort],
    budget: &Budget,
) -> Result<Option<BTreeMap<usize, Value>>, OverBudget> {
    let mut open: Vec<usize> = claims.iter().flat_map(|c| c.0.variables()).collect();
    open.retain(|&v| sorts[v] == Sort::Either);
    open.sort_unstable();
    open.dedup();
    let mut is_text = vec![false; open.len()];
    loop {
        budget.step(1, WHAT)?;
        let text = |v: usize| match sorts[v] {
            Sort::Number => false,
            Sort::Text => true,
            Sort::Either => open.binary_search(&v).is_ok_and(|i| is_text[i]),
        };
        if let Some(values) = with_sorts(claims, &text, budget)? {
            return Ok(Some(values));
        }
        let Some(next) = is_text.iter().position(|&t| !t) else { return Ok(None) };
        is_text[next] = true;
        is_text[..next].fill(false);
    }
}

fn with_sorts(
    claims: &[Claim<'_>],
    text: &dyn Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Option<BTreeMap<usize, Value>>, OverBudget> {
    let mut numbers: Vec<(Form, Relation)> = Vec::new();
    let mut texts = Texts::default();
    for &(comparison, positive) in claims {
        match comparison {
            Comparison::Other(..) => {}
            Comparison::Linear { form, relation, bare } => {
                if bare.iter().any(|&v| text(v)) {
                    if positive {
                        return Ok(None);
                    }
                    continue;
                }
                numbers.push(stated(form, *relation, positive).map_err(linear::too_large)?);
            }
            Comparison::Text(v, value) if text(*v) => texts.state(*v, Other::Literal(value), positive),
            Comparison::Same(a, b) if text(*a) && text(*b) => texts.state(*a, Other::Variable(*b), positive),
            Comparison::Same(a, b) if !text(*a) && !text(*b) => {
                let minus = Form::variable(*b).scale(&(-1).into()).map_err(linear::too_large)?;
                let form = Form::variable(*a).add(&minus).map_err(linear::too_large)?;
                numbers.push(stated(&form, Order::Equal, positive).map_err(linear::too_large)?);
            }
            // A number and a string differ.
            Comparison::Text(..) | Comparison::Same(..) => {
                if positive {
                    return Ok(None);
                }
            }
        }
    }
    let Some(texts) = texts.solve() else { return Ok(None) };
    let Some(numbers) = linear::solve(numbers, budget)? else { return Ok(None) };
    let mut values: BTreeMap<usize, Value> = numbers.into_iter().map(|(v, n)| (v, Value::Number(n))).collect();
    values.extend(texts.into_iter().map(|(v, t)| (v, Value::Text(t))));
    Ok(Some(values))
}

fn stated(form: &Form, relation: Order, positive: bool) -> Result<(Form, Relation), posetta_base::NumberError> {
    Ok(match (relation, positive) {
        (relation, true) => (form.clone(), relation.into()),
        (Order::Equal, false) => (form.clone(), Relation::Differs),
        (Order::Below, false) => (form.scale(&(-1).into())?, Relation::AtMost),
        (Order::AtMost, false) => (form.scale(&(-1).into())?, Relation::Below),
    })
}

enum Other<'a> {
    Literal(&'a str),
    Variable(usize),
}

/// Equalities and inequalities of strings. A node is a variable or a literal.
#[derive(Default)]
struct Texts<'a> {
    variables: Vec<usize>,
    literals: Vec<&'a str>,
    equal: Vec<(Node, Node)>,
    differ: Vec<(Node, Node)>,
}

#[derive(Clone, Copy)]
enum Node {
    Variable(usize),
    Literal(usize),
}

impl<'a> Texts<'a> {
    fn state(&mut self, variable: usize, other: Other<'a>, positive: bool) {
        let a = self.variable(variable);
        let b = match other {
            Other::Variable(v) => self.variable(v),
            Other::Literal(text) => {
                let known = self.literals.iter().position(|l| *l == text);
                Node::Literal(known.unwrap_or_else(|| {
                    self.literals.push(text);
                    self.literals.len() - 1
                }))
            }
        };
        if positive { &mut self.equal } else { &mut self.differ }.push((a, b));
    }

    fn variable(&mut self, variable: usize) -> Node {
        let known = self.variables.iter().position(|v| *v == variable);
        Node::Variable(known.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        }))
    }

    fn solve(&self) -> Option<Vec<(usize, String)>> {
        // Literals first, so that a group that has one is led by it.
        let place = |node: Node| match node {
            Node::Literal(i) => i,
            Node::Variable(i) => self.literals.len() + i,
        };
        let mut groups = Groups::new(self.literals.len() + self.variables.len());
        for &(a, b) in &self.equal {
            let (a, b) = (groups.find(place(a)), groups.find(place(b)));
            if a != b && a.max(b) < self.literals.len() {
                return None;
            }
            groups.join(a, b);
        }
        if self.differ.iter().any(|&(a, b)| groups.find(place(a)) == groups.find(place(b))) {
            return None;
        }
        // Each group without a literal gets a string of its own.
        let mut fresh: BTreeMap<usize, String> = BTreeMap::new();
        let mut count = 0;
        let mut values = Vec::new();
        for (i, &variable) in self.variables.iter().enumerate() {
            let leader = groups.find(self.literals.len() + i);
            let value = match self.literals.get(leader) {
                Some(literal) => (*literal).to_owned(),
                None => fresh
                    .entry(leader)
                    .or_insert_with(|| {
                        loop {
                            count += 1;
                            let name = if count == 1 { "other".to_owned() } else { format!("other {count}") };
                            if !self.literals.contains(&name.as_str()) {
                                return name;
                            }
                        }
                    })
                    .clone(),
            };
            values.push((variable, value));
        }
        Some(values)
    }
}
