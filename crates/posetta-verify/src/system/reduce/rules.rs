//! Places and transitions that make no difference.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{Draft, Step, WHAT, forget, tokens};
use posetta_base::OverBudget;

/// Of so many steps with the same effect each is compared with all others.
const ALIKE: usize = 200;

impl Draft<'_> {
    /// Leaves out steps that can never take place. A step *may* take place if each place that it takes from has enough tokens at the start or
    /// gets more by a step that may. The first of the others to take place would need a place that has too few tokens at the start and that
    /// no step before it has filled; so none ever does. In ordinary nets the places that are too empty are the largest unmarked siphon
    /// (Murata 1989, section V). All runs stay.
    pub(super) fn drop_dead(&mut self) -> Result<bool, OverBudget> {
        let count = self.steps.len();
        // By step: how many places it still lacks tokens of. By place: whether it can get more.
        let mut lacks = vec![0_u32; count];
        let mut grows = vec![false; self.initial.len()];
        let mut open: Vec<u32> = Vec::new();
        for (id, step) in self.steps() {
            lacks[id as usize] = step.takes.iter().filter(|&&(p, n)| n > self.initial[p as usize]).count() as u32;
            if lacks[id as usize] == 0 {
                open.push(id);
            }
        }
        let mut may = vec![false; count];
        while let Some(id) = open.pop() {
            self.budget.step(1, WHAT)?;
            may[id as usize] = true;
            for &(place, _) in &self.step(id).puts {
                if self.step(id).effect(place) <= 0 || std::mem::replace(&mut grows[place as usize], true) {
                    continue;
                }
                for &taker in &self.takers[place as usize] {
                    if tokens(&self.step(taker).takes, place) > self.initial[place as usize] {
                        lacks[taker as usize] -= 1;
                        if lacks[taker as usize] == 0 {
                            open.push(taker);
                        }
                    }
                }
            }
        }
        let dead: Vec<u32> = self.steps().map(|(id, _)| id).filter(|&id| !may[id as usize]).collect();
        dead.iter().for_each(|&id| _ = self.remove(id));
        Ok(!dead.is_empty())
    }

    /// Leaves out steps that have nothing to do with observed places. A place *matters* if it is observed or if a step takes from it that
    /// matters; a step matters if it changes a place that does. The others change nothing that those find, so a run without the
    /// others is a run, with the same tokens wherever it matters. (Slicing, Rakow 2012.)
    pub(super) fn slice(&mut self) -> Result<bool, OverBudget> {
        let mut matters = self.observed.clone();
        let mut open: Vec<u32> = self.places().filter(|&p| matters[p as usize]).collect();
        let mut kept = vec![false; self.steps.len()];
        while let Some(place) = open.pop() {
            self.budget.step(1, WHAT)?;
            for &id in self.takers[place as usize].union(&self.putters[place as usize]) {
                if self.step(id).effect(place) == 0 || std::mem::replace(&mut kept[id as usize], true) {
                    continue;
                }
                for &(before, _) in &self.step(id).takes {
                    if !std::mem::replace(&mut matters[before as usize], true) {
                        open.push(before);
                    }
                }
            }
        }
        let gone: Vec<u32> = self.steps().map(|(id, _)| id).filter(|&id| !kept[id as usize]).collect();
        gone.iter().for_each(|&id| _ = self.remove(id));
        let places: Vec<u32> = self.places().filter(|&p| !matters[p as usize]).collect();
        places.iter().for_each(|&place| self.drop_place(place));
        Ok(!gone.is_empty() || !places.is_empty())
    }

    /// Where no step leaves fewer tokens in a place, it always has what it had at the start: nobody who needs no more has to look. The arcs
    /// of these become what they add. All runs stay.
    pub(super) fn drop_tests(&mut self) -> Result<bool, OverBudget> {
        let mut changed = false;
        for place in self.places() {
            self.budget.step(1, WHAT)?;
            if self.takers[place as usize].iter().any(|&id| self.step(id).effect(place) < 0) {
                continue;
            }
            let initial = self.initial[place as usize];
            for id in self.takers[place as usize].clone() {
                let takes = tokens(&self.step(id).takes, place);
                if takes <= initial {
                    let Some(mut step) = self.remove(id) else { continue };
                    forget(&mut step.takes, place);
                    if let Some(put) = step.puts.iter_mut().find(|(p, _)| *p == place) {
                        put.1 -= takes;
                    }
                    step.puts.retain(|&(_, n)| n > 0);
                    self.put_back(id, step);
                    changed = true;
                }
            }
        }
        Ok(changed)
    }

    /// Puts a changed step where it was.
    fn put_back(&mut self, id: u32, step: Step) {
        step.takes.iter().for_each(|&(p, _)| _ = self.takers[p as usize].insert(id));
        step.puts.iter().for_each(|&(p, _)| _ = self.putters[p as usize].insert(id));
        self.steps[id as usize] = Some(step);
    }

    /// Leaves out places that are not observed and forbid nothing: those that nobody takes from, and those that have, step by step, the same
    /// arcs as another one and no fewer tokens at the start, so that they never have fewer than that one (Berthelot 1987). All runs stay.
    pub(super) fn drop_places(&mut self) -> Result<bool, OverBudget> {
        let mut gone = Vec::new();
        // By arcs: the place that stays, of those that were seen.
        let mut alike: FxHashMap<Vec<(u32, u32, u32)>, u32> = FxHashMap::default();
        // Those with the fewest tokens first, and of these the observed ones.
        let mut places: Vec<u32> = self.places().collect();
        places.sort_by_key(|&p| (self.initial[p as usize], !self.observed[p as usize], p));
        for place in places {
            self.budget.step(1, WHAT)?;
            let (takers, putters) = (&self.takers[place as usize], &self.putters[place as usize]);
            if takers.is_empty() {
                if !self.observed[place as usize] {
                    gone.push(place);
                }
                continue;
            }
            let arcs = takers.union(putters).map(|&id| {
                let step = self.step(id);
                (id, tokens(&step.takes, place), tokens(&step.puts, place))
            });
            let arcs: Vec<(u32, u32, u32)> = arcs.collect();
            let seen = alike.contains_key(&arcs);
            if seen && !self.observed[place as usize] {
                gone.push(place);
            } else {
                alike.entry(arcs).or_insert(place);
            }
        }
        gone.iter().for_each(|&place| self.drop_place(place));
        Ok(!gone.is_empty())
    }

    /// Leaves out steps that others do as well: another one needs no more and changes the same. Where tokens are asked about also those that
    /// change nothing. Wherever such a step can take place, the other one can, to the same state.
    pub(super) fn drop_weaker(&mut self) -> Result<bool, OverBudget> {
        let mut by_effect: BTreeMap<Vec<(u32, i64)>, Vec<u32>> = BTreeMap::new();
        for (id, step) in self.steps() {
            let effects = step.places().into_iter().map(|p| (p, step.effect(p))).filter(|&(_, n)| n != 0);
            by_effect.entry(effects.collect()).or_default().push(id);
        }
        let mut gone = Vec::new();
        for (effect, same) in by_effect {
            if effect.is_empty() && self.keeps == super::Keeps::Tokens {
                gone.extend(same);
                continue;
            }
            if same.len() > ALIKE {
                continue;
            }
            let mut left: Vec<u32> = Vec::new();
            for id in same {
                self.budget.step(1 + left.len() as u64, WHAT)?;
                let needs_no_more = |a: u32, b: u32| {
                    let other = &self.step(b).takes;
                    self.step(a).takes.iter().all(|&(p, n)| n <= tokens(other, p))
                };
                if left.iter().any(|&other| needs_no_more(other, id)) {
                    gone.push(id);
                    continue;
                }
                let (weaker, stay): (Vec<u32>, Vec<u32>) = left.iter().partition(|&&other| needs_no_more(id, other));
                gone.extend(weaker);
                left = stay;
                left.push(id);
            }
        }
        gone.iter().for_each(|&id| _ = self.remove(id));
        Ok(!gone.is_empty())
    }
}
