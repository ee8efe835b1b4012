//! Every part of a property along one word: where it is true, and for CTL what the path proves.
//!
//! A [`Part`] keeps where its truth changes, not its truth at each position: along a million positions most parts change a few
//! times. Parts are listed as a reader meets them, the property first, each before its own parts; a part that occurs twice is
//! listed twice. The states of a monitor are listed as if they were parts.

use std::fmt::Display;

use super::lasso::{Lasso, Rows};
use super::{Kleene, Word, follow_monitor, path_truth_from, psl_truth, truth_from};
use crate::{Atom, AtomId, Ctl, Ltl, M2l, Monitor, Psl, Sere, Suffix};
use posetta_base::{Budget, Claim, OverBudget};

const WHAT: &str = "tracing the parts of the property";

/// A part of a property along a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The part, as it is printed; the name of a state of a monitor.
    pub formula: String,
    /// How deep it is nested; 0 is the property.
    pub depth: usize,
    /// From which entry of the word on it has which truth value, until the next. `None`: the path does not tell. Starts with
    /// entry 0 unless the word is empty; values that follow each other differ.
    pub changes: Vec<(u32, Option<bool>)>,
}

impl Part {
    /// Its value at an entry of the word.
    #[must_use]
    pub fn at(&self, entry: usize) -> Option<bool> {
        let after = self.changes.partition_point(|&(from, _)| from as usize <= entry);
        after.checked_sub(1).and_then(|i| self.changes[i].1)
    }

    /// The stretches of a word of this length at which it has a value: first and last entry of each, ascending.
    pub fn stretches(&self, value: Option<bool>, len: usize) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.changes.iter().skip(1).map(|&(from, _)| from as usize).chain([len]);
        self.changes
            .iter()
            .zip(ends)
            .filter(move |((_, v), _)| *v == value)
            .map(|(&(from, _), end)| (from as usize, end - 1))
    }
}

/// The parts of an LTL formula along a word. `bound` is the formula tied to the word's trace.
///
/// # Errors
/// When the budget is spent.
pub fn of_ltl<V: Display>(
    formula: &Ltl<Atom<V>>,
    bound: &Ltl<AtomId>,
    word: &Word,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let mut recorder = Recorder::new(word, budget)?;
    if !word.is_empty() {
        recorder.ltl(bound);
    }
    recorder.named(formula, Ltl::operands)
}

/// The parts of a PSL formula along a word. A SERE is one part, and so is a boolean; the SERE before `|->` or `|=>`, or in `<…>`, is shown as
/// `{r}!`: where a match of it starts.
///
/// # Errors
/// When the budget is spent.
pub fn of_psl<V: Display>(
    formula: &Psl<Atom<V>>,
    bound: &Psl<AtomId>,
    word: &Word,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    psl_parts(formula, bound, budget, &mut |f| {
        let mut row = psl_truth(f, word, budget)?;
        row.truncate(word.len());
        Ok(row)
    })
}

/// The parts of a PSL formula from where each of them holds.
fn psl_parts<V: Display>(
    formula: &Psl<Atom<V>>,
    bound: &Psl<AtomId>,
    budget: &Budget,
    truth: &mut dyn FnMut(&Psl<AtomId>) -> Rows<bool>,
) -> Result<Vec<Part>, OverBudget> {
    let mut claim = budget.claim(0, WHAT)?;
    let mut bytes = 0;
    let mut parts = Vec::new();
    let mut stack: Vec<(PslPart<'_, Atom<V>>, PslPart<'_, AtomId>, usize)> =
        vec![(PslPart::Formula(formula), PslPart::Formula(bound), 0)];
    while let Some((written, bound, depth)) = stack.pop() {
        let row = match bound {
            PslPart::Formula(f) => truth(f)?,
            PslPart::Sere(r) => truth(&Psl::Sere { sere: r.clone(), strong: true })?,
        };
        let mut changes: Vec<(u32, Kleene)> = Vec::new();
        for (i, value) in row.into_iter().map(Some).enumerate() {
            if changes.last().is_none_or(|(_, last)| *last != value) {
                changes.push((i as u32, value));
            }
        }
        let formula = match written {
            PslPart::Formula(f) => f.to_string(),
            PslPart::Sere(r) => format!("{{{r}}}!"),
        };
        bytes += formula.len() as u64 + changes.len() as u64 * ENTRY;
        claim.grow_to(bytes, WHAT)?;
        parts.push(Part { formula, depth, changes });
        let inside = written.inside().into_iter().zip(bound.inside()).rev();
        stack.extend(inside.map(|(written, bound)| (written, bound, depth + 1)));
    }
    Ok(parts)
}

/// A part of a PSL formula.
enum PslPart<'f, A> {
    Formula(&'f Psl<A>),
    Sere(&'f Sere<A>),
}

// Atoms need not be copied for it.
impl<A> Clone for PslPart<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for PslPart<'_, A> {}

impl<'f, A> PslPart<'f, A> {
    fn inside(self) -> Vec<Self> {
        let Self::Formula(f) = self else { return Vec::new() };
        let sere = match f {
            Psl::Suffix(Suffix::Overlapping | Suffix::After | Suffix::Some, r, _) => Some(Self::Sere(r)),
            _ => None,
        };
        sere.into_iter().chain(f.operands().into_iter().map(Self::Formula)).collect()
    }
}

/// The parts of a CTL formula along a path of cuts: what the path proves of each at each cut. `complete` says that the path ends
/// at the full cut.
///
/// # Errors
/// When the budget is spent.
pub fn of_ctl<V: Display>(
    formula: &Ctl<Atom<V>>,
    bound: &Ctl<AtomId>,
    word: &Word,
    complete: bool,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let mut recorder = Recorder::new(word, budget)?;
    recorder.ctl(bound, complete);
    recorder.named(formula, Ctl::operands)
}

/// The parts of an LTL formula along a word that goes back from its last letter to `cycle`. There is one entry more than the word has letters:
/// that of the first letter of the cycle when it comes again, where something may be past that was not the first time.
///
/// # Errors
/// When the budget is spent.
///
/// # Panics
/// If `cycle` is not a position of the word.
pub fn of_ltl_on_lasso<V: Display>(
    formula: &Ltl<Atom<V>>,
    bound: &Ltl<AtomId>,
    word: &Word,
    cycle: usize,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let lasso = Lasso::unrolled(bound, word, cycle, budget);
    let mut recorder = Recorder { len: lasso.len(), ..Recorder::new(word, budget)? };
    recorder.ltl_around(bound, &lasso)?;
    recorder.named(formula, Ltl::operands)
}

/// The same for PSL. See [`of_psl`].
///
/// # Errors
/// When the budget is spent.
///
/// # Panics
/// If `cycle` is not a position of the word.
pub fn of_psl_on_lasso<V: Display>(
    formula: &Psl<Atom<V>>,
    bound: &Psl<AtomId>,
    word: &Word,
    cycle: usize,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let lasso = Lasso::new(word, cycle, budget);
    psl_parts(formula, bound, budget, &mut |f| Ok(lasso.once_around(&lasso.uncut(f)?)))
}

/// The same for CTL along a path that goes round: what it proves of each part. See [`of_ctl`].
///
/// # Errors
/// When the budget is spent.
///
/// # Panics
/// If `cycle` is not a position of the word.
pub fn of_ctl_on_lasso<V: Display>(
    formula: &Ctl<Atom<V>>,
    bound: &Ctl<AtomId>,
    word: &Word,
    cycle: usize,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let lasso = Lasso::new(word, cycle, budget);
    let mut recorder = Recorder::new(word, budget)?;
    recorder.ctl_around(bound, &lasso)?;
    recorder.named(formula, Ctl::operands)
}

/// A formula of M2L along a word, followed by its monitor: of which beginnings of the word it is true, at the last position of each; and its atoms, which
/// are `formula`'s, in their order.
///
/// # Errors
/// When the budget is spent.
pub fn of_m2l(
    formula: &M2l,
    atoms: &[AtomId],
    monitor: &Monitor<AtomId>,
    word: &Word,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let mut claim = budget.claim(0, WHAT)?;
    let bad = monitor.bad_states();
    let mut beginnings = Vec::with_capacity(word.len());
    follow_monitor(monitor, word, budget, |read, states| {
        if read > 0 {
            beginnings.push(!states.iter().any(|s| bad[s.index()]));
        }
    })?;
    let rows = atoms.iter().map(|&atom| word.row(atom));
    let texts = formula.program().atoms.iter().map(|(_, atom)| (atom.to_string(), 1));
    let mut parts: Vec<Part> = Vec::new();
    for (row, (formula, depth)) in
        [&beginnings[..]].into_iter().chain(rows).zip([(formula.to_string(), 0)].into_iter().chain(texts))
    {
        let is_change = |&i: &usize| i == 0 || row[i] != row[i - 1];
        let changes: Vec<_> = (0..row.len()).filter(is_change).map(|i| (i as u32, Some(row[i]))).collect();
        parts.push(Part { formula, depth, changes });
        claim.grow_to(parts.iter().map(|part| part.changes.len() as u64).sum::<u64>() * ENTRY, WHAT)?;
    }
    Ok(parts)
}

/// The states of a monitor along a word: where it can be in each when it has read the letter there.
///
/// # Errors
/// When the budget is spent.
pub fn of_monitor(monitor: &Monitor<AtomId>, word: &Word, budget: &Budget) -> Result<Vec<Part>, OverBudget> {
    let mut claim = budget.claim(0, WHAT)?;
    let mut over = Ok(());
    let mut entries = 0;
    let mut parts: Vec<Part> =
        monitor.states.iter().map(|name| Part { formula: name.clone(), depth: 0, changes: Vec::new() }).collect();
    follow_monitor(monitor, word, budget, |read, states| {
        let Some(entry) = read.checked_sub(1) else { return };
        let mut states = states.iter().map(|s| s.index()).peekable();
        for (i, part) in parts.iter_mut().enumerate() {
            let value = Some(states.next_if_eq(&i).is_some());
            if part.changes.last().is_none_or(|(_, last)| *last != value) {
                part.changes.push((entry as u32, value));
                entries += 1;
            }
        }
        if over.is_ok() {
            over = claim.grow_to(entries * ENTRY, WHAT);
        }
    })?;
    over.map(|()| parts)
}

/// What an entry of [`Part::changes`] takes, with the room that a list keeps for more.
const ENTRY: u64 = 16;

/// Evaluates a formula and keeps what it learns about each part.
struct Recorder<'w> {
    word: &'w Word,
    /// How long its rows are.
    len: usize,
    budget: &'w Budget,
    claim: Claim,
    /// By part.
    changes: Vec<Vec<(u32, Kleene)>>,
    /// Entries of all of them.
    entries: u64,
    /// How deep it is inside of the formula.
    depth: u64,
    over: Option<OverBudget>,
}

impl<'w> Recorder<'w> {
    fn new(word: &'w Word, budget: &'w Budget) -> Result<Self, OverBudget> {
        let claim = budget.claim(0, WHAT)?;
        Ok(Self { word, len: word.len(), budget, claim, changes: Vec::new(), entries: 0, depth: 0, over: None })
    }

    fn ltl(&mut self, formula: &Ltl<AtomId>) -> Vec<bool> {
        let Some(place) = self.enter() else { return vec![false; self.word.len()] };
        let row = truth_from(formula, self.word, &mut |f| self.ltl(f));
        self.keep(place, row.iter().map(|&v| Some(v)));
        row
    }

    fn ctl(&mut self, formula: &Ctl<AtomId>, complete: bool) -> Vec<Kleene> {
        let Some(place) = self.enter() else { return vec![None; self.word.len()] };
        let row = path_truth_from(formula, self.word, complete, &mut |f| self.ctl(f, complete));
        self.keep(place, row.iter().copied());
        row
    }

    fn ltl_around(&mut self, formula: &Ltl<AtomId>, lasso: &Lasso<'_>) -> Result<Vec<bool>, OverBudget> {
        let Some(place) = self.enter() else { return Ok(vec![false; self.len]) };
        let row = lasso.ltl_from(formula, &mut |f| self.ltl_around(f, lasso))?;
        self.keep(place, lasso.once_around(&row).into_iter().map(Some));
        Ok(row)
    }

    fn ctl_around(&mut self, formula: &Ctl<AtomId>, lasso: &Lasso<'_>) -> Result<Vec<Kleene>, OverBudget> {
        let Some(place) = self.enter() else { return Ok(vec![None; self.len]) };
        let row = lasso.ctl_from(formula, &mut |f| self.ctl_around(f, lasso))?;
        self.keep(place, lasso.once_around(&row).into_iter());
        Ok(row)
    }

    /// A place for the next part; `None` when the budget is spent.
    fn enter(&mut self) -> Option<usize> {
        if self.over.is_some() {
            return None;
        }
        self.depth += 1;
        self.changes.push(Vec::new());
        let stepped = self.budget.step(0, WHAT).and_then(|()| self.claim());
        self.over = stepped.err();
        self.over.is_none().then(|| self.changes.len() - 1)
    }

    fn keep(&mut self, place: usize, row: impl Iterator<Item = Kleene>) {
        self.depth -= 1;
        // What is not wanted any more takes no room.
        if self.over.is_some() {
            return;
        }
        let changes = &mut self.changes[place];
        for (i, value) in row.enumerate() {
            if changes.last().is_none_or(|(_, last)| *last != value) {
                changes.push((i as u32, value));
            }
        }
        self.entries += changes.len() as u64;
        self.over = self.claim().err();
    }

    fn claim(&mut self) -> Result<(), OverBudget> {
        // On each level one operand waits for the next one; where it is, there are two more and what becomes of them.
        let rows = (self.depth + 3).saturating_mul(self.len as u64);
        self.claim.grow_to(rows.saturating_add(self.entries * ENTRY), WHAT)
    }

    /// The parts with their texts; `formula` has the shape of what was evaluated.
    fn named<F: Display>(mut self, formula: &F, operands: fn(&F) -> Vec<&F>) -> Result<Vec<Part>, OverBudget> {
        if let Some(over) = self.over {
            return Err(over);
        }
        let mut bytes = self.entries * ENTRY;
        let mut changes = self.changes.into_iter();
        let mut parts = Vec::new();
        let mut stack = vec![(formula, 0)];
        while let Some((formula, depth)) = stack.pop() {
            let text = formula.to_string();
            bytes += text.len() as u64;
            self.claim.grow_to(bytes, WHAT)?;
            parts.push(Part { formula: text, depth, changes: changes.next().unwrap_or_default() });
            stack.extend(operands(formula).into_iter().rev().map(|operand| (operand, depth + 1)));
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::eval::{Notes, word};
    use crate::{CtlBinary, CtlUnary, LtlBinary, LtlUnary, Path};
    use crate::{Formula, Property, View, bind_ctl, bind_ltl, bind_monitor, bind_psl, read_props};
    use posetta_base::Limit;
    use posetta_trace::{Builder, Trace};

    /// A run of one process whose events assign the values to x, one after another, from 0.
    fn run(values: &[i64]) -> Trace {
        let mut builder = Builder::new();
        let (p, x) = (builder.process("P").unwrap(), builder.variable("x").unwrap());
        for &value in values {
            builder.event(p, 1).unwrap();
            let value = builder.integer(value).unwrap();
            builder.assign(x, value).unwrap();
        }
        builder.finish(true, &Budget::unlimited()).unwrap()
    }

    /// `depth formula marks` for each part along the run.
    fn parts(property: &Property, trace: &Trace, budget: &Budget) -> Result<Vec<String>, OverBudget> {
        let notes = &mut Notes::default();
        let all = trace.linearisation();
        let (parts, len) = match &property.formula {
            Formula::Ltl(view, formula) => {
                let bound = bind_ltl(property, formula, trace, &[]).unwrap();
                let word = word(trace, &bound, all, *view, notes, budget)?;
                (of_ltl(formula, &bound.formula, &word, budget)?, word.len())
            }
            Formula::Ctl(formula) => {
                let bound = bind_ctl(property, formula, trace, &[]).unwrap();
                let word = word(trace, &bound, all, View::States, notes, budget)?;
                (of_ctl(formula, &bound.formula, &word, true, budget)?, word.len())
            }
            Formula::Psl(view, formula) => {
                let bound = bind_psl(property, formula, trace, &[]).unwrap();
                let word = word(trace, &bound, all, *view, notes, budget)?;
                (of_psl(formula, &bound.formula, &word, budget)?, word.len())
            }
            Formula::M2l(..) => unreachable!("its automaton is made in a room above"),
            Formula::Monitor(view, monitor) => {
                let bound = bind_monitor(property, monitor, trace, &[]).unwrap();
                let word = word(trace, &bound, all, *view, notes, budget)?;
                (of_monitor(&bound.formula, &word, budget)?, word.len())
            }
        };
        let line = |part: Part| {
            let mark = |i| match part.at(i) {
                Some(true) => 'T',
                Some(false) => '.',
                None => '?',
            };
            let marks: String = (0..len).map(mark).collect();
            let covered: usize = [Some(true), Some(false), None]
                .into_iter()
                .flat_map(|value| part.stretches(value, len))
                .map(|(first, last)| last - first + 1)
                .sum();
            assert_eq!(covered, len, "every entry is in one stretch: {part:?}");
            format!("{} {} {marks}", part.depth, part.formula)
        };
        Ok(parts.into_iter().map(line).collect())
    }

    #[test]
    fn parts_are_listed_with_where_they_hold() {
        let ltl = |text| Property::ltl(text).unwrap();
        let ctl = |text| Property::ctl(text).unwrap();
        let monitor = |text| read_props(text).unwrap().remove(0);
        for (property, expected) in [
            (
                ltl("G (x == 1 -> F (x == 3))"),
                vec![
                    "0 G (x == 1 -> F (x == 3)) TTTT",
                    "1 x == 1 -> F (x == 3) TTTT",
                    "2 x == 1 .T..",
                    "2 F (x == 3) TTTT",
                    "3 x == 3 ...T",
                ],
            ),
            (
                Property::ltl_over_events("(x < 2) U (x == 2)").unwrap(),
                vec!["0 (x < 2) U (x == 2) TT.", "1 x < 2 T..", "1 x == 2 .T."],
            ),
            (
                Property::psl_over(View::States, "always {x == 1; [*]} |=> eventually! {x == 3}").unwrap(),
                vec![
                    "0 always {x == 1; [*]} |=> eventually! {x == 3} TTTT",
                    "1 {x == 1; [*]} |=> eventually! {x == 3} TTTT",
                    "2 {x == 1; [*]}! .T..",
                    "2 eventually! {x == 3} TTTT",
                ],
            ),
            (ctl("EF (x == 2)"), vec!["0 EF (x == 2) TTT.", "1 x == 2 ..T."]),
            // One path shows that it could fail to come, not that it always comes.
            (ctl("AF (x == 2)"), vec!["0 AF (x == 2) ??T.", "1 x == 2 ..T."]),
            (
                monitor("monitor m over states { initial a; bad b; a -> b: x == 1; b -> a: x == 3 }"),
                vec!["0 a T..T", "0 b .TT."],
            ),
        ] {
            assert_eq!(parts(&property, &run(&[1, 2, 3]), &Budget::unlimited()).unwrap(), expected);
        }
    }

    #[test]
    fn no_position_no_value() {
        let property = Property::ltl_over_events("G (x == 1)").unwrap();
        assert_eq!(parts(&property, &run(&[]), &Budget::unlimited()).unwrap(), ["0 G (x == 1) ", "1 x == 1 "]);
    }

    #[test]
    fn memory_is_announced() {
        let trace = run(&[1; 10_000]);
        let nested = (0..40).fold("x == 1".to_owned(), |f, _| format!("F ({f})"));
        let property = Property::ltl(&nested).unwrap();
        let over = parts(&property, &trace, &Budget::with_memory(200_000)).unwrap_err();
        assert_eq!(over, OverBudget::new(WHAT, Limit::Memory));
        assert_eq!(parts(&property, &trace, &Budget::with_memory(20_000_000)).unwrap().len(), 41);
    }

    /// What an LTL formula says at a position of a word that goes round, by the definition of each operator: what lies ahead is looked at until
    /// everything has come round often enough, what lies behind from the start.
    fn by_definition(
        formula: &Ltl<AtomId>,
        at: usize,
        letter: &dyn Fn(AtomId, usize) -> bool,
        window: usize,
        known: &mut HashMap<(*const Ltl<AtomId>, usize), bool>,
    ) -> bool {
        if let Some(&known) = known.get(&(std::ptr::from_ref(formula), at)) {
            return known;
        }
        let mut holds = |f: &Ltl<AtomId>, at: usize| by_definition(f, at, letter, window, known);
        let (ahead, behind) = (at..at + window, 0..=at);
        let value = match formula {
            Ltl::True => true,
            Ltl::False => false,
            Ltl::Atom(a) => letter(*a, at),
            Ltl::Not(f) => !holds(f, at),
            Ltl::And(fs) => fs.iter().all(|f| holds(f, at)),
            Ltl::Or(fs) => fs.iter().any(|f| holds(f, at)),
            Ltl::Implies(f, g) => !holds(f, at) || holds(g, at),
            Ltl::Iff(f, g) => holds(f, at) == holds(g, at),
            Ltl::Unary(LtlUnary::Next | LtlUnary::WeakNext, f) => holds(f, at + 1),
            Ltl::Unary(LtlUnary::Yesterday, f) => at > 0 && holds(f, at - 1),
            Ltl::Unary(LtlUnary::Finally, f) => ahead.into_iter().any(|i| holds(f, i)),
            Ltl::Unary(LtlUnary::Globally, f) => ahead.into_iter().all(|i| holds(f, i)),
            Ltl::Unary(LtlUnary::Once, f) => behind.into_iter().any(|i| holds(f, i)),
            Ltl::Unary(LtlUnary::Historically, f) => behind.into_iter().all(|i| holds(f, i)),
            Ltl::Binary(LtlBinary::Since, f, g) => {
                behind.into_iter().any(|i| holds(g, i) && (i + 1..=at).all(|j| holds(f, j)))
            }
            Ltl::Binary(op, f, g) => {
                let strong = |hold: &mut dyn FnMut(usize) -> (bool, bool)| {
                    ahead.clone().any(|i| hold(i).1 && (at..i).all(|j| hold(j).0))
                };
                match op {
                    LtlBinary::Until => strong(&mut |i| (holds(f, i), holds(g, i))),
                    LtlBinary::WeakUntil => {
                        strong(&mut |i| (holds(f, i), holds(g, i))) || ahead.clone().all(|i| holds(f, i))
                    }
                    // g up to and with a position at which f holds, too.
                    LtlBinary::StrongRelease => strong(&mut |i| (holds(g, i), holds(f, i) && holds(g, i))),
                    _ => {
                        strong(&mut |i| (holds(g, i), holds(f, i) && holds(g, i))) || ahead.clone().all(|i| holds(g, i))
                    }
                }
            }
        };
        known.insert((std::ptr::from_ref(formula), at), value);
        value
    }

    fn random_ltl(random: &mut fastrand::Rng, depth: u32, future: bool) -> Ltl<AtomId> {
        if depth == 0 {
            return Ltl::Atom(AtomId(random.u32(..3)));
        }
        let mut inside = || {
            let depth = random.u32(..depth);
            Box::new(random_ltl(random, depth, future))
        };
        let (f, g) = (inside(), inside());
        match random.u8(..if future { 13 } else { 17 }) {
            0 => Ltl::Not(f),
            1 => Ltl::And(vec![*f, *g]),
            2 => Ltl::Or(vec![*f, *g]),
            3 => Ltl::Implies(f, g),
            4 => Ltl::Iff(f, g),
            5 => Ltl::Unary(LtlUnary::Next, f),
            6 => Ltl::Unary(LtlUnary::WeakNext, f),
            7 => Ltl::Unary(LtlUnary::Finally, f),
            8 => Ltl::Unary(LtlUnary::Globally, f),
            9 => Ltl::Binary(LtlBinary::Until, f, g),
            10 => Ltl::Binary(LtlBinary::WeakUntil, f, g),
            11 => Ltl::Binary(LtlBinary::Release, f, g),
            12 => Ltl::Binary(LtlBinary::StrongRelease, f, g),
            13 => Ltl::Unary(LtlUnary::Yesterday, f),
            14 => Ltl::Unary(LtlUnary::Once, f),
            15 => Ltl::Unary(LtlUnary::Historically, f),
            _ => Ltl::Binary(LtlBinary::Since, f, g),
        }
    }

    fn random_lasso(random: &mut fastrand::Rng) -> (Word, usize, usize) {
        let len = random.usize(1..6);
        let rows = (0..3).map(|_| (0..len).map(|_| random.bool()).collect()).collect();
        (Word::from_rows(rows, len), len, random.usize(..len))
    }

    /// A formula with names for its atoms.
    fn named(formula: &Ltl<AtomId>) -> Ltl {
        let names = ["a", "b", "c"].map(|name| crate::parse_ltl(name).unwrap());
        formula.substitute(&mut |atom| names[atom.0 as usize].clone())
    }

    #[test]
    fn parts_of_linear_formulas_on_words_that_go_round() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..3_000 {
            let (word, len, cycle) = random_lasso(&mut random);
            let formula = random_ltl(&mut random, 3, false);
            let found = of_ltl_on_lasso(&named(&formula), &formula, &word, cycle, &Budget::unlimited()).unwrap();
            let letter = |atom: AtomId, at: usize| {
                word.row(atom)[if at < len { at } else { cycle + (at - cycle) % (len - cycle) }]
            };
            let mut known = HashMap::new();
            // Parts come each before its own, from left to right.
            let mut all = vec![&formula];
            for part in found {
                let own = all.pop().unwrap();
                for at in 0..=len {
                    let expected = by_definition(own, at, &letter, 6 * len, &mut known);
                    assert_eq!(part.at(at), Some(expected), "{} at {at} of {word:?}, back to {cycle}", part.formula);
                }
                all.extend(own.operands().into_iter().rev());
            }
            assert!(all.is_empty());
        }
    }

    #[test]
    fn sequences_on_words_that_go_round_say_what_they_say_of_the_rest_of_the_word() {
        let mut random = fastrand::Rng::with_seed(4);
        let texts = [
            "always {a; b[*]; c} |=> eventually! {a}",
            "({a; b} || next! c) until! {c; a[+]}!",
            "never {a; c} abort b",
        ];
        for round in 0..600 {
            let (word, len, cycle) = random_lasso(&mut random);
            let written = crate::parse_psl(texts[round % 3]).unwrap();
            let names = ["a", "b", "c"];
            let bound = written
                .map_atoms(&mut |atom| AtomId(names.iter().position(|name| atom.to_string() == *name).unwrap() as u32));
            let found = of_psl_on_lasso(&written, &bound, &word, cycle, &Budget::unlimited()).unwrap();
            for at in 0..=len {
                let from = if at < len { at } else { cycle };
                let (places, back): (Vec<usize>, usize) = match from <= cycle {
                    true => ((from..len).collect(), cycle - from),
                    false => ((from..len).chain(cycle..from).collect(), 0),
                };
                let rows = (0..3).map(|a| places.iter().map(|&i| word.row(AtomId(a))[i]).collect()).collect();
                let rest = Word::from_rows(rows, places.len());
                let expected = crate::eval::psl_on_lasso(&bound, &rest, back, &Budget::unlimited()).unwrap();
                assert_eq!(found[0].at(at), Some(expected), "{written} at {at} of {word:?}, back to {cycle}");
            }
        }
    }

    /// The branching formula that puts a quantifier before each temporal operator; negations stand before atoms.
    fn quantified(formula: &Ltl<AtomId>, path: Path) -> Option<Ctl<AtomId>> {
        let of = |f: &Ltl<AtomId>| quantified(f, path).map(Box::new);
        Some(match formula {
            Ltl::Atom(a) => Ctl::Atom(*a),
            Ltl::And(fs) => Ctl::And(fs.iter().map(|f| quantified(f, path)).collect::<Option<_>>()?),
            Ltl::Or(fs) => Ctl::Or(fs.iter().map(|f| quantified(f, path)).collect::<Option<_>>()?),
            Ltl::Not(f) if matches!(**f, Ltl::Atom(_)) => Ctl::Not(of(f)?),
            Ltl::Unary(LtlUnary::Next, f) => Ctl::Unary(path, CtlUnary::Next, of(f)?),
            Ltl::Unary(LtlUnary::Finally, f) => Ctl::Unary(path, CtlUnary::Finally, of(f)?),
            Ltl::Unary(LtlUnary::Globally, f) => Ctl::Unary(path, CtlUnary::Globally, of(f)?),
            Ltl::Binary(LtlBinary::Until, f, g) => Ctl::Binary(path, CtlBinary::Until, of(f)?, of(g)?),
            Ltl::Binary(LtlBinary::WeakUntil, f, g) => Ctl::Binary(path, CtlBinary::WeakUntil, of(f)?, of(g)?),
            Ltl::Binary(LtlBinary::Release, f, g) => Ctl::Binary(path, CtlBinary::Release, of(f)?, of(g)?),
            _ => return None,
        })
    }

    #[test]
    fn a_path_that_goes_round_proves_what_is_so_along_it() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut compared = 0;
        while compared < 1_500 {
            let (word, len, cycle) = random_lasso(&mut random);
            let formula = random_ltl(&mut random, 3, true);
            let along = of_ltl_on_lasso(&named(&formula), &formula, &word, cycle, &Budget::unlimited()).unwrap();
            for (path, proved) in [(Path::Some, true), (Path::All, false)] {
                let Some(branching) = quantified(&formula, path) else { continue };
                let name = crate::parse_ctl("a").unwrap();
                let Ctl::Atom(name) = name else { unreachable!("it is one") };
                let names = branching.map_atoms(&mut |_| name.clone());
                let found = of_ctl_on_lasso(&names, &branching, &word, cycle, &Budget::unlimited()).unwrap();
                for at in 0..=len {
                    let is_so = along[0].at(at) == Some(proved);
                    assert_eq!(found[0].at(at) == Some(proved), is_so, "{branching:?} at {at} of {word:?} to {cycle}");
                }
                compared += 1;
            }
        }
    }
}
