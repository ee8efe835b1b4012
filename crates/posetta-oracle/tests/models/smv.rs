//! Models as text: what is read back has the same states, steps and demands, and its properties mean the same.

use posetta_model::fds::{Demand, Fds};
use posetta_model::smv::read;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::fds::graph::Graph;
use posetta_oracle::fds::{System, tableau};
use posetta_oracle::nusmv::text;
use posetta_oracle::random::{Taste, model};

fn holds(system: &System<'_>, demand: &Demand) -> bool {
    match demand {
        Demand::Ltl(f) => tableau::violation(system, f).is_none(),
        Demand::Ctl(f) => system.satisfies_ctl(f),
        Demand::Invariant(e) => system.distance_to_violation(*e).is_none(),
        Demand::Psl(_) => unreachable!("not written"),
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut verdicts = Shares::default();
    for_seeds(300, |rng, seed| {
        let model = model(rng, Taste { loose_types: false, ..Taste::ALL });
        let invariant = model.weak[0];
        let demands = [Demand::Ltl(model.ltl(rng)), Demand::Ctl(model.ctl(rng)), Demand::Invariant(invariant)];
        let text = text(&model.fds, &demands);
        let read: Fds = read(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{text}"));
        let (written, back) = (System::of(&model.fds), System::of(&read));
        assert_eq!(back.moments, written.moments, "seed {seed}:\n{text}");
        let parts = |g: &Graph| (g.next.clone(), g.initial.clone(), g.finals.clone());
        assert_eq!(parts(&back.by_moment), parts(&written.by_moment), "seed {seed}:\n{text}");
        assert_eq!(back.by_moment.justice, written.by_moment.justice, "seed {seed}:\n{text}");
        assert_eq!(back.by_moment.compassion, written.by_moment.compassion, "seed {seed}:\n{text}");
        assert_eq!(read.specs.len(), demands.len(), "seed {seed}:\n{text}");
        for (demand, spec) in demands.iter().zip(&read.specs) {
            let expected = holds(&written, demand);
            assert_eq!(holds(&back, &spec.demand), expected, "seed {seed}: {}\n{text}", spec.text());
            verdicts.add(if expected { "holds" } else { "violated" });
        }
    });
    verdicts.at_least_a_fifth("read back", &["holds", "violated"]);
}
