//! The members of a group, found by when they were there.
//!
//! They are kept in blocks in the order in which they came, of which it is known from when to when any of its members was there: of a
//! million that lived shortly few blocks have one in a narrow window.

/// Members of a block.
const BLOCK: usize = 64;

/// The members of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    members: Vec<u32>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    /// When the first begins.
    begin_ns: u64,
    /// When the last that has ended did.
    end_ns: u64,
    /// How many have not ended.
    open: u32,
}

impl Members {
    /// Takes one in, and gives its place.
    pub(super) fn add(&mut self, member: u32, begin_ns: u64) -> u32 {
        let place = self.members.len();
        if place.is_multiple_of(BLOCK) {
            self.blocks.push(Block {
                begin_ns,
                end_ns: 0,
                open: 0,
            });
        }
        self.members.push(member);
        if let Some(block) = self.blocks.last_mut() {
            block.begin_ns = block.begin_ns.min(begin_ns);
            block.open += 1;
        }
        place as u32
    }

    /// The one at a place began at a time, which may be before that with which it came.
    pub(super) fn begins(&mut self, place: u32, begin_ns: u64) {
        if let Some(block) = self.blocks.get_mut(place as usize / BLOCK) {
            block.begin_ns = block.begin_ns.min(begin_ns);
        }
    }

    /// The one at a place has ended.
    pub(super) fn end(&mut self, place: u32, end_ns: u64) {
        if let Some(block) = self.blocks.get_mut(place as usize / BLOCK) {
            block.end_ns = block.end_ns.max(end_ns);
            block.open = block.open.saturating_sub(1);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// All, in the order in which they came.
    pub(super) fn all(&self) -> &[u32] {
        &self.members
    }

    /// Those that may have been there in a stretch of time: whoever was is among them.
    pub(crate) fn near(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = u32> {
        let blocks = self.members.chunks(BLOCK).zip(&self.blocks);
        let near = blocks.filter(move |(_, block)| {
            block.begin_ns < to_ns && (block.open > 0 || block.end_ns >= from_ns)
        });
        near.flat_map(|(members, _)| members.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_was_there_is_near_and_few_others_are() {
        let mut members = Members::default();
        for number in 0..10_000_u64 {
            let place = members.add(number as u32, number * 10);
            // One of them lives on.
            if number != 3_000 {
                members.end(place, number * 10 + 15);
            }
        }
        let near: Vec<u32> = members.near(50_000, 50_040).collect();
        for member in [3_000, 4_999, 5_000, 5_001, 5_003] {
            assert!(near.contains(&member), "{member}");
        }
        assert!(near.len() <= 3 * BLOCK, "{}", near.len());
        assert_eq!(members.near(0, u64::MAX).count(), members.len());
    }
}
