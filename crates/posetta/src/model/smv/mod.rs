//! A subset of the SMV language (McMillan 1992; Cavada et al., NuSMV 2.6 User Manual), read into a [`Fds`].

use super::fds::Fds;
use crate::base::Diagnostic;

/// Reads a model.
///
/// # Errors
/// With the mistakes in it.
pub fn read(source: &str) -> Result<Fds, Vec<Diagnostic>> {
    let _ = source;
    Ok(Fds::default())
}
