//! Files of which a bit is wrong.

use exectrace_testkit::Random;

use crate::corpus::files;
use crate::judge::judge;

/// The files are at most this large.
const BYTES_MAX: usize = 1 << 16;
const FLIPS: u64 = 10_000;

#[test]
fn a_file_with_any_bit_flipped_is_read_to_its_end() {
    let mut files: Vec<_> = files()
        .into_iter()
        .filter(|file| file.is_accepted && file.bytes.len() <= BYTES_MAX)
        .collect();
    let mut random = Random::new(11);
    let mut faults = Vec::new();
    for _ in 0..FLIPS {
        let file = random.below(files.len() as u64) as usize;
        let file = &mut files[file];
        let offset = random.below(file.bytes.len() as u64) as usize;
        let bit = random.below(8);
        file.bytes[offset] ^= 1 << bit;
        if let Err(fault) = judge(&file.bytes) {
            faults.push(format!("{} flip {offset} {bit}: {fault}", file.name));
        }
        file.bytes[offset] ^= 1 << bit;
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
