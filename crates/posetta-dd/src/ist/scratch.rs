//! Lists that live for one step of an operation.

use std::ops::{Deref, DerefMut};

use super::WHAT;
use posetta_base::{Budget, Claim, OverBudget};

/// Lists of up to so many items are not worth an entry in the account: a step has only a few at a time.
const SMALL: usize = 1024;

/// A list whose memory is claimed while it is large.
#[derive(Debug)]
pub(super) struct Scratch<T> {
    items: Vec<T>,
    claim: Option<Claim>,
}

impl<T> Scratch<T> {
    pub(super) fn new() -> Self {
        Self { items: Vec::new(), claim: None }
    }

    pub(super) fn push(&mut self, item: T, budget: &Budget) -> Result<(), OverBudget> {
        if self.items.len() == self.items.capacity() && self.items.len() >= SMALL {
            // What is copied while the list grows counts too.
            let bytes = (3 * self.items.capacity() * size_of::<T>()) as u64;
            match &mut self.claim {
                Some(claim) => claim.grow_to(bytes, WHAT)?,
                none => *none = Some(budget.claim(bytes, WHAT)?),
            }
        }
        self.items.push(item);
        Ok(())
    }
}

impl<T> Deref for Scratch<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

/// For sorting and shortening; items are added by [`Scratch::push`] alone.
impl<T> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}
