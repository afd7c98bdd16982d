//! What `./x install` and `./x package` make works where it is put: the commands, the links, the CMake module, the pages.

use std::path::Path;
use std::process::Command;

use crate::common::{Session, can_use, installed, root};

/// `./x` with these words and this Heddle, which is not built again.
fn x(words: &[&str]) {
    let output = Command::new("./x")
        .args(words)
        .env("HEDDLE_BUILT", env!("CARGO_BIN_EXE_heddle"))
        .current_dir(root())
        .output()
        .expect("./x can be run");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Everything that belongs to an installed Heddle is below `tree`.
fn must_be_whole(tree: &Path) {
    for file in [
        "bin/heddle",
        "bin/heddle-cc",
        "bin/heddle-c++",
        "share/man/man1/heddle.1.gz",
        "share/man/man1/heddle-test.1.gz",
        "share/bash-completion/completions/heddle",
        "share/zsh/site-functions/_heddle",
        "share/fish/vendor_completions.d/heddle.fish",
        "share/heddle/cmake/HeddleDiscoverTests.cmake",
        "share/heddle/cmake/HeddleAddTests.cmake",
        "share/doc/heddle/LICENSE-MIT",
    ] {
        assert!(tree.join(file).metadata().is_ok_and(|data| data.len() > 0), "{file} is missing");
    }
    let output = Command::new(tree.join("bin/heddle")).arg("--version").output().expect("it can be run");
    assert!(output.stdout.starts_with(b"heddle "), "{output:?}");
}

#[test]
fn packages_hold_everything() {
    let session = Session::new();
    let into = session.path("packages").display().to_string();
    x(&["package", &into]);
    let version = env!("CARGO_PKG_VERSION");
    let unpack = |words: &[&str]| assert!(Command::new(words[0]).args(&words[1..]).status().is_ok_and(|s| s.success()));
    let here = session.path(".").display().to_string();
    unpack(&["tar", "-C", &here, "-xzf", &format!("{into}/heddle-{version}-x86_64-linux.tar.gz")]);
    must_be_whole(&session.path(&format!("heddle-{version}")));
    if can_use("dpkg-deb", installed("dpkg-deb")) {
        let package = format!("{into}/heddle_{version}_amd64.deb");
        unpack(&["dpkg-deb", "-x", &package, &session.path("root").display().to_string()]);
        must_be_whole(&session.path("root/usr"));
    }
}

/// As docs/test-frameworks.md has it: three commands, from an installed Heddle to the verdicts of a project with CMake and GoogleTest.
#[test]
fn a_project_with_cmake_and_google_test_in_three_commands() {
    let there = installed("cmake") && Path::new("/usr/include/gtest/gtest.h").exists();
    if !can_use("cmake and gtest", there) {
        return;
    }
    let session = Session::compiling();
    let prefix = session.path("prefix");
    x(&["install", &prefix.display().to_string()]);
    must_be_whole(&prefix);
    std::fs::create_dir(session.path("project")).expect("a directory");
    for file in ["gtest.cpp", "subjects.h"] {
        let from = root().join("tests/frameworks").join(file);
        std::fs::copy(from, session.path("project").join(file)).expect("it can be copied");
    }
    session.write(
        "project/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.19)\nproject(pieces CXX)\nenable_testing()\nfind_package(GTest REQUIRED)\n\
         add_executable(pieces gtest.cpp)\ntarget_link_libraries(pieces GTest::gtest_main)\ninclude(GoogleTest)\n\
         gtest_discover_tests(pieces)\n",
    );
    let path = format!("{}:{}", prefix.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let run = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(session.path("project")).env("PATH", &path);
        command.env("HEDDLE_CACHE", session.path("cache")).env("TMPDIR", session.path("tmp"));
        let output = command.output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), said)
    };
    for line in ["CXX=\"heddle c++\" CC=\"heddle cc\" cmake -B build -DCMAKE_BUILD_TYPE=Debug", "cmake --build build"] {
        let (code, said) = run(line);
        assert_eq!(code, Some(0), "{line}\n{said}");
    }
    let (code, said) = run("heddle test build --timeout 5m");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("test Broken.Deliver ... FAILED: deadlock") && said.contains("test Repaired.Deliver ... ok"),
        "{said}"
    );
    assert!(said.contains("5 passed; 5 failed; 0 incomplete; 1 ignored"), "{said}");
    assert!(said.contains("(gtest.cpp:") || said.contains("(subjects.h:"), "places are relative: {said}");
}
