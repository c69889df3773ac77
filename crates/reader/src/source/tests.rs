//! Tests of sources: every way to give the same bytes.

use std::io::Write as _;

use exectrace_testkit::Random;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

/// Bytes that pack to about half, all along.
fn sample(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 28) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes bytes");
    encoder.finish().expect("memory takes bytes")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[track_caller]
fn check(file: Vec<u8>, expect: &[u8], packing: Option<Packing>) {
    let limit = UnpackLimit::default();
    let by_reading = Source::read(file.as_slice(), limit).expect("reads");
    let given = Source::from_bytes(file, limit).expect("unpacks");
    for source in [by_reading, given] {
        assert!(source.bytes() == expect, "{} bytes", source.bytes().len());
        assert_eq!((source.packing(), source.fault()), (packing, None));
    }
}

#[test]
fn how_a_file_is_packed_is_told_by_its_bytes() {
    let bytes = sample(300_000);
    check(bytes.clone(), &bytes, None);
    check(gzip(&bytes), &bytes, Some(Packing::Gzip));
    check(zstd(&bytes), &bytes, Some(Packing::Zstd));
    for length in 0..6 {
        check(bytes[..length].to_vec(), &bytes[..length], None);
    }
}

#[test]
fn members_and_frames_one_after_another_are_one_file() {
    let bytes = sample(200_000);
    let (begin, end) = bytes.split_at(150_000);
    let two = |pack: fn(&[u8]) -> Vec<u8>| [pack(begin), pack(b""), pack(end)].concat();
    check(two(gzip), &bytes, Some(Packing::Gzip));
    check(two(zstd), &bytes, Some(Packing::Zstd));
    let skipped = [
        &[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..],
        &zstd(&bytes),
    ]
    .concat();
    check(skipped, &bytes, Some(Packing::Zstd));
}

#[test]
fn of_a_cut_file_the_begin_is_kept() {
    let bytes = sample(300_000);
    for (pack, step) in [(gzip as fn(&[u8]) -> Vec<u8>, 9_973), (zstd, 14_983)] {
        let packed = pack(&bytes);
        let mut longest = 0;
        for length in (4..packed.len()).step_by(step).chain([packed.len() - 1]) {
            let source = Source::read(&packed[..length], UnpackLimit::default()).expect("reads");
            assert_eq!(source.fault(), Some(PackingFault::Cut), "{length} bytes");
            assert!(bytes.starts_with(source.bytes()), "{length} bytes");
            longest = longest.max(source.bytes().len());
        }
        assert_eq!(longest, bytes.len(), "the last byte is the checksum's");
        let source = Source::read(&packed[..packed.len() / 2], UnpackLimit::default());
        let half = source.expect("reads").bytes().len();
        assert!(half > bytes.len() / 4, "only {half} bytes of a half");
    }
}

#[test]
fn damage_is_told() {
    let bytes = sample(150_000);
    for pack in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
        let mut packed = pack(&bytes);
        // The checksum: gzip's stands before the length, zstd's at the end.
        let checksum = packed.len() - 8;
        packed[checksum..].iter_mut().for_each(|byte| *byte ^= 0x55);
        let source = Source::from_bytes(packed, UnpackLimit::default()).expect("unpacks");
        assert!(source.fault().is_some());
        let followed = [pack(&bytes), b"something else".to_vec()].concat();
        let source = Source::from_bytes(followed, UnpackLimit::default()).expect("unpacks");
        assert_eq!(source.fault(), Some(PackingFault::Damaged));
        assert!(source.bytes() == bytes);
    }
}

#[test]
fn any_damage_is_told_and_no_more() {
    let mut random = Random::from_environment();
    let bytes = sample(3_000);
    for pack in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
        let whole = pack(&bytes);
        let mut told = 0;
        for _ in 0..1_000 {
            let mut packed = whole.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(8 * packed.len() as u64) as usize;
                packed[place / 8] ^= 1 << (place % 8);
            }
            match Source::from_bytes(packed, UnpackLimit(1 << 20)) {
                Ok(source) if source.fault().is_none() => {}
                Ok(_) | Err(SourceError::TooLarge { .. } | SourceError::WindowTooLarge { .. }) => {
                    told += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        // What hits the file's name or the magic number is not noticed.
        assert!(told > 900, "only {told}");
    }
}

#[test]
fn no_more_is_unpacked_than_may_be() {
    let bytes = vec![0; 3_000_000];
    for file in [gzip(&bytes), zstd(&bytes), bytes.clone()] {
        for (limit, fits) in [(2_999_999, false), (3_000_000, true), (0, false)] {
            let source = Source::read(file.as_slice(), UnpackLimit(limit));
            match source {
                Ok(source) => assert!(fits && source.bytes() == bytes),
                Err(SourceError::TooLarge { limit: told }) => {
                    assert!(!fits && told.0 == limit);
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn a_window_that_is_too_large_is_told() {
    // A frame without a size whose window is 2 GiB.
    let file = [0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3];
    let error = Source::read(&file[..], UnpackLimit::default()).expect_err("too large");
    assert!(
        matches!(error, SourceError::WindowTooLarge { window_bytes } if window_bytes == 2 << 30),
        "{error}"
    );
}

#[test]
fn an_error_of_the_disk_is_no_end() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    for pack in [gzip as fn(&[u8]) -> Vec<u8>, zstd, <[u8]>::to_vec] {
        let packed = pack(&sample(50_000));
        let begin = &packed[..packed.len() / 2];
        let error = Source::read(begin.chain(Broken), UnpackLimit::default());
        let error = error.expect_err("cannot be read");
        assert!(matches!(error, SourceError::Read(_)), "{error}");
        assert!(error.to_string().contains("the disk is gone"), "{error}");
    }
}

#[test]
fn files_are_mapped_and_what_is_none_is_read() {
    let limit = UnpackLimit(1 << 30);
    let own = std::env::current_exe().expect("a test has a file");
    let source = Source::open(&own, UnpackLimit(0)).expect("a mapped file has no limit");
    assert!(matches!(source.bytes, Bytes::Mapped(_)));
    assert!(source.bytes() == std::fs::read(own).expect("reads"));
    let made_up = Source::open("/proc/self/status", limit).expect("reads");
    assert!(!made_up.bytes().is_empty());
    assert!(
        Source::open("/dev/null", limit)
            .expect("reads")
            .bytes()
            .is_empty()
    );
    let error = Source::open("/no/such/file", limit).expect_err("is not there");
    assert!(matches!(error, SourceError::Open(_)), "{error}");
    let error = Source::open("/", limit).expect_err("is a folder");
    assert!(matches!(error, SourceError::Read(_)), "{error}");
}
