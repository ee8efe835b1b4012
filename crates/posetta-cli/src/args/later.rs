//! The flags of one command, not of all.

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};

/// The flags of a command, made when the command is asked for: making those of all commands takes longer than many an answer.
#[derive(Debug)]
pub struct Later<A>(pub A);

impl<A: Args> Args for Later<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| behind(command, A::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| behind(command, A::augment_args_for_update))
    }
}

/// Adds flags. What the command has, it shares with all commands; that stays behind the rest, where help lists it. What it says about
/// itself stays, too: lists of flags come with descriptions of their own.
fn behind(command: Command, add: fn(Command) -> Command) -> Command {
    let shared: Vec<Id> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    let command = shared.iter().fold(add(command), |command, id| command.mut_arg(id, |arg| arg));
    command.about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

impl<A: FromArgMatches> FromArgMatches for Later<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}
