//! Philosophers as a system of components.

/// How many philosophers, and whether one of them takes his forks in the other order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    pub philosophers: u64,
    /// If all take the left fork first they can get stuck.
    pub alike: bool,
}

impl Table {
    /// The philosophers of the peers' `phil.pml`, location by location as SPIN's verifier has them. What `state` is there follows from the location.
    /// `start` and `set` are how a philosopher finds out whether he is the last one, which takes that one a step less; if all are alike there
    /// is nothing to find out.
    pub fn text(self) -> String {
        let Self { philosophers, alike } = self;
        let (declared, begin, other) = if alike {
            ("", "init idle".to_owned(), String::new())
        } else {
            let last = "for p in i..i if p == N-1";
            let begin = format!(
                "init start\n    for p in i..i if p < N-1 {{ start -find[p]-> set -find[p]-> idle }}\n    {last} {{ start -find[p]-> idle }}"
            );
            let forks = "hungry -take[p][0]-> one -take[p][p]-> both; done -put[p][0]-> half -put[p][p]-> idle";
            ("\n  internal find[i]", begin, format!("\n    {last} {{ {forks} }}"))
        };
        let most = if alike { "N" } else { "N-1" };
        format!(
            "const N = {philosophers}

component Phil(i in 0..N-1) {{{declared}
  lts {{
    {begin}
    idle -hungry[i]-> hungry
    for p in i..i if p < {most} {{
      hungry -take[p][p]-> one -take[p][(p+1) % N]-> both
      done -put[p][p]-> half -put[p][(p+1) % N]-> idle
    }}{other}
    both -eat[i]-> eats -stop[i]-> done
  }}
}}

component Fork(f in 0..N-1) {{ lts {{
  init free
  for p in 0..N-1 if p == f || (p + 1) % N == f {{ free -take[p][f]-> used -put[p][f]-> free }}
}} }}

system Table = Phil || Fork
"
        )
    }
}

/// While philosopher 1 eats, 0 does not begin to.
pub const FORK: &str = "G (eat[1] -> (!eat[0] W stop[1]))";

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::{Budget, Verdict};
    use posetta_logic::Property;
    use posetta_model::sys;
    use posetta_model::system::{Demand, Spec};
    use posetta_verify::system::{Answer, Options, Question};

    /// The number of states, whether there is no deadlock, and whether the property holds.
    fn decided(text: &str) -> (String, Vec<bool>) {
        let system = sys::read("table", text, None, &mut |_, _| Err("nothing".into())).expect("a system");
        assert_eq!(system.warnings, []);
        let fork = system.bind(&Property::ltl(FORK).expect("a formula"), &[]).expect("its actions");
        let specs = [Spec::plain("deadlock", Demand::NoDeadlock), fork];
        let (options, budget) = (Options::default().explore(true), Budget::unlimited());
        let mut question = Question::new(&system, &specs, options);
        question.decide(&budget).expect("no mistakes");
        let holds = |answer: &Option<Answer>| answer.as_ref().expect("an answer").verdict == Verdict::Holds;
        let states = question.findings().expect("no limit").states.as_ref().expect("counted").to_string();
        (states, question.answers().iter().map(holds).collect())
    }

    #[test]
    fn the_states_are_those_of_spin() {
        // As SPIN's verifier counts them with -DSAFETY -DNOREDUCE, which is asked again where there is one.
        for (philosophers, states) in [(3, "349"), (4, "2633"), (5, "19637")] {
            let table = Table { philosophers, alike: false };
            assert_eq!(decided(&table.text()), (states.to_owned(), vec![true, true]));
        }
        // Cut open between two philosophers the table is a product of matrices with the eigenvalues 5 and -1; of what fits together only
        // one thing is never reached, that each has just put back his first fork.
        for philosophers in 3..6 {
            let table = Table { philosophers, alike: true };
            let states = 5_i64.pow(philosophers as u32) + (-1_i64).pow(philosophers as u32) - 1;
            assert_eq!(decided(&table.text()), (states.to_string(), vec![false, true]));
        }
    }

    #[test]
    fn the_property_depends_on_the_forks() {
        let free = Table { philosophers: 3, alike: true }.text().replace("if p == f || (p + 1) % N == f", "if p == f");
        // Now nobody keeps philosopher 0 from his second fork.
        assert!(!decided(&free).1[1]);
    }
}
