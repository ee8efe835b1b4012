//! What the contest asks of a net as a whole: one element, without a formula in it.

use roxmltree::Node;

use super::{Reader, Stop, only};
use crate::system::{Behaviour, Demand, Predicate, Slots};
use crate::xml::{self, name, tag};
use posetta_base::{Kind, Spanned};
use posetta_logic::{Compare, Ctl, CtlUnary, Path};

impl Reader<'_> {
    /// What such an element demands, and how it is written; `None` if it is something else.
    pub(super) fn whole(&self, node: Node<'_, '_>) -> Option<Result<(Demand, String), Stop>> {
        let each_transition = |of: &dyn Fn(Ctl<Predicate>) -> Ctl<Predicate>| {
            let system = self.names.system;
            let can = |action| of(unary(Path::Some, CtlUnary::Finally, Ctl::Atom(Predicate::Enabled(vec![action]))));
            Demand::Branching(Ctl::And(system.action_ids().map(can).collect()))
        };
        let demand = match name(node) {
            "k-safe" => return Some(self.safe(node)),
            "quasi-liveness" => each_transition(&|can| can),
            "liveness" => each_transition(&|can| unary(Path::All, CtlUnary::Globally, can)),
            "stable-marking" => {
                let stays = |(slot, initial): (u32, u32)| {
                    let same = Predicate::Linear(vec![(slot, 1)], Compare::Eq, initial.into());
                    unary(Path::All, CtlUnary::Globally, Ctl::Atom(same))
                };
                Demand::Branching(Ctl::Or(self.places().map(stays).collect()))
            }
            _ => return None,
        };
        Some(Ok((demand, name(node).to_owned())))
    }

    /// No place ever has more tokens than this.
    fn safe(&self, node: Node<'_, '_>) -> Result<(Demand, String), Stop> {
        let (text, span) = xml::text(only(node)?);
        let Some(most) = text.parse::<i64>().ok().filter(|&n| (0..=1 << 62).contains(&n)) else {
            let problem = Spanned::new(Kind::Syntax, span, "this is not a number of tokens");
            return Err(Some(problem.label("expected a number such as 1")));
        };
        if name(only(node)?) != "integer-constant" {
            let problem = Spanned::new(Kind::Unsupported, tag(only(node)?), "the bound of `k-safe` is a number");
            return Err(Some(problem.label("expected `<integer-constant>`")));
        }
        let few = |(slot, _)| Predicate::Linear(vec![(slot, 1)], Compare::Le, most);
        Ok((Demand::Invariant(Predicate::And(self.places().map(few).collect())), format!("k-safe({most})")))
    }

    /// The slots of places, with their tokens at the start.
    fn places(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let system = self.names.system;
        let (slots, initial) = (Slots::new(system), system.initial());
        let is_net = |c: &_| matches!(system.component(*c).behaviour, Behaviour::Net(_));
        let places: Vec<usize> = system.component_ids().filter(is_net).flat_map(|c| slots.of(c)).collect();
        places.into_iter().map(move |slot| (slot as u32, initial[slot]))
    }
}

fn unary(path: Path, op: CtlUnary, f: Ctl<Predicate>) -> Ctl<Predicate> {
    Ctl::Unary(path, op, Box::new(f))
}
