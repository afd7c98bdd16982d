//! Library calls that other threads can tell: which operation each is, and what its thread does when it was taken.

use heddle_model::primitive::{barrier, condvar, mutex, once, rwlock, section, semaphore, spin, thread, yielding};
use heddle_model::{ObjectId, OpCode, Operation, ThreadId};

use super::Tracer;
use super::thread::{Next, Stand};
use crate::ir::{FuncId, Operand, Reg};
use crate::machine::{Kind, Refusal};
use crate::memory::{Key, ObjId, Pointer, Value, bits_of};
use crate::term::Terms;

/// What is added to a thread's number to make its handle, so that no handle is 0.
const HANDLE: u64 = 1;
/// Where a mutex of the C library holds its kind.
const KIND: u64 = 16;

/// How a call tells that it failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// It returns an error number.
    Posix,
    /// It returns one of C11's numbers.
    C11,
    /// It returns -1.
    Minus,
}

/// A call whose operation is next, or has been taken.
#[derive(Clone, Debug)]
pub(crate) enum Waiting {
    /// It returns what the operation says.
    Returns(Option<Reg>, Style),
    /// It creates a thread.
    Create { child: usize, function: FuncId, argument: Value, dst: Option<Reg> },
    /// It waits for a thread, and stores what that returned.
    Join { child: usize, target: Option<Pointer>, c11: bool, dst: Option<Reg> },
    /// It falls asleep: then it is woken by itself or by others.
    Sleep { condition: u64, mutex: u64, kind: u32, timed: bool, style: Style, dst: Option<Reg> },
    /// It wakes up and takes the mutex in one operation.
    Reacquire(Option<Reg>),
    /// It wakes up, and takes the mutex after that.
    Awaken { mutex: u64, kind: u32, style: Style, dst: Option<Reg> },
    /// It takes the mutex after a wait that ended in this way.
    Relock { result: u64, style: Style, dst: Option<Reg> },
    /// It stores the count of a semaphore.
    Value { target: Pointer, dst: Option<Reg> },
    /// It arrives at a barrier.
    Arrive(u64, Option<Reg>),
    /// It leaves a barrier.
    Leave(Option<Reg>),
    /// It runs a function once.
    Once { object: ObjectId, function: FuncId, dst: Option<Reg> },
    /// The function has run.
    OnceDone,
    /// It begins an atomic section, and calls a function in it.
    Section { call: Option<(FuncId, Vec<Value>, Option<Reg>)> },
    /// It ends the thread.
    Gone,
}

impl Tracer<'_> {
    /// The operation of a call of a library function that others can tell. Otherwise nothing; `skip_call` is set if the call was made.
    pub(crate) fn library(&mut self, function: FuncId, dst: Option<Reg>, args: &[Operand]) -> Stand {
        let code = self.code(function);
        let name = code.name.as_str();
        if !code.blocks.is_empty() {
            if name.starts_with("__VERIFIER_atomic_") {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.value(arg)?);
                }
                let waiting = Waiting::Section { call: Some((function, values, dst)) };
                return Ok(Some((Operation::new(section::BEGIN, ObjectId::NONE), Next::Call(waiting))));
            }
            return Ok(None);
        }
        self.loops_look(name);
        let posix = Waiting::Returns(dst, Style::Posix);
        let c11 = Waiting::Returns(dst, Style::C11);
        let minus = Waiting::Returns(dst, Style::Minus);
        match name {
            "pthread_create" => self.create(args, (0, 2, 3), dst),
            "thrd_create" => self.create(args, (0, 1, 2), dst),
            "pthread_join" => self.join_thread(args, false, dst),
            "thrd_join" => self.join_thread(args, true, dst),
            "pthread_detach" | "thrd_detach" => match self.thread_of(args)? {
                Ok(child) => self.with(Operation::new(thread::DETACH, ObjectId::thread(ThreadId(child as u16))), posix),
                Err(next) => Ok(next),
            },
            "pthread_exit" | "thrd_exit" => {
                let value = self.value(&args[0])?;
                self.running_mut().result = Some(value);
                self.end_thread()
            }
            "sched_yield" | "pthread_yield" | "thrd_yield" => {
                self.with(Operation::new(yielding::YIELD, ObjectId::NONE), posix)
            }
            "pthread_mutexattr_settype" => self.set_type(args, dst),
            "pthread_mutexattr_setrobust"
            | "pthread_mutexattr_setprotocol"
            | "pthread_cancel"
            | "pthread_setcancelstate"
            | "pthread_setcanceltype"
            | "pthread_testcancel"
            | "pthread_kill" => self.machine.refuse(format!("the function {name}")),
            "pthread_mutex_init" => {
                let kind = self.attribute(args)?;
                self.mutex_init(args, kind, posix)
            }
            "mtx_init" => {
                let value = self.value(&args[1])?;
                let kind = self.constant_of(&value)?;
                self.mutex_init(args, u32::from(kind & 1 != 0) * mutex::RECURSIVE, c11)
            }
            "pthread_mutex_lock" => self.on_mutex(mutex::LOCK, args, false, posix),
            "mtx_lock" => self.on_mutex(mutex::LOCK, args, false, c11),
            "pthread_mutex_trylock" => self.on_mutex(mutex::TRYLOCK, args, false, posix),
            "mtx_trylock" => self.on_mutex(mutex::TRYLOCK, args, false, c11),
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => self.on_mutex(mutex::TIMEDLOCK, args, true, posix),
            "mtx_timedlock" => self.on_mutex(mutex::TIMEDLOCK, args, true, c11),
            "pthread_mutex_unlock" => self.on_mutex(mutex::UNLOCK, args, false, posix),
            "mtx_unlock" => self.on_mutex(mutex::UNLOCK, args, false, c11),
            "pthread_mutex_destroy" => self.on_mutex(mutex::DESTROY, args, false, posix),
            "mtx_destroy" => self.on_mutex(mutex::DESTROY, args, false, c11),
            "pthread_spin_init" => self.on(spin::INIT, args, false, posix),
            "pthread_spin_lock" => self.on(spin::LOCK, args, false, posix),
            "pthread_spin_trylock" => self.on(spin::TRYLOCK, args, false, posix),
            "pthread_spin_unlock" => self.on(spin::UNLOCK, args, false, posix),
            "pthread_spin_destroy" => self.on(spin::DESTROY, args, false, posix),
            "pthread_rwlock_init" => self.on(rwlock::INIT, args, false, posix),
            "pthread_rwlock_rdlock" => self.on(rwlock::READ_LOCK, args, false, posix),
            "pthread_rwlock_tryrdlock" => self.on(rwlock::TRY_READ_LOCK, args, false, posix),
            "pthread_rwlock_timedrdlock" => self.on(rwlock::TIMED_READ_LOCK, args, true, posix),
            "pthread_rwlock_wrlock" => self.on(rwlock::WRITE_LOCK, args, false, posix),
            "pthread_rwlock_trywrlock" => self.on(rwlock::TRY_WRITE_LOCK, args, false, posix),
            "pthread_rwlock_timedwrlock" => self.on(rwlock::TIMED_WRITE_LOCK, args, true, posix),
            "pthread_rwlock_unlock" => self.on(rwlock::UNLOCK, args, false, posix),
            "pthread_rwlock_destroy" => self.on(rwlock::DESTROY, args, false, posix),
            "pthread_cond_init" => self.on(condvar::INIT, args, false, posix),
            "cnd_init" => self.on(condvar::INIT, args, false, c11),
            "pthread_cond_signal" => self.on(condvar::SIGNAL, args, false, posix),
            "cnd_signal" => self.on(condvar::SIGNAL, args, false, c11),
            "pthread_cond_broadcast" => self.on(condvar::BROADCAST, args, false, posix),
            "cnd_broadcast" => self.on(condvar::BROADCAST, args, false, c11),
            "pthread_cond_destroy" => self.on(condvar::DESTROY, args, false, posix),
            "cnd_destroy" => self.on(condvar::DESTROY, args, false, c11),
            "pthread_cond_wait" => self.sleep(args, false, Style::Posix, dst),
            "cnd_wait" => self.sleep(args, false, Style::C11, dst),
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => self.sleep(args, true, Style::Posix, dst),
            "cnd_timedwait" => self.sleep(args, true, Style::C11, dst),
            "sem_init" => {
                let value = self.value(&args[2])?;
                let count = self.constant_of(&value)?;
                if count & 0xffff_ffff > i32::MAX as u64 {
                    return self.machine.refuse("a semaphore with a count that it cannot have");
                }
                match self.object(args, 0)? {
                    Ok(address) => {
                        let init =
                            Operation::new(semaphore::INIT, ObjectId(address)).with_argument(count & 0xffff_ffff);
                        self.with(init, minus)
                    }
                    Err(next) => Ok(next),
                }
            }
            "sem_wait" => self.on(semaphore::WAIT, args, false, Waiting::Returns(dst, Style::Posix)),
            "sem_trywait" => self.on(semaphore::TRYWAIT, args, false, minus),
            "sem_timedwait" | "sem_clockwait" => self.on(semaphore::TIMEDWAIT, args, true, minus),
            "sem_post" => self.on(semaphore::POST, args, false, minus),
            "sem_destroy" => self.on(semaphore::DESTROY, args, false, minus),
            "sem_getvalue" => {
                let target = self.pointer(&args[1])?;
                self.on(semaphore::GETVALUE, args, false, Waiting::Value { target, dst })
            }
            "pthread_barrier_init" => {
                let value = self.value(&args[2])?;
                let count = self.constant_of(&value)?;
                if count & 0xffff_ffff == 0 {
                    self.machine.check(&mut self.state, Kind::Misuse, Terms::FALSE, "a barrier of nobody");
                    self.skip_call = true;
                    return Ok(None);
                }
                match self.object(args, 0)? {
                    Ok(address) => {
                        let init = Operation::new(barrier::INIT, ObjectId(address)).with_argument(count & 0xffff_ffff);
                        self.with(init, posix)
                    }
                    Err(next) => Ok(next),
                }
            }
            "pthread_barrier_wait" => match self.object(args, 0)? {
                Ok(address) => {
                    self.with(Operation::new(barrier::ARRIVE, ObjectId(address)), Waiting::Arrive(address, dst))
                }
                Err(next) => Ok(next),
            },
            "pthread_barrier_destroy" => self.on(barrier::DESTROY, args, false, posix),
            "pthread_once" | "call_once" => {
                let target = self.pointer(&args[1])?;
                let base = self.one_place(&target).and_then(|(base, _)| base);
                let Some(Key::Function(function)) = base.map(|base| self.machine.objects[base].key.clone()) else {
                    return self.machine.refuse("an initialisation by one of several functions");
                };
                match self.object(args, 0)? {
                    Ok(address) => {
                        let object = ObjectId(address);
                        self.with(Operation::new(once::BEGIN, object), Waiting::Once { object, function, dst })
                    }
                    Err(next) => Ok(next),
                }
            }
            "__VERIFIER_atomic_begin" | "heddle_atomic_begin" => {
                self.with(Operation::new(section::BEGIN, ObjectId::NONE), Waiting::Section { call: None })
            }
            "__VERIFIER_atomic_end" | "heddle_atomic_end" => {
                self.with(Operation::new(section::END, ObjectId::NONE), Waiting::Returns(dst, Style::Posix))
            }
            _ => Ok(None),
        }
    }

    /// Whether loops go on can be decided by others after an attempt.
    fn loops_look(&mut self, name: &str) {
        if name.contains("try") || name.contains("timed") || name == "sem_getvalue" {
            self.loops_are_open();
        }
    }

    pub(super) fn with(&mut self, operation: Operation, waiting: Waiting) -> Stand {
        Ok(Some((operation, Next::Call(waiting))))
    }

    /// An operation on the object that the first argument points to.
    fn on(&mut self, code: OpCode, args: &[Operand], timed: bool, waiting: Waiting) -> Stand {
        match self.object(args, 0)? {
            Ok(address) => {
                let operation = self.timed(Operation::new(code, ObjectId(address)), timed);
                self.with(operation, waiting)
            }
            Err(next) => Ok(next),
        }
    }

    fn on_mutex(&mut self, code: OpCode, args: &[Operand], timed: bool, waiting: Waiting) -> Stand {
        match self.object(args, 0)? {
            Ok(address) => {
                let detail = self.kind_of(address)?;
                let operation = Operation { detail, ..Operation::new(code, ObjectId(address)) };
                let operation = self.timed(operation, timed);
                self.with(operation, waiting)
            }
            Err(next) => Ok(next),
        }
    }

    /// A thread may time out a few times while others could go on.
    pub(super) fn timed(&mut self, operation: Operation, timed: bool) -> Operation {
        let may = self.timeouts[self.current] < self.latitude.timeouts;
        self.patient |= timed && !may;
        if timed && may { operation.impatient() } else { operation }
    }

    /// The address of the object that an argument points to; otherwise where the thread stands.
    #[allow(clippy::type_complexity)]
    fn object(&mut self, args: &[Operand], index: usize) -> Result<Result<u64, Option<(Operation, Next)>>, Refusal> {
        let Some(arg) = args.get(index) else { return self.machine.refuse("a call with too few arguments") };
        let pointer = self.pointer(arg)?;
        let one = self.machine.terms.constant(64, 1);
        self.allow(true);
        let checked = self.machine.checked(&mut self.state, &pointer, one, true);
        self.allow(false);
        checked?;
        if self.state.guard == Terms::FALSE {
            // What was checked does not hold, and says so.
            self.skip_call = true;
            return Ok(Err(None));
        }
        match self.one_place(&pointer) {
            Some((Some(base), offset)) => Ok(Ok(base.address() + offset)),
            Some((None, _)) => self.machine.refuse("an object that is nowhere"),
            None => self.split(arg, &pointer, 1).map(Err),
        }
    }

    pub(super) fn cell(&mut self, address: u64, size: u32) -> Result<Option<u64>, Refusal> {
        let Some(base) = ObjId::near(address) else { return Ok(None) };
        let offset = address - base.address();
        if self.machine.terms.interval(self.machine.objects[base].size).1 < u128::from(offset) + u128::from(size) {
            return Ok(None);
        }
        let mut contents = self.machine.contents(&mut self.state, base)?.clone();
        let (value, _) = contents.read(&mut self.machine.terms, offset, size);
        let bits = bits_of(&mut self.machine.terms, &value);
        Ok(bits.and_then(|bits| self.machine.terms.as_constant(bits)).map(|bits| bits as u64))
    }

    pub(super) fn store(&mut self, pointer: &Pointer, size: u32, value: &Value) -> Result<(), Refusal> {
        let bytes = self.machine.terms.constant(64, u128::from(size));
        self.allow(true);
        let alternatives = self.machine.checked(&mut self.state, pointer, bytes, true);
        let stored = match alternatives {
            Ok(list) => self.machine.store_bytes(&mut self.state, &list, size, value, true),
            Err(refusal) => Err(refusal),
        };
        self.allow(false);
        stored
    }

    fn constant_of(&mut self, value: &Value) -> Result<u64, Refusal> {
        let bits = self.machine.value_bits(value)?;
        match self.machine.terms.as_constant(bits) {
            Some(number) => Ok(number as u64),
            None => self.machine.refuse("a count or a kind that depends on an input"),
        }
    }

    /// The kind of a mutex: the C library has it in the mutex, also when it was initialised statically.
    fn kind_of(&mut self, mutex: u64) -> Result<u32, Refusal> {
        match self.cell(mutex + KIND, 4)? {
            Some(kind @ 0..=3) => Ok(kind as u32 % 3),
            Some(_) => self.machine.refuse("a mutex that is robust or has a protocol"),
            // Not initialised.
            None => Ok(mutex::NORMAL),
        }
    }

    /// The kind of mutex that an attribute asks for.
    fn attribute(&mut self, args: &[Operand]) -> Result<u32, Refusal> {
        let pointer = self.pointer(&args[1])?;
        match self.one_place(&pointer) {
            Some((None, _)) => Ok(mutex::NORMAL),
            Some((Some(base), offset)) => Ok(self.cell(base.address() + offset, 4)?.unwrap_or(0) as u32 & 3),
            None => self.machine.refuse("one of several attributes of a mutex"),
        }
    }

    fn set_type(&mut self, args: &[Operand], dst: Option<Reg>) -> Stand {
        let (pointer, value) = (self.pointer(&args[0])?, self.value(&args[1])?);
        self.store(&pointer, 4, &value)?;
        self.returns(dst, 0);
        self.skip_call = true;
        Ok(None)
    }

    fn mutex_init(&mut self, args: &[Operand], kind: u32, waiting: Waiting) -> Stand {
        match self.object(args, 0)? {
            Ok(address) => {
                if let Some(base) = ObjId::near(address) {
                    let offset = self.machine.terms.constant(64, u128::from(address - base.address() + KIND));
                    let value = self.machine.terms.constant(32, u128::from(kind));
                    self.store(&Pointer::new(base, offset), 4, &Value::Term(value))?;
                }
                let init = Operation { detail: kind, ..Operation::new(mutex::INIT, ObjectId(address)) };
                self.with(init, waiting)
            }
            Err(next) => Ok(next),
        }
    }

    fn create(
        &mut self,
        args: &[Operand],
        (handle, function, argument): (usize, usize, usize),
        dst: Option<Reg>,
    ) -> Stand {
        let target = self.pointer(&args[function])?;
        let base = match self.one_place(&target) {
            Some((base, _)) => base,
            None => return self.split(&args[function], &target, 1),
        };
        let Some(Key::Function(code)) = base.map(|base| self.machine.objects[base].key.clone()) else {
            self.machine.check(&mut self.state, Kind::Null, Terms::FALSE, "a thread that runs no function");
            self.skip_call = true;
            return Ok(None);
        };
        if self.code(code).blocks.is_empty() {
            let name = &self.code(code).name;
            return self.machine.refuse(format!("a thread that runs {name}"));
        }
        let child = self.next_child()?;
        let handle = self.pointer(&args[handle])?;
        let number = self.machine.terms.constant(64, child as u128 + u128::from(HANDLE));
        self.store(&handle, 8, &Value::Term(number))?;
        let argument = self.value(&args[argument])?;
        let waiting = Waiting::Create { child, function: code, argument, dst };
        self.with(Operation::new(thread::CREATE, ObjectId::thread(ThreadId(child as u16))), waiting)
    }

    /// The thread that the first argument names; otherwise where this one stands.
    #[allow(clippy::type_complexity)]
    fn thread_of(&mut self, args: &[Operand]) -> Result<Result<usize, Option<(Operation, Next)>>, Refusal> {
        let handle = self.value(&args[0])?;
        let bits = self.machine.value_bits(&handle)?;
        if let Some(number) = self.machine.terms.as_constant(bits) {
            let number = (number as u64).wrapping_sub(HANDLE);
            if (number as usize) < self.threads.len() {
                return Ok(Ok(number as usize));
            }
            self.machine.check(&mut self.state, Kind::Misuse, Terms::FALSE, "a join of something that is no thread");
            self.skip_call = true;
            return Ok(Err(None));
        }
        let Operand::Reg(reg) = &args[0] else { return self.machine.refuse("a constant with several values") };
        let mut ways = Vec::new();
        let mut rest = Terms::TRUE;
        for number in 0..self.threads.len() {
            let own = self.machine.terms.constant(64, number as u128 + u128::from(HANDLE));
            let same = self.machine.terms.eq(bits, own);
            let not = self.machine.terms.not(same);
            rest = self.machine.terms.and(rest, not);
            if self.possible_with(same) {
                ways.push((same, super::thread::Way::Pin(*reg, Value::Term(own))));
            }
        }
        if self.possible_with(rest) {
            let none = self.machine.terms.constant(64, 0);
            ways.push((rest, super::thread::Way::Pin(*reg, Value::Term(none))));
        }
        Ok(Err(Some(self.choice(ways))))
    }

    fn join_thread(&mut self, args: &[Operand], c11: bool, dst: Option<Reg>) -> Stand {
        match self.thread_of(args)? {
            Ok(child) => {
                let target = self.pointer(&args[1])?;
                let null = matches!(target.alternatives(), [only] if only.base.is_none());
                let waiting = Waiting::Join { child, target: (!null).then_some(target), c11, dst };
                self.with(Operation::new(thread::JOIN, ObjectId::thread(ThreadId(child as u16))), waiting)
            }
            Err(next) => Ok(next),
        }
    }

    /// The thread ends where it is.
    fn end_thread(&mut self) -> Stand {
        for call in std::mem::take(&mut self.running_mut().calls) {
            for local in call.frame.locals {
                if self.current != 0 {
                    self.allow(true);
                    let ended = self.machine.end_object(&mut self.state, local, Terms::TRUE);
                    self.allow(false);
                    ended?;
                }
            }
        }
        let me = ObjectId::thread(self.thread_id());
        let lingers = u64::from(self.current == 0);
        let waiting = if lingers == 1 { Next::Call(Waiting::Gone) } else { Next::Exit };
        Ok(Some((Operation::new(thread::EXIT, me).with_argument(lingers), waiting)))
    }

    fn sleep(&mut self, args: &[Operand], timed: bool, style: Style, dst: Option<Reg>) -> Stand {
        let condition = match self.object(args, 0)? {
            Ok(address) => address,
            Err(next) => return Ok(next),
        };
        let mutex = match self.object(args, 1)? {
            Ok(address) => address,
            Err(next) => return Ok(next),
        };
        let kind = self.kind_of(mutex)?;
        let detail = kind | if timed { condvar::SELF_WAKING } else { 0 };
        let operation = Operation { detail, ..Operation::new(condvar::WAIT, ObjectId(condition)).with_argument(mutex) };
        self.with(operation, Waiting::Sleep { condition, mutex, kind, timed, style, dst })
    }

    pub(super) fn allow(&mut self, allowed: bool) {
        if let Some(watch) = &mut self.machine.watch {
            watch.allowed = allowed;
        }
    }
}
