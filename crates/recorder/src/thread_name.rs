//! Where the tasks of threads start that were not started through a hook: at the thread's name.
//!
//! The function that such a thread runs is not known, and would be one of the standard library's, the same for all. So its task
//! starts at an address that code cannot have and that stands for the thread's name; readers see a function `thread main`.
//!
//! ```text
//!  0: "main"  │ 1: "tokio-rt-worker" │ 2: "baker" │ …      a name keeps its place for the process's life
//! ```
//!
//! A place is two words, each of which is set once, from 0, by whoever comes first. Who finds another name's second word behind
//! its own first word goes on to the next place: nobody waits, and a name has one place.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::thread_role::own_id_and_name;

/// Names that are kept: pools have one for all of their threads, or number them.
const NAMES: usize = 512;

/// Addresses of processors have fewer bits, as have the numbers by which inlined functions are told apart.
const BASE: u64 = 1 << 62;

static PLACES: [Place; NAMES] = [const { Place::new() }; NAMES];

/// The calling thread's name as the address of a function. `None` if it has none, or when there are too many names.
pub(crate) fn own_address() -> Option<u64> {
    let (thread, name) = own_id_and_name();
    // The first thread has the process's number; its name is the program's.
    let is_first = u32::try_from(thread) == Ok(std::process::id());
    address_of(if is_first {
        *b"main\0\0\0\0\0\0\0\0\0\0\0\0"
    } else {
        name
    })
}

/// The name behind an address of [`own_address`], as that of a function.
pub(crate) fn function_at(address: u64) -> Option<Vec<u8>> {
    let index = address.checked_sub(BASE)?;
    let name = PLACES.get(usize::try_from(index).ok()?)?.name()?;
    let mut function = b"thread ".to_vec();
    function.extend(name.into_iter().take_while(|&byte| byte != 0));
    Some(function)
}

fn address_of(name: [u8; 16]) -> Option<u64> {
    if name[0] == 0 {
        return None;
    }
    let index = PLACES.iter().position(|place| place.is_or_becomes(name))?;
    Some(BASE + index as u64)
}

/// A name of at most 15 bytes; 0 and 0 while free.
struct Place([AtomicU64; 2]);

impl Place {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; 2])
    }

    fn is_or_becomes(&self, name: [u8; 16]) -> bool {
        self.0.iter().zip(words(name)).all(|(place, word)| {
            // Relaxed: a word says all there is to know, and never changes again.
            let set = place.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
            set.is_ok() || set == Err(word)
        })
    }

    fn name(&self) -> Option<[u8; 16]> {
        // Relaxed: whoever has the address got it after the words were set, by a hand-over that orders them.
        let [first, second] = self.0.each_ref().map(|word| word.load(Ordering::Relaxed));
        if first == 0 || second == 0 {
            return None;
        }
        let mut name = [0; 16];
        name[..8].copy_from_slice(&first.to_le_bytes());
        name[8..].copy_from_slice(&second.to_le_bytes());
        // Not part of the name: see `words`.
        name[15] = 0;
        Some(name)
    }
}

/// Two words, neither of which is 0: the last byte, which ends the longest name, is set in the second.
fn words(name: [u8; 16]) -> [u64; 2] {
    let mut name = name;
    name[15] = 1;
    let value = u128::from_le_bytes(name);
    [value as u64, (value >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(name: &str) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes
    }

    #[test]
    fn a_name_has_one_address_and_an_address_one_name() {
        let names = ["baker", "baker-of-bread", "baker-of-brioche"];
        let names = names.map(|name| &name[..name.len().min(15)]);
        let addresses = names.map(|name| address_of(padded(name)).expect("room"));
        for (name, address) in names.into_iter().zip(addresses) {
            assert_eq!(address_of(padded(name)), Some(address));
            let function = function_at(address).expect("a name");
            assert_eq!(function, format!("thread {name}").into_bytes());
        }
        assert_ne!(addresses[1], addresses[2]);
        assert_ne!(addresses[0], addresses[1]);
    }

    #[test]
    fn threads_that_come_at_once_agree() {
        let barrier = std::sync::Barrier::new(8);
        let addresses: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|number| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        let ending = if number % 2 == 0 { "even" } else { "odd" };
                        address_of(padded(&format!("at-once-{ending}")))
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|address| address.expect("no panic")).collect()
        });
        for (number, address) in addresses.iter().enumerate() {
            assert!(address.is_some());
            assert_eq!(*address, addresses[number % 2]);
        }
        assert_ne!(addresses[0], addresses[1]);
    }

    #[test]
    fn other_addresses_have_no_name() {
        for address in [
            0,
            1,
            0x5555_5555_0000,
            BASE - 1,
            BASE + NAMES as u64,
            u64::MAX,
        ] {
            assert_eq!(function_at(address), None);
        }
        assert_eq!(address_of([0; 16]), None);
    }
}
