//! Properties that are asked from outside.

use super::super::read;
use super::{PHILOSOPHERS, atoms};
use posetta_logic::{Property, View};

#[test]
fn properties_from_outside() {
    let mut fds = read(&PHILOSOPHERS.replace("JUSTICE mine", "VAR n : -2..5; b : boolean;\n")).expect("it is fine");
    for (text, expected, warnings) in [
        ("G (p0.state != \"eating\")", "G \"p0.state != eating\"", &[][..]),
        ("F p0.state == eating && p0.b", "F \"p0.state = eating\" && p0.b", &[]),
        ("G f0.free", "G \"f0.owner = none\"", &[]),
        ("G (p0.n / 3 < 0.5)", "G \"p0.n * 2 < 3\"", &[]),
        ("G (p0.n / -3 < 0.5)", "G \"p0.n * -1 * 2 < 3\"", &[]),
        ("G (p0.n / 2 + p1.n / 3 == 1)", "G \"p0.n * 3 + p1.n * 2 = 6\"", &[]),
        ("G (p0.n * 0.25 == 1/2 * p1.n)", "G \"p0.n = p1.n * 2\"", &[]),
        ("G p0.n", "G \"p0.n != 0\"", &[]),
        ("G (p0.b == true && p0.b == TRUE)", "G (\"p0.b = 1\" && \"p0.b = TRUE\")", &[]),
        (
            "G p0.state != \"eatin\"",
            "G \"p0.state != eatin\"",
            &["1:15: the model has no symbol `eatin`, so nothing equals it"],
        ),
        ("G p0.state != none", "G \"p0.state != none\"", &["1:3: this is always true"]),
        ("G p0.state == 0.5", "G FALSE", &["1:3: this is always false"]),
        ("G turn == 0", "G \"turn = 0\"", &[]),
    ] {
        let property = Property::ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let spec = fds.bind(&property).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(atoms(&fds, &spec.demand), expected, "{text}");
        let told: Vec<String> = spec.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told, warnings, "{text}");
        assert_eq!(spec.text(), text);
    }
    for (text, expected) in [
        ("G p0.stat == eating", &["1:3: the model has no variable `p0.stat`"][..]),
        ("G (x && y)", &["1:4: the model has no variable `x`", "1:9: the model has no variable `y`"]),
        ("G p0.state", &["1:3: a symbol by itself is neither true nor false"]),
        ("G p0.state < 2", &["1:3: symbols have no order"]),
        ("G p0.state + 1 == 2", &["1:3: there is no arithmetic on symbols"]),
        ("G p0.n / p1.n == 1", &["1:10: a model divides by constants only"]),
        ("G p0.n / 0 == 1", &["1:3: a model divides by constants only"]),
        ("G on(p0.n == 1)", &["1:6: a model has no events and no processes of a run"]),
        ("G event(go)", &["1:1: a model has no events and no processes of a run"]),
        ("G p0.n < 99999999999999999999", &["1:1: numbers past 2^62 cannot be calculated with"]),
        ("G p0.n * 0.0000000000000000000000000001 < 1", &["1:1: numbers past 2^62 cannot be calculated with"]),
    ] {
        let property = Property::ltl(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let found: Vec<String> = fds
            .bind(&property)
            .err()
            .map(|all| all.into_vec())
            .unwrap_or_default()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, expected, "{text}");
    }
    let events = Property::ltl_over_events("G p0.b").expect("it is a formula");
    assert!(fds.bind(&events).is_err());
    let ctl = Property::ctl("AG (turn == 0)").expect("it is a formula");
    assert_eq!(fds.bind(&ctl).map_err(|e| e[0].to_string()), Err("1:5: an input has no value in CTL".to_owned()));
    // Label and help.
    for (property, expected) in [
        (
            Property::ctl("AG (turn == 0)"),
            ["this belongs to a step, not to a state", "declare it under VAR, or ask in LTL"],
        ),
        (Property::ltl("G p0.state == z"), ["unknown", "the values of `p0.state` are `thinking`, `hungry`, `eating`"]),
        (
            Property::ltl("G p0.state == eatin"),
            ["did you mean `eating`?", "the values of `p0.state` are `thinking`, `hungry`, `eating`"],
        ),
    ] {
        let found = fds.bind(&property.expect("it is a formula")).expect_err("it has a mistake");
        assert_eq!([&found[0].label, &found[0].help].map(|t| t.as_deref()), expected.map(Some));
    }
    let psl = Property::psl_over(View::States, "always {p0.b; p1.b} |=> p0.n == 1").expect("it is a formula");
    let spec = fds.bind(&psl).expect("it is bound");
    assert_eq!(atoms(&fds, &spec.demand), "always {p0.b; p1.b} |=> \"p0.n = 1\"");
    assert_eq!(fds.vars.len(), 9);
}
