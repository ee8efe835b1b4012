//! Events in formulas: their names, what is asked of their attributes, and the `$name` of loops over values and processes.

use super::expand::{Expanded, Expander, Frame, constant, loop_value, param};
use super::expr::{Expr, ExprKind, Name, TestExpr};
use crate::atom::Compare;
use crate::each::{Domain, Each};
use posetta_base::{Kind, Number, Span};

impl Expander<'_> {
    /// `event(name, attribute == value, …)`
    pub(super) fn event(
        &mut self,
        name: Option<&Name>,
        tests: &[TestExpr],
        span: Span,
        frame: &Frame<'_>,
        level: u32,
    ) -> Expanded {
        let name = match name {
            Some(name) => Some(Name::Given(self.name(name, span, frame)?)),
            None => None,
        };
        let (mut expanded, mut never) = (Vec::with_capacity(tests.len()), false);
        for test in tests {
            let attribute = self.name(&test.attribute, test.span, frame)?;
            let with = match &test.with.kind {
                ExprKind::Key(name) => {
                    self.key(name, test.with.span, frame)?;
                    self.node(test.with.kind.clone(), test.with.span, 0, frame)?
                }
                _ => self.expr(&test.with, frame, level + 1)?,
            };
            let number = constant(&with);
            let kind = match (with.kind, number) {
                (kind @ (ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Key(_)), _) => kind,
                (ExprKind::Bool(value), _) => ExprKind::Number(Number::from(i64::from(value))),
                (_, Some(value)) => ExprKind::Number(Number::from(value)),
                (_, None) => {
                    let message = "an attribute is compared with a number, a string, or `$` and the variable of a loop";
                    let mut mistake = self.misused(frame, Kind::Type, test.with.span, message);
                    mistake.diagnostic = mistake.diagnostic.label("expected a value");
                    if mistake.diagnostic.help.is_none() {
                        mistake.diagnostic = mistake.diagnostic.help("strings are written in double quotes");
                    }
                    return Err(Box::new(mistake));
                }
            };
            // An instance has only events whose value is its own.
            if let (ExprKind::Key(_), Some(Each { domain: Domain::Values(of), .. })) = (&kind, frame.each)
                && *of == attribute
                && frame.each.is_some_and(|each| each.second.is_none())
            {
                match test.op {
                    Compare::Eq => continue,
                    Compare::Ne => {
                        never = true;
                        continue;
                    }
                    _ => {}
                }
            }
            let span = frame.site.unwrap_or(test.span);
            let with = Expr { kind, span: with.span, depth: with.depth };
            expanded.push(TestExpr { attribute: Name::Given(attribute), span, op: test.op, with });
        }
        self.spend(expanded.len() as u64, frame, span)?;
        let kind = if never { ExprKind::Bool(false) } else { ExprKind::Event(name, expanded) };
        self.node(kind, span, 1, frame)
    }

    /// `process($n)`: an instance has only events of its own process.
    pub(super) fn own_process(&mut self, name: &str, key_span: Span, span: Span, frame: &Frame<'_>) -> Expanded {
        self.key(name, key_span, frame)?;
        if let Some(Each { domain: Domain::Values(of), .. }) = frame.each {
            let message = format!("`${name}` is a value of `{of}`, not a process");
            let mut mistake = self.misused(frame, Kind::Type, key_span, message);
            mistake.diagnostic = mistake.diagnostic.label("expected the name of a process");
            return Err(Box::new(mistake));
        }
        self.node(ExprKind::Event(None, Vec::new()), span, 0, frame)
    }

    /// Whether `$name` has a meaning here.
    pub(super) fn key(&self, name: &str, span: Span, frame: &Frame<'_>) -> Expanded<()> {
        if self.trying || frame.each.is_some_and(|each| each.names(name)) {
            return Ok(());
        }
        let mut mistake = self.misused(frame, Kind::Definition, span, format!("`${name}` stands for nothing here"));
        let label = match frame.each {
            Some(each) => format!("expected `${}`", each.variable),
            None => format!("expected a loop around it, as in `foreach {name} in values(…)`"),
        };
        mistake.diagnostic = mistake.diagnostic.label(label);
        if loop_value(frame, name).is_some() || param(frame, name).is_some() {
            mistake.diagnostic = mistake.diagnostic.help(format!("write `{name}` without the `$`"));
        }
        Err(Box::new(mistake))
    }
}
