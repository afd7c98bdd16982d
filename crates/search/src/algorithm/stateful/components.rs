//! The strongly connected components of a graph (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972),
//! without recursion.

/// The component of each node. Components are numbered from 0: no edge leads from a component to one with a higher number.
/// A node for which `is_in` is false has none: [`u32::MAX`], and neither have edges to it.
pub(crate) fn components(
    nodes: usize,
    is_in: impl Fn(u32) -> bool,
    mut targets: impl FnMut(u32, &mut Vec<u32>),
) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let (mut index, mut low) = (vec![UNSEEN; nodes], vec![0; nodes]);
    let mut component = vec![u32::MAX; nodes];
    let (mut path, mut open): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    // The targets that are still to be looked at of each node under way lie in one stack.
    let mut ahead: Vec<u32> = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    let (mut next, mut count) = (0, 0);
    for root in (0..nodes as u32).filter(|&root| is_in(root)) {
        if index[root as usize] != UNSEEN {
            continue;
        }
        let mut entering = Some(root);
        loop {
            if let Some(node) = entering.take() {
                (index[node as usize], low[node as usize]) = (next, next);
                next += 1;
                open.push(node);
                path.push(node);
                starts.push(ahead.len());
                targets(node, &mut ahead);
            }
            let (Some(&node), Some(&start)) = (path.last(), starts.last()) else { break };
            if ahead.len() > start
                && let Some(target) = ahead.pop()
            {
                if !is_in(target) {
                    continue;
                }
                if index[target as usize] == UNSEEN {
                    entering = Some(target);
                } else if component[target as usize] == u32::MAX {
                    low[node as usize] = low[node as usize].min(index[target as usize]);
                }
                continue;
            }
            path.pop();
            starts.pop();
            if let Some(&before) = path.last() {
                low[before as usize] = low[before as usize].min(low[node as usize]);
            }
            if low[node as usize] == index[node as usize] {
                while let Some(member) = open.pop() {
                    component[member as usize] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(edges: &[&[u32]]) -> Vec<u32> {
        components(edges.len(), |_| true, |node, into| into.extend_from_slice(edges[node as usize]))
    }

    #[test]
    fn circles_are_components_and_numbers_go_backwards() {
        let found = of(&[&[1], &[2], &[0, 3], &[4], &[3], &[]]);
        assert_eq!((found[0], found[1]), (found[2], found[2]));
        assert_eq!(found[3], found[4]);
        assert!(found[3] < found[0]);
        assert!(found[5] != found[3] && found[5] != found[0]);
        assert_eq!(of(&[&[0], &[0]]), [0, 1]);
    }

    /// Against the definition: two nodes are in one component if each can be reached from the other.
    #[test]
    fn random_graphs() {
        let mut seed = 1u64;
        let mut random = move |bound: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % bound
        };
        for _ in 0..500 {
            let count = 1 + random(8) as usize;
            let edges: Vec<Vec<u32>> =
                (0..count).map(|_| (0..random(4)).map(|_| random(count as u64) as u32).collect()).collect();
            let left_out = random(count as u64 + 2) as u32;
            let is_in = |node: u32| node != left_out;
            let mut reach = vec![vec![false; count]; count];
            for (from, row) in reach.iter_mut().enumerate().filter(|(from, _)| is_in(*from as u32)) {
                let mut todo = vec![from as u32];
                while let Some(node) = todo.pop() {
                    if is_in(node) && !std::mem::replace(&mut row[node as usize], true) {
                        todo.extend(&edges[node as usize]);
                    }
                }
            }
            let found = components(count, is_in, |node, into| into.extend(&edges[node as usize]));
            for one in (0..count).filter(|&one| is_in(one as u32)) {
                for other in (0..count).filter(|&other| is_in(other as u32)) {
                    assert_eq!(found[one] == found[other], reach[one][other] && reach[other][one]);
                    assert!(!reach[one][other] || found[one] >= found[other]);
                }
            }
        }
    }
}
