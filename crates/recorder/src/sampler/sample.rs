//! A sample, as it lies in a profiling buffer.

use exectrace_profbuf::{Record, Writer};

/// Words of a sample's header.
pub(super) const HEADER_WORDS: usize = 6;

/// One sample of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample<'a> {
    /// When the signal came, in ticks; not before the last event of the thread.
    pub(crate) tick: u64,
    /// The thread's worker number; -1 if it has not joined the running session.
    pub(crate) worker: i64,
    /// The task whose start the running session has and whose end it has not; 0 if there is none.
    pub(crate) running: u64,
    /// The task that the thread runs, session or not; 0 if there is none.
    pub(crate) task: u64,
    /// The user task that this one carries; 0 if there is none.
    pub(crate) user_task: u64,
    /// For how many periods of CPU time it stands: more than one if the thread was long in the kernel.
    pub(crate) weight: u32,
    /// The kernel's number of the thread.
    pub(crate) thread: u32,
    /// The interrupted address and one, then return addresses: each is looked up at the address before.
    pub(crate) stack: &'a [u64],
}

impl<'a> Sample<'a> {
    /// Writes it into a buffer; false if there is no room.
    ///
    /// # Signal safety
    /// As [`Writer::write`]. Nobody sleeps at the reading end, so that there is no wake.
    pub(super) fn write(&self, writer: &mut Writer<()>) -> bool {
        let header: [u64; HEADER_WORDS] = [
            self.worker as u64,
            self.running,
            self.task,
            self.user_task,
            u64::from(self.weight),
            u64::from(self.thread),
        ];
        writer.write(None, self.tick, &header, self.stack).is_ok()
    }

    /// Reads a record; `None` if it tells of a loss.
    pub(super) fn of_record(record: &Record<'a, ()>) -> Option<Self> {
        if record.lost().is_some() {
            return None;
        }
        let &[worker, running, task, user_task, weight, thread] = record.header else {
            return None;
        };
        Some(Self {
            tick: record.time,
            worker: worker as i64,
            running,
            task,
            user_task,
            weight: weight as u32,
            thread: thread as u32,
            stack: record.stack,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exectrace_profbuf::{Mode, Read, Sizes, buffer};

    #[test]
    fn a_sample_comes_out_as_it_went_in_and_a_loss_is_none() {
        let sizes = Sizes {
            header_words: HEADER_WORDS,
            data_words: 16,
            tags: 4,
        };
        let (mut writer, mut reader) =
            buffer::<()>(sizes).expect("the sizes are within the limits");
        let sample = Sample {
            tick: 1 << 60,
            worker: -1,
            running: 3,
            task: 4,
            user_task: u64::MAX,
            weight: u32::MAX,
            thread: 77,
            stack: &[1, 2, 3],
        };
        assert!(sample.write(&mut writer));
        assert!(!sample.write(&mut writer));
        let mut read = Vec::new();
        while let Read::Records(records) = reader.read(Mode::NonBlocking) {
            read.extend(records.map(|record| Sample::of_record(&record) == Some(sample)));
        }
        assert_eq!(read, [true, false]);
    }
}
