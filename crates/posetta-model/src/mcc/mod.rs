//! What the Model Checking Contest asks of nets: its property sets in XML.
//!
//! Every examination of the contest is read: state formulas of reachability, upper bounds, LTL and CTL, over tokens and over transitions that can fire, and what is
//! asked of the net as a whole ([`whole`]). Places and transitions are named by their ids. The XML becomes a [`Tree`], which may mix path quantifiers and temporal operators freely; [`Tree::demand`]
//! finds out which logic it belongs to. The text of a spec is not the XML but the formula as people write it.

mod shape;
#[cfg(test)]
mod tests;
mod whole;

use std::sync::Arc;

use roxmltree::Node;
use rustc_hash::FxHashSet;

use self::shape::{Kind as Shape, Tree};
use super::system::{Demand, Linear, Names, PlaceName, Predicate, Spec, System, TooLarge};
use super::xml::{self, elements, name, tag};
use crate::problem::Problems;
use posetta_base::{ActionId, Kind, Mistakes, Span, Spanned};
use posetta_logic::{Compare, CtlBinary, CtlUnary, Path};

/// Reads a property set that asks about a system.
///
/// # Errors
/// With the mistakes in it: XML, elements that are not known, places and transitions that the system does not have, formulas that are neither LTL nor
/// CTL.
pub fn read(system: &System, source: &str) -> Result<Vec<Spec>, Mistakes> {
    let document = xml::open(source)?;
    let mut reader = Reader { names: Names::new(system), problems: Problems::default() };
    let specs = reader.set(document.root_element());
    if reader.problems.is_empty() { Ok(specs) } else { Err(reader.problems.diagnostics(source).into()) }
}

/// Whether a text that is XML looks like a property set rather than like a net.
#[must_use]
pub fn is_property_set(source: &str) -> bool {
    let net = source.find("<pnml");
    source.find("<property-set").is_some_and(|at| net.is_none_or(|net| at < net))
}

struct Reader<'s> {
    names: Names<'s>,
    problems: Problems,
}

/// Why there is no value: a mistake, or `None` if it was told.
type Stop = Option<Box<Spanned>>;

/// A number that depends on the state, and how it is written.
struct Amount {
    value: Linear,
    text: String,
    /// Whether it has to be put in parentheses as a part of another one.
    is_sum: bool,
}

impl Reader<'_> {
    fn set(&mut self, root: Node<'_, '_>) -> Vec<Spec> {
        if name(root) != "property-set" {
            let message = format!("these are no formulas of the contest: the document is a `{}`", name(root));
            self.problems.push(Spanned::new(Kind::Syntax, tag(root), message).label("expected `<property-set>`"));
            return Vec::new();
        }
        let mut specs = Vec::new();
        let mut ids = FxHashSet::default();
        for property in elements(root) {
            if self.problems.is_full() {
                break;
            }
            if name(property) != "property" {
                xml::unexpected(&mut self.problems, property, "a property set", "`<property>`");
                continue;
            }
            match self.property(property) {
                Ok((id, span, spec)) => {
                    if !ids.insert(id) {
                        let message = format!("there are two properties called `{id}`");
                        let problem = Spanned::new(Kind::DuplicateProperty, span, message);
                        self.problems.push(problem.label("the second of them"));
                    }
                    specs.push(spec);
                }
                Err(stop) => self.problems.extend(stop),
            }
        }
        if specs.is_empty() && self.problems.is_empty() {
            self.problems.push(Spanned::new(Kind::Vacuous, tag(root), "this set has no property"));
        }
        specs
    }

    fn property<'a>(&mut self, property: Node<'a, '_>) -> Result<(&'a str, Span, Spec), Stop> {
        let part = |wanted: &str| elements(property).find(|n| name(*n) == wanted);
        let missing = |what: &str| {
            let problem = Spanned::new(Kind::Syntax, tag(property), format!("this property has no `{what}`"));
            Some(problem.label(format!("expected `<{what}>` in it")))
        };
        let (id, span) = xml::text(part("id").ok_or_else(|| missing("id"))?);
        if id.is_empty() {
            return Err(missing("id"));
        }
        let formula = only(part("formula").ok_or_else(|| missing("formula"))?)?;
        let (demand, text) = if name(formula) == "place-bound" {
            let places = self.listed(formula, "place")?;
            let mut slots = Vec::with_capacity(places.len());
            for (place, span) in &places {
                slots.push(self.place(place, *span)?);
            }
            slots.sort_unstable();
            slots.dedup();
            let places: Vec<&str> = places.iter().map(|p| p.0).collect();
            (Demand::Bound(slots), format!("bound({})", places.join(", ")))
        } else if let Some(whole) = self.whole(formula) {
            whole?
        } else {
            let tree = self.tree(formula)?;
            (tree.demand()?, tree.to_string())
        };
        let source: Arc<str> = text.into();
        let whole = Span::new(0, source.len());
        let spec = Spec { name: Some(id.to_owned()), demand, source, span: whole, warnings: Vec::new() };
        Ok((id, span, spec))
    }

    /// A formula. Elements are nested less deeply than a stack holds; [`xml::open`] sees to that, and what does not recurse has functions of its
    /// own, which keep this one's frame small.
    fn tree(&mut self, node: Node<'_, '_>) -> Result<Tree, Stop> {
        let kind = match name(node) {
            "all-paths" => Shape::Path(Path::All, self.operand(node)?),
            "exists-path" => Shape::Path(Path::Some, self.operand(node)?),
            "next" => Shape::Unary(CtlUnary::Next, self.operand(node)?),
            "finally" => Shape::Unary(CtlUnary::Finally, self.operand(node)?),
            "globally" => Shape::Unary(CtlUnary::Globally, self.operand(node)?),
            "negation" => Shape::Not(self.operand(node)?),
            "until" => {
                let before = self.operand(part_of(node, "before")?)?;
                Shape::Binary(CtlBinary::Until, before, self.operand(part_of(node, "reach")?)?)
            }
            "conjunction" => Shape::And(self.trees(node, 1)?),
            "disjunction" => Shape::Or(self.trees(node, 1)?),
            "exclusive-disjunction" => return odd(self.trees(node, 2)?, tag(node)),
            "implication" => two(node, self.trees(node, 2)?, Shape::Implies)?,
            "equivalence" => two(node, self.trees(node, 2)?, Shape::Iff)?,
            _ => self.leaf(node)?,
        };
        Ok(Tree { kind, span: tag(node) })
    }

    /// The formula in an element.
    fn operand(&mut self, node: Node<'_, '_>) -> Result<Box<Tree>, Stop> {
        Ok(Box::new(self.tree(only(node)?)?))
    }

    /// A formula that has no formulas in it.
    fn leaf(&mut self, node: Node<'_, '_>) -> Result<Shape, Stop> {
        let op = match name(node) {
            "true" => return Ok(Shape::Atom(Predicate::Constant(true), "true".to_owned())),
            "false" => return Ok(Shape::Atom(Predicate::Constant(false), "false".to_owned())),
            "deadlock" => return Ok(Shape::Atom(Predicate::Dead, "deadlock".to_owned())),
            "is-fireable" => return self.fireable(node),
            "integer-eq" => Compare::Eq,
            "integer-ne" => Compare::Ne,
            "integer-lt" => Compare::Lt,
            "integer-le" => Compare::Le,
            "integer-gt" => Compare::Gt,
            "integer-ge" => Compare::Ge,
            other => {
                let span = tag(node);
                return Err(Some(match other {
                    "place-bound" => Spanned::new(Kind::Unsupported, span, "a bound is not a part of a formula"),
                    "tokens-count" | "integer-constant" | "integer-sum" | "integer-difference" => {
                        Spanned::new(Kind::Type, span, "this is a number").label("expected a formula")
                    }
                    _ => Spanned::new(Kind::Unsupported, span, format!("`{other}` is not an operator of the contest"))
                        .label("unknown"),
                }));
            }
        };
        self.compare(node, op)
    }

    /// The formulas in an element; mistakes in all of them are told.
    fn trees(&mut self, node: Node<'_, '_>, least: usize) -> Result<Vec<Tree>, Stop> {
        let (mut trees, mut count) = (Vec::new(), 0);
        for part in elements(node) {
            count += 1;
            match self.tree(part) {
                Ok(tree) => trees.push(tree),
                Err(stop) => self.problems.extend(stop),
            }
        }
        if count < least {
            let problem = Spanned::new(Kind::Syntax, tag(node), format!("`{}` has too few operands", name(node)));
            return Err(Some(problem.label(format!("expected {least} or more"))));
        }
        if trees.len() == count { Ok(trees) } else { Err(None) }
    }

    fn fireable(&mut self, node: Node<'_, '_>) -> Result<Shape, Stop> {
        let transitions = self.listed(node, "transition")?;
        let mut actions: Vec<ActionId> = Vec::with_capacity(transitions.len());
        for (transition, span) in &transitions {
            let Some(action) = self.names.action(transition) else {
                let problem =
                    Spanned::new(Kind::Definition, *span, format!("the net has no transition `{transition}`"));
                return Err(Some(match self.names.near_action(transition) {
                    Some(near) => problem.label(format!("did you mean `{near}`?")),
                    None => problem.label("unknown"),
                }));
            };
            actions.push(action);
        }
        actions.sort_unstable();
        actions.dedup();
        let names: Vec<&str> = transitions.iter().map(|t| t.0).collect();
        Ok(Shape::Atom(Predicate::Enabled(actions), format!("fireable({})", names.join(", "))))
    }

    fn compare(&mut self, node: Node<'_, '_>, op: Compare) -> Result<Shape, Stop> {
        let operands: Vec<Node<'_, '_>> = elements(node).collect();
        let [a, b] = operands.as_slice() else {
            let problem = Spanned::new(Kind::Syntax, tag(node), "a comparison has two sides");
            return Err(Some(problem.label(format!("expected 2 numbers, found {}", operands.len()))));
        };
        let (a, b) = (self.amount(*a)?, self.amount(*b)?);
        let predicate = a.value.compare(op, &b.value).map_err(|_| too_large(node))?;
        Ok(Shape::Atom(predicate, format!("{} {op} {}", a.text, b.text)))
    }

    fn amount(&mut self, node: Node<'_, '_>) -> Result<Amount, Stop> {
        let large = |_: TooLarge| too_large(node);
        match name(node) {
            "integer-constant" => {
                let (text, span) = xml::text(node);
                let Ok(number) = text.parse::<i64>() else {
                    let problem = Spanned::new(Kind::Syntax, span, "this is not a whole number");
                    return Err(Some(problem.label("expected a number such as 3")));
                };
                let value = Linear::constant(number, 1).map_err(large)?;
                Ok(Amount { value, text: number.to_string(), is_sum: false })
            }
            "tokens-count" => {
                let places = self.listed(node, "place")?;
                let mut slots = Vec::with_capacity(places.len());
                for (place, span) in &places {
                    slots.push(self.place(place, *span)?);
                }
                let text: Vec<&str> = places.iter().map(|p| p.0).collect();
                let value = Linear::sum(slots).map_err(large)?;
                Ok(Amount { value, text: text.join(" + "), is_sum: places.len() > 1 })
            }
            sum @ ("integer-sum" | "integer-difference") => {
                let parts: Result<Vec<Amount>, Stop> = elements(node).map(|n| self.amount(n)).collect();
                let mut parts = parts?.into_iter();
                let Some(mut all) = parts.next() else {
                    let problem = Spanned::new(Kind::Syntax, tag(node), format!("`{sum}` has too few operands"));
                    return Err(Some(problem.label("expected 1 or more")));
                };
                for part in parts {
                    let (sign, factor) = if sum == "integer-sum" { (" + ", 1) } else { (" - ", -1) };
                    all.value.add(&part.value, factor).map_err(large)?;
                    all.text.push_str(sign);
                    if part.is_sum && factor < 0 {
                        all.text.push_str(&format!("({})", part.text));
                    } else {
                        all.text.push_str(&part.text);
                    }
                    all.is_sum = true;
                }
                Ok(all)
            }
            other => {
                let problem = Spanned::new(Kind::Unsupported, tag(node), format!("`{other}` is not a number"));
                Err(Some(problem.label("expected tokens-count, integer-constant, integer-sum or integer-difference")))
            }
        }
    }

    fn place(&self, place: &str, span: Span) -> Result<u32, Stop> {
        match self.names.place(place) {
            Some(PlaceName::One(slot)) => Ok(slot),
            Some(PlaceName::Several(full)) => {
                let problem = Spanned::new(Kind::Definition, span, format!("several nets have a place `{place}`"));
                Err(Some(problem.label("which one?").help(format!("write {}", full.join(" or ")))))
            }
            None => {
                let problem = Spanned::new(Kind::Definition, span, format!("the net has no place `{place}`"));
                Err(Some(match self.names.near_place(place) {
                    Some(near) => problem.label(format!("did you mean `{near}`?")),
                    None => problem.label("unknown"),
                }))
            }
        }
    }

    /// The names in an element that lists places or transitions, at least one.
    fn listed<'a>(&mut self, node: Node<'a, '_>, of: &str) -> Result<Vec<(&'a str, Span)>, Stop> {
        let mut names = Vec::new();
        for part in elements(node) {
            if name(part) != of {
                xml::unexpected(&mut self.problems, part, &format!("`{}`", name(node)), &format!("`<{of}>`"));
                return Err(None);
            }
            names.push(xml::text(part));
        }
        if names.is_empty() {
            let problem = Spanned::new(Kind::Syntax, tag(node), format!("`{}` names no {of}", name(node)));
            return Err(Some(problem.label(format!("expected `<{of}>` in it"))));
        }
        Ok(names)
    }
}

/// The only element in an element.
fn only<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Stop> {
    let mut parts = elements(node);
    match (parts.next(), parts.next()) {
        (Some(part), None) => Ok(part),
        (None, _) => {
            let problem = Spanned::new(Kind::Syntax, tag(node), format!("`{}` has no operand", name(node)));
            Err(Some(problem.label("expected a formula in it")))
        }
        (_, Some(second)) => {
            let problem = Spanned::new(Kind::Syntax, tag(second), format!("`{}` has several operands", name(node)));
            Err(Some(problem.label("expected one formula")))
        }
    }
}

/// An element with this name in an element.
fn part_of<'a, 'i>(node: Node<'a, 'i>, wanted: &str) -> Result<Node<'a, 'i>, Stop> {
    elements(node).find(|n| name(*n) == wanted).ok_or_else(|| {
        let problem = Spanned::new(Kind::Syntax, tag(node), format!("this `{}` has no `{wanted}`", name(node)));
        Some(problem.label(format!("expected `<{wanted}>` in it")))
    })
}

/// An operator with two operands.
fn two(node: Node<'_, '_>, trees: Vec<Tree>, join: fn(Box<Tree>, Box<Tree>) -> Shape) -> Result<Shape, Stop> {
    match <[Tree; 2]>::try_from(trees) {
        Ok([a, b]) => Ok(join(Box::new(a), Box::new(b))),
        Err(_) => {
            let problem = Spanned::new(Kind::Syntax, tag(node), format!("`{}` has too many operands", name(node)));
            Err(Some(problem.label("expected 2")))
        }
    }
}

/// An odd number of them, joined in pairs, so that the tree is not as deep as there are operands.
fn odd(mut trees: Vec<Tree>, span: Span) -> Result<Tree, Stop> {
    let xor = |a: Tree, b: Tree| {
        let same = Tree { kind: Shape::Iff(Box::new(a), Box::new(b)), span };
        Tree { kind: Shape::Not(Box::new(same)), span }
    };
    while trees.len() > 1 {
        let mut rest = trees.into_iter();
        let mut joined = Vec::new();
        while let Some(a) = rest.next() {
            joined.push(match rest.next() {
                Some(b) => xor(a, b),
                None => a,
            });
        }
        trees = joined;
    }
    trees.pop().ok_or(None)
}

fn too_large(node: Node<'_, '_>) -> Stop {
    Some(Spanned::new(Kind::TooLarge, tag(node), "numbers past 2^62 cannot be calculated with"))
}
