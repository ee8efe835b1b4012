//! The verification of systems of components against the definition: verdicts, runs, and what is found out about the system itself, by every
//! engine.

use fastrand::Rng;
use posetta_base::{ActionId, Budget, ComponentId, Error, Verdict};
use posetta_logic::{Compare, Ltl, LtlUnary};
use posetta_model::system::{
    Action, Behaviour, Component, Demand, Letter, Lts, LtsArc, MOST_TOKENS, Net, Place, Predicate, Spec, System,
    Transition,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{
    NetworkTaste, letters_ltl, network, observe, one_net, plain_demand, predicate, states_ctl, states_ltl,
};
use posetta_oracle::system::demand::{Answer, answer};
use posetta_oracle::system::evidence::check;
use posetta_oracle::system::written::show;
use posetta_oracle::system::{MOST_STATES, Space};
use posetta_verify::Step;
use posetta_verify::system::{self, Engine, Findings, Options, Question};

const ENGINES: [Engine; 4] = [Engine::Auto, Engine::Explicit, Engine::Sog, Engine::Modular];

/// What the engine says: each spec once at most, and what it said of the system on the way.
struct Said {
    answers: Vec<Option<system::Answer>>,
    findings: Result<Option<Findings>, Error>,
}

fn ask(system: &System, specs: &[Spec], options: &Options, budget: &Budget) -> Said {
    let mut question = Question::new(system, specs, options.clone());
    let mut told = vec![false; specs.len()];
    let mut findings = loop {
        match question.advance(budget) {
            Ok(Some(Step::Answered(i))) => {
                assert!(!std::mem::replace(&mut told[i], true), "spec {i} is answered twice");
            }
            Ok(Some(Step::Explored)) => {}
            Ok(None) => break Ok(question.findings().cloned()),
            Err(mistakes) => break Err(mistakes),
        }
    };
    if let Some(over) = question.over() {
        findings = Err(over.into());
    }
    Said { answers: question.answers().to_vec(), findings }
}

/// A case, and what the definition says about it.
struct Case<'s> {
    space: Space<'s>,
    specs: Vec<Spec>,
    observe: Vec<ActionId>,
    expected: Vec<Answer>,
    about: String,
}

impl<'s> Case<'s> {
    fn new(system: &'s System, observe: Vec<ActionId>, demands: Vec<Demand>, seed: u64) -> Self {
        let space = Space::of(system, MOST_STATES).expect("few states");
        let expected = demands.iter().map(|d| answer(&space, d, &observe)).collect();
        let about = format!("seed {seed}, observed besides: {observe:?}\n{}", show(system));
        let specs = demands.into_iter().map(|d| Spec::plain("it", d)).collect();
        Self { space, specs, observe, expected, about }
    }

    fn options(&self, engine: Engine, explore: bool) -> Options {
        Options::default().engine(engine).observe(self.observe.clone()).explore(explore)
    }

    /// The answer to a spec is right. `Unknown` is not.
    fn assert_right(&self, spec: usize, answer: &system::Answer, engine: Engine) -> &'static str {
        let demand = &self.specs[spec].demand;
        assert_ne!(answer.stats.engine, Engine::Auto, "{demand:?} by {engine:?}: {}", self.about);
        check(&self.space, demand, &self.observe, self.expected[spec], answer)
            .unwrap_or_else(|wrong| panic!("{engine:?} on {demand:?}: {wrong}: {}", self.about))
    }

    /// What is said about the system is right, and all of it is there.
    fn assert_found(&self, findings: &Findings, engine: Engine) {
        let about = || format!("{engine:?}: {findings:?}: {}", self.about);
        let places = self.space.places();
        let most = places.iter().map(|&p| self.space.most(&[p])).max();
        assert!(findings.states.is_some() && findings.arcs.is_some(), "not counted: {}", about());
        assert_eq!(findings.most_tokens.is_some(), most.is_some(), "tokens are not counted: {}", about());
        if let Some(states) = &findings.states {
            assert_eq!(*states, self.space.states.len() as u64, "states: {}", about());
        }
        if let Some(arcs) = &findings.arcs {
            assert_eq!(*arcs, self.space.arcs() as u64, "arcs: {}", about());
        }
        if let Some(tokens) = findings.most_tokens {
            assert_eq!(Some(u64::from(tokens)), most, "tokens in a place: {}", about());
        }
        if let Some(tokens) = &findings.most_tokens_in_all {
            assert_eq!(*tokens, self.space.most(&places), "tokens in all places: {}", about());
        }
    }

    /// Asks every engine.
    fn compare(&self, rng: &mut Rng, verdicts: &mut Shares) {
        for engine in ENGINES {
            let options = self.options(engine, rng.bool());
            let said = ask(self.space.system, &self.specs, &options, &Budget::unlimited());
            let findings = said.findings.unwrap_or_else(|e| panic!("{engine:?} refused: {e:?}: {}", self.about));
            assert_eq!(findings.is_some(), options.explore, "{}", self.about);
            findings.iter().for_each(|found| self.assert_found(found, engine));
            for (spec, answer) in said.answers.iter().enumerate() {
                let answer = answer.as_ref().unwrap_or_else(|| panic!("{engine:?} is silent: {}", self.about));
                verdicts.add(self.assert_right(spec, answer, engine));
            }
        }
    }
}

fn compare(what: &str, count: u64, mut demand: impl FnMut(&mut Rng, &System, &[ActionId]) -> Demand) {
    let mut verdicts = Shares::default();
    for_seeds(count, |rng, seed| {
        let system = network(rng, NetworkTaste::ALL);
        let observe = observe(rng, &system);
        let demands = (0..rng.usize(1..=3)).map(|_| demand(rng, &system, &observe)).collect();
        Case::new(&system, observe, demands, seed).compare(rng, &mut verdicts);
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
}

#[test]
fn letters() {
    compare("LTL over letters", 200, |rng, system, observe| Demand::Actions(letters_ltl(rng, system, observe)));
}

#[test]
fn states() {
    compare("LTL over states", 120, |rng, system, _| Demand::States(states_ltl(rng, system)));
}

#[test]
fn branching() {
    compare("CTL", 150, |rng, system, _| Demand::Branching(states_ctl(rng, system)));
}

/// What the contest asks of nets as a whole is of this kind: parts that are decided one by one, without the set of the states that satisfy them.
#[test]
fn what_is_possible_somewhere_or_always() {
    use posetta_logic::{Ctl, CtlUnary, Path};
    let mut verdicts = Shares::default();
    for_seeds(400, |rng, seed| {
        let system = if rng.bool() { network(rng, NetworkTaste::ALL) } else { one_net(rng, 400) };
        let unary = |path, op, f| Ctl::Unary(path, op, Box::new(f));
        let part = |rng: &mut Rng| {
            let f = Ctl::Atom(predicate(rng, &system));
            match rng.u8(..4) {
                0 => unary(Path::Some, CtlUnary::Finally, f),
                1 => unary(Path::All, CtlUnary::Globally, f),
                2 => Ctl::Not(Box::new(unary(Path::All, CtlUnary::Globally, unary(Path::Some, CtlUnary::Finally, f)))),
                _ => unary(Path::All, CtlUnary::Globally, unary(Path::Some, CtlUnary::Finally, f)),
            }
        };
        let whole = |rng: &mut Rng| {
            let parts: Vec<Ctl<Predicate>> = (0..rng.usize(1..4)).map(|_| part(rng)).collect();
            match rng.u8(..4) {
                0 => Ctl::And(parts),
                1 => Ctl::Or(parts),
                2 => Ctl::Iff(Box::new(Ctl::And(parts.clone())), Box::new(Ctl::Or(parts))),
                _ => parts.into_iter().next().expect("at least one"),
            }
        };
        let demands = (0..2).map(|_| Demand::Branching(whole(rng))).collect();
        Case::new(&system, Vec::new(), demands, seed).compare(rng, &mut verdicts);
    });
    verdicts.at_least_a_fifth("what is possible somewhere or always", &["holds", "violated"]);
}

#[test]
fn single_questions() {
    compare("single questions", 200, |rng, system, _| plain_demand(rng, system));
}

/// State by state, steps that make no difference are left out for some questions: from the first state on, from later on, or never. The
/// answers are the same, and fewer states are met.
#[test]
fn what_is_left_out_makes_no_difference() {
    let (mut verdicts, mut met) = (Shares::default(), [0_u64; 2]);
    for_seeds(600, |rng, seed| {
        let system = if rng.bool() { network(rng, NetworkTaste::ALL) } else { one_net(rng, 400) };
        let demands = (0..3).map(|_| match rng.u8(..4) {
            0 => Demand::NoDeadlock,
            1 => Demand::Reach(predicate(rng, &system)),
            2 => Demand::Invariant(predicate(rng, &system)),
            _ => Demand::Reach(Predicate::And(vec![predicate(rng, &system), predicate(rng, &system)])),
        });
        let demands: Vec<Demand> = demands.collect();
        let case = Case::new(&system, Vec::new(), demands, seed);
        for (i, whole) in [None, Some(0), Some(rng.usize(..30))].into_iter().enumerate() {
            let options = case.options(Engine::Explicit, false).whole(whole);
            // Each by itself, so that nobody finds the states of another.
            for (place, spec) in case.specs.iter().enumerate() {
                let said = ask(&system, std::slice::from_ref(spec), &options, &Budget::unlimited());
                let answer = said.answers[0].as_ref().unwrap_or_else(|| panic!("silent: {}", case.about));
                verdicts.add(case.assert_right(place, answer, Engine::Explicit));
                if let (0 | 1, Verdict::Holds, Some(states)) = (i, &answer.verdict, &answer.stats.states) {
                    met[i] += states.to_u64().expect("few states");
                }
            }
        }
    });
    verdicts.at_least_a_fifth("single questions, reduced", &["holds", "violated"]);
    let [all, few] = met;
    assert!(4 * few < 3 * all, "{few} states of {all} were looked at: little was left out");
}

/// Nets made smaller before anybody looks at their states: at once, or never. The answers are the same, and runs of the smaller net are spelt out
/// as runs of the net.
#[test]
fn smaller_nets_have_the_same_answers() {
    let mut verdicts = Shares::default();
    let [mut all, mut smaller, mut proved, mut shown] = [0_u64; 4];
    for_seeds(700, |rng, seed| {
        let system = one_net(rng, 300);
        let places = Space::of(&system, MOST_STATES).expect("few states").places();
        let demands = (0..4).map(|_| match rng.u8(..7) {
            0 => Demand::NoDeadlock,
            1 => Demand::Reach(predicate(rng, &system)),
            2 => Demand::Invariant(predicate(rng, &system)),
            3 => Demand::Reach(Predicate::And(vec![predicate(rng, &system), predicate(rng, &system)])),
            4 => Demand::Reach(Predicate::Dead),
            5 => any_demand(rng, &system, &[]),
            _ => Demand::Bound(places.iter().copied().filter(|_| rng.u8(..4) == 0).collect()),
        });
        let demands: Vec<Demand> = demands.collect();
        let case = Case::new(&system, Vec::new(), demands, seed);
        for engine in [Engine::Auto, Engine::Explicit, Engine::Sog] {
            let options =
                case.options(engine, false).reduce(Some(0)).whole(*rng.choice([&None, &Some(0)]).expect("two"));
            let said = ask(&system, &case.specs, &options, &Budget::unlimited());
            for (spec, answer) in said.answers.iter().enumerate() {
                let answer = answer.as_ref().unwrap_or_else(|| panic!("{engine:?} is silent: {}", case.about));
                verdicts.add(case.assert_right(spec, answer, engine));
                all += 1;
                smaller += u64::from(answer.stats.reduced.is_some());
                proved += u64::from(answer.stats.engine == Engine::Equation);
                shown += u64::from(answer.stats.reduced.is_some() && answer.run().is_some_and(|r| !r.steps.is_empty()));
            }
        }
    });
    verdicts.at_least(0.15, "smaller nets", &["holds", "violated"]);
    let often = 4 * smaller > all && 20 * proved > all && 20 * shown > all;
    assert!(often || all < 200, "smaller {smaller}, proved {proved}, shown {shown} of {all}");
}

/// A system of which a net counts how often something happens, so many tokens each time, and a transition system allows it so often.
fn counter(tokens: u32, times: u32) -> System {
    let [net, lts] = [0, 1].map(|i| ComponentId::new(i).unwrap());
    let action = ActionId::new(0).unwrap();
    let place = Place { name: "count".into(), initial: 0 };
    let transitions = vec![Transition { action, takes: Vec::new(), puts: vec![(0, tokens)] }];
    let arcs = (0..times).map(|i| LtsArc { from: i, action, to: i + 1 }).collect();
    let states = (0..=times).map(|i| format!("s{i}").into()).collect();
    let components = [
        ("Count", Behaviour::Net(Net { places: vec![place], transitions, units: None })),
        ("Allow", Behaviour::Lts(Lts { states, initial: 0, arcs })),
    ];
    System {
        actions: vec![Action { name: "a".into(), internal: false, parts: vec![net, lts] }],
        components: components.map(|(name, behaviour)| Component { name: name.into(), behaviour }).to_vec(),
        ..System::default()
    }
}

/// By itself the net has no bound: it must not be followed by itself.
#[test]
fn bounded_only_together() {
    let system = counter(3, 5);
    let letter = Ltl::Atom(Letter::Action(ActionId::new(0).unwrap()));
    let demands = vec![
        Demand::NoDeadlock,
        Demand::NoLivelock,
        Demand::Bound(vec![0]),
        Demand::Reach(Predicate::Linear(vec![(0, 1)], Compare::Eq, 15)),
        Demand::Actions(letter.clone()),
        Demand::Actions(Ltl::Unary(LtlUnary::Globally, Box::new(letter))),
    ];
    let case = Case::new(&system, Vec::new(), demands, 0);
    case.compare(&mut Rng::with_seed(0), &mut Shares::default());
}

/// As many tokens as a place may have, and more.
#[test]
fn too_many_tokens_are_refused() {
    for engine in ENGINES {
        let options = Options::default().engine(engine).explore(true);
        let ask = |system: &System| ask(system, &[], &options, &Budget::unlimited()).findings;
        let findings = ask(&counter(MOST_TOKENS / 2, 2)).expect("there may be as many").expect("they are counted");
        assert_eq!(findings.most_tokens, Some(MOST_TOKENS), "{engine:?}");
        let refused = ask(&counter(MOST_TOKENS / 2, 3));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{engine:?}: {refused:?}");
    }
}

/// A demand of any kind.
pub(super) fn any_demand(rng: &mut Rng, system: &System, observe: &[ActionId]) -> Demand {
    match rng.u8(..5) {
        0 | 1 => Demand::Actions(letters_ltl(rng, system, observe)),
        2 => Demand::States(states_ltl(rng, system)),
        3 => Demand::Branching(states_ctl(rng, system)),
        _ => plain_demand(rng, system),
    }
}

/// With little memory the answer is the right one, or there is none.
#[test]
fn little_memory() {
    let mut verdicts = Shares::default();
    for_seeds(200, |rng, seed| {
        let system = network(rng, NetworkTaste::ALL);
        let observe = observe(rng, &system);
        let demands = (0..3).map(|_| any_demand(rng, &system, &observe)).collect();
        let case = Case::new(&system, observe, demands, seed);
        let engine = *rng.choice(ENGINES.iter()).expect("there are engines");
        let memory = 1 << rng.u32(4..22);
        let said = ask(&system, &case.specs, &case.options(engine, rng.bool()), &Budget::with_memory(memory));
        for (spec, answer) in said.answers.iter().enumerate() {
            verdicts.add(match answer {
                None => {
                    assert!(said.findings.is_err(), "{engine:?} is silent with {memory} bytes: {}", case.about);
                    "no answer"
                }
                Some(system::Answer { verdict: Verdict::Unknown(_), .. }) => "no answer",
                Some(answer) => case.assert_right(spec, answer, engine),
            });
        }
        match &said.findings {
            Ok(findings) => findings.iter().for_each(|found| case.assert_found(found, engine)),
            Err(Error::OverBudget(_)) => {}
            Err(failure) => panic!("{engine:?} refused with {memory} bytes: {failure:?}: {}", case.about),
        }
    });
    verdicts.at_least(0.05, "little memory", &["holds", "violated", "no answer"]);
}

/// A spec's answer does not depend on what else is asked, and asking again gives the same.
#[test]
fn claims_alone_and_together() {
    for_seeds(40, |rng, seed| {
        let system = network(rng, NetworkTaste::ALL);
        let observe = observe(rng, &system);
        let demands = (0..3).map(|_| any_demand(rng, &system, &observe)).collect();
        let case = Case::new(&system, observe, demands, seed);
        for engine in ENGINES {
            let options = case.options(engine, false);
            let ask = |specs: &[Spec]| {
                let said = ask(&system, specs, &options, &Budget::unlimited());
                said.findings.unwrap_or_else(|e| panic!("{engine:?} refused: {e:?}: {}", case.about));
                said.answers
            };
            let together = ask(&case.specs);
            assert_eq!(ask(&case.specs), together, "{engine:?} is not deterministic: {}", case.about);
            for (i, spec) in case.specs.iter().enumerate() {
                let alone = ask(std::slice::from_ref(spec));
                let answer = alone[0].as_ref().unwrap_or_else(|| panic!("{engine:?} is silent: {}", case.about));
                case.assert_right(i, answer, engine);
            }
        }
    });
}
