//! Races between many threads in a few bytes: more accesses are in force at once than a place of memory has room for at first,
//! of all sizes, side by side and over one another.
//!
//! The threads of a round are ordered by nothing, those of two rounds by joins. So there is one execution, and it has a race exactly
//! where two threads of one round touch one byte and one of them writes it.

use std::fmt::Write;

use crate::common::{Session, seed};

/// What a thread does is an argument: words like `r4@8`, read four bytes at eight. `|` begins the next thread, `/` the next round.
const SOURCE: &str = r#"
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static _Alignas(16) unsigned char bytes[48];
static char *script;

#define ACCESS(TYPE)                                                                                                     \
    do {                                                                                                                 \
        volatile TYPE *place = (volatile TYPE *)(bytes + at);                                                            \
        if (writes)                                                                                                      \
            *place = 0;                                                                                                  \
        else                                                                                                             \
            (void)*place;                                                                                                \
    } while (0)

static void *work(void *words)
{
    for (const char *word = words; *word == 'r' || *word == 'w'; word += 5) {
        int writes = word[0] == 'w', at = (word[3] - '0') * 10 + word[4] - '0';
        switch (word[1]) {
        case '1': ACCESS(uint8_t); break;
        case '2': ACCESS(uint16_t); break;
        case '4': ACCESS(uint32_t); break;
        case '8': ACCESS(uint64_t); break;
        }
    }
    return NULL;
}

int main(int count, char **arguments)
{
    script = arguments[count - 1];
    while (*script) {
        pthread_t threads[32];
        int many = 0;
        do {
            pthread_create(&threads[many++], NULL, work, script);
            script += strcspn(script, "|/");
        } while (*script++ == '|');
        for (int i = 0; i < many; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}
"#;

#[derive(Clone, Copy)]
struct Access {
    at: usize,
    size: usize,
    writes: bool,
}

impl Access {
    fn races_with(self, other: Access) -> bool {
        (self.writes || other.writes) && self.at < other.at + other.size && other.at < self.at + self.size
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

type Round = Vec<Vec<Access>>;

/// Each byte belongs to one thread, which alone writes it, or to nobody, and is read by all.
fn without_races(random: &mut Random) -> Vec<Round> {
    let round = |random: &mut Random| {
        let threads = 2 + random.below(11);
        let owners: Vec<usize> = (0..48).map(|_| random.below(threads * 3)).collect();
        let may = |thread: usize, access: &Access| {
            let mut owners = owners[access.at..access.at + access.size].iter();
            if access.writes {
                owners.all(|&owner| owner == thread)
            } else {
                owners.all(|&owner| owner == thread || owner >= threads)
            }
        };
        (0..threads)
            .map(|thread| {
                let drawn = (0..80).map(|_| {
                    let size = 1 << random.below(4);
                    Access { at: random.below(48 / size) * size, size, writes: random.below(3) == 0 }
                });
                drawn.filter(|access| may(thread, access)).collect()
            })
            .collect()
    };
    (0..1 + random.below(3)).map(|_| round(random)).collect()
}

fn has_race(rounds: &[Round]) -> bool {
    rounds.iter().any(|threads| {
        let pairs =
            threads.iter().enumerate().flat_map(|(at, one)| threads[..at].iter().map(move |other| (one, other)));
        pairs.into_iter().any(|(one, other)| one.iter().any(|&one| other.iter().any(|&other| one.races_with(other))))
    })
}

fn script(rounds: &[Round]) -> String {
    let mut script = String::new();
    for round in rounds {
        for (number, thread) in round.iter().enumerate() {
            script.push_str(if number > 0 { "|" } else { "" });
            for Access { at, size, writes } in thread {
                write!(script, "{}{size}@{at:02}", if *writes { 'w' } else { 'r' }).expect("a string grows");
            }
        }
        script.push('/');
    }
    script
}

fn must_agree(session: &Session, program: &str, rounds: &[Round]) -> bool {
    let (race, script) = (has_race(rounds), script(rounds));
    let run = session.check([program, "--minimise", "off", "--", &script]);
    let json = run.json();
    if race {
        assert_eq!(json["findings"][0]["kind"], "data-race", "{script}\n{run}");
    } else {
        assert_eq!((json["verdict"].as_str(), json["executions"].as_u64()), (Some("safe"), Some(1)), "{script}\n{run}");
    }
    race
}

#[test]
fn as_the_bytes_say() {
    let session = Session::new();
    let (source, program) = (session.write("crowd.c", SOURCE), session.path("crowd").display().to_string());
    session.run(["cc", "-g", &source.display().to_string(), "-o", &program]).must_say(0, &[]);
    let mut random = Random(seed(0x2545_f491_4f6c_dd1d).max(1));
    let mut raced = 0;
    for _ in 0..60 {
        let mut rounds = without_races(&mut random);
        must_agree(&session, &program, &rounds);
        // One access more, or one that becomes a write: mostly it races.
        for _ in 0..2 {
            let at = random.below(rounds.len());
            let thread = random.below(rounds[at].len());
            let size = 1 << random.below(4);
            let access = Access { at: random.below(48 / size) * size, size, writes: random.below(2) == 0 };
            let place = random.below(rounds[at][thread].len() + 1);
            rounds[at][thread].insert(place, access);
            raced += u32::from(must_agree(&session, &program, &rounds));
        }
    }
    assert!(raced > 40, "{raced} of 120 have a race");
}
