//! A model and what is asked of it, answered step by step.
//!
//! [`Progress`] keeps what is known: an answer for each property once there is one, what was found out about the model, and the limit that ended the
//! work, if one did. Nothing is known until a [`Work`] states it, and what was stated stays, whatever limit comes later. The kinds
//! of models differ only in their work: [`crate::fds`], [`crate::system`]. Each has a `Question` of its own, which [`question!`] writes out.

use std::collections::VecDeque;

use posetta_base::{Budget, Error, OverBudget};

/// What has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What is true of the model whatever is asked: the question's `findings`.
    Explored,
    /// The property at this place has an answer: the question's `answer`.
    Answered(usize),
}

/// What is known so far.
#[derive(Debug)]
pub(crate) struct Known<A, F> {
    answers: Vec<Option<A>>,
    findings: Option<F>,
    news: VecDeque<Step>,
}

impl<A, F> Known<A, F> {
    /// States an answer. There is one at most.
    pub(crate) fn state(&mut self, place: usize, answer: A) {
        debug_assert!(self.is_open(place), "an answer is stated once");
        self.answers[place] = Some(answer);
        self.news.push_back(Step::Answered(place));
    }

    /// States what is true of the model by now.
    pub(crate) fn found(&mut self, findings: F) {
        self.findings = Some(findings);
        self.news.push_back(Step::Explored);
    }

    pub(crate) fn is_open(&self, place: usize) -> bool {
        self.answers[place].is_none()
    }

    pub(crate) fn open(&self) -> Vec<usize> {
        (0..self.answers.len()).filter(|&place| self.is_open(place)).collect()
    }

    pub(crate) fn findings(&self) -> Option<&F> {
        self.findings.as_ref()
    }
}

/// How the questions about one kind of model are answered.
pub(crate) trait Work {
    /// An answer to one of them.
    type Answer;
    /// What is true of the model whatever is asked.
    type Findings;

    /// Does the next piece of work and states what it brings; false if there is nothing left to do.
    ///
    /// # Errors
    /// With the mistakes of the model. When a limit was reached: then there will be no more.
    fn advance(&mut self, known: &mut Known<Self::Answer, Self::Findings>, budget: &Budget) -> Result<bool, Error>;
}

/// Work, and how far it is.
pub(crate) struct Progress<W: Work> {
    work: W,
    known: Known<W::Answer, W::Findings>,
    over: Option<OverBudget>,
    ended: bool,
}

impl<W: Work> Progress<W> {
    pub(crate) fn new(work: W, properties: usize) -> Self {
        let answers = (0..properties).map(|_| None).collect();
        let known = Known { answers, findings: None, news: VecDeque::new() };
        Self { work, known, over: None, ended: false }
    }

    pub(crate) fn advance(&mut self, budget: &Budget) -> Result<Option<Step>, Error> {
        loop {
            if let Some(step) = self.known.news.pop_front() {
                return Ok(Some(step));
            }
            if self.ended {
                return Ok(None);
            }
            match self.work.advance(&mut self.known, budget) {
                Ok(more) => self.ended = !more,
                Err(Error::OverBudget(over)) => (self.over, self.ended) = (Some(over), true),
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn known(&mut self) -> &mut Known<W::Answer, W::Findings> {
        &mut self.known
    }

    pub(crate) fn answers(&self) -> &[Option<W::Answer>] {
        &self.known.answers
    }

    pub(crate) fn findings(&self) -> Option<&W::Findings> {
        self.known.findings()
    }

    pub(crate) fn over(&self) -> Option<OverBudget> {
        self.over
    }
}

/// The question about one kind of model: [`Progress`] of that kind of work, without a bound that its users could not name.
macro_rules! question {
    ($(#[$doc:meta])* $work:ident) => {
        $(#[$doc])*
        pub struct Question<'a>($crate::question::Progress<$work<'a>>);

        impl Question<'_> {
            /// Goes on until something more is known; `None` at the end, which a limit may have brought: [`over`](Self::over). What is kept
            /// between two calls stays claimed from the budget of the call that took it.
            ///
            /// # Errors
            /// With the mistakes of the model that only show in its values, or a defect of posetta; never with a limit. What was known
            /// before is known still.
            pub fn advance(&mut self, budget: &Budget) -> Result<Option<$crate::Step>, Error> {
                self.0.advance(budget)
            }

            /// Goes on to the end.
            ///
            /// # Errors
            /// As [`advance`](Self::advance).
            pub fn decide(&mut self, budget: &Budget) -> Result<(), Error> {
                while self.advance(budget)?.is_some() {}
                Ok(())
            }

            /// The answer to the property at a place; `None` while it is unknown.
            #[must_use]
            pub fn answer(&self, place: usize) -> Option<&Answer> {
                self.answers().get(place)?.as_ref()
            }

            /// All answers, by place; `None` while one is unknown.
            #[must_use]
            pub fn answers(&self) -> &[Option<Answer>] {
                self.0.answers()
            }

            /// What is true of the model whatever is asked, as far as it is known.
            #[must_use]
            pub fn findings(&self) -> Option<&Findings> {
                self.0.findings()
            }

            /// The limit that ended the work: what is unknown now stays unknown because of it.
            #[must_use]
            pub fn over(&self) -> Option<OverBudget> {
                self.0.over()
            }
        }
    };
}
pub(crate) use question;
