//! Where a program or library keeps its call frame information, in memory.

use gimli::{BaseAddresses, EhFrameHdr, LittleEndian, Pointer};

use super::safe_read;

/// Beyond this it is not read, and a table out of it would be too large. A program of some 50 MB has so much; it should have
/// frame pointers.
const FRAMES_BYTES_MAX: u64 = 4 << 20;

const HEADER_BYTES: usize = 64;
const SEGMENT_BYTES: usize = 56;
const SEGMENTS_MAX: usize = 64;
const LOADED: u32 = 1;
const EH_FRAME: u32 = 0x6474_e550;

/// `.eh_frame` of a file, and where it stands.
#[derive(Debug)]
pub(super) struct CallFrames {
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
}

/// A part of the file that is mapped or means something.
#[derive(Clone, Copy, Debug)]
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    file_bytes: u64,
}

impl CallFrames {
    /// Those of the file whose first byte is mapped at `base`. `None` if there are none, or if it is no 64-bit ELF file.
    pub(super) fn of_file_at(base: u64) -> Option<Self> {
        let segments = segments(base)?;
        let loaded = |segment: &&Segment| segment.kind == LOADED;
        let first = segments.iter().filter(loaded).find(|it| it.offset == 0)?;
        let bias = base.wrapping_sub(first.address);
        let index = segments.iter().find(|segment| segment.kind == EH_FRAME)?;
        let index_address = bias.wrapping_add(index.address);
        let bytes = read(index_address, index.file_bytes.min(64))?;
        let bases = BaseAddresses::default().set_eh_frame_hdr(index_address);
        let index = EhFrameHdr::new(&bytes, LittleEndian)
            .parse(&bases, 8)
            .ok()?;
        let Pointer::Direct(address) = index.eh_frame_ptr() else {
            return None;
        };
        // How long it is stands nowhere; it ends with an empty entry, or with its segment.
        let end = segments.iter().filter(loaded).find_map(|segment| {
            let start = bias.wrapping_add(segment.address);
            let end = start.checked_add(segment.file_bytes)?;
            (start <= address && address < end).then_some(end)
        })?;
        Some(Self {
            address,
            bytes: read(address, end - address)?,
        })
    }
}

fn segments(base: u64) -> Option<Vec<Segment>> {
    let header = read(base, HEADER_BYTES as u64)?;
    // Class and byte order stand behind the mark.
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = u64_at(&header, 32)?;
    let size_bytes = u16_at(&header, 54)?;
    let count = usize::from(u16_at(&header, 56)?).min(SEGMENTS_MAX);
    if usize::from(size_bytes) != SEGMENT_BYTES {
        return None;
    }
    let table = read(base.checked_add(table)?, (count * SEGMENT_BYTES) as u64)?;
    let segments = table.chunks_exact(SEGMENT_BYTES).map(|bytes| {
        Some(Segment {
            kind: u32_at(bytes, 0)?,
            offset: u64_at(bytes, 8)?,
            address: u64_at(bytes, 16)?,
            file_bytes: u64_at(bytes, 32)?,
        })
    });
    segments.collect()
}

/// Copies memory; `None` if it is not all there, or too much.
fn read(address: u64, len: u64) -> Option<Vec<u8>> {
    if len > FRAMES_BYTES_MAX {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(len).ok()?];
    let mut at = usize::try_from(address).ok()?;
    for piece in bytes.chunks_mut(safe_read::BYTES_MAX) {
        if safe_read::read(at, piece) != piece.len() {
            return None;
        }
        at = at.checked_add(piece.len())?;
    }
    Some(bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*field))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*field))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_has_no_frames() {
        safe_read::prepare();
        let memory = vec![0x7f_u8; 8192];
        assert!(CallFrames::of_file_at(memory.as_ptr() as u64).is_none());
        assert!(CallFrames::of_file_at(0).is_none());
        assert!(CallFrames::of_file_at(u64::MAX - 10).is_none());
    }

    #[test]
    fn a_header_whose_tables_lie_elsewhere_has_no_frames() {
        safe_read::prepare();
        let mut memory = vec![0_u8; 8192];
        memory[..6].copy_from_slice(b"\x7fELF\x02\x01");
        memory[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        memory[54] = SEGMENT_BYTES as u8;
        memory[56] = 3;
        assert!(CallFrames::of_file_at(memory.as_ptr() as u64).is_none());
        memory[32..40].copy_from_slice(&64_u64.to_le_bytes());
        assert!(CallFrames::of_file_at(memory.as_ptr() as u64).is_none());
    }
}
