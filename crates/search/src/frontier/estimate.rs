//! An estimate of how many executions a search has in all.
//!
//! Certain is only that every pending sequence is an execution. How many more they lead to is estimated in two ways.
//!
//! The **trend** is how many new sequences an execution has led to lately. It falls as a search goes on. If it falls
//! steadily to zero at the end, `pending / (1 - found / 2)` executions are to come. If it stays as it is until the end,
//! there are `pending / (1 - found)`. While it is one or more, there is no upper end.
//!
//! The **tree** is used after P. Kilby, J. Slaney, S. Thiébaux, T. Walsh, *Estimating search tree size*, AAAI 2006: a
//! child that was not run yet is taken to be as large as its siblings, from the leaves to the root. Not all branches of
//! what was begun are known, so this estimate is too low. It is best when the search goes depth first, where the trend
//! says nothing.
//!
//! The lower end of the range is the larger of the two cautious estimates. The upper end is the bold one from the trend.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::tree::{State, Tree};

/// The time between two looks at the whole tree is at least this many times what one look takes.
const PATIENCE: u32 = 50;

/// The trend is taken from this part of all executions, but at least from the [`FEWEST`] last ones.
const LATELY: f64 = 0.25;
const FEWEST: f64 = 64.0;

/// What the estimate is made of, and the last look at the tree.
pub(crate) struct Estimate {
    ran: f64,
    /// Executions lately, and new sequences that they led to.
    lately: (f64, f64),
    last: RefCell<Guess>,
}

struct Guess {
    made: Option<Instant>,
    took: Duration,
    size: Option<f64>,
    /// Nodes in use, by depth.
    order: Vec<u32>,
    sizes: Vec<f64>,
}

impl Estimate {
    pub fn new() -> Estimate {
        let guess = Guess { made: None, took: Duration::ZERO, size: None, order: Vec::new(), sizes: Vec::new() };
        Estimate { ran: 0.0, lately: (0.0, 0.0), last: RefCell::new(guess) }
    }

    /// What it knows: executions, executions lately, and new sequences that those led to.
    pub fn save(&self) -> (f64, f64, f64) {
        (self.ran, self.lately.0, self.lately.1)
    }

    /// Goes on with what another one knew.
    pub fn restore((ran, lately, found): (f64, f64, f64)) -> Estimate {
        Estimate { ran, lately: (lately, found), ..Estimate::new() }
    }

    /// Notes an execution. The sequences that it leads to are noted next.
    pub fn ran(&mut self) {
        self.ran += 1.0;
        self.lately.0 += 1.0;
        if self.lately.0 > (self.ran * LATELY).max(FEWEST) {
            // What was earlier fades.
            self.lately = (self.lately.0 / 2.0, self.lately.1 / 2.0);
        }
    }

    /// Notes a new sequence that the last execution has led to.
    pub fn found(&mut self) {
        self.lately.1 += 1.0;
    }

    /// How many executions there are in all, including those that were run: the lower end and, if there is one, the upper.
    pub fn range(&self, pending: u64, tree: &Tree) -> Option<(f64, Option<f64>)> {
        if self.ran < FEWEST || self.lately.0 == 0.0 {
            return None;
        }
        let pending = pending as f64;
        let found = self.lately.1 / self.lately.0;
        let falling = if found < 2.0 { self.ran + pending / (1.0 - found / 2.0) } else { 0.0 };
        let low = self.by_tree(tree).unwrap_or(0.0).max(falling).max(self.ran + pending);
        let high = (found < 0.99).then(|| self.ran + pending / (1.0 - found));
        Some((low, high.map(|high| high.max(low))))
    }

    fn by_tree(&self, tree: &Tree) -> Option<f64> {
        let mut guess = self.last.borrow_mut();
        let begin = Instant::now();
        if guess.made.is_none_or(|made| begin - made >= guess.took * PATIENCE) {
            guess.size = guess.of(tree);
            guess.made = Some(begin);
            guess.took = begin.elapsed();
        }
        guess.size
    }
}

impl Guess {
    fn of(&mut self, tree: &Tree) -> Option<f64> {
        let Guess { order, sizes, .. } = self;
        order.clear();
        order.extend(tree.used());
        // Children before their parents.
        order.sort_unstable_by_key(|&at| std::cmp::Reverse(tree.at(at).depth));
        sizes.clear();
        sizes.resize(tree.len(), 0.0);
        let mut root = None;
        for &at in &*order {
            let node = tree.at(at);
            let mut known = node.leaves as f64;
            let (mut explored, mut pending) = (0.0, 0.0);
            for child in &node.children {
                match child.state {
                    State::Pending(_) => pending += 1.0,
                    State::Running => {
                        known += 1.0;
                        explored += 1.0;
                    }
                    State::Done => explored += 1.0,
                    State::Node(below) => {
                        known += sizes[below.0 as usize];
                        explored += 1.0;
                    }
                }
            }
            let each = if explored > 0.0 { (known / explored).max(1.0) } else { 1.0 };
            sizes[at as usize] = known + pending * each;
            root = Some(sizes[at as usize]);
        }
        root
    }
}
