//! heddle
fn main() {}
