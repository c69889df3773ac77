//! Making a buffer.

use crate::{Error, Reader, Sizes, Writer, counts::Counts, ring::Ring, sync::Arc};

/// Makes a buffer and returns its two ends.
///
/// All memory is allocated here, and none later.
///
/// # Errors
///
/// If the sizes are outside the limits, which [`Error`] names.
///
/// # Examples
///
/// ```
/// use exectrace_profbuf::{Error, Sizes, buffer};
///
/// let sizes = Sizes { header_words: 2, data_words: 1 << 14, tags: 1 << 10 };
/// let (_writer, _reader) = buffer::<()>(sizes)?;
///
/// let too_small = Sizes { data_words: 4, ..sizes };
/// let error = buffer::<()>(too_small).unwrap_err();
/// assert_eq!(error, Error::DataTooSmall { words: 4, least: 5 });
/// # Ok::<(), Error>(())
/// ```
pub fn buffer<T>(sizes: Sizes) -> Result<(Writer<T>, Reader<T>), Error> {
    starting_at(Counts::default(), sizes)
}

/// Makes a buffer whose counts start elsewhere than at 0, so that a test can have them wrap.
pub(crate) fn starting_at<T>(start: Counts, sizes: Sizes) -> Result<(Writer<T>, Reader<T>), Error> {
    let ring = Arc::new(Ring::new(sizes.check()?, start));
    let writer = Writer::new(Arc::clone(&ring), start);
    Ok((writer, Reader::new(ring, start)))
}
