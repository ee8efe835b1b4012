//! The places of runs on the board.
//!
//! Every argument has a place of its own, for its first run; the other runs of a file stand behind all of these, in the order in which
//! they come. A place is empty until its run is begun, and again when it has been printed: what is held does not grow with the files.

use std::sync::Arc;

use crate::board::RunReport;
use crate::inputs::Input;

/// Runs by their places.
#[derive(Debug, Default)]
pub struct Places {
    inputs: Arc<Vec<Input>>,
    /// How many properties a run has, and how many answers.
    properties: usize,
    answers: usize,
    runs: Vec<Option<Box<RunReport>>>,
    listed: Vec<Listed>,
    /// How many have been taken.
    taken: usize,
}

/// Which runs of an argument have been begun.
#[derive(Clone, Debug, Default)]
struct Listed {
    first: bool,
    more: Vec<usize>,
    /// There are no others.
    all: bool,
}

impl Listed {
    fn count(&self) -> usize {
        usize::from(self.first) + self.more.len()
    }
}

/// What comes next in the order of the arguments.
#[derive(Debug)]
pub enum Next {
    /// A run, its place on the board, and whether it is the only one of its argument.
    Run(usize, Box<RunReport>, bool),
    /// This argument has no more.
    Input,
    /// It is not complete.
    Later,
    /// There are no more arguments.
    End,
}

impl Places {
    /// Nothing is begun. Each run will have answers for so many properties, and so many in all.
    pub fn new(inputs: Arc<Vec<Input>>, properties: usize, answers: usize) -> Self {
        let runs = inputs.iter().map(|_| None).collect();
        let listed = vec![Listed::default(); inputs.len()];
        Self { inputs, properties, answers, runs, listed, taken: 0 }
    }

    /// How many arguments there are.
    pub fn inputs(&self) -> usize {
        self.listed.len()
    }

    /// How many runs there are, as far as is known.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// How many have been taken.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// The run at a place, if it is on the board.
    pub fn get(&self, at: usize) -> Option<&RunReport> {
        self.runs.get(at)?.as_deref()
    }

    /// The run at a place, if it is on the board.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut RunReport> {
        self.runs.get_mut(at)?.as_deref_mut()
    }

    /// The runs that are on the board.
    pub fn iter(&self) -> impl Iterator<Item = &RunReport> {
        self.runs.iter().filter_map(Option::as_deref)
    }

    /// The runs that are on the board.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RunReport> {
        self.runs.iter_mut().filter_map(Option::as_deref_mut)
    }

    /// Begins the next run of an argument, and answers with its place.
    pub fn begin(&mut self, input: usize) -> usize {
        let listed = &mut self.listed[input];
        let nth = listed.count();
        let at = if nth == 0 { input } else { self.runs.len() };
        if nth == 0 {
            listed.first = true;
            let run = self.unread(input);
            self.put_back(input, run);
        } else {
            listed.more.push(at);
            let file = self.inputs[input].file();
            let name = self.inputs[input].name();
            let run = RunReport::new(name, file, (input, nth), self.properties, self.answers);
            self.runs.push(Some(Box::new(run)));
        }
        at
    }

    fn unread(&self, input: usize) -> Box<RunReport> {
        let (name, file) = (self.inputs[input].name(), self.inputs[input].file());
        Box::new(RunReport::new(name, file, (input, 0), self.properties, self.answers))
    }

    /// An argument has no more runs than those that have been begun.
    pub fn all_listed(&mut self, input: usize) {
        self.listed[input].all = true;
    }

    /// How many runs of an argument have been begun.
    pub fn count(&self, input: usize) -> usize {
        self.listed[input].count()
    }

    /// Takes the run with this place among the arguments off the board, if it is `complete`; or says that there is none after it.
    pub fn take(&mut self, (input, nth): (usize, usize), complete: impl FnOnce(&RunReport) -> bool) -> Next {
        let Some(listed) = self.listed.get(input) else { return Next::End };
        let at = match nth.checked_sub(1) {
            None => listed.first.then_some(input),
            Some(more) => listed.more.get(more).copied(),
        };
        let (all, only) = (listed.all, listed.all && listed.more.is_empty());
        match at {
            None if all && nth > 0 => Next::Input,
            Some(at) if self.get(at).is_some_and(complete) => match self.runs[at].take() {
                Some(run) => {
                    self.taken += 1;
                    Next::Run(at, run, only)
                }
                None => Next::Later,
            },
            _ => Next::Later,
        }
    }

    /// Puts a run back that somebody wants to see again. When the report is over, nobody does.
    pub fn put_back(&mut self, at: usize, run: Box<RunReport>) {
        if let Some(place) = self.runs.get_mut(at) {
            *place = Some(run);
        }
    }

    /// Begins what has not been begun.
    pub fn begin_all(&mut self) {
        for input in 0..self.inputs() {
            if self.count(input) == 0 {
                self.begin(input);
            }
        }
    }

    /// Begins what has not been begun, when nothing more is read: also of an argument that was not read to its end a run for all that
    /// may be there, so that its rest is not taken for nothing.
    pub fn begin_rest(&mut self) {
        for input in 0..self.inputs() {
            if !self.listed[input].all {
                self.begin(input);
                self.all_listed(input);
            }
        }
    }

    /// Takes all runs off the board, in the order of the arguments.
    pub fn take_all(&mut self) -> Vec<RunReport> {
        let mut runs: Vec<RunReport> = self.runs.iter_mut().filter_map(Option::take).map(|run| *run).collect();
        runs.sort_by_key(|run| run.place);
        runs
    }

    /// Puts runs back, in their order. Their places on the board are others.
    pub fn restore(&mut self, runs: Vec<RunReport>) {
        self.runs = runs.into_iter().map(|run| Some(Box::new(run))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: usize) -> Places {
        let inputs = (0..files).map(|n| Input::File(format!("{n}.jsonl").into())).collect();
        Places::new(Arc::new(inputs), 2, 2)
    }

    fn taken(places: &mut Places, next: (usize, usize)) -> String {
        match places.take(next, |run| run.open == 0) {
            Next::Run(at, run, only) => format!("{} at {at}{}", run.name, if only { ", alone" } else { "" }),
            Next::Input => "next".to_owned(),
            Next::Later => "later".to_owned(),
            Next::End => "end".to_owned(),
        }
    }

    #[test]
    fn runs_come_in_the_order_of_the_arguments() {
        let mut places = places(2);
        assert_eq!(taken(&mut places, (0, 0)), "later");
        let finish = |places: &mut Places, input: usize, name: &str| {
            let at = places.begin(input);
            let run = places.get_mut(at).unwrap();
            (run.open, run.name) = (0, name.to_owned());
        };
        finish(&mut places, 1, "c");
        finish(&mut places, 0, "a");
        assert_eq!(taken(&mut places, (0, 0)), "a at 0");
        assert_eq!(taken(&mut places, (0, 1)), "later");
        finish(&mut places, 0, "b");
        places.all_listed(0);
        places.all_listed(1);
        assert_eq!(taken(&mut places, (0, 1)), "b at 2");
        assert_eq!(taken(&mut places, (0, 2)), "next");
        assert_eq!(taken(&mut places, (1, 0)), "c at 1, alone");
        assert_eq!((taken(&mut places, (1, 1)), taken(&mut places, (2, 0))), ("next".to_owned(), "end".to_owned()));
        assert_eq!((places.len(), places.taken(), places.iter().count()), (3, 3, 0));
    }

    #[test]
    fn what_was_never_begun_is_begun_at_the_end() {
        let mut places = places(3);
        places.begin(1);
        places.begin(1);
        places.begin_all();
        let all: Vec<_> = places.take_all().into_iter().map(|run| (run.file.clone(), run.place)).collect();
        let place = |file: &str, place| (format!("{file}.jsonl"), place);
        assert_eq!(all, [place("0", (0, 0)), place("1", (1, 0)), place("1", (1, 1)), place("2", (2, 0))]);
    }

    /// A limit may come when some runs of a file are decided and printed and others not read.
    #[test]
    fn what_was_not_read_to_its_end_has_a_run_for_the_rest() {
        let mut places = places(3);
        for _ in 0..2 {
            let at = places.begin(1);
            places.get_mut(at).unwrap().open = 0;
        }
        places.begin(2);
        places.all_listed(2);
        taken(&mut places, (1, 0));
        // Again, it finds nothing to do.
        places.begin_rest();
        places.begin_rest();
        let all: Vec<_> =
            places.take_all().into_iter().map(|run| (run.name.clone(), run.place, run.open > 0)).collect();
        let run = |file: &str, place, is_open| (format!("{file}.jsonl"), place, is_open);
        let rest = [run("0", (0, 0), true), run("1", (1, 1), false), run("1", (1, 2), true), run("2", (2, 0), true)];
        assert_eq!(all, rest);
    }
}
