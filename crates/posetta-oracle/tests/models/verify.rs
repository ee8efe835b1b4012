//! The verification of models against the definition: verdicts, evidence, and what is found out about the model itself.

use fastrand::Rng;
use posetta_base::{Budget, Error, Verdict};
use posetta_model::fds::{Demand, ExprId, Fds, Spec, Trail};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::completions::Linear;
use posetta_oracle::fds::trail::{check_computation, check_path, word};
use posetta_oracle::fds::words::Effort;
use posetta_oracle::fds::{System, tableau, words};
use posetta_oracle::nusmv::expr;
use posetta_oracle::random::{Model, Taste, interleave, model, spec, widen};
use posetta_verify::Step;
use posetta_verify::fds::{Answer, By, Evidence, Findings, Options, Question};

/// What the engine says, each property once.
fn answers(model: &Fds, specs: &[Spec], options: &Options) -> Result<(Findings, Vec<Answer>), Error> {
    let budget = Budget::unlimited();
    let mut question = Question::new(model, specs, *options);
    let mut told = vec![false; specs.len()];
    while let Some(step) = question.advance(&budget)? {
        if let Step::Answered(i) = step {
            assert!(!std::mem::replace(&mut told[i], true), "property {i} is answered twice");
        }
    }
    if let Some(over) = question.over() {
        return Err(over.into());
    }
    let findings = question.findings().expect("something is found out").clone();
    Ok((findings, question.answers().iter().map(|a| a.clone().expect("every property is answered")).collect()))
}

fn describe(seed: u64, model: &Fds, specs: &[Spec]) -> String {
    let mut text = format!("seed {seed}\n");
    for var in &model.vars {
        text += &format!("{:?} {}: {:?}\n", var.role, var.name, var.domain);
    }
    let mut list = |name: &str, exprs: Vec<ExprId>| {
        exprs.into_iter().for_each(|e| text += &format!("{name} {}\n", expr(model, e)));
    };
    list("init", model.init.iter().map(|c| c.expr).collect());
    list("invar", model.invar.iter().map(|c| c.expr).collect());
    list("trans", model.trans.iter().map(|c| c.expr).collect());
    list("justice", model.justice.iter().map(|c| c.expr).collect());
    list("compassion", model.compassion.iter().flat_map(|(p, q)| [p.expr, q.expr]).collect());
    list("final", model.finals.iter().map(|c| c.expr).collect());
    for Spec { demand, .. } in specs {
        let shown = |e: &ExprId| expr(model, *e);
        text += &match demand {
            Demand::Ltl(f) => format!("LTL {:?}\n", f.map_atoms(&mut |e| shown(e))),
            Demand::Psl(f) => format!("PSL {:?}\n", f.map_atoms(&mut |e| shown(e))),
            Demand::Ctl(f) => format!("CTL {:?}\n", f.map_atoms(&mut |e| shown(e))),
            Demand::Invariant(e) => format!("invariant {}\n", shown(e)),
        };
    }
    text
}

/// Whether the property holds, by definition. `None` if no short word violates a PSL formula, which says so almost surely.
fn expected(system: &System<'_>, demand: &Demand) -> Option<bool> {
    match demand {
        Demand::Ltl(f) => Some(tableau::violation(system, f).is_none()),
        Demand::Ctl(f) => Some(system.satisfies_ctl(f)),
        Demand::Invariant(e) => Some(system.distance_to_violation(*e).is_none()),
        Demand::Psl(f) => {
            let (atoms, property) = words::psl(f);
            words::violation(system, &atoms, &property, Effort::usual(&property)).map(|_| false)
        }
    }
}

fn assert_computation_violates(system: &System<'_>, atoms: &[ExprId], property: &Linear, trail: &Trail, about: &str) {
    assert_eq!(check_computation(system.model, trail), Ok(()), "{trail:?} is no computation: {about}");
    assert!(!property.holds(&word(system.model, atoms, trail)), "{trail:?} satisfies the property: {about}");
}

/// What is shown is what it should be.
fn assert_shows(system: &System<'_>, demand: &Demand, evidence: &Evidence, shortest: bool, about: &str) {
    match (demand, evidence) {
        (Demand::Ltl(f), Evidence::Computation(trail)) => {
            let (atoms, property) = words::ltl(f);
            assert_computation_violates(system, &atoms, &property, trail, about);
        }
        (Demand::Psl(f), Evidence::Computation(trail)) => {
            let (atoms, property) = words::psl(f);
            assert_computation_violates(system, &atoms, &property, trail, about);
        }
        (Demand::Ctl(f), Evidence::Path(trail)) => {
            assert_eq!(check_path(system.model, trail), Ok(()), "{trail:?} is no path: {about}");
            let first = system.state_at(&trail.states[0]).expect("states of paths exist");
            assert!(system.starts().contains(&first), "{trail:?} starts where no computation does: {about}");
            assert!(!system.ctl(f)[first], "{trail:?} starts where the formula is true: {about}");
        }
        (Demand::Invariant(e), Evidence::Path(trail)) => {
            assert_eq!(check_path(system.model, trail), Ok(()), "{trail:?} is no path: {about}");
            assert_eq!(trail.cycle, None, "{trail:?} goes round: {about}");
            let last = system.state_at(&trail.states[trail.states.len() - 1]).expect("states of paths exist");
            assert!(!system.holds_in_state(*e, last), "{trail:?} ends well: {about}");
            let nearest = system.distance_to_violation(*e);
            assert!(!shortest || nearest == Some(trail.states.len() - 1), "{trail:?} is not a shortest way: {about}");
        }
        (_, evidence) => panic!("{evidence:?} is not the kind of evidence that was asked for: {about}"),
    }
}

/// The verdict is the right one. `Unknown` is not.
fn assert_right(
    system: &System<'_>,
    demand: &Demand,
    verdict: &Verdict<Evidence>,
    shortest: bool,
    about: &str,
) -> &'static str {
    match (verdict, expected(system, demand)) {
        (Verdict::Holds, Some(true) | None) => "holds",
        (Verdict::Violated(evidence), Some(false)) => {
            assert_shows(system, demand, evidence, shortest, about);
            "violated"
        }
        (Verdict::Violated(evidence), None) => {
            assert_shows(system, demand, evidence, shortest, about);
            "violated by long words"
        }
        (verdict, expected) => panic!("{verdict:?}, but it holds: {expected:?}: {about}"),
    }
}

/// What is said about the model itself.
fn assert_found(system: &System<'_>, findings: &Findings, explored: bool, shortest: bool, about: &str) {
    let distances: Vec<usize> = system.distances().into_iter().flatten().collect();
    assert!(findings.states.is_some() || !explored, "the states were not counted: {about}");
    if let Some(states) = &findings.states {
        assert_eq!(*states, distances.len() as u64, "reachable states: {about}");
        if let (Some(&depth), true) = (distances.iter().max(), explored) {
            assert!(!shortest || findings.depth == Some(depth as u64), "depth {:?}: {about}", findings.depth);
        }
    }
    let deadlocks = system.deadlocks();
    assert!(findings.deadlock.is_some() || !explored || deadlocks.is_empty(), "a dead end was missed: {about}");
    if let Some(trail) = &findings.deadlock {
        assert_eq!(check_path(system.model, trail), Ok(()), "{trail:?} is no path: {about}");
        assert_eq!(trail.cycle, None, "{trail:?} goes round: {about}");
        let last = system.state_at(&trail.states[trail.states.len() - 1]).expect("states of paths exist");
        assert!(deadlocks.contains(&last), "{trail:?} is no dead end: {about}");
        let nearest = deadlocks.iter().filter_map(|&s| system.distances()[s]).min();
        assert!(!shortest || Some(trail.states.len() - 1) == nearest, "{trail:?} is not a shortest way: {about}");
    }
}

fn compare(what: &str, count: u64, taste: Taste, demand: impl Fn(&Model, &mut Rng) -> Demand) {
    let (mut verdicts, mut who) = (Shares::default(), Shares::default());
    for_seeds(count, |rng, seed| {
        let mut model = model(rng, taste);
        // Whole, or with one process moving at a time, and then also followed process by process.
        let processes = rng.usize(..3) == 0;
        if processes && rng.usize(..3) > 0 {
            interleave(rng, &mut model.fds);
        }
        // One by one, in turns with diagrams, and as diagrams alone.
        let by = [By::Both, By::Diagrams, By::States][rng.usize(..3)];
        // In turns from the start or after a while. From the start, where few states are listed before a diagram is made, half of the models
        // have more states and steps than there is something to say about: there diagrams are first.
        let from_the_start = rng.bool();
        if by == By::Both && from_the_start && rng.bool() {
            widen(&mut model.fds, 3);
        }
        let specs: Vec<Spec> = (0..1 + rng.usize(..3)).map(|_| spec(demand(&model, rng))).collect();
        let about = describe(seed, &model.fds, &specs);
        let system = System::of(&model.fds);
        let ring_nodes = if processes { 0 } else { Options::default().ring_nodes };
        let options = Options::default().explore(rng.bool()).ring_nodes(ring_nodes);
        let (about, processes) = (format!("{by:?}, {about}"), processes && by != By::States);
        let options = options.by(by).alone(if from_the_start { 0 } else { Options::default().alone });
        // Products that are small, too, are searched as they are found.
        let options = options.broad(if rng.bool() { 0 } else { Options::default().broad });
        let (findings, answers) =
            answers(&model.fds, &specs, &options).unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
        for (spec, answer) in specs.iter().zip(&answers) {
            let demand = &spec.demand;
            if by == By::Both && options.alone == 0 {
                who.add(answer.by.map_or("nobody", By::word));
            }
            verdicts.add(assert_right(
                &system,
                demand,
                &answer.verdict,
                !processes,
                &format!("{demand:?} in\n{about}"),
            ));
        }
        assert_found(&system, &findings, options.explore, !processes, &about);
    });
    assert!(verdicts.share("violated by long words") < 0.02, "{verdicts:?}");
    who.at_least(0.1, "who answers first", &["explicit", "diagrams"]);
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
}

#[test]
fn ltl() {
    compare("LTL", 150, Taste::ALL, |model, rng| Demand::Ltl(model.ltl(rng)));
}

#[test]
fn psl() {
    // The definition is asked word by word, so there are few states.
    let few = Taste { states: 6, ..Taste::ALL };
    compare("PSL", 60, few, |model, rng| Demand::Psl(model.psl(rng)));
}

#[test]
fn ctl() {
    compare("CTL", 150, Taste::ALL, |model, rng| Demand::Ctl(model.ctl(rng)));
}

#[test]
fn invariants() {
    compare("invariants", 100, Taste::ALL, |model, rng| Demand::Invariant(*rng.choice(&model.weak).unwrap()));
}

/// With few nodes the answer is the right one, or there is none.
#[test]
fn few_nodes() {
    let mut verdicts = Shares::default();
    let few = Taste { states: 8, ..Taste::ALL };
    for_seeds(120, |rng, seed| {
        let model = model(rng, few);
        let specs = [spec(model.demand(rng)), spec(model.demand(rng))];
        let nodes = 1 << (6 + rng.u32(..6));
        let about = format!("{nodes} nodes, {}", describe(seed, &model.fds, &specs));
        let system = System::of(&model.fds);
        match answers(&model.fds, &specs, &Options::default().nodes(Some(nodes)).explore(rng.bool())) {
            Err(Error::OverBudget(_)) => verdicts.add("given up at once"),
            Err(failure) => panic!("refused: {failure:?}: {about}"),
            Ok((findings, answers)) => {
                for (spec, answer) in specs.iter().zip(&answers) {
                    verdicts.add(match &answer.verdict {
                        Verdict::Unknown(_) => "unknown",
                        verdict => assert_right(&system, &spec.demand, verdict, true, &about),
                    });
                }
                assert_found(&system, &findings, false, true, &about);
            }
        }
    });
    verdicts.at_least(0.05, "few nodes", &[]);
}

/// A property's answer does not depend on what else is asked.
#[test]
fn properties_alone_and_together() {
    for_seeds(40, |rng, seed| {
        let model = model(rng, Taste::ALL);
        let specs: Vec<Spec> = (0..3).map(|_| spec(model.demand(rng))).collect();
        let about = describe(seed, &model.fds, &specs);
        let ask = |specs: &[Spec]| {
            let asked = answers(&model.fds, specs, &Options::default());
            asked.unwrap_or_else(|e| panic!("refused: {e:?}: {about}")).1
        };
        let together = ask(&specs);
        for (spec, answer) in specs.iter().zip(&together) {
            let alone = ask(std::slice::from_ref(spec));
            assert_eq!(alone[0].verdict.word(), answer.verdict.word(), "{about}");
        }
    });
}
