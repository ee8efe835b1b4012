//! Tables and waveforms: sequences of states from the command line, and a golden message for each mistake that they can have.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::Place;

const TABLE: &str = "time,temp,heater\n0,19.6,off\n1,18.7,on\n2,19.4,\n3,20.3,off\n";

/// A counter that is reset first, then counts to 3 at rising edges, and a handshake that is answered too late.
const WAVES: &str = "$date today $end
$timescale 1 ns $end
$scope module tb $end
$var wire 1 ! clk $end
$var wire 2 \" out [1:0] $end
$scope module dut $end
$var wire 1 ! clk $end
$var reg 2 # out [1:0] $end
$var wire 1 $ req $end
$var wire 1 % ack $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
bx \"
bx #
0$
0%
$end
#5
1!
b0 \"
b0 #
1$
#10
0!
#15
1!
b1 \"
b1 #
0$
#20
0!
#25
1!
b10 \"
b10 #
1%
#30
0!
#35
1!
b11 \"
b11 #
0%
#40
0!
#45
1!
";

const PACKED: &[u8] = include_bytes!("../../../posetta-formats/src/fst/testdata/small-lz4.fst");

fn place() -> Place {
    let place = Place::with(&[("run.csv", TABLE), ("waves.vcd", WAVES)]);
    place.write("small.fst", PACKED);
    place
}

/// What the program says to all of these, each with its exit status.
fn session(place: &Place, commands: &[&[&str]]) -> String {
    let mut told = String::new();
    for args in commands {
        told += &format!("$ posetta {}\n{}\n", args.join(" "), place.run(args).shown());
    }
    told
}

#[test]
fn tables_are_checked() {
    let place = place();
    insta::assert_snapshot!(session(
        &place,
        &[
            &["check", "run.csv", "--ltl", "G (temp < 19 -> heater == \"on\")", "--ltl", "G (temp < 20)"],
            &["check", "run.csv", "--ctl", "AG (time <= 3)", "--ltl", "G (on(heater) -> temp != 19.4)"],
            &["info", "run.csv"],
        ]
    ));
    let piped = place.run_with(&["check", "-", "--ltl", "F (temp == 20.3)", "--json"], TABLE.as_bytes());
    assert_eq!(piped.results("verdict"), ["holds"], "a table on a pipe is recognised");
}

#[test]
fn waveforms_are_checked() {
    insta::assert_snapshot!(session(
        &place(),
        &[
            &["check", "waves.vcd", "--clock", "clk", "--ltl", "G (req == 1 -> X X ack == 1)"],
            &["check", "waves.vcd", "--clock", "clk", "--sample", "after", "--ltl", "G (req == 1 -> X X ack == 1)"],
            &["check", "waves.vcd", "--clock", "tb.dut.clk", "--edge", "falling", "--ltl", "G (dut.out == tb.dut.out)"],
            &["check", "waves.vcd", "--ltl", "F (tb.out == 3 && tb.clk == 0)", "--ltl", "tb.out == \"x\""],
            &["check", "waves.vcd", "--unknown", "0", "--ltl", "G (dut.out <= 3)"],
            &["check", "small.fst", "--clock", "clk", "--ltl", "G (temp == 0.1 -> count > 0)", "--unknown", "0"],
            &["info", "waves.vcd", "--clock", "clk"],
        ]
    ));
}

#[test]
fn states_are_converted() {
    let place = place();
    insta::assert_snapshot!(session(
        &place,
        &[
            &["convert", "waves.vcd", "--clock", "clk", "-o", "-", "--to", "csv"],
            &["convert", "small.fst", "--clock", "clk", "--sample", "after", "-o", "-", "--to", "csv"],
            &["convert", "run.csv", "-o", "-", "--to", "jsonl"],
            &["convert", "run.csv", "-o", "again.csv"],
            &["convert", "run.csv", "-o", "waves2.vcd"],
        ]
    ));
    let again = std::fs::read_to_string(place.path().join("again.csv")).unwrap();
    assert_eq!(again, TABLE, "a table that is read and written is the same");
    place.write("two.trace", b"A: x=1\nB: x=2\n");
    place.write("odd.jsonl", b"{\"x\":\"12\"}\n{\"x\":1}\n");
    insta::assert_snapshot!(
        "what_a_table_cannot_hold",
        session(&place, &[&["convert", "two.trace", "-o", "two.csv"], &["convert", "odd.jsonl", "-o", "odd.csv"]])
    );
}

/// Checks files with mistakes: each is told for people, and as an error of this kind for programs.
fn mistakes(cases: &[(&str, &str, &[u8], &[&str])]) -> String {
    let mut told = String::new();
    for (name, kind, content, flags) in cases {
        let place = Place::with(&[]);
        place.write(name, content);
        let args = [&["check", name, "--ltl", "true"], *flags].concat();
        let seen = place.run(&args);
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{name}: {}", seen.shown());
        told += &format!("{}\n", seen.stderr);
        let json = place.run(&[&args[..], &["--json"]].concat()).json();
        let errors = json["errors"].as_array().unwrap();
        assert!(!errors.is_empty() && errors.iter().all(|e| e["kind"] == *kind), "{name}: {errors:?}");
    }
    told
}

#[test]
fn mistakes_in_tables() {
    insta::assert_snapshot!(mistakes(&[
        ("cells.csv", "syntax", b"x,y\n1,2\n1\n1,2,3\n", &[]),
        ("quote.csv", "truncated", b"x,y\n1,2\n3,\"four\n5,6\n", &[]),
        ("behind.csv", "syntax", b"x,y\n\"a\"b,2\n", &[]),
        ("twice.csv", "assigned-twice", b"x,y,x\n1,2,3\n", &[]),
        ("nameless.csv", "syntax", b"x,,y\n1,2,3\n", &[]),
        ("numbers.csv", "syntax", b"1,2\n3,4\n", &[]),
        ("empty.csv", "input", b"", &[]),
        ("head.csv", "syntax", b"x,y\n", &[]),
        ("digits.csv", "digits", b"x\n1e20000\n", &[]),
        ("encoding.csv", "encoding", b"x\ncaf\xe9\n", &[]),
        ("clock.csv", "input", b"x,y\n1,2\n", &["--clock", "x"]),
    ]));
}

/// A value without its quotes is taken for a variable, and that is said.
#[test]
fn values_are_quoted() {
    let place = Place::with(&[("m.csv", "mode\nidle\nbusy\n")]);
    let seen = place.run(&["check", "m.csv", "--ltl", "G (mode == idle)"]);
    assert!(seen.status == 2 && seen.stderr.contains("did you mean the value \"idle\"?"), "{}", seen.shown());
}

#[test]
fn mistakes_in_waveforms() {
    let body = |more: &str| format!("{WAVES}{more}\n").into_bytes();
    let head = &WAVES.as_bytes()[..200];
    insta::assert_snapshot!(mistakes(&[
        ("cut.vcd", "truncated", head, &[]),
        ("keyword.vcd", "syntax", b"$date now $end\n$scoep module t $end\n", &[]),
        ("size.vcd", "syntax", b"$var wire wide ! a $end\n", &[]),
        ("code.vcd", "unknown-variable", &body("1?"), &[]),
        ("bits.vcd", "syntax", &body("b101 #\nb12 #"), &[]),
        ("change.vcd", "syntax", &body("5! #51"), &[]),
        ("time.vcd", "syntax", &body("#7"), &[]),
        ("ports.vcd", "unsupported", &body("$dumpports"), &[]),
        ("joined.vcd", "syntax", &body("$scope module tb $end"), &[]),
        ("none.vcd", "unknown-variable", WAVES.as_bytes(), &["--clock", "clock"]),
        ("wide.vcd", "unknown-variable", WAVES.as_bytes(), &["--clock", "dut.out"]),
        ("several.vcd", "unknown-variable", WAVES.as_bytes(), &["--clock", "out"]),
        ("still.vcd", "input", &WAVES.as_bytes()[..WAVES.find("#25").unwrap()], &["--clock", "ack"]),
        ("cut.fst", "truncated", &PACKED[..400], &[]),
        ("damaged.fst", "syntax", &[&PACKED[..330], &[77], &PACKED[331..]].concat(), &[]),
        ("run.trace", "input", b"A: x=1\n", &["--unknown", "0"]),
    ]));
}

#[test]
fn mistakes_in_properties_over_waveforms() {
    let place = place();
    insta::assert_snapshot!(session(
        &place,
        &[
            &["check", "waves.vcd", "--ltl", "G (out < 3)"],
            &["check", "waves.vcd", "--ltl", "G (dut.out < 3)"],
            &["check", "waves.vcd", "--ltl", "G (dut.oot < 3)"],
            &["check", "waves.vcd", "--ltl", "true", "--edge", "falling"],
        ]
    ));
}

/// What Icarus Verilog had written when it was killed, and the names of the signals beside it.
const KILLED: &[u8] = include_bytes!("../../../posetta-formats/src/fst/testdata/killed.fst");
const BESIDE: &[u8] = include_bytes!("../../../posetta-formats/src/fst/testdata/killed.fst.hier");

#[test]
fn unfinished_waveforms_are_read_as_far_as_they_go() {
    let place = place();
    place.write("killed.fst", KILLED);
    place.write("killed.vcd", format!("{WAVES}#50\n0!\nb1").as_bytes());
    let alone = ["check", "killed.fst", "--clock", "clk", "--ltl", "G (c < 9)"];
    let without = session(&place, &[&alone]);
    place.write("killed.fst.hier", BESIDE);
    let told = session(
        &place,
        &[
            &alone,
            &["check", "killed.fst", "--clock", "clk", "--ltl", "G (c < 9)", "--deny", "warnings", "-q"],
            &["monitor", "killed.fst", "--clock", "clk", "--ltl", "G (c < 9)"],
            &["check", "killed.vcd", "--clock", "clk", "--ltl", "G (dut.ack != 1)"],
            &["monitor", "killed.vcd", "--ltl", "G (dut.ack != 1)"],
        ],
    );
    insta::assert_snapshot!(format!("{without}{told}"));
    let json = place.run(&["check", "killed.fst", "--clock", "clk", "--ltl", "G (c < 9)", "--json"]).json();
    assert_eq!(json["results"][0]["verdict"], "violated");
    assert_eq!(json["results"][0]["warnings"][0]["kind"], "truncated");
}

#[test]
fn what_is_kept_of_an_unfinished_waveform_depends_on_its_names() {
    let place = place();
    place.write("killed.fst", KILLED);
    let check = || {
        let args = ["check", "killed.fst", "--clock", "clk", "--ltl", "G (c < 9)", "--cache", "kept"];
        place.run(&args).status
    };
    assert_eq!(check(), 2);
    place.write("killed.fst.hier", BESIDE);
    assert_eq!((check(), check()), (1, 1));
    // Under another name the signal is not there.
    let at = BESIDE.windows(3).position(|bytes| bytes == b"\0c ").expect("a signal `c`") + 1;
    place.write("killed.fst.hier", &[&BESIDE[..at], b"d", &BESIDE[at + 1..]].concat());
    assert_eq!(check(), 2);
    place.write("killed.fst.hier", BESIDE);
    assert_eq!(check(), 1);
    std::fs::remove_file(place.path().join("killed.fst.hier")).unwrap();
    assert_eq!(check(), 2);
}

#[test]
fn waveforms_say_when() {
    let place = place();
    let clocked = ["--clock", "clk", "--unknown", "0"];
    let check = |more: &[&str]| {
        let all = [&["check", "waves.vcd"], &clocked[..], more, &["--json"]].concat();
        place.run(&all).json()["results"][0].clone()
    };
    let fails = check(&["--ltl", "G (dut.out < 2)"]);
    let expected = serde_json::json!(
        {"position": 3, "waits": false, "time": 35, "timescale": "1 ns", "cycle": 3}
    );
    assert_eq!(fails["at"], expected);
    let waits = check(&["--ltl", "G (dut.out == 1 -> F (dut.req == 1))"]);
    assert_eq!((&waits["at"]["waits"], &waits["at"]["cycle"]), (&true.into(), &2.into()));
    assert!(check(&["--ltl", "G (dut.out < 4)"]).get("at").is_none());
    // Of CTL only what the way to a state shows.
    assert_eq!(check(&["--ctl", "AG (dut.out < 2)"])["at"], expected);
    for all in ["EF (dut.out == 9)", "AF (dut.out == 9)", "AG EF (dut.out == 0)"] {
        let fails = check(&["--ctl", all]);
        assert_eq!((&fails["verdict"], fails.get("at")), (&"violated".into(), None), "{all}");
    }
    let met = check(&["--some", "--psl", "eventually! {dut.ack == 1}"]);
    assert_eq!(met["met"]["at"]["time"], 35);
    insta::assert_snapshot!(session(
        &place,
        &[
            &["check", "waves.vcd", "--clock", "clk", "--unknown", "0", "--ltl", "G (dut.out < 2)"],
            &["check", "waves.vcd", "--unknown", "0", "--ltl", "G (dut.out == 1 -> F (dut.req == 1))"],
            &["monitor", "waves.vcd", "--clock", "clk", "--unknown", "0", "--ltl", "G (dut.out < 2)"],
            &["monitor", "waves.vcd", "--clock", "clk", "--unknown", "0", "--ltl", "G (dut.out < 2)", "--json"],
        ]
    ));
}

/// A counter that passes 9, and a simulation that with `+hang` does not end after its second flush, which is done when time goes on.
const DESIGN: &str = "`timescale 1ns/1ns
module unit(input clk, input [3:0] d, output reg [3:0] q);
  always @(posedge clk) q <= d;
endmodule
module top;
  reg clk = 0; reg [3:0] c = 0; wire [3:0] q; real temp = 20.5; event ev; reg \\odd+name ; reg never;
  unit u1(clk, c, q);
  always #5 clk = ~clk;
  always @(posedge clk) begin c <= c + 1; temp = temp + 0.25; \\odd+name = c[1]; if (c == 3) -> ev; end
  initial begin
    $dumpfile(\"dump.out\"); $dumpvars(0, top);
    #52 $dumpflush;
    #50 $dumpflush;
    if ($test$plusargs(\"hang\")) begin #30 $display(\"flushed\"); $fflush; while (1); end
    $finish;
  end
endmodule
";

#[test]
fn files_of_a_simulator_agree() {
    let Some(iverilog) = posetta_peers::iverilog() else { return };
    let place = Place::with(&[("top.v", DESIGN)]);
    let compiled = Command::new(iverilog).args(["-o", "top.vvp", "top.v"]).current_dir(place.path()).status();
    assert!(compiled.unwrap().success());
    let simulate = |args: &[&str]| {
        let mut command = Command::new("vvp");
        command.args(["-n", "top.vvp"]).args(args).current_dir(place.path()).stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let keep = |name: &str| std::fs::rename(place.path().join("dump.out"), place.path().join(name)).unwrap();
    for (format, name) in [("-vcd", "top.vcd"), ("-fst", "top.fst")] {
        assert!(simulate(&[format]).wait_with_output().unwrap().status.success());
        keep(name);
    }
    let mut endless = simulate(&["-fst", "+hang"]);
    let mut said = BufReader::new(endless.stdout.take().unwrap()).lines().map(Result::unwrap);
    let flushed = said.any(|line| line == "flushed");
    endless.kill().unwrap();
    endless.wait().unwrap();
    assert!(flushed);
    keep("killed.fst");
    std::fs::rename(place.path().join("dump.out.hier"), place.path().join("killed.fst.hier")).unwrap();
    for clock in [&[][..], &["--clock", "top.u1.clk"]] {
        let told = ["top.vcd", "top.fst", "killed.fst"].map(|name| {
            let properties = ["--ltl", "G (c < 9)", "--ltl", "G (u1.q != 3 || temp > 21)", "--unknown", "0"];
            let seen = place.run(&[&["check", name], clock, &properties, &["--json"]].concat()).json();
            let unfinished = seen["results"][0]["warnings"].as_array().unwrap().len();
            assert_eq!(unfinished, usize::from(name == "killed.fst"), "{name}: {seen}");
            let run = place.run(&[&["convert", name, "-o", "-", "--to", "jsonl"], clock].concat());
            let answers: Vec<_> =
                seen["results"].as_array().unwrap().iter().map(|r| (r["verdict"].clone(), r["at"].clone())).collect();
            (answers, run.stdout)
        });
        assert_eq!(told[0].0[0].0, "violated");
        let (time, cycle) = if clock.is_empty() { (85, serde_json::Value::Null) } else { (95, 9.into()) };
        assert_eq!((&told[0].0[0].1["time"], &told[0].0[0].1["cycle"]), (&time.into(), &cycle));
        assert!(told[0].1.len() > 200);
        assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
    }
}
