//! Finds the separate file with a stripped file's debug information, where distributions install it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::object_file::ObjectFile;

const ROOT: &str = "/usr/lib/debug";

/// The debug file of `object`, which was loaded from `path`; `None` if it needs none or none is installed.
pub(super) fn find(object: &ObjectFile, path: &Path) -> Option<ObjectFile> {
    if object.has_debug_info() {
        return None;
    }
    by_build_id(object).or_else(|| by_link(object, path))
}

fn by_build_id(object: &ObjectFile) -> Option<ObjectFile> {
    let id = object.elf().build_id(object.bytes())?;
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = format!("{ROOT}/.build-id/{first:02x}/{rest}.debug");
    // The link of a package removed by half may lead elsewhere.
    ObjectFile::open(path.as_ref()).filter(|found| found.elf().build_id(found.bytes()) == Some(id))
}

/// By the name in the file: beside it, in `.debug` beside it, or at the same path below the root.
fn by_link(object: &ObjectFile, path: &Path) -> Option<ObjectFile> {
    let (name, checksum) = object.elf().debug_link(object.bytes())?;
    let name = Path::new(OsStr::from_bytes(name)).file_name()?;
    let folder = path.parent()?;
    let below_root = Path::new(ROOT).join(folder.strip_prefix("/").ok()?);
    let places: [PathBuf; 3] = [
        folder.join(name),
        folder.join(".debug").join(name),
        below_root.join(name),
    ];
    places
        .iter()
        .filter_map(|place| ObjectFile::open(place))
        .find(|found| crc32(found.bytes()) == checksum)
}

/// The CRC-32 of Ethernet and zip.
fn crc32(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let table: [u32; 256] = std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |crc, _| (crc >> 1) ^ (POLYNOMIAL * (crc & 1)))
    });
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (crc >> 8) ^ table[usize::from(crc as u8 ^ byte)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_well_known_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
