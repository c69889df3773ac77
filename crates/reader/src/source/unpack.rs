//! Unpacking into memory.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::watched::Watched;
use super::{Packing, PackingFault, SourceError, UnpackLimit};

/// How much is unpacked before the limit is looked at.
const STEP_BYTES: usize = 1 << 20;

/// An end of a zstd frame: a last block without content, and room for a checksum.
const FRAME_END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// Unpacking stopped early; what was unpacked until then is kept.
enum Stopped {
    /// At a fault, or at the limit.
    Here,
    /// At a frame that refers back farther than zstd's own tools allow unless they are told to.
    Window(u64),
}

/// What a packed file holds, and what is wrong with it.
pub(super) fn unpack(
    packed: impl Read,
    packing: Packing,
    limit: UnpackLimit,
) -> Result<(Vec<u8>, Option<PackingFault>), SourceError> {
    let mut output = Output {
        bytes: Vec::new(),
        limit,
    };
    let mut packed = BufReader::new(Watched::new(packed));
    let result = match packing {
        Packing::Gzip => gzip(&mut packed, &mut output),
        Packing::Zstd => zstd(&mut packed, &mut output),
    };
    if output.is_full() {
        return Err(SourceError::TooLarge { limit });
    }
    let watched = packed.into_inner();
    match result {
        Ok(()) => Ok((output.bytes, None)),
        Err(Stopped::Window(window_bytes)) => Err(SourceError::WindowTooLarge { window_bytes }),
        Err(Stopped::Here) => match watched.error {
            Some(error) => Err(SourceError::Read(error)),
            None if watched.has_ended => Ok((output.bytes, Some(PackingFault::Cut))),
            None => Ok((output.bytes, Some(PackingFault::Damaged))),
        },
    }
}

/// What is unpacked so far.
struct Output {
    bytes: Vec<u8>,
    limit: UnpackLimit,
}

impl Output {
    fn is_full(&self) -> bool {
        self.bytes.len() as u64 > self.limit.0
    }
}

fn gzip(packed: &mut BufReader<Watched<impl Read>>, output: &mut Output) -> Result<(), Stopped> {
    let mut decoder = MultiGzDecoder::new(packed);
    loop {
        let step = (&mut decoder)
            .take(STEP_BYTES as u64)
            .read_to_end(&mut output.bytes);
        match step {
            Ok(0) => return Ok(()),
            Ok(_) if output.is_full() => return Err(Stopped::Here),
            Ok(_) => {}
            Err(_) => return Err(Stopped::Here),
        }
    }
}

fn zstd(packed: &mut BufReader<Watched<impl Read>>, output: &mut Output) -> Result<(), Stopped> {
    let mut decoder = FrameDecoder::new();
    while !is_at_end(packed)? {
        match decoder.reset(&mut *packed) {
            Ok(()) => frame(&mut decoder, packed, output)?,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => skip(packed, length)?,
            Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) => {
                return Err(Stopped::Window(requested));
            }
            Err(_) => return Err(Stopped::Here),
        }
    }
    Ok(())
}

fn is_at_end(packed: &mut BufReader<Watched<impl Read>>) -> Result<bool, Stopped> {
    use std::io::BufRead as _;
    let next = packed.fill_buf().map_err(|_| Stopped::Here)?;
    Ok(next.is_empty())
}

/// Unpacks a frame whose header is read.
fn frame(
    decoder: &mut FrameDecoder,
    packed: &mut BufReader<Watched<impl Read>>,
    output: &mut Output,
) -> Result<(), Stopped> {
    while !decoder.is_finished() {
        let step =
            decoder.decode_blocks(&mut *packed, BlockDecodingStrategy::UptoBytes(STEP_BYTES));
        if step.is_err() {
            // The decoder holds back what later blocks may refer to, until the frame ends.
            let _ = decoder.decode_blocks(&FRAME_END[..], BlockDecodingStrategy::All);
            collect(decoder, output)?;
            return Err(Stopped::Here);
        }
        collect(decoder, output)?;
    }
    match decoder.get_checksum_from_data() {
        Some(told) if decoder.get_calculated_checksum() != Some(told) => Err(Stopped::Here),
        _ => Ok(()),
    }
}

fn collect(decoder: &mut FrameDecoder, output: &mut Output) -> Result<(), Stopped> {
    let collected = decoder.collect_to_writer(&mut output.bytes);
    if collected.is_err() || output.is_full() {
        return Err(Stopped::Here);
    }
    Ok(())
}

fn skip(packed: &mut impl Read, length: u32) -> Result<(), Stopped> {
    let length = u64::from(length);
    let skipped = io::copy(&mut packed.take(length), &mut io::sink());
    match skipped {
        Ok(skipped) if skipped == length => Ok(()),
        _ => Err(Stopped::Here),
    }
}
