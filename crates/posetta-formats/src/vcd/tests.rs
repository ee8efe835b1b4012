use proptest::prelude::*;

use super::*;
use crate::samples::check_mistakes;
use crate::states::tests::states_of;
use crate::waves::{Edge, Moment, Sampling, Unknown};
use posetta_base::{Budget, Error, Kind};
use posetta_trace::Trace;

/// The declarations of most tests.
const HEAD: &str = "$timescale 1 ns $end\n$scope module t $end\n$var wire 1 ! clk $end\n$var reg 4 \" n [3:0] $end\n\
    $upscope $end\n$enddefinitions $end\n";

/// How many lines it has.
const LINES: u64 = 6;

fn parse(source: &str) -> Result<Trace, Error> {
    read(source.as_bytes(), &Sampling::default(), &Budget::unlimited())
}

fn states(body: &str, sampling: &Sampling) -> Vec<String> {
    let trace = read(format!("{HEAD}{body}").as_bytes(), sampling, &Budget::unlimited()).unwrap();
    states_of(&trace)
}

#[test]
fn changes_are_states() {
    let all = Sampling::default();
    for (body, expected) in [
        ("#0 0! b0 \" #1 1! #2 b101 \" 0!", &["t.clk=0 t.n=0", "t.clk=1", "t.clk=0 t.n=5"][..]),
        // Before the first time, at the same time twice, and a time without a change.
        ("$dumpvars 0! $end #0 b1 \" #3 #3 b10\n\" #4 0!", &["t.clk=0 t.n=1", "t.n=2"]),
        ("$dumpvars 0! #7 1!", &["t.clk=0 t.n=\"x\"", "t.clk=1"]),
        ("#5 1! #6.5 0! #6.75 bz \" #1e2 b1x \"", &["t.clk=1 t.n=\"x\"", "t.clk=0", "t.n=\"z\"", "t.n=\"1x\""]),
        (
            "#0 1!\n$comment 0! $end\n$dumpall 1! b11 \" $end\n$dumpoff x! bx \" $end #9 $dumpon z! b1 \" $end",
            &["t.clk=\"x\" t.n=\"x\"", "t.clk=\"z\" t.n=1"],
        ),
        (
            "#0 1! r2.5 \" #1 r1e2 \" #2 shello\\x20you \" #3 rnan \"",
            &["t.clk=1 t.n=2.5", "t.n=100", "t.n=\"hello you\"", "t.n=\"nan\""],
        ),
        ("#0 1! H! #1 L!", &["t.clk=1 t.n=\"x\"", "t.clk=0"]),
        ("#0 0! b00000011 \" #1 $vcdclose #2 $end", &["t.clk=0 t.n=3"]),
    ] {
        assert_eq!(states(body, &all), expected, "{body}");
    }
}

#[test]
fn times_and_lines_are_kept() {
    let trace = parse(&format!("{HEAD}#0\n0!\n#10\n1!\n#2.5e1\n0!\n")).unwrap();
    let kept: Vec<(String, u64)> =
        trace.events().map(|e| (trace.time(e).unwrap().to_string(), trace.line(e))).collect();
    assert_eq!(kept, [("10".to_owned(), LINES + 3), ("25".to_owned(), LINES + 5)]);
    assert!(trace.has_state_records() && trace.observed().is_some());
}

#[test]
fn a_clock_says_when() {
    let body = "#0 0! b0 \" #5 1! b1 \" #10 0! #15 1! b10 \" #20 0! b11 \"";
    let with = |edge, moment| Sampling { clock: Some("clk".to_owned()), edge, moment, ..Sampling::default() };
    for (sampling, expected) in [
        (with(Edge::Rising, Moment::Before), &["t.clk=0 t.n=0", "t.n=1"][..]),
        (with(Edge::Rising, Moment::After), &["t.clk=1 t.n=1", "t.n=2"]),
        (with(Edge::Falling, Moment::Before), &["t.clk=1 t.n=1", "t.n=2"]),
        (with(Edge::Both, Moment::After), &["t.clk=1 t.n=1", "t.clk=0", "t.clk=1 t.n=2", "t.clk=0 t.n=3"]),
        (
            Sampling { unknown: Unknown::Zero, ..Sampling::default() },
            &["t.clk=0 t.n=0", "t.clk=1 t.n=1", "t.clk=0", "t.clk=1 t.n=2", "t.clk=0 t.n=3"],
        ),
    ] {
        assert_eq!(states(body, &sampling), expected, "{sampling:?}");
    }
    assert_eq!(states("#1 1!", &Sampling { unknown: Unknown::One, ..Sampling::default() }), ["t.clk=1 t.n=15"]);
}

#[test]
fn signals_have_several_names() {
    let source = "$scope module t $end $var wire 1 ! clk $end $scope module u $end $var wire 1 ! c $end\n\
        $var wire 1 \" q $end $upscope $end $scope begin v $end $var wire 1 # q $end $upscope $end $upscope $end\n\
        $enddefinitions $end #0 0! 0\" 0# #1 1! 1\" 1#\n";
    let trace = parse(source).unwrap();
    let name = |name: &str| trace.find_variable(name).map(|var| trace.variable_name(var).to_owned());
    for (called, meant) in [
        ("t.clk", Some("t.clk")),
        ("t.u.c", Some("t.clk")),
        ("c", Some("t.clk")),
        ("clk", Some("t.clk")),
        ("u.q", Some("t.u.q")),
        ("q", None),
        ("lk", None),
    ] {
        assert_eq!(name(called).as_deref(), meant, "{called}");
    }
    assert_eq!(trace.meant_by("q"), Err(vec!["t.u.q", "t.v.q"]));
    // A name that is an alias costs nothing.
    assert_eq!(states_of(&trace), ["t.clk=0 t.u.q=0 t.v.q=0", "t.clk=1 t.u.q=1 t.v.q=1"]);
}

#[test]
fn mistakes() {
    let in_head = |what: &str| format!("$scope module t $end\n{what}\n$enddefinitions $end\n#0 1!\n");
    let in_body = |what: &str| format!("{HEAD}#0 0!\n{what}\n");
    const CHANGE: &str = "expected a value and the code of a signal, `#` and a time, or `$end`";
    const VAR: &str = "expected `$var TYPE SIZE CODE NAME $end`";
    let cases: Vec<(String, Kind, &str, &str)> = vec![
        (
            "$date now $end\n".into(),
            Kind::Truncated,
            "1:1: the file ends inside the declarations; was it cut off?",
            "expected `$enddefinitions $end`, and then values",
        ),
        (
            "$date now".into(),
            Kind::Truncated,
            "1:1: the file ends inside a section; was it cut off?",
            "expected `$end`",
        ),
        (
            format!("{HEAD}#0\n$dumpvars\n0!\n"),
            Kind::Truncated,
            "9:1: the file ends inside a section of values; was it cut off?",
            "expected `$end`",
        ),
        ("$enddefinitions $end".into(), Kind::Syntax, "1:1: the waveform has no values", ""),
        (HEAD.into(), Kind::Syntax, "6:1: the waveform has no values", ""),
        (
            in_head("$vra wire 1 ! a $end"),
            Kind::Syntax,
            "2:1: unexpected `$vra` among the declarations",
            "did you mean `$var`?",
        ),
        (
            in_head("0!"),
            Kind::Syntax,
            "2:1: unexpected `0!` among the declarations",
            "expected `$scope`, `$var`, `$upscope` or `$enddefinitions`",
        ),
        (in_head("$var wire 1 $end"), Kind::Syntax, "2:6: a declaration with too few words", VAR),
        (in_head("$var wire 1 ! $end"), Kind::Syntax, "2:13: a signal without a name", VAR),
        (
            in_head("$var wire one ! a $end"),
            Kind::Syntax,
            "2:11: `one` is not the size of a signal",
            "expected how many bits it has",
        ),
        (
            in_head("$var wire 9999999 ! a $end"),
            Kind::Input,
            "2:11: a signal with 9999999 bits",
            "expected at most 1048576",
        ),
        (in_head("$var wire 1 ! a"), Kind::Syntax, "3:1: `$enddefinitions` inside `$var`", "expected `$end` before it"),
        (
            in_head("$upscope $end\n$upscope $end"),
            Kind::Syntax,
            "3:1: `$upscope` without a scope to leave",
            "expected a `$scope` before it",
        ),
        (
            in_body("1?"),
            Kind::UnknownVariable,
            "8:2: no signal has the code `?`",
            "expected a code that a `$var` declares",
        ),
        (
            in_body("b1 é"),
            Kind::UnknownVariable,
            "8:4: no signal has the code `é`",
            "expected a code that a `$var` declares",
        ),
        (in_body("1"), Kind::Syntax, "8:1: a value without a signal", "expected the code of a signal right behind it"),
        (
            in_body("hello"),
            Kind::UnknownVariable,
            "8:2: no signal has the code `ello`",
            "expected a code that a `$var` declares",
        ),
        (in_body("5!"), Kind::Syntax, "8:1: `5!` is not a change of a signal", CHANGE),
        (
            in_body("b10101 \""),
            Kind::Syntax,
            "8:1: 5 bits for `t.n`, which has 4",
            "expected no more bits than were declared",
        ),
        (in_body("b1021 \""), Kind::Syntax, "8:4: not a bit", "expected 0, 1, x or z"),
        (in_body("r1..5 \""), Kind::Syntax, "8:1: `1..5` is not a number", "expected a number after `r`"),
        (
            in_body("b1"),
            Kind::Truncated,
            "8:1: the file ends inside a change; was it cut off?",
            "expected the code of a signal",
        ),
        (
            in_body("#soon"),
            Kind::Syntax,
            "8:1: `soon` is not a time",
            "expected a number that is not negative after `#`",
        ),
        (in_body("#-1"), Kind::Syntax, "8:1: `-1` is not a time", "expected a number that is not negative after `#`"),
        (in_body("#5\n#4"), Kind::Syntax, "9:1: time goes back", "expected at least 5, the time of line 8"),
        (
            in_body("$dumpports"),
            Kind::Unsupported,
            "8:1: an extended dump",
            "expected `$dumpvars`: the states of ports are not read",
        ),
        (
            in_body("pD 6 6 !"),
            Kind::Unsupported,
            "8:1: a port of an extended dump",
            "expected a value: 0, 1, x, z, b…, r… or s…",
        ),
        (
            in_body("$scope module t $end"),
            Kind::Syntax,
            "8:1: `$scope` among the values",
            "expected no declarations after `$enddefinitions`",
        ),
        (in_body("$what"), Kind::Syntax, "8:1: `$what` is not a change of a signal", CHANGE),
    ];
    let cases: Vec<_> = cases.iter().map(|(s, k, m, l)| (s.as_str(), *k, *m, *l)).collect();
    check_mistakes(|bytes| read(bytes, &Sampling::default(), &Budget::unlimited()), &cases);
    let Err(Error::Invalid(many)) = parse(&format!("{HEAD}{}", "1?\n".repeat(50))) else { panic!() };
    assert_eq!(many.len(), 20);
    let clock = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let Err(failure) = read(format!("{HEAD}#0 1!").as_bytes(), &clock, &Budget::unlimited()) else { panic!() };
    assert_eq!(failure.to_string(), "7:1: there is no record: the clock `clk` never rises");
}

#[test]
fn a_wide_signal_that_is_not_known_stays_within_the_budget() {
    let mut source = String::from("$scope module t $end\n");
    for i in 0..1000 {
        source += &format!("$var wire 1048576 c{i} s{i} $end\n");
    }
    source += "$enddefinitions $end\n#0\nbx1 c1\n";
    let budget = Budget::with_memory(16 << 20);
    assert!(read(source.as_bytes(), &Sampling::default(), &budget).is_ok());
    let ones = Sampling { unknown: Unknown::One, ..Sampling::default() };
    assert!(matches!(read(source.as_bytes(), &ones, &budget), Err(Error::OverBudget(_))));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&[HEAD.as_bytes(), &bytes].concat()[..], &Sampling::default(), &Budget::unlimited());
        let _ = read(&bytes[..], &Sampling::default(), &Budget::unlimited());
    }

    #[test]
    fn no_words_panic(
        head in prop::collection::vec(prop::sample::select(vec!["$var", "$scope", "$end", "wire", "1", "!", "$upscope", "$comment", "a", "[3:0]"]), 0..20),
        words in prop::collection::vec(prop::sample::select(vec!["#0", "#1", "#2.5", "0!", "1!", "x!", "b01xz", "\"", "!", "r1", "sx", "$end", "$dumpoff", "$comment", "z\"", "\n"]), 0..40),
        clocked in any::<bool>(),
    ) {
        let clock = clocked.then(|| "clk".to_owned());
        let sampling = Sampling { clock, edge: Edge::Both, ..Sampling::default() };
        let body = words.join(" ");
        let _ = read(format!("{HEAD}{body}").as_bytes(), &sampling, &Budget::unlimited());
        let _ = read(format!("{} $enddefinitions $end {body}", head.join(" ")).as_bytes(), &sampling, &Budget::unlimited());
    }
}
