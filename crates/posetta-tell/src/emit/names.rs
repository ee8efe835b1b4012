//! Names of monitors and of their inputs in the languages that they are written in, whatever they are called in Posetta.
//!
//! All names of a monitor in C are its own name, `_` and one word, so two monitors with different names share none of them, in one
//! file or in several, and no name is a keyword.

use std::collections::HashSet;

use posetta_base::{Diagnostic, Kind};

use super::Language;

/// Longer names are cut.
const LONGEST: usize = 40;

/// What may be a name: ASCII letters, digits and underscores, never two underscores in a row nor one at either end (VHDL), a letter first.
fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
        if name.len() == LONGEST {
            break;
        }
    }
    name.truncate(name.trim_end_matches('_').len());
    name
}

/// The name of a monitor that a property is called after: in lower case, no word of the language, and none of those that are taken.
pub(super) fn of_monitor(text: Option<&str>, language: Language, taken: &mut HashSet<String>) -> String {
    let mut name = text.map(plain).unwrap_or_default().to_ascii_lowercase();
    if name.is_empty() {
        name.push_str("monitor");
    } else if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "monitor_");
    }
    if is_word(&name, language) {
        name.push_str("_monitor");
    }
    unique(name, taken)
}

/// The name of an input that an atom is read from, or of an event that it is the only sign of.
pub(super) fn of_atom(atom: &str, language: Language, taken: &mut HashSet<String>) -> String {
    let mut text = atom.to_owned();
    for (operator, word) in
        [("==", "_eq_"), ("!=", "_ne_"), ("<=", "_le_"), (">=", "_ge_"), ("<", "_lt_"), (">", "_gt_")]
    {
        text = text.replace(operator, word);
    }
    let mut name = plain(&text);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, if name.is_empty() { "atom" } else { "atom_" });
    }
    if is_word(&name.to_ascii_lowercase(), language) || language.is_hardware() && is_signal(&name) {
        name.push_str("_atom");
    }
    unique(name, taken)
}

/// Whether a circuit may have a signal of that name: registers, values and nodes are r0, v0 and n0, and what belongs to them `r0_zero`.
fn is_signal(name: &str) -> bool {
    matches!(name.as_bytes(), [b'r' | b'v' | b'n' | b'R' | b'V' | b'N', b'0'..=b'9', ..])
}

/// The name, or with a number behind it; VHDL takes small and capital letters for the same.
fn unique(name: String, taken: &mut HashSet<String>) -> String {
    let mut own = name.clone();
    let mut number = 1;
    while !taken.insert(own.to_ascii_lowercase()) {
        number += 1;
        own = format!("{name}_{number}");
    }
    own
}

/// What is wrong with a name that somebody asks for.
pub(super) fn refused(name: &str, language: Language) -> Option<Diagnostic> {
    let fits = plain(name) == name && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let instead = of_monitor(Some(name), language, &mut HashSet::new());
    let message = if !fits {
        if name.len() > LONGEST {
            format!("a monitor's name has at most {LONGEST} characters")
        } else {
            format!("`{}` is no name for a monitor", super::in_line(name))
        }
    } else if is_word(&name.to_ascii_lowercase(), language) {
        format!("`{name}` is a word of {}", language.title())
    } else {
        return None;
    };
    let help = format!(
        "a name is a letter, then letters and digits, with single underscores in between; `{instead}` would be one"
    );
    Some(Diagnostic::new(Kind::Input, message).help(help))
}

fn is_word(name: &str, language: Language) -> bool {
    let words: &[&str] = match language {
        Language::C | Language::Kernel | Language::Table => return false,
        Language::Rust => RUST,
        Language::SystemVerilog => SYSTEM_VERILOG,
        Language::Vhdl => VHDL,
    };
    words.iter().any(|all| all.split_ascii_whitespace().any(|word| word == name))
}

/// Keywords, also those of later editions, and names that mean something at the top of a path.
const RUST: &[&str] = &[
    "abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof union unsafe \
unsized use virtual where while yield std core alloc",
];

/// The keywords of IEEE 1800-2017.
const SYSTEM_VERILOG: &[&str] = &[
    "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof bit break \
buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue cover \
covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking \
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endsequence \
endspecify endtable endtask enum event eventually expect export extends extern final first_match for force foreach forever fork \
forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include \
initial inout input inside instance int integer interconnect interface intersect join join_any join_none large let liblist library \
local localparam logic longint macromodule matches medium modport module",
    "nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge \
primitive priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc \
randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 \
s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve \
specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task \
this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 \
unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with \
within wor xnor xor",
];

/// The reserved words of IEEE 1076-2008, and what the libraries declare that a monitor uses.
const VHDL: &[&str] = &[
    "abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body buffer bus case \
component configuration constant context cover default disconnect downto else elsif end entity exit fairness file for force function \
generate generic group guarded if impure in inertial inout is label library linkage literal loop map mod nand new next nor not null of \
on open or others out package parameter port postponed procedure process property protected pure range record register reject release \
rem report restrict restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl strong subtype then to \
transport type unaffected units until use variable vmode vprop vunit wait when while with xnor xor",
    "ieee std work boolean false true bit character integer natural positive string time std_logic std_logic_vector std_ulogic \
std_logic_1164 numeric_std signed unsigned rising_edge to_unsigned resize",
];
