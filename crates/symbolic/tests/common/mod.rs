//! Compiles and reads programs for the tests.

use std::path::PathBuf;

use heddle_symbolic::ir::{Module, Places, ReadError, Reader};
use heddle_symbolic::machine::Refusal;
use heddle_symbolic::prove::{Answer, Conclusion, Question, deepen_by};
use heddle_symbolic::trace::Way;

/// What short programs begin with. COMMA stands for a comma in an argument of its macros.
pub const HEAD: &str = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n#include <pthread.h>\n\
    #include <semaphore.h>\n#include <stdatomic.h>\nextern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\nextern void __VERIFIER_assume(int);\n\
    typedef pthread_mutex_t M; typedef pthread_t T;\n#define L(m) pthread_mutex_lock(&m)\n#define U(m) pthread_mutex_unlock(&m)\n\
    #define IN __VERIFIER_nondet_int()\n#define RUN T t; pthread_create(&t, 0, f, 0);\n#define JOIN pthread_join(t, 0);\n\
    #define MAIN(...) int main(void) { __VA_ARGS__ return 0; }\n#define F(...) void *f(void *a) { __VA_ARGS__ return 0; }\n#line 1\n";

/// A directory that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    /// A new directory.
    pub fn new() -> Folder {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("heddle-symbolic-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A reader with the installed toolchain. None: this machine has no clang that proving could use.
pub fn reader() -> Option<Reader> {
    match Reader::new(&Places::from_environment(), vec![env!("CARGO_BIN_EXE_heddle-read-ir").into()]) {
        Ok(reader) => Some(reader),
        Err(error) if error.is_unsupported() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Reads one C program.
pub fn read(source: &str) -> Option<Result<Module, ReadError>> {
    let reader = reader()?;
    let folder = Folder::new();
    let file = folder.0.join("program.c");
    std::fs::write(&file, source).expect("it can be written");
    Some(reader.read(&[file], &[], &folder.0))
}

/// Runs on a thread with a large stack: execution recurses where branches are open.
pub fn with_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread");
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// An engine, and how it chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// One formula over all orders.
    Order,
    /// One execution for each trace.
    Traces,
    /// One execution for each trace and each path: every open branch is a choice.
    Paths,
    /// One execution for each interleaving.
    Lazy,
}

/// All engines that know every primitive.
pub const ENGINES: [Engine; 4] = [Engine::Order, Engine::Traces, Engine::Paths, Engine::Lazy];

impl Engine {
    /// What an engine concludes, where every conjecture counts as confirmed.
    pub fn asked(self, module: &Module, question: &Question) -> Result<(Conclusion, Answer), Refusal> {
        let way = match self {
            Engine::Lazy => Way::lazy(None),
            _ => Way { merges: self != Engine::Paths, ..Way::default() },
        };
        heddle_symbolic::prove::with_stack(|| {
            let mut ask = |question: &Question| match self {
                Engine::Order => heddle_symbolic::prove::ask(module, question),
                _ => heddle_symbolic::trace::ask(module, question, &way),
            };
            deepen_by(&mut ask, question, None, false, &mut |_| true, &mut |_| {})
        })
    }
}
