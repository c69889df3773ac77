//! Interning without a lock: the string table and the stack table of the process.
//!
//! ```text
//!  buckets ──► entry ──► entry        look-up by hash, then by content; insertion by compare-and-swap
//!  used    ──► entry ──► entry        entries that a session used for the first time: the collector writes those
//! ```
//!
//! Ids live as long as the process, so that an id that a hook took before a restart of the session is still good. Each entry
//! bears the stamp of the session that last used it. Entries are made in an arena that never moves, through a chunk that
//! belongs to the lane; when the arena is spent, what is new gets no id, and that is counted.
#![expect(
    unsafe_code,
    reason = "entries live in memory that is mapped and never moves"
)]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use crate::gate::SessionStamp;
use crate::memory::{Arena, Reservation};
use crate::stack_walk::FRAMES_MAX;

/// Bytes of the arena that a lane takes at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// An entry of a table; its content follows it in memory.
#[derive(Debug)]
#[repr(C, align(8))]
pub(crate) struct Entry<T: Copy> {
    next: AtomicPtr<Entry<T>>,
    next_used: AtomicPtr<Entry<T>>,
    session: AtomicU64,
    hash: HashValue,
    id: u32,
    length: u32,
    /// What an adapter's classifier said of a stack; see [`crate::block_reason`].
    pub(crate) class: AtomicU8,
    content: [T; 0],
}

impl<T: Copy> Entry<T> {
    /// The id, from 1.
    #[inline]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Whether the session has used it already.
    #[inline(always)]
    pub(crate) fn is_used_by(&self, stamp: SessionStamp) -> bool {
        // Relaxed: whoever changed the stamp pushes the entry; that it may come a little later does no harm.
        self.session.load(Ordering::Relaxed) == stamp.word()
    }

    /// What was interned.
    #[inline]
    pub(crate) fn content(&self) -> &[T] {
        let first = self.content.as_ptr();
        // SAFETY: `make` wrote so many items right behind the entry, in the same allocation.
        unsafe { std::slice::from_raw_parts(first, self.length as usize) }
    }
}

/// A lane's own stretch of the arena.
#[derive(Debug)]
pub(crate) struct Chunk {
    at: *mut u8,
    left: usize,
}

// SAFETY: a chunk is its holder's alone, and the arena it points into lives as long as the process.
unsafe impl Send for Chunk {}

impl Chunk {
    pub(crate) const fn empty() -> Self {
        Self {
            at: std::ptr::null_mut(),
            left: 0,
        }
    }

    fn take(&mut self, size_bytes: usize, arena: &Arena) -> Option<NonNull<u8>> {
        if self.left < size_bytes {
            if size_bytes > CHUNK_BYTES / 2 {
                return arena.take(size_bytes);
            }
            self.at = arena.take(CHUNK_BYTES)?.as_ptr();
            self.left = CHUNK_BYTES;
        }
        let taken = NonNull::new(self.at)?;
        // SAFETY: at least so many bytes are left of the chunk.
        self.at = unsafe { self.at.add(size_bytes) };
        self.left -= size_bytes;
        Some(taken)
    }

    /// Takes back what was taken last, if it came from the chunk.
    fn untake(&mut self, taken: NonNull<u8>, size_bytes: usize) {
        if taken.as_ptr().wrapping_add(size_bytes) == self.at {
            self.at = taken.as_ptr();
            self.left += size_bytes;
        }
    }
}

/// A table of interned slices.
#[derive(Debug)]
pub(crate) struct InternTable<T: Copy> {
    buckets: Reservation,
    bucket_bits: u32,
    arena: Arena,
    used: AtomicPtr<Entry<T>>,
    next_id: AtomicU32,
    refused: AtomicU64,
}

impl<T: Content> InternTable<T> {
    /// A table with `1 << bucket_bits` buckets and content of at most `arena_bytes`. `None` where address space is refused.
    pub(crate) fn new(bucket_bits: u32, arena_bytes: usize) -> Option<Self> {
        let bucket_bytes = size_of::<AtomicPtr<Entry<T>>>() << bucket_bits;
        Some(Self {
            buckets: Reservation::new(bucket_bytes)?,
            bucket_bits,
            arena: Arena::new(arena_bytes)?,
            used: AtomicPtr::new(std::ptr::null_mut()),
            next_id: AtomicU32::new(1),
            refused: AtomicU64::new(0),
        })
    }

    /// The entry of `content`, made if it is new, and marked as used by the session. `None` when the table is full.
    ///
    /// # Signal safety
    /// Lock-free, allocates from `chunk` alone; but a handler must not share a chunk with what it interrupted.
    #[inline]
    pub(crate) fn intern(
        &'static self,
        content: &[T],
        hash: HashValue,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> Option<&'static Entry<T>> {
        let bucket = self.bucket(hash);
        // Acquire: shows the entries behind it; pairs with the Release in `insert`.
        let first = bucket.load(Ordering::Acquire);
        let entry = match find(first, std::ptr::null_mut(), content, hash) {
            Some(entry) => entry,
            None => self.insert(bucket, first, content, hash, chunk)?,
        };
        self.mark_used(entry, stamp);
        Some(entry)
    }

    /// The entry of what the session has used already.
    #[inline(always)]
    pub(crate) fn seen(
        &'static self,
        content: &[T],
        hash: HashValue,
        stamp: SessionStamp,
    ) -> Option<&'static Entry<T>> {
        // Acquire: as in `intern`.
        let first = self.bucket(hash).load(Ordering::Acquire);
        let entry = find(first, std::ptr::null_mut(), content, hash)?;
        entry.is_used_by(stamp).then_some(entry)
    }

    /// Says that the session uses an entry that was interned before.
    #[inline]
    pub(crate) fn mark_used(&self, entry: &'static Entry<T>, stamp: SessionStamp) {
        if !entry.is_used_by(stamp) {
            self.push_used(entry, stamp);
        }
    }

    #[cold]
    fn push_used(&self, entry: &'static Entry<T>, stamp: SessionStamp) {
        // Relaxed: of several threads one wins; the push below publishes.
        if entry.session.swap(stamp.word(), Ordering::Relaxed) == stamp.word() {
            return;
        }
        let pointer = std::ptr::from_ref(entry).cast_mut();
        // Relaxed: only used to link.
        let mut top = self.used.load(Ordering::Relaxed);
        loop {
            // Relaxed: published by the swap.
            entry.next_used.store(top, Ordering::Relaxed);
            // Release: publishes the link; pairs with the Acquire in `take_used`.
            match self.used.compare_exchange_weak(
                top,
                pointer,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    /// The entries that sessions began to use since the last call, oldest first.
    pub(crate) fn take_used(&'static self) -> Vec<&'static Entry<T>> {
        // Acquire: shows links and entries; pairs with the Release in `push_used`.
        let mut top = self.used.swap(std::ptr::null_mut(), Ordering::Acquire);
        let mut entries = Vec::new();
        while let Some(pointer) = NonNull::new(top) {
            // SAFETY: entries are never moved or freed.
            let entry: &'static Entry<T> = unsafe { pointer.as_ref() };
            // Relaxed: stored before the Release that we acquired.
            top = entry.next_used.load(Ordering::Relaxed);
            entries.push(entry);
        }
        entries.reverse();
        entries
    }

    /// How often something new found no room since the last call.
    pub(crate) fn take_refused(&self) -> u64 {
        // Relaxed: a figure for a report.
        self.refused.swap(0, Ordering::Relaxed)
    }

    /// Bytes of memory in use.
    pub(crate) fn used_bytes(&self) -> usize {
        self.arena.used_bytes() + self.buckets.size_bytes()
    }

    #[inline]
    fn bucket(&self, hash: HashValue) -> &AtomicPtr<Entry<T>> {
        let index = (hash.0 >> (64 - self.bucket_bits)) as usize;
        let address: NonNull<AtomicPtr<Entry<T>>> = self
            .buckets
            .at(index * size_of::<AtomicPtr<Entry<T>>>())
            .cast();
        // SAFETY: inside the reservation, aligned, and zero bytes are a null pointer.
        unsafe { address.as_ref() }
    }

    #[cold]
    fn insert(
        &self,
        bucket: &AtomicPtr<Entry<T>>,
        mut first: *mut Entry<T>,
        content: &[T],
        hash: HashValue,
        chunk: &mut Chunk,
    ) -> Option<&'static Entry<T>> {
        let size_bytes =
            (size_of::<Entry<T>>() + std::mem::size_of_val(content)).next_multiple_of(8);
        let Some(memory) = chunk.take(size_bytes, &self.arena) else {
            // Relaxed: a figure for a report.
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        let entry = self.make(memory, content, hash);
        loop {
            entry.next.store(first, Ordering::Relaxed); // Relaxed: published by the swap.
            let pointer = std::ptr::from_ref(entry).cast_mut();
            // Release: publishes the entry; pairs with the Acquire in `intern`. Acquire: shows what another thread put there.
            match bucket.compare_exchange(first, pointer, Ordering::Release, Ordering::Acquire) {
                Ok(_) => return Some(entry),
                Err(now) => {
                    if let Some(found) = find(now, first, content, hash) {
                        chunk.untake(memory, size_bytes);
                        return Some(found);
                    }
                    first = now;
                }
            }
        }
    }

    fn make(&self, memory: NonNull<u8>, content: &[T], hash: HashValue) -> &'static Entry<T> {
        let place: NonNull<Entry<T>> = memory.cast();
        let head = Entry {
            next: AtomicPtr::new(std::ptr::null_mut()),
            next_used: AtomicPtr::new(std::ptr::null_mut()),
            session: AtomicU64::new(0),
            hash,
            // Relaxed: only the numbers must differ.
            id: self.next_id.fetch_add(1, Ordering::Relaxed),
            length: content.len() as u32,
            class: AtomicU8::new(0),
            content: [],
        };
        // SAFETY: the caller took memory for the entry and its content, aligned to 8.
        unsafe { place.write(head) };
        // SAFETY: the field lies inside the entry.
        let first = unsafe { (&raw mut (*place.as_ptr()).content).cast::<T>() };
        // SAFETY: the memory behind the head is long enough for the content, and nobody else knows it.
        unsafe { std::ptr::copy_nonoverlapping(content.as_ptr(), first, content.len()) };
        // SAFETY: the arena is never given back, since tables live as long as the process.
        unsafe { place.as_ref() }
    }
}

/// Looks for `content` from `first` on, up to but without `end`.
#[inline]
fn find<T: Content>(
    first: *mut Entry<T>,
    end: *mut Entry<T>,
    content: &[T],
    hash: HashValue,
) -> Option<&'static Entry<T>> {
    let mut pointer = first;
    while pointer != end {
        // SAFETY: entries are never moved or freed; the list ends with null, which every `end` given is or lies before.
        let entry: &'static Entry<T> = unsafe { pointer.as_ref() }?;
        if entry.hash == hash
            && entry.length as usize == content.len()
            && (T::HASH_IS_ENOUGH || entry.content() == content)
        {
            return Some(entry);
        }
        // Relaxed: an entry's link is constant once it can be reached.
        pointer = entry.next.load(Ordering::Relaxed);
    }
    None
}

/// What can be interned.
pub(crate) trait Content: Copy + Eq + 'static {
    /// Whether equal lengths and 128-bit hashes are taken for equality. For a stack, whose look-up is on the hot path and
    /// whose words nobody chooses, two of a million would be taken for each other once in 10^26 programs.
    const HASH_IS_ENOUGH: bool;
}

impl Content for u64 {
    const HASH_IS_ENOUGH: bool = true;
}

impl Content for u8 {
    const HASH_IS_ENOUGH: bool = false;
}

/// A finished hash: two halves that know nothing of each other. The high bits of the first are good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HashValue(u64, u64);

impl HashValue {
    /// Of nothing.
    pub(crate) const EMPTY: Self = Self(0, 0);
}

/// The hash of bytes: eight at a time, each step's result in the next.
pub(crate) fn hash_of_bytes(bytes: &[u8]) -> HashValue {
    // 2^64 divided by the golden ratio, and by the square root of three, made odd.
    const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0x93CD_3A2C_8198_E269];
    let mut hash = HashValue(0, 0);
    let mut feed = |word: u64| {
        hash.0 = (hash.0.rotate_left(23) ^ word).wrapping_mul(MULTIPLIERS[0]);
        hash.1 = (hash.1.rotate_left(29) ^ word).wrapping_mul(MULTIPLIERS[1]);
    };
    feed(bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        feed(u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    feed(u64::from_le_bytes(last));
    hash.finished()
}

/// The hash of a stack that is being walked: the sum of each address by a constant of its depth.
///
/// No step waits for the one before, so that hashing costs nothing beside the loads of the walk. Such sums (multilinear
/// hashing) are equal for two stacks with a chance of 2^-64 times the power of two that divides the difference of their
/// addresses, for each half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackHash(HashValue);

/// A constant for each depth and half, from the splitmix64 sequence.
const DEPTH_CONSTANTS: [[u64; 2]; FRAMES_MAX] = {
    let mut constants = [[0; 2]; FRAMES_MAX];
    let mut state = 0_u64;
    let mut depth = 0;
    while depth < FRAMES_MAX {
        let mut half = 0;
        while half < 2 {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            constants[depth][half] = mixed ^ (mixed >> 31) | 1;
            half += 1;
        }
        depth += 1;
    }
    constants
};

impl StackHash {
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self(HashValue(0, 0))
    }

    /// Adds the address at `depth`, which is below [`FRAMES_MAX`].
    #[inline(always)]
    pub(crate) fn feed(&mut self, depth: usize, pc: u64) {
        let constants = &DEPTH_CONSTANTS[depth % FRAMES_MAX];
        self.0.0 = self.0.0.wrapping_add(pc.wrapping_mul(constants[0]));
        self.0.1 = self.0.1.wrapping_add(pc.wrapping_mul(constants[1]));
    }

    #[inline(always)]
    pub(crate) fn finish(self) -> HashValue {
        self.0.finished()
    }

    /// The hash of a whole stack.
    #[inline]
    pub(crate) fn of(pcs: &[u64]) -> HashValue {
        let mut hash = Self::new();
        for (depth, &pc) in pcs.iter().enumerate().take(FRAMES_MAX) {
            hash.feed(depth, pc);
        }
        hash.finish()
    }
}

impl HashValue {
    /// Spreads the last step's low bits over the high ones.
    #[inline(always)]
    fn finished(self) -> Self {
        const SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;
        Self((self.0 ^ (self.0 >> 32)).wrapping_mul(SPREAD), self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Mode;

    fn table<T: Content>(arena_bytes: usize) -> &'static InternTable<T> {
        Box::leak(Box::new(
            InternTable::new(4, arena_bytes).expect("address space"),
        ))
    }

    fn stamp(tick: u64) -> SessionStamp {
        SessionStamp::new(tick, Mode::default())
    }

    #[test]
    fn equal_contents_have_one_entry_and_others_their_own() {
        let table = table::<u8>(1 << 20);
        let mut chunk = Chunk::empty();
        let mut intern = |text: &[u8]| {
            table
                .intern(text, hash_of_bytes(text), stamp(1), &mut chunk)
                .expect("room")
        };
        let names: Vec<Vec<u8>> = (0..500_u32).map(|n| n.to_le_bytes().to_vec()).collect();
        let ids: Vec<_> = names.iter().map(|name| intern(name).id()).collect();
        let again: Vec<_> = names.iter().map(|name| intern(name).id()).collect();
        assert_eq!(ids, again);
        assert_eq!(ids, (1..=500).collect::<Vec<_>>());
        assert_eq!(intern(&names[7]).content(), names[7]);
    }

    #[test]
    fn an_entry_is_listed_once_for_each_session_that_uses_it() {
        let table = table::<u64>(1 << 20);
        let mut chunk = Chunk::empty();
        for session in 1..4 {
            for _ in 0..3 {
                table.intern(&[1, 2, 3], HashValue(77, 0), stamp(session), &mut chunk);
            }
            let used: Vec<_> = table
                .take_used()
                .iter()
                .map(|entry| entry.content())
                .collect();
            assert_eq!(used, [&[1, 2, 3]]);
        }
    }

    #[test]
    fn a_full_table_refuses_and_counts() {
        let table = table::<u8>(CHUNK_BYTES);
        let mut chunk = Chunk::empty();
        let long = [1_u8; 4096];
        for seed in 0..8_u8 {
            let mut text = long;
            text[0] = seed;
            let entry = table.intern(&text, HashValue(u64::from(seed), 0), stamp(1), &mut chunk);
            assert_eq!(entry.is_some(), seed < 3, "{seed}");
        }
        assert_eq!(table.take_refused(), 5);
    }

    #[test]
    fn threads_agree_on_the_ids() {
        let table = table::<u64>(1 << 22);
        let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut chunk = Chunk::empty();
                        (0..2_000_u64)
                            .map(|n| {
                                let hash = StackHash::of(&[n]);
                                let entry = table.intern(&[n], hash, stamp(1), &mut chunk);
                                entry.expect("room").id()
                            })
                            .collect()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert!(ids.iter().all(|other| *other == ids[0]));
        assert_eq!(table.take_used().len(), 2_000);
    }
}
