//! Bodies in halves of halves
//!
//! ```text
//!     contacts of a node = those of its first half | those of its second half | those between the two
//! ```
//!
//! The halves share no body, so threads may sweep them at once; what lies between follows. How bodies are cut depends
//! on the contacts alone, never on the number of threads: the order of a sweep, and its bits, are the same for any.

use super::four::FOUR;
use crate::problem::RootSide;

/// Contacts below which threads would cost more than they bring.
const MANY: usize = 4000;

/// Least number of contacts of a part, about.
const LEAF: usize = 1000;

/// Contacts from which they are visited in fours; the given order of fewer, as of a stack from below, may be the better one.
const SOME: usize = 100;

/// Contacts that are looked at to find four.
const WINDOW: usize = 48;

/// Most cuts one after the other.
const DEEPEST: u32 = 6;

/// A part: numbers of contacts and bodies in it, all and in its first half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub contacts: usize,
    pub bodies: usize,
    /// How many times four contacts of it share no body.
    pub fours: usize,
    /// Its halves, where it is cut.
    pub halves: Option<[u32; 2]>,
}

/// The parts, and where contacts and bodies are put.
#[derive(Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// Contacts in the order of the parts.
    pub order: Vec<u32>,
    /// Where the part of each contact, in that order, has its first body.
    pub base: Vec<u32>,
    /// The part itself.
    part: Vec<u32>,
    /// Places from which four contacts share no body: the first ones of each part.
    pub fours: Vec<u32>,
    /// New number of each body.
    pub place: Vec<u32>,
    list: Vec<u32>,
    /// Neighbours of each body: bounds, then bodies.
    start: Vec<u32>,
    next: Vec<u32>,
    queue: Vec<u32>,
    /// Region in which a body was reached last.
    mark: Vec<u32>,
    marks: u32,
    /// First and last place of the bodies of each contact.
    span: Vec<[u32; 2]>,
    left: Vec<u32>,
}

impl Tree {
    /// Cuts the bodies of these contacts; leaves them in their order where they are few, or `cut` is false.
    pub fn fit(&mut self, sides: &[[Option<RootSide>; 2]], bodies: usize, cut: bool) {
        self.fours.clear();
        self.cut(sides, bodies, cut);
        if cut && sides.len() >= SOME {
            self.by_fours(sides, bodies);
        }
    }

    fn cut(&mut self, sides: &[[Option<RootSide>; 2]], bodies: usize, cut: bool) {
        self.nodes.clear();
        self.order.clear();
        self.base.clear();
        self.part.clear();
        self.place.clear();
        self.place.extend(0..bodies as u32);
        let n = sides.len();
        let depth = if cut && n >= MANY { (n / LEAF).checked_ilog2().unwrap_or(0).min(DEEPEST) } else { 0 };
        if depth == 0 {
            self.nodes.push(Node { contacts: n, bodies, ..Node::default() });
            self.order.extend(0..n as u32);
            self.base.resize(n, 0);
            self.part.resize(n, 0);
            return;
        }
        self.join(sides, bodies);
        self.list.clear();
        self.list.extend(0..bodies as u32);
        self.mark.clear();
        self.mark.resize(bodies, 0);
        self.marks = 0;
        self.halve(0, bodies, depth);
        for (place, body) in self.list.iter().enumerate() {
            self.place[*body as usize] = place as u32;
        }
        self.share(sides);
    }

    /// Contacts of each part in fours.
    fn by_fours(&mut self, sides: &[[Option<RootSide>; 2]], bodies: usize) {
        self.mark.clear();
        self.mark.resize(bodies, 0);
        let mut now = 1;
        let (mut from, n) = (0, self.order.len());
        while from < n {
            // Own contacts of one part follow each other; a half and what lies between may begin at the same body.
            let mut to = from + 1;
            while to < n && self.part[to] == self.part[from] {
                to += 1;
            }
            self.pair(sides, from, to, &mut now);
            from = to;
        }
        // Parts come after what they are parts of.
        for node in (0..self.nodes.len()).rev() {
            let halves = self.nodes[node].halves;
            self.nodes[node].fours += halves.map_or(0, |h| h.iter().map(|k| self.nodes[*k as usize].fours).sum());
        }
    }

    /// Four contacts that share no body, again and again, if possible none with the four before; then those that are left.
    fn pair(&mut self, sides: &[[Option<RootSide>; 2]], from: usize, to: usize, now: &mut u32) {
        let part = self.part[from] as usize;
        self.list.clear();
        self.list.extend_from_slice(&self.order[from..to]);
        self.left.clear();
        let (mut place, mut head) = (from, 0);
        // Contacts `head..head + WINDOW` of the list are looked at; those that are taken are passed on to the left.
        while head + FOUR <= self.list.len() {
            *now += 1;
            let end = (head + WINDOW).min(self.list.len());
            let mut found = [0; FOUR];
            let mut count = 0;
            for before in [1, 0] {
                for k in head..end {
                    if count == FOUR {
                        break;
                    }
                    let bodies = || sides[self.list[k] as usize].iter().flatten().map(|s| s.body as usize);
                    if bodies().all(|body| self.mark[body] + before < *now) {
                        bodies().for_each(|body| self.mark[body] = *now);
                        found[count] = k;
                        count += 1;
                    }
                }
            }
            if count < FOUR {
                self.left.push(self.list[head]);
                head += 1;
                continue;
            }
            found.sort_unstable();
            self.fours.push(place as u32);
            for (taken, k) in found.into_iter().enumerate() {
                self.order[place] = self.list[k];
                place += 1;
                self.list[head + taken..=k].rotate_right(1);
            }
            head += FOUR;
            self.nodes[part].fours += 1;
        }
        self.left.extend_from_slice(&self.list[head..]);
        self.order[place..to].copy_from_slice(&self.left);
    }

    /// Whether there is more than one part.
    pub fn is_cut(&self) -> bool {
        self.nodes.len() > 1
    }

    /// Lists of neighbours.
    fn join(&mut self, sides: &[[Option<RootSide>; 2]], bodies: usize) {
        let pairs =
            || sides.iter().filter_map(|s| if let [Some(a), Some(b)] = s { Some((a.body, b.body)) } else { None });
        self.start.clear();
        self.start.resize(bodies + 2, 0);
        for (a, b) in pairs() {
            self.start[a as usize + 2] += 1;
            self.start[b as usize + 2] += 1;
        }
        for k in 2..self.start.len() {
            self.start[k] += self.start[k - 1];
        }
        self.next.clear();
        self.next.resize(self.start[bodies + 1] as usize, 0);
        for (a, b) in pairs() {
            for (from, to) in [(a, b), (b, a)] {
                let at = &mut self.start[from as usize + 1];
                self.next[*at as usize] = to;
                *at += 1;
            }
        }
    }

    /// Cuts the bodies `from..to` of the list by their distance, in contacts, from one at the border.
    fn halve(&mut self, from: usize, to: usize, depth: u32) -> u32 {
        let me = self.nodes.len() as u32;
        self.nodes.push(Node { bodies: to - from, ..Node::default() });
        if depth == 0 || to - from < 2 {
            return me;
        }
        // From anybody to the farthest, and from there.
        let far = self.reach(from, to, self.list[from]);
        self.reach(from, to, far);
        self.list[from..to].copy_from_slice(&self.queue);
        let middle = self.middle(from, to);
        let halves = [self.halve(from, middle, depth - 1), self.halve(middle, to, depth - 1)];
        self.nodes[me as usize].halves = Some(halves);
        me
    }

    /// The bodies of the list from one on, nearest first, into the queue; others follow from the first not reached.
    /// Returns the last one.
    fn reach(&mut self, from: usize, to: usize, first: u32) -> u32 {
        // Marks of this region, then of what was reached in it.
        self.marks += 2;
        let (inside, seen) = (self.marks - 1, self.marks);
        for k in from..to {
            self.mark[self.list[k] as usize] = inside;
        }
        self.queue.clear();
        let mut unseen = from;
        let mut begin = Some(first);
        let mut head = 0;
        while self.queue.len() < to - from {
            if head == self.queue.len() {
                let body = begin.take().unwrap_or_else(|| {
                    while self.mark[self.list[unseen] as usize] == seen {
                        unseen += 1;
                    }
                    self.list[unseen]
                });
                self.mark[body as usize] = seen;
                self.queue.push(body);
            }
            let body = self.queue[head] as usize;
            head += 1;
            for k in self.start[body]..self.start[body + 1] {
                let other = self.next[k as usize];
                if self.mark[other as usize] == inside {
                    self.mark[other as usize] = seen;
                    self.queue.push(other);
                }
            }
        }
        self.queue.last().copied().unwrap_or(first)
    }

    /// Where half of the contacts of the bodies `from..to` lie on each side.
    fn middle(&self, from: usize, to: usize) -> usize {
        let weight = |k: usize| {
            let body = self.list[k] as usize;
            (1 + self.start[body + 1] - self.start[body]) as u64
        };
        let half = (from..to).map(weight).sum::<u64>() / 2;
        let mut sum = 0;
        let found = (from..to).find(|k| {
            sum += weight(*k);
            sum >= half
        });
        found.map_or(to - 1, |k| k + 1).clamp(from + 1, to - 1)
    }

    /// Gives every contact to the smallest part that holds its bodies.
    fn share(&mut self, sides: &[[Option<RootSide>; 2]]) {
        self.span.clear();
        for side in sides {
            let places = || side.iter().flatten().map(|s| self.place[s.body as usize]);
            self.span.push([places().min().unwrap_or(0), places().max().unwrap_or(0)]);
        }
        self.left.clear();
        self.left.extend(0..sides.len() as u32);
        let mut all = std::mem::take(&mut self.left);
        self.take(0, 0, &mut all);
        self.left = all;
    }

    /// Contacts of a node that begins at the place `first`; they keep their order in each part.
    fn take(&mut self, node: u32, first: usize, contacts: &mut [u32]) {
        self.nodes[node as usize].contacts = contacts.len();
        let mut own = contacts;
        if let Some([a, b]) = self.nodes[node as usize].halves {
            let cut = (first + self.nodes[a as usize].bodies) as u32;
            let span = |i: &u32| self.span[*i as usize];
            // Stable: first half, second half, between.
            own.sort_by_key(|i| if span(i)[1] < cut { 0u8 } else { 1 + u8::from(span(i)[0] < cut) });
            let in_a = own.partition_point(|i| span(i)[1] < cut);
            let in_b = in_a + own[in_a..].partition_point(|i| span(i)[0] >= cut);
            let (halves, between) = own.split_at_mut(in_b);
            let (for_a, for_b) = halves.split_at_mut(in_a);
            self.take(a, first, for_a);
            self.take(b, cut as usize, for_b);
            own = between;
        }
        self.order.extend_from_slice(own);
        self.base.resize(self.order.len(), first as u32);
        self.part.resize(self.order.len(), node);
    }
}
