//! A monitor as one JSON object, for programs in other languages.

use serde_json::{Value, json};

use super::{Body, Classes, Node, Written};

fn nodes(nodes: &[Node]) -> Value {
    nodes.iter().map(|n| json!([n.atom, n.low.code(), n.high.code()])).collect()
}

pub(super) fn object(written: &Written) -> Value {
    let Written { name, formula, completions, atoms, answers, .. } = written;
    let mut object = json!({
        "property": name,
        "formula": formula,
        "over": if written.over_states { "states" } else { "events" },
        "completions": completions,
        "late": written.late,
        "atoms": atoms,
        "answers": answers,
    });
    if let Some(clock) = &written.clock {
        object["clock"] = json!(clock.to_string());
    }
    if let Some(each) = &written.each {
        object["each"] = json!(each.to_string());
    }
    match &written.body {
        Body::Table { classes, width, next } => {
            object["width"] = json!(width);
            object["next"] = json!(next);
            match classes {
                Classes::Direct(direct) => object["classes"] = json!(direct),
                Classes::Nodes { nodes: all, root } => {
                    object["class_nodes"] = nodes(all);
                    object["class_root"] = json!(root.code());
                }
            }
        }
        Body::Diagram { nodes: all, rows } => {
            object["nodes"] = nodes(all);
            object["rows"] = rows.iter().map(|row| json!(row.code())).collect();
        }
        // It is refused before it comes here.
        Body::Counters(_) => {}
    }
    object
}
