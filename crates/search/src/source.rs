//! Source sets. The exploration is shared with [`crate::dpor`]; this file is what differs.
