//! A program that writes over the memory that it shares with Heddle: at random places, at every moment, in threads, constructors, exit
//! handlers and children. Whatever it hits, an execution is told as it was, or its loss is: never as another one. `./x fuzz boundary`
//! runs this for longer.

use std::time::{Duration, Instant};

use crate::common::{build, options};
use heddle_model::wire::Restart;
use heddle_model::{Death, Ending, Event, Executor, ExecutorError, Outcome, Plan};
use heddle_native::compile::Compiled;
use heddle_native::{NativeExecutor, Options, StartError};
use heddle_testkit::environment;

/// The arguments are where in the reports something is to be found: offsets and sizes. The seed is the processor's clock, which is another one in each
/// execution: memory is put back. What is written is drawn, too.
const PROGRAM: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLIND __attribute__((no_sanitize("thread"), noinline))

static uint8_t *reports, *orders;
static size_t reports_size, orders_size, spots[16][2];
static int spots_count, always;
static char where;
static uint64_t state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

BLIND static uint64_t draw(void)
{
    state += 0x9e3779b97f4a7c15;
    uint64_t word = state;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

BLIND static void find(void)
{
    char text[65536];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(text, sizeof text, maps)) {
        unsigned long low, high;
        char rights[8];
        if (!strstr(text, "heddle-wire") || sscanf(text, "%lx-%lx %7s", &low, &high, rights) != 3)
            continue;
        if (rights[1] == 'w')
            reports = (uint8_t *)low, reports_size = high - low;
        else
            orders = (uint8_t *)low, orders_size = high - low;
    }
    if (maps)
        fclose(maps);
    if (!reports)
        abort();
}

BLIND static void hit(uint8_t *at)
{
    static const uint64_t edges[] = {0, 1, 2, 3, 0xff, 0xffff, 0xffffffff, 0xffffffffffffffff, 0x7fffffff};
    uint64_t old, word;
    memcpy(&old, at, 8);
    switch (draw() % 6) {
    case 0: word = edges[draw() % 9]; break;
    case 1: word = old + 1; break;
    case 2: word = old ^ 1ull << draw() % 64; break;
    case 3: word = old + 64; break;
    case 4: word = old & ~0xffffffffull | edges[draw() % 9]; break;
    default: word = draw(); break;
    }
    size_t size = draw() % 3 ? 8 : 1 + draw() % 4;
    memcpy(at, &word, size);
}

/// Writes to some places, if it is its turn.
BLIND static void wild(char here)
{
    if (here != where)
        return;
    unsigned lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    state = ((uint64_t)hi << 32 | lo) ^ (uint64_t)getpid() << 40;
    if (!always && draw() % 3 == 0)
        return;
    for (int times = 1 + draw() % 3; times > 0; times--) {
        if (orders && draw() % 40 == 0) {
            hit(orders + draw() % orders_size / 8 * 8);
        } else if (draw() % 20 == 0) {
            hit(reports + draw() % (reports_size - 8));
        } else {
            size_t *spot = spots[draw() % spots_count];
            hit(reports + spot[0] + draw() % spot[1] / 4 * 4);
        }
    }
}

static void handler(void) { wild('e'); }

__attribute__((constructor)) static void begin(int count, char **words)
{
    find();
    where = words[1][0];
    always = words[1][1] == '!';
    for (int at = 2; at + 1 < count; at += 2, spots_count++) {
        spots[spots_count][0] = strtoul(words[at], 0, 0);
        spots[spots_count][1] = strtoul(words[at + 1], 0, 0);
    }
    wild('c');
}

static void *work(void *argument)
{
    wild('t');
    pthread_mutex_lock(&lock);
    wild('l');
    counter++;
    pthread_mutex_unlock(&lock);
    wild('u');
    return argument;
}

int main(void)
{
    pthread_t one, two;
    wild('m');
    atexit(handler);
    if (where == 'f') {
        pid_t child = fork();
        if (child == 0) {
            wild('f');
            _exit(0);
        }
        waitpid(child, 0, 0);
    }
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    wild('b');
    pthread_join(one, 0);
    pthread_join(two, 0);
    wild('j');
    if (where != 'e')
        assert(counter == 3);
    return 7;
}
"#;

/// The places in the reports that a program hits: words of the beginning, names, fixed parts and events of results.
fn spots(options: &Options) -> Vec<String> {
    let layout = &options.layout;
    let mut spots = vec![(0, 64), (0, 8192), (layout.names_at - layout.reports_at, 64)];
    for slot in [0, 0, 0, 1, 2, u64::from(layout.slots) - 1] {
        let slot = layout.results_at - layout.reports_at + slot * layout.result_size;
        spots.extend([(slot, 256), (slot + layout.events_at, 1400)]);
    }
    spots.truncate(16);
    spots.iter().flat_map(|(at, size)| [at.to_string(), size.to_string()]).collect()
}

struct Tried {
    unharmed: u32,
    lost: u32,
    found: u32,
}

/// What happens without damage: the last event and the number of events.
fn honest(program: &Compiled, options: &Options) -> (Outcome, Vec<Event>) {
    let mut options = options.clone();
    options.arguments[0] = "-".into();
    let mut executor = launch(program, options).unwrap_or_else(|error| panic!("{error}"));
    let execution = executor.run(&Plan::default()).unwrap();
    assert!(execution.outcome.is_ended(), "{:?} {}", execution.outcome, execution.message);
    (execution.outcome, execution.events.to_vec())
}

fn launch(program: &Compiled, options: Options) -> Result<NativeExecutor, StartError> {
    NativeExecutor::launch(&program.program, options)
}

/// Runs `count` executions that are damaged at `place`, and looks at each.
fn hit(program: &Compiled, restart: Restart, place: &str, count: u32) -> Tried {
    let mut options = options(restart);
    options.start_within = Duration::from_secs(5);
    options.arguments = std::iter::once(place.to_owned()).chain(spots(&options)).map(Into::into).collect();
    let (outcome, events) = honest(program, &options);
    let limit = options.settings.hang_after() + Duration::from_secs(5);
    let mut tried = Tried { unharmed: 0, lost: 0, found: 0 };
    let mut executor = None;
    // What the program is does not depend on where it happens to lie: other processes have other addresses and keys.
    let shape = |events: &[Event]| -> Vec<_> {
        events.iter().map(|event| (event.thread, event.operation, event.result, event.way, event.flags)).collect()
    };
    for number in 0..count {
        let began = Instant::now();
        let running = match executor.as_mut() {
            Some(running) => running,
            None => match launch(program, options.clone()) {
                Ok(new) => executor.insert(new),
                Err(StartError::Damaged | StartError::DiedBeforeMain { .. }) => {
                    tried.lost += 1;
                    continue;
                }
                Err(error) => panic!("{restart:?} {place} {number}: {error}"),
            },
        };
        let what = format!("{restart:?} {place} {number}");
        match running.run(&Plan::default()) {
            Ok(execution) if execution.outcome == outcome => {
                assert_eq!(shape(execution.events), shape(&events), "{what}: events are forged");
                tried.unharmed += 1;
            }
            Ok(execution) => match execution.outcome {
                Outcome::Killed(Death::Damaged) => {
                    assert!(execution.message.contains("damaged the memory"), "{what}: {}", execution.message);
                    tried.lost += 1;
                }
                Outcome::Ended { ending: Ending::Crash { .. }, .. } | Outcome::Killed(Death::Signal(_)) => {
                    tried.found += 1
                }
                // The runtime has read what was written over.
                Outcome::Killed(_) | Outcome::Hang => tried.lost += 1,
                other => panic!("{what}: {other:?} is forged: {} {:?}", execution.message, shape(execution.events)),
            },
            // It did not get to `main` again.
            Err(ExecutorError::Damaged(_) | ExecutorError::CannotRun(_)) => {
                tried.lost += 1;
                executor = None;
            }
            Err(error) => panic!("{what}: {error}"),
        }
        assert!(began.elapsed() < limit, "{what}: took {:?}", began.elapsed());
    }
    tried
}

/// How many executions are damaged in all.
fn number() -> u32 {
    environment::number("HEDDLE_BOUNDARY", 2000) as u32
}

#[test]
fn no_execution_is_forged() {
    let program = build("wild.c", PROGRAM, &["-Wno-parentheses"]).unwrap();
    let share = |part: u32| (number() * part / 100).max(1);
    let mut all = Tried { unharmed: 0, lost: 0, found: 0 };
    // Executions in one process are the cheapest.
    for (restart, place, count) in [
        (Restart::Snapshot, "t", share(20)),
        (Restart::Snapshot, "l", share(20)),
        (Restart::Snapshot, "u", share(10)),
        (Restart::Snapshot, "m", share(10)),
        (Restart::Snapshot, "j", share(10)),
        (Restart::Snapshot, "e", share(5)),
        (Restart::Snapshot, "b!", share(5)),
        (Restart::Fork, "t", share(5)),
        (Restart::Fork, "f", share(5)),
        (Restart::Exec, "j!", share(3)),
        (Restart::Snapshot, "c!", share(4)),
        (Restart::Exec, "c!", share(3)),
    ] {
        let Tried { unharmed, lost, found } = hit(&program, restart, place, count);
        println!("{restart:?} {place}: {unharmed} unharmed, {lost} lost, {found} found");
        all.unharmed += unharmed;
        all.lost += lost;
        all.found += found;
    }
    // The hits are of some use.
    assert!(all.lost > all.unharmed / 10 && all.unharmed > 0, "{} lost of {}", all.lost, all.unharmed);
}
