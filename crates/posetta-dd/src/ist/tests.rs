//! The paper's example, the conditions of definition 2, many layers, limits.

use dashu_int::UBig;
use fastrand::Rng;

use super::*;
use posetta_base::Limit;

fn trees(largest: &[u32]) -> Trees {
    Trees::new(largest, &Budget::unlimited()).unwrap()
}

/// The nodes of a tree as text, family by family from the root: `lo-hi>family`, families numbered as they are met.
fn shape(trees: &Trees, tree: Tree) -> String {
    let families = trees.store.below([tree.0]);
    let number = |family: Family| match family {
        Family::END => "end".to_owned(),
        family => families.iter().position(|&f| f == family).unwrap().to_string(),
    };
    let node = |e: &Entry| format!("{}-{}>{}", e.lo, e.hi, number(e.below));
    let family = |&f: &Family| trees.store.entries(f).iter().map(node).collect::<Vec<_>>().join(" ");
    families.iter().map(family).collect::<Vec<_>>().join(" | ")
}

fn box_of(trees: &mut Trees, sides: &[(u32, u32)]) -> Tree {
    trees.box_of(sides).unwrap()
}

fn count(trees: &mut Trees, tree: Tree) -> u64 {
    trees.count(tree).unwrap().try_into().unwrap()
}

/// The cuts of the paper's figure 1: P1 `w:=1 -> y:=3 -> x:=0`, P2 `x:=4 -> w:=0`, with `w:=1 -> w:=0` and `w:=0 -> y:=3`.
/// Returned with the sets before each edge is taken into account.
fn figure_2(trees: &mut Trees) -> [Tree; 3] {
    let all = box_of(trees, &[(0, 3), (0, 2)]);
    let without_w1 = box_of(trees, &[(0, 0), (0, 2)]);
    let with_w0 = box_of(trees, &[(0, 3), (2, 2)]);
    let wrong = trees.intersection(with_w0, without_w1).unwrap();
    let first = trees.difference(all, wrong).unwrap();
    let without_w0 = box_of(trees, &[(0, 3), (0, 1)]);
    let with_y3 = box_of(trees, &[(2, 3), (0, 2)]);
    let wrong = trees.intersection(with_y3, without_w0).unwrap();
    [all, first, trees.difference(first, wrong).unwrap()]
}

#[test]
fn the_cuts_of_figure_1_are_computed_as_in_figure_2() {
    let mut trees = trees(&[3, 2]);
    let [all, first, cuts] = figure_2(&mut trees);
    assert_eq!(shape(&trees, all), "0-3>1 | 0-2>end");
    assert_eq!(shape(&trees, first), "0-0>1 1-3>2 | 0-1>end | 0-2>end");
    assert_eq!(shape(&trees, cuts), "0-0>1 1-1>2 2-3>3 | 0-1>end | 0-2>end | 2-2>end");
    assert_eq!([all, first, cuts].map(|tree| trees.nodes(tree)), [4, 6, 8]);
    assert_eq!([all, first, cuts].map(|tree| count(&mut trees, tree)), [12, 11, 7]);
}

/// Section 5 on figure 1: x == 4 holds between the two writes of x, and `EF` is the downward closure (lemma 10).
#[test]
fn predicates_predecessors_and_closures_of_figure_1() {
    let mut trees = trees(&[3, 2]);
    let [.., cuts] = figure_2(&mut trees);
    let after = box_of(&mut trees, &[(0, 3), (1, 2)]);
    let before = box_of(&mut trees, &[(0, 2), (0, 2)]);
    let between = trees.intersection(after, before).unwrap();
    let x_is_4 = trees.intersection(between, cuts).unwrap();
    assert_eq!(count(&mut trees, x_is_4), 4);
    for (tuple, expected) in
        [([0, 1], true), ([1, 1], true), ([1, 2], true), ([2, 2], true), ([3, 2], false), ([1, 0], false)]
    {
        assert_eq!(trees.contains(x_is_4, &tuple), expected, "{tuple:?}");
    }
    let below = trees.down_closure(x_is_4).unwrap();
    let sometimes = trees.intersection(below, cuts).unwrap();
    let full_cut = box_of(&mut trees, &[(3, 3), (2, 2)]);
    let not_full = trees.difference(cuts, full_cut).unwrap();
    assert!(trees.equals(sometimes, not_full).unwrap() && !trees.equals(sometimes, cuts).unwrap());
    // Every cut but the full one has a successor.
    let moved = [trees.shift(cuts, 0, -1).unwrap(), trees.shift(cuts, 1, -1).unwrap()];
    let before_some = trees.union(moved[0], moved[1]).unwrap();
    let before_some = trees.intersection(before_some, cuts).unwrap();
    assert!(trees.equals(before_some, not_full).unwrap());
}

#[test]
fn labels_of_siblings_overlap_and_are_not_split() {
    let mut trees = trees(&[9, 9]);
    let (a, b) = (box_of(&mut trees, &[(0, 5), (0, 3)]), box_of(&mut trees, &[(3, 9), (2, 9)]));
    let both = trees.union(a, b).unwrap();
    assert_eq!(shape(&trees, both), "0-5>1 3-9>2 | 0-3>end | 2-9>end");
    assert_eq!(count(&mut trees, both), 24 + 56 - 6);
}

#[test]
fn siblings_that_say_the_same_are_one() {
    let mut trees = trees(&[9, 9]);
    type Boxes = &'static [[(u32, u32); 2]];
    let cases: [(Boxes, &str); 5] = [
        (&[[(0, 2), (1, 4)], [(3, 5), (1, 4)]], "0-5>1 | 1-4>end"),
        (&[[(0, 2), (1, 4)], [(0, 2), (5, 6)]], "0-2>1 | 1-6>end"),
        (&[[(0, 3), (1, 4)], [(2, 9), (1, 4)]], "0-9>1 | 1-4>end"),
        // What touches becomes one, and then has the label of a sibling.
        (&[[(0, 2), (1, 4)], [(0, 5), (6, 6)], [(3, 5), (1, 4)]], "0-5>1 | 1-4>end 6-6>end"),
        (&[[(0, 9), (1, 4)], [(3, 5), (4, 6)]], "0-9>1 3-5>2 | 1-4>end | 4-6>end"),
    ];
    for (boxes, expected) in cases {
        let mut union = trees.empty();
        for sides in boxes {
            let next = box_of(&mut trees, sides);
            union = trees.union(union, next).unwrap();
        }
        assert_eq!(shape(&trees, union), expected);
    }
}

#[test]
fn the_border_of_what_a_number_can_be() {
    let mut trees = trees(&[u32::MAX, 0]);
    let full = trees.complement(trees.empty()).unwrap();
    let all = UBig::from(1u64 << 32);
    assert_eq!(trees.count(full).unwrap(), all);
    let top = box_of(&mut trees, &[(u32::MAX, u32::MAX), (0, 7)]);
    let rest = trees.complement(top).unwrap();
    assert_eq!(trees.count(rest).unwrap(), all - UBig::ONE);
    let (up, down) = (i64::from(u32::MAX), -i64::from(u32::MAX));
    let bottom = trees.shift(top, 0, down).unwrap();
    assert!(trees.contains(bottom, &[0, 0]) && !trees.contains(top, &[0, 0]));
    assert_eq!(trees.shift(bottom, 0, up).unwrap(), top);
    for by in [up + 1, down - 1, i64::MAX, i64::MIN] {
        assert_eq!(trees.shift(full, 0, by).unwrap(), trees.empty(), "{by}");
    }
    assert_eq!(trees.shift(full, 1, 1).unwrap(), trees.empty());
    let overlapping = box_of(&mut trees, &[(5, u32::MAX), (0, 0)]);
    let united = trees.union(overlapping, top).unwrap();
    assert_eq!(trees.count(united).unwrap(), UBig::from((1u64 << 32) - 5));
}

#[test]
fn without_layers_there_is_one_tuple() {
    let mut trees = trees(&[]);
    let unit = box_of(&mut trees, &[]);
    assert!(trees.contains(unit, &[]) && !trees.contains(trees.empty(), &[]) && !trees.contains(unit, &[0]));
    assert_eq!((trees.complement(unit).unwrap(), trees.complement(trees.empty()).unwrap()), (trees.empty(), unit));
    assert_eq!((count(&mut trees, unit), trees.nodes(unit), trees.nodes(trees.empty())), (1, 2, 0));
    assert_eq!(trees.down_closure(unit).unwrap(), unit);
}

/// Random trees, made by random operations; every tenth step gives back what is not among them.
fn for_random_trees(mut look: impl FnMut(&mut Trees, &[Tree])) {
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let largest: Vec<u32> = (0..rng.usize(1..5)).map(|_| rng.u32(0..8)).collect();
        let mut trees = trees(&largest);
        let mut made = vec![trees.empty(); 6];
        for step in 0..80 {
            let (a, b) = (made[rng.usize(0..6)], made[rng.usize(0..6)]);
            let side = |&largest: &u32, rng: &mut Rng| (rng.u32(0..=largest), rng.u32(0..=largest));
            let layer = rng.usize(0..largest.len());
            let result = match rng.u32(0..10) {
                0..4 => {
                    let sides: Vec<_> =
                        largest.iter().map(|l| side(l, &mut rng)).map(|(x, y)| (x.min(y), x.max(y))).collect();
                    let new = trees.box_of(&sides).unwrap();
                    trees.union(a, new)
                }
                4 => trees.union(a, b),
                5 => trees.intersection(a, b),
                6 => trees.difference(a, b),
                7 => trees.complement(a),
                8 => trees.shift(a, layer, rng.i64(-3..=3)),
                _ => trees.down_closure(a),
            };
            made[rng.usize(0..6)] = result.unwrap();
            look(&mut trees, &made);
            if step % 10 == 9 {
                trees.collect(&made);
            }
        }
    }
}

#[test]
fn random_trees_satisfy_definition_2() {
    let mut overlaps = 0;
    for_random_trees(|trees, made| {
        let families = trees.store.below(made.iter().map(|tree| tree.0));
        let mut contents = FxHashSet::default();
        for &family in &families {
            let (layer, entries) = (trees.store.layer(family) as usize, trees.store.entries(family));
            assert!(!entries.is_empty());
            assert!(contents.insert(entries), "stored twice: {entries:?}");
            assert!(entries.is_sorted_by(|a, b| a.label() < b.label()), "(iii): {entries:?}");
            assert!(entries.iter().all(|e| e.lo <= e.hi && e.hi <= trees.largest[layer]), "{entries:?}");
            let next = |e: &Entry| match layer + 1 < trees.layers() {
                true => e.below > Family::END && trees.store.layer(e.below) as usize == layer + 1,
                false => e.below == Family::END,
            };
            assert!(entries.iter().all(next), "(ii): {entries:?}");
            overlaps += entries.windows(2).filter(|pair| pair[0].hi >= pair[1].lo).count();
        }
    });
    assert!(overlaps > 1000, "only {overlaps} labels overlap");
}

#[test]
fn the_disjoint_form_has_the_same_tuples() {
    let mut changed = 0;
    for_random_trees(|trees, made| {
        for tree in made {
            let apart = Tree(trees.run(Call::unary(Op::Disjoint, tree.0)).unwrap());
            changed += u32::from(apart != *tree);
            assert!(trees.store.entries(apart.0).is_sorted_by(|a, b| a.hi < b.lo));
            assert!(trees.equals(apart, *tree).unwrap());
        }
    });
    assert!(changed > 100, "only {changed} trees had to be changed");
}

/// Many layers are no reason for a deep stack: tests have small ones.
#[test]
fn thousands_of_layers() {
    let layers = 20_000;
    let mut trees = trees(&vec![3; layers]);
    let halves = |low: bool| move |layer: usize| if layer.is_multiple_of(2) == low { (0, 2) } else { (1, 3) };
    let sides = |low| (0..layers).map(halves(low)).collect::<Vec<_>>();
    let (a, b) = (box_of(&mut trees, &sides(true)), box_of(&mut trees, &sides(false)));
    let both = trees.union(a, b).unwrap();
    let common = trees.intersection(a, b).unwrap();
    let power = |base: u8| UBig::from(base).pow(layers);
    assert_eq!(trees.count(both).unwrap(), UBig::from(2u8) * power(3) - power(2));
    assert_eq!(trees.count(common).unwrap(), power(2));
    let outside = trees.complement(both).unwrap();
    assert!(trees.intersection(outside, a).unwrap() == trees.empty());
    assert!(trees.nodes(outside) > layers);
    let moved = trees.shift(both, layers - 1, -1).unwrap();
    let closed = trees.down_closure(moved).unwrap();
    assert!(trees.contains(closed, &vec![0; layers]) && !trees.contains(moved, &vec![0; layers]));
    assert!(!trees.equals(closed, moved).unwrap());
    trees.collect(&[both]);
    assert!(trees.contains(both, &vec![1; layers]));
}

/// x[2i] or x[2i+1] is large, for all i: 2^n boxes, whose union is small because prefixes and suffixes are shared.
#[test]
fn sharing_is_exponential_where_it_can_be() {
    let pairs = 200;
    let mut trees = trees(&vec![9; 2 * pairs]);
    let mut wrong = trees.empty();
    for pair in 0..pairs {
        let sides: Vec<_> = (0..2 * pairs).map(|layer| if layer / 2 == pair { (0, 4) } else { (0, 9) }).collect();
        let next = box_of(&mut trees, &sides);
        wrong = trees.union(wrong, next).unwrap();
    }
    let right = trees.complement(wrong).unwrap();
    assert_eq!(trees.count(right).unwrap(), UBig::from(75u8).pow(pairs));
    assert!(trees.nodes(right) < 10 * pairs, "{} nodes", trees.nodes(right));
}

/// A set whose difference has to look at exponentially many sets of siblings.
fn hard(trees: &mut Trees) -> Result<Tree, OverBudget> {
    let layers = trees.layers();
    let mut rng = Rng::with_seed(7);
    let mut union = trees.empty();
    for _ in 0..300 {
        let sides: Vec<_> = (0..layers).map(|_| (rng.u32(0..300), rng.u32(700..1000))).collect();
        let next = trees.box_of(&sides)?;
        union = trees.union(union, next)?;
    }
    trees.complement(union)
}

#[test]
fn limits_are_kept_and_leave_the_trees_usable() {
    let budget = Budget::with_memory(3 << 20);
    let mut trees = Trees::new(&[1000; 12], &budget).unwrap();
    let small = box_of(&mut trees, &[(1, 2); 12]);
    let over = hard(&mut trees).unwrap_err();
    assert_eq!((over.limit, over.what), (Limit::Memory, WHAT));
    assert!(trees.bytes() <= 3 << 20);
    assert_eq!(count(&mut trees, small), 1 << 12);
    // What was claimed is free again, for these trees and for others.
    trees.collect(&[small]);
    let held = budget.claim(2 << 20, "testing").unwrap();
    assert!(trees.bytes() < 64 << 10, "{}", trees.bytes());
    assert_eq!(count(&mut trees, small), 1 << 12);
    drop(held);
    assert_eq!(hard(&mut trees).unwrap_err().limit, Limit::Memory);
    drop(trees);
    assert!(budget.claim(3 << 20, "testing").is_ok(), "all is given back");

    let budget = Budget::unlimited();
    let mut trees = Trees::new(&[1000; 12], &budget).unwrap();
    budget.stop_handle().raise(Limit::Time);
    assert_eq!(hard(&mut trees).unwrap_err().limit, Limit::Time);
    assert!(Trees::new(&[1; 100], &Budget::with_memory(100)).is_err());
}

#[test]
fn a_tree_is_drawn() {
    let mut trees = trees(&[3, 2]);
    let [.., cuts] = figure_2(&mut trees);
    let names = ["P1".to_owned(), "a \"b\"".to_owned()];
    insta::assert_snapshot!(trees.dot(cuts, &names));
    assert_eq!(trees.dot(trees.empty(), &names).lines().count(), 4);
}
