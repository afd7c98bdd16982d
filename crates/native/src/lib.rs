//! Compiles, launches and drives programs that carry Heddle's runtime.
