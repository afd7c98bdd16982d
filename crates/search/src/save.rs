//! A search, written down: what is left to run, and what was counted so far.
//!
//! Numbers of varying length (seven bits to a byte), in the order in which they are read again. What is under way when it is written
//! down is to be run again: nothing was learnt from it yet. So whatever happens to a search, and whenever, one that goes on from
//! its last checkpoint comes to the same counts.
//!
//! A checkpoint belongs to one program, built in one way, and to one set of options. Seeing to that is the business of whoever keeps it.

use std::collections::BTreeSet;
use std::time::Duration;

use heddle_model::follow::Step;
use heddle_model::{Executor, Footprint, Mode, ObjectId, OpCode, ThreadId};

use crate::algorithm::optimal::Optimal;
use crate::drive::strategy::Strategy;
use crate::drive::summary::Summary;
use crate::options::Options;

/// Changed whenever the meaning of a number does.
const VERSION: u64 = 1;

/// One event touches fewer bytes than this. Each eight of them cost memory.
const LARGEST: u32 = 1 << 26;

/// Why a search cannot go on from a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It was written by another version.
    #[error("it was written by another version of heddle")]
    Version,
    /// It is cut off, or its numbers contradict each other.
    #[error("it is damaged")]
    Damaged,
}

/// Where a search is.
pub(crate) struct Saved {
    pub places: BTreeSet<u64>,
    pub earlier: u64,
    pub elapsed: Duration,
    pub summary: Summary,
    pub number: u64,
    pub memory: Vec<u8>,
    pub optimal: Optimal,
}

/// What is counted outside the strategy.
pub(crate) struct Counted<'c> {
    pub places: &'c BTreeSet<u64>,
    pub earlier: u64,
    pub elapsed: Duration,
    pub summary: &'c Summary,
    pub number: u64,
}

/// Writes a search down. None if its algorithm cannot, or if it has not begun.
pub(crate) fn write(counted: &Counted<'_>, strategy: &dyn Strategy, executor: &mut dyn Executor) -> Option<Vec<u8>> {
    let mut writer = Writer::default();
    writer.number(VERSION);
    writer.number(counted.places.len() as u64);
    counted.places.iter().for_each(|&place| writer.number(place));
    writer.number(counted.earlier);
    writer.number(counted.elapsed.as_micros() as u64);
    let Summary { executions, blocked, assumed, events, threads, cut, .. } = *counted.summary;
    for number in [executions, blocked, assumed, events, threads as u64, cut, counted.number] {
        writer.number(number);
    }
    writer.bytes(&executor.memory());
    strategy.save(&mut writer).then_some(writer.0)
}

/// Reads it again.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Saved, CheckpointError> {
    let mut reader = Reader(bytes);
    if reader.number()? != VERSION {
        return Err(CheckpointError::Version);
    }
    let count = reader.length()?;
    let places = (0..count).map(|_| reader.number()).collect::<Result<_, _>>()?;
    let earlier = reader.number()?;
    let elapsed = Duration::from_micros(reader.number()?);
    let mut summary = Summary::none();
    summary.executions = reader.number()?;
    summary.blocked = reader.number()?;
    summary.assumed = reader.number()?;
    summary.events = reader.number()?;
    summary.threads = reader.number()? as usize;
    summary.cut = reader.number()?;
    let number = reader.number()?;
    let memory = reader.bytes()?.to_vec();
    let optimal = Optimal::restore(&mut reader, options, number)?;
    if !reader.0.is_empty() {
        return Err(CheckpointError::Damaged);
    }
    Ok(Saved { places, earlier, elapsed, summary, number, memory, optimal })
}

/// Writes numbers.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn step(&mut self, step: Step) {
        self.number(step.thread.0.into());
        self.number(step.choice.into());
        self.number(step.code.0.into());
    }

    pub fn footprint(&mut self, footprint: &Footprint) {
        self.number(footprint.is_everything().into());
        self.number(footprint.accesses().len() as u64);
        for access in footprint.accesses() {
            self.number(access.object.0);
            self.number(access.size.into());
            self.number(match access.mode {
                Mode::Read => 0,
                Mode::Add => 1,
                Mode::Write => 2,
            });
        }
    }
}

/// Reads numbers.
pub(crate) struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    pub fn number(&mut self) -> Result<u64, CheckpointError> {
        let mut number = 0;
        for at in 0..10 {
            let (&byte, rest) = self.0.split_first().ok_or(CheckpointError::Damaged)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(CheckpointError::Damaged)
    }

    /// A number of things that follow, each at least a byte.
    pub fn length(&mut self) -> Result<usize, CheckpointError> {
        let length = self.number()? as usize;
        if length > self.0.len() { Err(CheckpointError::Damaged) } else { Ok(length) }
    }

    pub fn small(&mut self) -> Result<u32, CheckpointError> {
        u32::try_from(self.number()?).map_err(|_| CheckpointError::Damaged)
    }

    fn tiny(&mut self) -> Result<u16, CheckpointError> {
        u16::try_from(self.number()?).map_err(|_| CheckpointError::Damaged)
    }

    pub fn bytes(&mut self) -> Result<&'b [u8], CheckpointError> {
        let length = self.length()?;
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        Ok(bytes)
    }

    pub fn step(&mut self) -> Result<Step, CheckpointError> {
        Ok(Step { thread: ThreadId(self.tiny()?), choice: self.tiny()?, code: OpCode(self.tiny()?), ..Step::default() })
    }

    pub fn footprint(&mut self) -> Result<Footprint, CheckpointError> {
        let mut footprint = Footprint::new();
        if self.number()? != 0 {
            footprint.touch_everything();
        }
        let count = self.length()?;
        if count > heddle_model::access::MAX_ACCESSES {
            return Err(CheckpointError::Damaged);
        }
        for _ in 0..count {
            let (object, size) = (ObjectId(self.number()?), self.small()?);
            if size > LARGEST {
                return Err(CheckpointError::Damaged);
            }
            let mode = match self.number()? {
                0 => Mode::Read,
                1 => Mode::Add,
                2 => Mode::Write,
                _ => return Err(CheckpointError::Damaged),
            };
            footprint.touch_bytes(object, size, mode);
        }
        Ok(footprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut writer = Writer::default();
        numbers.iter().for_each(|&number| writer.number(number));
        writer.bytes(b"abc");
        let mut reader = Reader(&writer.0);
        for number in numbers {
            assert_eq!(reader.number(), Ok(number));
        }
        assert_eq!(reader.bytes(), Ok(&b"abc"[..]));
        assert_eq!(reader.number(), Err(CheckpointError::Damaged));
        assert_eq!(Reader(&[0xff; 20]).number(), Err(CheckpointError::Damaged));
    }
}
