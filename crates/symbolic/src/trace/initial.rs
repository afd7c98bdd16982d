//! Primitives that are used before they are initialised: the model takes them for new ones, the runtime looks at their memory.

use heddle_model::primitive::{barrier, condvar, mutex, rwlock, semaphore};
use heddle_model::{Event, Misuse};

use super::Tracer;
use crate::machine::Refusal;
use crate::memory::{Key, ObjId};

/// How many bytes of a primitive of the C library are zeros if it was initialised statically and has nothing special.
const LOOKED_AT: u64 = 24;

impl Tracer<'_> {
    /// Notes who initialises what, and says what is wrong with a use of something that nobody has initialised.
    pub(super) fn uninitialised(&mut self, event: &Event) -> Result<Option<Misuse>, Refusal> {
        let (code, object) = (event.operation.code, event.operation.object.0);
        match code {
            mutex::INIT | condvar::INIT | rwlock::INIT | semaphore::INIT | barrier::INIT => {
                self.initialised.insert(object);
                return Ok(None);
            }
            _ if self.initialised.contains(&object) => return Ok(None),
            _ => {}
        }
        match code.family() {
            // These have no static initialisation.
            semaphore::FAMILY | barrier::FAMILY => Ok(Some(Misuse::Uninitialised)),
            mutex::FAMILY | condvar::FAMILY | rwlock::FAMILY => {
                let base = ObjId::near(object);
                let global = base.is_some_and(|base| matches!(self.machine.objects[base].key, Key::Global(_)));
                if !global {
                    for at in (0..LOOKED_AT).step_by(8) {
                        if self.cell(object + at, 8)? != Some(0) {
                            return self.machine.refuse("a primitive that was not initialised where it is seen");
                        }
                    }
                }
                self.initialised.insert(object);
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}
