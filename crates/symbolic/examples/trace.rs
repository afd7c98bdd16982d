//! Asks about a C program: `trace FILE [order|trace|lazy] [races] [leaks] [FLAGS]`.

use heddle_symbolic::ir::{Places, Reader};
use heddle_symbolic::prove::{Question, ask, deepen_by, with_stack};
use heddle_symbolic::trace::{self, Way};

fn main() {
    let mut args = std::env::args().skip(1);
    let file: std::path::PathBuf = args.next().expect("a file").into();
    let (mut question, mut engine, mut flags) = (Question::default(), "trace".to_owned(), Vec::new());
    for arg in args {
        match arg.as_str() {
            "order" | "trace" | "lazy" | "split" => engine = arg,
            "races" => question.races = true,
            "leaks" => question.leaks = true,
            "ub" => question.undefined = true,
            _ => flags.push(arg),
        }
    }
    question.deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(20));
    let folder = std::env::temp_dir().join(format!("heddle-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let reading = std::env::current_exe().expect("a path").with_file_name("../heddle-read-ir");
    let reader = Reader::new(&Places::from_environment(), vec![reading.into()]).expect("a toolchain");
    let module = reader.read(&[file], &flags, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let module = module.expect("a program");
    let begin = std::time::Instant::now();
    let way = if engine == "lazy" { Way::lazy(None) } else { Way { merges: engine != "split", ..Way::default() } };
    let answer = with_stack(|| {
        let mut asking = |question: &Question| match engine.as_str() {
            "order" => ask(&module, question),
            _ => trace::ask(&module, question, &way),
        };
        deepen_by(&mut asking, &question, None, &mut |_| true)
    });
    println!("{:.2} {answer:?}", begin.elapsed().as_secs_f64());
}
