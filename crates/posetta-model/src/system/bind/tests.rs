//! Properties as written, on a small system.

use crate::system::{
    Action, Behaviour, Component, Demand, Letter, Lts, LtsArc, Net, Place, Predicate, Spec, System, Transition,
};
use posetta_base::{ActionId, ComponentId, Kind, Mistakes, Place as Spot};
use posetta_logic::{Compare, Ctl, CtlUnary, Ltl, LtlUnary, Path, Property, View};

fn id(n: usize) -> ActionId {
    ActionId::new(n).unwrap()
}

/// `Phil` does `take`, `drop` and, unseen, `think`; the net `Table` does `take` and `both`, and has places `fork`, `both`, `x`; so does `Other`, with
/// the one place `x`.
fn system() -> System {
    let component = |n: usize| ComponentId::new(n).unwrap();
    let action = |name: &str, internal, parts: &[usize]| Action {
        name: name.into(),
        internal,
        parts: parts.iter().map(|&p| component(p)).collect(),
    };
    let lts = Lts {
        states: vec!["thinking".into(), "eating".into()],
        initial: 0,
        arcs: vec![
            LtsArc { from: 0, action: id(0), to: 1 },
            LtsArc { from: 0, action: id(2), to: 0 },
            LtsArc { from: 1, action: id(1), to: 0 },
        ],
    };
    let net = |places: &[&str], transitions| Net {
        places: places.iter().map(|&p| Place { name: p.into(), initial: 1 }).collect(),
        transitions,
        units: None,
    };
    let take = Transition { action: id(0), takes: vec![(0, 1)], puts: vec![(1, 2)] };
    let both = Transition { action: id(3), takes: vec![(1, 1)], puts: vec![] };
    let made = |name: &str, behaviour| Component { name: name.into(), behaviour };
    System {
        name: "dinner".to_owned(),
        actions: vec![
            action("take", false, &[0, 1]),
            action("drop", false, &[0]),
            action("think", true, &[0]),
            action("both", false, &[1]),
        ],
        components: vec![
            made("Phil", Behaviour::Lts(lts)),
            made("Table", Behaviour::Net(net(&["fork", "both", "x"], vec![take, both]))),
            made("Other", Behaviour::Net(net(&["x"], vec![]))),
        ],
        warnings: Vec::new(),
    }
}

fn ltl(text: &str) -> Result<Spec, Mistakes> {
    system().bind(&Property::ltl(text).unwrap(), &[])
}

fn ctl(text: &str) -> Result<Spec, Mistakes> {
    system().bind(&Property::ctl(text).unwrap(), &[])
}

fn linear(terms: &[(u32, i64)], op: Compare, bound: i64) -> Predicate {
    Predicate::Linear(terms.to_vec(), op, bound)
}

#[test]
fn names_are_letters_of_runs() {
    let letter = |l| Box::new(Ltl::Atom(l));
    let take = Letter::Action(id(0));
    for (text, formula) in [
        ("F take", Ltl::Unary(LtlUnary::Finally, letter(take))),
        ("F event(take)", Ltl::Unary(LtlUnary::Finally, letter(take))),
        ("F think", Ltl::Unary(LtlUnary::Finally, letter(Letter::Action(id(2))))),
        ("F event(both)", Ltl::Unary(LtlUnary::Finally, letter(Letter::Action(id(3))))),
        ("F deadlock", Ltl::Unary(LtlUnary::Finally, letter(Letter::Deadlock))),
        ("F $\"divergence\"", Ltl::Unary(LtlUnary::Finally, letter(Letter::Divergence))),
        ("G true", Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::True))),
        (
            "G (take -> F (deadlock || drop))",
            Ltl::Unary(
                LtlUnary::Globally,
                Box::new(Ltl::Implies(
                    letter(take),
                    Box::new(Ltl::Unary(
                        LtlUnary::Finally,
                        Box::new(Ltl::Or(vec![Ltl::Atom(Letter::Deadlock), Ltl::Atom(Letter::Action(id(1)))])),
                    )),
                )),
            ),
        ),
    ] {
        assert_eq!(ltl(text).unwrap().demand, Demand::Actions(formula.clone()), "{text}");
        let over = Property::ltl_over(View::Events, text).unwrap();
        assert_eq!(system().bind(&over, &[]).unwrap().demand, Demand::Actions(formula), "{text}");
    }
}

#[test]
fn the_next_action_needs_all_to_be_observed() {
    for text in ["X take", "G (take -> X drop)", "G (drop -> Y take)", "F WX take"] {
        let mistakes = ltl(text).unwrap_err();
        assert_eq!((mistakes.len(), mistakes[0].kind), (1, Kind::Unsupported));
        assert!(mistakes[0].help.as_ref().unwrap().contains("`think`"), "{mistakes:?}");
        let property = Property::ltl(text).unwrap();
        let all: Vec<ActionId> = system().action_ids().collect();
        assert!(system().bind(&property, &all).is_ok(), "{text}");
        let others: Vec<ActionId> = all.iter().copied().filter(|a| a.index() != 0).collect();
        assert!(system().bind(&property, &others).is_ok(), "what the formula names is observed: {text}");
    }
    assert!(ltl("X enabled(take)").is_ok(), "the next state is always seen");
    assert!(ltl("X (take || drop || think || event(both))").is_ok());
}

#[test]
fn conditions_are_sums_of_tokens() {
    for (text, predicate) in [
        ("fork > 0", linear(&[(1, 1)], Compare::Gt, 0)),
        ("fork", linear(&[(1, 1)], Compare::Ne, 0)),
        ("Table.fork", linear(&[(1, 1)], Compare::Ne, 0)),
        ("Table.x <= Other.x", linear(&[(3, 1), (4, -1)], Compare::Le, 0)),
        ("fork + 2*both <= Table.x + 3", linear(&[(1, 1), (2, 2), (3, -1)], Compare::Le, 3)),
        ("fork / 2 - both / 3 < 0.5", linear(&[(1, 3), (2, -2)], Compare::Lt, 3)),
        ("fork / -2 < 1", linear(&[(1, -1)], Compare::Lt, 2)),
        ("-(fork - 1) == both - fork", linear(&[(2, -1)], Compare::Eq, -1)),
        ("fork - fork", Predicate::Constant(false)),
        ("2 * 3 == 6", Predicate::Constant(true)),
        ("0 * fork > 1", Predicate::Constant(false)),
        ("Phil == \"eating\"", linear(&[(0, 1)], Compare::Eq, 1)),
        ("\"thinking\" != Phil", linear(&[(0, 1)], Compare::Ne, 0)),
        ("enabled(take)", Predicate::Enabled(vec![id(0)])),
        ("deadlock", Predicate::Dead),
        ("!deadlock", Predicate::Not(Box::new(Predicate::Dead))),
    ] {
        assert_eq!(system().bind_condition(text).unwrap(), predicate, "{text}");
        if text.contains("deadlock") {
            continue;
        }
        assert_eq!(ltl(&format!("G ({text})")).unwrap().demand, Demand::Invariant(predicate.clone()), "{text}");
        assert_eq!(ctl(&format!("AG ({text})")).unwrap().demand, Demand::Invariant(predicate.clone()), "{text}");
        assert_eq!(ctl(&format!("EF ({text})")).unwrap().demand, Demand::Reach(predicate), "{text}");
    }
}

#[test]
fn formulas_over_states_keep_their_shape() {
    let fork = || linear(&[(1, 1)], Compare::Ne, 0);
    assert_eq!(
        ltl("G (fork -> F deadlock)").unwrap().demand,
        Demand::States(Ltl::Unary(
            LtlUnary::Globally,
            Box::new(Ltl::Implies(
                Box::new(Ltl::Atom(fork())),
                Box::new(Ltl::Unary(LtlUnary::Finally, Box::new(Ltl::Atom(Predicate::Dead)))),
            )),
        ))
    );
    assert_eq!(
        ctl("AX EF fork").unwrap().demand,
        Demand::Branching(Ctl::Unary(
            Path::All,
            CtlUnary::Next,
            Box::new(Ctl::Unary(Path::Some, CtlUnary::Finally, Box::new(Ctl::Atom(fork())))),
        ))
    );
    let both_ways = Predicate::Or(vec![
        Predicate::And(vec![fork(), Predicate::Dead]),
        Predicate::And(vec![Predicate::Not(Box::new(fork())), Predicate::Not(Box::new(Predicate::Dead))]),
    ]);
    assert_eq!(ctl("AG (fork <-> deadlock)").unwrap().demand, Demand::Invariant(both_ways));
    let implied = Predicate::Or(vec![Predicate::Not(Box::new(fork())), Predicate::Dead]);
    assert_eq!(system().bind_condition("fork -> deadlock").unwrap(), implied);
}

/// What the caret stands under.
fn beneath(place: &Spot) -> String {
    let text = place.text.as_deref().unwrap_or_default();
    text.chars().skip((place.column - 1 - place.skipped) as usize).take(place.width as usize).collect()
}

#[test]
fn mistakes_are_told_where_they_are() {
    use Kind::{Definition, TooLarge, Type, UnknownVariable, Unsupported};
    let huge = format!("G (fork < 1{})", "0".repeat(30));
    let product = "G (4000000000 * 4000000000 * fork < 1)";
    for (result, kind, words, under) in [
        (ltl("F tak"), UnknownVariable, "did you mean `take`?", "tak"),
        (ltl("F zzz"), UnknownVariable, "the actions are `take`, `drop`, `think`, `both`", "zzz"),
        (ltl("F event(tak)"), UnknownVariable, "did you mean `take`?", "tak"),
        (ltl("F enabled(Drop)"), UnknownVariable, "did you mean `drop`?", "Drop"),
        (ltl("F (frk > 1)"), UnknownVariable, "did you mean `fork`?", "frk"),
        (ltl("F both"), Definition, "write event(both) or both > 0", "both"),
        (ltl("F x"), Definition, "`Table.x`, `Other.x`", "x"),
        (ltl("F Phil"), Type, "write Phil == \"thinking\"", "Phil"),
        (ltl("F (Phil == 1)"), Type, "compared with strings", "Phil"),
        (ltl("F (Phil == Phil)"), Type, "compared with strings", "Phil == Phil"),
        (ltl("F (Phil == eating)"), Type, "expected \"eating\"", "eating"),
        (ltl("F (Phil == \"eatin\")"), UnknownVariable, "did you mean \"eating\"?", "\"eatin\""),
        (ltl("F (Phil == \"asleep\")"), UnknownVariable, "the states are `thinking`, `eating`", "\"asleep\""),
        (ltl("F (Phil == asleep)"), UnknownVariable, "the states are `thinking`, `eating`", "asleep"),
        (ltl("F (Phil + 1 > 2)"), Type, "a component, and no number", "Phil"),
        (ltl("F (fork == \"eating\")"), Type, "a string is compared with a number", "fork == \"eating\""),
        (ltl("F (take == 1)"), Type, "an action, which has no value", "take"),
        (ltl("F (deadlock > 1)"), Type, "`deadlock` has no value", "deadlock"),
        (ltl("F (fork * x.y > 1)"), UnknownVariable, "no action, component or place `x.y`", "x.y"),
        (ltl("F (fork * fork > 1)"), Unsupported, "two places are multiplied", "fork * fork"),
        (ltl("F (1 / fork > 1)"), Unsupported, "divided by constants only", "fork"),
        (ltl("F (fork / 0 > 1)"), Unsupported, "divided by constants only", "fork"),
        (ltl(&huge), TooLarge, "2^62", huge.as_str()),
        (ltl(product), TooLarge, "2^62", product),
        (ltl("F (take && fork > 0)"), Type, "`take` is an action", "take"),
        (ltl("F (fork > 0 && divergence)"), Type, "`divergence` is said of runs", "divergence"),
        (ltl("F on(fork)"), Unsupported, "`on` speaks of events of a run", "fork"),
        (ltl("F process(Phil)"), Unsupported, "belongs to no process", "Phil"),
        (ctl("EF take"), Type, "CTL speaks of states", "take"),
        (ctl("EF divergence"), Type, "CTL speaks of states", "divergence"),
        (
            system().bind(&Property::ltl_over(View::Events, "G fork").unwrap(), &[]),
            Unsupported,
            "over events",
            "G fork",
        ),
        (
            system().bind(&Property::psl_over(View::States, "always fork").unwrap(), &[]),
            Unsupported,
            "PSL",
            "always fork",
        ),
    ] {
        let mistakes = result.map(|spec| spec.demand).unwrap_err();
        let [mistake] = &mistakes[..] else { panic!("{words}: {mistakes:?}") };
        let told = format!("{}\n{:?}\n{:?}", mistake.message, mistake.label, mistake.help).replace("\\\"", "\"");
        assert!(told.contains(words), "{words}: {mistake:?}");
        assert_eq!((mistake.kind, beneath(mistake.place.as_deref().unwrap()).as_str()), (kind, under), "{mistake:?}");
    }
}

#[test]
fn conditions_have_neither_operators_of_time_nor_actions() {
    for (text, words) in [
        ("F fork", "single states"),
        ("response(fork, both > 0)", "single states"),
        ("take", "enabled(…)"),
        ("event(take)", "enabled(…)"),
        ("fork >", "expected"),
    ] {
        let mistakes = system().bind_condition(text).unwrap_err();
        assert!(format!("{mistakes:?}").contains(words), "{text}: {mistakes:?}");
    }
    let nested = (0..100).fold("fork".to_owned(), |f, _| format!("({f} <-> deadlock)"));
    assert_eq!(system().bind_condition(&nested).unwrap_err()[0].kind, Kind::TooLarge);
    assert!(matches!(ctl(&format!("AG {nested}")).unwrap().demand, Demand::Branching(_)));
}

#[test]
fn observed_actions_are_found_by_name() {
    let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    assert_eq!(system().find_actions(&names(&["drop", "take"])).unwrap(), [id(1), id(0)]);
    let mistakes = system().find_actions(&names(&["drop", "tke", "zzz"])).unwrap_err();
    assert_eq!(mistakes.len(), 2);
    assert_eq!(mistakes[0].label.as_deref(), Some("did you mean `take`?"));
}
