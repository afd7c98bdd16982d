//! What `heddle prove` looks for: each property fails in one program, is confirmed natively and replayed, and holds in its repaired twin.

use crate::common::{Finished, Session, can_use, must_replay};

/// One input says what goes wrong, another with which value. GOOD repairs all of it.
const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
#ifdef GOOD\n#define OR(bad, good) good\n#else\n#define OR(bad, good) bad\n#endif\n\
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint a[4], x, which;\nint *p;\n#line 1\n\
void *f(void *arg) {\n\
    if (which == 20) OR(x = 1;, { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); })\n\
    if (which == 21) OR(pthread_mutex_unlock(&m);, ;)\n\
    if (which == 22) OR(free(p);, { pthread_mutex_lock(&m); free(p); p = 0; pthread_mutex_unlock(&m); })\n\
    return arg;\n\
}\n\
int main(void) {\n\
    pthread_t t;\n\
    which = __VERIFIER_nondet_int();\n\
    volatile int v = __VERIFIER_nondet_int(), s = 0;\n\
    switch (which) {\n\
    case 10: OR(, if (v < 2147483647)) v = v + 1; break;\n\
    case 11: OR(, if (v != 0)) s = 8 / v; break;\n\
    case 12: OR(if (v >= 0), if (v >= 0 && v < 31)) s = 1 << v; break;\n\
    case 13: OR(if (v > 0), if (v > 0 && v < 4)) a[v] = 1; break;\n\
    case 14: p = 0; OR(, p = a;) *p = 1; break;\n\
    case 15: p = malloc(4); OR(free(p); *p = 1;, *p = 1; free(p);) break;\n\
    case 16: p = malloc(4); free(p); OR(free(p);,) break;\n\
    case 17: pthread_mutex_lock(&m); OR(pthread_mutex_lock(&m);, pthread_mutex_unlock(&m);) break;\n\
    case 18: OR(assert(v != 77);, assert(v != 77 || v > 0);) break;\n\
    case 21: pthread_mutex_lock(&m); OR(, pthread_mutex_unlock(&m);) break;\n\
    case 22: p = malloc(4); break;\n\
    }\n\
    pthread_create(&t, 0, f, 0);\n\
    if (which == 20) OR(x = 2;, { pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); })\n\
    if (which == 22) OR(*p = 1;, { pthread_mutex_lock(&m); if (p) *p = 1; pthread_mutex_unlock(&m); })\n\
    pthread_join(t, 0);\n\
    return 0;\n}\n";

/// Kind and line of everything that goes wrong.
const WRONG: [(&str, u64); 12] = [
    ("undefined", 12),
    ("undefined", 13),
    ("undefined", 14),
    ("undefined", 15),
    ("undefined", 16),
    ("memory", 17),
    ("memory", 18),
    ("deadlock", 19),
    ("assertion", 20),
    ("misuse", 3),
    ("data-race", 2),
    ("memory", 26),
];

fn prove(session: &Session, text: &str, options: &[&str]) -> Finished {
    let file = session.write("program.c", text);
    let mut words = vec!["prove", "--json", file.to_str().expect("a name"), "--minimise", "off", "--timeout", "60s"];
    words.extend(options);
    let run = session.run(words);
    must_replay(session, &run);
    run
}

#[test]
fn every_property_is_looked_for() {
    let session = Session::new();
    let able = prove(&session, "int main(void) { return 0; }\n", &[]).code == 0;
    if !can_use("a clang whose libLLVM can be opened", able) {
        return;
    }
    let run = prove(&session, PROGRAM, &["--all", "--ub", "--races"]);
    let report = run.json();
    assert_eq!((report["verdict"].as_str(), run.code), (Some("found"), 1), "{run}");
    let found: Vec<(&str, u64)> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|finding| (finding["kind"].as_str().unwrap_or(""), finding["location"]["line"].as_u64().unwrap_or(0)))
        .collect();
    for wrong in WRONG {
        assert!(found.contains(&wrong), "{wrong:?} is not among {found:?}\n{run}");
    }
    let run = prove(&session, PROGRAM, &["--all", "--ub", "--races", "-DGOOD"]);
    assert_eq!((run.json()["verdict"].as_str(), run.code), (Some("safe"), 0), "{run}");
}

#[test]
fn leaks_are_looked_for() {
    let session = Session::new();
    let leak = |free: &str| {
        format!(
            "#include <pthread.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nvoid *f(void *a) {{ char *p = malloc(3);\n\
             if (p && __VERIFIER_nondet_int() == 31337) {{ {free} return a; }} free(p); return a; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }}\n"
        )
    };
    let run = prove(&session, &leak(""), &["--leaks"]);
    if !can_use("a clang whose libLLVM can be opened", run.code != 4) {
        return;
    }
    assert_eq!((run.json()["findings"][0]["kind"].as_str(), run.code), (Some("leak"), 1), "{run}");
    let run = prove(&session, &leak("free(p);"), &["--leaks"]);
    assert_eq!((run.json()["verdict"].as_str(), run.code), (Some("safe"), 0), "{run}");
}

/// Threads, mutexes, condition variables and containers of C++. What is not followed is named with file and line.
#[test]
fn threads_of_cxx_are_followed() {
    let session = Session::new();
    let head = "#include <cassert>\n#include <condition_variable>\n#include <mutex>\n#include <thread>\n#include <vector>\n\
        extern \"C\" int __VERIFIER_nondet_int();\nstd::mutex m;\nint ready, sum;\n#line 1\n";
    let prove = |body: &str| {
        let file = session.write("program.cpp", format!("{head}{body}"));
        let run =
            session.run(["prove", "--json", file.to_str().expect("a name"), "--minimise", "off", "--timeout", "60s"]);
        must_replay(&session, &run);
        run
    };
    let body = "int main() {\nint v = __VERIFIER_nondet_int();\nstd::condition_variable c;\nstd::vector<std::thread> all;\n\
        for (int i = 0; i < 2; i++)\nall.emplace_back([&c, i, v] { std::unique_lock<std::mutex> l(m); while (!ready) c.wait(l); sum += v + i; });\n\
        { std::lock_guard<std::mutex> g(m); ready = 1; WAKE; }\nfor (auto &t : all) t.join();\nassert(CHECK);\n}\n";
    let with = |wake: &str, check: &str| body.replace("WAKE", wake).replace("CHECK", check);
    let run = prove(&with("c.notify_all()", "sum != 9423"));
    if !can_use("a clang whose libLLVM can be opened", run.code != 4) {
        return;
    }
    assert_eq!((run.json()["findings"][0]["kind"].as_str(), run.code), (Some("assertion"), 1), "{run}");
    let run = prove(&with("c.notify_all()", "(sum & 1) == 1"));
    assert_eq!((run.json()["verdict"].as_str(), run.code), (Some("safe"), 0), "{run}");
    let run = prove(&with("c.notify_one()", "(sum & 1) == 1"));
    assert_eq!((run.json()["findings"][0]["kind"].as_str(), run.code), (Some("deadlock"), 1), "{run}");
    let run = prove("int main() {\nif (__VERIFIER_nondet_int() == 7)\nthrow 3;\n}\n");
    let reason = run.json()["reason"].as_str().unwrap_or("").to_owned();
    assert!(run.code == 4 && reason.contains(":3: the function __cxa_") && reason.contains("heddle check"), "{run}");
}
