//! Limits are promises: what grows is refused, what could recurse does not, and what is small stays small.

use std::io::BufReader;
use std::thread;
use std::time::Duration;

use posetta_base::{Budget, Error, Kind, Limit, Verdict};
use posetta_check::{Answer, Engine, Options, check};
use posetta_formats::{jsonl, text};
use posetta_logic::Property;
use posetta_trace::Trace;

fn run(source: &str) -> Trace {
    text::read(BufReader::new(source.as_bytes()), &Budget::unlimited()).unwrap_or_else(|e| panic!("{e}"))
}

fn answer(trace: &Trace, property: &Property, budget: &Budget) -> Answer {
    check(trace, property, &Options::default(), budget).unwrap_or_else(|e| panic!("{e:?}"))
}

fn limit(answer: &Answer) -> Option<Limit> {
    match answer.verdict {
        Verdict::Unknown(over) => Some(over.limit),
        _ => None,
    }
}

/// Stops a budget after a while, so that a test of something exponential ends.
fn stopped_soon(budget: Budget) -> Budget {
    let stop = budget.stop_handle();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        stop.raise(Limit::Time);
    });
    budget
}

#[test]
fn shared_subformulas_are_met_once() {
    let nest = (1..60).fold("x == 0".to_owned(), |f, i| format!("({f} <-> x == {i})"));
    let trace = run("A: x=1");
    for property in [Property::ltl(&nest), Property::ltl_over_events(&nest)] {
        assert_eq!(limit(&answer(&trace, &property.unwrap(), &Budget::unlimited())), None);
    }
}

#[test]
fn a_wide_run_is_refused_before_it_fills_the_memory() {
    let lines: Vec<String> = (0..3000).map(|i| format!("P{i}: v{i}=1")).collect();
    let trace = run(&lines.join("\n"));
    let explicit = Options::default().engine(Engine::Explicit);
    let others = (1..3000).map(|i| format!("v{i} == 1")).collect::<Vec<_>>().join(" && ");
    for (property, options, explored) in [
        (Property::ltl("F (v0 == 2) || G (v1 < 7)"), &explicit, true),
        (Property::ctl("AG (v0 < 7)"), &explicit, true),
        // Three thousand chains know of three thousand others.
        (Property::ltl(&format!("!F (v0 == 0 && {others})")), &Options::default(), false),
    ] {
        let budget = Budget::with_memory(20_000_000);
        let answer = check(&trace, &property.unwrap(), options, &budget).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(limit(&answer), Some(Limit::Memory));
        assert!(!explored || answer.stats.configurations > 0);
    }
    // And where only two of them matter, there is nothing to refuse.
    let easy = Property::ltl("F (v0 == 2) || G (v1 < 7)").unwrap();
    assert_eq!(limit(&answer(&trace, &easy, &Budget::with_memory(20_000_000))), None);
}

#[test]
fn many_branches_need_no_stack() {
    let trace = run("A: x=1 -> x=2\nB: y=1");
    for (part, join) in [("F X (x == {})", " && "), ("O F (x == {})", " && "), ("(X (y == {}) U X (x == {}))", " && ")]
    {
        let parts: Vec<String> = (0..3000).map(|i| part.replace("{}", &i.to_string())).collect();
        let property = Property::ltl(&parts.join(join)).unwrap();
        let budget = stopped_soon(Budget::with_memory(200_000_000));
        // Some of them are decided by one run before any search; none may overflow the stack.
        let _ = answer(&trace, &property, &budget);
    }
}

#[test]
fn the_deepest_formulas_fit_a_small_thread() {
    let deepest = |open: &str, close: &str| {
        let nested = |n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
        let n = (1..600).rev().find(|&n| Property::ltl(&nested(n)).is_ok() || Property::ctl(&nested(n)).is_ok());
        nested(n.expect("some depth is allowed"))
    };
    let sources: Vec<String> =
        [("X ", ""), ("!(", ")"), ("Y F ", ""), ("x U (", ")"), ("x -> ", ""), ("AX ", ""), ("E[x U ", "]")]
            .map(|(open, close)| deepest(open, close))
            .into_iter()
            .chain([format!("{}x > 0", "x + ".repeat(400)), format!("{}x > 0", "-".repeat(150))])
            .collect();
    let work = move || {
        let trace = run("A: x=1 -> x=0\nB: y=1");
        for source in &sources {
            for property in [Property::ltl(source), Property::ltl_over_events(source), Property::ctl(source)] {
                let Ok(property) = property else { continue };
                assert!(!property.formula.to_string().is_empty());
                let _ = answer(&trace, &property, &stopped_soon(Budget::unlimited()));
            }
        }
    };
    thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_claim_that_is_refused_disturbs_no_other() {
    let budget = Budget::with_memory(1 << 30);
    thread::scope(|scope| {
        let greedy = scope.spawn(|| (0..100_000).filter(|_| budget.claim(1 << 40, "testing").is_ok()).count());
        let modest = scope.spawn(|| (0..100_000).filter(|_| budget.claim(1, "testing").is_err()).count());
        assert_eq!((greedy.join().unwrap(), modest.join().unwrap()), (0, 0));
    });
}

#[test]
fn exact_numbers_end_in_a_limit_not_in_a_wait() {
    let digits = "7".repeat(4_900);
    let events: Vec<String> = (0..50).map(|i| format!("x=0.{digits}{i}")).collect();
    let trace = run(&format!("A: {}", events.join(" -> ")));
    let property = Property::ltl(&format!("G ({} > 0)", vec!["x"; 30].join(" * "))).unwrap();
    assert_eq!(limit(&answer(&trace, &property, &Budget::unlimited())), Some(Limit::Digits));
}

#[test]
fn text_counts_as_memory() {
    let lines: Vec<String> = (0..300).map(|i| format!("A: x=\"{}{i}\"\n", "a".repeat(100_000))).collect();
    let read = text::read(BufReader::new(lines.concat().as_bytes()), &Budget::with_memory(10_000_000));
    assert!(matches!(read, Err(Error::OverBudget(over)) if over.limit == Limit::Memory));
}

#[test]
fn references_to_impossible_positions_are_missing_events() {
    for reference in ["P1.4294967295", "P1.4294967296", "P1.4294967297", "P1.18446744073709551616", "P1.0", "P1.01"] {
        for id in ["", ",\"id\":\"P1.1\""] {
            let source = format!("{{\"process\":\"P1\"{id}}}\n{{\"process\":\"P2\",\"after\":[\"{reference}\"]}}\n");
            match jsonl::read(source.as_bytes(), &Budget::unlimited()) {
                Err(Error::Invalid(mistakes)) => assert_eq!(mistakes[0].kind, Kind::MissingEvent, "{reference}"),
                other => panic!("{reference}: {other:?}"),
            }
        }
    }
}
