//! Gives a target of `posetta-fuzz-targets` to libFuzzer.

pub use libfuzzer_sys::fuzz_target;
pub use posetta_fuzz_targets::find;

/// The whole of a binary: the target with this name.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::fuzz_target!(|data: &[u8]| {
            let target = $crate::find($name).expect("the binaries are named after the targets");
            (target.run)(data);
        });
    };
}
