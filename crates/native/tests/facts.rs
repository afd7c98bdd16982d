//! What one executor has learnt, another one of the same program can continue with.

use heddle_model::wire::{Restart, ThreadName};
use heddle_model::{Executor, ExecutorError, Facts, Plan, RestartMode, ThreadId};

use crate::common::{build, launch, options};

/// Creates a thread, and opens a file, which a snapshot cannot restore.
const PROGRAM: &str = r#"#include <pthread.h>
#include <stdio.h>
static void *worker(void *argument) { return argument; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return fopen("/dev/null", "w") ? 0 : 1;
}
"#;

#[test]
fn another_executor_continues_with_them() {
    let program = build("facts.c", PROGRAM, &[]).unwrap();
    let auto = || {
        let mut options = options(Restart::Snapshot);
        options.settings.restart = RestartMode::Auto;
        options
    };
    let mut first = launch(&program, auto());
    assert!(first.run(&Plan::default()).unwrap().outcome.is_ended());
    let facts = first.facts();
    assert_eq!((facts.threads.len(), facts.restart), (2, Restart::Fork));

    let mut second = launch(&program, auto());
    assert_eq!((second.restart(), second.facts().threads.len()), (Restart::Snapshot, 0));
    second.learn(&facts).unwrap();
    assert_eq!(second.restart(), Restart::Fork, "it need not find out again");
    assert!(second.run(&Plan::default()).unwrap().outcome.is_ended());
    let both = second.facts();
    assert_eq!((both.threads, both.fallback), (facts.threads.clone(), facts.fallback.clone()));
    assert!(both.statistics.processes > facts.statistics.processes, "those of both");

    let mut by_exec = launch(&program, options(Restart::Exec));
    by_exec.learn(&facts).unwrap();
    assert_eq!((by_exec.restart(), by_exec.facts().fallback), (Restart::Exec, None), "the user asked for it");
}

#[test]
fn threads_that_cannot_be_are_refused() {
    let program = build("facts.c", PROGRAM, &[]).unwrap();
    let mut executor = launch(&program, options(Restart::Fork));
    let most = executor.options().layout.threads as usize;
    let own_parent = ThreadName { parent: ThreadId(1), ..ThreadName::default() };
    for threads in [vec![ThreadName::default(); most + 1], vec![ThreadName::default(), own_parent]] {
        let facts = Facts { threads, ..Facts::default() };
        assert!(matches!(executor.learn(&facts), Err(ExecutorError::CannotRun(_))));
    }
}
