//! Whether every way on from a state is bad, or none is.
//!
//! A node is a set of states in which the automaton may be, and a memory: what letters may follow. Single states are such sets.
//! Doomed are the nodes that accept and lead to doomed ones only (a greatest fixpoint), saved those from which no accepting
//! one can be reached.

use rustc_hash::FxHashMap;

use super::table::Table;
use super::{Prospect, steps_after};
use posetta_automata::StateId;
use posetta_base::{Budget, LetterId, OverBudget};
use posetta_logic::{Letters, Memory, View};

const WHAT: &str = "finding out what can become of a run";

/// With more nodes or steps between them the prospects are not found.
const MOST_NODES: usize = 1 << 16;
const MOST_EDGES: usize = 1 << 21;

/// The prospects of single states.
pub(super) struct Prospects {
    memories: usize,
    /// For each state and memory.
    of: Vec<Prospect>,
    /// Every set of states that is doomed has a doomed member.
    pub(super) exact: bool,
    /// Some word is certain not to become bad.
    pub(super) some_saved: bool,
}

type Node = u32;

/// The empty set, whatever the memory.
const NOWHERE: Node = 0;

struct Graph<'a> {
    table: &'a Table,
    letters: &'a Letters,
    nodes: Vec<(Box<[StateId]>, Memory)>,
    ids: FxHashMap<(Box<[StateId]>, Memory), Node>,
    steps: FxHashMap<Memory, Vec<(LetterId, Memory)>>,
    edges: Vec<Vec<Node>>,
}

impl Graph<'_> {
    fn node(&mut self, set: Box<[StateId]>, memory: Memory) -> Node {
        if set.is_empty() {
            return NOWHERE;
        }
        let fresh = self.nodes.len() as Node;
        *self.ids.entry((set, memory)).or_insert_with_key(|key| {
            self.nodes.push(key.clone());
            fresh
        })
    }

    /// Follows everything. Answers whether it was not too much.
    fn grow(&mut self, budget: &Budget) -> Result<bool, OverBudget> {
        let mut claim = budget.claim(0, WHAT)?;
        let (mut edges, mut bytes) = (0, 0);
        while let Some((set, memory)) = self.nodes.get(self.edges.len()).cloned() {
            let letters = self.letters;
            let steps = self.steps.entry(memory).or_insert_with(|| steps_after(letters, Some(memory))).clone();
            let mut out: Vec<Node> = Vec::new();
            for (letter, after) in steps {
                let next = self.table.union(&set, letter);
                out.push(self.node(next, after));
            }
            out.sort_unstable();
            out.dedup();
            edges += out.len();
            bytes += 100 + 8 * set.len() as u64 + 4 * out.len() as u64;
            budget.step(0, WHAT)?;
            claim.grow_to(2 * bytes, WHAT)?;
            self.edges.push(out);
            if self.nodes.len() > MOST_NODES || edges > MOST_EDGES {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Prospects {
    /// `None` if there is too much to look at.
    pub(super) fn new(table: &Table, letters: &Letters, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let memories = letters.memories();
        let mut graph = Graph {
            table,
            letters,
            nodes: vec![(Box::new([]), Memory(0))],
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            edges: vec![Vec::new()],
        };
        // Where a run can be after what was not chosen: its initial state.
        let starts: Vec<Node> = match letters.view() {
            View::Events => (0..memories as u32).map(|m| graph.node([table.start].into(), Memory(m))).collect(),
            View::States => steps_after(letters, None)
                .into_iter()
                .map(|(letter, memory)| graph.node(table.union(&[table.start], letter), memory))
                .collect(),
        };
        if !graph.grow(budget)? {
            return Ok(None);
        }
        let runs = graph.nodes.len();
        // Single states, wherever a run may have one of them among others.
        let mut singles: Vec<(StateId, Memory, Node)> = Vec::new();
        for i in 1..runs {
            let (set, memory) = graph.nodes[i].clone();
            for &state in &set {
                singles.push((state, memory, graph.node([state].into(), memory)));
            }
        }
        if !graph.grow(budget)? {
            return Ok(None);
        }
        let accepts: Vec<bool> = graph.nodes.iter().map(|(set, _)| set.iter().any(|&s| table.accepts(s))).collect();
        let mut before: Vec<Vec<Node>> = vec![Vec::new(); graph.nodes.len()];
        for (node, out) in graph.edges.iter().enumerate() {
            out.iter().for_each(|&to| before[to as usize].push(node as Node));
        }
        let spread = |marked: &mut Vec<bool>| {
            let mut open: Vec<Node> = (0..marked.len() as Node).filter(|&n| marked[n as usize]).collect();
            while let Some(node) = open.pop() {
                for &b in &before[node as usize] {
                    if !std::mem::replace(&mut marked[b as usize], true) {
                        open.push(b);
                    }
                }
            }
        };
        let mut may_be_bad = accepts.clone();
        spread(&mut may_be_bad);
        let mut may_be_good: Vec<bool> = accepts.iter().map(|a| !a).collect();
        spread(&mut may_be_good);
        let prospect = |node: Node| match (may_be_good[node as usize], may_be_bad[node as usize]) {
            (false, _) => Prospect::Violated,
            (_, false) => Prospect::Holds,
            _ => Prospect::Open,
        };
        let mut prospects = Self {
            memories,
            of: vec![Prospect::Open; table.len() * memories],
            exact: true,
            // A run whose states are all gone, or saved together.
            some_saved: starts.contains(&NOWHERE)
                || (1..runs as Node)
                    .any(|n| prospect(n) == Prospect::Holds || graph.edges[n as usize].contains(&NOWHERE)),
        };
        for (state, memory, node) in singles {
            prospects.of[state.0 as usize * memories + memory.0 as usize] = prospect(node);
        }
        prospects.exact = (1..runs as Node).filter(|&n| prospect(n) == Prospect::Violated).all(|n| {
            let (set, memory) = &graph.nodes[n as usize];
            set.iter().any(|&s| prospects.of(s, *memory) == Prospect::Violated)
        });
        Ok(Some(prospects))
    }

    pub(super) fn of(&self, state: StateId, memory: Memory) -> Prospect {
        self.of[state.0 as usize * self.memories + memory.0 as usize]
    }
}
