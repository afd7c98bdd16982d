//! What a compiler is told so that every access to memory that may be shared, and every atomic, becomes a call.
//!
//! Both compilers do that for their own race detector (`-fsanitize=thread`); Heddle brings other functions under the
//! same names. Where that leaves holes, flags and headers close them.

use crate::compile::{CompilerKind, Language};

/// A header that is put before every source file of its language.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Its name; [`flags`] includes it by this name.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// The headers that [`flags`] may include. They are written to a directory that is on the include path.
pub const HEADERS: &[Header] = &[];

/// The flags that instrument, for one file. `version` is the compiler's major version.
pub fn flags(compiler: CompilerKind, version: u32, language: Language) -> Vec<String> {
    let _ = (version, language);
    let mut flags = vec!["-fsanitize=thread"];
    flags.extend(match compiler {
        // Vectors that are wider than 16 bytes are left out of the instrumentation.
        CompilerKind::Clang => ["-fno-vectorize", "-fno-slp-vectorize"],
        // Calls stay calls, which the runtime intercepts; expanded inline they would be invisible.
        CompilerKind::Gcc => ["-fno-builtin", "-Wno-tsan"],
    });
    flags.into_iter().map(str::to_owned).collect()
}
