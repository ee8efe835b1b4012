//! Protocol buffers, written: the few messages that are answered, and what JSON becomes.

/// A number in groups of seven bits, the lowest first.
pub(crate) fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The number of a field, and the sort of its value.
fn key(out: &mut Vec<u8>, field: u32, sort: u64) {
    varint(out, u64::from(field) << 3 | sort);
}

/// A field that is a number.
pub(crate) fn number(out: &mut Vec<u8>, field: u32, value: u64) {
    key(out, field, 0);
    varint(out, value);
}

/// A field of eight bytes.
pub(crate) fn fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    key(out, field, 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// A field of four bytes.
pub(crate) fn fixed32(out: &mut Vec<u8>, field: u32, value: u32) {
    key(out, field, 5);
    out.extend_from_slice(&value.to_le_bytes());
}

/// A field that is bytes, a text or a message.
pub(crate) fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    key(out, field, 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}
