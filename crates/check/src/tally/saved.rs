//! What was collected of a search, for a [checkpoint](crate::checkpoint) and from one.

use std::rc::Rc;

use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::{FindingKind, Plan, ThreadId};
use heddle_report::outcome::{Class, Lost};
use serde_json::{Value, json};

use crate::tally::{Candidate, Collector};

/// Why executions can be lost, by number.
const LOST: [Lost; 6] =
    [Lost::MemoryLimit, Lost::Capacity, Lost::Killed, Lost::Diverged, Lost::NeedsFork, Lost::Unfinished];

impl Collector<'_> {
    /// All of it.
    pub fn to_json(&self) -> Value {
        let mut keys: Vec<(&Vec<u64>, usize)> = self.by_key.iter().map(|(key, &at)| (key, at)).collect();
        keys.sort_by_key(|(_, at)| *at);
        json!({
            "places": *self.places,
            "keys": keys,
            "findings": self.findings.iter().map(candidate).collect::<Vec<_>>(),
            "lost": self.lost.iter().map(candidate).collect::<Vec<_>>(),
            "not_kept": self.not_kept,
            "bounded": self.bounded,
        })
    }

    /// Goes on with what was collected. None if it makes no sense.
    pub fn restore(&mut self, value: &Value) -> Option<()> {
        self.places = serde_json::from_value::<Vec<u64>>(value["places"].clone()).ok()?.into();
        self.by_key =
            serde_json::from_value::<Vec<(Vec<u64>, usize)>>(value["keys"].clone()).ok()?.into_iter().collect();
        let candidates = |name: &str| value[name].as_array()?.iter().map(candidate_of).collect::<Option<Vec<_>>>();
        self.findings = candidates("findings")?;
        self.lost = candidates("lost")?;
        self.not_kept = value["not_kept"].as_u64()?;
        self.bounded = value["bounded"].as_u64()?;
        self.by_key.values().all(|&at| at < self.findings.len()).then_some(())
    }
}

fn candidate(candidate: &Candidate) -> Value {
    let Candidate { plan, execution, count, class, message, lost, minimal, places } = candidate;
    let class = match class {
        Class::Finding(kind) => json!(kind),
        Class::Lost(why) => json!(LOST.iter().position(|known| known == why)),
        // Of the others nothing is kept while a search goes on.
        Class::Fine | Class::Assumed | Class::Redundant | Class::Unsupported | Class::Bounded => Value::Null,
    };
    json!({
        "schedule": plan.schedule,
        "sleep": plan.sleep.iter().map(|thread| thread.0).collect::<Vec<_>>(),
        "max_steps": plan.max_steps,
        "aim": plan.aim,
        "execution": execution,
        "count": count,
        "class": class,
        "message": message,
        "lost": lost,
        "minimal": minimal,
        "places": **places,
    })
}

fn candidate_of(value: &Value) -> Option<Candidate> {
    let class = match value["class"].as_u64() {
        Some(why) => Class::Lost(*LOST.get(why as usize)?),
        None => Class::Finding(serde_json::from_value::<FindingKind>(value["class"].clone()).ok()?),
    };
    let sleep: Vec<u16> = serde_json::from_value(value["sleep"].clone()).ok()?;
    let plan = Plan {
        schedule: serde_json::from_value::<Vec<Step>>(value["schedule"].clone()).ok()?,
        sleep: sleep.into_iter().map(ThreadId).collect(),
        max_steps: value["max_steps"].as_u64()? as u32,
        aim: serde_json::from_value::<Option<Race>>(value["aim"].clone()).ok()?,
        ..Plan::default()
    };
    let places: Vec<u64> = serde_json::from_value(value["places"].clone()).ok()?;
    Some(Candidate {
        plan,
        execution: value["execution"].as_u64()?,
        count: value["count"].as_u64()?,
        class,
        message: value["message"].as_str()?.to_owned(),
        lost: value["lost"].as_bool()?,
        minimal: value["minimal"].as_bool()?,
        places: Rc::from(places),
    })
}
