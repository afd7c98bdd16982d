//! The arrows between the crates go the way that ARCHITECTURE.md says, and no other way.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Which of our own crates each crate may use. What it may use for its tests is not limited.
const ALLOWED: [(&str, &[&str]); 10] = [
    ("heddle-model", &[]),
    ("heddle-search", &["heddle-model"]),
    ("heddle-detect", &["heddle-model"]),
    ("heddle-runtime", &["heddle-model", "heddle-detect"]),
    ("heddle-native", &["heddle-model", "heddle-checking"]),
    ("heddle-report", &["heddle-model"]),
    ("heddle-checking", &["heddle-model", "heddle-search", "heddle-report"]),
    ("heddle-symbolic", &["heddle-model", "heddle-search", "heddle-checking"]),
    (
        "heddle",
        &["heddle-model", "heddle-search", "heddle-native", "heddle-symbolic", "heddle-report", "heddle-checking"],
    ),
    ("heddle-testkit", &["heddle-model", "heddle-search"]),
];

/// The library that is loaded into other people's programs uses nothing else, and the model has no more than it needs
/// for its data.
const OUTSIDE: [(&str, &[&str]); 3] =
    [("heddle-runtime", &["libc"]), ("heddle-detect", &[]), ("heddle-model", &["serde", "serde_json", "thiserror"])];

fn packages() -> BTreeMap<String, Vec<Value>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().expect("a name").to_owned();
            (name, package["dependencies"].as_array().expect("dependencies").clone())
        })
        .collect()
}

/// The names of what a crate is built from: not for its tests, not for its build script.
fn used(dependencies: &[Value]) -> BTreeSet<&str> {
    let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
    normal.map(|dependency| dependency["name"].as_str().expect("a name")).collect()
}

#[test]
fn arrows_go_one_way() {
    let packages = packages();
    let known: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let there: BTreeSet<&str> = packages.keys().map(String::as_str).collect();
    assert_eq!(known, there, "a crate came or went: say here what it may use");
    for (name, allowed) in ALLOWED {
        let ours: BTreeSet<&str> = used(&packages[name]).into_iter().filter(|d| known.contains(d)).collect();
        let wrong: Vec<_> = ours.iter().filter(|dependency| !allowed.contains(dependency)).collect();
        assert!(wrong.is_empty(), "{name} must not use {wrong:?}");
    }
}

#[test]
fn the_small_crates_stay_small() {
    let packages = packages();
    for (name, allowed) in OUTSIDE {
        for dependency in used(&packages[name]) {
            let fine = dependency.starts_with("heddle-") || allowed.contains(&dependency);
            assert!(fine, "{name} must not use {dependency}");
        }
    }
}

/// The runtime is inside a stranger's process: the model must not bring the standard library along.
#[test]
fn the_runtime_takes_the_model_without_the_standard_library() {
    let packages = packages();
    for user in ["heddle-runtime", "heddle-detect"] {
        let model = packages[user].iter().find(|d| d["name"] == "heddle-model").expect("it uses the model");
        assert_eq!(model["uses_default_features"], Value::Bool(false));
        assert_eq!(model["features"].as_array().map(Vec::len), Some(0));
    }
}

/// Only `cli` writes to the terminal.
#[test]
fn libraries_do_not_print() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for room in ["model", "search", "native", "symbolic", "report", "check", "runtime"] {
        let mut folders = vec![root.join(room).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("it can be read").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let text = std::fs::read_to_string(&path).expect("it can be read");
                    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                    for word in ["println!(", "print!(", "dbg!("] {
                        let prints =
                            code.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(word));
                        assert!(!prints, "{} uses {word}..)", path.display());
                    }
                }
            }
        }
    }
}

/// Only `model` knows what single operations mean. The search asks it (`Operation::queues`, `Event::enabled_by`) and neither
/// names a primitive nor compares codes of operations.
#[test]
fn the_search_names_no_primitive() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../search/src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            for (line, number) in code.lines().zip(1..) {
                let words = [
                    "primitive::",
                    "model::primitive",
                    ", primitive",
                    "{primitive",
                    ".code ==",
                    ".code !=",
                    "match code",
                ];
                let named = words.iter().find(|word| line.contains(**word));
                assert!(named.is_none(), "{}:{number} has {named:?}: ask the model instead", path.display());
                assert!(!(line.contains("match") && line.contains(".code")), "{}:{number}", path.display());
            }
        }
    }
    assert!(files > 20, "the sources are elsewhere: {files}");
}

/// A world is the state of all primitives and knows none of them: what is special about one is said in its own file.
#[test]
fn the_world_names_no_primitive() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/src/world");
    for file in ["mod.rs", "expire.rs", "effect.rs", "table.rs", "thread.rs"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("it can be read");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (line, number) in code.lines().zip(1..) {
            let compares =
                [".code ==", ".code !=", ".code.family()", "match code"].iter().any(|word| line.contains(word));
            assert!(!compares, "{file}:{number} compares codes of operations: ask the primitive instead");
        }
    }
}
