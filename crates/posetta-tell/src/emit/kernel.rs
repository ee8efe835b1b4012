//! A monitor as an automaton in the manner of the Linux kernel's runtime verification: enumerations of states and events, their names,
//! a table of what follows, and one small structure for each task, which the caller embeds.
//!
//! An event is a class of letters: all combinations of atoms that lead to the same states.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::c::{TYPES, four_answers, heading};
use super::{Language, Written, names, numbers};

/// What every automaton defines: such a word, `_` and its name.
const OWN: [&str; 8] = [
    "state_max",
    "event_max",
    "automaton",
    "event_of",
    "monitor_reset",
    "monitor_start",
    "monitor_answers",
    "monitor_handle_event",
];

/// What no event is called: names that automata define in any case, and types.
pub(super) fn own_names<'a>(ids: impl Iterator<Item = &'a str>) -> HashSet<String> {
    let types = [8, 16, 32, 64].into_iter().flat_map(|bits| [format!("int{bits}_t"), format!("uint{bits}_t")]);
    ids.flat_map(|id| OWN.iter().map(move |word| format!("{word}_{id}"))).chain(types).collect()
}

/// `direct` is the class of each letter; `taken` has the names of all that stands in the same file.
pub(super) fn print(written: &Written, direct: &[usize], next: &[usize], taken: &mut HashSet<String>) -> String {
    let Written { id: p, atoms, answers, .. } = written;
    let upper = p.to_ascii_uppercase();
    let states = answers.len();
    let width = next.len().checked_div(states).unwrap_or(0);
    let mut letters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (letter, &class) in direct.iter().enumerate().filter(|(_, class)| **class < width) {
        letters.entry(class).or_default().push(letter);
    }
    let state_names: Vec<String> = (0..states).map(|state| format!("s{state}")).collect();
    let mut local: HashSet<String> = state_names.iter().cloned().collect();
    let all: Vec<usize> = letters.values().flatten().copied().collect();
    let events: Vec<String> = (0..width)
        .map(|class| {
            let own = letters.get(&class).map_or(&[][..], Vec::as_slice);
            names::of_atom(&event(own, &all, atoms), Language::Kernel, &mut local).to_ascii_lowercase()
        })
        .collect();
    // Two properties may be called so that names of theirs meet, `a_b` of `c` and `a` of `b_c`.
    let mut constants = |all: &[String]| -> Vec<String> {
        let name = |own: &String| {
            let mut name = format!("{own}_{p}");
            while !taken.insert(name.clone()) {
                name.insert_str(0, "x_");
            }
            name
        };
        all.iter().map(name).collect()
    };
    let (state_constants, event_constants) = (constants(&state_names), constants(&events));
    let mut out = String::new();
    heading(&mut out, written, "An automaton for one monitor per task, as the Linux kernel has them");
    let _ = writeln!(out, "#ifndef {upper}_H\n#define {upper}_H\n\n{TYPES}");
    four_answers(&mut out, &upper, &format!("answer_{p}"), false);
    let _ = writeln!(out, "enum states_{p} {{");
    for (i, name) in state_constants.iter().enumerate() {
        let _ = writeln!(out, "    {name}{},", if i == 0 { " = 0" } else { "" });
    }
    let _ = writeln!(out, "    state_max_{p}\n}};\n\n/* What follows where an event cannot come. */");
    let _ = writeln!(out, "#define INVALID_STATE_{upper} state_max_{p}\n\nenum events_{p} {{");
    for (i, name) in event_constants.iter().enumerate() {
        let all = letters.get(&i).map_or(&[][..], Vec::as_slice);
        let shown: Vec<String> = all.iter().take(8).map(|letter| format!("0x{letter:x}")).collect();
        let more = if all.len() > 8 { format!(" and {} more", all.len() - 8) } else { String::new() };
        let first = if i == 0 { " = 0" } else { "" };
        let _ = writeln!(out, "    {name}{first}, /* bits {}{more} */", shown.join(", "));
    }
    let kind = if states <= 0xff { "uint8_t" } else { "uint32_t" };
    let quoted = |all: &[String]| all.iter().map(|name| format!("        \"{name}\",\n")).collect::<String>();
    let _ = write!(
        out,
        "    event_max_{p}
}};

struct automaton_{p} {{
    const char *state_names[state_max_{p}];
    const char *event_names[event_max_{p}];
    {kind} function[state_max_{p}][event_max_{p}];
    {kind} initial_state;
    bool final_states[state_max_{p}]; /* satisfied if it ends here */
    uint8_t answers[state_max_{p}];
}};

static const struct automaton_{p} automaton_{p} = {{
    .state_names = {{
{}    }},
    .event_names = {{
{}    }},
    .function = {{
",
        quoted(&state_names),
        quoted(&events)
    );
    for row in next.chunks(width.max(1)) {
        let cells = row.iter().map(|&state| match state_constants.get(state) {
            Some(name) => name.clone(),
            None => format!("INVALID_STATE_{upper}"),
        });
        let _ = writeln!(out, "        {{\n{}        }},", numbers(cells, "            "));
    }
    let finals = answers.iter().map(|code| if code & 1 == 1 { "true" } else { "false" }.to_owned());
    let _ = write!(
        out,
        "    }},
    .initial_state = {},
    .final_states = {{
{}    }},
    .answers = {{
{}    }},
}};

/* Which event a combination of atoms is, bit i for atom i; event_max_{p} if it cannot come. */
static inline uint32_t event_of_{p}(uint32_t bits)
{{
    static const uint16_t events[{}] = {{
{}    }};

    return events[bits & {}u];
}}

/* The monitor of one task: embed it where the task's data is. */
struct monitor_{p} {{
    bool monitoring;
    {kind} curr_state;
}};

/* Events are ignored until it is started. */
static inline void monitor_reset_{p}(struct monitor_{p} *mon)
{{
    mon->monitoring = false;
    mon->curr_state = automaton_{p}.initial_state;
}}

static inline void monitor_start_{p}(struct monitor_{p} *mon)
{{
    mon->curr_state = automaton_{p}.initial_state;
    mon->monitoring = true;
}}

/* The four answers as bits, see enum answer_{p}. */
static inline uint32_t monitor_answers_{p}(const struct monitor_{p} *mon)
{{
    return automaton_{p}.answers[mon->curr_state];
}}

/*
 * Takes an event. False if it cannot come in this state, and then nothing is taken, or if the property is violated now, whatever comes:
 * where a reactor belongs.
 */
static inline bool monitor_handle_event_{p}(struct monitor_{p} *mon, enum events_{p} event)
{{
    bool fine = true;

    if (mon->monitoring) {{
        const uint32_t next =
            (uint32_t)event < (uint32_t)event_max_{p}
                ? automaton_{p}.function[mon->curr_state][event]
                : (uint32_t)INVALID_STATE_{upper};

        if (next == (uint32_t)INVALID_STATE_{upper}) {{
            fine = false;
        }} else {{
            mon->curr_state = ({kind})next;
            fine = (automaton_{p}.answers[next] & {upper}_VIOLATED) == 0;
        }}
    }}
    return fine;
}}

#endif
",
        state_constants.first().map_or("0", String::as_str),
        numbers(finals, "        "),
        numbers(answers.iter().map(|code| format!("{code}u")), "        "),
        direct.len(),
        numbers(direct.iter().map(|class| format!("{}u", (*class).min(width))), "        "),
        direct.len() - 1,
    );
    out
}

/// What an event is called: after the atoms that tell its letters from all others that can come.
fn event(letters: &[usize], all: &[usize], atoms: &[String]) -> String {
    let there = letters.iter().fold(usize::MAX, |common, letter| common & letter);
    let away = letters.iter().fold(usize::MAX, |common, letter| common & !letter);
    let chosen = |mask: usize| (0..atoms.len()).filter(move |i| mask >> i & 1 == 1);
    let alone = |mask: usize| all.iter().filter(|&letter| letter & mask == mask).count() == letters.len();
    let mut parts: Vec<String> = chosen(there).map(|i| bare(&atoms[i]).to_owned()).collect();
    let mask = chosen(there).fold(0, |mask, i| mask | 1 << i);
    if letters == [0] {
        return "none".to_owned();
    }
    if !alone(mask) {
        let absent = chosen(away).fold(0, |mask, i| mask | 1 << i);
        let both = all.iter().filter(|&letter| letter & mask == mask && letter & absent == 0).count();
        if both != letters.len() {
            return "other".to_owned();
        }
        parts.extend(chosen(away).map(|i| format!("not {}", bare(&atoms[i]))));
    }
    if parts.is_empty() { "any".to_owned() } else { parts.join(" and ") }
}

/// `send` for `event(send)`.
fn bare(atom: &str) -> &str {
    atom.strip_prefix("event(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(atom)
}
