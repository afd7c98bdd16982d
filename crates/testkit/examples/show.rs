//! Shows the executions of a small program.
use heddle_model::*;
use heddle_search::*;
use heddle_testkit::*;
struct S;
impl Observer for S {
    fn execution(&mut self, e: &Execution<'_>, i: &Info<'_>) -> Flow {
        print!("{:?} plan {} :", e.outcome, i.plan.schedule.len());
        for (k, ev) in e.events.iter().enumerate() {
            if k == i.plan.schedule.len() {
                print!(" |");
            }
            if ev.operation.code.family() != 1 || ev.operation.code == primitive::thread::START {
                print!(" {}:{}", ev.thread, primitive::of(ev.operation.code).operation_name(ev.operation.code));
            }
        }
        println!();
        Flow::Continue
    }
}
fn main() {
    let n: u8 = std::env::args().nth(1).unwrap().parse().unwrap();
    let p = known::readers(n);
    let mut x = Scripted::new(&p);
    println!("{:?}", Search::new(Options { memory: 0, ..Options::default() }).run(&mut x, &mut S));
}
