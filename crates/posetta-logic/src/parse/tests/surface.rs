use super::super::*;
use super::mistakes;
use crate::flavour::Flavour;

/// Parses in a flavour, prints, and checks that the print parses back to the same tree.
fn read(flavour: Flavour, source: &str) -> String {
    let formula = lone_psl(View::States, flavour, source).unwrap_or_else(|e| panic!("{source}: {e:?}")).formula;
    let printed = formula.to_string();
    assert_eq!(parse_psl(&printed).as_ref(), Ok(&formula), "{source} printed as {printed}");
    printed
}

#[test]
fn the_rest_of_the_foundation_language_is_written_with_the_core() {
    for (source, printed) in [
        ("next_a[1:3] a", "{[*2:4]} |-> a"),
        ("next_a![1:3](a)", "next![3] true && ({[*2:4]} |-> a)"),
        ("next_e![0 to 2] a", "<{[*1:3]}> a"),
        ("next_e[1:2] a", "(<{[*2:3]}> a) || next[2] false"),
        ("next_event(b)(f)", "{b[->]} |-> f"),
        ("next_event!(b)[3](f)", "<{b[->3]}> f"),
        ("next_event_a(b)[1:3](f)", "{b[->1:3]} |-> f"),
        ("next_event_a!(b)[1:3](f)", "{b[->3]}! && ({b[->1:3]} |-> f)"),
        ("next_event_e!(b)[2:3](f)", "<{b[->2:3]}> f"),
        ("next_event_e(b)[2:3](f)", "(<{b[->2:3]}> f) || ({b[->3]} |-> false)"),
        ("{a; b}(next c)", "{a; b} |-> next c"),
        ("a sync_abort b && c", "(a abort b) && c"),
        ("(always a) async_abort rst", "(always a) abort rst"),
        (
            "forall i in {0:1}: always (req[i] -> next ack[i])",
            "(always (req[0] -> next ack[0])) && (always (req[1] -> next ack[1]))",
        ),
        ("forall i in {2, 4}: x == i", "x == 2 && x == 4"),
        ("forall i in boolean: eventually! a == i", "eventually! (a == 0) && eventually! (a == 1)"),
        ("rose(a)", "a && !prev(a)"),
        ("fell(x == 3)", "!(x == 3) && prev(x) == 3"),
        ("stable(x)", "x == prev(x)"),
        ("always stable(a && b)", "always (a && b <-> prev(a) && prev(b))"),
        ("prev(x, 1) == 2", "prev(x) == 2"),
        ("onehot(a, b)", "(a || b) && !(a && b)"),
        ("onehot0(a, b)", "!(a && b)"),
        ("v[3:0] == 4'b0101", "$\"v[3:0]\" == 5"),
        ("not a and b or c", "!a && b || c"),
        ("a until b and c", "a until (b && c)"),
        ("next a and b", "next (a && b)"),
        ("a xor b", "!(a <-> b)"),
        ("a nand b", "!(a && b)"),
        ("a /= '1'", "a != 1"),
        ("a = X\"1F\" or a = 16#1f# or a = 8'h1F", "a == 31 || a == 31 || a == 31"),
        ("a ##1 b ##2 c |-> d", "{{a; b}; [*1]; c} |-> d"),
        ("a |-> ##[1:2] b", "{a} |-> {[*1:2]; b}"),
        ("a ##0 b", "{a : b}"),
        ("a ##[0:2] b", "{a : [*1:3] : b}"),
        ("a ##[+] b", "{a; [*]; b}"),
        ("b throughout (a ##1 c)", "{b[*] && {a; c}}"),
        ("disable iff (rst) a |=> b", "({a} |=> b) abort rst"),
        ("strong(a ##1 b)", "{a; b}!"),
        ("a s_until b", "a until! b"),
        ("if (a) next b else c", "(a -> next b) && (a || c)"),
        ("onehot(v)", "$\"countones(v)\" == 1"),
        ("onehot0(v[3:0])", "$\"countones(v[3:0])\" <= 1"),
        ("isunknown(v)", "$\"isunknown(v)\""),
        ("prev(x, 3) == 1", "$\"prev(x, 3)\" == 1"),
        ("(a == 1) == (b == 2)", "a == 1 <-> b == 2"),
        ("a === 1 -> b !== 0", "a == 1 -> b != 0"),
        ("a != (b || c)", "!((b || c) && a == 1 || !(b || c) && a == 0)"),
        ("always [1:2] a", "{[*2:3]} |-> a"),
        ("s_eventually [0:2] a", "<{[*1:3]}> a"),
        ("reject_on (b) next a", "!(!(next a) abort b)"),
        ("{a; b} #=# c", "<{{a; b}; true}> c"),
        ("x inside {3, [5:7]}", "x == 3 || x >= 5 && x <= 7"),
        ("always (ended({a; b}) -> c)", "{{[*]; true} && {[*]; {a; b}}} |-> c"),
        // Words mean something only where a variable could not stand.
        ("not == 1 && and == 2", "$\"not\" == 1 && $\"and\" == 2"),
    ] {
        assert_eq!(read(Flavour::Any, source), printed, "{source}");
    }
}

#[test]
fn flavours_have_their_own_precedence() {
    for (flavour, source, printed) in [
        (Flavour::Any, "a && b until c", "a && (b until c)"),
        (Flavour::Vhdl, "a and b until c", "(a && b) until c"),
        (Flavour::Verilog, "a && b until c", "(a && b) until c"),
        (Flavour::Verilog, "a && b |-> c", "{a && b} |-> c"),
        (Flavour::Verilog, "always a -> {b; c} |-> d", "always (a -> ({b; c} |-> d))"),
        (Flavour::Verilog, "a ##1 b or c |-> d", "{{a; b} | c} |-> d"),
        (Flavour::Verilog, "not a ##1 b", "!{a; b}"),
        (
            Flavour::Vhdl,
            "ALWAYS Req = '1' -> NEXT Ack = \"01\" -- what is asked",
            "always (req == 1 -> next (ack == 1))",
        ),
        (
            Flavour::Vhdl,
            "always data(3) = '1' -> data(7 downto 4) = X\"F\"",
            "always (data[3] == 1 -> $\"data[7:4]\" == 15)",
        ),
        (Flavour::Verilog, "always (a /* why */ -> b)", "always (a -> b)"),
        (Flavour::Verilog, "$onehot({a, b})", "(a || b) && !(a && b)"),
        (Flavour::Verilog, "always |v || &v || ^v || ~v", "always (!!v || $\"&(v)\" || $\"^(v)\" || $\"~(v)\")"),
        // Negation binds tightest, and operators on bits bind tighter than those on truth values.
        (Flavour::Any, "!cnt == 1", "!(cnt == 1)"),
        (Flavour::Verilog, "!cnt == 1", "!cnt"),
        (Flavour::Verilog, "!cnt == d", "!cnt && d == 1 || !!cnt && d == 0"),
        (Flavour::Vhdl, "not a = '1'", "!a"),
        (Flavour::Verilog, "&v == 0", "$\"&(v)\" == 0"),
        (Flavour::Verilog, "a | b && c", "(a || b) && c"),
        (Flavour::Verilog, "a ^ b && c", "!(a <-> b) && c"),
        (Flavour::Verilog, "a && b | c || d", "a && (b || c) || d"),
        (Flavour::Verilog, "a | b & c ^ d", "a || !(b && c <-> d)"),
        (Flavour::Verilog, "!{a; b}! || c", "!{a; b}! || c"),
        (Flavour::Verilog, "(a & b) == 1'b1", "a && b"),
        (Flavour::Vhdl, "(a and b) = '0'", "!(a && b)"),
        (Flavour::Vhdl, "onehot(a & b)", "(a || b) && !(a && b)"),
        (Flavour::Vhdl, "always to_integer(unsigned(v)) < 4", "always (v < 4)"),
        (Flavour::Vhdl, "(always (a -> next b)) @ (clk'event and clk = '1')", "always (a -> next b)"),
    ] {
        assert_eq!(read(flavour, source), printed, "{source}");
    }
}

#[test]
fn what_stays_outside_says_what_to_write() {
    let wrong = |flavour, source: &str| mistakes(lone_psl(View::States, flavour, source).map(|lone| lone.formula));
    for (flavour, source, expected) in [
        (
            Flavour::Any,
            "always ended(s)",
            "1:8: this looks back at a match, from where the property does not begin | expected `ended(r)`, or an endpoint, by itself or joined by `and` in what the property waits for | as in `always (ended({a; b}) -> c)`, `never {e; d}` or `cover {e}`; otherwise say it from where the match begins: `always {a; b} |-> f`",
        ),
        (
            Flavour::Any,
            "prev(a, 0)",
            "1:1: `prev` takes other arguments | expected prev(x), or prev(x, n) with a number from 1 on | gates and clocks of `prev` are not available: the clock of the property is its clock",
        ),
        (
            Flavour::Any,
            "countones(a == 1)",
            "1:1: `countones` takes a vector | expected the name of one | as in onehot(grant); of booleans it is onehot(a, b, c), and countones cannot count them",
        ),
        (
            Flavour::Verilog,
            "{a, b} == 2'b10",
            "1:1: bits joined to a vector are not available here | expected a SERE, as in {a; b} | compare each by itself: `a && !b` for `{a, b} == 2'b10`; onehot({a, b, c}) is understood",
        ),
        (
            Flavour::Any,
            "~a",
            "1:1: `~` is an operator of vectors, whose width is not known here | expected a formula | of one bit it is `!`",
        ),
        (
            Flavour::Any,
            "AG a",
            "1:4: expected an operator or the end of the formula, found `a` | expected an operator or the end of the formula | this is an operator of CTL, PSL's optional branching extension: write `ctl` (on the command line --ctl)",
        ),
        (
            Flavour::Any,
            "a -> b @ (posedge clk)",
            "1:8: a property has one clock, around the whole of it | this is a clock of a part | write it around the formula, as in (always (a -> next b)) @ (posedge clk); what two clocks see are two properties",
        ),
        (
            Flavour::Any,
            "a @ clk",
            "1:5: `clk` does not say at which edge | expected the edge of a signal | write (posedge clk) or rising_edge(clk)",
        ),
        (
            Flavour::Vhdl,
            "a and b or c",
            "1:9: VHDL has no precedence among these operators | a second operator | put parentheses around one of the two",
        ),
        (
            Flavour::Verilog,
            "a[*0:1] ##[0:2] b",
            "1:11: a delay from 0 on, beside a sequence that may be empty | expected a delay from 1 on | write both: {{r : s} | {r; [*]; s}} for r ##[0:$] s",
        ),
        (
            Flavour::Verilog,
            "(data & 8'h0f) == 8'h0f",
            "1:1: operators on the bits of vectors are not available here | a comparison of joined values | of single bits write `(a && b) == c`, or compare with 1'b1 or '1'; a part of a vector is `data[3:0] == 4'hf`, in VHDL `data(3 downto 0) = X\"F\"`",
        ),
        (
            Flavour::Vhdl,
            "gnt & ready = \"11\"",
            "1:5: `&` joins bits to a vector in VHDL, and such vectors are not available here | expected `and` | compare each part by itself: `a = '1' and b = '0'` for `a & b = \"10\"`; onehot(a & b & c) is understood",
        ),
        (
            Flavour::Any,
            "(a && b) == 3",
            "1:1: a truth value is never 3 | expected 0 or 1 beside it | operators join truth values, and no bits of vectors; a part of a vector is data[3:0] == 15",
        ),
        (
            Flavour::Verilog,
            "@(posedge clk or negedge rst) a",
            "1:15: a clock is one edge of one signal | something beside it | a reset is `disable iff (!rst_n)`; what two clocks see are two properties",
        ),
        (
            Flavour::Any,
            "next_a[1:inf] a",
            "1:7: this range has no end | expected a number | at every position from the i-th on is `next[i] always f`, at some `next![i] eventually! f`",
        ),
        (
            Flavour::Any,
            "rose(event(a))",
            "1:6: what this was at the position before is not known | expected a condition on values, without events, `prev` and temporal operators | say it forwards: {!a; a} for rose(a)",
        ),
    ] {
        assert_eq!(wrong(flavour, source), [expected], "{source}");
    }
    for (source, expected) in [
        ("[] a", "1:1: `[]` is not an operator here | expected a formula | write `G`"),
        ("<> a", "1:1: `<>` is not an operator here | expected a formula | write `F`"),
        (
            "always a",
            "1:8: expected an operator or the end of the formula, found `a` | expected an operator or the end of the formula | `always` is an operator of PSL: write `psl` (on the command line --psl), or in LTL `G`",
        ),
        (
            "a and b",
            "1:3: expected an operator or the end of the formula, found `and` | expected an operator or the end of the formula | `and` is an operator of PSL: write `psl` (on the command line --psl), or in LTL `&&`",
        ),
    ] {
        assert_eq!(mistakes(parse_ltl(source)), [expected], "{source}");
    }
}

/// What other tools read, and what engineers write by mistake: each message says what to write.
#[test]
fn mistakes_are_answered() {
    let psl = |flavour, source: &str| lone_psl(View::States, flavour, source).map(|lone| lone.formula).map(drop);
    let help = |read: Result<(), Mistakes>, source: &str| {
        let mistakes = read.expect_err(source);
        mistakes.first().and_then(|d| d.help.clone()).unwrap_or_else(|| panic!("no help for {source}: {mistakes:?}"))
    };
    let rows: [(&str, &str, &str); 43] = [
        ("ltl", "a UNTIL b", "write `U`"),
        ("ltl", "a AND b", "write `&&`"),
        ("ltl", "G (a xor b)", "write `!(a <-> b)` for `a xor b`"),
        ("ltl", "globally a", "write `G`"),
        ("ltl", "once a", "write `O`: it was true at some position so far"),
        ("ltl", "a since b", "write `S`"),
        ("ltl", "G x := 3", "values are compared by `==`"),
        ("ltl", "G (x <> 3)", "two values that differ are compared by `!=`"),
        ("ltl", "G ~a", "write `!`"),
        ("ltl", "a ^ b", "write `!(a <-> b)` for one of two truth values"),
        ("ltl", "G (x mod 2 == 0)", "there is no remainder in conditions"),
        ("ltl", "G (x % 2 == 0)", "there is no remainder in conditions"),
        ("ltl", "F[0,5] a", "operators have no bounds in LTL"),
        ("ltl", "{a; b}", "expressions in braces belong to PSL"),
        ("ltl", "a ##1 b", "delays such as `##1` belong to PSL"),
        ("ltl", "a ? b : c", "`a ? b : c` is written `(a -> b) && (a || c)`"),
        ("ctl", "A G a", "operators are one word: AG, EF, AX"),
        ("ctl", "AG (a U b)", "in CTL it stands inside of `A[…]` or `E[…]`"),
        ("ctl", "always a", "in CTL it is `AG`"),
        ("ctl", "eventually a", "in CTL it is `AF`"),
        ("ctl", "AF a AND b", "write `&&`"),
        ("ctl", "AG[0] a", "operators have no bounds in CTL"),
        ("psl", "assert always a", "directives stand in a file for --spec"),
        ("psl", "cover {a}", "directives stand in a file for --spec"),
        ("psl", "always (a; b)", "SEREs stand in braces"),
        ("psl", "always {a*} |-> c", "repetition stands in brackets"),
        ("psl", "always {a+; b} |-> c", "repetition stands in brackets"),
        ("psl", "next_event(a) b", "as in `next_event(b)(f)`"),
        ("psl", "always rose a", "a function takes its arguments in parentheses, as in rose(a)"),
        ("psl", "a union b", "`a union b` leaves the choice open"),
        ("psl", "nondet_vector(8, {0, 1}) == 1", "for every value write `forall i in {0:7}: f`"),
        ("vhdl", "always a'event", "attributes of VHDL are not known here"),
        ("vhdl", "always (v mod 2) = 0", "there is no remainder in conditions"),
        ("vhdl", "always (v sll 2) = 0", "there are no shifts in conditions"),
        ("verilog", "always `TRUE", "macros of Verilog are not known here"),
        ("verilog", "a ? b : c", "`a ? b : c` is written `if (a) b else c`"),
        ("verilog", "(data >> 4) < 2", "there are no shifts in conditions"),
        ("verilog", "(data & 8'h0F) < 2", "of single bits write"),
        ("verilog", "a #1 b", "a delay is written `##1` or `##[1:3]`"),
        ("verilog", "(a, x = data) ##1 b", "variables inside of sequences and properties are not available"),
        ("verilog", "case (a) 1 b; endcase", "as in `case (x) 1: f; default: g; endcase`"),
        ("verilog", "first_match(a ##1 b) |-> c", "`{r} |-> f` asks f of every match"),
        ("verilog", "$past_gclk(a)", "there is no global clock"),
    ];
    for (language, source, expected) in rows {
        let read = match language {
            "ltl" => parse_ltl(source).map(drop),
            "ctl" => parse_ctl(source).map(drop),
            "vhdl" => psl(Flavour::Vhdl, source),
            "verilog" => psl(Flavour::Verilog, source),
            _ => psl(Flavour::Any, source),
        };
        let found = help(read, source);
        assert!(found.starts_with(expected), "{source}: {found}");
    }
}

/// The first branch whose value it is; a default counts last, wherever it stands.
#[test]
fn cases_are_choices() {
    let read = |source| lone_psl(View::States, Flavour::Verilog, source).map(|lone| lone.formula.to_string());
    for (source, expected) in [
        ("case (x) 1: a; endcase", "x == 1 -> a"),
        ("case (x) 1: a; default: b; endcase", "(x == 1 -> a) && (x == 1 || b)"),
        (
            "case (x) default b; 2'b10, y + 1: nexttime a; endcase",
            "(x == 2 || x == y + 1 -> next a) && ((x == 2 || x == y + 1) || b)",
        ),
        (
            "c |-> case (x) 1: a; 2: case (y) 3: b; endcase; default: c; endcase",
            "{c} |-> ((x == 1 -> a) && (x == 1 || (x == 2 -> y == 3 -> b) && (x == 2 || c)))",
        ),
    ] {
        assert_eq!(read(source), Ok(expected.to_owned()), "{source}");
    }
    for (source, expected) in [
        ("case (x) endcase", "1:1: this `case` has no branches"),
        ("case (x) default: a; default: b; endcase", "1:31: this `case` has two defaults"),
        ("case (x) 1: a", "1:14: expected `;`, found the end"),
        ("case (x) 1: a; ", "1:15: expected a formula, found the end"),
    ] {
        let mistakes = read(source).expect_err(source);
        assert_eq!(mistakes.first().map(ToString::to_string), Some(expected.to_owned()), "{source}");
    }
}
