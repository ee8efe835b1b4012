//! A monitor in VHDL: an entity and its architecture, which can be synthesised and simulated. VHDL-93 is enough.

use std::fmt::Write;

use posetta_compile::{CountBits, CountedProgram, Operation, Register};

use super::c::value_of;
use super::code::{self, Codes, Dialect};
use super::hardware::{ascii, by_result, heading, inputs, outputs, reads_falling, width};
use super::{Body, Classes, Language, Node, Target, Written};

pub(super) fn print(written: &Written) -> String {
    let names = inputs(written, Language::Vhdl);
    let unsure = matches!(&written.body, Body::Counters(program) if Codes::of(program).unsure());
    let id = &written.id;
    let mut out = heading(written, "--");
    out.push_str("library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n\n");
    let _ = writeln!(out, "entity {id} is\n    port (\n        clk : in std_logic;\n        rst : in std_logic;");
    out.push_str("        en : in std_logic;\n");
    for (name, atom) in names.iter().zip(&written.atoms) {
        let _ = writeln!(out, "        {name} : in std_logic; -- {}", ascii(atom));
    }
    let outputs = outputs(unsure);
    for (i, (name, says)) in outputs.iter().enumerate() {
        let _ =
            writeln!(out, "        {name} : out std_logic{} -- {says}", if i + 1 < outputs.len() { ";" } else { "" });
    }
    let _ = writeln!(out, "    );\nend entity;\n\narchitecture monitor of {id} is");
    if !names.is_empty() {
        let _ = writeln!(out, "    signal letter : std_logic_vector({} downto 0);", names.len() - 1);
    }
    let wide = if unsure { 5 } else { 4 };
    let _ = writeln!(out, "    signal answers : std_logic_vector({} downto 0);", wide - 1);
    let mut body = String::new();
    for (i, name) in names.iter().enumerate() {
        let _ = writeln!(body, "    letter({i}) <= to_x01({name});");
    }
    for (i, name) in ["satisfied", "holds", "violated", "monitorable", "unsure"].iter().take(wide).enumerate() {
        let _ = writeln!(body, "    {name} <= answers({i});");
    }
    let unknown = if names.is_empty() { "false" } else { "is_x(letter)" };
    let edge = if reads_falling(written) { "falling_edge" } else { "rising_edge" };
    match &written.body {
        Body::Counters(program) => with_counters(&mut out, &mut body, program, (wide, unknown, edge)),
        states => with_states(&mut out, &mut body, written, (states, unknown, edge)),
    }
    let _ = writeln!(out, "begin\n{body}end architecture;");
    out
}

fn bits(number: u64, width: usize) -> String {
    format!("\"{number:0width$b}\"")
}

/// The branches of a case over a table.
fn branches(out: &mut String, indent: &str, table: impl Iterator<Item = usize>, show: &dyn Fn(usize) -> String) {
    let (listed, usual) = by_result(table);
    for (result, places) in listed {
        let places: Vec<String> = places.into_iter().map(show).collect();
        for some in places.chunks(10) {
            let _ = writeln!(out, "{indent}when {} => return {result};", some.join(" | "));
        }
    }
    let _ = writeln!(out, "{indent}when others => return {usual};");
}

/// Decisions in a function of the letter: numbers of nodes, one after the other.
fn diagram(out: &mut String, nodes: &[Node]) {
    for i in 0..nodes.len() {
        let _ = writeln!(out, "        variable n{i} : natural;");
    }
    out.push_str("    begin\n");
    for (i, node) in nodes.iter().enumerate() {
        let (high, low) = (target(node.high), target(node.low));
        let _ = writeln!(out, "        n{i} := pick(word({}) = '1', {high}, {low});", node.atom);
    }
}

fn target(target: Target) -> String {
    match target {
        Target::Node(place) => format!("n{place}"),
        Target::Number(number) => number.to_string(),
    }
}

const PICK: &str = "
    function pick(condition : boolean; so, otherwise : natural) return natural is
    begin
        if condition then
            return so;
        end if;
        return otherwise;
    end function;
";

fn with_states(out: &mut String, body: &mut String, written: &Written, (of, unknown, edge): (&Body, &str, &str)) {
    let (states, atoms) = (written.answers.len(), written.atoms.len());
    let _ = writeln!(out, "    signal state : natural range 0 to {} := 0;", states - 1);
    let letter = if atoms == 0 { "" } else { "; word : std_logic_vector" };
    let argument = if atoms == 0 { "" } else { ", letter" };
    match of {
        Body::Table { classes, width, next } => {
            match classes {
                Classes::Direct(direct) if atoms == 0 => {
                    let kind = direct.first().copied().unwrap_or(*width);
                    let _ = writeln!(out, "    constant kind : natural := {kind};");
                }
                Classes::Direct(direct) => {
                    let _ = writeln!(out, "\n    -- The class of each letter; {width} where it cannot come.");
                    let _ = writeln!(
                        out,
                        "    function class_of(word : std_logic_vector({} downto 0)) return natural is",
                        atoms - 1
                    );
                    out.push_str("    begin\n        case word is\n");
                    branches(out, "            ", direct.iter().copied(), &|letter| bits(letter as u64, atoms));
                    out.push_str("        end case;\n    end function;\n");
                }
                Classes::Nodes { nodes, root } => {
                    out.push_str(PICK);
                    out.push_str("\n    function class_of(word : std_logic_vector) return natural is\n");
                    diagram(out, nodes);
                    let _ = writeln!(out, "        return {};\n    end function;", target(*root));
                }
            }
            let _ = writeln!(out, "\n    -- The state after each class of letters; {states} where it cannot come.");
            out.push_str(
                "    function next_of(from, class : natural) return natural is\n    begin\n        case from is\n",
            );
            for (state, row) in next.chunks(*width).enumerate() {
                let _ = writeln!(out, "            when {state} =>\n                case class is");
                // A class that there is not cannot come.
                let row = row.iter().copied().chain(std::iter::once(states));
                branches(out, "                    ", row, &|class| class.to_string());
                out.push_str("                end case;\n");
            }
            let _ = writeln!(out, "            when others => return {states};\n        end case;\n    end function;");
        }
        Body::Diagram { nodes, rows } => {
            out.push_str(PICK);
            let _ = writeln!(out, "\n    -- The state after a letter; {states} where it cannot come.");
            let _ = writeln!(out, "    function next_of(from : natural{letter}) return natural is");
            diagram(out, nodes);
            out.push_str("        case from is\n");
            for (state, row) in rows.iter().enumerate() {
                let _ = writeln!(out, "            when {state} => return {};", target(*row));
            }
            let _ = writeln!(out, "            when others => return {states};\n        end case;\n    end function;");
        }
        Body::Counters(_) => {}
    }
    out.push_str("\n    function answers_of(from : natural) return natural is\n    begin\n        case from is\n");
    branches(out, "            ", written.answers.iter().map(|&code| code as usize), &|state| state.to_string());
    out.push_str("        end case;\n    end function;\n");
    let following = match of {
        Body::Table { classes: Classes::Direct(_), .. } if atoms == 0 => "next_of(state, kind)".to_owned(),
        Body::Table { .. } => "next_of(state, class_of(letter))".to_owned(),
        _ => format!("next_of(state{argument})"),
    };
    let _ = write!(
        body,
        "    answers <= std_logic_vector(to_unsigned(answers_of(state), 4));

    process (clk)
        variable following : natural;
    begin
        if {edge}(clk) then
            if rst = '1' then
                state <= 0;
                refused <= '0';
            elsif en = '1' then
                following := {states};
                if not {unknown} then
                    following := {following};
                end if;
                if following < {states} then
                    state <= following;
                    refused <= '0';
                else
                    refused <= '1';
                end if;
            end if;
        end if;
    end process;
"
    );
}

struct InVhdl {
    bits: usize,
}

impl Dialect for InVhdl {
    const AND: &'static str = "and";
    const OR: &'static str = "or";
    const NOT: &'static str = "not ";
    const SAME: &'static str = "=";
    const OTHER: &'static str = "/=";

    fn atom(&self, atom: usize) -> String {
        format!("(letter({atom}) = '1')")
    }

    fn number(&self, number: u64) -> String {
        format!("unsigned'({})", bits(number, self.bits))
    }

    fn pick(&self, condition: &str, so: &str, otherwise: &str) -> String {
        format!("pick({condition}, {so}, {otherwise})")
    }

    fn first(&self) -> String {
        "not started".to_owned()
    }

    fn read(&self, register: usize) -> String {
        format!("r{register}")
    }

    fn moved(&self, register: usize, _: &str, _: &str) -> String {
        format!("r{register}_counts and any(r{register}_moved, r{register}_moved'high, r{register}_least)")
    }
}

fn with_counters(
    out: &mut String,
    body: &mut String,
    program: &CountedProgram,
    (wide, unknown, edge): (usize, &str, &str),
) {
    let wide_count = width(code::most(program));
    let dialect = InVhdl { bits: wide_count };
    out.push_str("    -- Attempts at a match stand in registers: a flag, one more than a count, or a set of counts, one bit for each.\n");
    out.push_str("    signal started : boolean := false;\n    signal matched : boolean := false;\n");
    let (mut reset, mut under_way, mut moves) = (String::new(), Vec::new(), String::new());
    let (mut variables, mut steps) = (String::new(), String::new());
    for (i, register) in program.registers.iter().enumerate() {
        match register {
            Register::Flag => {
                let _ = writeln!(out, "    signal r{i} : boolean := false;");
                let _ = writeln!(reset, "                r{i} <= false;");
                under_way.push(format!("r{i}"));
            }
            Register::Count(_) => {
                let _ = writeln!(out, "    signal r{i} : unsigned({} downto 0) := (others => '0');", wide_count - 1);
                let _ = writeln!(reset, "                r{i} <= (others => '0');");
                under_way.push(format!("(r{i} /= {})", dialect.number(0)));
            }
            Register::Bits(CountBits { min, max, patient, .. }) => {
                let _ = writeln!(out, "    -- Bit n: there is the count n + 1.");
                let _ = writeln!(out, "    signal r{i} : std_logic_vector({} downto 0) := (others => '0');", max - 2);
                let _ = writeln!(out, "    constant r{i}_least : natural := {};", min - 1);
                let _ = writeln!(reset, "                r{i} <= (others => '0');");
                let _ = writeln!(
                    variables,
                    "        variable r{i}_starts : boolean;\n        variable r{i}_counts : boolean;"
                );
                let _ = writeln!(variables, "        variable r{i}_moved : std_logic_vector({} downto 0);", max - 1);
                under_way.push(format!("any(r{i}, r{i}'high, 0)"));
                if *patient {
                    let _ = writeln!(out, "    signal r{i}_zero : boolean := false; -- there is the count 0");
                    let _ = writeln!(reset, "                r{i}_zero <= false;");
                    under_way.push(format!("r{i}_zero"));
                }
            }
        }
    }
    out.push_str(
        "
    function pick(condition : boolean; so, otherwise : unsigned) return unsigned is
    begin
        if condition then
            return so;
        end if;
        return otherwise;
    end function;

    function to_bit(truth : boolean) return std_logic is
    begin
        if truth then
            return '1';
        end if;
        return '0';
    end function;

    function any(bits : std_logic_vector; high, low : natural) return boolean is
        variable found : boolean := false;
    begin
        for i in low to high loop
            found := found or bits(i) = '1';
        end loop;
        return found;
    end function;
",
    );
    let pad = "                    ";
    for (i, operation) in program.operations.iter().enumerate() {
        if let Operation::Move(register, entering) = operation
            && let Register::Bits(set) = &program.registers[*register]
        {
            let entering = code::truth(&dialect, *entering);
            let r = format!("r{register}");
            let starts = if set.patient { format!("{entering} or {r}_zero") } else { entering };
            let _ = writeln!(steps, "{pad}{r}_starts := {starts};");
            let _ = writeln!(steps, "{pad}{r}_counts := {};", code::guard(&dialect, &set.guard, false));
            let _ = writeln!(steps, "{pad}{r}_moved := {r} & to_bit({r}_starts);");
            let _ = writeln!(moves, "{pad}if {r}_counts then\n{pad}    {r} <= {r}_moved({} downto 0);", set.max - 2);
            if set.patient {
                let _ = writeln!(moves, "{pad}end if;\n{pad}{r}_zero <= {r}_starts and not {r}_counts;");
            } else {
                let _ = writeln!(moves, "{pad}else\n{pad}    {r} <= (others => '0');\n{pad}end if;");
            }
        }
        let kind = if code::is_truth(program, operation) {
            "boolean".to_owned()
        } else {
            format!("unsigned({} downto 0)", wide_count - 1)
        };
        let _ = writeln!(variables, "        variable v{i} : {kind};");
        let _ = writeln!(steps, "{pad}v{i} := {};", code::expression(program, operation, &dialect));
    }
    for &(register, value) in &program.writes {
        let _ = writeln!(moves, "{pad}r{register} <= {};", value_of(program, register, value, &dialect));
    }
    let Codes { start, matched, under_way: open, over } = Codes::of(program);
    let codes = [start, matched, open, over].map(|code| bits(u64::from(code), wide));
    let under_way = if under_way.is_empty() { "false".to_owned() } else { under_way.join(" or ") };
    let _ = write!(
        body,
        "    answers <= {} when not started else
        {} when matched else
        {} when {under_way} else
        {};

    process (clk)
{variables}    begin
        if {edge}(clk) then
            if rst = '1' then
                refused <= '0';
                started <= false;
                matched <= false;
{reset}            elsif en = '1' and {unknown} then
                refused <= '1';
            elsif en = '1' then
                refused <= '0';
                started <= true;
                if not matched then
{steps}{moves}                    matched <= {};
                end if;
            end if;
        end if;
    end process;
",
        codes[0],
        codes[1],
        codes[2],
        codes[3],
        code::truth(&dialect, program.matched)
    );
}
