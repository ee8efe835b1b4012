//! Every semantics of Posetta by definition, by enumeration.
