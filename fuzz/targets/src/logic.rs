//! Formulas and property files: what parses prints, and parses back to the same tree.

use posetta_base::{Kind, Located, Mistakes};
use posetta_logic::m2l::parse_property;
use posetta_logic::{
    Each, Formula, M2l, Monitor, View, is_hoa, parse_ctl, parse_ltl, parse_psl, read_hoa, read_props, read_props_with,
    write_hoa,
};

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

/// The bytes as a formula of PSL.
///
/// # Panics
/// When a promise is broken.
pub fn psl(data: &[u8]) {
    formula(data, parse_psl);
}

fn formula<F: PartialEq + std::fmt::Debug + ToString>(data: &[u8], parse: fn(&str) -> Result<F, Mistakes>) {
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
    parse: impl Fn(&str) -> Result<F, Mistakes>,
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

/// Between the files of a set that import each other, as `1`, `2` and so on.
pub(crate) const NEXT_FILE: char = '\u{c}';

/// The bytes as a property file, and the files that it may import: what each property unfolds to prints back, and every
/// mistake lies in its own file.
///
/// # Panics
/// When a promise is broken.
pub fn props(data: &[u8]) {
    let Some(source) = text(data) else { return };
    let files: Vec<&str> = source.split(NEXT_FILE).collect();
    let number = |name: &str| name.parse::<usize>().ok().filter(|&n| n < files.len());
    let mut load = |_: &str, wanted: &str| match number(wanted) {
        Some(n) => Ok((n.to_string(), files[n].to_owned())),
        None => Err("there is no such file".into()),
    };
    match read_props_with("0", files[0], &mut load) {
        Ok(properties) => {
            for property in properties {
                let file = property.file.as_deref().and_then(number).expect("a property has its file");
                assert_eq!(*property.source, *files[file]);
                let body = files[file].get(property.span.start..property.span.end);
                assert!(body.is_some_and(|b| !b.trim().is_empty()), "a property lies in its file");
                assert!(property.name.is_some(), "a property of a file has a name");
                Lines::of_text(files[file]).hold_all(&property.warnings);
                if property.formula.to_string().len() > LONGEST {
                    continue;
                }
                // What it says of values reads back only inside of its loop.
                if let Some(each) = &property.each {
                    in_loop_reads_back(each, &property.formula);
                    continue;
                }
                match property.formula {
                    Formula::Ltl(_, formula) => prints_back(&formula, parse_ltl),
                    Formula::Ctl(formula) => prints_back(&formula, parse_ctl),
                    Formula::Psl(_, formula) => prints_back(&formula, parse_psl),
                    Formula::M2l(_, formula) => prints_back(&*formula, |text| parse_property(text).map(M2l::new)),
                    Formula::Monitor(view, monitor) => item_reads_back(view, &monitor),
                }
            }
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a failure without a mistake");
            for Located { file, diagnostic } in mistakes {
                let file = number(&file).expect("a mistake is in a file that was read");
                Lines::of_text(files[file]).hold(&[diagnostic]);
            }
        }
    }
}

/// The formula of a property for each value must read back as itself in such a property.
fn in_loop_reads_back(each: &Each, formula: &Formula) {
    let (logic, view) = match formula {
        Formula::Ltl(view, _) => ("ltl", Some(*view)),
        Formula::Ctl(_) => ("ctl", None),
        Formula::Psl(view, _) => ("psl", Some(*view)),
        // These are texts of their own.
        Formula::M2l(..) | Formula::Monitor(..) => return,
    };
    let over = if view == Some(View::Events) { " over events" } else { "" };
    let second = each.second.as_ref().map_or(String::new(), |second| format!(", {second}"));
    let printed = format!("property p = foreach {}{second} in values(v) {{ {logic}{over} {formula} }}", each.variable);
    match read_props(&printed) {
        Ok(properties) => {
            assert_eq!(properties.len(), 1, "{printed}");
            assert_eq!(properties[0].formula, *formula, "{printed}");
        }
        Err(mistakes) if mistakes.iter().all(|m| m.kind == Kind::Nesting) => {}
        Err(mistakes) => panic!("printed as {printed}, which has mistakes: {mistakes:?}"),
    }
}

/// A monitor printed as an item of a property file must read back as itself.
fn item_reads_back(view: View, monitor: &Monitor) {
    let item = monitor.item("the name", view);
    match read_props(&item) {
        Ok(properties) => {
            assert_eq!(properties.len(), 1, "{item}");
            assert_eq!(properties[0].formula, Formula::Monitor(view, monitor.clone()), "{item}");
        }
        Err(mistakes) if mistakes.iter().all(|m| matches!(m.kind, Kind::Nesting | Kind::TooLarge)) => {}
        Err(mistakes) => panic!("printed as {item}, which has mistakes: {mistakes:?}"),
    }
}

/// The bytes as an automaton, or else as a property file with monitors: what is read is printed, as an item and as an
/// automaton, and read back.
///
/// # Panics
/// When a promise is broken.
pub fn monitor(data: &[u8]) {
    let Some(source) = text(data) else { return };
    if !is_hoa(source) {
        return props(data);
    }
    let property = match read_hoa(source, View::Events) {
        Ok(property) => property,
        Err(mistakes) => return Lines::of_text(source).hold(&mistakes),
    };
    let Formula::Monitor(view, monitor) = property.formula else { panic!("an automaton is a monitor") };
    if monitor.to_string().len() > LONGEST {
        return;
    }
    item_reads_back(view, &monitor);
    let written = write_hoa(&monitor, view, property.name.as_deref().unwrap_or_default());
    match read_hoa(&written, view) {
        Ok(again) => match again.formula {
            Formula::Monitor(again_view, again) => {
                assert_eq!(
                    (again_view, again.edges.len(), again.bad.len()),
                    (view, monitor.edges.len(), monitor.bad.len())
                );
                let twice = write_hoa(&again, view, "");
                let settled = read_hoa(&twice, view).map(|p| p.formula);
                assert_eq!(settled, Ok(Formula::Monitor(view, again)), "{written}\n{twice}");
            }
            other => panic!("{other} is no monitor"),
        },
        Err(mistakes) if mistakes.iter().all(|m| matches!(m.kind, Kind::Nesting | Kind::TooLarge)) => {}
        Err(mistakes) => panic!("written as {written}, which has mistakes: {mistakes:?}"),
    }
}

pub(crate) fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST)
}
