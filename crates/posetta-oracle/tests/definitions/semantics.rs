//! The rows and rules of docs/semantics.md, one by one, of the checker and of the oracle alike.

use posetta_base::{Budget, Error, Kind, Mistakes, Value, Verdict};
use posetta_check::{Answer, Observed, Options, Runs, check};
use posetta_formats::text;
use posetta_logic::{Formula, Property, View, read_props};
use posetta_oracle::order::Order;
use posetta_oracle::{ctl, ltl, m2l, monitor, psl};
use posetta_trace::{Builder, Trace, count_cuts};

#[derive(Clone, Copy, Debug)]
enum Logic {
    States,
    Events,
    Ctl,
    /// The statements of a monitor over events.
    Monitor,
    MonitorOverStates,
    M2l,
    M2lOverEvents,
}
use Logic::{Ctl, Events, M2l, M2lOverEvents, Monitor, MonitorOverStates, States};

fn read(run: &str) -> Trace {
    text::read(run.as_bytes(), &Budget::unlimited()).unwrap_or_else(|e| panic!("{run}: {e:?}"))
}

fn parse(logic: Logic, formula: &str) -> Result<Property, Mistakes> {
    match logic {
        States => Property::ltl(formula),
        Events => Property::ltl_over_events(formula),
        Ctl => Property::ctl(formula),
        M2l => Property::m2l_over(View::States, formula),
        M2lOverEvents => Property::m2l_over(View::Events, formula),
        Monitor => Ok(read_props(&format!("monitor m {{ {formula} }}"))?.remove(0)),
        MonitorOverStates => Ok(read_props(&format!("monitor m over states {{ {formula} }}"))?.remove(0)),
    }
}

fn ask(trace: &Trace, logic: Logic, formula: &str) -> Result<Answer, Error> {
    check(trace, &parse(logic, formula)?, &Options::default(), &Budget::unlimited())
}

/// `all`, `some` or `none` of the runs for LTL, `holds` or `violated` for CTL, as the checker says.
fn said(trace: &Trace, logic: Logic, formula: &str) -> &'static str {
    let answer = ask(trace, logic, formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
    match (answer.runs(), &answer.verdict) {
        (Some(Runs::All), Verdict::Holds) => "all",
        (Some(Runs::Some), Verdict::Violated(_)) => "some",
        (Some(Runs::None), Verdict::Violated(_)) => "none",
        (None, Verdict::Holds) => "holds",
        (None, Verdict::Violated(_)) => "violated",
        other => panic!("{formula}: {other:?}"),
    }
}

/// The same by definition.
fn defined(trace: &Trace, logic: Logic, formula: &str) -> &'static str {
    match parse(logic, formula).expect("the checker has read it").formula {
        Formula::Ltl(view, formula) => match ltl::over_all_runs(trace, view, &formula) {
            tally if tally.violated == 0 => "all",
            tally if tally.satisfied == 0 => "none",
            _ => "some",
        },
        Formula::Monitor(view, formula) => match monitor::over_all_runs(trace, view, &formula) {
            tally if tally.violated == 0 => "all",
            tally if tally.satisfied == 0 => "none",
            _ => "some",
        },
        Formula::Psl(view, formula) => match psl::over_all_runs(trace, view, &formula) {
            tally if tally.violated == 0 => "all",
            tally if tally.satisfied == 0 => "none",
            _ => "some",
        },
        Formula::M2l(view, formula) => match m2l::over_all_runs(trace, view, formula.program()) {
            tally if tally.violated == 0 => "all",
            tally if tally.satisfied == 0 => "none",
            _ => "some",
        },
        Formula::Ctl(formula) => match ctl::holds(trace, &formula) {
            Some(true) => "holds",
            Some(false) => "violated",
            None => "rejected",
        },
    }
}

/// Each row is a run, a logic, a formula, and the answer.
fn rows(rows: &[(&str, Logic, &str, &str)]) {
    for &(run, logic, formula, expected) in rows {
        let trace = read(run);
        assert_eq!(said(&trace, logic, formula), expected, "{logic:?} {formula} on\n{run}");
        assert_eq!(defined(&trace, logic, formula), expected, "by definition: {logic:?} {formula} on\n{run}");
    }
}

#[test]
fn the_table_of_ltl() {
    rows(&[
        ("A: c0=1 -> c0=0\nB: c1=1 -> c1=0", States, "G !(c0 == 1 && c1 == 1)", "some"),
        ("A: c0=1 -> c0=0\nB: c1=1 -> c1=0\nA.2 -> B.1", States, "G !(c0 == 1 && c1 == 1)", "all"),
        ("P: x=1", States, "F (x == 0)", "all"),
        ("P: x=1", Events, "F (x == 0)", "none"),
        ("P: a=1 -> z=1 -> b=1", States, "F (on(a==1) && X on(b==1))", "none"),
        ("P: a=1 -> z=1 -> b=1", Events, "F (on(a==1) && X on(b==1))", "none"),
        ("A: x=1\nB: x=2", Events, "F (on(x==2) && F on(x==1))", "some"),
        ("A: a=1\nB: b=1", Events, "G (on(a==1) -> F on(b==1))", "some"),
        ("A: a=1\nB: b=1\nA.1 -> B.1", Events, "G (on(a==1) -> F on(b==1))", "all"),
        ("P: x=1 -> x=2 -> x=2", States, "G x >= prev(x)", "all"),
        ("P: x=1 -> x=2 -> x=2", States, "G x > prev(x)", "none"),
        ("P: x=1 -> x=2 -> x=2", States, "x == prev(x)", "all"),
        ("P: x=1 -> x=2 -> x=2", Events, "x == 1 && prev(x) == 0", "all"),
        ("P: x=1 -> z=1", States, "F (x == 1 && prev(x) == 1)", "all"),
    ]);
}

#[test]
fn some_order() {
    let asked = |run: &str| {
        let property = Property::ltl_over_events("G (on(a==1) -> F on(b==1))").unwrap().some();
        check(&read(run), &property, &Options::default(), &Budget::unlimited()).unwrap().verdict
    };
    assert_eq!(asked("A: a=1\nB: b=1"), Verdict::Holds);
    assert_eq!(asked("A: a=1\nB: b=1\nB.1 -> A.1"), Verdict::Violated(Vec::new()));
}

#[test]
fn the_table_of_instances() {
    // Processes, names, keys, values of x, and which event each comes after.
    type Rows = [(&'static str, &'static str, Option<i64>, Option<i64>, Option<usize>)];
    let rows: [(&Rows, &str, &[i64]); 4] = [
        (
            &[("P", "a", Some(1), None, None), ("P", "b", Some(2), None, None), ("P", "c", Some(1), None, None)],
            "ltl over events event(a) -> X event(c)",
            &[],
        ),
        (
            &[("P", "a", Some(1), None, None), ("Q", "z", None, None, Some(0)), ("R", "c", Some(1), None, Some(1))],
            "ltl over events G (event(c) -> O event(a))",
            &[],
        ),
        (&[("P", "s", Some(1), Some(1), None), ("P", "s", Some(2), Some(2), None)], "ltl F x == $v", &[]),
        (&[("P", "s", Some(1), Some(2), None), ("P", "s", Some(2), Some(2), None)], "ltl F x == $v", &[1]),
    ];
    for (events, body, failing) in rows {
        let mut builder = Builder::new();
        let mut ids = Vec::new();
        for &(process, name, key, x, after) in events {
            let process = builder.process(process).unwrap();
            ids.push(builder.event(process, 1).unwrap());
            builder.name(name).unwrap();
            if let Some(key) = key {
                builder.attribute("k", &key.to_string()).unwrap();
            }
            if let Some(x) = x {
                let (var, value) = (builder.variable("x").unwrap(), builder.integer(x).unwrap());
                builder.assign(var, value).unwrap();
            }
            if let Some(after) = after {
                builder.link_events(ids[after], ids[ids.len() - 1]);
            }
        }
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        let text = format!("property p = foreach v in values(k) {{ {body} }}");
        let property = read_props(&text).unwrap().remove(0);
        let answer = check(&trace, &property, &Options::default(), &Budget::unlimited()).unwrap();
        let expected: Vec<Value> = failing.iter().map(|&v| Value::from(v)).collect();
        assert_eq!(answer.instances.unwrap().failing, expected, "{body}");
    }
}

#[test]
fn the_table_of_pairs() {
    type Row = (&'static [i64], &'static str, &'static [(i64, i64)]);
    let rows: [Row; 2] = [
        (&[1, 2, 3], "event(*, k == $v) -> X event(*, k == $w)", &[(1, 1), (2, 2), (3, 3)]),
        (&[1], "F event(*, k == $w)", &[]),
    ];
    for (keys, body, failing) in rows {
        let mut builder = Builder::new();
        let process = builder.process("P").unwrap();
        for key in keys {
            builder.event(process, 1).unwrap();
            builder.attribute("k", &key.to_string()).unwrap();
        }
        let trace = builder.finish(true, &Budget::unlimited()).unwrap();
        let text = format!("property p = foreach v, w in values(k) {{ ltl over events {body} }}");
        let property = read_props(&text).unwrap().remove(0);
        let told = check(&trace, &property, &Options::default(), &Budget::unlimited()).unwrap().instances.unwrap();
        let (first, second): (Vec<Value>, Vec<Value>) =
            failing.iter().map(|&(v, w)| (Value::from(v), Value::from(w))).unzip();
        assert_eq!((told.failing, told.failing_with), (first, second), "{body}");
        assert_eq!(told.total, (keys.len() * (keys.len() + 1) / 2) as u64);
    }
}

#[test]
fn the_table_of_monitors() {
    const TWICE: &str = "initial a; bad c; a -> b: on(x == 1); b -> c: on(x == 1)";
    rows(&[
        ("P: x=1", Monitor, "initial a; bad b; a -> b: on(x == 1)", "none"),
        ("A: x=1\nB: y=1", Monitor, "initial a; bad b; a -> b: on(x == 1); b -> a: on(y == 1)", "some"),
        ("P: x=1 -> y=1", Monitor, "initial a; bad b; a -> b: on(x == 1); b -> a: on(y == 1)", "all"),
        ("P: x=1 -> y=1 -> x=1", Monitor, TWICE, "none"),
        ("P: x=1 -> y=1 -> x=1", Monitor, &format!("{TWICE}; otherwise die"), "all"),
        ("P: x=1 -> x=1", Monitor, "initial a; bad a; a -> b: on(x == 1)", "all"),
        ("P: x=1 -> x=1", Monitor, "initial a; bad a; a -> b: on(x == 1); a -> a: true", "none"),
        ("P: x=1", Monitor, "initial a; bad b; a -> b: x == 0", "all"),
        ("P: x=1", MonitorOverStates, "initial a; bad b; a -> b: x == 0", "none"),
        ("P:", Monitor, "initial a b; bad b", "none"),
        ("P:", MonitorOverStates, "initial a; bad a; otherwise die", "all"),
    ]);
}

#[test]
fn the_table_of_m2l() {
    const EVEN: &str = "ex2 E: 0 in E & (all1 p where p < max $: p in E <=> p + 1 notin E) & max $ in E";
    rows(&[
        ("A: a=1\nB: b=1", M2l, "all1 p: p in `on(a == 1)` => ex1 q: p < q & q in `on(b == 1)`", "some"),
        ("A: a=1\nB: b=1\nA.1 -> B.1", M2l, "all1 p: p in `on(a == 1)` => ex1 q: p < q & q in `on(b == 1)`", "all"),
        ("P: x=1", M2l, "0 in `x == 0`", "all"),
        ("P: x=1", M2lOverEvents, "0 in `x == 0`", "none"),
        ("P: x=1", M2l, EVEN, "none"),
        ("P: x=1", M2lOverEvents, EVEN, "all"),
        ("P: x=1", M2l, "2 in $ | ~empty({2})", "all"),
        ("P: x=1", M2l, "1 in $ & 2 notin $ & max `x == 1` + 1 notin $", "all"),
        ("P: x=1", M2l, "ex1 p where p + 1 in `x == 1`: p in `x == 0`", "all"),
        ("P:", M2lOverEvents, "all1 p: false", "all"),
        ("P:", M2lOverEvents, "ex1 p: true", "none"),
        ("P:", M2lOverEvents, "empty($) & max $ = 0", "all"),
    ]);
}

#[test]
fn the_table_of_ctl() {
    rows(&[
        ("P: x=1", Ctl, "AF (x == 2)", "violated"),
        ("P: x=1", Ctl, "EG (x == 0 || x == 1)", "holds"),
        ("P: y=1 -> x=1", Ctl, "EX (x == 1)", "violated"),
        ("A: y=1\nB: x=1\nA.1 -> B.1", Ctl, "EX (x == 1)", "violated"),
        ("A: y=1\nB: x=1", Ctl, "EX (x == 1)", "holds"),
    ]);
    let trace = read("A: a=1 -> a=2\nB: b=1 -> b=2 -> b=3");
    assert_eq!(count_cuts(&trace, &Budget::unlimited()).unwrap(), 12);
    assert_eq!(Order::of(&trace).cuts().len(), 12);
}

/// "At the full cut there is no step." Without events the empty cut is the full one.
#[test]
fn the_full_cut() {
    const RUN: &str = "initial: f=1, g=0\nP:";
    for (formula, expected) in [
        ("EX true", "violated"),
        ("EX f", "violated"),
        ("AX false", "holds"),
        ("AX g", "holds"),
        ("EG f", "holds"),
        ("EG g", "violated"),
        ("AG f", "holds"),
        ("AG g", "violated"),
        ("EF f", "holds"),
        ("EF g", "violated"),
        ("AF f", "holds"),
        ("AF g", "violated"),
        ("E[f U g]", "violated"),
        ("A[f U g]", "violated"),
        ("E[g U f]", "holds"),
        ("A[g U f]", "holds"),
        ("E[f R g]", "violated"),
        ("A[f R g]", "violated"),
        ("E[g R f]", "holds"),
        ("A[g R f]", "holds"),
        ("E[f W g]", "holds"),
        ("A[f W g]", "holds"),
        ("E[g W f]", "holds"),
        ("A[g W g]", "violated"),
    ] {
        rows(&[(RUN, Ctl, formula, expected)]);
    }
    // The same at the end of a run.
    rows(&[
        ("P: f=1", Ctl, "AG (f -> AX false)", "holds"),
        ("P: f=1", Ctl, "AG (f -> !EX true)", "holds"),
        ("P: f=1", Ctl, "AX AX false", "holds"),
        ("P: f=1", Ctl, "AX EX true", "violated"),
        ("P: f=1 -> f=0", Ctl, "AG AF !f", "holds"),
        ("P: f=1 -> f=1", Ctl, "EG EF !f", "violated"),
    ]);
}

/// "A cut has no event: `on`, `event`, `process` in CTL are errors." "CTL rejects a property whose variables have
/// unordered writes of different values on this trace; other properties are still decided."
#[test]
fn what_ctl_rejects() {
    for formula in ["AG on(x == 1)", "EF event(send)", "AF process(P)"] {
        assert!(parse(Ctl, formula).is_err(), "{formula}");
    }
    let trace = read("A: x=1, y=1\nB: x=2");
    for formula in ["AG (x >= 0)", "EF (x == 3)", "AG (y == 1 -> EF (x == 1))"] {
        let mistakes = ask(&trace, Ctl, formula).expect_err("unordered writes");
        assert!(mistakes.diagnostics().iter().all(|m| m.kind == Kind::UnorderedWrites), "{formula}: {mistakes:?}");
        assert_eq!(defined(&trace, Ctl, formula), "rejected");
    }
    rows(&[
        ("A: x=1, y=1\nB: x=2", Ctl, "AF (y == 1)", "holds"),
        ("A: x=1\nB: x=1", Ctl, "AF (x == 1)", "holds"),
        ("A: x=1\nB: x=2\nA.1 -> B.1", Ctl, "AF (x == 2)", "holds"),
        ("A: x=1 -> x=2\nB: x=2\nA.1 -> B.1", Ctl, "AG (x == 2 -> AX (x == 2))", "holds"),
        // The linear logics follow the run: the later write in that run wins.
        ("A: x=1\nB: x=2", States, "F G (x == 2)", "some"),
        ("A: x=1\nB: x=2", States, "F (x == 1) && F (x == 2)", "all"),
    ]);
}

/// "On the empty word: atoms, `X`, `F`, `U`, `M`, `Y`, `O`, `S` are false; `WX`, `G`, `W`, `R`, `H` are true."
#[test]
fn the_empty_word() {
    const RUN: &str = "initial: x=1\nP:";
    for formula in [
        "x == 1",
        "x",
        "x == 0",
        "on(x == 1)",
        "process(P)",
        "X true",
        "F true",
        "true U true",
        "true M true",
        "Y true",
        "O true",
        "true S true",
        "false",
        "G false -> F true",
    ] {
        rows(&[(RUN, Events, formula, "none")]);
        let negated = format!("!({formula})");
        rows(&[(RUN, Events, &negated, "all")]);
    }
    for formula in ["WX false", "G false", "false W false", "false R false", "H false", "true", "x == 1 <-> x == 0"] {
        rows(&[(RUN, Events, formula, "all")]);
    }
    // Over states the same run has one position.
    rows(&[
        (RUN, States, "x == 1", "all"),
        (RUN, States, "F true && true U true && true M true && O true && true S true", "all"),
        (RUN, States, "X true || Y true || process(P)", "none"),
        (RUN, States, "WX false", "all"),
        (RUN, States, "G false || false W false || false R false || H false", "none"),
    ]);
}

/// "At position 0 of the states view no event has happened: `on(..)`, `event(..)`, `process(..)` are false there."
#[test]
fn atoms_of_events_at_position_0() {
    const RUN: &str = "initial: x=1\nP: e x=1";
    for atom in ["on(x == 1)", "event(e)", "process(P)"] {
        let next = format!("X {atom}");
        rows(&[(RUN, States, atom, "none"), (RUN, States, &next, "all"), (RUN, Events, atom, "all")]);
    }
    rows(&[(RUN, States, "x == 1", "all")]);
}

/// "The event assigns at least one variable of A, and A holds after it."
#[test]
fn triggers() {
    const RUN: &str = "P: x=1 -> y=1 -> z=1 -> x=0, w=1";
    rows(&[
        (RUN, Events, "on(x == 1) && X on(x == 1 && y == 1) && X X !on(x == 1 && y == 1)", "all"),
        (RUN, Events, "X X (x == 1 && y == 1 && on(z == 1 || x == 5))", "all"),
        (RUN, Events, "F on(x == 1 && x == 0)", "none"),
        (RUN, Events, "X X X (on(x == 0) && on(w) && on(x != w) && !on(x == 1))", "all"),
        (RUN, Events, "F on(!(x == 1))", "all"),
        (RUN, Events, "F on(true)", "none"),
        ("A: x=1\nB: y=1", Events, "F on(x == 1 && y == 1)", "all"),
        ("A: x=1\nB: y=1", Events, "F (on(x == 1 && y == 1) && process(A))", "some"),
    ]);
}

/// "`X` strong next (false at the last position), `WX` weak next (true there); `F` `G` `U` (strong) `W` (weak) `R` `M`
/// (strong release); past `Y` `O` `H` `S`." The word is x = 0 1 2.
#[test]
fn operators_on_a_short_word() {
    const RUN: &str = "P: x=1 -> x=2";
    for (formula, expected) in [
        ("X (x == 1)", "all"),
        ("X X X true", "none"),
        ("X X WX false", "all"),
        ("WX WX WX false", "all"),
        ("WX WX false", "none"),
        ("x < 2 U x == 2", "all"),
        ("x < 1 U x == 2", "none"),
        ("x < 3 U x == 3", "none"),
        ("x < 3 W x == 3", "all"),
        ("x < 1 W x == 2", "none"),
        ("x == 1 R x < 2", "all"),
        ("x == 1 R x < 1", "none"),
        ("x == 3 R x < 3", "all"),
        ("x == 3 M x < 3", "none"),
        ("x == 1 M x < 2", "all"),
        ("Y true", "none"),
        ("O (x == 0)", "all"),
        ("H (x == 0)", "all"),
        ("X H (x == 0)", "none"),
        ("X Y (x == 0)", "all"),
        ("X X (O (x == 0) && Y Y (x == 0) && !Y Y Y true)", "all"),
        ("X X (x > 0 S x == 0)", "all"),
        ("X X (x > 1 S x == 0)", "none"),
        ("X X (false S x == 2)", "all"),
        ("X X (true S x == 3)", "none"),
        ("G (x == 2 -> Y (x == 1))", "all"),
        ("F (x == 1 && X (x == 2) && Y (x == 0))", "all"),
    ] {
        rows(&[(RUN, States, formula, expected)]);
    }
}

/// "`X` and `Y` count every event of the run, whatever the formula mentions."
#[test]
fn every_event_counts() {
    rows(&[
        ("P: a=1 -> z=1 -> b=1", Events, "F (on(a) && X X on(b))", "all"),
        ("P: a=1 -> z=1 -> b=1", Events, "F (on(b) && Y on(a))", "none"),
        ("P: a=1 -> @log -> b=1", Events, "F (on(a) && X on(b))", "none"),
        ("P: a=1 -> b=1\nQ: @log", Events, "F (on(a) && X on(b))", "some"),
        ("P: a=1 -> b=1\nQ: @log", States, "X X X !X true", "all"),
        ("P: a=1\nQ: @log", Ctl, "EX (a == 0)", "holds"),
        ("P: a=1\nQ: @log", Ctl, "AX (a == 1)", "violated"),
    ]);
}

/// "Values are exact rationals, booleans (`true` is 1, `false` is 0) and strings. A variable nobody has assigned yet has
/// its declared initial value; else `""` if it only ever takes strings, else 0. `==`/`!=` between a number and a string
/// is false/true."
#[test]
fn values() {
    rows(&[
        ("P: x=1/3", States, "F (x * 3 == 1)", "all"),
        ("P: x=0.1, y=0.2", States, "F (x + y == 0.3)", "all"),
        ("P: x=9223372036854775807", States, "F (x + 1 == 9223372036854775808)", "all"),
        ("P: x=9223372036854775807", States, "F (x + 1 < x)", "none"),
        ("P: x=-1", States, "F (-x == 1 && x * x == 1 && 2*x + 1 < x + 1)", "all"),
        ("P: b=true", States, "F (b == 1) && F b && F (b == true) && b == false", "all"),
        ("P: b=true", Ctl, "AF b", "holds"),
        ("initial: x=7\nP: x=1", States, "x == 7 && F (x == 1)", "all"),
        ("initial: x=7\nP: y=1", States, "G (x == 7)", "all"),
        ("P: x=1", States, "x == 0", "all"),
        ("P: s=busy", States, "s == \"\" && s != 0 && F (s == \"busy\")", "all"),
        ("P: s=busy -> s=1", States, "s == 0 && s != \"\"", "all"),
        ("P: s=1 -> s=busy", States, "s == 0", "all"),
        ("initial: s=idle, n=0\nP: n=1", States, "s == \"idle\"", "all"),
        ("initial: s=idle, n=0\nP: n=1", States, "s == 0 || s == n || n == \"0\" || n == s", "none"),
        ("initial: s=idle, n=0\nP: n=1", States, "s != 0 && s != n && n != \"0\" && n != s", "all"),
        ("initial: s=a, t=a\nP: t=b", States, "s == t && F (s != t)", "all"),
        ("P: s=busy", Ctl, "AF (s == \"busy\")", "holds"),
    ]);
}

/// "An order comparison with a string, arithmetic on one, or a bare string as an atom is a type error."
#[test]
fn type_errors() {
    for run in ["P: s=busy", "P: s=busy -> s=1", "initial: s=idle\nP: s=1"] {
        let trace = read(run);
        for formula in ["s < 1", "1 >= s", "s + 1 == 2", "-s == 0", "s", "G !s", "F on(s > 0)"] {
            let mistakes = ask(&trace, States, formula).expect_err(formula);
            assert!(mistakes.diagnostics().iter().all(|m| m.kind == Kind::Type), "{formula} on {run}: {mistakes:?}");
        }
        for formula in ["AG (s < 1)", "EF s"] {
            let mistakes = ask(&trace, Ctl, formula).expect_err(formula);
            assert!(mistakes.diagnostics().iter().all(|m| m.kind == Kind::Type), "{formula} on {run}: {mistakes:?}");
        }
    }
    for formula in ["x < \"a\"", "x + \"a\" == 1", "\"a\""] {
        assert!(ask(&read("P: x=1"), States, formula).is_err(), "{formula}");
    }
}

/// "Division by zero makes the comparison false; it is reported once as a warning."
#[test]
fn division_by_zero() {
    const RUN: &str = "initial: y=0\nP: x=1 -> y=2";
    for (formula, expected) in [
        ("1 / y == 1", "none"),
        ("1 / y != 1", "none"),
        ("!(1 / y == 1)", "all"),
        ("1 / y <= 5 || 1 / y > 5", "none"),
        ("1 / y", "none"),
        ("!(1 / y)", "all"),
        ("0 * (1 / y) == 0", "none"),
        ("-(x / y) == 0 || 1 / (1 / y) == 0", "none"),
        ("G (1 / y == 1 / y)", "none"),
        ("F (1 / y == 0.5)", "all"),
        ("F on(!(1 / y > 1))", "all"),
    ] {
        rows(&[(RUN, States, formula, expected)]);
    }
    rows(&[(RUN, Ctl, "AG (1 / y != 7)", "violated"), (RUN, Ctl, "AF (1 / y == 0.5)", "holds")]);
    let trace = read(RUN);
    for (logic, formula) in [(States, "G !(1 / y == 7 || 2 / y == 7)"), (Ctl, "AG !(1 / y == 7 || 2 / y == 7)")] {
        assert_eq!(ask(&trace, logic, formula).unwrap().warnings.len(), 1, "{formula}");
    }
    assert_eq!(ask(&trace, States, "F (y == 2)").unwrap().warnings, []);
}

/// A quotient without a value is no number, so the rule for a number and a string does not apply to it.
#[test]
fn division_by_zero_beside_a_string() {
    const RUN: &str = "initial: y=0, s=a\nP: x=1";
    rows(&[
        (RUN, States, "s == 1 / y", "none"),
        (RUN, States, "s != 1 / y", "none"),
        (RUN, States, "1 / y != s", "none"),
        (RUN, States, "\"a\" != 1 / y", "none"),
        (RUN, Ctl, "EF (s != 1 / y)", "violated"),
    ]);
}

/// "Outside SEREs, `&`, `|`, `=>`, `=` are accepted for `&&`, `||`, `->`, `==`." "Precedence, tightest first: arithmetic,
/// comparisons, unary operators, `U W R M S` (right), `&&`, `||`, `->` (right), `<->`."
#[test]
fn ways_of_writing() {
    for (one, other) in [
        ("a & b | c => d = 1", "a && b || c -> d == 1"),
        ("a + b * 2 < c - 1", "(a + (b * 2)) < (c - 1)"),
        ("! a == 1", "!(a == 1)"),
        ("X a == 1 U b", "(X (a == 1)) U b"),
        ("a U b U c", "a U (b U c)"),
        ("a W b R c", "a W (b R c)"),
        ("a M b S c", "a M (b S c)"),
        ("a U b && c U d", "(a U b) && (c U d)"),
        ("a && b || c && d", "(a && b) || (c && d)"),
        ("a || b -> c || d", "(a || b) -> (c || d)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b <-> c -> d", "(a -> b) <-> (c -> d)"),
        ("G F a", "G (F a)"),
    ] {
        assert_eq!(parse(States, one).unwrap().formula, parse(States, other).unwrap().formula, "{one}");
    }
}

/// Two unordered events `A.1` (x:=1) and `B.1` (x:=2), B's read first, with these times and edges from A to B.
fn two_writes(times: Option<[i64; 2]>, ordered: bool, sequence: bool) -> Trace {
    let mut builder = Builder::new();
    let var = builder.variable("x").unwrap();
    let processes = ["B", "A"].map(|name| builder.process(name).unwrap());
    for (i, value) in [2, 1].into_iter().enumerate() {
        builder.event(processes[i], i as u64 + 1).unwrap();
        let value = builder.value(Value::Number(value.into())).unwrap();
        builder.assign(var, value).unwrap();
        if let Some(times) = times {
            builder.time(times[i].into());
        }
    }
    if ordered {
        builder.edge((processes[1], 0), (processes[0], 0), 1, [1, 1]);
    }
    builder.finish(sequence, &Budget::unlimited()).unwrap()
}

/// "`observed`: what the order in the file (or by time stamp) did."
#[test]
fn the_observed_order() {
    use Observed::{Holds, Violated};
    for (times, ordered, sequence, expected) in [
        // By line: x = 0 2 1.
        (None, false, true, Some(Holds)),
        // The lines are no run.
        (None, true, true, None),
        // The format has no order of lines.
        (None, false, false, None),
        // By time, whatever the lines say.
        (Some([1, 2]), false, true, Some(Holds)),
        (Some([2, 1]), false, true, Some(Violated)),
        (Some([2, 1]), false, false, Some(Violated)),
        (Some([2, 1]), true, true, Some(Violated)),
        // Equal times: by line where that is free, else as happened-before says.
        (Some([1, 1]), false, true, Some(Holds)),
        (Some([1, 1]), true, true, Some(Violated)),
        // Times that contradict happened-before, and lines that do too.
        (Some([1, 2]), true, true, None),
    ] {
        let trace = two_writes(times, ordered, sequence);
        let answer = ask(&trace, States, "F G (x == 1)").unwrap();
        assert_eq!(answer.observed(), expected, "times {times:?}, ordered {ordered}, sequence {sequence}");
        let Formula::Ltl(view, formula) = parse(States, "F G (x == 1)").unwrap().formula else { unreachable!() };
        assert_eq!(view, View::States);
        let defined = trace.observed().map(|run| match ltl::satisfies(&trace, run, view, &formula) {
            true => Holds,
            false => Violated,
        });
        assert_eq!(defined, expected);
    }
    assert_eq!(ask(&two_writes(None, false, true), Ctl, "AG true").unwrap().observed(), None);
}

/// "A cycle is an error that names the events on it."
#[test]
fn cycles() {
    let failure = text::read("A: x=1 -> x=2\nB: y=1\nA.2 -> B.1\nB.1 -> A.1".as_bytes(), &Budget::unlimited());
    let shown = format!("{:?}", failure.expect_err("a cycle"));
    assert!(["Cycle", "A.1", "A.2", "B.1"].iter().all(|part| shown.contains(part)), "{shown}");
}
