//! Models of systems: what is read can be printed and asked about.

use posetta::logic::Property;
use posetta::model::{fds::Fds, smv::read};

use crate::LONGEST;
use crate::places::Lines;

/// Properties from outside cost a look at the whole model each.
const MOST_ASKED: usize = 20;

/// The bytes as a model in SMV.
///
/// # Panics
/// When a promise is broken.
pub fn smv(data: &[u8]) {
    let Some(source) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    match read(source) {
        Ok(mut fds) => {
            let lines = Lines::of_text(source);
            lines.hold_all(&fds.warnings);
            for spec in &fds.specs {
                lines.hold_all(&spec.warnings);
                assert!(!spec.text().is_empty(), "a property lies in its file");
            }
            prints(&fds);
            answers(&mut fds);
        }
        Err(mistakes) => Lines::of_text(source).hold(&mistakes),
    }
}

/// Every demand has a text, and a place in the source.
fn prints(fds: &Fds) {
    let fair = fds.compassion.iter().flat_map(|(p, q)| [p, q]);
    let clauses =
        fds.init.iter().chain(&fds.invar).chain(&fds.trans).chain(&fds.justice).chain(&fds.finals).chain(fair);
    for clause in clauses {
        assert!(!fds.show(clause.expr).is_empty());
        let written = fds.source.get(clause.span.start..clause.span.end);
        assert!(written.is_some_and(|t| !t.trim().is_empty()), "a demand lies in its file");
    }
}

/// Whatever has a name can be asked for by it, and is then what it was.
fn answers(fds: &mut Fds) {
    let vars = fds.vars.len();
    let mut names: Vec<String> = fds.vars.iter().take(MOST_ASKED).map(|v| v.name.to_string()).collect();
    names.extend(fds.defines.keys().take(MOST_ASKED).map(ToString::to_string));
    for name in names {
        let text = format!("G ($\"{name}\" == $\"{name}\")");
        let property = Property::ltl(&text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        if let Err(mistakes) = fds.bind(&property) {
            panic!("{text}: {mistakes:?}");
        }
        assert_eq!(fds.vars.len(), vars, "asking changes nothing");
        assert!(fds.find(&name).is_some() || fds.defines.contains_key(name.as_str()));
    }
}
