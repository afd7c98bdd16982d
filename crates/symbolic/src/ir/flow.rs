//! Control flow of a function: post-dominators, natural loops, and which registers live across blocks.
//!
//! Branches are merged at post-dominators and bounds belong to loops. Dominators are computed by the iteration of Cooper, Harvey
//! and Kennedy. A block that never gets to the end of its function (it calls `abort`, or loops for ever) does not count for
//! post-dominators: `if (bad) abort();` is merged right behind it.

use super::types::{BlockId, Function, Inst, Loop, Operand, Reg, Site, Terminator};

/// Fills in what [`Function`] knows about its own control flow.
pub fn analyse(function: &mut Function) {
    if function.blocks.is_empty() {
        return;
    }
    let successors: Vec<Vec<BlockId>> = function.blocks.iter().map(|block| block.end.successors()).collect();
    function.post_dominator = post_dominators(function, &successors);
    loops(function, &successors);
    function.live_across = live_across(function);
}

/// The blocks in reverse post-order from `root`.
fn order(root: usize, successors: &[Vec<BlockId>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut post = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((block, next)) = stack.pop() {
        match successors[block].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to as usize, 0));
                }
            }
            None => post.push(block),
        }
    }
    post.reverse();
    post
}

/// The immediate dominator of each node that `root` reaches; the root's own is itself.
fn dominators(root: usize, successors: &[Vec<BlockId>]) -> Vec<Option<usize>> {
    let order = order(root, successors);
    let mut rank = vec![usize::MAX; successors.len()];
    for (position, block) in order.iter().enumerate() {
        rank[*block] = position;
    }
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &block in &order {
        for &to in &successors[block] {
            predecessors[to as usize].push(block);
        }
    }
    let mut idom: Vec<Option<usize>> = vec![None; successors.len()];
    idom[root] = Some(root);
    loop {
        let mut changed = false;
        for &block in order.iter().skip(1) {
            let mut best: Option<usize> = None;
            for &from in &predecessors[block] {
                if idom[from].is_none() {
                    continue;
                }
                best = Some(match best {
                    None => from,
                    Some(mut other) => {
                        let mut this = from;
                        while this != other {
                            if rank[this] > rank[other] {
                                this = idom[this].unwrap_or(root);
                            } else {
                                other = idom[other].unwrap_or(root);
                            }
                        }
                        this
                    }
                });
            }
            if idom[block] != best {
                idom[block] = best;
                changed = true;
            }
        }
        if !changed {
            return idom;
        }
    }
}

fn post_dominators(function: &Function, successors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    let exit = successors.len();
    let mut backward: Vec<Vec<BlockId>> = vec![Vec::new(); exit + 1];
    for (block, list) in successors.iter().enumerate() {
        for &to in list {
            backward[to as usize].push(block as BlockId);
        }
        if matches!(function.blocks[block].end, Terminator::Return(_)) {
            backward[exit].push(block as BlockId);
        }
    }
    let idom = dominators(exit, &backward);
    (0..exit).map(|block| idom[block].filter(|&to| to != exit).map(|to| to as BlockId)).collect()
}

fn loops(function: &mut Function, successors: &[Vec<BlockId>]) {
    let idom = dominators(0, successors);
    let dominates = |a: usize, mut b: usize| loop {
        if a == b {
            return true;
        }
        match idom[b] {
            Some(up) if up != b => b = up,
            _ => return false,
        }
    };
    let order = order(0, successors);
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &block in &order {
        for &to in &successors[block] {
            predecessors[to as usize].push(block);
        }
    }
    let mut found: Vec<(usize, Vec<bool>)> = Vec::new();
    for &block in &order {
        for &to in &successors[block] {
            let header = to as usize;
            if !dominates(header, block) {
                continue;
            }
            let position = found.iter().position(|(other, _)| *other == header).unwrap_or_else(|| {
                let mut inside = vec![false; successors.len()];
                inside[header] = true;
                found.push((header, inside));
                found.len() - 1
            });
            let mut stack = vec![block];
            while let Some(block) = stack.pop() {
                if !std::mem::replace(&mut found[position].1[block], true) {
                    stack.extend(&predecessors[block]);
                }
            }
        }
    }
    // Without the edges back to headers nothing goes round, or a cycle has several entries.
    let forward: Vec<Vec<BlockId>> = successors
        .iter()
        .enumerate()
        .map(|(block, list)| list.iter().copied().filter(|&to| !dominates(to as usize, block)).collect())
        .collect();
    function.irreducible = cycle(&order, &forward).map(|block| site_of(function, block));
    found.sort_by_key(|(header, inside)| (usize::MAX - inside.iter().filter(|b| **b).count(), *header));
    function.loop_of = vec![None; successors.len()];
    function.loops.clear();
    for (index, (header, inside)) in found.iter().enumerate() {
        let blocks: Vec<BlockId> = (0..inside.len()).filter(|&b| inside[b]).map(|b| b as BlockId).collect();
        let parent = function.loop_of[*header];
        for &block in &blocks {
            function.loop_of[block as usize] = Some(index as u32);
        }
        let site = site_of(function, *header);
        function.loops.push(Loop { header: *header as BlockId, blocks, parent, site });
    }
}

/// A block of a cycle of the graph.
fn cycle(order: &[usize], forward: &[Vec<BlockId>]) -> Option<usize> {
    let mut degree = vec![0usize; forward.len()];
    for &block in order {
        for &to in &forward[block] {
            degree[to as usize] += 1;
        }
    }
    let mut ready: Vec<usize> = order.iter().copied().filter(|&block| degree[block] == 0).collect();
    let mut done = 0;
    while let Some(block) = ready.pop() {
        done += 1;
        for &to in &forward[block] {
            degree[to as usize] -= 1;
            if degree[to as usize] == 0 {
                ready.push(to as usize);
            }
        }
    }
    (done < order.len()).then(|| order.iter().copied().find(|&block| degree[block] > 0)).flatten()
}

/// The first line that a block has.
fn site_of(function: &Function, block: usize) -> Site {
    let block = &function.blocks[block];
    let sites = block.insts.iter().map(|(_, site)| *site).chain([block.end_site]);
    sites.into_iter().find(|site| site.line > 0).unwrap_or(function.site)
}

/// Registers that a block other than their own reads. Those that blocks choose on the way in (phi) are among them.
fn live_across(function: &Function) -> Vec<Reg> {
    let count = function.registers.len();
    let mut home: Vec<Option<usize>> = vec![None; count];
    let mut across = vec![false; count];
    for (position, block) in function.blocks.iter().enumerate() {
        for (inst, _) in &block.insts {
            let Some(dst) = inst.dst() else { continue };
            // Assigned at several places: a variable.
            across[dst as usize] |= home[dst as usize].is_some() || matches!(inst, Inst::Phi { .. });
            home[dst as usize] = Some(position);
        }
    }
    let mut read = |operand: &Operand, position: usize| {
        if let Operand::Reg(reg) = operand {
            across[*reg as usize] |= home[*reg as usize] != Some(position);
        }
    };
    for (position, block) in function.blocks.iter().enumerate() {
        for (inst, _) in &block.insts {
            if let Inst::Phi { incoming, .. } = inst {
                incoming.iter().for_each(|(from, value)| read(value, *from as usize));
            } else {
                inst.operands().into_iter().for_each(|operand| read(operand, position));
            }
        }
        match &block.end {
            Terminator::Return(Some(value)) => read(value, position),
            Terminator::Branch { condition, .. } => read(condition, position),
            Terminator::Switch { value, .. } => read(value, position),
            _ => {}
        }
    }
    (0..count).filter(|&reg| across[reg]).map(|reg| reg as Reg).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::types::{Block, Constant};

    fn function(ends: &[Terminator]) -> Function {
        let blocks = ends.iter().map(|end| Block { end: end.clone(), ..Block::default() }).collect();
        let mut function = Function { blocks, ..Function::default() };
        analyse(&mut function);
        function
    }

    fn branch(then: BlockId, otherwise: BlockId) -> Terminator {
        Terminator::Branch { condition: Operand::Const(Constant::Bits(1, 0)), then, otherwise }
    }

    #[test]
    fn a_branch_is_merged_where_its_arms_meet() {
        let f = function(&[branch(1, 2), Terminator::Jump(3), Terminator::Jump(3), Terminator::Return(None)]);
        assert_eq!(f.post_dominator, [Some(3), Some(3), Some(3), None]);
        assert!(f.loops.is_empty());
    }

    #[test]
    fn an_arm_that_ends_the_program_does_not_count() {
        let f = function(&[branch(1, 2), Terminator::Unreachable, Terminator::Return(None)]);
        assert_eq!(f.post_dominator, [Some(2), None, None]);
    }

    #[test]
    fn loops_nest() {
        // 0 -> 1 (outer) -> 2 (inner) -> 2 | 3 -> 1 | 4
        let f =
            function(&[Terminator::Jump(1), Terminator::Jump(2), branch(2, 3), branch(1, 4), Terminator::Return(None)]);
        let seen: Vec<_> = f.loops.iter().map(|l| (l.header, l.blocks.clone(), l.parent)).collect();
        assert_eq!(seen, [(1, vec![1, 2, 3], None), (2, vec![2], Some(0))]);
        assert_eq!(f.loop_of, [None, Some(0), Some(1), Some(0), None]);
        assert_eq!(f.irreducible, None);
    }

    #[test]
    fn a_cycle_with_two_entries_is_seen() {
        let f = function(&[branch(1, 2), Terminator::Jump(2), branch(1, 3), Terminator::Return(None)]);
        assert!(f.irreducible.is_some());
    }
}
