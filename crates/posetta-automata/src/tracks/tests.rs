//! Small automata over tracks against strings tried one by one.

use super::*;

fn said(dfa: &TrackDfa, word: &[u32]) -> Said {
    // The letter before the string is all zeros.
    let mut state = dfa.step(0, |_| false);
    for letter in word {
        state = dfa.step(state, |track| letter >> track & 1 == 1);
    }
    dfa.said(state)
}

fn words(width: u32, length: u32) -> Vec<Vec<u32>> {
    (0..=length)
        .flat_map(|n| {
            (0..1_u64 << (width * n)).map(move |code| {
                (0..n).map(|i| (code >> (width * i)) as u32 & ((1 << width) - 1)).collect::<Vec<u32>>()
            })
        })
        .collect()
}

fn random(rng: &mut fastrand::Rng, width: u32, states: usize) -> TrackDfa {
    let said: Vec<Said> =
        (0..states).map(|_| [Said::No, Said::Nothing, Said::Yes, Said::Yes, Said::No][rng.usize(..5)]).collect();
    let table: Vec<usize> = (0..states << width).map(|_| 1 + rng.usize(..states - 1)).collect();
    TrackDfa::table(width, &said, |s, l| table[if s == 0 { 0 } else { s << width | l as usize }], &Budget::unlimited())
        .unwrap()
}

#[test]
fn operations_say_what_they_should_of_every_short_string() {
    let budget = Budget::unlimited();
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (n, m) = (rng.usize(2..6), rng.usize(2..6));
        let (a, b) = (random(&mut rng, 2, n), random(&mut rng, 2, m));
        let small = minimize(&a, &budget).unwrap();
        assert!(small.states() <= a.states(), "seed {seed}");
        for word in words(2, 4) {
            assert_eq!(said(&a, &word), said(&small, &word), "seed {seed} {word:?}");
            assert_eq!(said(&a.not(), &word), said(&a, &word).negated());
        }
        // Tracks 0 1 of `a` are 0 2 of the product, those of `b` are 1 2.
        for joined in [Joined::And, Joined::Iff] {
            let (left, right) = (Side { dfa: &a, tracks: &[0, 2] }, Side { dfa: &b, tracks: &[1, 2] });
            let both = product(left, right, 3, joined, &budget).unwrap();
            let small = minimize(&both, &budget).unwrap();
            for word in words(3, 3) {
                let left: Vec<u32> = word.iter().map(|l| l & 1 | l >> 1 & 2).collect();
                let right: Vec<u32> = word.iter().map(|l| l >> 1).collect();
                let expected = match (joined, said(&a, &left), said(&b, &right)) {
                    (_, Said::Nothing, _) | (_, _, Said::Nothing) => Said::Nothing,
                    (Joined::And, x, y) => x.min(y),
                    (Joined::Iff, x, y) => {
                        if x == y {
                            Said::Yes
                        } else {
                            Said::No
                        }
                    }
                };
                assert_eq!(said(&both, &word), expected, "seed {seed} {word:?}");
                assert_eq!(said(&small, &word), expected, "seed {seed} {word:?}");
            }
            let hidden = project(&both, &[0, 2], &budget).unwrap();
            for word in words(1, 3) {
                let fillings = (0..1_u32 << (2 * word.len())).map(|code| {
                    word.iter()
                        .enumerate()
                        .map(|(i, l)| l << 1 | code >> (2 * i) & 1 | (code >> (2 * i) & 2) << 1)
                        .collect::<Vec<u32>>()
                });
                let all: Vec<Said> = fillings.map(|w| said(&both, &w)).collect();
                let expected = [Said::Yes, Said::No].into_iter().find(|s| all.contains(s)).unwrap_or(Said::Nothing);
                assert_eq!(said(&hidden, &word), expected, "seed {seed} {word:?}");
            }
        }
        for wanted in [Said::Yes, Said::No, Said::Nothing] {
            let found = shortest(&a, wanted, &budget).unwrap().map(|letters| letters.len() - 1);
            let tried = words(2, 5).iter().filter(|w| said(&a, w) == wanted).map(Vec::len).min();
            assert_eq!(found, tried, "seed {seed} {wanted:?}");
        }
    }
}

#[test]
fn equal_automata_are_made_equal() {
    let budget = Budget::unlimited();
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let a = random(&mut rng, 1, 6);
        // The same with every state twice.
        let n = a.states();
        let saying: Vec<Said> = (0..2 * n).map(|s| a.said((s % n) as u32)).collect();
        let twice = TrackDfa::table(
            1,
            &saying,
            |s, l| a.step((s % n) as u32, |_| l == 1) as usize + if (s + l as usize).is_multiple_of(2) { n } else { 0 },
            &budget,
        )
        .unwrap();
        let (small, other) = (minimize(&a, &budget).unwrap(), minimize(&twice, &budget).unwrap());
        assert_eq!(small.said, other.said, "seed {seed}");
        assert_eq!(small.steps.roots, other.steps.roots, "seed {seed}");
        assert_eq!(small.steps.nodes, other.steps.nodes, "seed {seed}");
    }
}
