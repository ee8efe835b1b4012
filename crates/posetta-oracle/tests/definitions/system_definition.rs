//! Systems of components by definition, against answers that are known, and in two ways against each other.

use posetta_base::{ActionId, ComponentId, Verdict};
use posetta_logic::{Compare, Ctl, CtlUnary, Ltl, LtlBinary, LtlUnary, Path};
use posetta_model::system::{
    Action, Behaviour, Component, Demand, End, Letter, Local, Lts, LtsArc, Move, Net, Place, Predicate, Run, System,
    Transition,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::fds::graph::Walk;
use posetta_oracle::fds::tableau;
use posetta_oracle::ltl::on_lasso;
use posetta_oracle::random::{NetworkTaste, letters_ltl, network, observe, states_ltl};
use posetta_oracle::system::demand::{Answer, answer, visible};
use posetta_oracle::system::evidence::check;
use posetta_oracle::system::letters::{Letters, Word, has_word, observed};
use posetta_oracle::system::observation::{Node, Observation, Observer, product};
use posetta_oracle::system::written::{actions, show, system};
use posetta_oracle::system::{MOST_STATES, Space, runs};
use posetta_verify::system;

fn space(system: &System) -> Space<'_> {
    Space::of(system, MOST_STATES).expect("few states")
}

fn letter(system: &System, name: &str) -> Ltl<Letter> {
    Ltl::Atom(match name {
        "deadlock" => Letter::Deadlock,
        "divergence" => Letter::Divergence,
        name => Letter::Action(system.find_action(name).unwrap()),
    })
}

fn unary<A>(op: LtlUnary, f: Ltl<A>) -> Ltl<A> {
    Ltl::Unary(op, Box::new(f))
}

fn finally<A>(f: Ltl<A>) -> Ltl<A> {
    unary(LtlUnary::Finally, f)
}

fn globally<A>(f: Ltl<A>) -> Ltl<A> {
    unary(LtlUnary::Globally, f)
}

fn not<A>(f: Ltl<A>) -> Ltl<A> {
    Ltl::Not(Box::new(f))
}

/// Whether a formula over letters holds, in both ways.
fn holds(system: &System, formula: &Ltl<Letter>, besides: &str) -> bool {
    let besides = actions(system, besides);
    let space = space(system);
    let holds = answer(&space, &Demand::Actions(formula.clone()), &besides) == Answer::Truth(true);
    let observed = observed(formula, &besides);
    let mut short = None;
    runs::for_each_short(&space, 8, 20_000, &mut |run, _| {
        short = Some(run.clone()).filter(|run| !runs::word(run, &observed).unwrap().satisfies(formula));
        short.is_none()
    });
    assert_eq!(short.is_none(), holds, "{formula:?}: {short:?}");
    holds
}

#[test]
fn what_is_observed_decides() {
    // (b a)^ω
    let s = system(&[&["0 b 1", "1 a 0"]]);
    let a = letter(&s, "a");
    assert!(holds(&s, &a, ""));
    assert!(!holds(&s, &a, "b"));
    assert!(holds(&s, &globally(a.clone()), ""));
    assert!(!holds(&s, &globally(a.clone()), "a b"));
    assert!(holds(&s, &globally(finally(a.clone())), "a b"));
    assert!(holds(&s, &globally(Ltl::Iff(Box::new(a.clone()), Box::new(unary(LtlUnary::Next, not(a))))), "b"));
    // A constant names nothing: the run goes on forever unobserved.
    assert!(holds(&s, &letter(&s, "divergence"), ""));
    assert!(!holds(&s, &letter(&s, "divergence"), "a"));
}

#[test]
fn deadlock_and_divergence_end_words() {
    let dead = system(&[&["0 a 1", "1 a 2"]]);
    let stops = finally(letter(&dead, "deadlock"));
    assert!(holds(&dead, &stops, ""));
    assert!(holds(&dead, &stops, "a"));
    assert!(holds(&dead, &letter(&dead, "deadlock"), ""));
    assert!(!holds(&dead, &letter(&dead, "deadlock"), "a"));
    assert!(holds(&dead, &globally(not(letter(&dead, "divergence"))), "a"));
    assert!(holds(&dead, &finally(globally(letter(&dead, "deadlock"))), "a"));

    let round = system(&[&["0 a 1", "1 I 1"]]);
    assert!(holds(&round, &Ltl::And(vec![letter(&round, "a"), finally(letter(&round, "divergence"))]), ""));
    assert!(holds(&round, &globally(Ltl::Or(vec![letter(&round, "a"), letter(&round, "divergence")])), ""));
    assert!(!holds(&round, &finally(letter(&round, "divergence")), "I"));
    assert!(holds(&round, &finally(globally(letter(&round, "I"))), ""));

    // One of the two, and which is not known before.
    let either = system(&[&["0 a 1", "1 I 1", "1 J 2"]]);
    let (dead, round) = (finally(letter(&either, "deadlock")), finally(letter(&either, "divergence")));
    assert!(!holds(&either, &dead, "a"));
    assert!(!holds(&either, &round, "a"));
    assert!(holds(&either, &Ltl::Or(vec![dead.clone(), round.clone()]), "a"));
    assert!(!holds(&either, &Ltl::Or(vec![dead, round.clone()]), "I"));
    assert!(holds(&either, &not(round), "I J"));
}

#[test]
fn internal_actions_are_shared_like_others() {
    // Both must be ready before T; b can only come after it.
    let s = system(&[&["0 a 1", "1 T 2"], &["0 T 1", "1 b 2"]]);
    let (a, b) = (letter(&s, "a"), letter(&s, "b"));
    let precedes = Ltl::Binary(LtlBinary::WeakUntil, Box::new(not(b.clone())), Box::new(a.clone()));
    assert!(holds(&s, &precedes, ""));
    assert!(holds(&s, &finally(b.clone()), ""));
    assert!(holds(&s, &Ltl::And(vec![a, unary(LtlUnary::Next, b)]), ""));
    assert_eq!(space(&s).states.len(), 4);
    assert_eq!(space(&s).arcs(), 3);
    // What a component has in its alphabet and cannot do is blocked.
    let blocked = system(&[&["0 a 0"], &["0 b 1", "1 a 1"]]);
    let first = letter(&blocked, "b");
    assert!(holds(&blocked, &first, "a"));
}

#[test]
fn ways_are_counted_one_by_one() {
    // Two arcs with one action in each: four ways, to three states.
    let s = system(&[&["0 a 0", "0 a 1"], &["0 a 0", "0 a 1"]]);
    let space = space(&s);
    assert_eq!(space.states.len(), 4);
    assert_eq!(space.arcs(), 4);
    assert_eq!(space.deadlocks().len(), 3);
}

fn livelock(system: &System, besides: &str) -> bool {
    answer(&space(system), &Demand::NoLivelock, &actions(system, besides)) == Answer::Truth(false)
}

#[test]
fn demands_on_states() {
    // 0 -I-> 1 -J-> 0, and 1 -a-> 2, which is dead.
    let s = system(&[&["0 I 1", "1 J 0", "1 a 2"]]);
    let space = space(&s);
    let ask = |demand: Demand| answer(&space, &demand, &[]);
    let at = |n: i64| Predicate::Linear(vec![(0, 1)], Compare::Eq, n);
    assert!(livelock(&s, ""));
    assert!(!livelock(&s, "I"));
    assert_eq!(ask(Demand::NoDeadlock), Answer::Truth(false));
    assert_eq!(ask(Demand::Reach(at(2))), Answer::Truth(true));
    assert_eq!(ask(Demand::Invariant(Predicate::Not(Box::new(at(2))))), Answer::Truth(false));
    assert_eq!(ask(Demand::Invariant(Predicate::Or(vec![at(0), at(1), Predicate::Dead]))), Answer::Truth(true));
    assert_eq!(ask(Demand::Bound(vec![0])), Answer::Number(2));
    // A run that stops repeats its last state.
    assert_eq!(ask(Demand::States(finally(Ltl::Atom(at(1))))), Answer::Truth(true));
    assert_eq!(ask(Demand::States(finally(globally(Ltl::Atom(at(2)))))), Answer::Truth(false));
    let stays = |n| Ltl::Implies(Box::new(Ltl::Atom(at(n))), Box::new(unary(LtlUnary::Next, Ltl::Atom(at(n)))));
    assert_eq!(ask(Demand::States(globally(stays(2)))), Answer::Truth(true));
    assert_eq!(ask(Demand::States(globally(stays(1)))), Answer::Truth(false));
    // In a dead state `EX f` is false and `AX f` true, and the path that ends there counts.
    let ctl = |path, op, f| Ctl::Unary(path, op, Box::new(f));
    let there = |f: Ctl<Predicate>| ctl(Path::Some, CtlUnary::Finally, Ctl::And(vec![Ctl::Atom(at(2)), f]));
    assert_eq!(ask(Demand::Branching(there(ctl(Path::Some, CtlUnary::Next, Ctl::True)))), Answer::Truth(false));
    assert_eq!(ask(Demand::Branching(there(ctl(Path::All, CtlUnary::Next, Ctl::False)))), Answer::Truth(true));
    assert_eq!(
        ask(Demand::Branching(there(ctl(Path::Some, CtlUnary::Globally, Ctl::Atom(at(2)))))),
        Answer::Truth(true)
    );
    assert_eq!(
        ask(Demand::Branching(there(ctl(Path::All, CtlUnary::Finally, Ctl::Atom(at(0)))))),
        Answer::Truth(false)
    );
    let may_stop = ctl(Path::All, CtlUnary::Globally, ctl(Path::Some, CtlUnary::Finally, Ctl::Atom(Predicate::Dead)));
    assert_eq!(ask(Demand::Branching(may_stop)), Answer::Truth(true));
    let b = Predicate::Enabled(actions(&s, "a"));
    assert_eq!(ask(Demand::Branching(ctl(Path::All, CtlUnary::Next, Ctl::Atom(b)))), Answer::Truth(true));
}

/// A net that `p` and `q` share tokens in, with two ways to do `a`.
fn net() -> System {
    let a = ActionId::new(0).unwrap();
    let place = |name: &str, initial| Place { name: name.into(), initial };
    let transitions = vec![
        Transition { action: a, takes: vec![(0, 2)], puts: vec![(1, 1)] },
        Transition { action: a, takes: vec![(0, 1)], puts: vec![(1, 3)] },
    ];
    let net = Net { places: vec![place("p", 2), place("q", 0)], transitions, units: None };
    System {
        actions: vec![Action { name: "a".into(), internal: false, parts: vec![ComponentId::new(0).unwrap()] }],
        components: vec![Component { name: "N".into(), behaviour: Behaviour::Net(net) }],
        ..System::default()
    }
}

#[test]
fn nets() {
    let system = net();
    let space = space(&system);
    // (2,0) -> (0,1), (1,3); (1,3) -> (0,6)
    assert_eq!(space.states, [vec![2, 0], vec![0, 1], vec![1, 3], vec![0, 6]]);
    assert_eq!(space.arcs(), 3);
    assert_eq!(space.deadlocks(), [1, 3]);
    assert_eq!(answer(&space, &Demand::Bound(vec![1]), &[]), Answer::Number(6));
    assert_eq!(answer(&space, &Demand::Bound(vec![0, 1]), &[]), Answer::Number(6));
    assert_eq!(space.places(), [0, 1]);
    // One that is not bounded.
    let mut system = net();
    let Behaviour::Net(net) = &mut system.components[0].behaviour else { unreachable!() };
    net.transitions[0] = Transition { takes: vec![(0, 1)], puts: vec![(0, 2)], ..net.transitions[0].clone() };
    assert!(Space::of(&system, 50).is_none());
}

/// n philosophers in a ring who take both forks at once and put both back at once.
fn philosophers(n: usize) -> System {
    let id = |i: usize| ActionId::new(i).unwrap();
    let part = |i: usize| ComponentId::new(i).unwrap();
    let lts = |arcs: Vec<LtsArc>| Lts { states: vec!["free".into(), "taken".into()], initial: 0, arcs };
    let mut system = System::default();
    for i in 0..n {
        // The philosopher, the fork on the left and the one on the right.
        let mut parts = vec![part(i), part(n + i), part(n + (i + 1) % n)];
        parts.sort_unstable();
        for what in ["take", "put"] {
            system.actions.push(Action { name: format!("{what}[{i}]").into(), internal: false, parts: parts.clone() });
        }
    }
    let both = |i: usize| [(0, 2 * i, 1), (1, 2 * i + 1, 0)];
    for i in 0..2 * n {
        let arcs = if i < n { both(i).to_vec() } else { [both(i - n), both((i - 1) % n)].concat() };
        let mut arcs: Vec<LtsArc> =
            arcs.into_iter().map(|(from, action, to)| LtsArc { from, action: id(action), to }).collect();
        arcs.sort_unstable();
        system.components.push(Component { name: format!("C{i}").into(), behaviour: Behaviour::Lts(lts(arcs)) });
    }
    system
}

/// Lucas numbers of states, and 2nF arcs (algorithms: paper 003, section IV).
#[test]
fn philosophers_eat_in_lucas_many_ways() {
    for (n, states, fibonacci) in [(2, 3, 1), (3, 4, 1), (4, 7, 2), (5, 11, 3), (6, 18, 5)] {
        let system = philosophers(n);
        let space = space(&system);
        assert_eq!(space.states.len(), states, "{n} philosophers");
        assert_eq!(space.arcs(), 2 * n * fibonacci, "{n} philosophers");
        assert!(space.deadlocks().is_empty());
    }
}

#[test]
fn words_that_runs_have() {
    let s = system(&[&["0 a 1", "1 I 1", "1 b 0", "1 J 2"]]);
    let space = space(&s);
    let seen = actions(&s, "a b");
    let [a, b] = [0, 2].map(|i| Letter::Action(ActionId::new(i).unwrap()));
    let has = |stem: &[Letter], round: &[Letter]| {
        has_word(&space, &seen, &Word { stem: stem.to_vec(), round: round.to_vec() })
    };
    assert!(has(&[], &[a, b]));
    assert!(has(&[a], &[b, a]));
    assert!(has(&[a, b, a], &[Letter::Divergence]));
    assert!(has(&[a], &[Letter::Deadlock]));
    assert!(!has(&[], &[a]));
    assert!(!has(&[a, b], &[Letter::Deadlock]));
    assert!(!has(&[], &[Letter::Divergence]));
    assert!(!has(&[], &[Letter::Deadlock, a]));
}

/// The graph of letters and the guesses against all short runs: a word that is said to violate does and is one; if none does, no short run's
/// does.
fn against_short_runs(space: &Space<'_>, formula: &Ltl<Letter>, besides: &[ActionId], seed: u64) -> &'static str {
    let seen = observed(formula, besides);
    let about = || format!("seed {seed}: {formula:?} with {seen:?} in\n{}", show(space.system));
    if let Some(word) = Letters::of(space, &seen).violation(formula) {
        assert!(!word.satisfies(formula), "{word:?} satisfies it: {}", about());
        assert!(has_word(space, &seen, &word), "no run has {word:?}: {}", about());
        return "violated";
    }
    let all = runs::for_each_short(space, 10, 2_000, &mut |run, states| {
        assert_eq!(runs::states(space, run).as_deref(), Ok(states), "{run:?}: {}", about());
        let word = runs::word(run, &seen).expect("it is whole");
        assert!(word.satisfies(formula), "{run:?}: {}", about());
        true
    });
    if all { "holds, all short runs" } else { "holds" }
}

#[test]
fn letters_against_short_runs() {
    let mut verdicts = Shares::default();
    for_seeds(500, |rng, seed| {
        let system = network(rng, NetworkTaste::SMALL);
        let besides = observe(rng, &system);
        let formula = letters_ltl(rng, &system, &besides);
        verdicts.add(against_short_runs(&space(&system), &formula, &besides, seed));
    });
    verdicts.at_least_a_fifth("letters", &["violated", "holds, all short runs"]);
}

/// Each operator by itself, now, always and some time, on sets of letters.
#[test]
fn operators_against_short_runs() {
    use LtlBinary::{Release, Since, StrongRelease, Until, WeakUntil};
    use LtlUnary::{Finally, Globally, Historically, Next, Once, WeakNext, Yesterday};
    let mut verdicts = Shares::default();
    for_seeds(20, |rng, seed| {
        let system = network(rng, NetworkTaste::SMALL);
        let space = space(&system);
        let besides = observe(rng, &system);
        let letters: Vec<Letter> = system.action_ids().map(Letter::Action).collect();
        let letters = [&letters[..], &[Letter::Deadlock, Letter::Divergence]].concat();
        let mut some = || {
            let some: Vec<Ltl<Letter>> = letters.iter().filter(|_| rng.bool()).map(|&l| Ltl::Atom(l)).collect();
            if some.is_empty() { Ltl::False } else { Ltl::Or(some) }
        };
        let mut formulas = Vec::new();
        for op in [Next, WeakNext, Finally, Globally, Yesterday, Once, Historically] {
            formulas.push(unary(op, some()));
        }
        for op in [Until, WeakUntil, Release, StrongRelease, Since] {
            formulas.push(Ltl::Binary(op, Box::new(some()), Box::new(some())));
        }
        for f in formulas {
            let implied = Ltl::Implies(Box::new(some()), Box::new(f.clone()));
            for formula in [finally(Ltl::And(vec![some(), not(f.clone())])), globally(implied), f] {
                verdicts.add(against_short_runs(&space, &formula, &besides, seed));
            }
        }
    });
    verdicts.at_least_a_fifth("operators", &["violated", "holds, all short runs"]);
}

/// The word of every short run is a path of the graph of letters, and one that a run has.
#[test]
fn words_of_short_runs_are_found() {
    for_seeds(60, |rng, seed| {
        let system = network(rng, NetworkTaste::SMALL);
        let space = space(&system);
        let seen = observe(rng, &system);
        let letters = Letters::of(&space, &seen);
        runs::for_each_short(&space, 6, 300, &mut |run: &Run, _| {
            let word = runs::word(run, &seen).expect("it is whole");
            assert!(has_word(&space, &seen, &word), "seed {seed}: {run:?} has {word:?} in\n{}", show(&system));
            let mut at: Vec<usize> = letters.graph.initial.clone();
            for letter in word.stem.iter().chain(&word.round).chain(&word.round) {
                at.retain(|&n| letters.nodes[n].0 == *letter);
                assert!(!at.is_empty(), "seed {seed}: {run:?} has {word:?} in\n{}", show(&system));
                at = at.iter().flat_map(|&n| letters.graph.next[n].clone()).collect();
                at.sort_unstable();
                at.dedup();
            }
            true
        });
    });
}

/// The same for formulas over states.
#[test]
fn states_against_short_runs() {
    for_seeds(400, |rng, seed| {
        let system = network(rng, NetworkTaste::SMALL);
        let space = space(&system);
        let formula = states_ltl(rng, &system);
        let on = |stem: &[usize], round: &[usize]| {
            let at = [stem, round].concat();
            on_lasso(&formula, stem.len(), round.len(), &|p, i| space.holds(p, at[i]))
        };
        let graph = space.endless_graph();
        match tableau::walk(&graph, &formula, |p, s| space.holds(p, s)) {
            Some(Walk { nodes, cycle }) => {
                let (stem, round) = nodes.split_at(cycle.expect("no path ends"));
                assert!(!on(stem, round), "seed {seed}: {nodes:?} from {cycle:?} satisfies it");
                assert!(nodes.windows(2).all(|w| graph.next[w[0]].contains(&w[1])), "seed {seed}: {nodes:?}");
            }
            None => {
                runs::for_each_short(&space, 8, 1_000, &mut |run, states| {
                    let (stem, round) = runs::endless_states(run, states).expect("it is whole");
                    assert!(on(&stem, &round), "seed {seed}: {run:?} violates {formula:?} in\n{}", show(&system));
                    true
                });
            }
        }
    });
}

#[test]
fn answers_and_their_runs() {
    // a, then I forever or b and the end.
    let s = system(&[&["0 a 1", "1 I 1", "1 b 2"]]);
    let space = space(&s);
    let run = |names: &str, end| {
        let step = |action: ActionId| {
            let Behaviour::Lts(lts) = &s.components[0].behaviour else { unreachable!() };
            let place = lts.arcs.iter().position(|arc| arc.action == action).unwrap();
            Move { action, locals: vec![Local(place as u32)] }
        };
        Some(Run { steps: actions(&s, names).into_iter().map(step).collect(), end })
    };
    let ok =
        |demand: &Demand, said: system::Answer| check(&space, demand, &[], answer(&space, demand, &[]), &said).is_ok();
    let said = system::Answer::new;
    let holds = |support: Option<Run>| {
        let mut answer = said(Verdict::Holds);
        answer.support = support;
        answer
    };
    let violated = |run: Option<Run>| said(Verdict::Violated(run));
    let number = |most: u32| {
        let mut answer = said(Verdict::Holds);
        answer.most = Some(u64::from(most).into());
        answer
    };
    let in_2 = Predicate::Linear(vec![(0, 1)], Compare::Eq, 2);
    let cases = [
        (Demand::NoDeadlock, run("a b", End::Dead), [run("a b", End::Open), run("a", End::Open), None]),
        (Demand::NoLivelock, run("a I", End::Cycle(1)), [run("a b", End::Dead), run("a I", End::Cycle(0)), None]),
        (
            Demand::Actions(finally(letter(&s, "b"))),
            run("a I I", End::Cycle(1)),
            [run("a b", End::Dead), run("a I", End::Open), None],
        ),
        (
            Demand::States(finally(Ltl::Atom(in_2.clone()))),
            run("a I", End::Cycle(1)),
            [run("a I b", End::Dead), run("a I", End::Open), None],
        ),
        (
            Demand::Invariant(Predicate::Not(Box::new(in_2.clone()))),
            run("a b", End::Open),
            [run("a", End::Open), run("a I", End::Cycle(1)), None],
        ),
        (
            Demand::Branching(Ctl::Unary(Path::All, CtlUnary::Finally, Box::new(Ctl::Atom(in_2.clone())))),
            run("a I", End::Cycle(1)),
            [run("a b", End::Dead), run("a I", End::Open), run("b", End::Open)],
        ),
    ];
    for (demand, good, bad) in cases {
        assert!(ok(&demand, violated(good)), "{demand:?}");
        assert!(!ok(&demand, holds(None)), "{demand:?}");
        for bad in bad {
            assert!(!ok(&demand, violated(bad.clone())), "{demand:?} {bad:?}");
        }
    }
    let reach = Demand::Reach(in_2.clone());
    assert!(ok(&reach, holds(run("a I b", End::Open))));
    assert!(!ok(&reach, holds(run("a I", End::Open))));
    assert!(!ok(&reach, violated(None)));
    let possible = Demand::Branching(Ctl::Unary(Path::Some, CtlUnary::Finally, Box::new(Ctl::Atom(in_2))));
    assert!(ok(&possible, holds(run("a b", End::Open))));
    assert!(ok(&possible, holds(None)));
    assert!(!ok(&possible, holds(run("a I", End::Cycle(1)))));
    assert!(ok(&Demand::Bound(vec![0]), number(2)));
    assert!(!ok(&Demand::Bound(vec![0]), number(1)));
}

#[test]
fn observation_graphs() {
    // With a observed: {0, 1} with the cycle of I and J, then {2}, dead.
    let s = system(&[&["0 I 1", "1 J 0", "1 a 2"]]);
    let space = space(&s);
    let node = |states, divergent, dead| Node { states, divergent, dead };
    let seen = actions(&s, "a");
    let graph = Observer::new(&space, &seen).graph();
    assert_eq!(graph.nodes, [node(2, true, false), node(1, false, true)]);
    assert_eq!(graph.arcs, [(0, seen[0], 1)]);
    let seen = actions(&s, "I a");
    let graph = Observer::new(&space, &seen).graph();
    assert_eq!(graph.nodes, [node(1, false, false), node(2, false, false), node(1, false, true)]);
    // In another order it is the same; with a node that is not met, or two arcs with one action, it is none.
    let [i, a] = [seen[0], seen[1]];
    let nodes = [node(1, false, false), node(1, false, true), node(2, false, false)];
    assert_eq!(graph.arcs, [(0, i, 1), (1, i, 1), (1, a, 2)]);
    let arcs = [(2, a, 1), (2, i, 2), (0, i, 2)];
    assert_eq!(Observation::canonical(&nodes, &arcs), Some(graph));
    assert_eq!(Observation::canonical(&nodes, &arcs[1..]), None);
    assert_eq!(Observation::canonical(&nodes, &[(0, i, 2), (2, a, 1), (2, a, 2)]), None);
    let nothing = Observer::new(&space, &[]).graph();
    assert_eq!(nothing.nodes, [node(3, true, true)]);
    assert_eq!(nothing.arcs, []);
}

/// Proposition 1: what the words of a system satisfy, those of its observation graph do.
#[test]
fn observation_graphs_have_the_words_of_the_system() {
    let mut verdicts = Shares::default();
    for_seeds(300, |rng, seed| {
        let system = network(rng, NetworkTaste { states: 60, ..NetworkTaste::ALL });
        let space = space(&system);
        let besides = observe(rng, &system);
        for _ in 0..2 {
            let formula = letters_ltl(rng, &system, &besides);
            let seen = observed(&formula, &besides);
            let about = || format!("seed {seed}: {formula:?} with {seen:?} in\n{}", show(&system));
            let word = Observer::new(&space, &seen).graph().letters().violation(&formula);
            assert_eq!(word.is_some(), Letters::of(&space, &seen).violation(&formula).is_some(), "{}", about());
            assert!(word.as_ref().is_none_or(|w| has_word(&space, &seen, w)), "no run has {word:?}: {}", about());
            verdicts.add(if word.is_some() { "violated" } else { "holds" });
        }
    });
    verdicts.at_least_a_fifth("words of observation graphs", &["holds", "violated"]);
}

/// "The SOG of the product is the product of the SOGs" wherever what is shared is observed.
#[test]
fn products_of_observation_graphs() {
    let mut seen_kinds = Shares::default();
    for_seeds(600, |rng, seed| {
        let system = network(rng, NetworkTaste { states: 120, ..NetworkTaste::ALL });
        let space = space(&system);
        let cut = rng.usize(1..system.components.len());
        let mut components: Vec<ComponentId> = system.component_ids().collect();
        rng.shuffle(&mut components);
        let (left, right) = components.split_at_mut(cut);
        left.sort_unstable();
        right.sort_unstable();
        let takes_part = |a: ActionId, side: &[ComponentId]| system.action(a).parts.iter().any(|c| side.contains(c));
        let seen: Vec<ActionId> = system
            .action_ids()
            .filter(|&a| takes_part(a, left) && takes_part(a, right) || rng.usize(..3) == 0)
            .collect();
        // By themselves they can do more, perhaps without end.
        let parts = [left, right].map(|side| Space::of_some(&system, side.to_vec(), 2_000));
        let [Some(left), Some(right)] = parts else { return seen_kinds.add("not bounded") };
        let whole = Observer::new(&space, &seen).graph();
        let product = product(&Observer::new(&left, &seen), &Observer::new(&right, &seen));
        assert_eq!(product, whole, "seed {seed}: {seen:?} in\n{}", show(&system));
        seen_kinds.add(match (whole.nodes.iter().any(|n| n.dead), whole.nodes.iter().any(|n| n.divergent)) {
            (true, true) => "dead and divergent",
            (true, false) => "dead",
            (false, true) => "divergent",
            (false, false) => "neither",
        });
    });
    seen_kinds.at_least(0.03, "observation graphs", &["dead and divergent", "dead", "divergent", "neither"]);
}

/// Random systems are neither too small nor too tame.
#[test]
fn random_systems_vary() {
    let (mut deadlocks, mut divergences, mut sizes) = (0u32, 0u32, Vec::new());
    let mut shares = Shares::default();
    for seed in 1..=500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let system = network(&mut rng, NetworkTaste::ALL);
        let space = space(&system);
        deadlocks += u32::from(!space.deadlocks().is_empty());
        divergences += u32::from(space.divergent(&visible(&space, &[])).contains(&true));
        sizes.push(space.states.len());
        shares.add(if space.places().is_empty() { "no net" } else { "a net" });
    }
    sizes.sort_unstable();
    eprintln!(
        "{deadlocks} deadlocks, {divergences} divergences, states {} {} {}, {shares:?}",
        sizes[100], sizes[250], sizes[400]
    );
    assert!((150..=300).contains(&deadlocks), "{deadlocks} with a deadlock");
    assert!((130..=300).contains(&divergences), "{divergences} with a divergence");
    assert!(sizes[250] > 10, "half have {} states or fewer", sizes[250]);
}
