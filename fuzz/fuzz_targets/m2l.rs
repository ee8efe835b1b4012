#![no_main]

posetta_fuzz::target!("m2l");
