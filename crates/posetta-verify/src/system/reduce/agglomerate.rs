//! One transition in place of two that follow each other.
//!
//! A place p is empty at the start and not observed. *Feeders* put tokens to it, w each, and take none; *users* take w from it and put none. Then a
//! feeder and a user can become one step, for every pair of them, and p is gone, in two cases (Berthelot 1987; Haddad and
//! Pradat-Peyre 2006; Thierry-Mieg 2020). The conditions here are weaker than theirs, because less has to be kept.
//!
//! **The user at once.** Users take from p only, and change no observed place. In a run to a state that is asked about, append a user for every w
//! tokens that are left in p: what is observed stays the same. Match the users with the feeders, the i-th with the i-th, and let each user
//! come right after its feeder. It needs nothing else, and whatever comes in between then has more tokens than before, so the run remains one,
//! with the same state in the end. Where deadlocks are asked about users may be seen: at a deadlock no user can take place, so p is empty and
//! nothing has to be appended. A feeder can take place if and only if its pairs can, so deadlocks of the smaller net are deadlocks of the net.
//!
//! **The feeder as late as possible.** Feeders put to p only, and take from no observed place. In a run to a state that is asked about, match as above,
//! leave out the feeders that have no user, and let each other feeder come right before its user. At every moment fewer feeders have taken
//! place than in the run before, and all else is the same: so everywhere but in p there are at least as many tokens, those that a late
//! feeder takes still among them. The run remains one, and in the end more tokens are left only in places that are not observed. This
//! is not done where deadlocks are asked about: a feeder that was left out may be what ends a run.
//!
//! The first case is also right if p has tokens at the start and only one user, which then takes place as often as it can before all else.

use super::{Draft, Keeps, Step, WHAT, forget, sum, tokens};
use posetta_base::OverBudget;
use posetta_model::system::MOST_TOKENS;

/// A step stands for so many transitions at most.
const LONGEST: usize = 1_000;

/// So many pairs are made even where there were fewer feeders and users.
const PAIRS: usize = 6;

/// So many tokens at the start are used up before all else.
const AT_START: u32 = 1_000;

impl Draft<'_> {
    /// Makes pairs at every place where that can be done.
    pub(super) fn agglomerate(&mut self) -> Result<bool, OverBudget> {
        let mut changed = false;
        for place in self.places() {
            self.budget.step(1, WHAT)?;
            if !self.observed[place as usize] && self.is_left[place as usize] {
                changed |= self.paired(place)?;
            }
        }
        Ok(changed)
    }

    /// Makes pairs at a place; false if that cannot be done.
    fn paired(&mut self, place: u32) -> Result<bool, OverBudget> {
        let (users, feeders) = (&self.takers[place as usize], &self.putters[place as usize]);
        if users.is_empty() || users.len() * feeders.len() > PAIRS.max(users.len() + feeders.len()) {
            return Ok(false);
        }
        let users: Vec<Step> = users.iter().map(|&id| self.step(id).clone()).collect();
        let fed: Vec<Step> = feeders.iter().map(|&id| self.step(id).clone()).collect();
        let weight = tokens(&users[0].takes, place);
        let even = users.iter().all(|s| tokens(&s.takes, place) == weight && tokens(&s.puts, place) == 0)
            && fed.iter().all(|s| tokens(&s.puts, place) == weight && tokens(&s.takes, place) == 0);
        if !even {
            return Ok(false);
        }
        let unseen = |step: &Step| self.keeps == Keeps::Deadlock || self.is_unseen(step);
        let at_once = users.iter().all(|s| s.takes.len() == 1 && unseen(s));
        let late = self.keeps == Keeps::Tokens
            && fed.iter().all(|s| s.puts.len() == 1 && s.takes.iter().all(|&(p, _)| !self.observed[p as usize]));
        let initial = self.initial[place as usize];
        let can = if initial == 0 {
            at_once || late
        } else {
            at_once && users.len() == 1 && initial.is_multiple_of(weight) && initial / weight <= AT_START
        };
        if !can {
            return Ok(false);
        }
        let mut pairs = Vec::with_capacity(users.len() * fed.len());
        for feeder in &fed {
            for user in &users {
                self.budget.step(1 + (feeder.word.len() + user.word.len()) as u64 / 16, WHAT)?;
                let Some(pair) = one_of(feeder, user, place) else { return Ok(false) };
                pairs.push(pair);
            }
        }
        if initial > 0 && !self.begin_with(&users[0], initial / weight) {
            return Ok(false);
        }
        let gone: Vec<u32> = self.takers[place as usize].union(&self.putters[place as usize]).copied().collect();
        gone.iter().for_each(|&id| _ = self.remove(id));
        self.drop_place(place);
        pairs.into_iter().for_each(|pair| self.add(pair));
        Ok(true)
    }

    /// Lets a step that takes from one place only take place so often before all else; false if there would be too many tokens.
    fn begin_with(&mut self, step: &Step, times: u32) -> bool {
        let mut initial = self.initial.clone();
        for &(place, n) in &step.puts {
            let more = n.checked_mul(times).and_then(|more| initial[place as usize].checked_add(more));
            match more.filter(|&all| all <= MOST_TOKENS) {
                Some(all) => initial[place as usize] = all,
                None => return false,
            }
        }
        self.initial = initial;
        (0..times).for_each(|_| self.first.extend(&step.word));
        true
    }
}

/// A feeder of a place and then a user of it, as one step; `None` if it would be too large.
fn one_of(feeder: &Step, user: &Step, place: u32) -> Option<Step> {
    let (mut puts, mut takes) = (feeder.puts.clone(), user.takes.clone());
    forget(&mut puts, place);
    forget(&mut takes, place);
    if feeder.word.len() + user.word.len() > LONGEST {
        return None;
    }
    // Either the user takes nothing else or the feeder puts nothing else, so that nothing of the second list is for the first.
    Some(Step {
        takes: sum(&feeder.takes, &takes)?,
        puts: sum(&puts, &user.puts)?,
        word: feeder.word.iter().chain(&user.word).copied().collect(),
    })
}
