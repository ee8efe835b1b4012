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

fn run(bytes: &[u8], sampling: &Sampling, budget: &Budget) -> Result<Trace, Error> {
    read(bytes, sampling, None, budget).map(|run| run.trace)
}

fn parse(source: &str) -> Result<Trace, Error> {
    run(source.as_bytes(), &Sampling::default(), &Budget::unlimited())
}

fn states(body: &str, sampling: &Sampling) -> Vec<String> {
    let trace = run(format!("{HEAD}{body}").as_bytes(), sampling, &Budget::unlimited()).unwrap();
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
        ("#0 0! b1 \"\n$vcdclose\n#2\n$end", &["t.clk=0 t.n=1"]),
        ("#0 0!\n$comment\n 1! is no change\n# 3\n-----\nb12 ?\nr $x\n$end\n#1 1!", &["t.clk=0 t.n=\"x\"", "t.clk=1"]),
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
        (
            in_head("$timezero soon $end"),
            Kind::Syntax,
            "2:1: `soon` is not a time",
            "expected a number after `$timezero`",
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
        // A remark without its `$end` does not hide changes.
        (
            in_body("$comment oops\n#10\n1!\n$dumpall\n0!\n$end"),
            Kind::Syntax,
            "9:1: `$comment` in line 8 has no `$end`",
            "expected `$end` before this",
        ),
        (
            in_body("$version oops\n  b101 \" 1!\n$end"),
            Kind::Syntax,
            "9:3: `$version` in line 8 has no `$end`",
            "expected `$end` before this",
        ),
        (
            in_body("$date oops 1! #10 $dumpoff x! $end"),
            Kind::Syntax,
            "8:19: `$date` in line 8 has no `$end`",
            "expected `$end` before this",
        ),
        (
            in_body("$timescale 1 $comment a $end"),
            Kind::Syntax,
            "8:14: `$timescale` in line 8 has no `$end`",
            "expected `$end` before this",
        ),
        (
            in_body("$vcdclose #10\n1!\n$end"),
            Kind::Syntax,
            "9:1: `$vcdclose` in line 8 has no `$end`",
            "expected `$end` before this",
        ),
        (in_body("$what"), Kind::Syntax, "8:1: `$what` is not a change of a signal", CHANGE),
    ];
    let cases: Vec<_> = cases.iter().map(|(s, k, m, l)| (s.as_str(), *k, *m, *l)).collect();
    check_mistakes(|bytes| run(bytes, &Sampling::default(), &Budget::unlimited()), &cases);
    let Err(Error::Invalid(many)) = parse(&format!("{HEAD}{}", "1?\n".repeat(50))) else { panic!() };
    assert_eq!(many.len(), 20);
    let clock = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let Err(failure) = run(format!("{HEAD}#0 1!").as_bytes(), &clock, &Budget::unlimited()) else { panic!() };
    assert_eq!(failure.to_string(), "7:1: there is no record: the clock `clk` never rises");
}

#[test]
fn what_other_viewers_load_is_read() {
    let head = HEAD.replace(" $end\n", "\n");
    let states = |source: &str| states_of(&parse(source).unwrap());
    let expected = ["t.clk=0 t.n=1", "t.clk=1"];
    for source in [
        // Without any `$end`, with other line ends, with a mark, in one line.
        format!("{head}#0\n$dumpvars\n0!\nb1 \"\n#5\n1!\n"),
        format!("{HEAD}#0\n$dumpvars\n0!\nb0001 \"\n$end\n#5\n1!\n").replace('\n', "\r\n"),
        format!("\u{feff}{HEAD}#0 0! b1 \" #5 1!\n"),
        format!("{HEAD}#0 0! b1 \" #5 1!\n").replace('\n', " "),
        // Sections of others, dates and comments among the values, one `$upscope` too many.
        format!("$fileinfo a b $end\n$upscope $end\n{HEAD}$date now $end\n#0 0! b1 \"\n$comment #9 1! $end\n#5 1!\n"),
        // A date in which a word begins with a dollar sign.
        format!("$date in $US $end\n$version a\n{HEAD}#0 0! b1 \" #5 1!\n"),
        // A range with blanks, a size of one for a vector that is written as one bit, capital letters.
        format!("{}#0 0! B1 \" #5 1!\n", HEAD.replace("[3:0]", "[ 3 : 0 ]")),
        format!("{HEAD}#0 0! 1\" #5 1!\n"),
        // A signal of several names.
        format!("{}#0 0! b1 \" #5 1!\n", HEAD.replace("$upscope", "$var wire 4 \" m [3:0] $end $upscope")),
    ] {
        assert_eq!(states(&source), expected, "{source}");
    }
    let source = "$scope module t $end $var real 1 ! temp $end $var string 0 \" s $end $var wire 1 # \\odd+name $end\n\
        $var parameter 8 $ P [7:0] $end $var event 1 % e $end $enddefinitions $end\n\
        #0 $dumpvars r20.5 ! sidle \" X# bxxxxz101 $ $end #1 r1e-3 ! Z# #2 1%\n";
    assert_eq!(
        states(source),
        ["t.temp=20.5 t.s=\"idle\" t.odd+name=\"x\" t.P=\"xz101\" t.e=0", "t.temp=0.001 t.odd+name=\"z\"", "t.e=1"]
    );
}

#[test]
fn times_have_units_and_cycles() {
    let told = |timescale: &str, clock: Option<&str>| {
        let source = HEAD.replace("$timescale 1 ns $end", timescale);
        let sampling = Sampling { clock: clock.map(str::to_owned), ..Sampling::default() };
        let source = format!("{source}#0 0! #500 1! #1000 0! #1500 1! #2250 0!\n");
        let trace = run(source.as_bytes(), &sampling, &Budget::unlimited()).unwrap();
        (0..=trace.len()).map(|position| trace.when(position).unwrap().to_string()).collect::<Vec<_>>()
    };
    for (timescale, expected) in [
        ("$timescale 1 ns $end", ["0 ns", "500 ns", "1 us", "1500 ns", "2250 ns"]),
        ("$timescale\n\t1ps\n$end", ["0 ps", "500 ps", "1 ns", "1500 ps", "2250 ps"]),
        ("$timescale 10 us $end", ["0 us", "5 ms", "10 ms", "15 ms", "22500 us"]),
        ("$timescale 100fs", ["0 fs", "50 ps", "100 ps", "150 ps", "225 ps"]),
        ("$timescale 1 s $end", ["0 s", "500 s", "1000 s", "1500 s", "2250 s"]),
        ("$timescale 3 weeks $end", ["time 0", "time 500", "time 1000", "time 1500", "time 2250"]),
        ("", ["time 0", "time 500", "time 1000", "time 1500", "time 2250"]),
        ("$timescale 1 ns $end $timezero -500 $end", ["-500 ns", "0 ns", "500 ns", "1 us", "1750 ns"]),
    ] {
        assert_eq!(told(timescale, None), expected, "{timescale}");
    }
    assert_eq!(told("$timescale 1 ns $end", Some("clk")), ["500 ns, cycle 0", "1500 ns, cycle 1"]);
}

#[test]
fn an_unfinished_dump_is_read_as_far_as_it_goes() {
    let read = |body: &str| read(format!("{HEAD}{body}").as_bytes(), &Sampling::default(), None, &Budget::unlimited());
    let two = ["t.clk=0 t.n=\"x\"", "t.clk=1"];
    for (body, states, warning) in [
        ("#0\n0!\n#1\n1!\n", &two[..], None),
        (
            "#0\n0!\n#1\n1!\n#2\nb101",
            &two,
            Some("12:1: the file is unfinished: it breaks off here, and what it says of 2 ns is left out"),
        ),
        (
            "#0\n0!\n#1\n1!\n#2\n0!\nb101 ",
            &two,
            Some("13:1: the file is unfinished: it breaks off here, and what it says of 2 ns is left out"),
        ),
        (
            "#0\n0!\n#1\n1!\n#2\nb1\n",
            &two,
            Some("12:1: the file is unfinished: it breaks off here, and what it says of 2 ns is left out"),
        ),
        (
            "#0\n0!\n#1\n1!\n#",
            &two[..1],
            Some("11:1: the file is unfinished: it breaks off here, and what it says of 1 ns is left out"),
        ),
        (
            "#0\n0!\n#1\n1!\n$comm",
            &two[..1],
            Some("11:1: the file is unfinished: it breaks off here, and what it says of 1 ns is left out"),
        ),
        (
            "#0\n0!\n#1\n1!\n#2",
            &two,
            Some("11:1: the file is unfinished: its last line has no end, and its last change may lack something"),
        ),
        (
            "#0\n$dumpvars\n0!\n",
            &two[..1],
            Some("9:1: the file is unfinished: the section of values in line 8 has no `$end`"),
        ),
    ] {
        let run = read(body).unwrap();
        assert_eq!(states_of(&run.trace), states, "{body}");
        let told: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told, warning.map(str::to_owned).into_iter().collect::<Vec<_>>(), "{body}");
        assert!(run.warnings.iter().all(|warning| warning.kind == Kind::Truncated));
    }
}

#[test]
fn a_code_that_breaks_off_is_not_another_one() {
    let head = "$var wire 1 ! a $end $var wire 1 !! b $end $var wire 1 \" c $end $var wire 1 abcdefghi d $end\n\
        $enddefinitions $end\n#0\n0!\n0!!\n0\"\n0abcdefghi\n#10\n";
    let left_out = "the file is unfinished: it breaks off here, and what it says of time 10 is left out";
    let torn = "the file is unfinished: its last line has no end, and its last change may lack something";
    for (end, changes, warning) in [
        ("1!", None, left_out),
        ("b1 !", None, left_out),
        ("b1\n!", None, left_out),
        ("1\" 1abcdefgh", None, left_out),
        ("1!!", Some("b=1"), torn),
        ("1! ", Some("a=1"), torn),
        ("1\"", Some("c=1"), torn),
        ("r1 abcdefghi", Some("d=1"), torn),
        ("1!\n#11", Some("a=1"), torn),
        ("1!\n#1", None, left_out),
        ("1!\n", Some("a=1"), ""),
    ] {
        let source = format!("{head}{end}");
        let run = read(source.as_bytes(), &Sampling::default(), None, &Budget::unlimited()).unwrap();
        let first = "a=0 b=0 c=0 d=0";
        assert_eq!(states_of(&run.trace), [Some(first), changes].into_iter().flatten().collect::<Vec<_>>(), "{end}");
        let told = run.warnings.first().map_or("", |warning| &warning.message);
        assert_eq!(told, warning, "{end}");
    }
}

#[test]
fn a_mistake_is_found_in_what_nobody_asked_for() {
    let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    let wanted = ["clk".to_owned()];
    for (change, mistake) in [
        ("b12q \"", Some("7:9: not a bit")),
        ("b10101 \"", Some("7:7: 5 bits for `t.n`, which has 4")),
        ("r1..5 \"", Some("7:7: `1..5` is not a number")),
        ("5\"", Some("7:7: `5\"` is not a change of a signal")),
        ("bxz01 \"", None),
        ("b000001 \"", None),
        ("bHLUW \"", None),
        ("r1.5 \"", None),
        ("sabc \"", None),
    ] {
        let source = format!("{HEAD}#0 0! {change}\n#1 1!\n");
        let told = read(source.as_bytes(), &clocked, Some(&wanted), &Budget::unlimited()).map(drop);
        assert_eq!(told.map_err(|failure| failure.to_string()).err().as_deref(), mistake, "{change}");
    }
}

#[test]
fn only_what_is_asked_for_is_read() {
    let body = "#0 0! b0 \" #5 1! b1 \" #10 0! #15 1! b10 \" #20 0! b11 \"\n";
    let clocked = Sampling { clock: Some("clk".to_owned()), ..Sampling::default() };
    for (sampling, wanted, expected) in [
        (&clocked, &["n"][..], &["t.n=0", "t.n=1"][..]),
        (&clocked, &["t.clk"], &["t.clk=0", ""]),
        (&clocked, &[], &["", ""]),
        // Without a clock every change makes a state, whoever changes.
        (&Sampling::default(), &["clk"], &["t.clk=0", "t.clk=1", "t.clk=0", "t.clk=1", "t.clk=0"]),
        (&Sampling::default(), &["n"], &["t.n=0", "t.n=1", "", "t.n=2", "t.n=3"]),
    ] {
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        let source = format!("{HEAD}{body}");
        let run = read(source.as_bytes(), sampling, Some(&wanted), &Budget::unlimited()).unwrap();
        assert_eq!(states_of(&run.trace), expected, "{wanted:?}");
        assert_eq!(run.trace.variables().len(), wanted.len(), "{wanted:?}");
    }
    // A name that means nothing: whoever asks sees what there is.
    let source = format!("{HEAD}{body}");
    let run = read(source.as_bytes(), &clocked, Some(&["m".to_owned()]), &Budget::unlimited()).unwrap();
    assert_eq!(run.trace.variables().len(), 2);
    assert!(run.trace.find_variable("m").is_none());
}

#[test]
fn a_wide_signal_that_is_not_known_stays_within_the_budget() {
    let mut source = String::from("$scope module t $end\n");
    for i in 0..1000 {
        source += &format!("$var wire 1048576 c{i} s{i} $end\n");
    }
    source += "$enddefinitions $end\n#0\nbx1 c1\n";
    let budget = Budget::with_memory(16 << 20);
    assert!(run(source.as_bytes(), &Sampling::default(), &budget).is_ok());
    let ones = Sampling { unknown: Unknown::One, ..Sampling::default() };
    assert!(matches!(run(source.as_bytes(), &ones, &budget), Err(Error::OverBudget(_))));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = run(&[HEAD.as_bytes(), &bytes].concat()[..], &Sampling::default(), &Budget::unlimited());
        let _ = run(&bytes[..], &Sampling::default(), &Budget::unlimited());
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
        let _ = run(format!("{HEAD}{body}").as_bytes(), &sampling, &Budget::unlimited());
        let _ = run(format!("{} $enddefinitions $end {body}", head.join(" ")).as_bytes(), &sampling, &Budget::unlimited());
    }
}
