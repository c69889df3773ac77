//! Files that are cut, as those of a process that died.

use exectrace_testkit::Random;

use crate::corpus::files;
use crate::judge::judge;

/// Files up to this size are cut at every byte.
const SMALL_BYTES: usize = 4096;
/// So many larger ones are cut, at so many places each.
const LARGE_FILES: usize = 40;
const PLACES: u64 = 200;
/// Larger ones take too long.
const LARGE_BYTES: usize = 1 << 16;

#[test]
fn a_file_cut_at_any_byte_is_read_to_its_end() {
    let mut faults = Vec::new();
    let mut check = |name: &str, bytes: &[u8]| {
        if let Err(fault) = judge(bytes) {
            faults.push(format!("{name} cut at {}: {fault}", bytes.len()));
        }
    };
    let (small, large): (Vec<_>, Vec<_>) = files()
        .into_iter()
        .partition(|file| file.bytes.len() <= SMALL_BYTES);
    for file in small {
        for length in 0..file.bytes.len() {
            check(&file.name, &file.bytes[..length]);
        }
    }
    let mut random = Random::new(7);
    let mut large: Vec<_> = large
        .into_iter()
        .filter(|file| file.bytes.len() <= LARGE_BYTES)
        .collect();
    // A choice that does not hang on their names.
    large.sort_by_cached_key(|_| random.below(u64::MAX));
    large.truncate(LARGE_FILES);
    for file in large {
        for _ in 0..PLACES {
            let length = random.below(file.bytes.len() as u64) as usize;
            check(&file.name, &file.bytes[..length]);
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
