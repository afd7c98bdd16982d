//! When two states are the same: in another process, and with other values that nobody reads again.

use crate::common::{Finished, Session, clang};
use crate::states::PETERSON;

/// A search over states that was cut off goes on in another process and ends with the same numbers. The program keeps what the kernel has drawn
/// for its process, and changes the page with its ids.
#[test]
fn a_search_over_states_is_resumed() {
    let session = Session::new();
    let file = session.write("peterson.c", PETERSON).display().to_string();
    let kept = session.path("kept").display().to_string();
    for algorithm in ["stateful", "switches", "csdr", "states"] {
        let check = |more: &[&str]| {
            let words = [file.as_str(), "-O1", "-DDRAWN", "--algorithm", algorithm];
            session.check(words.iter().chain(more).copied())
        };
        let whole = check(&[]);
        assert_eq!(whole.code, 0, "{algorithm}\n{whole}");
        let first = check(&["--checkpoint", &kept, "--max-states", "40"]);
        assert_eq!(first.code, 3, "{algorithm}\n{first}");
        let rest = check(&["--resume", &kept]);
        let counts = |run: &Finished| {
            let report = run.json();
            (report["verdict"].clone(), report["findings"].clone(), report["states"].clone())
        };
        assert_eq!(counts(&rest), counts(&whole), "{algorithm}\n{rest}");
    }
}

/// Two threads that forget who came first. Without optimisation, what they have seen stays in the frame, in a register, and where the next
/// function has saved that register.
const FORGETFUL: &str = r#"#include <pthread.h>
#include <stdatomic.h>
static atomic_int first, lock, done;
static void acquire(void) { while (atomic_exchange(&lock, 1)) {} }
static void *work(void *unused) {
    if (atomic_exchange(&first, 1) == 2) return 0;
    acquire();
    atomic_fetch_add(&done, 1);
    atomic_store(&lock, 0);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
"#;

#[test]
fn dead_values_tell_no_states_apart() {
    let session = Session::new();
    let file = session.write("forgetful.c", FORGETFUL).display().to_string();
    for compiler in ["gcc", clang()] {
        let states = |level: &str| {
            let words = [file.as_str(), "--cc", compiler, level, "--races", "off", "--algorithm", "states"];
            let run = session.check(words);
            run.json()["states"].as_u64().unwrap_or_else(|| panic!("no states\n{run}"))
        };
        let optimised = states("-O2");
        assert!(optimised > 40, "{compiler}: {optimised}");
        assert_eq!((states("-O0"), states("-O1")), (optimised, optimised), "{compiler}");
    }
}
