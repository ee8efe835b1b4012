//! A monitor in SystemVerilog: one module, which can be synthesised and simulated.

use std::fmt::Write;

use posetta_compile::{CountBits, CountedProgram, Register};

use super::c::value_of;
use super::code::{self, Codes, Dialect};
use super::hardware::{ascii, by_result, heading, inputs, outputs, reads_falling, width};
use super::{Body, Classes, Language, Node, Target, Written};

pub(super) fn print(written: &Written) -> String {
    let names = inputs(written, Language::SystemVerilog);
    let unsure = matches!(&written.body, Body::Counters(program) if Codes::of(program).unsure());
    let mut out = heading(written, "//");
    let _ =
        writeln!(out, "module {} (\n    input  logic clk,\n    input  logic rst,\n    input  logic en,", written.id);
    for (name, atom) in names.iter().zip(&written.atoms) {
        let _ = writeln!(out, "    input  logic {name}, // {}", ascii(atom));
    }
    let outputs = outputs(unsure);
    for (i, (name, says)) in outputs.iter().enumerate() {
        let _ = writeln!(out, "    output logic {name}{} // {says}", if i + 1 < outputs.len() { "," } else { "" });
    }
    out.push_str(");\n");
    if !names.is_empty() {
        let bits: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        let _ = writeln!(out, "    wire [{}:0] letter = {{{}}};", names.len() - 1, bits.join(", "));
    }
    let unknown = if names.is_empty() { "1'b0" } else { "(^letter) === 1'bx" };
    let _ = writeln!(out, "    wire unknown = {unknown};\n");
    let edge = if reads_falling(written) { "negedge" } else { "posedge" };
    match &written.body {
        Body::Counters(program) => with_counters(&mut out, program, unsure, edge),
        body => with_states(&mut out, written, body, edge),
    }
    out.push_str("endmodule\n");
    out
}

/// A function that is a table: `bits` wide, of something `of` bits wide.
fn case(out: &mut String, name: &str, (bits, of): (usize, usize), table: &[usize]) {
    let (listed, usual) = by_result(table.iter().copied());
    let _ =
        writeln!(out, "    function automatic [{}:0] {name}(input [{}:0] at);\n        case (at)", bits - 1, of - 1);
    for (result, places) in listed {
        let places: Vec<String> = places.iter().map(|place| format!("{of}'d{place}")).collect();
        for some in places.chunks(12) {
            let _ = writeln!(out, "            {}: {name} = {bits}'d{result};", some.join(", "));
        }
    }
    let _ = writeln!(out, "            default: {name} = {bits}'d{usual};\n        endcase\n    endfunction\n");
}

/// Decisions, from the last to the first; numbers are `bits` wide.
fn diagram(out: &mut String, nodes: &[Node], bits: usize) {
    for (i, node) in nodes.iter().enumerate() {
        let (high, low) = (target(node.high, bits), target(node.low, bits));
        let _ = writeln!(out, "    wire [{}:0] n{i} = letter[{}] ? {high} : {low};", bits - 1, node.atom);
    }
}

fn target(target: Target, bits: usize) -> String {
    match target {
        Target::Node(place) => format!("n{place}"),
        Target::Number(number) => format!("{bits}'d{number}"),
    }
}

fn with_states(out: &mut String, written: &Written, body: &Body, edge: &str) {
    let states = written.answers.len();
    let bits = width(states as u64);
    let _ = writeln!(out, "    // {states} stands for a position that cannot come.");
    let _ = writeln!(out, "    logic [{}:0] state;\n    wire [{0}:0] next;\n", bits - 1);
    match body {
        Body::Table { classes, width: classes_count, next } => {
            let kinds = width(*classes_count as u64);
            let kind = match classes {
                Classes::Direct(direct) if written.atoms.is_empty() => {
                    format!("{kinds}'d{}", direct.first().copied().unwrap_or(*classes_count))
                }
                Classes::Direct(direct) => {
                    let _ = writeln!(out, "    // The class of each letter; {classes_count} where it cannot come.");
                    case(out, "class_of", (kinds, written.atoms.len()), direct);
                    "class_of(letter)".to_owned()
                }
                Classes::Nodes { nodes, root } => {
                    diagram(out, nodes, kinds);
                    target(*root, kinds)
                }
            };
            // By state and class; places that there are not cannot come.
            let table: Vec<usize> = (0..states << kinds)
                .map(|place| {
                    let (state, class) = (place >> kinds, place & ((1 << kinds) - 1));
                    if class < *classes_count { next[state * classes_count + class] } else { states }
                })
                .collect();
            case(out, "next_of", (bits, bits + kinds), &table);
            let _ = writeln!(out, "    assign next = next_of({{state, {kind}}});\n");
        }
        Body::Diagram { nodes, rows } => {
            diagram(out, nodes, bits);
            let _ = writeln!(out, "    logic [{}:0] following;\n    always @* begin\n        case (state)", bits - 1);
            for (state, row) in rows.iter().enumerate() {
                let _ = writeln!(out, "            {bits}'d{state}: following = {};", target(*row, bits));
            }
            let _ = writeln!(out, "            default: following = {bits}'d{states};\n        endcase\n    end");
            out.push_str("    assign next = following;\n\n");
        }
        Body::Counters(_) => {}
    }
    let answers: Vec<usize> = written.answers.iter().map(|&code| code as usize).collect();
    case(out, "answers_of", (4, bits), &answers);
    let _ = write!(
        out,
        "    assign {{monitorable, violated, holds, satisfied}} = answers_of(state);

    always_ff @({edge} clk) begin
        if (rst) begin
            state <= {bits}'d0;
            refused <= 1'b0;
        end else if (en) begin
            refused <= unknown || (next == {bits}'d{states});
            if (!unknown && (next != {bits}'d{states})) state <= next;
        end
    end
"
    );
}

struct InSystemVerilog {
    bits: usize,
}

impl Dialect for InSystemVerilog {
    const AND: &'static str = "&&";
    const OR: &'static str = "||";
    const NOT: &'static str = "!";
    const SAME: &'static str = "==";
    const OTHER: &'static str = "!=";
    const TRUE: &'static str = "1'b1";
    const FALSE: &'static str = "1'b0";

    fn atom(&self, atom: usize) -> String {
        format!("letter[{atom}]")
    }

    fn number(&self, number: u64) -> String {
        format!("{}'d{number}", self.bits)
    }

    fn pick(&self, condition: &str, so: &str, otherwise: &str) -> String {
        format!("({condition}) ? {so} : {otherwise}")
    }

    fn first(&self) -> String {
        "!started".to_owned()
    }

    fn read(&self, register: usize) -> String {
        format!("r{register}")
    }

    fn moved(&self, register: usize, _: &str, _: &str) -> String {
        format!("r{register}_enough")
    }
}

fn with_counters(out: &mut String, program: &CountedProgram, unsure: bool, edge: &str) {
    let bits = width(code::most(program));
    let dialect = InSystemVerilog { bits };
    out.push_str("    // Attempts at a match stand in registers: a flag, one more than a count, or a set of counts, one bit for each.\n");
    out.push_str("    logic started;\n    logic matched;\n");
    let (mut reset, mut under_way, mut moves) = (String::new(), Vec::new(), String::new());
    for (i, register) in program.registers.iter().enumerate() {
        match register {
            Register::Flag => {
                let _ = writeln!(out, "    logic r{i};");
                let _ = writeln!(reset, "            r{i} <= 1'b0;");
                under_way.push(format!("r{i}"));
            }
            Register::Count(_) => {
                let _ = writeln!(out, "    logic [{}:0] r{i};", bits - 1);
                let _ = writeln!(reset, "            r{i} <= {bits}'d0;");
                under_way.push(format!("(r{i} != {bits}'d0)"));
            }
            Register::Bits(CountBits { max, patient, .. }) => {
                let _ = writeln!(out, "    logic [{}:0] r{i}; // bit n: there is the count n + 1", max - 2);
                let _ = writeln!(reset, "            r{i} <= {}'d0;", max - 1);
                under_way.push(format!("(|r{i})"));
                if *patient {
                    let _ = writeln!(out, "    logic r{i}_zero; // there is the count 0");
                    let _ = writeln!(reset, "            r{i}_zero <= 1'b0;");
                    under_way.push(format!("r{i}_zero"));
                }
            }
        }
    }
    out.push('\n');
    for (i, operation) in program.operations.iter().enumerate() {
        if let posetta_compile::Operation::Move(register, entering) = operation
            && let Register::Bits(set) = &program.registers[*register]
        {
            let entering = code::truth(&dialect, *entering);
            let counts = code::guard(&dialect, &set.guard, false);
            let r = format!("r{register}");
            let starts = if set.patient { format!("{entering} || {r}_zero") } else { entering };
            let _ = writeln!(out, "    wire {r}_starts = {starts};\n    wire {r}_counts = {counts};");
            let _ = writeln!(out, "    wire [{}:0] {r}_moved = {{{r}, {r}_starts}};", set.max - 1);
            let _ = writeln!(out, "    wire {r}_enough = {r}_counts && (|{r}_moved[{}:{}]);", set.max - 1, set.min - 1);
            let _ = writeln!(moves, "                if ({r}_counts) {r} <= {r}_moved[{}:0];", set.max - 2);
            if set.patient {
                let _ = writeln!(moves, "                {r}_zero <= {r}_starts && !{r}_counts;");
            } else {
                let _ = writeln!(moves, "                else {r} <= {}'d0;", set.max - 1);
            }
        }
        let kind = if code::is_truth(program, operation) { String::new() } else { format!("[{}:0] ", bits - 1) };
        let _ = writeln!(out, "    wire {kind}v{i} = {};", code::expression(program, operation, &dialect));
    }
    for &(register, value) in &program.writes {
        let value = value_of(program, register, value, &dialect);
        let _ = writeln!(moves, "                r{register} <= {value};");
    }
    let Codes { start, matched, under_way: open, over } = Codes::of(program);
    let under_way = if under_way.is_empty() { "1'b0".to_owned() } else { under_way.join(" || ") };
    let (outputs, wide) = if unsure { ("unsure, monitorable", 5) } else { ("monitorable", 4) };
    let _ = write!(
        out,
        "
    wire under_way = {under_way};
    assign {{{outputs}, violated, holds, satisfied}} =
        !started ? {wide}'d{start} : matched ? {wide}'d{matched} : under_way ? {wide}'d{open} : {wide}'d{over};

    always_ff @({edge} clk) begin
        if (rst) begin
            refused <= 1'b0;
            started <= 1'b0;
            matched <= 1'b0;
{reset}        end else if (en) begin
            refused <= unknown;
            started <= started || !unknown;
            if (!matched && !unknown) begin
                matched <= {};
{moves}            end
        end
    end
",
        code::truth(&dialect, program.matched)
    );
}
