//! Signals: the first Ctrl-C or SIGTERM ends the search with what is known, the second ends Heddle.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// Returns a flag that the first SIGINT or SIGTERM sets. The second one ends the process.
pub fn catch() -> io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    // Apart from the flag, which is lowered again to tell what was found before the signal.
    let seen = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the shutdown looks before this signal is seen.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&seen))?;
        flag::register(signal, Arc::clone(&seen))?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    // A file that grows beyond `ulimit -f`: the write fails, and is told as such, instead of ending Heddle.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(raised)
}
