//! Properties with an instance for each value, and projections, against the definition.

use fastrand::Rng;
use posetta_base::{Budget, EventId, Value, Verdict};
use posetta_check::{Options, Question};
use posetta_logic::{Formula, Property, Quantifier, View, read_props};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::order::Order;
use posetta_oracle::projection::projected;
use posetta_oracle::random::{Case, Plan, Shape, Tense, Vocabulary, ctl, ltl_case, m2l_case, monitor, plan, psl_case};
use posetta_oracle::word::attribute;
use posetta_oracle::{ctl as branching, ltl, m2l, monitor as automata, psl};
use posetta_trace::{Projections, Trace};

/// A formula of any logic, and whether a trace satisfies it: every run of it, or some; `None` where CTL refuses it.
type Holds = Box<dyn Fn(&Trace) -> Option<bool>>;

fn every(trace: &Trace, quantifier: Quantifier, satisfies: &dyn Fn(&[EventId]) -> bool) -> bool {
    let (mut all, mut some) = (true, false);
    Order::of(trace).for_each_run(|run| {
        let holds = satisfies(run);
        all &= holds;
        some |= holds;
    });
    if quantifier == Quantifier::Some { some } else { all }
}

fn case(rng: &mut Rng) -> (Plan, String, Option<Formula>, Quantifier, Holds) {
    let quantifier = if rng.u8(..4) == 0 { Quantifier::Some } else { Quantifier::Every };
    let some = if quantifier == Quantifier::Some { "some " } else { "" };
    let view = if rng.bool() { View::States } else { View::Events };
    let over = if view == View::States { "states" } else { "events" };
    match rng.u8(..5) {
        0 => {
            let Case { plan, formula } = psl_case(rng, view);
            let text = format!("{some}psl over {over} {formula}");
            let holds = move |t: &Trace| Some(every(t, quantifier, &|run| psl::satisfies(t, run, view, &formula)));
            (plan, text, None, quantifier, Box::new(holds))
        }
        1 => {
            let plan = plan(rng, Shape { events: 8, processes: 4, one_writer: 85 });
            let formula = ctl(rng, &Vocabulary::of(&plan));
            let text = format!("ctl {formula}");
            (plan, text, None, Quantifier::Every, Box::new(move |t| branching::holds(t, &formula)))
        }
        2 => {
            let plan = plan(rng, Shape { events: 6, processes: 3, one_writer: 40 });
            let (formula, program) = m2l_case(rng, &Vocabulary::of(&plan), 50);
            let text = format!("{some}m2l over {over} {formula}");
            let holds = move |t: &Trace| Some(every(t, quantifier, &|run| m2l::satisfies(t, run, view, &program)));
            (plan, text, None, quantifier, Box::new(holds))
        }
        3 => {
            let plan = plan(rng, Shape { events: 8, processes: 4, one_writer: 40 });
            let monitor = monitor(rng, &Vocabulary::of(&plan), 50);
            let formula = Formula::Monitor(view, monitor.clone());
            let holds = move |t: &Trace| Some(every(t, quantifier, &|run| automata::satisfies(t, run, view, &monitor)));
            (plan, format!("{some}ltl true"), Some(formula), quantifier, Box::new(holds))
        }
        _ => {
            let Case { plan, formula } = ltl_case(rng, view, Tense::PastAndFuture);
            let text = format!("{some}ltl over {over} {formula}");
            let holds = move |t: &Trace| Some(every(t, quantifier, &|run| ltl::satisfies(t, run, view, &formula)));
            (plan, text, None, quantifier, Box::new(holds))
        }
    }
}

#[test]
fn every_instance_of_every_logic() {
    let mut shares = Shares::default();
    for_seeds(1_500, |rng, seed| {
        let (plan, body, formula, quantifier, holds) = case(rng);
        let trace = plan.build().unwrap();
        let by_process = rng.u8(..3) == 0;
        let domain = if by_process { "processes" } else { "values(k)" };
        let text = format!("property p = foreach v in {domain} {{ {body} }}");
        let about = format!("seed {seed}, {text}\non\n{plan}");
        let mut property: Property = read_props(&text).unwrap_or_else(|e| panic!("{e:?}: {about}")).remove(0);
        if let Some(formula) = formula {
            property.formula = formula;
        }
        assert_eq!(property.quantifier, quantifier, "{about}");
        let value = |event: EventId| match by_process {
            true => Some(Value::from(trace.process_name(trace.process(event)))),
            false => attribute(&trace, event, "k"),
        };
        let instances = projected(&plan, &trace, &value);
        let verdicts: Vec<Option<bool>> = instances.iter().map(|(_, _, trace)| holds(trace)).collect();
        let (name, options) = engines()[rng.usize(..engines().len())].clone();
        let question = match Question::new(&trace, &property, options.known_elsewhere(vec!["k".into(), "m".into()])) {
            Ok(question) => question,
            Err(mistakes) => panic!("{mistakes:?}: {about}"),
        };
        let answer = match question.decide(&Budget::unlimited()) {
            Ok(answer) => answer,
            Err(error) => {
                assert!(verdicts.contains(&None), "{error:?}: {about}");
                return shares.add("refused");
            }
        };
        assert!(!verdicts.contains(&None), "{about}");
        let failing: Vec<Value> =
            instances.iter().zip(&verdicts).filter(|(_, v)| **v == Some(false)).map(|(i, _)| i.0.clone()).collect();
        let told = answer.instances.as_ref().expect("it has instances");
        assert_eq!((told.total, told.unknown), (instances.len() as u64, 0), "{name}, {about}");
        assert_eq!(told.failing, failing, "{name}, {about}");
        assert_eq!((told.violated, told.shown.as_ref()), (failing.len() as u64, failing.first()), "{name}, {about}");
        let expected = if failing.is_empty() { "holds" } else { "violated" };
        assert_eq!(answer.verdict.word(), expected, "{name}, {about}");
        if let (Verdict::Violated(_), Some(order)) = (&answer.verdict, answer.order()) {
            let (_, events, own) = instances.iter().find(|(v, ..)| Some(v) == failing.first()).unwrap();
            // The order is one of the events of that instance, by the labels of the whole run.
            let shown = question.trace();
            let labels = |t: &Trace, order: &[EventId]| order.iter().map(|&e| t.label(e)).collect::<Vec<_>>();
            let whole: Vec<EventId> = order.iter().map(|&e| shown.origin(e)).collect();
            assert_eq!(labels(shown, order), labels(&trace, &whole), "{about}");
            assert!(whole.iter().all(|e| events.contains(e)), "{about}");
            let local = whole.iter().map(|e| events.iter().position(|own| own == e).unwrap());
            let local: Vec<EventId> = local.map(|place| EventId::new(place).unwrap()).collect();
            let is_run = Order::of(own).is_run(&local);
            assert!(is_run || matches!(property.formula, Formula::Ctl(_)), "{order:?}: {about}");
        }
        shares.add(expected);
    });
    shares.at_least_a_fifth("instances", &["holds", "violated"]);
}

/// `$k` in conditions on variables and attributes: the same as each value written out.
#[test]
fn the_value_of_an_instance() {
    for_seeds(500, |rng, seed| {
        let plan = plan(rng, Shape { events: 8, processes: 4, one_writer: 40 });
        let trace = plan.build().unwrap();
        let variable = &plan.variables[rng.usize(..plan.variables.len())].0;
        let op = if rng.bool() { "==" } else { "!=" };
        let (a, b) = (format!("{variable} {op} $v"), format!("event(*, m {op} $v)"));
        let body = match rng.u8(..4) {
            0 => format!("ltl G ({b} -> F {a})"),
            1 => format!("psl over events always {{{b}}} |=> {a}"),
            2 => format!("ltl F on({a})"),
            _ => format!("m2l all1 p: p in `{b}` => ex1 q: p < q & q in `{a}`"),
        };
        let known = vec!["k".to_owned(), "m".to_owned()];
        let all = read_props(&format!("property p = foreach v in values(k) {{ {body} }}")).unwrap().remove(0);
        let about = format!("seed {seed}, {body}\non\n{plan}");
        let options = Options::default().known_elsewhere(known);
        let question = Question::new(&trace, &all, options.clone()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
        let answer = question.decide(&Budget::unlimited()).unwrap();
        let failing =
            projected(&plan, &trace, &|event| attribute(&trace, event, "k")).into_iter().filter(|(v, _, own)| {
                let text = format!("property p = {}", body.replace("$v", &v.to_string()));
                let one = read_props(&text).unwrap_or_else(|e| panic!("{e:?}: {text}")).remove(0);
                let question = Question::new(own, &one, options.clone()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
                question.decide(&Budget::unlimited()).unwrap().verdict != Verdict::Holds
            });
        let failing: Vec<Value> = failing.map(|(value, ..)| value).collect();
        assert_eq!(answer.instances.unwrap().failing, failing, "{about}");
    });
}

/// `foreach a, b`: every two values, a value with itself included, the same as both written out on the events that have one of them.
#[test]
fn every_two_values() {
    let mut shares = Shares::default();
    for_seeds(600, |rng, seed| {
        let plan = plan(rng, Shape { events: 7, processes: 3, one_writer: 40 });
        let trace = plan.build().unwrap();
        let (of_a, of_b, of_m) = ("event(*, k == $a)", "event(*, k == $b)", "event(*, m != $b)");
        let some = if rng.bool() { "some " } else { "" };
        let body = match rng.u8(..5) {
            0 => format!("{some}ltl G ({of_a} -> F {of_b})"),
            1 => format!("{some}ltl over events G ({of_b} -> O {of_a} || {of_m})"),
            2 => format!("{some}psl over events always {{{of_a}; !{of_b}}} |=> {of_m}"),
            3 => format!("{some}m2l all1 p: p in `{of_a}` => ex1 q: q <= p & q in `{of_b}`"),
            _ => format!("{some}ltl over events {of_a} U {of_b}"),
        };
        let text = format!("property p = foreach a, b in values(k) {{ {body} }}");
        let about = format!("seed {seed}, {text}\non\n{plan}");
        let property = read_props(&text).unwrap_or_else(|e| panic!("{e:?}: {about}")).remove(0);
        let options =
            Options::default().known_elsewhere(vec!["k".to_owned(), "m".to_owned()]).threads(1 + rng.usize(..2));
        let question = Question::new(&trace, &property, options.clone()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
        let told = question.decide(&Budget::unlimited()).unwrap().instances.unwrap();
        let own = |event| attribute(&trace, event, "k");
        let mut values: Vec<Value> = Vec::new();
        for value in trace.events().filter_map(own) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let (mut failing, mut failing_with) = (Vec::new(), Vec::new());
        for (i, a) in values.iter().enumerate() {
            for b in &values[i..] {
                let two = projected(&plan, &trace, &|e| own(e).filter(|v| v == a || v == b).map(|_| Value::from(0)));
                let text = body.replace("$a", &a.to_string()).replace("$b", &b.to_string());
                let one = read_props(&format!("property p = {text}")).unwrap().remove(0);
                let question =
                    Question::new(&two[0].2, &one, options.clone()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
                if question.decide(&Budget::unlimited()).unwrap().verdict != Verdict::Holds {
                    failing.push(a.clone());
                    failing_with.push(b.clone());
                }
            }
        }
        assert_eq!(told.total, (values.len() * (values.len() + 1) / 2) as u64, "{about}");
        assert_eq!((&told.failing, &told.failing_with), (&failing, &failing_with), "{about}");
        assert_eq!((told.shown.as_ref(), told.shown_with.as_ref()), (failing.first(), failing_with.first()), "{about}");
        shares.add(if failing.is_empty() { "holds" } else { "violated" });
    });
    shares.at_least_a_fifth("pairs", &["holds", "violated"]);
}

#[test]
fn projections_keep_the_order() {
    for_seeds(2_000, |rng, seed| {
        let plan = plan(rng, Shape { events: 24, processes: 6, one_writer: 40 });
        let trace = plan.build().unwrap();
        let order = Order::of(&trace);
        let keys = 1 + rng.usize(..4);
        let of: Vec<Option<usize>> =
            trace.events().map(|_| Some(rng.usize(..keys + 1)).filter(|&k| k < keys)).collect();
        let budget = Budget::unlimited();
        let projections = Projections::new(&trace, keys, |e| of[e.index()], &budget).unwrap();
        for key in 0..keys {
            let about = format!("seed {seed}, key {key} of {of:?}\non\n{plan}");
            let own = projections.trace(key, &budget).unwrap();
            let events: Vec<EventId> = trace.events().filter(|e| of[e.index()] == Some(key)).collect();
            assert_eq!(own.events().map(|e| own.origin(e)).collect::<Vec<_>>(), events, "{about}");
            assert_eq!(projections.events(key), events.len(), "{about}");
            let induced = Order::of(&own);
            for a in own.events() {
                for b in own.events() {
                    let whole = order.before(own.origin(a), own.origin(b));
                    assert_eq!(induced.before(a, b), whole, "{a:?} {b:?}: {about}");
                }
                let origin = own.origin(a);
                assert_eq!(own.assignments(a), trace.assignments(origin), "{about}");
                assert_eq!(own.label(a), trace.label(origin), "{about}");
                assert_eq!(own.find_event(&own.label(a)), Some(a), "{about}");
                assert_eq!(own.event_name(a), trace.event_name(origin), "{about}");
                assert_eq!(own.time(a), trace.time(origin), "{about}");
                assert!(own.attributes(a).eq(trace.attributes(origin)), "{about}");
                assert_eq!(own.process_name(own.process(a)), trace.process_name(trace.process(origin)), "{about}");
                assert_eq!(own.chain(own.process(a))[own.position(a)], a, "{about}");
            }
            let kept = |run: &[EventId]| run.iter().copied().filter(|e| events.contains(e)).collect::<Vec<_>>();
            let linear: Vec<EventId> = own.linearisation().iter().map(|&e| own.origin(e)).collect();
            assert_eq!(linear, kept(trace.linearisation()), "{about}");
            assert_eq!(own.observed().is_some(), trace.observed().is_some(), "{about}");
        }
    });
}
