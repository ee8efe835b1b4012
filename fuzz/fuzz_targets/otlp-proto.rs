#![no_main]

posetta_fuzz::target!("otlp-proto");
