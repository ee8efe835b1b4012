//! PSL as hardware engineers write it: units, comments of sources, flavours, clocks, and what is refused.

use crate::program::Place;

/// A request at 6 ns that is answered a cycle later, and a value with it.
const WAVES: &str = "\
$timescale 1 ns $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 1 r req $end
$var wire 1 a ack $end
$var wire 4 d data [3:0] $end
$upscope $end
$enddefinitions $end
#0 0! 0r 0a b0 d
#5 1!
#6 1r
#10 0!
#15 1!
#16 0r 1a b101 d
#20 0!
#25 1!
#26 0a
#30 0!
#35 1!
";

const UNIT: &str = "\
vunit bus (top) {
  default clock is rising_edge(CLK);
  sequence asked (boolean r, a) is {r = '1'; a = '1'};
  answered: assert always req = '1' -> next ack = '1';
  never_both: assert never {req = '1' and ack = '1'} report \"both at once\";
  assume never {req; req};
  seen: cover asked(req, ack);
  unseen: cover {ack; ack};
  wrong: assert always (ack = '1' -> data = X\"4\");
}
";

const SOURCE: &str = "\
module bus(input clk, req, output reg ack, output reg [3:0] data);
  // psl default clock = (posedge clk);
  always @(posedge clk) ack <= req; // what it does
  // psl answered: assert always $rose(req) && !ack |->
  //   ##[1:2] ack;
  // psl value: assert property (disable iff (!ack) data == 4'b0101);
endmodule
";

fn place() -> Place {
    Place::with(&[("w.vcd", WAVES), ("bus.psl", UNIT), ("bus.v", SOURCE), ("s.csv", "req,ack\n1,0\n0,1\n")])
}

#[test]
fn directives_of_units_and_sources() {
    let place = place();
    insta::assert_snapshot!("unit", place.run(&["check", "w.vcd", "--spec", "bus.psl"]).shown());
    insta::assert_snapshot!("source", place.run(&["check", "w.vcd", "--spec", "bus.v"]).shown());
}

const SAID: &str = "\
vunit said (top) {
  default clock is rising_edge(clk);
  value: assert always (ack = '1' -> data = X\"4\") report \"an odd \"\"value\"\"\" severity warning;
  fine: assert never {req and ack} report \"both; at once\" severity failure;
  mild: assert never {ack} severity note;
  told: assert never {req; ack} report \"it is told\";
  seen: cover {[*2]; ack or not ack} report \"seen\" severity note;
  missed: cover {ack; ack} report \"missed\";
}
";

/// What an author wants to be said is said, at the level that is asked for.
#[test]
fn reports_and_severities() {
    let place = place();
    place.write("said.psl", SAID.as_bytes());
    let run = |more: &[&str]| place.run(&[&["check", "w.vcd", "--spec", "said.psl"], more].concat());
    insta::assert_snapshot!("said", run(&[]).shown());
    let json = run(&["--json"]).json();
    let picked = |json: &serde_json::Value| {
        let all = json["results"].as_array().unwrap().iter();
        let rows = all.map(|r| format!("{} {} {} {}", r["property"], r["report"], r["severity"], r["met"]));
        rows.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("said_json", picked(&json));
    let files = ["sarif=said.sarif", "junit=said.xml", "github=said.txt"];
    run(&["--report", files[0], "--report", files[1], "--report", files[2]]);
    let sarif: serde_json::Value = serde_json::from_str(&place.read("said.sarif")).unwrap();
    let levels: Vec<String> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| format!("{}: {}", r["level"].as_str().unwrap(), r["message"]["text"].as_str().unwrap()))
        .collect();
    insta::assert_snapshot!("said_sarif", levels.join("\n"));
    let junit = place.read("said.xml");
    let failures: Vec<&str> = junit.lines().filter(|line| line.contains("<failure")).map(str::trim).collect();
    insta::assert_snapshot!("said_junit", failures.join("\n"));
    insta::assert_snapshot!("said_github", place.read("said.txt"));
}

/// The clock of a property is the one that --clock gives.
#[test]
fn clocks_are_samplings() {
    let place = place();
    for (edge, clock) in [("rising", "posedge"), ("falling", "negedge"), ("both", "edge")] {
        for formula in ["always (req -> next ack)", "eventually! {ack; ack}!", "next[3] !ack"] {
            let own = format!("({formula}) @ ({clock} clk)");
            let own = place.run(&["check", "w.vcd", "--psl", &own, "--json"]).json();
            let flag =
                place.run(&["check", "w.vcd", "--psl", formula, "--clock", "clk", "--edge", edge, "--json"]).json();
            let verdict = |json: &serde_json::Value| json["results"][0]["verdict"].to_string();
            assert_eq!(verdict(&own), verdict(&flag), "{formula} at {clock}");
        }
    }
}

/// Properties with different clocks stand side by side: each is answered as by itself.
#[test]
fn each_property_has_its_clock() {
    let place = place();
    let mut all = Vec::new();
    for clock in ["@ (posedge clk)", "@ (negedge clk)", "@ (posedge req)", ""] {
        for formula in
            ["always (req -> next ack)", "next[2] ack", "eventually! {ack; ack}!", "never {req; !ack}", "next![3] true"]
        {
            all.push(format!("({formula}) {clock}"));
        }
    }
    let args: Vec<&str> = all.iter().flat_map(|formula| ["--psl", formula]).collect();
    let told = |json: &serde_json::Value| {
        let all = json["results"].as_array().unwrap().iter();
        all.map(|r| format!("{} {}", r["verdict"], r["at"])).collect::<Vec<_>>()
    };
    let together = told(&place.run(&[&["check", "w.vcd", "--json"][..], &args].concat()).json());
    let apart: Vec<String> = all
        .iter()
        .flat_map(|formula| told(&place.run(&["check", "w.vcd", "--json", "--psl", formula]).json()))
        .collect();
    assert_eq!(together, apart);
    let mut kinds: Vec<&String> = together.iter().collect();
    kinds.sort();
    kinds.dedup();
    assert!(kinds.len() > 6, "{kinds:?}");
    // What comes through a pipe is read once.
    let seen = place
        .run_with(&["check", "-", "--psl", "req @ (posedge clk)", "--psl", "ack @ (negedge clk)"], WAVES.as_bytes());
    assert_eq!(seen.status, 2);
    insta::assert_snapshot!("read_once", seen.shown());
}

/// What reads a run once takes the clock of its properties, and refuses two.
#[test]
fn a_run_that_is_read_once_has_the_clock_of_its_properties() {
    let place = place();
    for (edge, clock) in [("rising", "posedge"), ("falling", "negedge"), ("both", "edge")] {
        for formula in ["always (req -> next ack)", "eventually! {ack; ack}!", "never {req; !ack}"] {
            let own = format!("({formula}) @ ({clock} clk)");
            let flags = ["--clock", "clk", "--edge", edge];
            let lines = |formula: &str, flags: &[&str]| {
                let args = [&["monitor", "w.vcd", "--json", "--every", "--psl", formula][..], flags].concat();
                let seen = place.run(&args);
                let shown = |line: serde_json::Value| {
                    ["position", "at", "satisfied", "verdict"].map(|field| line[field].to_string()).join(" ")
                };
                let lines = seen.stdout.lines().map(|line| shown(serde_json::from_str(line).unwrap()));
                (seen.status, lines.collect::<Vec<String>>())
            };
            let told = lines(&own, &[]);
            assert_eq!(told, lines(formula, &flags), "{own}");
            assert!(told.1.len() >= 3 && told.1.iter().all(|line| !line.starts_with("null")), "{told:?}");
            let states = |args: &[&str]| {
                let seen = place.run(&[&["explain", "--json", "--run", "w.vcd", "--psl"][..], args].concat()).json();
                let run = &seen["properties"][0]["run"];
                (run["events"].to_string(), run["cuts"].to_string(), run["refused"].to_string())
            };
            assert_eq!(states(&[&own]), states(&[&[formula][..], &flags].concat()), "{own}");
        }
    }
    let two = ["--psl", "req @ (posedge clk)", "--psl", "(always !ack) @ (negedge clk)"];
    for command in [&["monitor", "w.vcd"][..], &["explain", "--run", "w.vcd"], &["show", "w.vcd", "-o", "w.svg"]] {
        let seen = place.run(&[command, &two].concat());
        assert_eq!(seen.status, 2, "{}", seen.shown());
        insta::assert_snapshot!(format!("two_clocks_{}", command[0]), seen.shown());
    }
    // The same clock, by the property and by a flag.
    let same = ["--psl", "(always !ack) @ (posedge clk)", "--psl", "req", "--clock", "clk"];
    assert_eq!(place.run(&[&["monitor", "w.vcd"][..], &same].concat()).status, 1);
    let property = ["--psl", "(always (req -> ack)) @ (posedge clk)"];
    let report = place.run(&[&["check", "w.vcd", "--json"][..], &property].concat());
    let order = [&["replay", "w.vcd", "--witness", "-"][..], &property].concat();
    insta::assert_snapshot!("replayed", place.run_with(&order, report.stdout.as_bytes()).shown());
}

/// A monitor says which positions it reads, and a circuit reads at that edge.
#[test]
fn a_written_monitor_has_the_clock_of_its_property() {
    let place = place();
    let written = |clock: &str, language: &str| {
        let own = format!("(never {{req; ack}}) @ ({clock} top.clk)");
        place.run(&["explain", "--psl", &own, "--emit", language])
    };
    for (language, rising, falling) in [
        ("sv", "always_ff @(posedge clk)", "always_ff @(negedge clk)"),
        ("vhdl", "if rising_edge(clk)", "if falling_edge(clk)"),
        ("c", "one with each posedge top.clk", "one with each negedge top.clk"),
        ("kernel", "one with each posedge top.clk", "one with each negedge top.clk"),
        ("rust", "one with each posedge top.clk", "one with each negedge top.clk"),
        ("table", "\"clock\":\"posedge top.clk\"", "\"clock\":\"negedge top.clk\""),
    ] {
        for (clock, expected) in [("posedge", rising), ("negedge", falling)] {
            let seen = written(clock, language);
            assert!(seen.status == 0 && seen.stdout.contains(expected), "{expected}: {}", seen.shown());
        }
        assert_eq!(written("edge", language).status, if matches!(language, "sv" | "vhdl") { 2 } else { 0 });
    }
    insta::assert_snapshot!("both_edges", written("edge", "sv").shown());
    insta::assert_snapshot!("explained", place.run(&["explain", "--psl", "(always req) @ (negedge clk)"]).shown());
}

/// A directive that cannot be read is an error, and the others have their verdicts.
#[test]
fn others_are_checked_beside_a_directive_that_cannot_be_read() {
    let place = place();
    let text = "vunit u (e) {\n  default clock is rising_edge(clk);\n  signal x : bit;\n  gen : if WIDTH = 4 generate\n    \
                one : assert always req;\n  end generate gen;\n  two : assert always req -> ack;\n  \
                each : for i in 4 to 5 generate\n    three : assert never {req; data = to_unsigned(i, 4)};\n  end generate;\n}\n";
    place.write("u.psl", text.as_bytes());
    insta::assert_snapshot!(
        "beside_unread",
        place.run(&["check", "w.vcd", "--spec", "u.psl", "--witness", "never"]).shown()
    );
    let json = place.run(&["check", "w.vcd", "--spec", "u.psl", "--json"]);
    let known = json.json();
    let names: Vec<&str> = known["results"].as_array().unwrap().iter().filter_map(|r| r["property"].as_str()).collect();
    assert_eq!((json.status, names), (2, vec!["two", "three[4]", "three[5]"]));
    assert_eq!(known["errors"][0]["line"], 5, "{known}");
    // Whoever asks for others does not ask for it; whoever asks for it hears why there is none.
    let only = |name: &str| place.run(&["check", "w.vcd", "--spec", "u.psl", "--property", name, "--witness", "never"]);
    assert_eq!((only("three[4]").status, only("two").status), (0, 1));
    insta::assert_snapshot!("beside_unread_wanted", only("one").shown());
    // What reads a run once, and a model, have one answer, and it would not be whole.
    for command in [&["monitor", "w.vcd"][..], &["explain"], &["show", "w.vcd", "-o", "w.svg"]] {
        let seen = place.run(&[command, &["--spec", "u.psl"]].concat());
        assert!(seen.status == 2 && seen.stderr.contains("u.psl:5:5"), "{}", seen.shown());
    }
}

/// What reads unknown bits as 0 cannot say whether there are some.
#[test]
fn unknown_bits_are_not_read_away() {
    let place = place();
    let waves = WAVES.replace("b101 d", "b10x d");
    place.write("x.vcd", waves.as_bytes());
    let asked = |more: &[&str]| {
        let args = ["check", "x.vcd", "--psl", "(always !isunknown(data)) @ (posedge clk)"];
        place.run(&[&args[..], more].concat())
    };
    assert_eq!(asked(&[]).status, 1);
    assert_eq!(asked(&["--unknown", "0"]).status, 2);
    assert_eq!(asked(&["--unknown", "1"]).status, 2);
}

/// What a source has and nobody reads is told, whichever of its properties is asked for.
#[test]
fn what_is_not_read_is_told() {
    let place = place();
    let source = "\
module bus(input clk, req, ack);
  default clocking @(posedge clk); endclocking
  a1: assert property (req |=> ack);
  a2: assert property (!ack |=> !ack || $past(req));
  always_comb assert (req);
  `ASSERT(a3, req |-> ack)
`ifdef FORMAL
  a4: assert property (never_this);
`endif
endmodule
";
    place.write("unread.sv", source.as_bytes());
    let one = place.run(&["check", "w.vcd", "--spec", "unread.sv", "--property", "a2"]);
    insta::assert_snapshot!("unread", one.shown());
    assert_eq!(
        place.run(&["check", "w.vcd", "--spec", "unread.sv", "--property", "a2", "--deny", "unsupported"]).status,
        2
    );
    place.write("only.sv", b"module m; always_comb assert (req); endmodule\n");
    insta::assert_snapshot!("only_unread", place.run(&["check", "w.vcd", "--spec", "only.sv"]).shown());
}

#[test]
fn mistakes() {
    let place = place();
    for arguments in [
        &["check", "w.vcd", "--psl", "always (req -> next ack) @ (posedge clk)", "--clock", "ack"][..],
        &["check", "s.csv", "--psl", "req @ (posedge clk)"],
        &["check", "--follow", "w.vcd", "--psl", "req @ (posedge clk)"],
        &["monitor", "s.csv", "--psl", "req @ (posedge clk)"],
        &["check", "w.vcd", "--flavour", "vhdl", "--psl", "req and ack or clk"],
    ] {
        insta::assert_snapshot!(place.run(arguments).shown());
    }
    for end in ["severity bad", "report value", "report \"a\" report \"b\"", "severity", "report \"a\" and b"] {
        place.write("end.psl", format!("assert never {{req}} {end};\n").as_bytes());
        insta::assert_snapshot!(place.run(&["check", "w.vcd", "--spec", "end.psl"]).shown());
    }
    place.write("empty.vhd", b"entity e is end entity; -- nothing of psl\n");
    insta::assert_snapshot!(place.run(&["check", "w.vcd", "--spec", "empty.vhd"]).shown());
}
