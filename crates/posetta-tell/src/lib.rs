//! What was found, made ready to be shown.
//!
//! Answers of the library become data for people and programs here: which story an order tells, where it fails, what would have
//! prevented it. Printers turn that data into text; a printer is told how wide a page is and whether it has colours ([`Paint`]), and
//! never asks a terminal.

pub mod page;
mod paint;

pub use paint::{Paint, clean, short};
