//! Tokio's ids as numbers: they are opaque, but can be hashed.

use std::hash::{Hash, Hasher};

/// The number of a runtime's or a task's id.
pub(crate) fn number_of(id: impl Hash) -> u64 {
    let mut catcher = Catcher(0);
    id.hash(&mut catcher);
    catcher.finish()
}

/// Keeps the last number that is hashed.
struct Catcher(u64);

impl Hasher for Catcher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_s_number_is_the_one_it_prints() {
        let runtimes = [(); 2].map(|()| {
            let builder = &mut tokio::runtime::Builder::new_current_thread();
            builder.build().expect("a runtime")
        });
        let numbers = runtimes
            .each_ref()
            .map(|runtime| number_of(runtime.handle().id()));
        assert_ne!(numbers[0], numbers[1]);
        for (runtime, number) in runtimes.iter().zip(numbers) {
            assert_eq!(runtime.handle().id().to_string(), number.to_string());
        }
    }
}
