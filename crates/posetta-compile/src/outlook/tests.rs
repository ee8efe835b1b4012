use super::*;
use crate::{Normal, Obligations};
use posetta_base::{Number, Value};
use posetta_logic::{Slot, parse_ltl};

/// One number for each variable.
struct Numbers(Vec<Value>);

impl Values for Numbers {
    fn value(&self, slot: Slot) -> &Value {
        &self.0[slot.0 as usize]
    }
}

fn outlook(formula: &str, view: View) -> Outlook {
    let mut atoms = Atoms::default();
    let formula = parse_ltl(formula).unwrap().map_atoms(&mut |atom| atoms.add(atom));
    let bad = Box::new(Obligations::new(Normal::new(&formula, true)));
    Outlook::new(&atoms, view, bad, &|_| true, 1 << 26, &Budget::unlimited()).unwrap()
}

/// What becomes of words over the truth of one variable after each letter: o open, d doomed, s saved.
fn prospects(formula: &str, view: View, word: &[i64]) -> String {
    let mut outlook = outlook(formula, view);
    let mut now = vec![outlook.start()];
    let mut found = String::new();
    for &value in word {
        // Some have no atoms.
        let letter = vec![value != 0; usize::from(formula.contains('p'))];
        now = now.iter().flat_map(|&s| outlook.step(s, &letter, &Budget::unlimited()).unwrap()).collect();
        let values = Numbers(vec![Value::Number(Number::from(value))]);
        let prospects: Vec<Prospect> = now.iter().map(|&s| outlook.prospect(s, &values).unwrap()).collect();
        found.push(match &prospects[..] {
            prospects if prospects.contains(&Prospect::Violated) => 'd',
            prospects if prospects.iter().all(|p| *p == Prospect::Holds) => 's',
            _ => 'o',
        });
    }
    assert!(outlook.is_exact());
    found
}

#[test]
fn prospects_are_known_as_soon_as_they_are_certain() {
    for (formula, word, expected) in [
        ("G p", &[1, 1, 0][..], "ood"),
        ("F p", &[0, 0, 1], "oos"),
        ("p", &[0, 1], "dd"),
        ("p", &[1, 0], "ss"),
        ("X p", &[0, 1], "os"),
        ("X p", &[0, 0], "od"),
        ("G F p", &[1, 0, 1], "ooo"),
        // Doomed by what two guesses have in common.
        ("(F p) && G (p -> WX p)", &[0, 0], "oo"),
        ("F (p && X p) && G (p -> X !p)", &[0], "d"),
        ("F false", &[0], "d"),
        ("G true", &[0], "s"),
    ] {
        assert_eq!(prospects(formula, View::States, word), expected, "{formula} on {word:?}");
        assert_eq!(prospects(formula, View::Events, word), expected, "{formula} over events on {word:?}");
    }
}

#[test]
fn events_that_nobody_sees_are_skipped_where_they_change_nothing() {
    for (formula, view, skips, first) in [
        ("G p", View::States, true, true),
        ("X p", View::States, false, true),
        ("G p", View::Events, true, false),
        ("G !on(p == 1)", View::Events, true, true),
        ("G on(p == 1)", View::Events, false, false),
        ("F on(p == 1)", View::Events, true, true),
        ("G F on(p == 1)", View::States, false, true),
    ] {
        let outlook = outlook(formula, view);
        assert_eq!(outlook.skips_unseen(), skips, "{formula} over {view:?}");
        if view == View::Events {
            assert_eq!(outlook.skips_first(&[false]), first, "{formula} over {view:?}");
        }
    }
}
