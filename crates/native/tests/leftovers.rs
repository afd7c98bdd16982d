//! Nothing stays behind: no process, no descriptor, no mapping, no file. One test alone in its process, so that what
//! others open and close is not counted.

mod common;

use common::{WAYS, build, is_running, launch, options};
use heddle_model::{Executor, Plan};

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

fn shared_mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().filter(|line| line.contains("memfd:heddle")).count()
}

#[test]
fn nothing_stays_behind() {
    let folder = heddle_native::TemporaryDirectory::new().unwrap();
    // SAFETY: no other thread of this process looks at the environment.
    unsafe { std::env::set_var("TMPDIR", folder.path()) };
    let empty = count(folder.path().to_str().unwrap());
    let descriptors = count("/proc/self/fd");
    let text = "#include <pthread.h>\nint main(void) { for (;;) ; }\n";
    let error = build("broken.c", "int main(void) {", &[]);
    assert!(error.is_err());
    let program = build("spin.c", text, &[]).unwrap();
    let mut processes = Vec::new();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        processes.extend(executor.process_id());
        executor.submit(&Plan::default()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let group = executor.process_id().unwrap();
        drop(executor);
        // SAFETY: a call that only asks.
        let left = unsafe { libc::kill(-(group as i32), 0) } == 0;
        assert!(!left || !is_running(group), "{way:?}: processes are left");
    }
    drop(program);
    assert!(processes.iter().all(|&process| !is_running(process)));
    assert_eq!(count("/proc/self/fd"), descriptors, "descriptors");
    assert_eq!(shared_mappings(), 0, "mappings");
    assert_eq!(count(folder.path().to_str().unwrap()), empty, "files");
}
