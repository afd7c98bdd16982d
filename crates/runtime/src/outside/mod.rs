//! The world outside the program's memory: files, pipes and sockets, signals, time, random numbers, other processes,
//! and the trap that catches every system call.

pub mod channel;
pub mod children;
pub mod clock;
pub mod exit;
pub mod exit_handlers;
pub mod files;
pub mod ids;
pub mod kernel_thread;
pub mod machine;
pub mod mappings;
pub mod others;
pub mod random;
pub mod resource;
pub mod second_net;
pub mod signals;
pub mod timers;
pub mod trap;
pub mod virtual_time;
