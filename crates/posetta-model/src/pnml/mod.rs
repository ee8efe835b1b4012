//! PNML (ISO/IEC 15909-2): place/transition nets as one component of a system.
//!
//! Ids are names, because formulas speak of nets by them. Pages only group nodes; a reference node is the node that it stands for. Several arcs
//! between two nodes are one with the sum of their weights. What a tool adds for itself is passed over, but for the units of nested-unit nets
//! ([`nupn`]). What would change the meaning of the net, such as inhibitor arcs or capacities, is refused.
//!
//! [`Reader::page`] collects nodes and arcs, [`Reader::join`] ties the arcs to the nodes.

mod nupn;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use roxmltree::{Attribute, Node};
use rustc_hash::FxHashMap;

use super::system::{Action, Behaviour, Component, MOST_TOKENS, Net, Place, System, Transition};
use super::xml::{self, elements, name, tag, value};
use crate::problem::{Problems, meant};
use posetta_base::{ActionId, ComponentId, Kind, Mistakes, Span, Spanned};

/// Reads the place/transition net of a PNML document.
///
/// # Errors
/// With the mistakes in it: XML, ids, arcs, numbers; for nets of other types, and where there are several nets to choose from.
pub fn read(source: &str) -> Result<System, Mistakes> {
    let document = xml::open(source)?;
    let mut reader = Reader::default();
    let system = reader.document(document.root_element());
    match system {
        Some(mut system) if reader.problems.is_empty() => {
            system.warnings = reader.warnings.diagnostics(source);
            Ok(system)
        }
        _ => Err(reader.problems.diagnostics(source).into()),
    }
}

/// What an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Referent {
    Place(u32),
    Transition(u32),
    /// One of [`Reader::references`].
    Reference(u32),
}

/// A node that stands for another.
struct Reference<'a> {
    id: &'a str,
    /// Whether it stands for a place, or else for a transition.
    is_place: bool,
    to: &'a str,
    span: Span,
}

/// The arcs of a transition, by place.
#[derive(Default)]
struct Ends {
    takes: BTreeMap<u32, u64>,
    puts: BTreeMap<u32, u64>,
}

#[derive(Default)]
struct Reader<'a, 'i> {
    places: Vec<Place>,
    transitions: Vec<(Arc<str>, Ends)>,
    references: Vec<Reference<'a>>,
    arcs: Vec<Node<'a, 'i>>,
    /// What tools say about units.
    units: Vec<Node<'a, 'i>>,
    ids: FxHashMap<&'a str, Referent>,
    problems: Problems,
    warnings: Problems,
}

impl<'a, 'i> Reader<'a, 'i> {
    fn document(&mut self, root: Node<'a, 'i>) -> Option<System> {
        if name(root) != "pnml" {
            let message = format!("this is not PNML: the document is a `{}`", name(root));
            let problem = Spanned::new(Kind::Syntax, tag(root), message).label("expected `<pnml>`");
            self.problems.push(match name(root) {
                "property-set" => problem.help("these are formulas: give the net first"),
                _ => problem,
            });
            return None;
        }
        let nets: Vec<Node<'a, 'i>> = elements(root).filter(|n| name(*n) == "net").collect();
        let net = self.choose(root, &nets)?;
        self.page(net);
        self.join();
        if self.places.is_empty() && self.transitions.is_empty() && self.problems.is_empty() {
            let problem = Spanned::new(Kind::Vacuous, tag(net), "this net is empty");
            self.problems.push(problem.label("expected places and transitions"));
        }
        let units = if self.problems.is_empty() { nupn::units(self) } else { None };
        self.system(net.attribute("id").unwrap_or("net"), units)
    }

    /// The only net, or the only one of the right type.
    fn choose(&mut self, root: Node<'a, 'i>, nets: &[Node<'a, 'i>]) -> Option<Node<'a, 'i>> {
        let right: Vec<Node<'a, 'i>> = nets.iter().copied().filter(|n| is_place_transition(type_of(*n))).collect();
        match (right.as_slice(), nets) {
            ([net], _) => return Some(*net),
            ([], []) => {
                let problem = Spanned::new(Kind::Syntax, tag(root), "this document has no net");
                self.problems.push(problem.label("expected a `<net>` in it"));
            }
            ([], [net, ..]) => self.problems.push(wrong_type(*net)),
            ([_, second, ..], _) => {
                let names: Vec<String> =
                    right.iter().map(|n| format!("`{}`", n.attribute("id").unwrap_or("?"))).collect();
                let message = format!("this document has {} place/transition nets", names.len());
                let problem = Spanned::new(Kind::Unsupported, tag(*second), message).label("expected one net");
                let shown = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = if names.len() > 8 { ", …" } else { "" };
                self.problems.push(problem.help(format!("put {shown}{more} into files of their own")));
            }
        }
        None
    }

    /// Collects what stands in a net or a page. Pages are nested less deeply than [`xml::open`] allows elements to be.
    fn page(&mut self, page: Node<'a, 'i>) {
        for node in elements(page) {
            match name(node) {
                "page" => self.page(node),
                "place" => self.place(node),
                "transition" => self.transition(node),
                "referencePlace" => self.reference(node, true),
                "referenceTransition" => self.reference(node, false),
                "arc" => self.arcs.push(node),
                "toolspecific" if node.attribute("tool") == Some("nupn") => self.units.push(node),
                "name" | "graphics" | "toolspecific" | "labels" => {}
                _ => xml::unexpected(&mut self.problems, node, "a net", "places, transitions, arcs and pages"),
            }
        }
    }

    fn place(&mut self, node: Node<'a, 'i>) {
        let mut initial = 0;
        for part in elements(node) {
            match name(part) {
                "initialMarking" => initial = self.number(part, "tokens").unwrap_or(0),
                "name" | "graphics" | "toolspecific" => {}
                _ => xml::unexpected(&mut self.problems, part, "a place", "an initial marking at most"),
            }
        }
        if let Some(id) = self.id(node, Referent::Place(self.places.len() as u32)) {
            self.places.push(Place { name: id.into(), initial });
        }
    }

    fn transition(&mut self, node: Node<'a, 'i>) {
        for part in elements(node).filter(|p| !matches!(name(*p), "name" | "graphics" | "toolspecific")) {
            xml::unexpected(&mut self.problems, part, "a transition", "a name at most");
        }
        if let Some(id) = self.id(node, Referent::Transition(self.transitions.len() as u32)) {
            if matches!(id, "deadlock" | "divergence") {
                let message = format!("in formulas `{id}` by itself is not this transition");
                let problem =
                    Spanned::new(Kind::Definition, tag(node), message).label("the word has a meaning of its own");
                self.warnings.push(problem.help(format!("write event({id}) for the transition")));
            }
            self.transitions.push((id.into(), Ends::default()));
        }
    }

    fn reference(&mut self, node: Node<'a, 'i>, is_place: bool) {
        let Some(to) = self.attribute(node, "ref", "the id of the node that it stands for") else { return };
        let (to, span) = (to.value(), value(to));
        if let Some(id) = self.id(node, Referent::Reference(self.references.len() as u32)) {
            self.references.push(Reference { id, is_place, to, span });
        }
    }

    fn attribute(&mut self, node: Node<'a, 'i>, wanted: &str, expected: &str) -> Option<Attribute<'a, 'i>> {
        let found = node.attribute_node(wanted);
        if found.is_none() {
            let message = format!("this `{}` has no `{wanted}`", name(node));
            self.problems.push(Spanned::new(Kind::Syntax, tag(node), message).label(format!("expected {expected}")));
        }
        found
    }

    /// The id of a node, which no other node has. The ids of arcs and pages name nothing and are not looked at.
    fn id(&mut self, node: Node<'a, 'i>, sort: Referent) -> Option<&'a str> {
        let id = self.attribute(node, "id", "an id: formulas speak of the net by them")?;
        if id.value().trim().is_empty() {
            let problem = Spanned::new(Kind::Syntax, tag(node), format!("the id of this `{}` is empty", name(node)));
            self.problems.push(problem.label("expected a name"));
            return None;
        }
        if self.ids.contains_key(id.value()) {
            let message = format!("there are two nodes with the id `{}`", id.value());
            self.problems.push(Spanned::new(Kind::DuplicateId, value(id), message).label("the second of them"));
            return None;
        }
        self.ids.insert(id.value(), sort);
        Some(id.value())
    }

    /// The number in the `<text>` of a marking or an inscription.
    fn number(&mut self, label: Node<'a, 'i>, of: &str) -> Option<u32> {
        let (text, span) = match elements(label).find(|n| name(*n) == "text") {
            Some(inner) => xml::text(inner),
            None => ("", tag(label)),
        };
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("expected a number of {of}, found {}", shown(text));
            let problem = Spanned::new(Kind::Syntax, span, message).label("expected a whole number, 0 or more");
            self.problems.push(if elements(label).any(|n| matches!(name(n), "value" | "structure")) {
                problem.help("a place/transition net has it as <text>1</text>")
            } else {
                problem
            });
            return None;
        }
        match text.parse() {
            Ok(number) if number <= MOST_TOKENS => Some(number),
            _ => {
                let message = format!("{} {of} are too many", shown(text));
                let label = format!("expected {MOST_TOKENS} at most");
                self.problems.push(Spanned::new(Kind::TooLarge, span, message).label(label));
                None
            }
        }
    }

    /// Ties the arcs to the nodes.
    fn join(&mut self) {
        let targets = self.targets();
        for arc in std::mem::take(&mut self.arcs) {
            if self.problems.is_full() {
                return;
            }
            self.arc(arc, &targets);
        }
    }

    fn arc(&mut self, arc: Node<'a, 'i>, targets: &[Option<Referent>]) {
        let mut weight = 1;
        if let Some(kind) = arc.attribute_node("type") {
            self.kind_of_arc(kind);
        }
        for part in elements(arc) {
            match name(part) {
                "inscription" => match self.number(part, "tokens") {
                    Some(0) => {
                        let span = elements(part).find(|n| name(*n) == "text").map_or(tag(part), |n| xml::text(n).1);
                        let problem = Spanned::new(Kind::Syntax, span, "an arc that moves no token");
                        self.problems.push(problem.label("expected 1 or more").help("leave the arc out"));
                        return;
                    }
                    Some(number) => weight = number,
                    None => return,
                },
                "type" => match part.attribute_node("value") {
                    Some(kind) => self.kind_of_arc(kind),
                    None => xml::unexpected(&mut self.problems, part, "an arc", "an inscription at most"),
                },
                "name" | "graphics" | "toolspecific" | "arcpath" => {}
                _ => xml::unexpected(&mut self.problems, part, "an arc", "an inscription at most"),
            }
        }
        let source = self.attribute(arc, "source", "the id of the node that it comes from");
        let target = self.attribute(arc, "target", "the id of the node that it goes to");
        let (Some(source), Some(target)) = (source, target) else { return };
        let (from, to) = (self.node(source, targets), self.node(target, targets));
        let (transition, place, takes) = match (from, to) {
            (Some(Referent::Place(place)), Some(Referent::Transition(t))) => (t, place, true),
            (Some(Referent::Transition(t)), Some(Referent::Place(place))) => (t, place, false),
            (Some(a), Some(_)) => {
                let sort = if matches!(a, Referent::Place(_)) { "places" } else { "transitions" };
                let message = format!("an arc between two {sort}");
                let span = value(source).to(value(target));
                let problem = Spanned::new(Kind::Type, span, message);
                self.problems.push(problem.label("expected one place and one transition"));
                return;
            }
            _ => return,
        };
        let ends = &mut self.transitions[transition as usize].1;
        let sum = if takes { &mut ends.takes } else { &mut ends.puts }.entry(place).or_default();
        *sum += u64::from(weight);
        if *sum > u64::from(MOST_TOKENS) {
            let problem = Spanned::new(Kind::TooLarge, tag(arc), "the arcs between these nodes move too many tokens");
            self.problems.push(problem.label(format!("expected {MOST_TOKENS} at most")));
        }
    }

    fn kind_of_arc(&mut self, kind: Attribute<'a, 'i>) {
        if kind.value() != "normal" {
            let message = format!("{} arcs are not supported", shown(kind.value()));
            let problem = Spanned::new(Kind::Unsupported, value(kind), message).label("expected an ordinary arc");
            self.problems.push(problem.help("an arc takes tokens or puts them; it can neither forbid nor reset"));
        }
    }

    /// The node of an id, references followed.
    fn node(&mut self, id: Attribute<'a, 'i>, targets: &[Option<Referent>]) -> Option<Referent> {
        match self.ids.get(id.value()) {
            Some(Referent::Reference(n)) => targets[*n as usize],
            Some(sort) => Some(*sort),
            None => {
                self.unknown(id.value(), value(id));
                None
            }
        }
    }

    fn unknown(&mut self, id: &str, span: Span) {
        if self.problems.is_full() {
            return;
        }
        let problem = Spanned::new(Kind::Definition, span, format!("there is no node with the id `{id}`"));
        let mut ids: Vec<&str> = self.ids.keys().copied().collect();
        ids.sort_unstable();
        self.problems.push(match meant(id, ids.into_iter()) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None => problem.label("unknown"),
        });
    }

    /// What each reference stands for in the end; `None` where there is a mistake.
    fn targets(&mut self) -> Vec<Option<Referent>> {
        let count = self.references.len();
        // What is found on the way is kept, so that long chains are followed once.
        let mut found: Vec<Option<Option<Referent>>> = vec![None; count];
        let mut seen_from: Vec<Option<usize>> = vec![None; count];
        for first in 0..count {
            let mut chain = Vec::new();
            let mut at = first;
            let end = loop {
                if let Some(known) = found[at] {
                    break known;
                }
                chain.push(at);
                seen_from[at] = Some(first);
                let (to, span) = (self.references[at].to, self.references[at].span);
                match self.ids.get(to).copied() {
                    Some(Referent::Reference(next)) if seen_from[next as usize] == Some(first) => {
                        let message = format!("`{}` stands for itself", self.references[at].id);
                        let problem = Spanned::new(Kind::Definition, span, message);
                        self.problems.push(problem.label("this leads back to it"));
                        break None;
                    }
                    Some(Referent::Reference(next)) => at = next as usize,
                    Some(sort) => break Some(sort),
                    None => {
                        self.unknown(to, span);
                        break None;
                    }
                }
            };
            for at in chain {
                let Reference { is_place, span, .. } = self.references[at];
                let fits = match end {
                    Some(sort) => matches!(sort, Referent::Place(_)) == is_place,
                    None => true,
                };
                if !fits {
                    let message = "a reference stands for a node of its own sort";
                    let expected = if is_place { "expected a place" } else { "expected a transition" };
                    self.problems.push(Spanned::new(Kind::Type, span, message).label(expected));
                }
                found[at] = Some(end.filter(|_| fits));
            }
        }
        found.into_iter().map(Option::flatten).collect()
    }

    fn system(&mut self, id: &str, units: Option<Vec<super::system::Unit>>) -> Option<System> {
        let component = ComponentId::new(0)?;
        let mut actions = Vec::with_capacity(self.transitions.len());
        let mut transitions = Vec::with_capacity(self.transitions.len());
        for (name, ends) in std::mem::take(&mut self.transitions) {
            let action = ActionId::new(actions.len())?;
            actions.push(Action { name, internal: false, parts: vec![component] });
            // The sums are below the limit, or it was told.
            let list = |ends: BTreeMap<u32, u64>| ends.into_iter().map(|(place, n)| (place, n as u32)).collect();
            transitions.push(Transition { action, takes: list(ends.takes), puts: list(ends.puts) });
        }
        let net = Net { places: std::mem::take(&mut self.places), transitions, units };
        let components = vec![Component { name: id.into(), behaviour: Behaviour::Net(net) }];
        Some(System { name: id.to_owned(), actions, components, warnings: Vec::new() })
    }
}

/// The last part of a net's type, which is an address.
fn type_of<'a>(net: Node<'a, '_>) -> &'a str {
    let address = net.attribute("type").unwrap_or_default().trim();
    address.rsplit(['/', '#']).next().unwrap_or_default()
}

fn is_place_transition(kind: &str) -> bool {
    ["ptnet", "PTNet"].contains(&kind)
}

fn wrong_type(net: Node<'_, '_>) -> Box<Spanned> {
    let Some(kind) = net.attribute_node("type") else {
        let problem = Spanned::new(Kind::Syntax, tag(net), "this net has no `type`");
        return problem.label("expected type=\"http://www.pnml.org/version-2009/grammar/ptnet\"");
    };
    let message = match type_of(net) {
        sort @ ("symmetricnet" | "highlevelnet" | "pt-hlpng" | "hlcore") => {
            format!("this is a coloured net (`{sort}`); only place/transition nets are read")
        }
        sort => format!("{} is not a type of net that is read", shown(sort)),
    };
    let problem = Spanned::new(Kind::Unsupported, value(kind), message).label("expected ptnet");
    problem.help("unfold it into a place/transition net")
}

/// A word of the input in a message.
fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "nothing".to_owned();
    }
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}
