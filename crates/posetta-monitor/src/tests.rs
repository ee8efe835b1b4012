use super::*;
use posetta_base::{Budget, Value};
use posetta_logic::Property;
use serde_json::json;

fn unlimited() -> Budget {
    Budget::unlimited()
}

fn properties(formulas: &[&str]) -> Vec<Property> {
    formulas.iter().map(|formula| Property::ltl(formula).unwrap()).collect()
}

fn watcher(formulas: &[&str], options: Options) -> Watcher {
    Watcher::new(properties(formulas), options, &unlimited())
}

fn keyed() -> Options {
    Options { key: Some("k".to_owned()), ..Options::default() }
}

/// A record that assigns `x`: its key, and the value.
type Step<'a> = (Option<&'a str>, Value);

/// What notices say, one line each.
fn words(watcher: &Watcher, notices: &[Notice]) -> Vec<String> {
    let word = |notice: &Notice| match notice {
        Notice::Answered(told) => {
            let word = told.answers.prospect.word();
            let so_far = if told.answers.satisfied { "+" } else { "-" };
            let how = if told.before.is_none() {
                " first"
            } else if told.is_again() {
                " again"
            } else {
                ""
            };
            format!("{} {}@{} {word}{so_far}{how}", told.property, watcher.key(told.stream), told.position)
        }
        Notice::Mistyped { property, line, mistakes } => format!("{property} line {line}: {}", mistakes[0].message),
        Notice::Keyless { line } => format!("line {line} has no key"),
        Notice::Failed { property, mistakes } => format!("{property} fails: {}", mistakes[0].message),
        Notice::GivenUp { property, over } => format!("{property} unknown: {over}"),
        Notice::Warned { property, warning } => format!("{property} warning: {}", warning.message),
    };
    notices.iter().map(word).collect()
}

/// Reads a record from the next line.
fn read(watcher: &mut Watcher, (key, value): &Step<'_>) -> Vec<String> {
    let line = watcher.counts().records + 1;
    let sets = [("x", value.clone())];
    let notices = watcher.read(*key, &Record::state(&sets), line, &unlimited()).unwrap().to_vec();
    words(watcher, &notices)
}

fn numbers<'a>(key: Option<&'a str>, values: &[i64]) -> Vec<Step<'a>> {
    values.iter().map(|&value| (key, Value::from(value))).collect()
}

fn save(watcher: &Watcher) -> Vec<u8> {
    let mut bytes = Vec::new();
    watcher.save(&Bookmark::default(), &mut bytes).unwrap();
    bytes
}

/// Restores where each record is a line.
fn restore(watcher: &mut Watcher, bytes: &[u8]) -> Result<Restored, Refusal> {
    let checkpoint = Checkpoint::of(bytes)?;
    let line = checkpoint.records();
    let source = Source { stream: (line > 0).then_some(Stream::States), initial: &[], line };
    watcher.restore(checkpoint, Some(&source), &unlimited())
}

#[test]
fn changes_are_said() {
    let mut all = watcher(&["G (x < 5)", "F (x == 3)"], Options::default());
    let told: Vec<Vec<String>> = numbers(None, &[1, 2, 3, 7, 8]).iter().map(|step| read(&mut all, step)).collect();
    let expected = [&["0 @0 open+ first", "1 @0 open- first"][..], &[], &["1 @2 holds+"], &["0 @3 violated-"], &[]];
    assert_eq!(told, expected);
    assert!(all.is_settled());
    assert_eq!((all.tally(0).violated, all.tally(0).since, all.tally(1).since), (1, Some((3, 4)), Some((2, 3))));
    assert!(all.ends().iter().all(|end| *end == AtEnd::default()));
    let mut every = watcher(&["G (x < 5)"], Options { every: true, ..Options::default() });
    let told: Vec<Vec<String>> = numbers(None, &[1, 2, 7]).iter().map(|step| read(&mut every, step)).collect();
    assert_eq!(told.concat(), ["0 @0 open+ first", "0 @1 open+ again", "0 @2 violated-"]);
    assert!(!every.is_settled());
}

#[test]
fn what_cannot_be_followed_is_said() {
    let mut all = properties(&["G (x < 5)", "F (y == 1)", "G (x / z < 9)"]);
    all.push(Property::ctl("AG (x < 5)").unwrap());
    let mut watcher = Watcher::new(all, Options::default(), &unlimited());
    assert_eq!(words(&watcher, watcher.notices()), ["3 fails: a property of cuts cannot be monitored"]);
    assert_eq!(
        read(&mut watcher, &(None, Value::from("a"))),
        ["0 line 1: strings have no order", "1 @0 open- first", "2 line 1: there is no arithmetic on strings"]
    );
    assert_eq!(read(&mut watcher, &(None, Value::from(1))), ["0 @0 open+ first", "2 @0 violated- first"]);
    assert_eq!(watcher.counts(), Counts { records: 2, mistyped: 2, ..Counts::default() });
    let guessed = watcher.finish(false).to_vec();
    assert_eq!(words(&watcher, &guessed)[0], "1 warning: nothing so far assigns or declares the variable `y`");
    watcher.know(["z"]);
    let finished = watcher.finish(true).to_vec();
    assert_eq!(
        words(&watcher, &finished),
        [
            "1 fails: no input assigns or declares the variable `y`",
            "2 warning: a division by zero: the comparison around it counts as false there"
        ]
    );
    assert_eq!(watcher.tally(1).state, State::Failed);
}

#[test]
fn each_key_is_a_stream() {
    let mut watcher = watcher(&["G (x < 5)", "F (x == 3)"], keyed());
    let steps = [("a", 1), ("b", 3), ("a", 9), ("a", 1), ("b", 1), ("c", 9)];
    let told: Vec<String> =
        steps.iter().flat_map(|(key, x)| read(&mut watcher, &(Some(key), Value::from(*x)))).collect();
    assert_eq!(
        told,
        [
            "0 a@0 open+ first",
            "1 a@0 open- first",
            "0 b@0 open+ first",
            "1 b@0 holds+ first",
            "0 a@1 violated-",
            "0 c@0 violated- first",
            "1 c@0 open- first",
        ]
    );
    assert_eq!(read(&mut watcher, &(None, Value::from(1))), ["line 7 has no key"]);
    assert_eq!((watcher.streams(), watcher.counts().keyless, watcher.counts().first_keyless), (3, 1, Some(7)));
    let tally = watcher.tally(0);
    assert_eq!((tally.holds, tally.violated, tally.violated_keys.join(" ")), (0, 2, "a c".to_owned()));
    let ends = watcher.ends();
    assert_eq!((ends[0].satisfied, ends[0].unsatisfied), (1, 0));
    assert_eq!((ends[1].satisfied, ends[1].unsatisfied_keys.join(" ")), (0, "a c".to_owned()));
    for i in 0..100 {
        read(&mut watcher, &(Some(&format!("k{i}")), Value::from(9)));
    }
    assert_eq!((watcher.tally(0).violated, watcher.tally(0).violated_keys.len()), (102, 5));
}

#[test]
fn streams_are_limited_in_number_and_in_memory() {
    let mut few = watcher(&["G (x < 5)"], Options { most_streams: 2, ..keyed() });
    let (one, sets) = (unlimited(), [("x", Value::from(1))]);
    let record = Record::state(&sets);
    assert!(few.read(Some("a"), &record, 1, &one).is_ok() && few.read(Some("b"), &record, 2, &one).is_ok());
    let over = few.read(Some("c"), &record, 3, &one).unwrap_err();
    assert_eq!(over.to_string(), "the memory limit was reached while keeping the streams");
    // The others go on, and so does who goes on from here.
    assert!(few.read(Some("a"), &record, 4, &one).is_ok() && !few.is_torn());
    let mut again = watcher(&["G (x < 5)"], Options { most_streams: 2, ..keyed() });
    assert_eq!(restore(&mut again, &save(&few)).unwrap(), Restored::Everything);
    // A record that nobody followed does not count.
    assert_eq!((again.streams(), again.counts().records), (2, 3));

    let budget = Budget::with_memory(50_000);
    let mut many = Watcher::new(properties(&["G (x < 5)"]), keyed(), &budget);
    many.begin(Stream::States, &[], &unlimited());
    let over = (1..).find_map(|i| many.read(Some(&format!("key {i}")), &record, i, &budget).err()).unwrap();
    assert_eq!(over.limit, posetta_base::Limit::Memory);
    assert!((256..2000).contains(&many.streams()), "{}", many.streams());
    // Which properties have read the last record is not known any more.
    assert!(many.is_torn() && many.save(&Bookmark::default(), &mut Vec::new()).is_err());
}

#[test]
fn what_was_said_before_is_not_said_again() {
    let steps = numbers(None, &[1, 9, 3]);
    let mut first = watcher(&["G (x < 5)", "F (x == 3)"], Options::default());
    steps[..2].iter().for_each(|step| drop(read(&mut first, step)));
    let bytes = save(&first);
    // A reader that cannot go on reads everything again.
    let mut second = watcher(&["G (x < 5)", "F (x == 3)"], Options::default());
    let restored = second.restore(Checkpoint::of(&bytes).unwrap(), None, &unlimited()).unwrap();
    assert_eq!(restored, Restored::ReadAgain);
    for step in &steps[..2] {
        assert_eq!(read(&mut second, step), [""; 0]);
        assert!(second.is_muted() && !second.notices().is_empty());
    }
    assert_eq!(second.tally(0), first.tally(0));
    assert_eq!(read(&mut second, &steps[2]), ["1 @2 holds+"]);
    assert!(!second.is_muted());
}

/// From every place, going on says what would have been said.
#[test]
fn whoever_goes_on_says_the_same() {
    let formulas = ["G (x < 6)", "F (x == 3)", "G (x == 1 -> F x == 2)", "x == 0 U x == 5"];
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..40 {
        let options = || Options { every: round % 4 == 0, ..if round % 2 == 0 { keyed() } else { Options::default() } };
        let steps: Vec<Step<'_>> = (0..12)
            .map(|_| {
                let key = random.choice([None, Some("a"), Some("b"), Some("é\n\"")]).unwrap();
                (key, if random.u8(..10) == 0 { Value::from("?") } else { Value::from(random.i64(0..8)) })
            })
            .collect();
        let mut whole = watcher(&formulas, options());
        let told: Vec<Vec<String>> = steps.iter().map(|step| read(&mut whole, step)).collect();
        for at in 0..=steps.len() {
            let mut first = watcher(&formulas, options());
            steps[..at].iter().for_each(|step| drop(read(&mut first, step)));
            let (bytes, mut second) = (save(&first), watcher(&formulas, options()));
            assert_eq!(restore(&mut second, &bytes).unwrap(), Restored::Everything);
            assert_eq!(save(&second), bytes, "{round} {at}");
            let rest: Vec<Vec<String>> = steps[at..].iter().map(|step| read(&mut second, step)).collect();
            assert_eq!(rest, told[at..], "{round} {at}");
            assert_eq!((second.ends(), second.counts()), (whole.ends(), whole.counts()), "{round} {at}");
            let same = |i| second.tally(i) == whole.tally(i);
            assert!((0..formulas.len()).all(same), "{round} {at}");
        }
    }
}

#[test]
fn a_bookmark_comes_back() {
    use posetta_base::{Diagnostic, Kind, Place};
    let warning = Diagnostic::new(Kind::Ignored, "m").at(Place::line_only(1)).label("l").help("h");
    let bookmark = Bookmark {
        offset: 12,
        reader: Some("a\nb".to_owned()),
        lines: 4,
        bytes: Some(77),
        malformed: 1,
        warned: vec![warning, Diagnostic::new(Kind::Unmatched, "n")],
    };
    let mut bytes = Vec::new();
    watcher(&["G (x < 5)"], keyed()).save(&bookmark, &mut bytes).unwrap();
    let checkpoint = Checkpoint::of(&bytes).unwrap();
    assert_eq!((checkpoint.bookmark(), checkpoint.records()), (&bookmark, 0));
}

#[test]
fn a_checkpoint_is_of_one_question() {
    let asked = |word: &str| {
        let asked = [("source".to_owned(), json!(word))].into_iter().collect();
        Options { asked, ..keyed() }
    };
    let bytes = save(&watcher(&["G (x < 5)"], asked("a")));
    for (formula, options, differs) in [
        ("G (x < 6)", asked("a"), Some("properties")),
        ("G (x < 5)", asked("b"), Some("source")),
        ("G (x < 5)", keyed(), Some("source")),
        ("G (x < 5)", Options { key: None, ..asked("a") }, Some("--key")),
        ("G (x < 5)", Options { every: true, ..asked("a") }, Some("--every")),
        ("G (x < 5)", Options { completions: Completions::Finite, ..asked("a") }, Some("--completions")),
        ("G (x < 5)", asked("a"), None),
    ] {
        match restore(&mut watcher(&[formula], options), &bytes) {
            Err(Refusal::OtherQuestion(difference)) => assert_eq!(Some(difference.field.as_str()), differs),
            restored => assert!(restored.is_ok_and(|r| r == Restored::Everything) && differs.is_none()),
        }
    }
}

/// Nothing that was changed afterwards, in whatever way, is taken for a checkpoint.
#[test]
fn a_damaged_checkpoint_is_refused() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut watcher = watcher(&["G (x < 5)", "F (x == 3)"], keyed());
    for (key, x) in [("a", 1), ("b", 9), ("c", 3)] {
        read(&mut watcher, &(Some(key), Value::from(x)));
    }
    let whole = save(&watcher);
    assert!(Checkpoint::of(&whole).is_ok());
    let check = |mutant: &[u8], what: &str| {
        assert!(
            mutant == whole || Checkpoint::of(mutant).is_err_and(|refusal| !refusal.to_string().is_empty()),
            "{what}"
        );
    };
    for length in 0..whole.len() {
        check(&whole[..length], &format!("the first {length} bytes"));
        check(&whole[length + 1..], &format!("without the first {} bytes", length + 1));
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut mutant = whole.clone();
            mutant[at] ^= 1 << bit;
            check(&mutant, &format!("bit {bit} of byte {at}"));
        }
    }
    for round in 0..2000 {
        let mut mutant = whole.clone();
        for _ in 0..random.usize(1..20) {
            let at = random.usize(..mutant.len());
            match random.u8(..3) {
                0 => mutant[at] = random.u8(..),
                1 => drop(mutant.remove(at)),
                _ => mutant.insert(at, random.u8(..)),
            }
        }
        check(&mutant, &format!("round {round}"));
    }
}

/// As the program wrote it before the library did.
const EARLIER: &str = concat!(
    r#"{"posetta_checkpoint":2,"asked":{"source":"f","format":"jsonl","properties":[["G (x < 5)","ltl","states","G (x < 5)"],["F (x == 3)","ltl","states","F (x == 3)"]],"--completions":"both","the sampling":null,"--key":"k","--every":false,"--json":false,"--out":null},"offset":58,"records":4,"reader":"4 states 1","lines":5,"bytes":null,"board":{"properties":[{"failed":false,"lost_to_memory":null,"holds":0,"violated":1,"violated_keys":["c"],"since":null},{"failed":false,"lost_to_memory":null,"holds":0,"violated":0,"violated_keys":[],"since":null}],"malformed":0,"mistyped":1,"keyless":[1,2],"warned":[],"mistaken":false},"names":{"events":[],"processes":[],"seen":["x"]}}"#,
    "\n",
    r#"["a",["1 1/1 state 0","1 1/1 state 0"]]"#,
    "\n",
    r#"["b",["0 0/1 state 0","1 \"3f state 0"]]"#,
    "\n",
    r#"["c",[false,"1 7/1 state 0"]]"#,
    "\n",
    r#"{"streams":3}"#,
    "\n",
    r#"{"length":                 795,"checksum":"46dcc1280370ca60"}"#,
    "\n",
);

#[test]
fn earlier_checkpoints_are_read() {
    let fields = [("source", json!("f")), ("format", json!("jsonl")), ("the sampling", json!(null))];
    let fields = fields.into_iter().chain([("--json", json!(false)), ("--out", json!(null))]);
    let asked = fields.map(|(field, value)| (field.to_owned(), value)).collect();
    let mut watcher = watcher(&["G (x < 5)", "F (x == 3)"], Options { asked, ..keyed() });
    assert_eq!(restore(&mut watcher, EARLIER.as_bytes()).unwrap(), Restored::Everything);
    assert_eq!(watcher.counts(), Counts { records: 4, mistyped: 1, keyless: 1, first_keyless: Some(2) });
    assert_eq!(watcher.tally(0).violated_keys, ["c"]);
    assert_eq!(read(&mut watcher, &(Some("b"), Value::from(3))), ["0 b@0 open+ first", "1 b@1 holds+"]);
}
