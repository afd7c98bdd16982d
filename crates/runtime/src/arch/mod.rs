//! Everything that depends on the processor. Another architecture is another file beside `x86_64.rs`.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86_64_wipe;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86_64;
#[cfg(target_arch = "x86_64")]
mod x86_64_divert;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86_64_entry;
#[cfg(target_arch = "x86_64")]
mod x86_64_guards;
#[cfg(target_arch = "x86_64")]
mod x86_64_peek;
#[cfg(target_arch = "x86_64")]
pub use {x86_64::*, x86_64_divert::*, x86_64_entry::*, x86_64_guards::*, x86_64_peek::*, x86_64_wipe::*};

#[cfg(not(target_arch = "x86_64"))]
compile_error!("Heddle's runtime runs on x86-64 only");
