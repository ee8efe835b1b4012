//! What was found, made ready to be shown.
//!
//! Answers of the library become data for people and programs here: which story an order tells, where it fails, what would have
//! prevented it. Printers turn that data into text; a printer is told how wide a page is and whether it has colours ([`Paint`]), and
//! never asks a terminal.

pub mod about;
mod amounts;
pub mod automaton;
pub mod checked;
pub mod conformed;
pub mod counts;
pub mod decided;
pub mod emit;
pub mod explained;
pub mod explanation;
pub mod followed;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod kept;
pub mod lanes;
pub mod library;
pub mod m2l;
pub mod markdown;
mod named;
pub mod page;
mod paint;
pub mod picture;
pub mod png;
mod pointers;
mod problem;
pub mod proof;
pub mod proposed;
pub mod refined;
pub mod replayed;
pub mod report;
pub mod sarif;
pub mod steps;
pub mod story;
pub mod subformulas;
pub mod svg;
pub mod text;
pub mod trail;
pub mod verified;
pub mod watched;
mod word;
mod xml;

pub use amounts::{counted, group_digits, grouped, readable};
pub use named::{Named, clocked, find_names, same_names};
pub use paint::{Paint, clean, short};
pub use problem::{BARE, Problem, diagnostic_json, is_file, warning_json, warning_line};
pub use word::{Tally, Word};
