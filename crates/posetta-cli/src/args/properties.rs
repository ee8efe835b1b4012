//! The flags that give properties. A command has the parts that it can decide.

use std::path::PathBuf;

use clap::{ArgMatches, Args, ValueEnum};

use posetta_logic::{Flavour, Quantifier};

use super::Over;
use crate::properties::Source;

/// Properties that every command with properties takes.
#[derive(Clone, Debug, Default, Args)]
pub struct PropertyArgs {
    /// A file with properties
    ///
    /// For a net also a file with formulas of the Model Checking Contest. A pattern such as '*.xml' means all files that it matches.
    /// This flag and the others that give properties may be repeated.
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub spec: Vec<PathBuf>,

    /// An LTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A PSL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub psl: Vec<String>,

    /// Read --psl formulas and PSL files with the operators of this language [default: that of the file, else what is the same
    /// in all]
    #[arg(long, value_enum, value_name = "HDL", hide_short_help = true, help_heading = "Properties")]
    pub flavour: Option<FlavourName>,

    /// An M2L formula; its free sets are atoms in backquotes
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub m2l: Vec<String>,

    /// Only the property with this name (may be repeated)
    #[arg(long = "property", value_name = "NAME", help_heading = "Properties")]
    pub only: Vec<String>,
}

/// A hardware description language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlavourName {
    /// VHDL
    Vhdl,
    /// Verilog and SystemVerilog
    #[value(alias = "systemverilog", alias = "sv")]
    Verilog,
}

impl FlavourName {
    /// What the name means.
    pub fn flavour(self) -> Flavour {
        match self {
            Self::Vhdl => Flavour::Vhdl,
            Self::Verilog => Flavour::Verilog,
        }
    }
}

/// Properties of the graph of global states.
#[derive(Clone, Debug, Default, Args)]
pub struct BranchingArgs {
    /// A CTL formula
    #[arg(long, value_name = "FORMULA", help_heading = "Properties")]
    pub ctl: Vec<String>,
}

/// Automata, and what the positions of a linear property are.
#[derive(Debug, Args)]
pub struct AutomatonArgs {
    /// A file with a monitor, or an automaton in the HOA format
    #[arg(long, value_name = "FILE", help_heading = "Properties")]
    pub monitor: Vec<PathBuf>,

    /// What the positions of --ltl, --psl and --m2l formulas are: states, the initial one first, or events. Also for an
    /// automaton that does not say it [default: states; for an automaton events]
    #[arg(long, value_enum, value_name = "VIEW", hide_short_help = true, help_heading = "Properties")]
    pub over: Option<Over>,

    /// Some order must satisfy the --ltl, --psl and --m2l formulas, instead of every order
    #[arg(long, hide_short_help = true, help_heading = "Properties")]
    pub some: bool,
}

impl AutomatonArgs {
    /// Of how many orders a formula speaks.
    pub fn quantifier(&self) -> Quantifier {
        if self.some { Quantifier::Some } else { Quantifier::Every }
    }
}

/// All the parts that a command has.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub properties: &'a PropertyArgs,
    pub branching: Option<&'a BranchingArgs>,
    pub automata: Option<&'a AutomatonArgs>,
}

impl Given<'_> {
    /// The properties in the order in which they stand on the command line, across the flags.
    pub fn sources(&self, matches: Option<&ArgMatches>) -> Vec<Source> {
        // Not every command has every flag.
        let places = |flag: &str| -> Vec<usize> {
            let matches = matches.filter(|m| m.try_contains_id(flag).is_ok());
            matches.and_then(|m| m.indices_of(flag)).map(Iterator::collect).unwrap_or_default()
        };
        let PropertyArgs { spec, ltl, psl, m2l, flavour, .. } = self.properties;
        let flavour = flavour.map(FlavourName::flavour);
        let ctl = self.branching.map_or(&[][..], |branching| &branching.ctl);
        let (monitors, over) = self.automata.map_or((&[][..], None), |given| (&given.monitor, given.over));
        let view = over.unwrap_or_default();
        let quantifier = self.automata.map_or(Quantifier::Every, AutomatonArgs::quantifier);
        let specs = spec.iter().map(|path| Source::Spec(path.clone(), flavour)).zip(places("spec"));
        let ltl = ltl.iter().map(|text| Source::Ltl(text.clone(), view, quantifier)).zip(places("ltl"));
        let ctl = ctl.iter().map(|text| Source::Ctl(text.clone())).zip(places("ctl"));
        let psl = psl.iter().map(|text| Source::Psl(text.clone(), flavour.unwrap_or_default(), view, quantifier));
        let psl = psl.zip(places("psl"));
        let m2l = m2l.iter().map(|text| Source::M2l(text.clone(), view, quantifier)).zip(places("m2l"));
        let monitors = monitors.iter().map(|path| Source::Monitor(path.clone(), over)).zip(places("monitor"));
        let mut all: Vec<(Source, usize)> = specs.chain(ltl).chain(ctl).chain(psl).chain(m2l).chain(monitors).collect();
        all.sort_by_key(|(_, place)| *place);
        all.into_iter().map(|(source, _)| source).collect()
    }
}
