//! What functions mean that the program calls and does not define.
//!
//! One file for each family; a function that none of them knows is refused with its name and the line of the call.

mod intrinsic;
mod pthread;
mod stdlib;
mod string;
mod verifier;

use crate::ir::{FuncId, Type, TypeId};
use crate::machine::{Frame, Machine, Refusal, State};
use crate::memory::{Contents, Key, ObjId, Rest, Value};
use crate::term::TermId;

/// What a model answers: the value that the function returns, or that it does not know the function.
pub(crate) enum Answer {
    /// The function returns this.
    Returns(Option<Value>),
    /// Another family may know the function.
    Unknown,
}

/// A call of a function that is not defined.
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) args: &'a [Value],
    pub(crate) result: TypeId,
}

impl Machine<'_> {
    /// Calls a function: its code if the program has it, else its model.
    pub(crate) fn call_function(
        &mut self,
        _frame: &mut Frame,
        state: &mut State,
        function: FuncId,
        args: Vec<Value>,
        result: TypeId,
    ) -> Result<Option<Value>, Refusal> {
        let module = self.module;
        let code = &module.functions[function as usize];
        if self.is_quiet() && code.name.starts_with("__VERIFIER_atomic_") {
            return self.visible("an atomic section");
        }
        if !code.blocks.is_empty() {
            return self.call(function, args, state);
        }
        let call = Call { name: &code.name, args: &args, result };
        for family in [Self::intrinsic, Self::verifier, Self::pthread, Self::stdlib, Self::string] {
            if let Answer::Returns(value) = family(self, state, &call)? {
                if !call.name.starts_with("llvm.") {
                    self.modelled.insert(call.name.to_owned());
                }
                return Ok(value);
            }
        }
        self.refuse(format!("the function {}", call.name))
    }

    /// A number as a value of the type that a call returns; none if it returns nothing.
    pub(crate) fn returned(&mut self, call: &Call<'_>, number: u128) -> Option<Value> {
        match &self.module.types[call.result as usize] {
            Type::Void => None,
            Type::Int(1) => Some(Value::Term(self.terms.bool(number != 0))),
            _ => {
                let width = self.module.bits(call.result).unwrap_or(32) as u8;
                Some(Value::Term(self.terms.constant(width, number)))
            }
        }
    }

    /// The bits of an argument.
    pub(crate) fn arg_bits(&mut self, call: &Call<'_>, index: usize) -> Result<TermId, Refusal> {
        match call.args.get(index) {
            Some(value) => self.value_bits(value),
            None => self.refuse(format!("a call of {} with too few arguments", call.name)),
        }
    }

    /// The pointer that an argument is.
    pub(crate) fn arg_pointer(&mut self, call: &Call<'_>, index: usize) -> Result<crate::memory::Pointer, Refusal> {
        match call.args.get(index) {
            Some(value) => self.value_pointer(value),
            None => self.refuse(format!("a call of {} with too few arguments", call.name)),
        }
    }

    /// An argument that must be a number.
    pub(crate) fn arg_constant(&mut self, call: &Call<'_>, index: usize) -> Result<u64, Refusal> {
        let bits = self.arg_bits(call, index)?;
        match self.terms.as_constant(bits) {
            Some(value) => Ok(value as u64),
            None => self
                .refuse(format!("a call of {} with a size that depends on an input or on another thread", call.name)),
        }
    }

    /// A new object of the library's.
    pub(crate) fn library_object(&mut self, state: &mut State, size: TermId) -> ObjId {
        let count = self.library_made.entry(self.current).or_insert(0);
        let key = Key::Library(self.current, *count);
        *count += 1;
        let object = self.objects.intern(key, size, false, self.site);
        state.memory.set(object, Contents::new(Rest::Zero));
        object
    }
}
