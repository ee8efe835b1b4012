//! Files of users, as the program and the Python module read them: where they may lead ([`root`]), what they hold ([`runs`], [`properties`],
//! [`models`], [`text`]), and how a mistake in one is drawn ([`carets`]).
//!
//! It has paths and files, so it is no room of the library; it has no terminal and no flags.

pub mod carets;
pub mod models;
pub mod opened;
pub mod properties;
pub mod root;
pub mod runs;
pub mod text;
pub mod unsaved;

/// How a user says what is read, for messages that tell them to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// By flags of the program, such as `--from`.
    #[default]
    Flags,
    /// By keywords of functions, such as `format=`.
    Keywords,
}

impl Wording {
    /// What says it.
    #[must_use]
    pub fn called(self, flag: &str) -> String {
        match (self, flag) {
            (Self::Flags, flag) => format!("--{flag}"),
            (Self::Keywords, "from") => "`format=`".to_owned(),
            (Self::Keywords, keyword) => format!("`{keyword}=`"),
        }
    }

    /// The same with what can be said.
    #[must_use]
    pub fn choice(self, flag: &str, choices: &[&str]) -> String {
        let between = if self == Self::Flags { "|" } else { ", " };
        format!("{} {}", self.called(flag), choices.join(between))
    }
}
