//! Units of nested-unit Petri nets (Garavel 2019), which tools write beside a net.
//!
//! ```xml
//! <toolspecific tool="nupn" version="1.1">
//!   <structure units="2" root="u0" safe="true">
//!     <unit id="u0"> <places>p</places> <subunits>u1</subunits> </unit>
//!     <unit id="u1"> <places>q r</places> <subunits/> </unit>
//!   </structure>
//! </toolspecific>
//! ```
//!
//! With `safe="true"` a unit has one token at most in places of its own, in every reachable marking; that subunits are empty meanwhile is not made
//! use of. Units only help to decide faster: where they do not fit the net there is a warning, and the net is read without them.

use roxmltree::Node;
use rustc_hash::FxHashSet;

use super::{Reader, Referent};
use crate::problem::meant;
use crate::system::Unit;
use crate::xml::{self, elements, name, tag};
use posetta_base::{Kind, Span, Spanned};

/// The units with places of their own, if the net is said to be safe in them.
pub(super) fn units(reader: &mut Reader<'_, '_>) -> Option<Vec<Unit>> {
    let structure = reader.units.iter().flat_map(|n| elements(*n)).find(|n| name(*n) == "structure")?;
    if structure.attribute("safe") != Some("true") {
        return None;
    }
    match of_structure(reader, structure) {
        Ok(units) => Some(units),
        Err(problem) => {
            reader.warnings.push(problem.help("the units are left aside"));
            None
        }
    }
}

fn of_structure(reader: &Reader<'_, '_>, structure: Node<'_, '_>) -> Result<Vec<Unit>, Box<Spanned>> {
    let mut owner: Vec<Option<usize>> = vec![None; reader.places.len()];
    let mut units: Vec<Unit> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for unit in elements(structure).filter(|n| name(*n) == "unit") {
        let mut places = Vec::new();
        let mut tokens = 0;
        for (word, span) in elements(unit).filter(|n| name(*n) == "places").flat_map(xml::words) {
            let Some(&Referent::Place(place)) = reader.ids.get(word) else {
                return Err(unknown(reader, word, span));
            };
            if owner[place as usize].replace(units.len()).is_some() {
                let message = format!("the place `{word}` is in two units");
                return Err(Spanned::new(Kind::DuplicateId, span, message));
            }
            tokens += u64::from(reader.places[place as usize].initial);
            places.push(place);
        }
        if tokens > 1 {
            let message = format!("this unit has {tokens} tokens at the start, and it is said to have 1 at most");
            return Err(Spanned::new(Kind::Type, tag(unit), message));
        }
        let id = unit.attribute("id").unwrap_or("?");
        if !seen.insert(id) {
            return Err(Spanned::new(Kind::DuplicateId, tag(unit), format!("there are two units called `{id}`")));
        }
        places.sort_unstable();
        if !places.is_empty() {
            units.push(Unit { name: id.into(), places });
        }
    }
    match owner.iter().position(Option::is_none) {
        Some(place) => {
            let message = format!("the place `{}` is in no unit", reader.places[place].name);
            Err(Spanned::new(Kind::Definition, tag(structure), message))
        }
        None => Ok(units),
    }
}

fn unknown(reader: &Reader<'_, '_>, word: &str, span: Span) -> Box<Spanned> {
    let problem = Spanned::new(Kind::Definition, span, format!("there is no place with the id `{word}`"));
    match meant(word, reader.places.iter().map(|p| &*p.name)) {
        Some(near) => problem.label(format!("did you mean `{near}`?")),
        None => problem,
    }
}
