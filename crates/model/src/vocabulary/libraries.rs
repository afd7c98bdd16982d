//! Names of libraries of which something is known, though nobody instruments them.

/// How the files of libraries begin that every program may have. Heddle replaces or models what they order between threads.
const SYSTEM: [&[u8]; 15] = [
    b"libc.so",
    b"libm.so",
    b"libpthread.so",
    b"libdl.so",
    b"librt.so",
    b"libstdc++.so",
    b"libc++.so",
    b"libc++abi.so",
    b"libunwind.so",
    b"libgcc_s.so",
    b"ld-linux",
    b"libatomic.so",
    b"libgomp.so",
    b"libomp.so",
    b"libheddle",
];

/// How the files of test frameworks begin. What they order between threads they order by calls of the thread library, which Heddle sees.
const FRAMEWORKS: [&[u8]; 6] =
    [b"libboost_unit_test_framework.", b"libgtest.", b"libgtest_main.", b"libgmock.", b"libgmock_main.", b"libCatch2"];

fn begins_like(file: &[u8], known: &[&[u8]]) -> bool {
    known.iter().any(|name| file.starts_with(name))
}

/// Whether a file, named without its directory, is a library that every program may have.
pub fn is_of_system(file: &[u8]) -> bool {
    begins_like(file, &SYSTEM)
}

/// Whether a file, named without its directory, is a library of a test framework.
pub fn is_framework(file: &[u8]) -> bool {
    begins_like(file, &FRAMEWORKS)
}
