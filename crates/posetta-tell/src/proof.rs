//! The proof of a CTL answer: a tree for people where one path does not tell it, and all of it for programs.
//!
//! A line of the tree is a subformula, its value, the cut at which it has it, and what shows that. Nothing here refers to
//! a trace any more: events are their labels.

use posetta_base::EventId;
use posetta_check::{Proof, Why};
use posetta_trace::Trace;
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};

/// So many events of a path are named.
const NAMED: usize = 4;
/// So many lines are shown; `--json` has all of them.
const LINES: usize = 40;

/// One line of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How deep it is nested; 0 is the property.
    pub depth: usize,
    /// The part of the property.
    pub formula: String,
    /// Whether it holds there.
    pub holds: bool,
    /// At which cut.
    pub at: String,
    /// What shows it.
    pub how: String,
}

/// A proof that branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The lines, from the property inwards.
    pub lines: Vec<Line>,
    /// How many lines are left out.
    pub more: usize,
}

impl Tree {
    /// The tree, if it says more than its path does: that is made of several, one after another or side by side, or it leads to
    /// something that no path shows.
    #[must_use]
    pub fn new(trace: &Trace, proof: &Proof) -> Option<Self> {
        let leads_further = has(proof, &is_path) && has(proof, &|p| p.why == Why::EveryPath);
        if paths(proof) < 2 && !branches(proof) && !leads_further && !names_a_part(proof) {
            return None;
        }
        let mut tree = Self { lines: Vec::new(), more: 0 };
        tree.add(trace, proof, 0, None, 0);
        Some(tree)
    }

    /// `last` is the event before the cut, the `taken`-th on its path.
    fn add(&mut self, trace: &Trace, proof: &Proof, depth: usize, last: Option<EventId>, taken: usize) {
        if self.lines.len() == LINES {
            self.more += size(proof);
            return;
        }
        let at = match last {
            None => "at the start".to_owned(),
            Some(event) => format!("after {} ({})", trace.label(event), counted(taken as u64, "event", "events")),
        };
        let how = match &proof.why {
            Why::State => "here".to_owned(),
            Why::Operands(parts) if parts.len() == 1 => "by this part".to_owned(),
            Why::Operands(_) => "by these parts".to_owned(),
            Why::Path { events, along, end } => path(trace, events, along.as_ref(), end.is_some()),
            Why::EveryPath => "every path from here: examined".to_owned(),
        };
        self.lines.push(Line { depth, formula: proof.formula.clone(), holds: proof.holds, at, how });
        match &proof.why {
            Why::State | Why::EveryPath => {}
            Why::Operands(parts) => parts.iter().for_each(|part| self.add(trace, part, depth + 1, last, taken)),
            Why::Path { events, end, .. } => {
                if let Some(end) = end {
                    self.add(trace, end, depth + 1, events.last().copied().or(last), taken + events.len());
                }
            }
        }
    }
}

/// Where the main branch of a proof comes to something, as places in its path: 0 is before the first event. And what that is,
/// beside the state there.
#[must_use]
pub fn milestones(proof: &Proof) -> Vec<(usize, Option<String>)> {
    let mut found: Vec<(usize, Option<String>)> = Vec::new();
    let (mut taken, mut has_moved) = (0, false);
    for node in proof.main_branch() {
        let value = || format!("{} is {}", node.formula, node.holds);
        match &node.why {
            Why::State => found.push((taken, None)),
            Why::EveryPath => found.push((taken, Some(format!("{}, whatever follows", value())))),
            Why::Operands(_) => {}
            Why::Path { events, along, end } => {
                // Where a path begins that another one led to.
                if has_moved {
                    found.push((taken, Some(value())));
                }
                has_moved = true;
                taken += events.len();
                if let (Some((formula, value)), None) = (along, end) {
                    found.push((taken, Some(format!("{formula} was {value} all the way"))));
                }
            }
        }
    }
    // At one place what was said first says most.
    found.dedup_by_key(|(place, _)| *place);
    found
}

/// Whether the main branch ends with a path whose whole length is the point.
#[must_use]
pub fn goes_to_the_end(proof: &Proof) -> bool {
    matches!(proof.main_branch().last().map(|node| &node.why), Some(Why::Path { end: None, .. }))
}

/// `on the path A.1, B.3 (+1,204 more)`, and what it keeps.
fn path(trace: &Trace, events: &[EventId], along: Option<&(String, bool)>, reaches: bool) -> String {
    let mut text = if events.is_empty() {
        if reaches { "here".to_owned() } else { "here, where the run ends".to_owned() }
    } else {
        let named: Vec<String> = events.iter().take(NAMED).map(|&e| trace.label(e)).collect();
        let more = match events.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" (+{} more)", grouped(more as u64)),
        };
        format!("on the path {}{more}{}", named.join(", "), if reaches { "" } else { ", to the end" })
    };
    if let Some((formula, value)) = along.filter(|_| !events.is_empty()) {
        text.push_str(&format!(", with {formula} {value} on it"));
    }
    text
}

fn is_path(proof: &Proof) -> bool {
    matches!(proof.why, Why::Path { .. })
}

/// What a node is shown by.
fn parts(proof: &Proof) -> Vec<&Proof> {
    match &proof.why {
        Why::State | Why::EveryPath => Vec::new(),
        Why::Operands(parts) => parts.iter().collect(),
        Why::Path { end, .. } => end.as_deref().into_iter().collect(),
    }
}

fn size(proof: &Proof) -> usize {
    1 + parts(proof).into_iter().map(size).sum::<usize>()
}

/// Whether some node of it is so.
fn has(proof: &Proof, so: &impl Fn(&Proof) -> bool) -> bool {
    so(proof) || parts(proof).into_iter().any(|part| has(part, so))
}

/// Of how many paths it is made. One without a step is none.
fn paths(proof: &Proof) -> usize {
    let own = matches!(&proof.why, Why::Path { events, .. } if !events.is_empty());
    usize::from(own) + parts(proof).into_iter().map(paths).sum::<usize>()
}

/// Whether one part of several decides, and no path shows that: which one has to be said.
fn names_a_part(proof: &Proof) -> bool {
    let is_negated = |part: &Proof| proof.formula.strip_prefix('!').is_some_and(|rest| rest == part.formula);
    match &proof.why {
        Why::Operands(parts) => match parts.as_slice() {
            [part] if is_negated(part) => names_a_part(part),
            [part] => has(part, &|p| p.why == Why::EveryPath),
            _ => false,
        },
        _ => false,
    }
}

/// Whether it shows several things that take paths at one cut.
fn branches(proof: &Proof) -> bool {
    let is_temporal = |part: &&&Proof| has(part, &|p| is_path(p) || p.why == Why::EveryPath);
    let parts = parts(proof);
    parts.iter().filter(is_temporal).count() > 1 || parts.into_iter().any(branches)
}

/// All of it, for programs.
#[must_use]
pub fn to_json(trace: &Trace, proof: &Proof) -> Value {
    let mut node = json!({ "formula": proof.formula, "holds": proof.holds });
    let mut set = |name: &str, value: Value| node[name] = value;
    match &proof.why {
        Why::State => set("because", "state".into()),
        Why::Operands(parts) => {
            set("because", "operands".into());
            set("operands", parts.iter().map(|part| to_json(trace, part)).collect());
        }
        Why::Path { events, along, end } => {
            set("because", "path".into());
            set("events", events.iter().map(|&e| Value::from(trace.label(e))).collect());
            set("along", along.as_ref().map(|(f, holds)| json!({ "formula": f, "holds": holds })).into());
            set("end", end.as_deref().map(|end| to_json(trace, end)).into());
        }
        Why::EveryPath => set("because", "every path".into()),
    }
    node
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use posetta_base::Budget;

    /// A goes on by itself for a while.
    pub const RUN: &str = "A: x=1 -> x=2 -> x=3 -> x=4 -> x=5 -> x=6\nB: y=1 -> z=0\n";

    fn node(formula: &str, holds: bool, why: Why) -> Proof {
        Proof::new(formula, holds, why)
    }

    fn state(formula: &str, holds: bool) -> Proof {
        node(formula, holds, Why::State)
    }

    fn path(trace: &Trace, events: &str, along: Option<(&str, bool)>, end: Option<Proof>) -> Why {
        let events = events.split_whitespace().map(|label| trace.find_event(label).unwrap()).collect();
        Why::Path { events, along: along.map(|(text, value)| (text.to_owned(), value)), end: end.map(Box::new) }
    }

    /// A path to a cut where two things are shown.
    pub fn branching(trace: &Trace) -> Proof {
        let inner = Why::Operands(vec![
            node("EG (x < 2)", false, Why::EveryPath),
            node("AF (z == 1)", false, path(trace, "A.2 A.3 A.4 A.5 A.6 B.2", Some(("z == 1", false)), None)),
        ]);
        let both = Why::Operands(vec![state("y == 0", false), node("EG (x < 2) && AF (z == 1)", false, inner)]);
        let end = node("y == 0 || EG (x < 2) && AF (z == 1)", false, both);
        node("AG (y == 0 || EG (x < 2) && AF (z == 1))", false, path(trace, "A.1 B.1", None, Some(end)))
    }

    #[test]
    fn one_path_is_told_by_itself() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let reached = |end: Proof| path(&trace, "A.1", None, Some(end));
        let every = |formula: &str| node(formula, false, Why::EveryPath);
        for (has_tree, proof) in [
            (false, state("x == 0", true)),
            (false, node("EF (x == 1)", true, reached(state("x == 1", true)))),
            (false, every("EF (x == 9)")),
            (false, node("!EF (x == 9)", true, Why::Operands(vec![every("EF (x == 9)")]))),
            (true, {
                let parts = vec![
                    state("x == 1", true),
                    node("EX (y == 1)", true, path(&trace, "B.1", None, Some(state("y == 1", true)))),
                ];
                node(
                    "EF (x == 1 && EX (y == 1))",
                    true,
                    reached(node("x == 1 && EX (y == 1)", true, Why::Operands(parts))),
                )
            }),
            (true, node("AG EF (x == 1)", false, reached(every("EF (x == 1)")))),
            (true, node("AG p && AG q", true, Why::Operands(vec![every("AG p"), every("AG q")]))),
            (true, branching(&trace)),
        ] {
            assert_eq!(Tree::new(&trace, &proof).is_some(), has_tree, "{proof:?}");
        }
    }

    #[test]
    fn programs_get_all_of_it() {
        let trace = posetta_formats::text::read(RUN.as_bytes(), &Budget::unlimited()).unwrap();
        let expected = json!({
            "formula": "AG (y == 0 || EG (x < 2) && AF (z == 1))",
            "holds": false,
            "because": "path",
            "events": ["A.1", "B.1"],
            "along": null,
            "end": {
                "formula": "y == 0 || EG (x < 2) && AF (z == 1)",
                "holds": false,
                "because": "operands",
                "operands": [
                    { "formula": "y == 0", "holds": false, "because": "state" },
                    {
                        "formula": "EG (x < 2) && AF (z == 1)",
                        "holds": false,
                        "because": "operands",
                        "operands": [
                            { "formula": "EG (x < 2)", "holds": false, "because": "every path" },
                            {
                                "formula": "AF (z == 1)",
                                "holds": false,
                                "because": "path",
                                "events": ["A.2", "A.3", "A.4", "A.5", "A.6", "B.2"],
                                "along": { "formula": "z == 1", "holds": false },
                                "end": null,
                            },
                        ],
                    },
                ],
            },
        });
        assert_eq!(to_json(&trace, &branching(&trace)), expected);
    }
}
