use super::*;
use crate::{Edge, Quantifier};

/// The directives of a file: name, formula, clock.
fn read(file: &str, text: &str) -> Vec<String> {
    let all = read_units(file, text, None).unwrap_or_else(|e| panic!("{e:?}")).properties;
    let some = |p: &Property| if p.quantifier == Quantifier::Some { "some " } else { "" };
    let clock = |p: &Property| match &p.clock {
        None => String::new(),
        Some(Clock { signal, edge: Edge::Rising }) => format!(" @ {signal}"),
        Some(Clock { signal, .. }) => format!(" @ not {signal}"),
    };
    all.iter().map(|p| format!("{}: {}{}{}", p.name.as_deref().unwrap_or("-"), some(p), p.formula, clock(p))).collect()
}

fn wrong(file: &str, text: &str) -> Vec<String> {
    let all = match read_units(file, text, None) {
        Err(all) => all.into_vec(),
        Ok(all) => all.unread,
    };
    assert!(!all.is_empty(), "a mistake");
    let show =
        |d: &Diagnostic| format!("{d} | {} | {}", d.label.as_deref().unwrap_or("-"), d.help.as_deref().unwrap_or("-"));
    all.iter().map(|m| show(&m.diagnostic)).collect()
}

const VHDL_UNIT: &str = r#"-- the handshake
vunit handshake (bus(rtl)) {
  default clock is rising_edge(CLK);
  sequence transfer (boolean r, a; const n) is {r; (not a)[*0 to n]; a};
  property answered is always req = '1' -> next_e[1 to 3] (ack = '1');
  grant_once: assert never {grant; grant} report "granted twice" severity error;
  assert answered;
  assert always transfer(req, ack, 4) |=> not req until_ data(3 downto 0) = "0101" abort rst = '1';
  assume always (rst -> not req and not ack);
  restrict {rst[*2]; (not rst)[*]};
  c1: cover {req; ack};
}
"#;

const VERILOG_SOURCE: &str = r#"module bus(input clk, req, output reg ack);
  // psl default clock = (posedge clk);
  // psl property p1 = always (req && !ack |=> ack
  //   within_reset || rst);
  always @(posedge clk) ack <= req; // not psl: a comment
  // psl answered: assert always req |-> ##[1:3] ack;
  // psl assert property (@(negedge clk) disable iff (rst) $rose(req) |=> req throughout ##2 ack) ;
  // psl cover {req; ack};
endmodule
"#;

#[test]
fn units_and_comments_are_properties() {
    assert_eq!(
        read("bus.psl", VHDL_UNIT),
        [
            "grant_once: never {grant; grant} @ clk",
            "assert in line 7: always (req == 1 -> (<{[*2:4]}> (ack == 1)) || next[3] false) @ clk",
            "assert in line 8: always {req; !ack[*0:4]; ack} |=> (!req until_ (($\"data[3:0]\" == 5) abort (rst == 1))) @ clk",
            "assume in line 9: always (rst -> !req && !ack) @ clk",
            "restrict in line 10: {rst[*2]; !rst[*]} @ clk",
            "cover c1: some eventually! {req; ack} @ clk",
        ]
    );
    let source = VERILOG_SOURCE.replace("\n  //   within_reset || rst);", "\n  //   );");
    assert_eq!(
        read("bus.v", &source),
        [
            "answered: always {req} |-> {[*1:3]; ack} @ clk",
            "assert in line 7: always (({req && !prev(req)} |=> {req[*] && {[*2]; ack}}) abort rst) @ not clk",
            "cover in line 8: some eventually! {req; ack} @ clk",
        ]
    );
    assert_eq!(
        read("tree.psl", "assert AG (req -> AF ack); x: assert always a -> next b;"),
        ["assert in line 1: AG (req -> AF ack)", "x: always (a -> next b)"]
    );
}

const SV_SOURCE: &str = r#"module m(input clk, rst, a, b); // assert property (not_this);
  default clocking cb @(posedge clk); endclocking
  default disable iff (rst);
  /* property gone; a; endproperty */
  property follows(x, y, n);
    x |-> ##[n:3] y;
  endproperty
  sequence pair; a ##1 b; endsequence
  p1: assert property (follows(a, b, 1)) else $error("late: %0d", $time);
  assert property (@(negedge clk) disable iff (b) a |=> !a);
  initial p2: assume property (a && !b);
  p3: cover property (pair);
  always @(posedge clk) begin assert (a) else $error("not this"); end
  p4: assert property (a inside {1, [4:7]}) $display("ok"); else $fatal(1, "bad");
  p5: assert property (pair #-# (a or nexttime[2] ~b));
endmodule
"#;

/// Whatever stands in a file, nothing panics.
#[test]
fn broken_files_are_read_or_refused() {
    let mut seed = 7_u64;
    let mut dice = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let odd = [
        "\"",
        "/*",
        "*/",
        "//",
        "--",
        "(",
        ")",
        "{",
        "}",
        "ü",
        "'",
        ";",
        "property ",
        "endproperty",
        "default ",
        "\n",
        "\\",
        "psl ",
    ];
    for (file, text) in [("u.psl", VHDL_UNIT), ("v.v", VERILOG_SOURCE), ("m.sv", SV_SOURCE), ("v.vhd", VERILOG_SOURCE)]
    {
        for round in 0..150 {
            let mut broken = text.to_owned();
            for _ in 0..1 + round % 4 {
                let places: Vec<usize> = broken.char_indices().map(|(at, _)| at).collect();
                if let Some(&at) = places.get(dice(places.len().max(1))) {
                    match dice(3) {
                        0 => broken.truncate(at),
                        1 => broken.insert_str(at, odd[dice(odd.len())]),
                        _ => drop(broken.remove(at)),
                    }
                }
            }
            let _ = read_units(file, &broken, None);
        }
    }
}

/// Assertions of SystemVerilog are asked at every position, but those behind `initial`.
#[test]
fn assertions_of_sources() {
    let source = SV_SOURCE;
    assert_eq!(
        read("m.sv", source),
        [
            "p1: always (({a} |-> {[*1:3]; b}) abort rst) @ clk",
            "assert in line 10: always (({a} |=> !a) abort b) @ not clk",
            "assume p2: (a && !b) abort rst @ clk",
            "cover p3: some eventually! {!rst[*] && {a; b}} @ clk",
            "p4: always ((a == 1 || a >= 4 && a <= 7) abort rst) @ clk",
            "p5: always ((<{a; b}> (a || ({[*3]} |-> $\"~(b)\"))) abort rst) @ clk",
        ]
    );
    let remarks: Vec<Option<String>> = read_units("m.sv", source, None)
        .unwrap()
        .properties
        .iter()
        .map(|p| p.remark.as_ref().map(|r| format!("{:?} {:?}", r.severity, r.message)))
        .collect();
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        remarks,
        [said("Some(Error) Some(\"late: %0d\")"), None, None, None, said("Some(Failure) Some(\"bad\")"), None]
    );
    assert_eq!(
        read(
            "e.psl",
            "endpoint e(x) is {x; b}; assert always (e(a) and c -> d); cover {e(c); d}; assert never {e(a)};"
        ),
        [
            "assert in line 1: {{[*]; c} && {[*]; {a; b}}} |-> d",
            "cover in line 1: some eventually! {{[*]; true} && {[*]; {c; b}}; d}",
            "assert in line 1 #2: never {{[*]; true} && {[*]; {a; b}}}",
        ]
    );
}

#[test]
fn mistakes_say_where_and_what_to_write() {
    for (text, expected) in [
        (
            "endpoint e is {a; b}; assert next e;",
            "1:35: this looks back at a match, from where the property does not begin | expected `ended(r)`, or an endpoint, by itself or joined by `and` in what the property waits for | as in `always (ended({a; b}) -> c)`, `never {e; d}` or `cover {e}`; otherwise say it from where the match begins: `always {a; b} |-> f`",
        ),
        (
            "vunit u { inherit v; assert a; }",
            "1:19: no unit of this file is called `v` | expected a unit of this file | units are read file by file: write both into one file",
        ),
        (
            "fairness a;",
            "1:1: fairness is a demand on models, and this is asked of runs | expected `assert`, `assume` or `cover` | a model says it itself (JUSTICE, COMPASSION); of a run ask `assert always eventually! b`",
        ),
        (
            "asert a;",
            "1:1: `asert` is not a directive of PSL | expected `assert`, `assume`, `restrict` or `cover` | declarations are `sequence`, `property` and `default clock`; statements of the HDL itself are not read",
        ),
        (
            "default clock is clk; assert a;",
            "1:18: `clk` does not say at which edge | expected the edge of a signal | write (posedge clk) or rising_edge(clk)",
        ),
        ("sequence s is {a}; sequence s is {b};", "1:29: `s` is declared twice | it is declared in line 1 as well | -"),
        ("vunit u { assert a;", "1:9: this unit does not end | expected `}` for it | -"),
    ] {
        assert!(wrong("u.psl", text).contains(&expected.to_owned()), "{text}: {:?}", wrong("u.psl", text));
    }
}

/// The warnings of a file, each once.
fn warned(file: &str, text: &str) -> Vec<String> {
    let all = read_units(file, text, None).unwrap_or_else(|e| panic!("{e:?}")).properties;
    let mut found: Vec<String> = all.iter().flat_map(|p| p.warnings.iter().map(ToString::to_string)).collect();
    found.dedup();
    let once = all.first().map_or(0, |p| p.warnings.len());
    found.truncate(once);
    found
}

const AROUND: &str = r#"
`define CHECK(n, p) n: assert property (@(posedge clk) p);
module m #(parameter N = 4) (input clk, rst);
  default disable iff (rst);
  property hold(logic v, r, logic [7:0] d); v && !r |=> $stable(d); endproperty : hold
  let both(x, y) = x && y;
  a1: assert property (hold(.r(ready), .v(valid), .d(p::data)));
  generate for (genvar i = 0; i < 2; i++) begin : g
    a2: assert property (gnt[i] |=> !gnt[i]) else begin $error("twice"); end
  end endgenerate
`ifdef FORMAL
  a3: assert property (never_this);
`else
  a4: assert property (both(valid, ready));
`endif
  always_ff @(negedge clk) begin
    q <= d;
    a5: assert property (valid |=> ready);
    a6: assert (valid) else $error("now");
  end
  `CHECK(a7, valid)
  `ASSERT(a8, valid)
  default clocking cb @(posedge clk); endclocking
endmodule
module other(input clk);
  initial a9: assert property (@(posedge clk) valid);
  a10: assert property (valid |-> ready);
endmodule
"#;

#[test]
fn what_stands_around_an_assertion() {
    assert_eq!(
        read("m.sv", AROUND),
        [
            "a1: always (({valid && !ready} |=> (data == prev(data))) abort rst) @ clk",
            "a2[0]: always (({gnt[0]} |=> !gnt[0]) abort rst) @ clk",
            "a2[1]: always (({gnt[1]} |=> !gnt[1]) abort rst) @ clk",
            "a4: always ((valid && ready) abort rst) @ clk",
            "a5: always (({valid} |=> ready) abort rst) @ not clk",
            "a9: valid @ clk",
            // The defaults of the other module are not its own.
            "a10: always {valid} |-> ready",
        ]
    );
    assert_eq!(
        warned("m.sv", AROUND),
        [
            "12:3: what is asserted in line 12 is not compiled, and not read: `FORMAL` is not defined",
            "19:9: immediate assertions are not read: line 19",
            "21:4: macros are not put in, so what `CHECK` and its like assert is not read: lines 21 and 22",
            "27:25: an assertion has no clock, so every state of a run is a cycle: line 27",
        ]
    );
    for (text, expected) in [
        (
            "module m; if (N > 2) begin a: assert property (@(posedge c) x); end endmodule",
            "whether this is asked depends on the parameters of the design",
        ),
        (
            "module m; for (genvar i = 0; i < N; i++) a: assert property (@(posedge c) x[i]); endmodule",
            "how often this is asked depends on the parameters of the design",
        ),
        (
            "module m; always @(posedge c) if (e) assert property (x); endmodule",
            "this assertion is asked only where its process reaches it",
        ),
        (
            "module m; always_comb assert property (@(posedge c) x); endmodule",
            "this assertion stands in a process without a clock",
        ),
        (
            "module m; always @(posedge c or negedge r) assert property (x); endmodule",
            "the clock of this assertion is not known",
        ),
        (
            "module m; always @(posedge c) assert property (@(posedge d) x); endmodule",
            "the clock of this assertion is not known",
        ),
        (
            "module m; initial begin #10 assert property (@(posedge c) x); end endmodule",
            "when this assertion is reached is not known",
        ),
        (
            "module m; task t; assert property (@(posedge c) x); endtask endmodule",
            "when this assertion is reached is not known",
        ),
        (
            "checker k(c, x); assert property (@(posedge c) x); endchecker",
            "this assertion is about the arguments of a checker, which are not put in",
        ),
        (
            "module m; default clocking @(posedge c); endclocking default clocking @(negedge c); endclocking endmodule",
            "a second default clock",
        ),
        ("module m; default disable iff (r); default disable iff (s); endmodule", "a second `default disable iff`"),
        ("module m; assert property (a endmodule", "this assertion does not end"),
        ("module m; assert #0 (a); endmodule", "immediate assertions are not read: line 1"),
        (
            "module m; property p(a, b); a |-> b; endproperty assert property (@(posedge c) p(.a(x), .c(y))); endmodule",
            "`p` has no parameter `c`",
        ),
        (
            "module m; property p(a); a; endproperty assert property (@(posedge c) p(.a(x), .a(y))); endmodule",
            "`a` is given twice",
        ),
    ] {
        let found = wrong("m.sv", text);
        assert!(found.iter().any(|mistake| mistake.contains(expected)), "{text}: {found:?}");
    }
}

#[test]
fn a_unit_has_its_own_default_clock() {
    let text = "default clock = (posedge clk); assert a;
        vunit u { default clock = (negedge clk); assert b; }
        vunit v { inherit u; assert c; }
        vunit w { assert d; }";
    assert_eq!(
        read("u.psl", text),
        [
            "assert in line 1: a @ clk",
            "assert in line 2: b @ not clk",
            "assert in line 3: c @ not clk",
            "assert in line 4: d @ clk"
        ]
    );
    assert!(
        wrong("u.psl", "vunit u { default clock = (posedge a); default clock = (posedge b); assert c; }")[0]
            .contains("a second default clock")
    );
    // Bits in quotes are a number in VHDL, and nothing else is written so.
    assert_eq!(read("v.psl", "assert always data = \"0101\";"), ["assert in line 1: always (data == 5)"]);
    assert_eq!(
        read("v.psl", "assert always mode == \"idle\" report \"01\";"),
        ["assert in line 1: always (mode == \"idle\")"]
    );
    // It is for the whole unit.
    assert_eq!(
        read("u.psl", "vunit u { assert b; default clock = (negedge clk); }"),
        ["assert in line 1: b @ not clk"]
    );
}

const VHDL_SOURCE: &str = r#"
architecture rtl of e is
  signal s : string(1 to 4) := "a--b"; signal q : character := '"'; -- psl of old
  -- psl default clock is rising_edge(clk);
begin
  /* block
  -- psl assert never hidden;
  */
  -- psl a1 : assert always (valid -> next ready); -- why; it is so
  -- the counter must not overflow
  a2 : assert always (valid -> ready);
  cover {valid; ready} report "seen; both";
  a3 : assert valid = '1' report "of VHDL";
  g : for i in 0 to 1 generate
    -- psl a4 : assert never gnt(i);
  end generate;
  process (clk) begin
    if rising_edge(clk) then
      assert valid = '1' report "always" severity error;
    end if;
  end process;
end architecture;
architecture other of e is
begin
  -- psl a5 : assert never
  --   {valid;
  --    ready};
end architecture;
"#;

#[test]
fn vhdl_has_psl_in_comments_and_outside() {
    assert_eq!(
        read("e.vhd", VHDL_SOURCE),
        [
            "a1: always (valid -> next ready) @ clk",
            "a2: always (valid -> ready) @ clk",
            "cover in line 12: some eventually! {valid; ready} @ clk",
            "a4[0]: never gnt[0] @ clk",
            "a4[1]: never gnt[1] @ clk",
            "a5: never {valid; ready}",
        ]
    );
    assert_eq!(
        warned("e.vhd", VHDL_SOURCE),
        ["3:69: a comment that begins with `psl` is no directive, and not read: line 3"]
    );
    let conditional = "architecture a of e is begin g : if x generate -- psl assert never a;
        end generate; end;";
    assert!(wrong("e.vhd", conditional)[0].contains("whether this is asked depends on the parameters of the design"));
    let blocks = "/* psl default clock = (posedge clk);
        a1: assert never a; */ // psl a2: assert never b; // why
        // no directive";
    assert_eq!(read("m.v", blocks), ["a1: never a @ clk", "a2: never b @ clk"]);
}

const HDL_UNIT: &str = r#"vunit counts (counter(rtl)) {
  signal seen : std_logic_vector(3 downto 0) := "0000";
  type pair is record a, b : bit; end record;
  function f (x : bit) return bit is begin if x = '1' then return '0'; end if; return x; end function;
  process (clk) is begin
    if rising_edge(clk) then seen <= c; end if; -- assert never a;
  end process;
  seen(0) <= a; u : entity work.other port map (clk, a);
  default clock is rising_edge(clk);
  check : for i in 1 to 2 generate
    signal own : bit;
  begin
    step : assert always {c = std_logic_vector(to_unsigned(i, 4))} |=> {c = std_logic_vector(to_unsigned(i + 1, 4))};
    inner : for j in 0 to 1 generate both : assert never {a; c(j)}; end generate inner;
  end generate check;
  last : assert never {seen = X"F"; b};
}
"#;

#[test]
fn units_hold_loops_and_statements_of_the_hdl() {
    let expected = [
        "step[1]: always {c == 1} |=> {c == 1 + 1} @ clk",
        "both[1][0]: never {a; c[0]} @ clk",
        "both[1][1]: never {a; c[1]} @ clk",
        "step[2]: always {c == 2} |=> {c == 2 + 1} @ clk",
        "both[2][0]: never {a; c[0]} @ clk",
        "both[2][1]: never {a; c[1]} @ clk",
        "last: never {seen == 15; b} @ clk",
    ];
    let mut seen = read("counts.psl", HDL_UNIT);
    let mut wanted: Vec<&str> = expected.to_vec();
    // Directive by directive, and of each all its rounds.
    seen.sort();
    wanted.sort_unstable();
    assert_eq!(seen, wanted);
    let told = ["2:3: statements of the HDL in a unit are not read: lines 2, 3, 4, 5, 8 and 11"];
    assert_eq!(warned("counts.psl", HDL_UNIT), told);
    // The same in a source, behind the design.
    let design =
        "entity counter is end; architecture rtl of counter is begin g : for k in 0 to 1 generate end generate; end;\n";
    let mut seen = read("counter.vhd", &format!("{design}{HDL_UNIT}"));
    seen.sort();
    assert_eq!(seen, wanted);
    let verilog = "vunit v (m) {
  wire x; reg [3:0] n; assign x = a && b;
  always @(posedge clk) begin if (x) n <= n + 1; else n <= 0; end
  default clock = (posedge clk);
  generate for (genvar i = 0; i < 2; i++) begin : all
    assert never {x; n[i]};
  end endgenerate
  last: assert always (x -> next b);
}
";
    assert_eq!(
        read("v.psl", verilog),
        [
            "assert in line 6[0]: never {x; n[0]} @ clk",
            "assert in line 6[1]: never {x; n[1]} @ clk",
            "last: always (x -> next b) @ clk"
        ]
    );
    assert_eq!(warned("v.psl", verilog), ["2:3: statements of the HDL in a unit are not read: lines 2 and 3"]);
}

/// A directive that cannot be read does not take the others with it. What they may share does.
#[test]
fn others_are_read_beside_a_mistake() {
    let text = "vunit u (e) {\n if_one : if WIDTH = 4 generate one: assert always a; end generate;\n two: assert always b;\n asert never c;\n}";
    let seen = read_units("u.psl", text, None).unwrap();
    let names: Vec<&str> = seen.properties.iter().filter_map(|p| p.name.as_deref()).collect();
    assert_eq!(names, ["two"]);
    let unread: Vec<String> = seen.unread.iter().map(|m| m.diagnostic.to_string()).collect();
    assert_eq!(
        unread,
        [
            "2:33: whether this is asked depends on the parameters of the design",
            "4:2: `asert` is not a directive of PSL"
        ]
    );
    for shared in
        ["sequence 1 is {a; b}; assert s; assert a;", "default clock is; assert a;", "vunit u (e) { assert a; "]
    {
        assert!(read_units("u.psl", shared, None).is_err(), "{shared}");
    }
}
