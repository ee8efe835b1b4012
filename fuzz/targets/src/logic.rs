//! Formulas and property files: what parses prints, and parses back to the same tree.

use posetta::base::{Diagnostic, Kind};
use posetta::logic::{Formula, parse_ctl, parse_ltl, read_props};

use crate::LONGEST;
use crate::places::Lines;

/// The bytes as a formula of LTL.
///
/// # Panics
/// When a promise is broken.
pub fn ltl(data: &[u8]) {
    formula(data, parse_ltl);
}

/// The bytes as a formula of CTL.
///
/// # Panics
/// When a promise is broken.
pub fn ctl(data: &[u8]) {
    formula(data, parse_ctl);
}

fn formula<F: PartialEq + std::fmt::Debug + ToString>(data: &[u8], parse: fn(&str) -> Result<F, Vec<Diagnostic>>) {
    let Some(source) = text(data) else { return };
    match parse(source) {
        Ok(formula) => prints_back(&formula, parse),
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}

/// The print of a formula must parse back to it, and print as itself.
///
/// # Panics
/// When it does not.
pub fn prints_back<F: PartialEq + std::fmt::Debug + ToString>(
    formula: &F,
    parse: impl Fn(&str) -> Result<F, Vec<Diagnostic>>,
) {
    let printed = formula.to_string();
    match parse(&printed) {
        Ok(again) => {
            assert_eq!(again, *formula, "printed as {printed}");
            assert_eq!(again.to_string(), printed);
        }
        // A formula that is nested as deeply as is allowed may need parentheses that it was written without.
        Err(mistakes) if mistakes.iter().all(|m| m.kind == Kind::Nesting) => {}
        Err(mistakes) => panic!("printed as {printed}, which has mistakes: {mistakes:?}"),
    }
}

/// The bytes as a property file: each property must also be one by itself.
///
/// # Panics
/// When a promise is broken.
pub fn props(data: &[u8]) {
    let Some(source) = text(data) else { return };
    match read_props(source) {
        Ok(properties) => {
            for property in properties {
                let body = source.get(property.span.start..property.span.end).expect("a property lies in its file");
                assert!(property.name.is_some(), "a property of a file has a name");
                match property.formula {
                    Formula::Ltl(_, formula) => assert_eq!(parse_ltl(body), Ok(formula), "{body}"),
                    Formula::Ctl(formula) => assert_eq!(parse_ctl(body), Ok(formula), "{body}"),
                }
            }
        }
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST)
}
