//! Settings as text: every field is written and read.

use heddle_model::{Attention, Latitude, Order, Properties, Property, Restart, RestartMode, Settings, Values, Wakeup};

/// Settings that differ from the default in one field each. Without `..`: a new field needs a line here.
fn variations() -> Vec<Settings> {
    let usual = Settings::default();
    let Settings {
        memory_limit,
        stack_size,
        quarantine,
        hang_after_ms,
        max_steps,
        outputs,
        restart: _,
        properties,
        latitude,
        nondet: _,
    } = usual;
    let Latitude { timeouts, spurious_wakeups, spurious_failures, wakeup } = latitude;
    let Wakeup { mutex: _, cond: _, sem: _, rwlock: _ } = wakeup;
    let mut list = vec![
        Settings { memory_limit: memory_limit + 1, ..usual },
        Settings { stack_size: stack_size + 1, ..usual },
        Settings { quarantine: quarantine + 1, ..usual },
        Settings { hang_after_ms: hang_after_ms + 1, ..usual },
        Settings { max_steps: max_steps + 1, ..usual },
        Settings { outputs: !outputs, ..usual },
        Settings { restart: RestartMode::Only(Restart::Exec), ..usual },
        Settings { nondet: Values::given(&[i64::MIN, 7]).unwrap(), ..usual },
        Settings { nondet: Values::given(usual.nondet.as_slice()).unwrap(), ..usual },
    ];
    let latitudes = [
        Latitude { timeouts: timeouts + 1, ..latitude },
        Latitude { spurious_wakeups: spurious_wakeups + 1, ..latitude },
        Latitude { spurious_failures: spurious_failures + 1, ..latitude },
        Latitude { wakeup: Wakeup { mutex: Order::Fifo, ..wakeup }, ..latitude },
        Latitude { wakeup: Wakeup { cond: Order::Lifo, ..wakeup }, ..latitude },
        Latitude { wakeup: Wakeup { sem: Order::Fifo, ..wakeup }, ..latitude },
        Latitude { wakeup: Wakeup { rwlock: Order::Lifo, ..wakeup }, ..latitude },
    ];
    list.extend(latitudes.map(|latitude| Settings { latitude, ..usual }));
    for property in Property::ALL {
        list.push(Settings { properties: properties.with(property, Attention::Ignore), ..usual });
    }
    list.push(Settings { properties: Properties::NONE, ..usual });
    list
}

#[test]
fn every_field_is_written_and_read() {
    let all = variations();
    for (number, settings) in all.iter().enumerate() {
        assert_ne!(*settings, Settings::default());
        assert!(all[..number].iter().all(|other| other != settings));
        let text = serde_json::to_string(settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), *settings, "{text}");
    }
}

#[test]
fn a_field_that_is_missing_or_unknown_is_refused() {
    let text = serde_json::to_value(Settings::default()).unwrap();
    for name in text.as_object().unwrap().keys() {
        let mut less = text.clone();
        less.as_object_mut().unwrap().remove(name);
        assert!(serde_json::from_value::<Settings>(less).is_err(), "{name}");
    }
    let mut more = text.clone();
    more["speed"] = 3.into();
    assert!(serde_json::from_value::<Settings>(more).is_err());
    for wrong in
        [serde_json::json!({"given": true, "values": []}), serde_json::json!({"given": true, "values": vec![0; 65]})]
    {
        let mut changed = text.clone();
        changed["nondet"] = wrong;
        assert!(serde_json::from_value::<Settings>(changed).is_err());
    }
}
