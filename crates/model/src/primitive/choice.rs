//! Data and luck: operations that hand the program one of several values. They touch nothing.
//!
//! 1. A choice ([`CHOOSE`]): every number below a bound is explored. A plan may name the number.
//! 2. An input ([`INPUT`]): a number of a type, of which a few values are explored. A plan may give any value of the type,
//!    also one that is not among them.
//! 3. The luck of an attempt ([`ATTEMPT`]): whether it fails for no reason. It comes before the attempt, as an operation
//!    of its own. If it fails, the attempt is not made (a weak compare-exchange has still read). So an attempt that was
//!    made is what it always is, and no operation has ways that touch different things.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of choices.
pub const FAMILY: u8 = 8;
/// Chooses a number below `argument`. It is the result.
pub const CHOOSE: OpCode = OpCode::new(FAMILY, 1);
/// Chooses whether the next attempt on `object` fails spuriously (the result is 1) or is made (0).
pub const ATTEMPT: OpCode = OpCode::new(FAMILY, 2);
/// Reads a number of the type [`input_type`]. A search tries `argument` values, numbered from 0. The result is the value
/// as 64 bits, of which those that the type does not have are zero. Which value has which number is known to the owner of
/// the program's memory, who completes the result of an event that took a way.
pub const INPUT: OpCode = OpCode::new(FAMILY, 3);

/// Whether this operation hands data to the program, so that a plan may name the value.
pub const fn is_data(code: OpCode) -> bool {
    matches!(code, CHOOSE | INPUT)
}

/// The type of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum InputType {
    /// An unsigned number with this many bits, 1 to 64.
    Unsigned(u8),
    /// A signed number with this many bits, in two's complement.
    Signed(u8),
    /// A floating-point number with this many bits, 32 or 64, by its bit pattern.
    Float(u8),
}

const SIGNED: u32 = 1 << 8;
const FLOAT: u32 = 2 << 8;

impl InputType {
    const fn bits(self) -> u8 {
        match self {
            InputType::Unsigned(bits) | InputType::Signed(bits) | InputType::Float(bits) => bits,
        }
    }

    /// The bits that a value of this type has.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits() as u32)
    }
}

/// An input of this type, of which `values` values are tried.
pub const fn input(of: InputType, values: u64) -> Operation {
    let kind = match of {
        InputType::Unsigned(_) => 0,
        InputType::Signed(_) => SIGNED,
        InputType::Float(_) => FLOAT,
    };
    Operation { argument: values, detail: kind | of.bits() as u32, ..Operation::new(INPUT, ObjectId::NONE) }
}

/// The type of an [`INPUT`]. None if the operation makes no sense: an event in shared memory may be anything.
pub const fn input_type(operation: &Operation) -> Option<InputType> {
    let bits = operation.detail as u8;
    match operation.detail & !0xff {
        0 if 1 <= bits && bits <= 64 => Some(InputType::Unsigned(bits)),
        SIGNED if 1 <= bits && bits <= 64 => Some(InputType::Signed(bits)),
        FLOAT if bits == 32 || bits == 64 => Some(InputType::Float(bits)),
        _ => None,
    }
}

/// The semantics of choices.
pub struct Choices;

impl Primitive for Choices {
    fn name(&self) -> &'static str {
        "data"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            ATTEMPT => "attempt",
            INPUT => "input",
            _ => "choose",
        }
    }

    fn alternatives(&self, _: &World, _: ThreadId, operation: &Operation) -> u16 {
        if operation.code == ATTEMPT { 2 } else { operation.argument.clamp(1, u16::MAX as u64) as u16 }
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, way: u16) -> Effect {
        let fails = operation.code == ATTEMPT && way != 0;
        world.thread_mut(by).failures += fails as u32;
        Effect { result: way as u64, flags: if fails { EventFlags::SPURIOUS } else { EventFlags::NONE } }
    }

    fn given(&self, operation: &Operation, value: u64) -> Option<u64> {
        match operation.code {
            CHOOSE => Some(value).filter(|value| *value < operation.argument),
            INPUT => input_type(operation).map(|of| value & of.mask()),
            _ => None,
        }
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, NoMemory, ObjectSlot, ThreadState};

    fn take(operation: Operation, choice: Choice) -> Option<Event> {
        let mut threads = [ThreadState::default()];
        let mut objects = [ObjectSlot::default(); 16];
        let mut world = World::new(&mut threads, &mut objects, &NoMemory);
        world.announce(ThreadId::MAIN, operation, 0);
        world.accepts(ThreadId::MAIN, choice).then(|| world.take(ThreadId::MAIN, choice))
    }

    #[test]
    fn a_choice_takes_what_is_below_its_bound() {
        let choose = Operation::new(CHOOSE, ObjectId::NONE).with_argument(3);
        for (choice, result) in [
            (Choice::Way(2), Some(2)),
            (Choice::Way(3), None),
            (Choice::Value(2), Some(2)),
            (Choice::Value(3), None),
            (Choice::Value(1 << 32), None),
        ] {
            assert_eq!(take(choose, choice).map(|event| event.result), result, "{choice:?}");
        }
    }

    #[test]
    fn an_input_takes_every_value_cut_to_its_type() {
        let given = |of, value| take(input(of, 2), Choice::Value(value)).unwrap().result;
        assert_eq!(given(InputType::Unsigned(32), 3_735_928_559), 3_735_928_559);
        assert_eq!(given(InputType::Unsigned(64), u64::MAX), u64::MAX);
        assert_eq!(given(InputType::Unsigned(1), 6), 0);
        assert_eq!(given(InputType::Signed(8), -1i64 as u64), 0xff);
        assert_eq!(given(InputType::Float(64), f64::NAN.to_bits()), f64::NAN.to_bits());
        assert!(take(input(InputType::Signed(8), 2), Choice::Way(1)).is_some());
        assert!(take(input(InputType::Signed(8), 2), Choice::Way(2)).is_none(), "two values are tried");
    }

    #[test]
    fn what_was_given_is_not_searched_for_and_can_be_asked_for_again() {
        let event = take(input(InputType::Signed(16), 5), Choice::Value(0x1_2345)).unwrap();
        assert_eq!((event.choice(), event.alternatives), (Choice::Value(0x2345), 1));
        assert!(event.has_sound_choice());
        assert_eq!(take(event.operation, event.choice()), Some(event));
    }

    #[test]
    fn other_operations_take_no_value() {
        let attempt = Operation::new(ATTEMPT, ObjectId(8));
        assert!(take(attempt, Choice::Value(0)).is_none());
        assert!(take(attempt, Choice::Way(1)).is_some());
        assert!(take(Operation::new(super::super::yielding::YIELD, ObjectId::NONE), Choice::Value(0)).is_none());
    }

    #[test]
    fn damaged_events_are_recognised() {
        let choose = Operation::new(CHOOSE, ObjectId::NONE).with_argument(3);
        let good = take(choose, Choice::Value(2)).unwrap();
        assert!(good.has_sound_choice());
        assert!(!Event { result: 3, ..good }.has_sound_choice(), "a value that the operation does not take");
        assert!(!Event { operation: Operation::new(ATTEMPT, ObjectId::NONE), ..good }.has_sound_choice());
        let way = take(choose, Choice::Way(2)).unwrap();
        assert!(way.has_sound_choice());
        assert!(!Event { way: 3, ..way }.has_sound_choice(), "the fourth of three ways");
        let of = input(InputType::Unsigned(8), 2);
        let wide = Event { operation: of, way: Event::GIVEN, result: 256, ..good };
        assert!(!wide.has_sound_choice(), "a value that the type does not have");
        let nonsense = Operation { detail: 0, ..of };
        assert!(!Event { operation: nonsense, way: Event::GIVEN, result: 0, ..good }.has_sound_choice());
        for bits in 0..=u16::MAX {
            let operation = Operation { detail: u32::from(bits), ..of };
            let _ = Event { operation, way: Event::GIVEN, ..good }.has_sound_choice();
        }
    }
}
