//! One style for options: a struct that grows is made by `default`, and changed by setters that bear the names of its fields.

/// Writes a setter for each of these fields: `Options::default().explain(true).threads(4)`.
///
/// ```
/// #[derive(Default)]
/// pub struct Options {
///     pub threads: usize,
/// }
/// posetta_base::setters! { Options { threads: usize } }
/// assert_eq!(Options::default().threads(4).threads, 4);
/// ```
#[macro_export]
macro_rules! setters {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        impl $name {
            $(
                #[doc = concat!("With another [`", stringify!($field), "`](field@", stringify!($name), "::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}
