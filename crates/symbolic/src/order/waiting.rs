//! The clauses of joins, semaphores, barriers and condition variables, and of deadlocks.

use super::Family;
use super::encode::Encoder;
use super::event::{Kind, ObjectIndex};
use super::locks::Locks;
use crate::solve::Lit;
use crate::term::{TermId, Terms};

/// How wide the count of a semaphore or barrier is.
const COUNT: u8 = 32;

/// Where an event is: thread and index.
pub(super) type At = (usize, usize);
/// Which sleep a signal ends: the literal, the signal, the sleep.
pub(super) type Wakeup = (Lit, At, At);

impl Encoder<'_> {
    /// All events of a kind.
    fn all(&self, wanted: impl Fn(&Kind) -> bool) -> Vec<At> {
        let mut found = Vec::new();
        for (t, thread) in self.program.threads.iter().enumerate() {
            let matching = thread.events.iter().enumerate().filter(|(_, e)| wanted(&e.kind));
            found.extend(matching.map(|(i, _)| (t, i)));
        }
        found
    }

    pub(super) fn joins(&mut self) {
        for (t, i) in self.all(|kind| matches!(kind, Kind::Join { .. })) {
            let Kind::Join { child } = self.program.threads[t].events[i].kind else { continue };
            let happens = self.happens(t, i);
            let ends = self.ends(child);
            let no = self.terms.not(happens);
            if !self.leaves_out(Family::Join) {
                self.clause(&[no, ends]);
            }
            let (end, node) = (self.skeleton.end(child, self.program), self.skeleton.node(t, i));
            if !self.leaves_out(Family::JoinOrder) {
                self.edge_if(happens, end, node);
            }
            let running = self.terms.not(ends);
            if !self.leaves_out(Family::DeadlockJoin) {
                self.stuck_only_if(t, i, &[running]);
            }
        }
    }

    /// Each take gets a token of its own: an initial one, or one that was posted before. Such tokens exist exactly if the count never goes
    /// below zero.
    pub(super) fn semaphores(&mut self) {
        for s in 0..self.program.semaphores.len() {
            let takes = self.all(|kind| matches!(kind, Kind::Take { semaphore } if *semaphore == s));
            let posts = self.all(|kind| matches!(kind, Kind::Post { semaphore } if *semaphore == s));
            let tries = self.all(|kind| matches!(kind, Kind::TryTake { semaphore, .. } if *semaphore == s));
            if tries.is_empty() {
                self.tokens(self.program.semaphores[s] as usize, &takes, &posts);
            } else {
                self.counter(u128::from(self.program.semaphores[s]), &takes, &posts, &tries);
            }
        }
    }

    fn tokens(&mut self, initial: usize, takes: &[At], posts: &[At]) {
        if initial >= takes.len() {
            // Nobody ever waits.
            for &(t, i) in takes {
                self.stuck_only_if(t, i, &[]);
            }
            return;
        }
        // By token: who takes it, if it is there.
        let mut tokens: Vec<(TermId, Vec<TermId>)> = vec![(Terms::TRUE, Vec::new()); initial];
        for &(t, i) in posts {
            let there = self.happens(t, i);
            tokens.push((there, Vec::new()));
        }
        for &(t, i) in takes {
            let takes = self.happens(t, i);
            let node = self.skeleton.node(t, i);
            let mut any = vec![self.terms.not(takes)];
            for (n, (there, users)) in tokens.iter_mut().enumerate() {
                let post = n.checked_sub(initial).map(|p| self.skeleton.node(posts[p].0, posts[p].1));
                if post.is_some_and(|p| self.skeleton.before(node, p)) {
                    continue;
                }
                let gets = self.choice("token", false);
                let no = self.terms.not(gets);
                self.clause(&[no, takes]);
                self.clause(&[no, *there]);
                if let Some(post) = post.filter(|_| !self.leaves_out(Family::TokenFirst)) {
                    self.edge_if(gets, post, node);
                }
                users.push(gets);
                any.push(gets);
            }
            if !self.leaves_out(Family::TokenNeeded) {
                self.clause(&any);
            }
            self.at_most_one(&any[1..]);
        }
        for (there, users) in tokens {
            if !self.leaves_out(Family::TokenOnce) {
                self.at_most_one(&users);
            }
            let mut used = users;
            used.push(self.terms.not(there));
            for &(t, i) in takes {
                if !self.leaves_out(Family::DeadlockTake) {
                    self.stuck_only_if(t, i, &used);
                }
            }
        }
    }

    fn at_most_one(&mut self, all: &[TermId]) {
        for (n, a) in all.iter().enumerate() {
            for b in &all[n + 1..] {
                let (x, y) = (self.terms.not(*a), self.terms.not(*b));
                self.clause(&[x, y]);
            }
        }
    }

    /// A semaphore as a word in memory.
    fn counter(&mut self, initial: u128, takes: &[At], posts: &[At], tries: &[At]) {
        let word = self.add_word(COUNT, initial);
        let last = self.final_value(word);
        let one = self.terms.constant(COUNT, 1);
        for &at in posts {
            self.update_word(word, at, |terms, old| (terms.add(old, one), Terms::TRUE));
        }
        for &(t, i) in takes {
            let old = self.update_word(word, (t, i), |terms, old| (terms.sub(old, one), Terms::TRUE));
            let there = self.terms.nonzero(old);
            let happens = self.happens(t, i);
            let no = self.terms.not(happens);
            if !self.leaves_out(Family::WordTake) {
                self.clause(&[no, there]);
            }
            let left = self.terms.nonzero(last);
            let empty = self.terms.not(left);
            if !self.leaves_out(Family::DeadlockTake) {
                self.stuck_only_if(t, i, &[empty]);
            }
        }
        for &(t, i) in tries {
            let Kind::TryTake { success, .. } = self.program.threads[t].events[i].kind else { continue };
            let old = self.update_word(word, (t, i), |terms, old| (terms.sub(old, one), success));
            let there = self.terms.nonzero(old);
            let right = self.terms.iff(success, there);
            let happens = self.happens(t, i);
            let no = self.terms.not(happens);
            if !self.leaves_out(Family::WordTake) {
                self.clause(&[no, right]);
            }
        }
    }

    /// Arrivals are counted in a word. A departure follows the last arrival of its round.
    pub(super) fn barriers(&mut self) {
        for b in 0..self.program.barriers.len() {
            let arrivals = self.all(|kind| matches!(kind, Kind::Arrive { barrier } if *barrier == b));
            let size = u128::from(self.program.barriers[b]);
            let word = self.add_word(COUNT, 0);
            let one = self.terms.constant(COUNT, 1);
            let counts: Vec<TermId> = arrivals
                .iter()
                .map(|&at| {
                    self.update_word(word, at, |terms, old| {
                        let next = terms.add(old, one);
                        (next, Terms::TRUE)
                    })
                })
                .collect();
            let per_round = self.terms.constant(COUNT, size);
            let to_last = self.terms.constant(COUNT, size - 1);
            for (n, &(t, i)) in arrivals.iter().enumerate() {
                let depart = self.skeleton.node(t, i + 1);
                let happens = self.happens(t, i + 1);
                let mut any = vec![self.terms.not(happens)];
                let place = self.terms.urem(counts[n], per_round);
                let begin = self.terms.sub(counts[n], place);
                let wanted = self.terms.add(begin, to_last);
                for (m, &(u, j)) in arrivals.iter().enumerate() {
                    let there = self.happens(u, j);
                    let is_last = self.terms.eq(counts[m], wanted);
                    let node = self.skeleton.node(u, j);
                    if !self.leaves_out(Family::DeadlockDepart) {
                        let (absent, other) = (self.terms.not(there), self.terms.not(is_last));
                        self.stuck_only_if(t, i + 1, &[absent, other]);
                    }
                    if self.skeleton.before(depart, node) {
                        continue;
                    }
                    let chosen = self.choice("last of the round", false);
                    let no = self.terms.not(chosen);
                    self.clause(&[no, there]);
                    if !self.leaves_out(Family::BarrierCount) {
                        self.clause(&[no, is_last]);
                    }
                    self.edge_if(chosen, node, depart);
                    any.push(chosen);
                }
                if !self.leaves_out(Family::BarrierLast) {
                    self.clause(&any);
                }
            }
        }
    }

    /// Which signal ends which sleep. A signal is not wasted while somebody sleeps.
    pub(super) fn conditions(&mut self, _: &Locks) -> Vec<Wakeup> {
        let mut wakeups = Vec::new();
        for c in 0..self.program.conditions {
            self.condition(c, &mut wakeups);
        }
        wakeups
    }

    fn condition(&mut self, c: ObjectIndex, wakeups: &mut Vec<Wakeup>) {
        let sleeps = self.all(|kind| matches!(kind, Kind::Sleep { condition, .. } if *condition == c));
        let signals = self
            .all(|kind| matches!(kind, Kind::Signal { condition } | Kind::Broadcast { condition } if *condition == c));
        // By signal and sleep: whether that signal ends that sleep.
        let mut ends = vec![vec![Terms::FALSE; sleeps.len()]; signals.len()];
        for (n, &(t, i)) in signals.iter().enumerate() {
            for (m, &(u, j)) in sleeps.iter().enumerate() {
                let [signal, sleep, wake] = [(t, i), (u, j), (u, j + 1)].map(|(t, i)| self.skeleton.node(t, i));
                if self.skeleton.before(signal, sleep) || self.skeleton.before(wake, signal) {
                    continue;
                }
                let kf = self.choice("wakes", false);
                let no = self.terms.not(kf);
                let (happens, asleep) = (self.happens(t, i), self.happens(u, j));
                self.clause(&[no, happens]);
                self.clause(&[no, asleep]);
                if !self.leaves_out(Family::SignalAfterSleep) {
                    let first = self.before(sleep, signal);
                    self.clause(&[no, first]);
                }
                self.edge_if(kf, signal, wake);
                ends[n][m] = kf;
                let l = self.lit(kf);
                wakeups.push((l, (t, i), (u, j)));
            }
        }
        for (m, &(u, j)) in sleeps.iter().enumerate() {
            let wakes = self.happens(u, j + 1);
            let all: Vec<TermId> = ends.iter().map(|row| row[m]).collect();
            let mut any = all.clone();
            any.push(self.terms.not(wakes));
            if !self.leaves_out(Family::WakeNeedsSignal) {
                self.clause(&any);
            }
            if !self.leaves_out(Family::SleepOnce) {
                self.at_most_one(&all);
            }
            let woken = self.terms.or_all(&all);
            let unwoken = self.terms.not(woken);
            let Kind::Wake { mutex, .. } = self.program.threads[u].events[j + 1].kind else { continue };
            let held = std::mem::take(&mut self.held_mutexes);
            let taken = self.is_held(&held[mutex], false);
            self.held_mutexes = held;
            if !self.leaves_out(Family::DeadlockWake) {
                self.stuck_only_if(u, j + 1, &[unwoken, taken]);
            }
        }
        for (n, &(t, i)) in signals.iter().enumerate() {
            let one = matches!(self.program.threads[t].events[i].kind, Kind::Signal { .. });
            if one && !self.leaves_out(Family::SignalOnce) {
                self.at_most_one(&ends[n].clone());
            }
            if self.leaves_out(Family::SignalNotWasted) {
                continue;
            }
            let signal = self.skeleton.node(t, i);
            let happens = self.happens(t, i);
            for (m, &(u, j)) in sleeps.iter().enumerate() {
                let asleep = self.happens(u, j);
                let sleep = self.skeleton.node(u, j);
                let first = self.before(sleep, signal);
                if first == Terms::FALSE {
                    continue;
                }
                let mut clause = vec![self.terms.not(happens), self.terms.not(asleep), self.terms.not(first)];
                for (o, &(v, k)) in signals.iter().enumerate() {
                    if o != n && ends[o][m] != Terms::FALSE {
                        let earlier = self.before(self.skeleton.node(v, k), signal);
                        clause.push(self.terms.and(ends[o][m], earlier));
                    }
                }
                if one {
                    clause.extend_from_slice(&ends[n]);
                } else {
                    clause.push(ends[n][m]);
                }
                self.clause(&clause);
            }
        }
    }

    /// At a deadlock `main` has not come to its end, and nobody stops at an assumption.
    pub(super) fn deadlocks(&mut self) {
        let Some(dead) = self.dead else { return };
        let ends = self.ends(0);
        let (no, running) = (self.terms.not(dead), self.terms.not(ends));
        if !self.leaves_out(Family::DeadlockMain) {
            self.clause(&[no, running]);
        }
        for (t, i) in self.all(|kind| matches!(kind, Kind::Assume { .. })) {
            self.stuck_only_if(t, i, &[]);
        }
    }
}
