#![no_main]

posetta_fuzz::target!("language");
