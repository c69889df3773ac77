//! A lock-free profiling buffer: one writer, which may be a signal handler, and one reader.
//!
//! A sampling profiler takes samples where it can hardly do anything: in a signal handler, which
//! must not allocate, lock or panic. It hands them over through this buffer, whose writer does
//! none of that. A sample, here a *record*, is a time, a header of a few words, a stack of any
//! length, and a *tag*, a value of the caller's choice. What does not fit is lost, but never in
//! silence: the reader is told how many records were lost, where in the sequence, and since when,
//! so that read + lost = written.
//!
//! # Examples
//!
//! ```
//! use std::{sync::Arc, thread};
//! use exectrace_profbuf::{Mode, Read, Sizes, buffer};
//!
//! let sizes = Sizes { header_words: 2, data_words: 1 << 14, tags: 1 << 10 };
//! let (mut writer, mut reader) = buffer::<Arc<str>>(sizes)?;
//!
//! let sampled = thread::spawn(move || {
//!     let request = Arc::from("GET /");
//!     for time in 0..100 {
//!         let tag = Arc::clone(&request);
//!         writer.write(Some(tag), time, &[3 << 1 | 1, 17], &[0x1000, 0x2000]).unwrap();
//!     }
//! }); // The writer is dropped at the end of its thread, which closes the buffer.
//!
//! let mut samples = 0;
//! loop {
//!     match reader.read(Mode::Blocking) {
//!         Read::Records(records) => {
//!             for record in records {
//!                 assert_eq!(record.header, [3 << 1 | 1, 17]);
//!                 assert_eq!(record.stack, [0x1000, 0x2000]);
//!                 assert_eq!(record.tag.map(|tag| &**tag), Some("GET /"));
//!                 assert_eq!(record.lost(), None);
//!                 samples += 1;
//!             }
//!         }
//!         Read::End => break,
//!         Read::Empty => unreachable!("only a non-blocking read says that"),
//!     }
//! }
//! assert_eq!(samples, 100);
//! sampled.join().unwrap();
//! # Ok::<(), exectrace_profbuf::Error>(())
//! ```
//!
//! # Tags
//!
//! A tag is a value of any type that can move to the reader's thread: `Box`, `Arc`, a reference, a
//! number, `()` for none at all. Writing moves it and never drops it. The reader lends it out with
//! its record and drops it at the next read; what is left in the buffer is dropped with the last
//! of the two handles. A small type keeps the buffer small: `Option<Box<_>>` is one word.
//!
//! # Signal safety
//!
//! [`Writer::write`] may be called in a signal handler; its documentation says what that needs.
//! Making the buffer, reading, and dropping either handle may not.
//!
//! # Modules
//!
//! | module | what |
//! | --- | --- |
//! | `writer`, `reader` | the two handles |
//! | `ring` | what they share; **the algorithm and its memory orders** |
//! | `words`, `tags` | the memory of the two rings |
//! | `counts` | how far a side has come |
//! | `overflow` | the count of lost records |
//! | `alarm` | how a reader sleeps and is woken |
//! | `record`, `records`, `read` | what a read returns |
//! | `lost` | what a write returns if it fails |
//! | `buffer`, `sizes`, `error` | making a buffer |
//! | `sync` | atomics and threads: std's or loom's |

mod alarm;
mod buffer;
mod counts;
mod error;
mod lost;
#[cfg(all(test, not(loom)))]
mod model;
mod overflow;
mod read;
mod reader;
mod record;
mod records;
mod ring;
mod sizes;
mod sync;
mod tags;
mod words;
mod writer;

pub use buffer::buffer;
pub use error::Error;
pub use lost::{Cause, Lost};
pub use read::{Mode, Read};
pub use reader::Reader;
pub use record::Record;
pub use records::Records;
pub use sizes::Sizes;
pub use writer::Writer;
