//! The stacks of one generation, and what they are in the trace.
//!
//! A generation's table is long, and hardly two stacks in it lie side by side that are alike. So of each frame only the address is
//! decoded, and looked up among those that were there before: the first frame with an address holds for all, as in Go's reader.

use std::collections::hash_map::Entry;

use exectrace_format::go_v2::NearStack;
use exectrace_format::{Frame, Frames, StackId};

use crate::Cause;
use crate::id_map::IdMap;
use crate::id_table::IdTable;
use crate::stack_list::StackHash;
use crate::tables::{FETCHED, Tables};

/// The stack table of a generation.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    by_id: IdTable<Place>,
    /// Ids in the trace's tables by ids in the file, once an event of any generation has referred to them; [`UNKNOWN`] before.
    known: Vec<u32>,
    /// The frames of all stacks, by their places among the different ones.
    frames: Vec<u32>,
    /// The different frames: those of different addresses.
    firsts: Vec<Frame>,
    /// Their ids in the trace's tables, likewise.
    ids: Vec<u32>,
    first_of_pc: IdMap<u32>,
    /// The frames of the stack that is being interned, likewise.
    interned: Vec<u32>,
    /// Addresses that were looked up lately, by their last bits.
    recent: Vec<(u64, Option<u32>)>,
}

/// Addresses that are remembered: a program's stacks have some thousand different ones.
const RECENT: usize = 2048;

/// No stack and no frame of the trace has this id.
const UNKNOWN: u32 = u32::MAX;

/// Where a stack is.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    length: u32,
    hash: u32,
}

impl Stacks {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Takes a stack in.
    pub(super) fn define(&mut self, id: u64, mut frames: Frames<'_>) -> Result<(), Cause> {
        let start = self.frames.len();
        let mut hash = StackHash::default();
        while let Some(pc) = frames.skip_frame() {
            hash = hash.with(pc);
            self.push_frame(pc, || frames.last_again());
        }
        self.insert(id, start, hash)
    }

    /// The same for one that is decoded on the way. False if a frame of it cannot be, or not so: then nothing was taken in.
    #[inline(always)]
    pub(super) fn define_near(&mut self, stack: &mut NearStack<'_>) -> Result<bool, Cause> {
        let start = self.frames.len();
        let mut hash = StackHash::default();
        for _ in 0..stack.frames() {
            let Some(pc) = stack.skip_frame() else {
                self.frames.truncate(start);
                return Ok(false);
            };
            hash = hash.with(pc);
            self.push_frame(pc, || stack.last_again());
        }
        self.insert(stack.id(), start, hash)?;
        Ok(true)
    }

    #[inline(always)]
    fn push_frame(&mut self, pc: u64, frame: impl FnOnce() -> Option<Frame>) {
        let first = match self.recent.get(pc as usize % RECENT) {
            Some(&(recent, Some(first))) if recent == pc => first,
            _ => self.first(pc, frame()),
        };
        self.frames.push(first);
    }

    /// Takes in a stack whose frames are those from `start` on.
    fn insert(&mut self, id: u64, start: usize, hash: StackHash) -> Result<(), Cause> {
        let place = Place {
            start: start as u32,
            length: (self.frames.len() - start) as u32,
            hash: hash.finish(),
        };
        if id == 0 || self.by_id.insert(id, place).is_err() {
            return Err(Cause::StackRepeated { id });
        }
        Ok(())
    }

    /// The place of the first frame of an address, which is `frame` if there was none before.
    #[inline(never)]
    fn first(&mut self, pc: u64, frame: Option<Frame>) -> u32 {
        let first = match self.first_of_pc.entry(pc) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(vacant) => {
                self.firsts.push(frame.unwrap_or_default());
                *vacant.insert(self.firsts.len() as u32 - 1)
            }
        };
        self.recent.resize(RECENT, (0, None));
        self.recent[pc as usize % RECENT] = (pc, Some(first));
        first
    }

    /// All stacks are in. Gives the different frames, whose names are to be checked.
    pub(super) fn finish(&mut self) -> &[Frame] {
        self.first_of_pc = IdMap::default();
        self.recent = Vec::new();
        self.known = vec![UNKNOWN; self.by_id.dense_len().max(1)];
        self.known[0] = 0;
        self.ids = vec![UNKNOWN; self.firsts.len()];
        &self.firsts
    }

    /// Finds those that were in the trace before this generation, which are most; `frame` says of a frame which one it is in the
    /// trace, if it was there.
    ///
    /// One by one, when an event refers to it, each would have the processor wait for memory some times.
    pub(super) fn recognise(&mut self, tables: &Tables<'_>, frame: impl Fn(Frame) -> Option<u32>) {
        for (id, &first) in self.ids.iter_mut().zip(&self.firsts) {
            *id = frame(first).unwrap_or(UNKNOWN);
        }
        let (known, places) = (self.known.chunks_mut(FETCHED), self.by_id.dense());
        for (known, places) in known.zip(places.chunks(FETCHED)) {
            let mut hashes = [0; FETCHED];
            for (hash, place) in hashes.iter_mut().zip(places) {
                *hash = place.map_or(0, |place| place.hash);
            }
            tables.fetch_stacks(&hashes);
            for (known, place) in known.iter_mut().zip(places) {
                let Some(place) = place else {
                    continue;
                };
                let firsts = &self.frames[place.start as usize..][..place.length as usize];
                let ids = firsts.iter().map(|&first| self.ids[first as usize]);
                if let Some(stack) = tables.known_stack(place.hash, ids) {
                    *known = u32::try_from(stack.0).unwrap_or(UNKNOWN);
                }
            }
        }
    }

    /// The trace's id of a stack that is known: an event has referred to it before.
    #[inline(always)]
    pub(super) fn known(&self, id: u64) -> Option<StackId> {
        match self.known.get(id as usize) {
            Some(&known) if known != UNKNOWN => Some(StackId(u64::from(known))),
            _ => None,
        }
    }

    /// The trace's id of any stack, if the table has it. `frame` makes that of a frame.
    #[inline(never)]
    pub(super) fn intern<'a>(
        &mut self,
        id: u64,
        tables: &mut Tables<'a>,
        mut frame: impl FnMut(Frame, &mut Tables<'a>) -> u32,
    ) -> Option<StackId> {
        let &Place {
            start,
            length,
            hash,
        } = self.by_id.get(id)?;
        self.interned.clear();
        for &first in &self.frames[start as usize..][..length as usize] {
            let id = &mut self.ids[first as usize];
            if *id == UNKNOWN {
                *id = frame(self.firsts[first as usize], tables);
            }
            self.interned.push(*id);
        }
        let stack = tables.hashed_stack(hash, &self.interned);
        if let Some(known) = self.known.get_mut(id as usize) {
            // One that does not fit is looked up again.
            *known = u32::try_from(stack.0).unwrap_or(UNKNOWN);
        }
        Some(stack)
    }
}
