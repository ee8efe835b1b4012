//! Monitors of streams against the definition: all four answers after every record, for each sort of completions. None may come a
//! record early or late.

use fastrand::Rng;
use posetta_base::{Budget, Number, Value};
use posetta_check::{Observed, Options, check};
use posetta_formats::{self as formats, Format};
use posetta_logic::{Atom, Formula, Ltl, Property, View};
use posetta_monitor::{Answers, Completions, Instance, Monitor, Prospect, Record, Stream};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::completions::{Atlas, Letters, Linear, beginning};
use posetta_oracle::psl::{Letter, Word};
use posetta_oracle::random::{m2l_over, small_atoms, small_ltl_case, small_psl_case, small_world};
use posetta_oracle::state::State;
use posetta_oracle::world::{Deed, States, World};

/// A property, and all that can happen to it.
struct Subject {
    property: Property,
    linear: Linear,
    atoms: Vec<Atom>,
    world: World,
    view: View,
}

/// What happens in a stream after its start.
struct Happening<'w> {
    name: Option<&'static str>,
    process: &'static str,
    sets: Vec<(&'w str, &'w Value)>,
}

/// A stream in the world of a property: a first state, and what happens then.
struct Planned<'w> {
    sort: Stream,
    first: State<'w>,
    then: Vec<Happening<'w>>,
}

impl<'w> Planned<'w> {
    fn random(rng: &mut Rng, world: &'w World, sort: Stream) -> Self {
        let value = |rng: &mut Rng, var: usize| rng.choice(&world.variables[var].1).expect("a variable has values");
        let first = world.variables.iter().enumerate().map(|(i, (name, _))| (name.as_str(), value(rng, i))).collect();
        let count = usize::from(sort == Stream::Events) + rng.usize(..5);
        let then = (0..count).map(|_| {
            let sets = world.variables.iter().enumerate().filter(|_| rng.u8(..3) > 0).collect::<Vec<_>>();
            let sets = sets.into_iter().map(|(i, (name, _))| (name.as_str(), value(rng, i))).collect();
            let events = sort == Stream::Events;
            let name = (events && rng.u8(..3) > 0).then(|| ["a", "b", "c"][rng.usize(..3)]);
            Happening { name, process: if events { ["P", "Q", "R"][rng.usize(..3)] } else { "state" }, sets }
        });
        Self { sort, first, then: then.collect() }
    }

    /// The declared values: of state records the first one says all, and 0 need not be declared.
    fn initial(&self, rng: &mut Rng) -> Vec<(String, Value)> {
        let zero = Value::Number(Number::ZERO);
        let tacit = |name: &str, value: &Value| *value == zero && ["x", "y"].contains(&name);
        let pairs = self.first.iter().filter(|(name, value)| !tacit(name, value) || rng.bool());
        match self.sort {
            Stream::States => Vec::new(),
            Stream::Events => pairs.map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect(),
        }
    }

    /// Reads one record: the start is number 0.
    fn read(&self, monitor: &mut Monitor, instance: &mut Instance, number: usize, about: &str) -> Answers {
        let owned = |(name, value): (&'w str, &'w Value)| (name, value.clone());
        let (sets, name, process): (Vec<(&str, Value)>, _, _) = match number.checked_sub(1) {
            None => (self.first.iter().map(|(name, value)| owned((name, value))).collect(), None, None),
            Some(i) => {
                let Happening { name, process, sets } = &self.then[i];
                let process = (self.sort == Stream::Events).then_some(*process);
                (sets.iter().map(|&pair| owned(pair)).collect(), *name, process)
            }
        };
        let record = Record::of(process, name, &sets);
        monitor.read(instance, &record, &Budget::unlimited()).unwrap_or_else(|e| panic!("{record:?}: {e:?}, {about}"))
    }

    /// The numbers of the records.
    fn records(&self) -> std::ops::Range<usize> {
        usize::from(self.sort == Stream::Events)..self.then.len() + 1
    }

    /// The letters up to each record, and the states they can have led to.
    fn words(&self, letters: &Letters<'_>, view: View) -> Vec<Vec<Letter>> {
        let mut state = self.first.clone();
        let mut word = beginning(letters, &state, view);
        let mut words = vec![word.clone()];
        for happening in &self.then {
            state.extend(happening.sets.iter().copied());
            let sets: Vec<&str> = happening.sets.iter().map(|(name, _)| *name).collect();
            let deed = Deed { sets: &sets, name: happening.name, process: Some(happening.process) };
            word.push(letters.letter(&state, Some(deed)));
            words.push(word.clone());
        }
        words
    }

    /// The same stream as a file of JSON lines.
    fn file(&self) -> String {
        fn object<'a>(pairs: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
            let text = |value: &Value| match value {
                Value::Number(n) => n.to_decimal().expect("a decimal number"),
                Value::Text(text) => format!("\"{text}\""),
            };
            let fields: Vec<String> = pairs.map(|(name, value)| format!("\"{name}\":{}", text(value))).collect();
            format!("{{{}}}", fields.join(","))
        }
        let first = object(self.first.iter().map(|(name, value)| (*name, *value)));
        let mut lines = match self.sort {
            // Without a header, states without variables would be refused.
            Stream::States => vec!["{\"posetta\":1}".to_owned(), first],
            Stream::Events => vec![format!("{{\"posetta\":1,\"initial\":{first}}}")],
        };
        for Happening { name, process, sets } in &self.then {
            let sets = object(sets.iter().copied());
            lines.push(match (self.sort, name) {
                (Stream::States, _) => sets,
                (Stream::Events, None) => format!("{{\"process\":\"{process}\",\"set\":{sets}}}"),
                (Stream::Events, Some(name)) => {
                    format!("{{\"process\":\"{process}\",\"name\":\"{name}\",\"set\":{sets}}}")
                }
            });
        }
        lines.join("\n") + "\n"
    }
}

/// What `check` says about the order in a file.
fn observed(file: &str, property: &Property) -> bool {
    let trace = formats::read(Format::JsonLines, file.as_bytes(), &Budget::unlimited()).expect(file);
    let answer = check(&trace, property, &Options::default(), &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{} is refused: {e:?}", property.formula));
    match answer.observed().expect("the lines are in order") {
        Observed::Holds => true,
        Observed::Violated => false,
    }
}

/// Whether an atom speaks of several variables: then perhaps not all that can be told apart is.
fn is_joint(atom: &Atom) -> bool {
    let mut names: Vec<&str> = Vec::new();
    atom.for_each_var(&mut |var| names.push(&var.name));
    names.iter().any(|name| *name != names[0])
}

const KINDS: [Completions; 3] = [Completions::Finite, Completions::Infinite, Completions::Both];

/// So many letters may follow, at most, for all completions to be tried.
const CHOICES: usize = 6;

/// Follows a random stream of a property and compares all answers. Answers how often each came.
fn follow(rng: &mut Rng, subject: &Subject, sort: Stream, shares: &mut Shares, seed: u64) {
    let letters = Letters::new(&subject.world, &subject.atoms);
    if letters.choices() > CHOICES {
        return;
    }
    let plan = Planned::random(rng, &subject.world, sort);
    let asked = KINDS[rng.usize(..3)];
    // "M2L speaks of finite words, so finite continuations count, whatever is asked."
    let kind = if matches!(subject.linear, Linear::M2l(..)) { Completions::Finite } else { asked };
    let initial = plan.initial(rng);
    let new = || {
        Monitor::new(&subject.property, sort, &initial, asked, &Budget::unlimited())
            .unwrap_or_else(|e| panic!("{} is refused: {e:?}", subject.property.formula))
    };
    let (mut monitor, mut another) = (new(), new());
    let mut instance = monitor.begin();
    let words = plan.words(&letters, subject.view);
    let ends: States = letters.states(&plan.first);
    let mut atlas = Atlas::new(&letters, &subject.linear, (words[0].clone(), ends));
    let exact = monitor.is_exact();
    let formula = &subject.property.formula;
    let about = format!("seed {seed}, {kind:?}, {sort:?}, {:?}: {formula}\non\n{}", subject.view, plan.file());
    assert!(exact || subject.atoms.iter().any(is_joint), "so small a property is known exactly: {about}");

    let pause = rng.usize(plan.records());
    let mut resumed: Option<Instance> = None;
    for number in plan.records() {
        let about = || format!("after record {number}, {about}");
        let answers = plan.read(&mut monitor, &mut instance, number, &about());
        assert_eq!(monitor.answers(&instance), answers, "{}", about());
        if let Some(resumed) = &mut resumed {
            assert_eq!(plan.read(&mut another, resumed, number, &about()), answers, "saved after {pause}, {}", about());
            assert_eq!(resumed.records(), instance.records(), "{}", about());
        }
        if number == pause {
            let saved = monitor.save(&instance);
            assert!(!saved.contains('\n'), "{saved:?} is one line: {}", about());
            let restored = restored(&mut another, &saved);
            let restored = restored.unwrap_or_else(|| panic!("{saved} is not read back: {}", about()));
            assert_eq!(another.answers(&restored), answers, "restored, {}", about());
            resumed = Some(restored);
        }
        compare(&mut atlas, subject, &words[number], kind, answers, exact, &about());
        shares.add(answers.prospect.word());
        if !words[number].is_empty() && number + 1 == plan.records().end {
            assert_eq!(answers.satisfied, observed(&plan.file(), &subject.property), "check differs: {}", about());
        }
    }
}

fn compare(
    atlas: &mut Atlas<'_>,
    subject: &Subject,
    word: &[Letter],
    kind: Completions,
    answers: Answers,
    exact: bool,
    about: &str,
) {
    let Answers { satisfied, prospect, monitorable } = answers;
    assert_eq!(satisfied, subject.linear.holds(&Word::finite(word.to_vec())), "{about}");
    if exact || prospect != Prospect::Open {
        let judged = atlas.judge(word, kind, prospect);
        assert!(judged.as_ref().is_none_or(Result::is_ok), "{}: {about}", judged.unwrap().unwrap_err());
    }
    if prospect != Prospect::Open {
        assert_eq!(monitorable, Some(true), "a determined prefix is monitorable: {about}");
    }
    match monitorable {
        None => assert!(!exact, "what is known exactly is monitorable or not: {about}"),
        Some(_) if !exact => {}
        Some(claimed) => {
            let judged = atlas.judge_monitorable(word, kind, claimed);
            assert!(judged.as_ref().is_none_or(Result::is_ok), "{}: {about}", judged.unwrap().unwrap_err());
        }
    }
}

fn view_and_sort(rng: &mut Rng) -> (View, Stream) {
    let view = if rng.bool() { View::States } else { View::Events };
    (view, if rng.bool() { Stream::States } else { Stream::Events })
}

/// Atoms for a stream: state records have neither names nor processes.
fn atoms(rng: &mut Rng, sort: Stream) -> Vec<Atom> {
    small_atoms(rng, 35, sort == Stream::Events)
}

#[test]
fn ltl_with_past() {
    let mut shares = Shares::default();
    for_seeds(800, |rng, seed| {
        let (view, sort) = view_and_sort(rng);
        let drawn = atoms(rng, sort);
        let case = small_ltl_case(rng, &drawn);
        let property = Property::ltl_over(view, &case.formula.to_string()).expect("printed formulas are read");
        assert_eq!(property.formula, Formula::Ltl(view, case.formula.clone()));
        let linear = Linear::ltl(&case.formula, &case.atoms);
        let subject = Subject { property, linear, atoms: case.atoms, world: case.world, view };
        follow(rng, &subject, sort, &mut shares, seed);
    });
    shares.at_least(0.1, "LTL", &["open", "holds", "violated"]);
}

#[test]
fn psl() {
    let mut shares = Shares::default();
    for_seeds(400, |rng, seed| {
        let (view, sort) = view_and_sort(rng);
        let drawn = atoms(rng, sort);
        let case = small_psl_case(rng, &drawn, 12);
        let property = Property::psl_over(view, &case.formula.to_string()).expect("printed formulas are read");
        assert_eq!(property.formula, Formula::Psl(view, case.formula.clone()));
        let linear = Linear::psl(&case.formula, &case.atoms);
        let subject = Subject { property, linear, atoms: case.atoms, world: case.world, view };
        follow(rng, &subject, sort, &mut shares, seed);
    });
    shares.at_least(0.1, "PSL", &["open", "holds", "violated"]);
}

#[test]
fn m2l() {
    let mut shares = Shares::default();
    for_seeds(300, |rng, seed| {
        let (view, sort) = view_and_sort(rng);
        let drawn = atoms(rng, sort);
        let (text, program) = m2l_over(rng, &drawn);
        let property = Property::m2l_over(view, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let atoms: Vec<Atom> = program.atoms.iter().map(|(_, atom)| atom.clone()).collect();
        let linear = Linear::M2l(Box::new(program), atoms.clone());
        let subject = Subject { property, linear, world: small_world(&atoms), atoms, view };
        follow(rng, &subject, sort, &mut shares, seed);
    });
    shares.at_least(0.1, "M2L", &["open", "holds", "violated"]);
}

const PATTERNS: &[&str] = &[
    "absence(P)",
    "existence(P)",
    "universality(P)",
    "precedence(P, Q)",
    "response(P, Q)",
    "precedence_chain(P; Q, R)",
    "response_chain(P; Q, R)",
    "mutex(P, Q)",
    "exactly_once(P)",
    "alternation(P, Q)",
];
const SCOPES: &[&str] = &["", "before Q", "after Q", "between Q and R", "after Q until R"];

#[test]
fn patterns() {
    let mut shares = Shares::default();
    for_seeds(300, |rng, seed| {
        let (view, sort) = view_and_sort(rng);
        let drawn = atoms(rng, sort);
        let (pattern, scope) = (PATTERNS[rng.usize(..PATTERNS.len())], SCOPES[rng.usize(..SCOPES.len())]);
        let text = format!("{pattern} {scope}").chars().fold(String::new(), |text, sign| match sign {
            'P' | 'Q' | 'R' => {
                let literal = Ltl::Atom(drawn[rng.usize(..drawn.len())].clone());
                format!("{text}{}({literal})", if rng.u8(..4) == 0 { "!" } else { "" })
            }
            sign => text + &sign.to_string(),
        });
        let property = Property::ltl_over(view, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let Formula::Ltl(_, formula) = &property.formula else { panic!("{text} is not LTL") };
        let mut atoms: Vec<Atom> = Vec::new();
        let _ = formula.map_atoms(&mut |atom: &Atom| {
            if !atoms.contains(atom) {
                atoms.push(atom.clone());
            }
        });
        let linear = Linear::ltl(formula, &atoms);
        let subject = Subject { linear, world: small_world(&atoms), atoms, property: property.clone(), view };
        follow(rng, &subject, sort, &mut shares, seed);
    });
    shares.at_least(0.05, "patterns", &["open", "holds", "violated"]);
}

fn restored(monitor: &mut Monitor, saved: &str) -> Option<Instance> {
    monitor.restore(saved, &Budget::unlimited()).unwrap_or_else(|limit| panic!("no limit was set, but {limit}"))
}

/// What no monitor has saved is not restored.
#[test]
fn what_was_not_saved() {
    let new = |text: &str| {
        let property = Property::ltl(text).unwrap();
        Monitor::new(&property, Stream::States, &[], Completions::Both, &Budget::unlimited()).unwrap()
    };
    let mut monitor = new("G (x == 1 -> F (y == 1))");
    let mut instance = monitor.begin();
    let sets = [("x", Value::Number(Number::from(1))), ("y", Value::Number(Number::ZERO))];
    let record = Record::state(&sets);
    let _ = monitor.read(&mut instance, &record, &Budget::unlimited()).unwrap();
    let saved = monitor.save(&instance);
    let again = restored(&mut monitor, &saved).unwrap_or_else(|| panic!("{saved} is not read back"));
    assert_eq!((again.records(), monitor.answers(&again)), (instance.records(), monitor.answers(&instance)));
    assert!(restored(&mut new("F z"), &saved).is_none(), "of another property: {saved}");
    // What is left of a line may look like another line, but nothing breaks.
    for end in (0..saved.len()).filter(|&end| saved.is_char_boundary(end)) {
        if let Some(mut other) = restored(&mut monitor, &saved[..end]) {
            let _ = monitor.read(&mut other, &record, &Budget::unlimited()).unwrap();
        }
    }
    for text in ["", " ", "0", "nonsense", "{}", "[1,2,3]", "18446744073709551616", "-1", "\u{0}"] {
        assert!(restored(&mut monitor, text).is_none(), "{text:?}");
    }
}
