//! Functions that the program calls: the thread library, the compilers' runtime libraries, parts of libc, and Heddle
//! itself.

pub mod annotate;
pub mod buffers;
pub mod custom;
pub mod libatomic;
pub mod libc_per_thread;
pub mod libcxx;
pub mod libstdcxx;
pub mod openmp;
pub mod process_state;
pub mod pthread;
pub mod strings;
pub mod tsan;
pub mod unsupported;
