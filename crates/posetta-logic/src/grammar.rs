//! The right-linear grammar of a SERE (Pnueli and Zaks 2006, section 7 and appendix A).
//!
//! A nonterminal has rules `V -> b` (one letter that satisfies b, and the match is over) and `V -> b W` (one letter, then what W derives). There
//! are no ε-rules, so a grammar has the non-empty words of its SERE; what uses grammars asks for no others.
//!
//! The construction is an automaton without ε-edges, put together from those of the parts. It differs from the print, whose appendix loses
//! words: `;` behind something that may be empty, `|` with a second part, `[*]` around a start symbol that other rules lead back to; and gains some:
//! `:` over the empty word, `&&` of ε with a letter.
//!
//! The letter ⊤ satisfies every guard, `false` too. Therefore guards are kept as they are, whether a letter can satisfy them or not, and what is
//! left out is only what derives nothing however the guards come out.

use rustc_hash::FxHashMap;

use super::bind::AtomId;
use super::eval::plain_sere;
use super::monitor::Guard;
use super::psl::{Sere, SereOp, Times};
use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "building the grammar of a SERE";

/// A rule of a nonterminal: a letter, and what follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// What the letter satisfies.
    pub guard: Guard<AtomId>,
    /// The nonterminal behind it; `None`: the match is over.
    pub then: Option<usize>,
}

/// The non-empty words of a SERE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grammar {
    /// The rules of each nonterminal, at least one each. The first one is the start; without any, there is no word.
    pub rules: Vec<Vec<Rule>>,
}

impl Grammar {
    /// The grammar of a SERE.
    ///
    /// # Errors
    /// When it is larger than the budget.
    pub fn of(sere: &Sere<AtomId>, budget: &Budget) -> Result<Self, OverBudget> {
        let mut builder = Builder { budget, claim: budget.claim(0, WHAT)?, edges: 0 };
        builder.automaton(&plain_sere(sere))?.grammar(budget)
    }

    /// For each nonterminal its number among those that lead to each other and back; `None` for one that leads nowhere back to itself.
    #[must_use]
    pub fn circles(&self) -> Vec<Option<usize>> {
        // Tarjan 1972, without recursion: `stack` has the nonterminals whose circle is still open.
        let n = self.rules.len();
        let leads = |i: usize| self.rules[i].iter().filter_map(|rule| rule.then);
        let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
        let (mut stack, mut is_open, mut circle) = (Vec::new(), vec![false; n], vec![None; n]);
        let (mut next, mut circles) = (0, 0);
        for root in 0..n {
            if index[root] != usize::MAX {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((i, done)) = calls.pop() {
                if done == 0 {
                    (index[i], low[i]) = (next, next);
                    next += 1;
                    stack.push(i);
                    is_open[i] = true;
                }
                if let Some(j) = leads(i).nth(done) {
                    calls.push((i, done + 1));
                    if index[j] == usize::MAX {
                        calls.push((j, 0));
                    } else if is_open[j] {
                        low[i] = low[i].min(index[j]);
                    }
                    continue;
                }
                if let Some(&(above, _)) = calls.last() {
                    low[above] = low[above].min(low[i]);
                }
                if low[i] == index[i] {
                    let from = stack.iter().rposition(|&j| j == i).unwrap_or(0);
                    let together = stack.split_off(from);
                    together.iter().for_each(|&j| is_open[j] = false);
                    if together.len() > 1 || leads(i).any(|j| j == i) {
                        together.iter().for_each(|&j| circle[j] = Some(circles));
                        circles += 1;
                    }
                }
            }
        }
        circle
    }
}

/// An automaton without ε-edges.
#[derive(Clone, Debug, Default)]
struct Automaton {
    edges: Vec<Vec<(Guard<AtomId>, usize)>>,
    accepts: Vec<bool>,
    start: usize,
}

impl Automaton {
    fn state(&mut self, accepts: bool) -> usize {
        self.edges.push(Vec::new());
        self.accepts.push(accepts);
        self.edges.len() - 1
    }

    /// Takes in the states of another one; says where its first state is now.
    fn take(&mut self, other: &Self) -> usize {
        let base = self.edges.len();
        for (edges, accepts) in other.edges.iter().zip(&other.accepts) {
            self.edges.push(edges.iter().map(|(g, t)| (g.clone(), t + base)).collect());
            self.accepts.push(*accepts);
        }
        base
    }

    /// The words, and the empty one.
    fn or_empty(mut self) -> Self {
        let start = self.state(true);
        self.edges[start] = self.edges[self.start].clone();
        self.start = start;
        self
    }

    fn empty_word() -> Self {
        let mut automaton = Self::default();
        automaton.start = automaton.state(true);
        automaton
    }

    fn letter(guard: Guard<AtomId>) -> Self {
        let mut automaton = Self::default();
        let (start, end) = (automaton.state(false), automaton.state(true));
        automaton.edges[start].push((guard, end));
        automaton.start = start;
        automaton
    }

    /// Only what lies between the start and acceptance, whatever the guards; equal states once.
    fn grammar(mut self, budget: &Budget) -> Result<Grammar, OverBudget> {
        self.merge(budget)?;
        let mut productive = self.accepts.clone();
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.edges.len()];
        for (i, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|(_, t)| from[*t].push(i));
        }
        let mut open: Vec<usize> = (0..productive.len()).filter(|&i| productive[i]).collect();
        while let Some(i) = open.pop() {
            for &j in &from[i] {
                if !productive[j] {
                    productive[j] = true;
                    open.push(j);
                }
            }
        }
        // A state is a nonterminal if something non-empty follows it.
        let goes_on: Vec<bool> = self.edges.iter().map(|edges| edges.iter().any(|(_, t)| productive[*t])).collect();
        let mut names: FxHashMap<usize, usize> = FxHashMap::default();
        let mut order = Vec::new();
        if goes_on[self.start] {
            names.insert(self.start, 0);
            order.push(self.start);
        }
        let mut rules = Vec::new();
        while rules.len() < order.len() {
            let mut own = Vec::new();
            for (guard, to) in &self.edges[order[rules.len()]] {
                if self.accepts[*to] {
                    own.push(Rule { guard: guard.clone(), then: None });
                }
                if goes_on[*to] {
                    let next = *names.entry(*to).or_insert_with(|| {
                        order.push(*to);
                        order.len() - 1
                    });
                    own.push(Rule { guard: guard.clone(), then: Some(next) });
                }
            }
            let mut seen = rustc_hash::FxHashSet::default();
            own.retain(|rule| seen.insert(rule.clone()));
            rules.push(own);
        }
        Ok(Grammar { rules })
    }

    /// Makes states one that have the same edges to the same classes. A state is looked at again where one that it has an edge to is called otherwise,
    /// and of a class that falls apart the largest part keeps its name: so no state is renamed more often than the logarithm of their number
    /// (Hopcroft 1971), and a chain of n states is done with after n looks.
    fn merge(&mut self, budget: &Budget) -> Result<(), OverBudget> {
        let states = self.edges.len();
        let mut labels: FxHashMap<&Guard<AtomId>, usize> = FxHashMap::default();
        let (mut rows, mut from): (Vec<Vec<(usize, usize)>>, _) = (Vec::new(), vec![Vec::new(); states]);
        for (i, edges) in self.edges.iter().enumerate() {
            budget.step(1, WHAT)?;
            let mut row = Vec::with_capacity(edges.len());
            for (guard, to) in edges {
                let fresh = labels.len();
                row.push((*labels.entry(guard).or_insert(fresh), *to));
                from[*to].push(i);
            }
            rows.push(row);
        }
        let mut classes = Classes::new(&self.accepts);
        let mut open: Vec<usize> = (0..states).collect();
        while !open.is_empty() {
            open.sort_unstable_by_key(|&i| (classes.of[i], i));
            open.dedup();
            let mut renamed = Vec::new();
            let named: Vec<usize> = open.iter().map(|&i| classes.of[i]).collect();
            let mut end = 0;
            while end < open.len() {
                let start = end;
                end += named[start..].iter().take_while(|&&class| class == named[start]).count();
                let looked_at = &open[start..end];
                budget.step(looked_at.len() as u64, WHAT)?;
                let mut known: FxHashMap<Vec<(usize, usize)>, usize> = FxHashMap::default();
                let mut groups: Vec<Vec<usize>> = Vec::new();
                for &i in looked_at {
                    let mut row: Vec<(usize, usize)> = Vec::with_capacity(rows[i].len());
                    let mut seen = rustc_hash::FxHashSet::default();
                    row.extend(rows[i].iter().map(|&(label, to)| (label, classes.of[to])).filter(|e| seen.insert(*e)));
                    let fresh = groups.len();
                    let group = *known.entry(row).or_insert(fresh);
                    if group == fresh {
                        groups.push(Vec::new());
                    }
                    groups[group].push(i);
                }
                renamed.extend(classes.split(looked_at, groups));
            }
            open = renamed.iter().flat_map(|&i| from[i].iter().copied()).collect();
        }
        // Named in the order of their first members.
        let mut names: FxHashMap<usize, usize> = FxHashMap::default();
        let mut named = |&class: &usize| {
            let fresh = names.len();
            *names.entry(class).or_insert(fresh)
        };
        let class: Vec<usize> = classes.of.iter().map(&mut named).collect();
        let classes = names.len();
        let mut merged =
            Self { edges: vec![Vec::new(); classes], accepts: vec![false; classes], start: class[self.start] };
        for (i, edges) in self.edges.iter().enumerate() {
            merged.accepts[class[i]] = self.accepts[i];
            if merged.edges[class[i]].is_empty() {
                let mut seen = rustc_hash::FxHashSet::default();
                let edges = edges.iter().map(|(g, t)| (g.clone(), class[*t]));
                merged.edges[class[i]] = edges.filter(|edge| seen.insert(edge.clone())).collect();
            }
        }
        *self = merged;
        Ok(())
    }
}

/// States in classes.
struct Classes {
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// By state: its place among the members of its class.
    place: Vec<usize>,
}

impl Classes {
    fn new(accepts: &[bool]) -> Self {
        let mut classes = Self { of: Vec::new(), members: vec![Vec::new(), Vec::new()], place: Vec::new() };
        for (i, &accepts) in accepts.iter().enumerate() {
            let class = usize::from(accepts);
            classes.of.push(class);
            classes.place.push(classes.members[class].len());
            classes.members[class].push(i);
        }
        classes
    }

    /// Takes a class apart: some of its members, in groups, and those that nobody looked at. Who gets a new name.
    fn split(&mut self, looked_at: &[usize], mut groups: Vec<Vec<usize>>) -> Vec<usize> {
        let class = self.of[looked_at[0]];
        let others = self.members[class].len() - looked_at.len();
        if let Some(largest) = (0..groups.len()).max_by_key(|&g| (groups[g].len(), std::cmp::Reverse(g)))
            && groups[largest].len() > others
        {
            groups.swap_remove(largest);
            if others > 0 {
                let chosen: rustc_hash::FxHashSet<usize> = looked_at.iter().copied().collect();
                groups.push(self.members[class].iter().copied().filter(|i| !chosen.contains(i)).collect());
            }
        }
        let mut renamed = Vec::new();
        for group in groups {
            let fresh = self.members.len();
            for &i in &group {
                let (own, place) = (&mut self.members[class], self.place[i]);
                own.swap_remove(place);
                if let Some(&moved) = own.get(place) {
                    self.place[moved] = place;
                }
            }
            for (place, &i) in group.iter().enumerate() {
                (self.of[i], self.place[i]) = (fresh, place);
            }
            renamed.extend_from_slice(&group);
            self.members.push(group);
        }
        renamed
    }
}

fn both(a: &Guard<AtomId>, b: &Guard<AtomId>) -> Guard<AtomId> {
    match (a, b) {
        (Guard::True, other) | (other, Guard::True) => other.clone(),
        _ if a == b => a.clone(),
        _ => Guard::And(vec![a.clone(), b.clone()]),
    }
}

struct Builder<'b> {
    budget: &'b Budget,
    claim: Claim,
    edges: u64,
}

impl Builder<'_> {
    /// Announces edges that are about to be made.
    fn announce(&mut self, edges: usize) -> Result<(), OverBudget> {
        self.edges = self.edges.saturating_add(edges as u64);
        self.budget.step(edges as u64, WHAT)?;
        self.claim.grow_to(self.edges.saturating_mul(96), WHAT)
    }

    fn automaton(&mut self, sere: &Sere<AtomId>) -> Result<Automaton, OverBudget> {
        self.announce(1)?;
        match sere {
            Sere::Bool(b) => Ok(Automaton::letter(b.clone())),
            Sere::Chain(op, parts) => {
                let Some((first, rest)) = parts.split_first() else { return Ok(Automaton::empty_word()) };
                let mut left = self.automaton(first)?;
                for right in rest {
                    let right = self.automaton(right)?;
                    left = self.join(*op, left, right)?;
                    // Merging early keeps products small.
                    left.merge(self.budget)?;
                }
                Ok(left)
            }
            Sere::Repeat(r, times) => {
                let one = self.automaton(r)?;
                self.repeat(&one, *times)
            }
            // Taken apart before.
            Sere::Goto(..) | Sere::Occur(..) => self.automaton(&plain_sere(sere)),
        }
    }

    fn join(&mut self, op: SereOp, a: Automaton, b: Automaton) -> Result<Automaton, OverBudget> {
        let anything = || Automaton { edges: vec![vec![(Guard::True, 0)]], accepts: vec![true], start: 0 };
        match op {
            SereOp::Concat => self.concat(a, &b),
            SereOp::Fusion => self.fusion(a, &b),
            SereOp::Or => self.either(a, &b),
            SereOp::Intersect => self.intersect(&a, &b),
            SereOp::And => {
                let short_a = self.concat(a.clone(), &anything())?;
                let short_b = self.concat(b.clone(), &anything())?;
                let left = self.intersect(&a, &short_b)?;
                let right = self.intersect(&short_a, &b)?;
                self.either(left, &right)
            }
            SereOp::Within => {
                let inner = self.concat(anything(), &a)?;
                let inner = self.concat(inner, &anything())?;
                self.intersect(&inner, &b)
            }
        }
    }

    fn concat(&mut self, mut a: Automaton, b: &Automaton) -> Result<Automaton, OverBudget> {
        let ends: Vec<usize> = (0..a.accepts.len()).filter(|&i| a.accepts[i]).collect();
        self.announce(b.edges.iter().map(Vec::len).sum::<usize>() + ends.len() * b.edges[b.start].len())?;
        let base = a.take(b);
        let begins = a.edges[base + b.start].clone();
        for end in ends {
            a.accepts[end] = b.accepts[b.start];
            a.edges[end].extend(begins.iter().cloned());
        }
        Ok(a)
    }

    /// The same, where many are put in front of one another.
    fn before(&mut self, one: &Automaton, mut rest: Automaton) -> Result<Automaton, OverBudget> {
        let ends: Vec<usize> = (0..one.accepts.len()).filter(|&i| one.accepts[i]).collect();
        let (begins, accepts) = (rest.edges[rest.start].clone(), rest.accepts[rest.start]);
        self.announce(one.edges.iter().map(Vec::len).sum::<usize>() + ends.len() * begins.len() + 1)?;
        let base = rest.take(one);
        for end in ends {
            rest.accepts[base + end] = accepts;
            rest.edges[base + end].extend(begins.iter().cloned());
        }
        rest.start = base + one.start;
        Ok(rest)
    }

    fn fusion(&mut self, mut a: Automaton, b: &Automaton) -> Result<Automaton, OverBudget> {
        let own = a.edges.len();
        let begins = &b.edges[b.start];
        let lasts: usize = a.edges.iter().flatten().filter(|(_, t)| a.accepts[*t]).count();
        self.announce(b.edges.iter().map(Vec::len).sum::<usize>() + lasts.saturating_mul(begins.len()))?;
        let base = a.take(b);
        for i in 0..own {
            let shared: Vec<_> = a.edges[i]
                .iter()
                .filter(|(_, t)| a.accepts[*t])
                .flat_map(|(g, _)| begins.iter().map(move |(h, u)| (both(g, h), u + base)))
                .collect();
            a.edges[i].extend(shared);
        }
        a.accepts[..own].fill(false);
        Ok(a)
    }

    fn either(&mut self, mut a: Automaton, b: &Automaton) -> Result<Automaton, OverBudget> {
        self.announce(b.edges.iter().map(Vec::len).sum::<usize>() + a.edges[a.start].len() + b.edges[b.start].len())?;
        let base = a.take(b);
        let start = a.state(a.accepts[a.start] || b.accepts[b.start]);
        let mut begins = a.edges[a.start].clone();
        begins.extend(a.edges[base + b.start].iter().cloned());
        a.edges[start] = begins;
        a.start = start;
        Ok(a)
    }

    fn intersect(&mut self, a: &Automaton, b: &Automaton) -> Result<Automaton, OverBudget> {
        let mut result = Automaton::default();
        let mut names: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut order = vec![(a.start, b.start)];
        names.insert(order[0], result.state(a.accepts[a.start] && b.accepts[b.start]));
        let mut next = 0;
        while next < order.len() {
            let (i, j) = order[next];
            self.announce(1 + a.edges[i].len().saturating_mul(b.edges[j].len()))?;
            for (g, t) in &a.edges[i] {
                for (h, u) in &b.edges[j] {
                    let to = *names.entry((*t, *u)).or_insert_with(|| {
                        order.push((*t, *u));
                        result.state(a.accepts[*t] && b.accepts[*u])
                    });
                    result.edges[next].push((both(g, h), to));
                }
            }
            next += 1;
        }
        Ok(result)
    }

    fn star(&mut self, one: &Automaton) -> Result<Automaton, OverBudget> {
        let ends = one.accepts.iter().filter(|&&a| a).count();
        self.announce(one.edges.iter().map(Vec::len).sum::<usize>() + (ends + 1) * one.edges[one.start].len())?;
        let mut result = one.clone();
        let begins = result.edges[result.start].clone();
        for i in 0..result.edges.len() {
            if result.accepts[i] && i != result.start {
                result.edges[i].extend(begins.iter().cloned());
            }
        }
        Ok(result.or_empty())
    }

    fn repeat(&mut self, one: &Automaton, times: Times) -> Result<Automaton, OverBudget> {
        // From the back: what may follow the copies that must be there.
        let mut rest = match times.max {
            None => self.star(one)?,
            Some(max) => {
                let mut rest = Automaton::empty_word();
                for _ in times.min..max {
                    rest = self.before(one, rest)?.or_empty();
                }
                rest
            }
        };
        for _ in 0..times.min {
            rest = self.before(one, rest)?;
        }
        Ok(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Atom, Psl, parse_guard, parse_psl};

    fn grammar(text: &str) -> Grammar {
        let Psl::Sere { sere, .. } = parse_psl(text).unwrap() else { panic!("a SERE") };
        let place =
            |atom: &Atom| ["a", "b", "c"].iter().position(|name| parse_guard(name) == Ok(Guard::Atom(atom.clone())));
        let sere = sere.map_atoms(&mut |atom| AtomId(u32::try_from(place(atom).unwrap()).unwrap()));
        Grammar::of(&sere, &Budget::unlimited()).unwrap()
    }

    /// Whether the grammar derives a word; letters are sets of atoms.
    fn derives(grammar: &Grammar, word: &[u32]) -> bool {
        let mut at = vec![0];
        for (i, letter) in word.iter().enumerate() {
            let mut next = Vec::new();
            for &v in &at {
                for rule in grammar.rules.get(v).into_iter().flatten() {
                    if rule.guard.holds(&|a| letter >> a.0 & 1 == 1) {
                        match rule.then {
                            None if i + 1 == word.len() => return true,
                            None => {}
                            Some(w) => next.push(w),
                        }
                    }
                }
            }
            at = next;
        }
        false
    }

    #[test]
    fn what_the_print_loses_or_gains() {
        // Letters: 1 is a, 2 is b, 4 is c.
        for (text, word, expected) in [
            ("{a:[*0]}!", &[1_u32][..], false),
            ("{a[*] && b}!", &[2], false),
            ("{{a[*];b}[*];c}!", &[1, 4], false),
            ("{{a[*];b}[*];c}!", &[1, 2, 4], true),
            ("{a[*];b}!", &[2], true),
            ("{a|b}!", &[2], true),
            ("{a[*]:b}!", &[3], true),
            ("{a[*]:b}!", &[1, 3], true),
            ("{a;b[*1:3];c}!", &[1, 2, 2, 2, 4], true),
            ("{a;b[*1:3];c}!", &[1, 2, 2, 2, 2, 4], false),
            ("{a[=2]}!", &[0, 1, 0, 1, 0], true),
            ("{a[->2]}!", &[0, 1, 0, 1, 0], false),
            ("{{a;b} & {c}}!", &[5, 2], true),
            ("{{a;b} & {c}}!", &[5], false),
            ("{b within {a;true[*];a}}!", &[1, 2, 1], true),
            ("{b within {a;true[*];a}}!", &[1, 0, 1], false),
        ] {
            assert_eq!(derives(&grammar(text), word), expected, "{text} on {word:?}");
        }
    }

    #[test]
    fn guards_that_no_letter_satisfies_are_kept_and_dead_ends_are_not() {
        assert_eq!(grammar("{a;false}!").rules.len(), 2);
        assert_eq!(grammar("{{a;b} && {a}}!").rules.len(), 0);
        assert_eq!(grammar("{b[*0:30]}!").rules.len(), 30);
        for (text, on_circles) in
            [("{b[*0:30]}!", 0), ("{a[->];b[*24]}!", 1), ("{{a;b}[*];c}!", 2), ("{a[*];b[*];c}!", 2)]
        {
            let grammar = grammar(text);
            assert_eq!(grammar.circles().iter().flatten().count(), on_circles, "{text}: {grammar:?}");
        }
    }
}
