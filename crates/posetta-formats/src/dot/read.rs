//! From a graph to a run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::BufRead;

use rustc_hash::FxHashMap;

use super::OWN;
use super::parse::{Graph, Node, Parser, Stop, get};
use crate::facts;
use crate::lines::{Mistake, READING};
use crate::whole::{diagnose, whole};
use posetta_base::{Budget, Diagnostic, Error, Symbol};
use posetta_trace::{Builder, Trace};

/// Reads a run.
///
/// # Errors
/// With the first mistake in the language, else every mistake found, or when the budget is spent.
pub fn read(reader: impl BufRead, budget: &Budget) -> Result<Trace, Error> {
    let (text, _claim) = whole(reader, budget)?;
    let graph = match Parser::graph(&text, budget) {
        Ok(graph) => graph,
        Err(Stop::Error(failure)) => return Err(failure),
        Err(Stop::Mistake(mistake)) => return Err(diagnose(&text, *mistake).into()),
    };
    build(&text, &graph, budget)
}

fn build(text: &str, graph: &Graph, budget: &Budget) -> Result<Trace, Error> {
    let own = get(&graph.attributes, OWN).is_some();
    let mut builder = Builder::new();
    if let Some(initial) = get(&graph.attributes, "initial").filter(|_| own) {
        facts::read_initial(&mut builder, initial)
            .map_err(|mistake| diagnose(text, Mistake { span: 0..0, ..*mistake }))?;
    }
    if own {
        // Processes without events are kept, and all in their order.
        for cluster in &graph.clusters {
            builder.process(&cluster_process(
                &cluster.name,
                get(&cluster.attributes, "process"),
                get(&cluster.attributes, "label"),
            ))?;
        }
    }
    let mut claim = budget.claim(0, READING)?;
    let mut lines = Lines { text, at: 0, line: 1 };
    let starts: Vec<u64> = graph.nodes.iter().map(|node| lines.of(node.at)).collect();
    let order = order(graph, budget)?;
    let mut events = vec![None; graph.nodes.len()];
    for (i, &at) in order.iter().enumerate() {
        if i % 1024 == 0 {
            budget.step(0, READING)?;
            claim.grow_to(builder.weight() + 24 * graph.nodes.len() as u64, READING)?;
        }
        let node = &graph.nodes[at as usize];
        let id = graph.ids.resolve(Symbol::from_raw(at));
        let name = process_of(graph, node, id);
        if name.is_empty() {
            let mistake = Mistake::syntax(node.at..node.at + 1, "a process without a name").label("expected a name");
            return Err(diagnose(text, *mistake).into());
        }
        let process = builder.process(&name)?;
        let event = builder.event(process, starts[at as usize])?;
        events[at as usize] = Some(event);
        describe(&mut builder, node, id, &name, own)
            .map_err(|mistake| diagnose(text, Mistake { span: node.at..node.at + id.len().max(1), ..*mistake }))?;
    }
    for &(tail, head) in &graph.edges {
        if let (Some(tail), Some(head)) = (events[tail as usize], events[head as usize]) {
            builder.link_events(tail, head);
        }
    }
    drop(claim);
    builder.finish(false, budget)
}

/// Counts lines up to places that mostly rise.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, at: usize) -> u64 {
        if at >= self.at {
            self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count() as u64;
            self.at = at;
        }
        self.line
    }
}

fn cluster_process(name: &str, process: Option<&str>, label: Option<&str>) -> String {
    let id = name.trim_start_matches("cluster").trim_start_matches('_');
    let id = if id.is_empty() { name } else { id };
    match process {
        Some(process) => unquoted(process),
        None => label.filter(|l| !l.is_empty()).unwrap_or(id).to_owned(),
    }
}

/// A value that our writer put in quotes because of what is in it.
fn unquoted(value: &str) -> String {
    if !value.starts_with('"') {
        return value.to_owned();
    }
    let mut cursor = crate::json::Cursor::new(value);
    match cursor.string("an attribute", "a string") {
        Ok(quoted) if cursor.peek().is_none() => quoted.text(value).into_owned(),
        _ => value.to_owned(),
    }
}

fn process_of(graph: &Graph, node: &Node, id: &str) -> String {
    if let Some(process) = get(&node.attributes, "process") {
        return unquoted(process);
    }
    match node.cluster.map(|c| &graph.clusters[c]) {
        Some(cluster) => {
            cluster_process(&cluster.name, get(&cluster.attributes, "process"), get(&cluster.attributes, "label"))
        }
        // A node that is nowhere is by itself.
        None => id.to_owned(),
    }
}

/// What the graph says about the last event.
fn describe(builder: &mut Builder, node: &Node, id: &str, process: &str, own: bool) -> Result<(), Box<Mistake>> {
    let refused = |d: Box<Diagnostic>| {
        let mistake = Mistake::new(d.kind, 0..0, d.message);
        match d.label {
            Some(label) => mistake.label(label),
            None => mistake,
        }
    };
    if !own {
        let label = get(&node.attributes, "label").map(|label| shown(label, id)).filter(|l| !l.is_empty());
        let name = label.unwrap_or_else(|| id.to_owned());
        if !name.is_empty() {
            builder.name(&name).map_err(refused)?;
        }
        let is_default = id.strip_prefix(process).and_then(|rest| rest.strip_prefix('.'))
            == Some(builder.last_position().to_string().as_str());
        if !is_default {
            builder.id(id, 1).map_err(refused)?;
        }
    }
    match get(&node.attributes, OWN) {
        Some(text) => facts::read(builder, text),
        None => Ok(()),
    }
}

/// A label as one line, without the escapes that place its parts.
fn shown(label: &str, id: &str) -> String {
    let mut out = String::new();
    let mut chars = label.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'l' | 'r') => out.push(' '),
                Some('N') => out.push_str(id),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

/// The nodes in an order that respects the arrows and has the nodes of each process as they stand in the file. If the two
/// contradict each other, in one that respects the arrows, by first mention where these leave it open; if the arrows
/// contradict themselves, as they stand: the run is then refused with the cycle.
fn order(graph: &Graph, budget: &Budget) -> Result<Vec<u32>, Error> {
    let n = graph.nodes.len();
    let _claim = budget.claim((n * 96 + graph.edges.len() * 16) as u64, READING)?;
    let mut last_of: FxHashMap<String, u32> = FxHashMap::default();
    let mut chains = Vec::new();
    for (at, node) in (0u32..).zip(&graph.nodes) {
        let process = process_of(graph, node, graph.ids.resolve(Symbol::from_raw(at)));
        if let Some(before) = last_of.insert(process, at) {
            chains.push((before, at));
        }
    }
    let as_written = sorted(n, graph.edges.iter().chain(&chains), budget)?;
    let by_arrows = if as_written.is_none() { sorted(n, graph.edges.iter(), budget)? } else { None };
    Ok(as_written.or(by_arrows).unwrap_or_else(|| (0..n as u32).collect()))
}

/// The nodes in an order that respects the edges, the smallest first; `None` if there is a cycle.
fn sorted<'a>(
    n: usize,
    edges: impl Iterator<Item = &'a (u32, u32)>,
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Error> {
    let mut missing = vec![0u32; n];
    let mut heads: Vec<Vec<u32>> = vec![Vec::new(); n];
    for &(tail, head) in edges {
        missing[head as usize] += 1;
        heads[tail as usize].push(head);
    }
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..n as u32).filter(|&i| missing[i as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(node)) = ready.pop() {
        if order.len() % 1024 == 0 {
            budget.step(0, READING)?;
        }
        order.push(node);
        for &head in &heads[node as usize] {
            missing[head as usize] -= 1;
            if missing[head as usize] == 0 {
                ready.push(Reverse(head));
            }
        }
    }
    Ok((order.len() == n).then_some(order))
}
