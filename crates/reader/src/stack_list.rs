//! All stacks of a trace, each once.
//!
//! A stack is looked up by a hash of its addresses, which are the same in each generation, and then compared by its frames. Frames
//! lie one stack after another, so that a stack that is known costs few places in memory: a trace has hundreds of thousands.

use exectrace_format::StackId;

/// Stacks by id, and ids by stack.
#[derive(Clone, Debug, Default)]
pub(crate) struct StackList {
    /// The frames of all stacks, by their places in the table of frames.
    frames: Vec<u32>,
    /// Where in `frames` each stack ends.
    ends: Vec<usize>,
    /// Hashes and ids, each at the first place from its hash on that was free. An id of 0 is a free place; a quarter of all are
    /// free at least.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    id: u32,
}

/// The hash of a stack, address by address.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StackHash(u64);

impl StackHash {
    /// The hash with a further frame's address.
    #[inline]
    pub(crate) fn with(self, pc: u64) -> Self {
        // A prime near 2^64 divided by the golden ratio; the low bits, which it mixes least, come from the high ones.
        let mixed = (self.0 ^ pc).wrapping_mul(0x9E37_79B9_7F4A_7C55);
        Self(mixed ^ mixed >> 32)
    }

    #[inline]
    pub(crate) fn finish(self) -> u32 {
        self.0 as u32
    }
}

/// So many stacks are fetched at once.
pub(crate) const FETCHED: usize = 16;

/// Places at first: a power of two, as later.
const SLOTS_FIRST: usize = 1024;

impl StackList {
    /// The frames of a stack; none for an id that is not of this list.
    pub(crate) fn frames(&self, id: StackId) -> &[u32] {
        let Some(&end) =
            id.0.checked_sub(1)
                .and_then(|index| self.ends.get(index as usize))
        else {
            return &[];
        };
        let start = if id.0 == 1 {
            0
        } else {
            self.ends[id.0 as usize - 2]
        };
        &self.frames[start..end]
    }

    /// The id of a stack of this hash, if it is in the list.
    // Its frames are compared as they come: reading them all before would keep the processor from fetching those of the list.
    #[inline]
    pub(crate) fn find(
        &self,
        hash: u32,
        frames: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Option<StackId> {
        let mut place = hash as usize;
        loop {
            let slot = self.slots.get(place & self.slots.len().wrapping_sub(1))?;
            let id = StackId(u64::from(slot.id));
            if slot.id == 0 {
                return None;
            }
            if slot.hash == hash {
                let known = self.frames(id);
                if known.len() == frames.len() && frames.clone().eq(known.iter().copied()) {
                    return Some(id);
                }
            }
            place += 1;
        }
    }

    /// Reads what [`Self::find`] looks at for stacks of these hashes: so the processor fetches it for all of them at once, and not
    /// for each when it is needed.
    #[inline(never)]
    pub(crate) fn fetch(&self, hashes: &[u32]) {
        let (mut ids, mut ends) = ([0; FETCHED], [0; FETCHED]);
        for (id, &hash) in ids.iter_mut().zip(hashes) {
            let place = hash as usize & self.slots.len().wrapping_sub(1);
            *id = self.slots.get(place).map_or(0, |slot| slot.id);
        }
        for (end, &id) in ends.iter_mut().zip(&ids) {
            let index = (id as usize).wrapping_sub(1);
            *end = self.ends.get(index).copied().unwrap_or_default();
        }
        let frames = ends.map(|end| self.frames.get(end.wrapping_sub(1)).copied());
        std::hint::black_box(frames);
    }

    /// The id of a stack of this hash.
    pub(crate) fn intern(&mut self, hash: u32, frames: &[u32]) -> StackId {
        if let Some(id) = self.find(hash, frames.iter().copied()) {
            return id;
        }
        if 3 * self.slots.len() <= 4 * self.ends.len() {
            self.grow();
        }
        let place = self.free_place(hash);
        self.frames.extend_from_slice(frames);
        self.ends.push(self.frames.len());
        let id = self.ends.len();
        // Beyond four thousand million stacks equal ones are not found any more.
        self.slots[place] = Slot {
            hash,
            id: u32::try_from(id).unwrap_or_default(),
        };
        StackId(id as u64)
    }

    /// The first free place from that of a hash on.
    fn free_place(&self, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].id != 0 {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let length = (2 * self.slots.len()).max(SLOTS_FIRST);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); length]);
        for slot in old {
            if slot.id != 0 {
                let place = self.free_place(slot.hash);
                self.slots[place] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_have_one_id_whatever_their_hashes() {
        for bits in [0, 3, 32] {
            let mut list = StackList::default();
            let stacks: Vec<Vec<u32>> = (0..700)
                .map(|index| (0..index % 7).map(|frame| index / 7 + frame).collect())
                .collect();
            let hash = |stack: &[u32]| {
                let hash = stack
                    .iter()
                    .fold(StackHash::default(), |hash, &frame| hash.with(frame.into()));
                hash.finish() & u32::MAX.checked_shr(32 - bits).unwrap_or_default()
            };
            let ids: Vec<StackId> = stacks
                .iter()
                .map(|stack| list.intern(hash(stack), stack))
                .collect();
            for (stack, &id) in stacks.iter().zip(&ids) {
                assert_eq!(list.frames(id), stack);
                assert_eq!(list.intern(hash(stack), stack), id);
            }
            // All empty stacks are the same one.
            assert_eq!(list.ends.len(), 601);
            // To fetch changes nothing, and takes any hashes.
            list.fetch(&[0, 1, u32::MAX]);
            StackList::default().fetch(&[0; FETCHED]);
        }
    }

    #[test]
    fn an_id_of_nobody_has_no_frames() {
        let mut list = StackList::default();
        list.intern(1, &[5]);
        assert_eq!(list.frames(StackId(0)), [0; 0]);
        assert_eq!(list.frames(StackId(2)), [0; 0]);
        assert_eq!(list.frames(StackId(u64::MAX)), [0; 0]);
    }
}
