//! Addresses do not depend on where Heddle is started from. The test changes its environment, so it runs in a process of its own.

use crate::common::{WAYS, alone, build, launch, options};
use heddle_model::{Event, Executor, Plan};
use heddle_native::NativeExecutor;
use heddle_testkit::environment::can_use;

#[test]
fn the_environment_does_not_move_the_stack() {
    alone("determinism::the_environment_does_not_move_the_stack", addresses_stay);
}

fn addresses_stay() {
    // Some containers insist on randomisation; nothing can be promised there.
    if !can_use("fixed-addresses", NativeExecutor::addresses_are_fixed()) {
        return;
    }
    let text = r#"#include <pthread.h>
#include <stdlib.h>
int main(void) {
    pthread_mutex_t on_stack = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *on_heap = malloc(sizeof *on_heap);
    pthread_mutex_init(on_heap, 0);
    pthread_mutex_lock(&on_stack);
    pthread_mutex_lock(on_heap);
    return 0;
}
"#;
    let program = build("places.c", text, &[]).unwrap();
    let mut first: Option<Vec<Event>> = None;
    for length in [0, 1, 7, 100, 5000] {
        // SAFETY: the only thread that looks at the environment.
        unsafe { std::env::set_var("HEDDLE_TEST_ENVIRONMENT", "x".repeat(length)) };
        for way in WAYS {
            let mut executor = launch(&program, options(way));
            let events = executor.run(&Plan::default()).unwrap().events.to_vec();
            assert!(events.len() > 3);
            assert_eq!(first.get_or_insert_with(|| events.clone()), &events, "{length} {way:?}");
        }
    }
}
