//! How the program writes the values of a step: a signed number with its sign, a truth value as a word, a pointer as what it points to.

use std::collections::BTreeMap;

use heddle_model::Operation;
use heddle_model::primitive::choice::InputType;
use heddle_model::trace::{Scalar, StepResult};

use crate::{Recording, words};

/// The values of `result` that are not written as plain numbers.
pub fn of(result: StepResult, operation: &Operation, recording: &Recording) -> BTreeMap<u64, String> {
    let known = recording.scalars.get(&operation.object).copied();
    let values = match result {
        StepResult::Value { value, .. } | StepResult::Mismatch { value, .. } => [Some(value), None],
        StepResult::Replaced { value, new, .. } => [Some(value), new],
        StepResult::NotAsleep(value) => [Some(value), None],
        _ => [None, None],
    };
    let written = |value: u64| Some((value, written(value, known, operation, recording)?));
    values.into_iter().flatten().filter_map(written).collect()
}

fn written(value: u64, known: Option<Scalar>, operation: &Operation, recording: &Recording) -> Option<String> {
    let pointee = || recording.pointees.get(&value).cloned();
    match known {
        // An operation of another width than the variable reads only a part of it, or more.
        Some(Scalar::Number(of @ (InputType::Signed(bits) | InputType::Float(bits)))) => {
            (u32::from(bits) == 8 * u32::from(operation.size)).then(|| words::input(value, of))
        }
        Some(Scalar::Number(_)) => None,
        Some(Scalar::Truth) if value <= 1 => Some((value == 1).to_string()),
        Some(Scalar::Pointer) if value == 0 => Some("null".to_string()),
        Some(Scalar::Pointer) => Some(pointee().unwrap_or_else(|| format!("{value:#x}"))),
        None if operation.size == 8 => pointee(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::primitive::atomic;
    use heddle_model::primitive::atomic::MemoryOrder::SequentiallyConsistent;
    use heddle_model::{Execution, ObjectId};

    #[test]
    fn values_are_written_as_the_program_does() {
        let mut recording = Recording::new(&Execution {
            events: &[],
            pending: &[],
            outcome: heddle_model::Outcome::Deadlock,
            circle: false,
            left: 0,
            thread: heddle_model::ThreadId::MAIN,
            message: "",
            output: &[],
            races: &[],
            states: &[],
            touches: &[],
            contents: &[],
        });
        recording.pointees.insert(5000, "&node#2".to_string());
        let mut shown = |scalar: Option<Scalar>, size: u16, value: u64, new: u64| {
            recording.scalars.clear();
            recording.scalars.extend(scalar.map(|scalar| (ObjectId(8), scalar)));
            let operation = Operation { size, ..Operation::new(atomic::RMW, ObjectId(8)) };
            let result = StepResult::Replaced { value, new: Some(new), order: SequentiallyConsistent };
            words::result(result, &words::Functions::new(), &of(result, &operation, &recording))
        };
        let int = Some(Scalar::Number(InputType::Signed(32)));
        assert_eq!(shown(int, 4, 0, 0xffff_ffff), "0 -> -1");
        assert_eq!(shown(int, 8, 0, 0xffff_ffff), "0 -> 4294967295", "more than the variable");
        assert_eq!(shown(Some(Scalar::Truth), 1, 0, 1), "false -> true");
        assert_eq!(shown(Some(Scalar::Pointer), 8, 0, 5000), "null -> &node#2");
        assert_eq!(shown(Some(Scalar::Pointer), 8, 0, 0x7000), "null -> 0x7000");
        assert_eq!(shown(None, 8, 1, 5000), "1 -> &node#2");
        assert_eq!(shown(Some(Scalar::Number(InputType::Unsigned(64))), 8, 1, 5000), "1 -> 5000", "a number is none");
    }
}
