//! Formulas of the contest.

use super::{is_property_set, read};
use crate::pnml;
use crate::system::{Demand, Predicate, Spec, System};
use posetta_base::{Kind, Mistakes, Place};
use posetta_logic::{Compare, Ctl, CtlBinary, CtlUnary, Ltl, LtlBinary, LtlUnary, Path};

fn system() -> System {
    let net = "<pnml><net id='n' type='ptnet'><place id='p'/><place id='q'/><transition id='t'/><transition id='u'/></net></pnml>";
    pnml::read(net).unwrap()
}

fn set(formulas: &[&str]) -> String {
    let property = |(i, f): (usize, &&str)| format!("<property><id>F{i}</id><formula>{f}</formula></property>\n");
    let properties: String = formulas.iter().enumerate().map(property).collect();
    format!("<property-set xmlns='http://mcc.lip6.fr/'>\n{properties}</property-set>")
}

fn one(formula: &str) -> Result<Spec, Mistakes> {
    read(&system(), &set(&[formula])).map(|mut specs| specs.remove(0))
}

const T: &str = "<is-fireable><transition>t</transition></is-fireable>";
const U: &str = "<is-fireable><transition> u </transition><transition>t</transition></is-fireable>";
const P: &str = "<integer-le><integer-constant>2</integer-constant><tokens-count><place>p</place><place>q</place></tokens-count></integer-le>";

fn enabled(actions: &[usize]) -> Predicate {
    let system = system();
    let ids: Vec<_> = system.action_ids().collect();
    Predicate::Enabled(actions.iter().map(|&i| ids[i]).collect())
}

/// `2 <= p + q`.
fn many() -> Predicate {
    Predicate::Linear(vec![(0, -1), (1, -1)], Compare::Le, -2)
}

#[test]
fn formulas_are_read_as_the_logic_they_belong_to() {
    let ltl = |p| Box::new(Ltl::Atom(p));
    let ctl = |p| Box::new(Ctl::Atom(p));
    let not = |p| Predicate::Not(Box::new(p));
    let few = |place| Predicate::Linear(vec![(place, 1)], Compare::Le, 2);
    let empty = |place| Predicate::Linear(vec![(place, 1)], Compare::Eq, 0);
    let can = |t| Ctl::Unary(Path::Some, CtlUnary::Finally, ctl(enabled(&[t])));
    let always = |f| Ctl::Unary(Path::All, CtlUnary::Globally, Box::new(f));
    for (formula, demand, text) in [
        (
            format!("<all-paths><globally><next><negation>{U}</negation></next></globally></all-paths>"),
            Demand::States(Ltl::Unary(
                LtlUnary::Globally,
                Box::new(Ltl::Unary(LtlUnary::Next, Box::new(Ltl::Not(ltl(enabled(&[0, 1])))))),
            )),
            "A G X !fireable(u, t)",
        ),
        (
            format!("<all-paths><until><before>{T}</before><reach><finally>{P}</finally></reach></until></all-paths>"),
            Demand::States(Ltl::Binary(
                LtlBinary::Until,
                ltl(enabled(&[0])),
                Box::new(Ltl::Unary(LtlUnary::Finally, ltl(many()))),
            )),
            "A (fireable(t) U F (2 <= p + q))",
        ),
        (
            format!("<all-paths><globally><negation>{P}</negation></globally></all-paths>"),
            Demand::Invariant(not(many())),
            "A G !(2 <= p + q)",
        ),
        (
            format!("<exists-path><finally><conjunction>{T}{P}</conjunction></finally></exists-path>"),
            Demand::Reach(Predicate::And(vec![enabled(&[0]), many()])),
            "E F (fireable(t) && 2 <= p + q)",
        ),
        (
            "<exists-path><finally><deadlock/></finally></exists-path>".to_owned(),
            Demand::Reach(Predicate::Dead),
            "E F deadlock",
        ),
        (
            format!("<exists-path><next><all-paths><globally>{T}</globally></all-paths></next></exists-path>"),
            Demand::Branching(Ctl::Unary(
                Path::Some,
                CtlUnary::Next,
                Box::new(Ctl::Unary(Path::All, CtlUnary::Globally, ctl(enabled(&[0])))),
            )),
            "E X A G fireable(t)",
        ),
        (
            format!(
                "<negation><exists-path><until><before>{T}</before><reach>{P}</reach></until></exists-path></negation>"
            ),
            Demand::Branching(Ctl::Not(Box::new(Ctl::Binary(
                Path::Some,
                CtlBinary::Until,
                ctl(enabled(&[0])),
                ctl(many()),
            )))),
            "!E (fireable(t) U 2 <= p + q)",
        ),
        // Some path does not always have it: not all paths always do.
        (
            format!("<exists-path><negation><globally>{T}</globally></negation></exists-path>"),
            Demand::Branching(Ctl::Not(Box::new(Ctl::Unary(Path::All, CtlUnary::Globally, ctl(enabled(&[0])))))),
            "E !G fireable(t)",
        ),
        (
            format!("<disjunction><exists-path>{T}</exists-path><false/></disjunction>"),
            Demand::Branching(Ctl::Or(vec![Ctl::Atom(enabled(&[0])), Ctl::Atom(Predicate::Constant(false))])),
            "E fireable(t) || false",
        ),
        (
            format!("<all-paths><finally><exclusive-disjunction>{T}{P}</exclusive-disjunction></finally></all-paths>"),
            Demand::States(Ltl::Unary(
                LtlUnary::Finally,
                Box::new(Ltl::Not(Box::new(Ltl::Iff(ltl(enabled(&[0])), ltl(many()))))),
            )),
            "A F !(fireable(t) <-> 2 <= p + q)",
        ),
        (
            format!(
                "<all-paths><finally><implication>{T}<equivalence>{T}{P}</equivalence></implication></finally></all-paths>"
            ),
            Demand::States(Ltl::Unary(
                LtlUnary::Finally,
                Box::new(Ltl::Implies(ltl(enabled(&[0])), Box::new(Ltl::Iff(ltl(enabled(&[0])), ltl(many()))))),
            )),
            "A F (fireable(t) -> (fireable(t) <-> 2 <= p + q))",
        ),
        (
            "<place-bound><place>q</place><place>p</place></place-bound>".to_owned(),
            Demand::Bound(vec![0, 1]),
            "bound(q, p)",
        ),
        (
            "<k-safe><integer-constant>2</integer-constant></k-safe>".to_owned(),
            Demand::Invariant(Predicate::And(vec![few(0), few(1)])),
            "k-safe(2)",
        ),
        ("<quasi-liveness/>".to_owned(), Demand::Branching(Ctl::And(vec![can(0), can(1)])), "quasi-liveness"),
        ("<liveness/>".to_owned(), Demand::Branching(Ctl::And(vec![always(can(0)), always(can(1))])), "liveness"),
        (
            "<stable-marking/>".to_owned(),
            Demand::Branching(Ctl::Or(vec![always(Ctl::Atom(empty(0))), always(Ctl::Atom(empty(1)))])),
            "stable-marking",
        ),
    ] {
        let spec = one(&formula).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
        assert_eq!((&*spec.source, spec.name.as_deref()), (text, Some("F0")));
        assert_eq!(spec.demand, demand, "{text}");
        assert_eq!((spec.span.start, spec.span.end), (0, text.len()));
    }
}

#[test]
fn numbers_are_added_and_compared() {
    let number = |n: i64| format!("<integer-constant>{n}</integer-constant>");
    let tokens = |p: &str| format!("<tokens-count><place>{p}</place></tokens-count>");
    let sum = format!("<integer-sum>{}{}{}</integer-sum>", tokens("p"), tokens("q"), number(3));
    let less = format!("<integer-difference>{}{sum}</integer-difference>", tokens("p"));
    for (op, a, b, predicate, text) in [
        ("eq", sum.clone(), number(5), Predicate::Linear(vec![(0, 1), (1, 1)], Compare::Eq, 2), "p + q + 3 == 5"),
        ("ne", sum.clone(), tokens("q"), Predicate::Linear(vec![(0, 1)], Compare::Ne, -3), "p + q + 3 != q"),
        ("lt", less, number(0), Predicate::Linear(vec![(1, -1)], Compare::Lt, 3), "p - (p + q + 3) < 0"),
        ("ge", number(2), number(2), Predicate::Constant(true), "2 >= 2"),
        ("gt", number(2), number(2), Predicate::Constant(false), "2 > 2"),
    ] {
        let formula = format!("<all-paths><globally><integer-{op}>{a}{b}</integer-{op}></globally></all-paths>");
        let spec = one(&formula).unwrap();
        assert_eq!(spec.demand, Demand::Invariant(predicate), "{text}");
        assert_eq!(&*spec.source, format!("A G ({text})"));
    }
}

/// What the caret stands under.
fn beneath(place: &Place) -> String {
    let text = place.text.as_deref().unwrap_or_default();
    text.chars().skip((place.column - 1 - place.skipped) as usize).take(place.width as usize).collect()
}

#[test]
fn mistakes_are_told_where_they_are() {
    let f = |inner: &str| format!("<exists-path><finally>{inner}</finally></exists-path>");
    for (formula, kind, words, under) in [
        (f("<is-fireable><transition>tt</transition></is-fireable>"), Kind::Definition, "no transition `tt`", "tt"),
        (f("<is-fireable/>"), Kind::Syntax, "names no transition", "<is-fireable"),
        (f("<is-fireable><place>p</place></is-fireable>"), Kind::Unsupported, "`place` has no meaning", "<place"),
        (
            f(
                "<integer-le><integer-constant>1</integer-constant><tokens-count><place>x</place></tokens-count></integer-le>",
            ),
            Kind::Definition,
            "no place `x`",
            "x",
        ),
        (
            f(
                "<integer-le><integer-constant>one</integer-constant><integer-constant>1</integer-constant></integer-le>",
            ),
            Kind::Syntax,
            "not a whole number",
            "one",
        ),
        (f("<integer-le/>"), Kind::Syntax, "two sides", "<integer-le"),
        (f("<integer-le><true/><true/></integer-le>"), Kind::Unsupported, "`true` is not a number", "<true"),
        (f("<tokens-count/>"), Kind::Type, "this is a number", "<tokens-count"),
        (f("<liveness/>"), Kind::Unsupported, "`liveness` is not an operator", "<liveness"),
        ("<k-safe><true/></k-safe>".to_owned(), Kind::Syntax, "not a number of tokens", "<true"),
        ("<k-safe/>".to_owned(), Kind::Syntax, "`k-safe` has no operand", "<k-safe"),
        (f("<is-live/>"), Kind::Unsupported, "`is-live` is not an operator", "<is-live"),
        (f(""), Kind::Syntax, "`finally` has no operand", "<finally"),
        (f("<true/><false/>"), Kind::Syntax, "`finally` has several operands", "<false"),
        (f("<implication><true/></implication>"), Kind::Syntax, "too few operands", "<implication"),
        (f("<until><before><true/></before></until>"), Kind::Syntax, "has no `reach`", "<until"),
        (f("<globally><true/></globally>"), Kind::Unsupported, "neither LTL nor CTL", "<globally"),
        ("<globally><true/></globally>".to_owned(), Kind::Unsupported, "neither LTL nor CTL", "<globally"),
    ] {
        let mistakes = one(&formula).unwrap_err();
        let [mistake] = &mistakes[..] else { panic!("{formula}: {mistakes:?}") };
        let place = mistake.place.as_deref().unwrap();
        assert!(mistake.message.contains(words), "{formula}: {mistake:?}");
        assert_eq!((mistake.kind, place.line, beneath(place).as_str()), (kind, 2, under), "{formula}: {mistake:?}");
    }
    for (source, words) in [
        ("<pnml/>".to_owned(), "the document is a `pnml`"),
        (set(&[]), "no property"),
        ("<property-set><formula/></property-set>".to_owned(), "`formula` has no meaning"),
        ("<property-set><property/></property-set>".to_owned(), "no `id`"),
        ("<property-set><property><id>a</id></property></property-set>".to_owned(), "no `formula`"),
        (set(&["<true/>", "<true/>"]).replace("F1", "F0"), "two properties called `F0`"),
    ] {
        let mistakes = read(&system(), &source).unwrap_err();
        assert!(mistakes.len() == 1 && mistakes[0].message.contains(words), "{words}: {mistakes:?}");
    }
}

#[test]
fn all_mistakes_are_told_up_to_a_number() {
    let bad = "<is-fireable><transition>zzz</transition></is-fireable>";
    let both = format!("<conjunction>{bad}{T}<is-live/></conjunction>");
    assert_eq!(read(&system(), &set(&[&both, &both])).unwrap_err().len(), 4);
    assert_eq!(read(&system(), &set(&[bad; 100])).unwrap_err().len(), 20);
}

#[test]
fn nothing_explodes() {
    // As many equivalences inside each other would as predicates have as many parts as there are atoms.
    let nested = (0..60).fold(T.to_owned(), |f, _| format!("<equivalence>{f}{P}</equivalence>"));
    let spec = one(&format!("<exists-path><finally>{nested}</finally></exists-path>")).unwrap();
    assert!(matches!(spec.demand, Demand::Branching(_)));
    let spec = one(&format!("<all-paths><globally>{nested}</globally></all-paths>")).unwrap();
    assert!(matches!(spec.demand, Demand::States(_)));
    let wide = format!("<exclusive-disjunction>{}</exclusive-disjunction>", T.repeat(10_000));
    assert!(one(&wide).is_ok());
    let count = "<integer-constant>1</integer-constant>";
    let sum = format!("<integer-le><integer-sum>{}</integer-sum>{count}</integer-le>", count.repeat(10_000));
    assert!(one(&sum).is_ok());
    let deep = format!("{}{T}{}", "<negation>".repeat(240), "</negation>".repeat(240));
    assert!(one(&deep).is_ok());
    let deeper = format!("{}{T}{}", "<negation>".repeat(50_000), "</negation>".repeat(50_000));
    assert_eq!(one(&deeper).unwrap_err()[0].kind, Kind::Nesting);
}

#[test]
fn sets_of_formulas_are_told_from_nets() {
    assert!(is_property_set(&set(&["<true/>"])));
    assert!(!is_property_set("<pnml><net/></pnml>"));
}
