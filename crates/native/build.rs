//! Builds the runtime, so that it can be part of `heddle`: one file to install, nothing to find at run time.
//!
//! The runtime is a library for another process with other rules (no `std`, no unwinding, bound at load time), so
//! it is built by a cargo of its own, in a profile of its own, into a directory of its own. Nothing of the outer
//! build's flags reaches it: what is loaded into the program under test must not depend on whether Heddle itself
//! was built for a test, for clippy or with a sanitizer.
//!
//! `HEDDLE_RUNTIME_LIBRARY=path` takes a library that is built already: for packagers, and for work on Heddle while
//! the runtime is between two states.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libheddle_runtime.so";
const PREBUILT: &str = "HEDDLE_RUNTIME_LIBRARY";

/// Unwind tables, because exceptions and backtraces pass through its frames. Its own calls among each other are
/// bound to itself, whatever the program defines, and all at load time: a lazily bound call would write to the
/// program's memory in the middle of an execution. It has no constructors but its own, which
/// runs before everybody's.
const FLAGS: [&str; 7] = [
    "--cfg=heddle_freestanding",
    "-Cforce-unwind-tables=yes",
    "-Clink-arg=-Wl,-Bsymbolic-functions",
    "-Clink-arg=-Wl,-z,now",
    "-Clink-arg=-Wl,-soname,libheddle_runtime.so",
    "-Clink-arg=-nostartfiles",
    "-Clink-arg=-Wl,-z,initfirst",
];

fn main() {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let workspace = here.ancestors().nth(2).expect("this crate is two folders below the workspace").to_owned();
    let out = PathBuf::from(variable("OUT_DIR"));
    for source in [
        "Cargo.toml",
        "crates/runtime",
        "crates/detect/Cargo.toml",
        "crates/detect/src",
        "crates/model/Cargo.toml",
        "crates/model/src",
    ] {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    println!("cargo::rerun-if-env-changed={PREBUILT}");
    let built = match env::var_os(PREBUILT) {
        Some(library) => {
            println!("cargo::rerun-if-changed={}", library.display());
            PathBuf::from(library)
        }
        None => build(&workspace, &out.join("runtime-target")),
    };
    std::fs::copy(&built, out.join(LIBRARY)).unwrap_or_else(|e| panic!("cannot copy {}: {e}", built.display()));
}

fn build(workspace: &Path, target_dir: &Path) -> PathBuf {
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .args(["build", "--offline", "--package", "heddle-runtime", "--profile", "runtime"])
        // With a target named, the flags are for the library alone and not for anything that runs on the way.
        .args(["--target", &target])
        .arg("--manifest-path")
        .arg(workspace.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target_dir)
        .current_dir(workspace)
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    for inherited in ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET"]
    {
        cargo.env_remove(inherited);
    }
    let output = cargo.output().expect("cargo, which runs this script, can be run");
    assert!(
        output.status.success(),
        "the runtime library does not build ({PREBUILT}=path uses one that is built already):\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    target_dir.join(target).join("runtime").join(LIBRARY)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|e| panic!("cargo sets {name}: {e}"))
}
