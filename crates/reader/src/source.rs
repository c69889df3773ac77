//! Where a trace comes from: a file, standard input or bytes, plain or packed.
//!
//! ```text
//! regular file ─► mapped ──┬─► plain: looked at where it is
//!                          ├─► gzip, zstd: unpacked into memory ─┐
//! pipe, standard input ────┴─► read into memory                  ├─► bytes
//! bytes ─────────────────────────────────────────────────────────┘
//! ```
//!
//! How a file is packed is told by its first bytes and never by its name.

mod error;
mod mapping;
mod packing;
mod unpack;
mod unpack_limit;
mod watched;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

pub use error::SourceError;
pub use packing::{Packing, PackingFault};
pub use unpack_limit::UnpackLimit;

use mapping::Mapping;
use unpack::unpack;

/// The bytes of a trace, wherever they come from.
///
/// # Examples
///
/// ```
/// use exectrace_reader::{Packing, Reader, Source, UnpackLimit};
///
/// // An empty file of gzip's, as `gzip < /dev/null` makes it.
/// let packed = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// let source = Source::from_bytes(packed.to_vec(), UnpackLimit::default())?;
/// assert_eq!((source.packing(), source.fault()), (Some(Packing::Gzip), None));
/// assert!(Reader::new(source.bytes()).is_err(), "nothing is no trace");
/// # Ok::<(), exectrace_reader::SourceError>(())
/// ```
#[derive(Debug)]
pub struct Source {
    bytes: Bytes,
    packing: Option<Packing>,
    fault: Option<PackingFault>,
}

/// Where the bytes are.
#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    Mapped(Mapping),
}

impl Source {
    /// Opens a file.
    ///
    /// A plain regular file is mapped into memory and not copied, so that only what is looked at is ever read. Nobody may
    /// write to it meanwhile: what is read twice may then differ, and **the process is killed by `SIGBUS`** when it looks at
    /// what was cut off. A file that may change under the reader, such as a recording whose writer starts anew, is opened
    /// with [`Source::read`], which copies it.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or read, or is larger than the limit once it is unpacked. That a packed file is cut or
    /// damaged is none: see [`Source::fault`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use exectrace_reader::{Reader, Source, UnpackLimit};
    /// let source = Source::open("service.trace.zst", UnpackLimit::default())?;
    /// for event in Reader::new(source.bytes())? {
    ///     println!("{:?}", event?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>, limit: UnpackLimit) -> Result<Self, SourceError> {
        let file = File::open(path).map_err(SourceError::Open)?;
        let metadata = file.metadata().map_err(SourceError::Read)?;
        // What the system makes up when it is read says that it has no bytes.
        if !metadata.is_file() || metadata.len() == 0 {
            return Self::read(file, limit);
        }
        let mapping = Mapping::of(&file).map_err(SourceError::Read)?;
        match Packing::of(mapping.bytes()) {
            Some(packing) => Self::unpacked(mapping.bytes(), packing, limit),
            None => Ok(Self {
                bytes: Bytes::Mapped(mapping),
                packing: None,
                fault: None,
            }),
        }
    }

    /// Reads standard input to its end.
    ///
    /// # Errors
    ///
    /// Those of [`Source::read`].
    pub fn standard_input(limit: UnpackLimit) -> Result<Self, SourceError> {
        Self::read(io::stdin().lock(), limit)
    }

    /// Reads whatever can be read to its end, into memory.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is larger than the limit.
    pub fn read(reader: impl Read, limit: UnpackLimit) -> Result<Self, SourceError> {
        let mut reader = reader;
        let mut head = Vec::new();
        (&mut reader)
            .take(Packing::MAGIC_BYTES as u64)
            .read_to_end(&mut head)
            .map_err(SourceError::Read)?;
        let packing = Packing::of(&head);
        let whole = Cursor::new(head).chain(reader);
        if let Some(packing) = packing {
            return Self::unpacked(BufReader::new(whole), packing, limit);
        }
        let mut bytes = Vec::new();
        whole
            .take(limit.0.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(SourceError::Read)?;
        if bytes.len() as u64 > limit.0 {
            return Err(SourceError::TooLarge { limit });
        }
        Ok(Self::plain(bytes))
    }

    /// Takes the bytes of a file, which may be packed.
    ///
    /// # Errors
    ///
    /// When they are packed and larger than the limit once they are unpacked.
    pub fn from_bytes(bytes: Vec<u8>, limit: UnpackLimit) -> Result<Self, SourceError> {
        match Packing::of(&bytes) {
            Some(packing) => Self::unpacked(bytes.as_slice(), packing, limit),
            None => Ok(Self::plain(bytes)),
        }
    }

    fn plain(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Bytes::Owned(bytes),
            packing: None,
            fault: None,
        }
    }

    fn unpacked(
        packed: impl Read,
        packing: Packing,
        limit: UnpackLimit,
    ) -> Result<Self, SourceError> {
        let (bytes, fault) = unpack(packed, packing, limit)?;
        Ok(Self {
            bytes: Bytes::Owned(bytes),
            packing: Some(packing),
            fault,
        })
    }

    /// The trace, unpacked.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(mapping) => mapping.bytes(),
        }
    }

    /// How the file was packed.
    #[must_use]
    pub fn packing(&self) -> Option<Packing> {
        self.packing
    }

    /// Why not all of a packed file could be unpacked; [`Source::bytes`] has what stands before.
    #[must_use]
    pub fn fault(&self) -> Option<PackingFault> {
        self.fault
    }
}

#[cfg(test)]
mod tests;
