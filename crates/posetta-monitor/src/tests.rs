use super::*;
use posetta_base::{Budget, Error, Value};
use posetta_logic::Property;

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
    Options::default().key("k")
}

/// What has become of the property at this place.
fn tally(watcher: &Watcher, property: usize) -> &Tally {
    watcher.tally(watcher.properties().nth(property).unwrap())
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
            format!("{} {}@{} {word}{so_far}{how}", told.property.index(), watcher.key(told.stream), told.position)
        }
        Notice::Mistyped { property, line, mistakes } => {
            format!("{} line {line}: {}", property.index(), mistakes[0].message)
        }
        Notice::Keyless { line } => format!("line {line} has no key"),
        Notice::Failed { property, mistakes } => format!("{} fails: {}", property.index(), mistakes[0].message),
        Notice::GivenUp { property, over } => format!("{} unknown: {over}", property.index()),
        Notice::Warned { property, warning } => format!("{} warning: {}", property.index(), warning.message),
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
    let source = Source::new(line, (line > 0).then_some(Stream::States), &[]);
    watcher.restore(checkpoint, Some(&source), &unlimited())
}

#[test]
fn changes_are_said() {
    let mut all = watcher(&["G (x < 5)", "F (x == 3)"], Options::default());
    let told: Vec<Vec<String>> = numbers(None, &[1, 2, 3, 7, 8]).iter().map(|step| read(&mut all, step)).collect();
    let expected = [&["0 @0 open+ first", "1 @0 open- first"][..], &[], &["1 @2 holds+"], &["0 @3 violated-"], &[]];
    assert_eq!(told, expected);
    assert!(all.is_settled());
    let (first, second) = (tally(&all, 0), tally(&all, 1));
    assert_eq!((first.violated, first.since, second.since), (1, Some((3, 4)), Some((2, 3))));
    assert!(all.ends().iter().all(|end| *end == AtEnd::default()));
    let mut every = watcher(&["G (x < 5)"], Options::default().every(true));
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
    assert_eq!(tally(&watcher, 1).state, State::Failed);
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
    let first = tally(&watcher, 0);
    assert_eq!((first.holds, first.violated, first.violated_keys.join(" ")), (0, 2, "a c".to_owned()));
    let ends = watcher.ends();
    assert_eq!((ends[0].satisfied, ends[0].unsatisfied), (1, 0));
    assert_eq!((ends[1].satisfied, ends[1].unsatisfied_keys.join(" ")), (0, "a c".to_owned()));
    for i in 0..100 {
        read(&mut watcher, &(Some(&format!("k{i}")), Value::from(9)));
    }
    assert_eq!((tally(&watcher, 0).violated, tally(&watcher, 0).violated_keys.len()), (102, 5));
}

#[test]
fn streams_are_limited_in_number_and_in_memory() {
    let mut few = watcher(&["G (x < 5)"], keyed().most_streams(2));
    let (one, sets) = (unlimited(), [("x", Value::from(1))]);
    let record = Record::state(&sets);
    assert!(few.read(Some("a"), &record, 1, &one).is_ok() && few.read(Some("b"), &record, 2, &one).is_ok());
    let over = few.read(Some("c"), &record, 3, &one).unwrap_err();
    assert_eq!(over.to_string(), "the memory limit was reached while keeping the streams");
    // The others go on, and so does who goes on from here.
    assert!(few.read(Some("a"), &record, 4, &one).is_ok() && !few.is_torn());
    let mut again = watcher(&["G (x < 5)"], keyed().most_streams(2));
    assert_eq!(restore(&mut again, &save(&few)).unwrap(), Restored::Everything);
    // A record that nobody followed does not count.
    assert_eq!((again.streams(), again.counts().records), (2, 3));

    let budget = Budget::with_memory(50_000);
    let mut many = Watcher::new(properties(&["G (x < 5)"]), keyed(), &budget);
    many.begin(Stream::States, &[], &unlimited());
    let over = (1..).find_map(|i| many.read(Some(&format!("key {i}")), &record, i, &budget).err()).unwrap();
    assert!(matches!(over, Error::OverBudget(over) if over.limit == posetta_base::Limit::Memory));
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
    assert_eq!(tally(&second, 0), tally(&first, 0));
    assert_eq!(read(&mut second, &steps[2]), ["1 @2 holds+"]);
    assert!(!second.is_muted());
}

/// From every place, going on says what would have been said.
#[test]
fn whoever_goes_on_says_the_same() {
    let formulas = ["G (x < 6)", "F (x == 3)", "G (x == 1 -> F x == 2)", "x == 0 U x == 5"];
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..40 {
        let options = || if round % 2 == 0 { keyed() } else { Options::default() }.every(round % 4 == 0);
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
            let same = |i| tally(&second, i) == tally(&whole, i);
            assert!((0..formulas.len()).all(same), "{round} {at}");
        }
    }
}

#[test]
fn a_bookmark_comes_back() {
    use posetta_base::{Diagnostic, Kind, Place};
    let warning = Diagnostic::new(Kind::Ignored, "m").at(Place::line_only(1)).label("l").help("h");
    let bookmark = Bookmark::new(12).reader(Some("a\nb".to_owned())).lines(4, Some(77)).malformed(1);
    let bookmark = bookmark.warned(vec![warning, Diagnostic::new(Kind::Unmatched, "n")]);
    let mut bytes = Vec::new();
    watcher(&["G (x < 5)"], keyed()).save(&bookmark, &mut bytes).unwrap();
    let checkpoint = Checkpoint::of(&bytes).unwrap();
    assert_eq!((checkpoint.bookmark(), checkpoint.records()), (&bookmark, 0));
}

/// The place of a checkpoint is an offset, if there are offsets: lines without a record may stand before it.
#[test]
fn a_source_that_is_read_again_is_the_same_up_to_its_place() {
    let (steps, formulas) = (numbers(None, &[1, 9, 3]), ["G (x < 5)", "F (x == 3)"]);
    let mut first = watcher(&formulas, Options::default());
    let told: usize = steps[..2].iter().map(|step| read(&mut first, step).len()).sum();
    let mut bytes = Vec::new();
    // Two records of ten bytes, and a line of five that is none and was told.
    let lines = told as u64 + 1;
    first.save(&Bookmark::new(25).lines(lines, None), &mut bytes).unwrap();
    let again = |records: usize| {
        let mut watcher = watcher(&formulas, Options::default());
        let restored = watcher.restore(Checkpoint::of(&bytes).unwrap(), None, &unlimited()).unwrap();
        assert!(restored == Restored::ReadAgain && watcher.is_reading_again());
        for (step, offset) in steps[..records].iter().zip([10, 20, 25]) {
            watcher.reach(offset, 0).unwrap();
            assert_eq!(read(&mut watcher, step), [""; 0]);
        }
        watcher.reach(25, lines - 1).unwrap();
        assert!(watcher.is_muted());
        watcher
    };
    let mut same = again(2);
    same.reach(35, lines).unwrap();
    assert!(!same.is_muted() && !same.is_reading_again());
    assert_eq!(read(&mut same, &steps[2]), ["1 @2 holds+"]);
    // Other lines were told of it, or it has another number of records there.
    for (records, lines) in [(2, lines - 1), (1, lines), (3, lines)] {
        assert!(matches!(again(records).reach(35, lines), Err(Refusal::OtherSource)), "{records} {lines}");
        assert!(matches!(again(records).reach_end(25, lines), Err(Refusal::OtherSource)), "{records} {lines}");
    }
    assert!(again(2).reach_end(25, lines).is_ok());
    assert!(matches!(again(1).reach_end(24, lines), Err(Refusal::EndsEarly)));
    let mut given_up = again(1);
    given_up.speak();
    assert!(!given_up.is_muted());
}

#[test]
fn a_checkpoint_is_of_one_question() {
    let asked = |word: &str| keyed().asked("source", word);
    let bytes = save(&watcher(&["G (x < 5)"], asked("a")));
    let differs = |name: &str, then: Option<&str>, now: Option<&str>| {
        let (then, now) = (then.map(str::to_owned), now.map(str::to_owned));
        Some(Difference::Asked { name: name.to_owned(), then, now })
    };
    for (formula, options, differs) in [
        ("G (x < 6)", asked("a"), Some(Difference::Properties)),
        ("G (x < 5)", asked("b"), differs("source", Some("a"), Some("b"))),
        ("G (x < 5)", keyed(), differs("source", Some("a"), None)),
        ("G (x < 5)", asked("a").asked("more", ""), differs("more", None, Some(""))),
        ("G (x < 5)", Options { key: None, ..asked("a") }, differs("key", Some("k"), None)),
        ("G (x < 5)", asked("a").every(true), differs("every", None, Some(""))),
        (
            "G (x < 5)",
            asked("a").completions(Completions::Finite),
            differs("completions", Some("both"), Some("finite")),
        ),
        ("G (x < 5)", asked("a").most_streams(9), None),
    ] {
        match restore(&mut watcher(&[formula], options), &bytes) {
            Err(Refusal::OtherQuestion(difference)) => assert_eq!(Some(difference), differs),
            restored => assert!(restored.is_ok_and(|r| r == Restored::Everything) && differs.is_none()),
        }
    }
    assert_eq!(Checkpoint::of(&bytes).unwrap().asked("source"), Some("a"));
    let error: Error = Refusal::OtherQuestion(Difference::Properties).into();
    assert_eq!(error.to_string(), "the checkpoint does not fit: it was made with other properties");
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

/// What another version wrote says nothing that could be relied on.
#[test]
fn checkpoints_of_other_versions_are_refused() {
    for version in [1, 2, 4] {
        let text = String::from_utf8(save(&watcher(&["G (x < 5)"], keyed()))).unwrap();
        let other = text.replacen("\"posetta_checkpoint\":3", &format!("\"posetta_checkpoint\":{version}"), 1);
        assert!(matches!(Checkpoint::of(other.as_bytes()), Err(Refusal::OtherVersion)), "{version}");
    }
}
