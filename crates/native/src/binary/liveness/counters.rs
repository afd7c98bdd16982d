//! Counters of loops that look: registers and variables that only count how often a loop has gone round.
//!
//! A thread may look at a place some times before it sleeps (`while (--spin >= 0) if (load(&x)) return;`). How many of its looks have failed
//! before one gets through is then known to nobody, not even to the thread behind the loop. For each call in such a loop this module
//! says what counts, so that the runtime can take a thread's next look for the last one once more.
//!
//! The *loop* of a call is the innermost one. Its counters are what it writes in one round and may read in the next: kept registers and
//! scalars of the frame. They only count if all of this holds; otherwise the call has none.
//!
//! * C1 Every round comes to the call, and a counter is changed in every round, by instructions that compute it from counters and constants alone.
//! * C2 Nothing else depends on them: no address, no argument, no other memory, and no branch but one, the *test*. Every round comes to
//!   the test, and on one of its two ways the loop is left.
//! * C3 Between the test and the call the loop does nothing but go on: nothing is called there that does more than announce accesses, and no
//!   way leads out. So whether a look is the last one is known only behind it, and depends on nothing that it has found.
//! * C4 Counters are dead wherever the loop is left.
//! * C5 The loop writes no memory but its frame, and nobody has pointers into that.
//! * C6 If the loop calls anything else that may look (a compare-exchange), nothing that a round writes is read where the test leaves the loop.
//!
//! *Why the looks are one.* Take an execution with looks 1 to n of such a loop. All but the last came back to the call with nothing changed but counters
//! (the runtime sees to that). If the last look leaves the loop before the test, then look 1 would have left it in the same way at that time, with
//! the same state behind it by C2 and C4: so the execution without the others is explored. If the last one is left by the test, all looks
//! could have come at the time of the last, since by C1 how many there are does not depend on what they find; with C6 also
//! where a round with two looks was among them.

use std::collections::BTreeSet;

use heddle_model::wire::KEPT;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};

use super::Image;
use super::accesses::{Accesses, Bytes};
use super::frame::{PieceSet, Pieces};
use super::graph::Node;
use super::kept::REGISTERS;

/// The largest loop that is looked at, in instructions.
const LARGEST: usize = 400;
/// General registers, in the order of their bits; then the flags; then everything else. Bits of pieces follow.
const FLAGS: usize = 16;
const VECTORS: usize = 17;
const PIECES: usize = 18;

/// What a call's loop counts with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Kept registers, as bits.
    pub registers: u32,
    /// Bytes of the frame, relative to its end.
    pub bytes: Vec<Bytes>,
}

/// What is known of the frame of a function.
pub struct Frame<'a> {
    /// The pieces of the frame, and what each instruction does to it.
    pub pieces: &'a Pieces,
    pub effects: &'a [Accesses],
    /// What is live before each instruction, and what is live everywhere.
    pub live: &'a [PieceSet],
    pub always: &'a PieceSet,
}

/// A function as far as it matters here.
pub struct Function<'a> {
    pub image: &'a Image<'a>,
    pub nodes: &'a [Node],
    /// The kept registers that are live before each instruction.
    pub live: &'a [PieceSet],
    /// `None` if the frame is not understood: then the loop must not use it.
    pub frame: Option<Frame<'a>>,
    /// The nodes before each one.
    pub earlier: &'a [Vec<usize>],
}

/// How a value depends on counters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// Not at all.
    Clean,
    /// It is computed from them and constants.
    Pure,
    /// From other values, too.
    Mixed,
}

/// What an instruction reads and writes, as numbers of locations.
#[derive(Default)]
struct Use {
    reads: Vec<usize>,
    writes: Vec<usize>,
    /// Written perhaps, or in part.
    touches: Vec<usize>,
    /// What addresses are computed from.
    addresses: Vec<usize>,
    /// Other memory, or a part of the frame that is not known, is read or written.
    reads_memory: bool,
    writes_memory: bool,
}

/// The nodes before each node.
pub fn earlier(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut earlier = vec![Vec::new(); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        node.next.iter().for_each(|&next| earlier[next].push(number));
    }
    earlier
}

/// Whether one of the calls may be a look: only then is the rest worth the time.
pub fn may_look(image: &Image<'_>, nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.is_call() && looks(image, &node.instruction))
}

/// The counters of the loop of `call`, if they only count.
pub fn of(function: &Function<'_>, call: usize) -> Option<Counters> {
    let Function { nodes, .. } = function;
    if !looks(function.image, &nodes[call].instruction) {
        return None;
    }
    let inside = innermost(function, call)?;
    let uses: Vec<(usize, Use)> =
        inside.iter().map(|&number| Some((number, function.uses(number)?))).collect::<Option<_>>()?;
    let used = |number: usize| &uses[uses.partition_point(|(at, _)| *at < number)].1;
    // C5.
    if uses.iter().any(|(_, used)| used.writes_memory) || inside.iter().any(|&number| nodes[number].leaves) {
        return None;
    }
    let others: Vec<usize> =
        inside.iter().copied().filter(|&n| n != call && nodes[n].is_call() && !function.is_neutral(n)).collect();
    let is_known = |number: &usize| {
        function.image.calls(&nodes[*number].instruction, by_value) || function.expects_in_frame(*number)
    };
    if !others.iter().all(is_known) {
        return None;
    }
    // What is written in a round and read in the next.
    let written: BTreeSet<usize> = uses
        .iter()
        .flat_map(|(_, used)| used.writes.iter().chain(&used.touches).copied())
        .filter(|&location| lasts(location))
        .collect();
    let behind = *nodes[call].next.first()?;
    let counters: BTreeSet<usize> =
        written.iter().copied().filter(|&location| function.is_live(location, behind)).collect();
    if counters.is_empty()
        || counters.contains(&number_of(Register::RBP)?)
        || counters.contains(&number_of(Register::RSP)?)
    {
        return None;
    }
    // C1: every cycle comes to the call.
    if !is_acyclic(function, &inside, call) {
        return None;
    }
    let levels = function.levels(&inside, call, &counters, used)?;
    let before = |number: usize| &levels[inside.partition_point(|&at| at < number)];
    let mut test = None;
    for &number in &inside {
        let (at, Use { reads, writes, touches, addresses, .. }) = (before(number), used(number));
        let level = |location: &usize| at.get(*location).copied().unwrap_or(Level::Clean);
        // C2: no address.
        if addresses.iter().any(|location| level(location) != Level::Clean) {
            return None;
        }
        let instruction = &nodes[number].instruction;
        if nodes[number].is_call() {
            // C2: nothing that the callee reads.
            if reads
                .iter()
                .chain(touches)
                .any(|location| level(location) != Level::Clean || counters.contains(location))
            {
                return None;
            }
            // C2: no argument.
            let count = arguments(function.image, instruction);
            if ARGUMENTS[..count].iter().filter_map(|&r| number_of(r)).any(|location| level(&location) != Level::Clean)
            {
                return None;
            }
            continue;
        }
        let found = reads.iter().map(level).max().unwrap_or(Level::Clean);
        if nodes[number].next.len() > 1 || instruction.flow_control() != FlowControl::Next {
            match found {
                Level::Clean => {}
                Level::Pure if test.is_none() => test = Some(number),
                _ => return None,
            }
        }
        // C1: only counters and constants, in every round.
        if writes.iter().any(|location| counters.contains(location)) {
            let pure = reads.iter().all(|location| level(location) == Level::Pure) && !reads.is_empty();
            if !pure || used(number).reads_memory || !is_acyclic(function, &inside, number) {
                return None;
            }
        }
        if touches.iter().any(|location| counters.contains(location)) {
            return None;
        }
    }
    let test = test?;
    // C2: every round comes to the test.
    if !is_acyclic(function, &inside, test) {
        return None;
    }
    let (stays, leaves): (Vec<usize>, Vec<usize>) = nodes[test].next.iter().partition(|next| inside.contains(next));
    let ([stays], [leaves]) = (&stays[..], &leaves[..]) else { return None };
    // C3.
    if !goes_on(function, &inside, *stays, call) {
        return None;
    }
    // C4.
    let exits =
        inside.iter().flat_map(|&number| nodes[number].next.iter().copied()).filter(|next| !inside.contains(next));
    let exits: BTreeSet<usize> = exits.collect();
    if exits.iter().any(|&exit| counters.iter().any(|&location| function.is_live(location, exit))) {
        return None;
    }
    // C6.
    if !others.is_empty() {
        let all = uses.iter().flat_map(|(number, used)| {
            used.writes.iter().chain(&used.touches).copied().filter(move |_| *number != call)
        });
        // And what calls return.
        let all: BTreeSet<usize> = all.chain(number_of(Register::RAX)).collect();
        if all.iter().any(|&location| function.is_read_from(location, *leaves)) {
            return None;
        }
    }
    Some(function.counters(&counters))
}

impl Function<'_> {
    /// What the node does. `None` if it cannot be told.
    fn uses(&self, number: usize) -> Option<Use> {
        let node = &self.nodes[number];
        let instruction = &node.instruction;
        let mut used = Use::default();
        let mut factory = InstructionInfoFactory::new();
        if node.is_call() {
            // A compare-exchange reads what it expects, and may write it.
            let reads = self.frame.iter().flat_map(|frame| &frame.effects[number].reads);
            let pieces = reads.filter_map(|&bytes| Some(self.frame.as_ref()?.pieces.run(bytes)));
            let pieces: Vec<usize> = pieces.flat_map(|(first, past)| first..past).map(|piece| PIECES + piece).collect();
            used.reads.extend(&pieces);
            used.touches.extend(pieces);
            if instruction.op0_kind() == OpKind::Memory {
                let (base, index) = (instruction.memory_base(), instruction.memory_index());
                used.addresses.extend([base, index].into_iter().filter_map(number_of));
            } else if instruction.op0_kind() == OpKind::Register {
                used.addresses.extend(number_of(instruction.op0_register()));
            }
            return Some(used);
        }
        if matches!(instruction.mnemonic(), Mnemonic::Syscall | Mnemonic::Push | Mnemonic::Pop | Mnemonic::Leave) {
            return None;
        }
        let info = factory.info(instruction);
        let mut pointers = BTreeSet::new();
        for memory in info.used_memory().iter().filter(|memory| memory.access() != OpAccess::NoMemAccess) {
            for register in [memory.base(), memory.index()] {
                pointers.extend(number_of(register));
            }
        }
        let lea = instruction.mnemonic() == Mnemonic::Lea;
        for register in info.used_registers() {
            let location = number_of(register.register()).or_else(|| other(register.register()))?;
            let is_whole = register.register().size() >= 4;
            match register.access() {
                OpAccess::None | OpAccess::NoMemAccess => {}
                OpAccess::Write if is_whole => used.writes.push(location),
                OpAccess::Write => used.touches.push(location),
                OpAccess::CondWrite => used.touches.push(location),
                access => {
                    // An address is no value, unless it is one that is computed.
                    let is_pointer = pointers.contains(&location) && !lea;
                    if is_pointer {
                        used.addresses.push(location);
                    }
                    if !is_pointer || is_operand(instruction, register.register()) {
                        used.reads.push(location);
                    }
                    match access {
                        OpAccess::ReadWrite if is_whole => used.writes.push(location),
                        OpAccess::ReadWrite | OpAccess::ReadCondWrite => used.touches.push(location),
                        _ => {}
                    }
                }
            }
        }
        if instruction.rflags_read() != 0 {
            used.reads.push(FLAGS);
        }
        if instruction.rflags_modified() != 0 {
            used.writes.push(FLAGS);
        }
        for memory in info.used_memory().iter().filter(|memory| memory.access() != OpAccess::NoMemAccess) {
            let is_written = !matches!(memory.access(), OpAccess::Read | OpAccess::CondRead);
            let pieces = self.frame.as_ref().and_then(|frame| {
                let Accesses { reads, writes, indexed, .. } = &frame.effects[number];
                let mut runs = reads.iter().chain(writes).map(|&bytes| frame.pieces.run(bytes));
                runs.next().filter(|_| indexed.is_empty() && runs.next().is_none())
            });
            let in_frame = matches!(memory.base().full_register(), Register::RSP | Register::RBP);
            match pieces.filter(|_| in_frame) {
                Some((first, past)) => {
                    let locations = (first..past).map(|piece| PIECES + piece);
                    if memory.access() != OpAccess::Write {
                        used.reads.extend(locations.clone());
                    }
                    match memory.access() {
                        OpAccess::Write | OpAccess::ReadWrite => used.writes.extend(locations),
                        OpAccess::Read | OpAccess::CondRead => {}
                        _ => used.touches.extend(locations),
                    }
                }
                None => {
                    used.reads_memory = true;
                    used.writes_memory |= is_written;
                }
            }
        }
        Some(used)
    }

    /// How each location depends on counters before each node of the loop `inside`, from `call` on. `None` if they do not come to rest.
    fn levels<'u>(
        &self,
        inside: &[usize],
        call: usize,
        counters: &BTreeSet<usize>,
        used: impl Fn(usize) -> &'u Use,
    ) -> Option<Vec<Vec<Level>>> {
        let locations = PIECES + self.frame.as_ref().map_or(0, |frame| frame.pieces.len());
        let index = |number: usize| inside.partition_point(|&at| at < number);
        let mut before: Vec<Option<Vec<Level>>> = vec![None; inside.len()];
        // At the call, counters count and nothing else does.
        let mut start = vec![Level::Clean; locations];
        counters.iter().for_each(|&location| start[location] = Level::Pure);
        before[index(call)] = Some(start);
        let mut open = vec![call];
        let mut left = 64 * inside.len();
        while let Some(number) = open.pop() {
            left = left.checked_sub(1)?;
            let mut state = before[index(number)].clone()?;
            let node = &self.nodes[number];
            let used = used(number);
            if node.is_call() {
                // What a callee leaves in other registers is not theirs.
                for (location, level) in state.iter_mut().enumerate() {
                    if location < PIECES && !is_kept(location) {
                        *level = Level::Clean;
                    }
                }
            } else {
                let reads = used.reads.iter().map(|&location| state[location]);
                let highest = reads.clone().max().unwrap_or(Level::Clean);
                let mixes =
                    highest != Level::Clean && (used.reads_memory || reads.clone().any(|level| level == Level::Clean));
                let level = if mixes { Level::Mixed } else { highest };
                used.writes.iter().for_each(|&location| state[location] = level);
                for &location in &used.touches {
                    let was = state[location];
                    state[location] = if was == level { was } else { Level::Mixed };
                }
            }
            for &next in node.next.iter().filter(|&&next| next != call && inside.contains(&next)) {
                let at = &mut before[index(next)];
                let joined = match at {
                    None => state.clone(),
                    Some(known) => {
                        let join = |(&a, &b): (&Level, &Level)| if a == b { a } else { Level::Mixed };
                        known.iter().zip(&state).map(join).collect()
                    }
                };
                if at.as_ref() != Some(&joined) {
                    *at = Some(joined);
                    open.push(next);
                }
            }
        }
        Some(before.into_iter().map(|state| state.unwrap_or_else(|| vec![Level::Clean; locations])).collect())
    }

    /// Whether a location that keeps its value over calls may be read from the node on.
    fn is_live(&self, location: usize, number: usize) -> bool {
        if let Some(piece) = location.checked_sub(PIECES) {
            return self
                .frame
                .as_ref()
                .is_none_or(|frame| frame.always.contains(piece) || frame.live[number].contains(piece));
        }
        REGISTERS
            .iter()
            .position(|&kept| number_of(kept) == Some(location))
            .is_none_or(|kept| self.live[number].contains(kept))
    }

    /// Whether any location may be read from the node on. What calls do not preserve is read by the next call if that may be an argument.
    fn is_read_from(&self, location: usize, number: usize) -> bool {
        if lasts(location) {
            return self.is_live(location, number);
        }
        let (mut open, mut seen) = (vec![number], BTreeSet::new());
        while let Some(number) = open.pop() {
            if !seen.insert(number) {
                continue;
            }
            let node = &self.nodes[number];
            if node.is_call() {
                let count = arguments(self.image, &node.instruction);
                if ARGUMENTS[..count].iter().any(|&register| number_of(register) == Some(location)) {
                    return true;
                }
                // Numbers in vector registers may be arguments, too.
                if location == VECTORS && count == ARGUMENTS.len() {
                    return true;
                }
                continue;
            }
            let results = [number_of(Register::RAX), number_of(Register::RDX), Some(VECTORS)];
            let ends = node.instruction.flow_control() == FlowControl::Return;
            let Some(used) = self.uses_outside(number) else { return true };
            let reads = used.reads.contains(&location) || used.addresses.contains(&location);
            if reads || node.leaves || ends && results.contains(&Some(location)) {
                return true;
            }
            if used.writes.contains(&location) && location != VECTORS {
                continue;
            }
            open.extend(&node.next);
        }
        false
    }

    /// Like [`uses`](Self::uses), for an instruction outside the loop, which may be any.
    fn uses_outside(&self, number: usize) -> Option<Use> {
        let mnemonic = self.nodes[number].instruction.mnemonic();
        if matches!(mnemonic, Mnemonic::Pop | Mnemonic::Leave) { Some(Use::default()) } else { self.uses(number) }
    }

    /// Whether a call is a compare-exchange that gets a pointer to a variable which nobody else has one to.
    fn expects_in_frame(&self, number: usize) -> bool {
        let Some(frame) = &self.frame else { return false };
        let by_pointer = |name: &str| {
            let name = name.split('@').next().unwrap_or(name);
            name.starts_with("__tsan_atomic")
                && (name.ends_with("_exchange_strong") || name.ends_with("_exchange_weak"))
        };
        !frame.effects[number].reads.is_empty()
            && frame.effects.iter().all(|effect| effect.taken.is_empty() && effect.indexed.is_empty())
            && self.image.calls(&self.nodes[number].instruction, by_pointer)
    }

    /// Whether a call does nothing but announce something.
    fn is_neutral(&self, number: usize) -> bool {
        self.nodes[number].is_call()
            && self.image.calls(&self.nodes[number].instruction, |name| {
                let name = name.split('@').next().unwrap_or(name);
                super::announced::is_announcement(name) || name == "__tsan_atomic_signal_fence"
            })
    }

    fn counters(&self, counters: &BTreeSet<usize>) -> Counters {
        let kept =
            (0..KEPT).filter(|&kept| number_of(REGISTERS[kept]).is_some_and(|location| counters.contains(&location)));
        let registers = kept.fold(0, |bits, kept| bits | 1 << kept);
        let pieces = counters.iter().filter_map(|location| location.checked_sub(PIECES));
        let bytes = pieces.filter_map(|piece| Some(self.frame.as_ref()?.pieces.bytes(piece))).collect();
        Counters { registers, bytes }
    }
}

/// The innermost loop around a call, by number. `None` if there is none, or it can be entered in several places.
fn innermost(function: &Function<'_>, call: usize) -> Option<Vec<usize>> {
    let mut inside: BTreeSet<usize> = (0..function.nodes.len()).collect();
    let mut found = None;
    loop {
        let component = around(function, call, &inside);
        if !component.contains(&call) || component.is_empty() {
            return found;
        }
        let is_entry =
            |number: &&usize| **number == 0 || function.earlier[**number].iter().any(|from| !component.contains(from));
        let entries: Vec<usize> = component.iter().filter(is_entry).copied().collect();
        let &[head] = &entries[..] else { return None };
        found = Some(component.iter().copied().collect::<Vec<usize>>()).filter(|all| all.len() <= LARGEST);
        if head == call {
            return found;
        }
        inside = component;
        inside.remove(&head);
    }
}

/// Everything on a cycle with `call`, within `inside`.
fn around(function: &Function<'_>, call: usize, inside: &BTreeSet<usize>) -> BTreeSet<usize> {
    let reach = |next: &dyn Fn(usize) -> Vec<usize>| {
        let (mut seen, mut open) = (BTreeSet::new(), next(call));
        while let Some(number) = open.pop() {
            if inside.contains(&number) && seen.insert(number) {
                open.extend(next(number));
            }
        }
        seen
    };
    let later = reach(&|number| function.nodes[number].next.clone());
    let before = reach(&|number| function.earlier[number].clone());
    later.intersection(&before).copied().collect()
}

/// Whether the loop `inside` has no cycle that leaves out `node`.
fn is_acyclic(function: &Function<'_>, inside: &[usize], node: usize) -> bool {
    let mut left: BTreeSet<usize> = inside.iter().copied().filter(|&number| number != node).collect();
    loop {
        let ends = |number: &usize| !function.nodes[*number].next.iter().any(|next| left.contains(next));
        let ending: Vec<usize> = left.iter().copied().filter(ends).collect();
        if ending.is_empty() {
            return left.is_empty();
        }
        ending.iter().for_each(|number| _ = left.remove(number));
    }
}

/// Whether all ways from `from` lead to `call`, and do nothing on the way: C3.
fn goes_on(function: &Function<'_>, inside: &[usize], from: usize, call: usize) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(number) = open.pop() {
        if number == call || !seen.insert(number) {
            continue;
        }
        let node = &function.nodes[number];
        // What only announces something throws nothing.
        let next = if function.is_neutral(number) { &node.next[..1] } else { &node.next[..] };
        let does = node.is_call() && !function.is_neutral(number);
        if does || !next.iter().all(|next| inside.contains(next)) {
            return false;
        }
        open.extend(next);
    }
    true
}

/// Registers with arguments, in order.
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// How many arguments a call may have in registers.
fn arguments(image: &Image<'_>, call: &Instruction) -> usize {
    let with = |count: usize| image.calls(call, |name| count_of(name) == Some(count));
    (0..ARGUMENTS.len()).find(|&count| with(count)).unwrap_or(ARGUMENTS.len())
}

/// How many arguments a function of the runtime has.
fn count_of(name: &str) -> Option<usize> {
    let name = name.split('@').next().unwrap_or(name);
    if super::announced::is_announcement(name) || matches!(name, "__tsan_func_entry" | "__tsan_atomic_signal_fence") {
        return Some(1);
    }
    if name == "__tsan_func_exit" {
        return Some(0);
    }
    let operation =
        name.strip_prefix("__tsan_atomic")?.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('_')?;
    match operation {
        "load" => Some(2),
        "store" | "exchange" => Some(3),
        _ if operation.starts_with("fetch_") => Some(3),
        _ if operation.starts_with("compare_exchange_") => Some(5),
        _ => None,
    }
}

/// Whether a call may be a look at a place, which is the one that counts rounds.
fn looks(image: &Image<'_>, call: &Instruction) -> bool {
    image.calls(call, |name| {
        let name = name.split('@').next().unwrap_or(name);
        matches!(name, "__tsan_atomic8_load" | "__tsan_atomic16_load" | "__tsan_atomic32_load" | "__tsan_atomic64_load")
    })
}

/// Whether a function of the runtime looks at a place or changes it, and gets no pointer but that to it.
fn by_value(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    let Some(operation) = name.strip_prefix("__tsan_atomic") else { return false };
    operation.ends_with("_compare_exchange_val") || operation.ends_with("_load")
}

/// The number of a general register.
fn number_of(register: Register) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

/// The number of any other register. `None` if it is none that values are kept in.
fn other(register: Register) -> Option<usize> {
    match register {
        _ if register.is_segment_register() || register.is_ip() => Some(VECTORS),
        _ if register.is_vector_register() => Some(VECTORS),
        _ => None,
    }
}

/// Whether calls preserve a register.
fn is_kept(location: usize) -> bool {
    let others = [Register::RBP, Register::RSP];
    REGISTERS.iter().chain(&others).any(|&kept| number_of(kept) == Some(location))
}

/// Whether a location keeps its value over calls.
fn lasts(location: usize) -> bool {
    location >= PIECES || is_kept(location)
}

/// Whether a register is an operand of its own, not only a part of an address.
fn is_operand(instruction: &Instruction, register: Register) -> bool {
    (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && instruction.op_register(operand).full_register() == register.full_register()
    })
}
