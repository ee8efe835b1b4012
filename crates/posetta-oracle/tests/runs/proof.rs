//! The replay of CTL proofs against the definition of a proof: right ones, and right ones with something changed.

use std::collections::BTreeMap;

use fastrand::Rng;
use posetta_base::{Budget, EventId};
use posetta_check::{Proof, Why, proof_stands, proves};
use posetta_logic::{Ctl, CtlBinary, CtlUnary, Path, Property, bind_ctl};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::ctl::{self, Truth, is_about_one_cut, operands};
use posetta_oracle::order::{EventSet, Order, singleton};
use posetta_oracle::random::{Case, ctl_case};
use posetta_trace::Trace;

fn replayed(trace: &Trace, formula: &Ctl, proof: &Proof) -> bool {
    let property = Property::ctl(&formula.to_string()).unwrap();
    let bound = bind_ctl(&property, formula, trace, &[]).unwrap();
    proof_stands(trace, formula, &bound, proof, &Budget::unlimited()).unwrap()
}

/// Makes proofs from the truth at all cuts.
struct Maker<'t> {
    order: Order,
    truths: BTreeMap<String, Truth>,
    rng: &'t mut Rng,
}

impl<'t> Maker<'t> {
    fn new(trace: &Trace, formula: &Ctl, rng: &'t mut Rng) -> Option<Self> {
        fn add(trace: &Trace, formula: &Ctl, truths: &mut BTreeMap<String, Truth>) -> Option<()> {
            truths.insert(formula.to_string(), ctl::truth(trace, formula)?);
            operands(formula).into_iter().try_for_each(|f| add(trace, f, truths))
        }
        let mut truths = BTreeMap::new();
        add(trace, formula, &mut truths)?;
        Some(Self { order: Order::of(trace), truths, rng })
    }

    fn holds(&self, formula: &Ctl, cut: EventSet) -> bool {
        self.truths[&formula.to_string()][&cut]
    }

    /// A proof of what is so at a cut.
    fn proof(&mut self, formula: &Ctl, cut: EventSet) -> Proof {
        let holds = self.holds(formula, cut);
        let by_state = is_about_one_cut(formula) && (operands(formula).is_empty() || self.rng.u8(..4) > 0);
        let why = if by_state { Why::State } else { self.why(formula, holds, cut) };
        Proof::new(formula.to_string(), holds, why)
    }

    fn why(&mut self, formula: &Ctl, holds: bool, cut: EventSet) -> Why {
        match formula {
            Ctl::Unary(path, ..) | Ctl::Binary(path, ..) if (*path == Path::Some) != holds => Why::EveryPath,
            Ctl::Unary(_, CtlUnary::Next, f) => {
                let steps: Vec<EventId> = self.order.steps(cut).collect();
                let steps = steps.into_iter().filter(|&e| self.holds(f, cut | singleton(e)) == holds);
                let event = self.rng.choice(steps.collect::<Vec<_>>()).expect("some step shows it");
                let end = Some(Box::new(self.proof(f, cut | singleton(event))));
                Why::Path { events: vec![event], along: None, end }
            }
            Ctl::Unary(_, op, f) if (*op == CtlUnary::Finally) == holds => {
                self.path(formula, None, Some(f), holds, cut)
            }
            Ctl::Unary(_, _, f) => self.path(formula, Some(f), None, holds, cut),
            Ctl::Binary(_, op, f, g) => {
                let (along, end) = if (*op == CtlBinary::Release) == holds { (g, f) } else { (f, g) };
                self.path(formula, Some(along), Some(end), holds, cut)
            }
            _ => {
                let mut parts: Vec<&Ctl> = operands(formula);
                let decisive = |f: &&Ctl, value: bool, maker: &Self| maker.holds(f, cut) == value;
                match (formula, holds) {
                    (Ctl::And(_), false) => parts.retain(|f| decisive(f, false, self)),
                    (Ctl::Or(_), true) => parts.retain(|f| decisive(f, true, self)),
                    (Ctl::Implies(f, g), true) => {
                        parts =
                            if self.holds(f, cut) || self.holds(g, cut) && self.rng.bool() { vec![g] } else { vec![f] };
                    }
                    _ => {}
                }
                let needs_all = !matches!((formula, holds), (Ctl::And(_), false) | (Ctl::Or(_), true));
                if !needs_all && self.rng.bool() {
                    parts.truncate(1);
                }
                if self.rng.u8(..4) == 0 {
                    parts.reverse();
                }
                Why::Operands(parts.into_iter().map(|f| self.proof(f, cut)).collect())
            }
        }
    }

    /// A random path on which the formula keeps its value, to where `end` has it, too, or else to the full cut.
    fn path(&mut self, formula: &Ctl, along: Option<&Ctl>, end: Option<&Ctl>, holds: bool, from: EventSet) -> Why {
        let (mut cut, mut events) = (from, Vec::new());
        loop {
            if let Some(end) = end
                && self.holds(end, cut) == holds
            {
                let end = Some(Box::new(self.proof(end, cut)));
                return Why::Path { events, along: along.map(|f| (f.to_string(), holds)), end };
            }
            let steps: Vec<EventId> = self.order.steps(cut).collect();
            let steps = steps.into_iter().filter(|&e| self.holds(formula, cut | singleton(e)) == holds);
            let Some(event) = self.rng.choice(steps.collect::<Vec<_>>()) else {
                assert_eq!(cut, self.order.full(), "{formula} is passed on to some successor");
                return Why::Path { events, along: along.map(|f| (f.to_string(), holds)), end: None };
            };
            events.push(event);
            cut |= singleton(event);
        }
    }

    /// The proof with one thing changed, somewhere. It may still stand.
    fn changed(&mut self, proof: &Proof) -> Proof {
        let mut proof = proof.clone();
        let mut at = &mut proof;
        // Down to some node of it.
        while self.rng.u8(..3) > 0 {
            let further = match &at.why {
                Why::Operands(parts) if !parts.is_empty() => true,
                Why::Path { end, .. } => end.is_some(),
                _ => false,
            };
            if !further {
                break;
            }
            at = match &mut at.why {
                Why::Operands(parts) => {
                    let i = self.rng.usize(..parts.len());
                    &mut parts[i]
                }
                Why::Path { end: Some(end), .. } => end,
                _ => unreachable!("there is something below"),
            };
        }
        let texts: Vec<String> = self.truths.keys().cloned().collect();
        let text = self.rng.choice(&texts).expect("there is the formula").clone();
        let any = |rng: &mut Rng, order: &Order| EventId::new(rng.usize(..order.len() + 1)).expect("a few");
        match (&mut at.why, self.rng.u8(..8)) {
            (_, 0) => at.holds = !at.holds,
            (_, 1) => at.formula = text,
            (why, 2) => {
                let path = Why::Path { events: Vec::new(), along: None, end: None };
                *why = self.rng.choice([Why::State, Why::EveryPath, Why::Operands(Vec::new()), path]).expect("four");
            }
            (Why::Operands(parts), 3) => drop(parts.pop()),
            (Why::Operands(parts), 4) => {
                parts.extend(parts.first().cloned().map(|p| Proof::new(p.formula, !p.holds, Why::EveryPath)));
            }
            (Why::Operands(parts), _) => parts.extend(parts.first().cloned()),
            (Why::Path { events, .. }, 3) => drop(events.pop()),
            (Why::Path { events, .. }, 4) => {
                let place = self.rng.usize(..events.len() + 1);
                events.insert(place, any(self.rng, &self.order));
            }
            (Why::Path { events, .. }, 5) if events.len() > 1 => {
                let place = self.rng.usize(..events.len() - 1);
                events.swap(place, place + 1);
            }
            (Why::Path { along, .. }, 6) => {
                *along = match along.take() {
                    Some((text, value)) if self.rng.bool() => Some((text, !value)),
                    Some(_) if self.rng.bool() => None,
                    _ => Some((text, self.rng.bool())),
                };
            }
            (Why::Path { end, .. }, _) => {
                *end = match end.take() {
                    Some(end) if self.rng.bool() => Some(Box::new(Proof::new(end.formula, !end.holds, end.why))),
                    Some(_) => None,
                    None => Some(Box::new(Proof::new(text, self.rng.bool(), Why::State))),
                };
            }
            (why, _) => *why = if *why == Why::EveryPath { Why::State } else { Why::EveryPath },
        }
        proof
    }
}

#[test]
fn proofs_are_replayed_by_the_definition() {
    let (mut right, mut changed) = (Shares::default(), Shares::default());
    for_seeds(1_500, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap();
        let Some(mut maker) = Maker::new(&trace, &formula, rng) else { return };
        let about = format!("seed {seed}: {formula}\non\n{plan}");
        let truth = maker.holds(&formula, 0);
        let proof = maker.proof(&formula, 0);
        assert!(replayed(&trace, &formula, &proof), "{proof:#?}\nfalls: {about}");
        assert!(ctl::proof_stands(&trace, &formula, &proof), "{proof:#?}\nfalls by definition: {about}");
        right.add(if proves(&proof) { "proves" } else { "stands" });
        for _ in 0..8 {
            let proof = maker.changed(&proof);
            let stands = replayed(&trace, &formula, &proof);
            assert_eq!(stands, ctl::proof_stands(&trace, &formula, &proof), "{proof:#?}\nof {about}");
            // What takes nothing on trust cannot be wrong.
            assert!(!stands || !proves(&proof) || proof.holds == truth, "{proof:#?}\nproves what is not so: {about}");
            changed.add(if stands { "still stands" } else { "falls" });
        }
    });
    right.at_least_a_fifth("right proofs", &["proves", "stands"]);
    changed.at_least_a_fifth("changed proofs", &["falls"]);
    if std::env::var_os("POSETTA_CASES").is_none() {
        assert!(changed.share("still stands") > 0.02, "no change left a proof right");
    }
}
