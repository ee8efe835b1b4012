//! Every part of a property along one word: where it is true, and for CTL what the path proves.
//!
//! A [`Part`] keeps where its truth changes, not its truth at each position: along a million positions most parts change a few
//! times. Parts are listed as a reader meets them, the property first, each before its own parts; a part that occurs twice is
//! listed twice. The states of a monitor are listed as if they were parts.

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
pub fn of_ltl(formula: &Ltl, bound: &Ltl<AtomId>, word: &Word, budget: &Budget) -> Result<Vec<Part>, OverBudget> {
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
pub fn of_psl(formula: &Psl, bound: &Psl<AtomId>, word: &Word, budget: &Budget) -> Result<Vec<Part>, OverBudget> {
    let mut claim = budget.claim(0, WHAT)?;
    let mut bytes = 0;
    let mut parts = Vec::new();
    let mut stack: Vec<(PslPart<'_, Atom>, PslPart<'_, AtomId>, usize)> =
        vec![(PslPart::Formula(formula), PslPart::Formula(bound), 0)];
    while let Some((written, bound, depth)) = stack.pop() {
        let row = match bound {
            PslPart::Formula(f) => psl_truth(f, word, budget)?,
            PslPart::Sere(r) => psl_truth(&Psl::Sere { sere: r.clone(), strong: true }, word, budget)?,
        };
        let mut changes: Vec<(u32, Kleene)> = Vec::new();
        for (i, value) in row.into_iter().take(word.len()).map(Some).enumerate() {
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
#[derive(Clone, Copy)]
enum PslPart<'f, A> {
    Formula(&'f Psl<A>),
    Sere(&'f Sere<A>),
}

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
pub fn of_ctl(
    formula: &Ctl,
    bound: &Ctl<AtomId>,
    word: &Word,
    complete: bool,
    budget: &Budget,
) -> Result<Vec<Part>, OverBudget> {
    let mut recorder = Recorder::new(word, budget)?;
    recorder.ctl(bound, complete);
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
        Ok(Self { word, budget, claim, changes: Vec::new(), entries: 0, depth: 0, over: None })
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
        let rows = (self.depth + 3).saturating_mul(self.word.len() as u64);
        self.claim.grow_to(rows.saturating_add(self.entries * ENTRY), WHAT)
    }

    /// The parts with their texts; `formula` has the shape of what was evaluated.
    fn named<F: std::fmt::Display>(
        mut self,
        formula: &F,
        operands: fn(&F) -> Vec<&F>,
    ) -> Result<Vec<Part>, OverBudget> {
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
    use super::*;
    use crate::eval::{Notes, word};
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
}
