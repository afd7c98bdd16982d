//! What a thread does when the operation of a library call was taken.

use heddle_model::primitive::{barrier, condvar, mutex, once, process, section, semaphore, thread};
use heddle_model::{Ending, Event, EventFlags, ObjectId, Operation};

use super::Tracer;
use super::calls::{Style, Waiting};
use super::thread::{Next, Stand, Then};
use crate::ir::Reg;
use crate::machine::Refusal;
use crate::memory::Value;

/// `ETIMEDOUT`.
const TIMED_OUT: u64 = 110;

impl Tracer<'_> {
    pub(crate) fn once_done(&self, object: ObjectId) -> (Operation, Next) {
        (Operation::new(once::DONE, object), Next::Call(Waiting::OnceDone))
    }

    pub(crate) fn section_end(&self) -> (Operation, Next) {
        (Operation::new(section::END, ObjectId::NONE), Next::Call(Waiting::OnceDone))
    }

    /// Gives the result of the call where the thread stands, and goes behind it.
    pub(crate) fn returns(&mut self, dst: Option<Reg>, number: i64) {
        let value = self.machine.terms.constant(32, number as u128);
        if let Some(call) = self.threads[self.current].calls.last_mut() {
            call.index += 1;
            if let Some(dst) = dst {
                call.frame.registers[dst as usize] = Some(Value::Term(value));
            }
        }
    }

    fn answers(&mut self, dst: Option<Reg>, style: Style, error: u64) -> Result<(), Refusal> {
        if style == Style::Minus && error != 0 {
            let errno = self.machine.errno(&mut self.state);
            let number = self.machine.terms.constant(32, u128::from(error));
            self.store(&errno, 4, &Value::Term(number))?;
        }
        let number = match (style, error) {
            (_, 0) => 0,
            (Style::Posix, error) => error as i64,
            (Style::C11, mutex::EBUSY) => 1,
            (Style::C11, TIMED_OUT) => 4,
            (Style::C11, _) => 2,
            (Style::Minus, _) => -1,
        };
        self.returns(dst, number);
        Ok(())
    }

    /// A library call's operation was taken. Returns the next one of the same call, if there is one.
    pub(crate) fn taken(&mut self, waiting: Waiting, event: &Event) -> Stand {
        if event.flags.contains(EventFlags::TIMED_OUT) && !event.flags.contains(EventFlags::QUIESCENT) {
            self.timeouts[self.current] += 1;
        }
        match waiting {
            Waiting::Returns(dst, style) => {
                // The result of a wait for a semaphore is its count, unless it failed.
                let counts = event.operation.code.family() == semaphore::FAMILY;
                let error = if counts && !event.failed() { 0 } else { event.result & 0xffff };
                self.answers(dst, style, error)?;
            }
            Waiting::Create { child, function, argument, dst } => {
                self.begin(child, function, argument);
                self.returns(dst, 0);
            }
            Waiting::Join { child, target, c11, dst } => {
                if event.failed() {
                    self.answers(dst, if c11 { Style::C11 } else { Style::Posix }, event.result)?;
                    return Ok(None);
                }
                if let Some(target) = target {
                    let value = match self.threads[child].result.clone() {
                        Some(value) => value,
                        None => Value::Term(self.machine.terms.constant(64, 0)),
                    };
                    let size = if c11 { 4 } else { 8 };
                    let value = match value {
                        Value::Pointer(pointer) if size == 8 => Value::Pointer(pointer),
                        other => {
                            let bits = self.machine.value_bits(&other)?;
                            Value::Term(self.machine.resize(bits, size * 8, false))
                        }
                    };
                    self.store(&target, u32::from(size), &value)?;
                }
                self.returns(dst, 0);
            }
            Waiting::Sleep { condition, mutex, kind, timed, style, dst } => {
                if event.failed() {
                    self.answers(dst, style, event.result)?;
                    return Ok(None);
                }
                let object = ObjectId(condition);
                if timed {
                    let awaken = Operation { detail: condvar::TIMED, ..Operation::new(condvar::AWAKEN, object) };
                    let awaken = self.timed(awaken, true);
                    return self.with(awaken, Waiting::Awaken { mutex, kind, style, dst });
                }
                let again =
                    Operation { detail: kind, ..Operation::new(condvar::REACQUIRE, object).with_argument(mutex) };
                return self.with(again, Waiting::Reacquire(dst));
            }
            Waiting::Reacquire(dst) => self.returns(dst, 0),
            Waiting::Awaken { mutex, kind, style, dst } => {
                let result = if event.flags.contains(EventFlags::TIMED_OUT) { TIMED_OUT } else { 0 };
                if result != 0 {
                    self.loops_are_open();
                }
                let lock = Operation { detail: kind, ..Operation::new(mutex::LOCK, ObjectId(mutex)) };
                return self.with(lock, Waiting::Relock { result, style, dst });
            }
            Waiting::Relock { result, style, dst } => self.answers(dst, style, result)?,
            Waiting::Value { target, dst } => {
                let value = self.machine.terms.constant(32, u128::from(event.result));
                self.store(&target, 4, &Value::Term(value))?;
                self.returns(dst, 0);
            }
            Waiting::Arrive(address, dst) => {
                return self.with(Operation::new(barrier::LEAVE, ObjectId(address)), Waiting::Leave(dst));
            }
            Waiting::Leave(dst) => {
                let serial = event.flags.contains(EventFlags::COMPLETES);
                self.returns(dst, if serial { -1 } else { 0 });
            }
            Waiting::Once { object, function, dst } => {
                if event.failed() || event.result != 1 {
                    self.returns(dst, 0);
                    return Ok(None);
                }
                if let Some(dst) = dst {
                    let zero = self.machine.terms.constant(32, 0);
                    if let Some(call) = self.running_mut().calls.last_mut() {
                        call.frame.registers[dst as usize] = Some(Value::Term(zero));
                    }
                }
                self.push(function, Vec::new(), None, Then::Once(object))?;
            }
            Waiting::OnceDone => {
                if let Some(call) = self.running_mut().calls.last_mut() {
                    call.index += 1;
                }
            }
            Waiting::Section { call } => match call {
                Some((function, values, dst)) => self.push(function, values, dst, Then::Section)?,
                None => self.returns(None, 0),
            },
            Waiting::Gone if event.operation.code == thread::EXIT => {
                let last = Operation::new(thread::LAST, ObjectId::thread(self.thread_id()));
                return self.with(last, Waiting::Gone);
            }
            Waiting::Gone => {
                let zero = self.machine.terms.constant(32, 0);
                self.running_mut().status = Some(zero);
                return Ok(Some((process::end(Ending::Exit { status: 0 }), Next::Exit)));
            }
        }
        Ok(None)
    }
}
