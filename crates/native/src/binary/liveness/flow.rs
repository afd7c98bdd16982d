//! Backward liveness of the bytes of a frame over the graph of a function.
//!
//! A byte is live before an instruction that may read it, and before one after which it may be live, unless that instruction certainly
//! writes it. Where the function leaves the graph everything is live; where it returns, nothing.

use super::frame::{PieceSet, Pieces, Run};
use super::graph::Node;

/// What an instruction does to the pieces of the frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transfer {
    /// Pieces that may be read, also by a callee.
    pub reads: Vec<Run>,
    /// Pieces that are certainly written.
    pub writes: Vec<Run>,
}

/// The pieces that are live behind each call, by the call's number. `transfers` has one entry for each node.
pub fn behind_calls(nodes: &[Node], transfers: &[Transfer], pieces: &Pieces) -> Vec<(usize, PieceSet)> {
    let mut calls = Vec::new();
    visit(nodes, transfers, pieces, |number, live| {
        if nodes[number].is_call() {
            calls.push((number, live.clone()));
        }
    });
    calls
}

/// The pieces that are live before each instruction.
pub fn before_each(nodes: &[Node], transfers: &[Transfer], pieces: &Pieces) -> Vec<PieceSet> {
    let mut before = vec![pieces.none(); nodes.len()];
    visit(nodes, transfers, pieces, |number, live| {
        let mut live = live.clone();
        pass(&mut live, &transfers[number]);
        before[number] = live;
    });
    before
}

/// Calls `each` with every instruction and what is live behind it.
fn visit(nodes: &[Node], transfers: &[Transfer], pieces: &Pieces, mut each: impl FnMut(usize, &PieceSet)) {
    let blocks = Blocks::of(nodes);
    let mut before: Vec<PieceSet> = vec![pieces.none(); blocks.ranges.len()];
    let mut open: Vec<usize> = (0..blocks.ranges.len()).collect();
    let mut is_open = vec![true; blocks.ranges.len()];
    while let Some(block) = open.pop() {
        is_open[block] = false;
        let (first, past) = blocks.ranges[block];
        let mut live = blocks.behind(nodes, past - 1, &before, pieces);
        for number in (first..past).rev() {
            pass(&mut live, &transfers[number]);
        }
        if before[block].merge(&live) {
            for &earlier in &blocks.earlier[block] {
                if !std::mem::replace(&mut is_open[earlier], true) {
                    open.push(earlier);
                }
            }
        }
    }
    for &(first, past) in &blocks.ranges {
        let mut live = blocks.behind(nodes, past - 1, &before, pieces);
        for number in (first..past).rev() {
            each(number, &live);
            pass(&mut live, &transfers[number]);
        }
    }
}

/// Goes backward over one instruction.
fn pass(live: &mut PieceSet, transfer: &Transfer) {
    transfer.writes.iter().for_each(|&run| live.remove(run));
    transfer.reads.iter().for_each(|&run| live.add(run));
}

/// Instructions that are always executed one after the other.
struct Blocks {
    /// The numbers of the first instruction and of the one past the last.
    ranges: Vec<(usize, usize)>,
    /// The block that begins with each instruction.
    begins: Vec<Option<usize>>,
    /// The blocks from which each block is reached.
    earlier: Vec<Vec<usize>>,
}

impl Blocks {
    fn of(nodes: &[Node]) -> Blocks {
        let mut reached = vec![0_u32; nodes.len()];
        nodes.iter().flat_map(|node| &node.next).for_each(|&next| reached[next] += 1);
        let continues =
            |number: usize| nodes[number].next == [number + 1] && !nodes[number].leaves && reached[number + 1] == 1;
        let mut blocks = Blocks { ranges: Vec::new(), begins: vec![None; nodes.len()], earlier: Vec::new() };
        let mut first = 0;
        for number in 0..nodes.len() {
            if !continues(number) {
                blocks.begins[first] = Some(blocks.ranges.len());
                blocks.ranges.push((first, number + 1));
                first = number + 1;
            }
        }
        blocks.earlier = vec![Vec::new(); blocks.ranges.len()];
        for (block, &(_, past)) in blocks.ranges.iter().enumerate() {
            for later in nodes[past - 1].next.iter().filter_map(|&next| blocks.begins[next]) {
                blocks.earlier[later].push(block);
            }
        }
        blocks
    }

    /// What is live behind the last instruction of a block.
    fn behind(&self, nodes: &[Node], last: usize, before: &[PieceSet], pieces: &Pieces) -> PieceSet {
        let mut live = pieces.none();
        if nodes[last].leaves {
            live.add((0, pieces.len()));
        }
        for later in nodes[last].next.iter().filter_map(|&next| self.begins[next]) {
            live.merge(&before[later]);
        }
        live
    }
}
