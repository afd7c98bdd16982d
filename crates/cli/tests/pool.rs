//! A library of some size: a pool of threads with five kinds of mistakes to choose from, and a leak. Each is found in a use of it
//! that a tester would write; without them every order of every use is proved right.

use crate::common::{Session, clang, root};
use serde_json::Value;

/// The uses in `tests/pool/driver.c`.
const DRIVERS: std::ops::RangeInclusive<u32> = 1..=5;

fn check(driver: u32, bug: &str, compiler: &str, more: &[&str]) -> Value {
    let session = Session::new();
    let file = |name: &str| root().join("tests/pool").join(name).display().to_string();
    let (driver, bug) = (format!("-DDRIVER={driver}"), format!("-DPOOL_BUG=POOL_BUG_{bug}"));
    let (main, pool) = (file("driver.c"), file("pool.c"));
    let words = [main.as_str(), &pool, &driver, &bug, "-Wall", "--leaks", "--minimise", "off", "--cc", compiler];
    session.check([&words[..], more].concat()).json()
}

#[test]
fn every_mistake_is_found() {
    for (bug, driver, kind, function) in [
        ("RACE", 1, "data-race", ""),
        ("LOCK_ORDER", 2, "deadlock", ""),
        ("LOST_WAKEUP", 1, "deadlock", ""),
        ("FREED", 1, "memory", ""),
        ("FREED", 2, "memory", ""),
        ("IF_NOT_WHILE", 1, "assertion", "queue_take"),
        ("LEAK", 4, "leak", ""),
    ] {
        for compiler in ["gcc", clang()] {
            let json = check(driver, bug, compiler, &[]);
            let finding = &json["findings"][0];
            assert_eq!(
                (json["verdict"].as_str(), finding["kind"].as_str()),
                (Some("found"), Some(kind)),
                "{bug}\n{json:#}"
            );
            assert!(function.is_empty() || finding["location"]["function"] == function, "{bug}\n{json:#}");
        }
    }
}

#[test]
fn without_them_it_is_right() {
    for driver in DRIVERS {
        let mut counts = Vec::new();
        for (compiler, level) in [("gcc", "-O0"), (clang(), "-O2")] {
            let json = check(driver, "NONE", compiler, &[level]);
            assert_eq!(
                (json["verdict"].as_str(), json["coverage"]["exhaustive"].as_bool()),
                (Some("safe"), Some(true)),
                "{json:#}"
            );
            counts.push(json["executions"].as_u64());
        }
        assert_eq!(counts[0], counts[1], "driver {driver}");
    }
}

/// Another algorithm, which shares neither the tree nor the order with the default, has the same to say.
#[test]
fn another_algorithm_agrees() {
    for driver in [2, 4, 5] {
        let optimal = check(driver, "NONE", "gcc", &[]);
        let brute = check(driver, "NONE", "gcc", &["--algorithm", "dpor"]);
        assert_eq!(brute["verdict"], "safe", "{brute:#}");
        assert!(brute["executions"].as_u64() >= optimal["executions"].as_u64(), "{brute:#}");
    }
    assert_eq!(check(2, "LOCK_ORDER", "gcc", &["--algorithm", "dpor"])["findings"][0]["kind"], "deadlock");
}
