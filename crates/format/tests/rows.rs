//! Round trips of every row of both tables, driven by the tables: a new row is covered when it is
//! written.

use exectrace_format::limits::{HEADER_BYTES, V1_ARGS_MAX, V2_ARGS_MAX, V2_STRING_BYTES_MAX};
use exectrace_format::spec::{EventSpec, Shape};
use exectrace_format::{Format, Version, go_v1, go_v2, varint};
use proptest::prelude::*;

/// Numbers of every length on the wire.
fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(number, shift)| number >> shift)
}

fn versions(format: Format) -> impl Iterator<Item = Version> {
    Version::ALL
        .into_iter()
        .filter(move |version| version.format() == format)
}

/// Numbers for whole frames, as bytes.
fn frames(numbers: &[u64], count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &number in numbers.iter().cycle().take(count * numbers.len()) {
        varint::push(&mut bytes, number);
    }
    bytes
}

proptest! {
    #[test]
    fn every_v1_row_in_every_version(
        numbers: [u64; V1_ARGS_MAX], shifts in proptest::array::uniform4(0..64_u32),
        delta in number(), sequence in number(), text in proptest::collection::vec(any::<u8>(), 1..40), depth in 0..5_usize,
    ) {
        for version in versions(Format::V1) {
            let mut file = version.header().to_vec();
            let mut written = Vec::new();
            for &event_type in go_v1::EventType::ALL {
                let spec = event_type.spec();
                if !version.at_least(spec.since) {
                    continue;
                }
                let mut args = [0; V1_ARGS_MAX];
                for (i, arg) in spec.args.iter().enumerate() {
                    if version.at_least(arg.since) {
                        // Id 0 has no record in the string table.
                        args[i] = (numbers[i] >> shifts[i]).max(1);
                    }
                }
                let frame = if version == Version::Go1_5 { &numbers[..1] } else { &numbers };
                let rest = match spec.name {
                    "Stack" => frames(frame, depth),
                    "String" => text.clone(),
                    _ if spec.shape == Shape::Log => text.clone(),
                    _ => Vec::new(),
                };
                let has_sequence = version == Version::Go1_5 && spec.shape != Shape::Raw;
                let sequence = if has_sequence { sequence } else { 0 };
                let delta = if spec.is_timed() { delta } else { 0 };
                let offset = file.len() as u64;
                let record = go_v1::Record { offset, event_type, sequence, delta, args, rest: &rest };
                record.append(version, &mut file);
                written.push((record.offset, event_type, sequence, delta, args, rest));
            }
            let read = go_v1::Records::of_file(&file).unwrap();
            let read: Result<Vec<_>, _> = read
                .map(|record| record.map(|r| (r.offset, r.event_type, r.sequence, r.delta, r.args, r.rest.to_vec())))
                .collect();
            prop_assert_eq!(read, Ok(written));
        }
    }

    #[test]
    fn every_v2_row(
        numbers: [u64; V2_ARGS_MAX], shifts in proptest::array::uniform5(0..64_u32),
        delta in number(), text in proptest::collection::vec(any::<u8>(), 0..40), depth in 0..5_usize,
    ) {
        for version in versions(Format::V2) {
            let mut file = version.header().to_vec();
            let mut written = Vec::new();
            for &event_type in go_v2::EventType::ALL {
                let spec = event_type.spec();
                let Some(head) = data_of(spec, version) else { continue };
                let mut args = [0; V2_ARGS_MAX];
                for i in 0..spec.args.len() {
                    args[i] = numbers[i] >> shifts[i];
                }
                let rest = match spec.name {
                    "Stack" => frames(&numbers[..4], depth),
                    "String" => text.clone(),
                    _ => Vec::new(),
                };
                let delta = if spec.is_timed() { delta } else { 0 };
                let mut data = head;
                let start = data.len();
                let record = go_v2::Record { offset: 0, event_type, delta, args, rest: &rest };
                record.append(&mut data);
                let batch = go_v2::Batch { generation: go_v2::Generation(1), data: &data, ..go_v2::Batch::EMPTY };
                batch.append(&mut file);
                let offset = (file.len() - data.len() + start) as u64;
                written.push((offset, event_type, delta, args, rest));
            }
            let read: Result<Vec<_>, _> = go_v2::Records::of_file(&file).unwrap()
                .map(|record| record.map(|r| (r.offset, r.event_type, r.delta, r.args, r.rest.to_vec())))
                .filter(|record| !matches!(record, Ok(record) if is_framing(record.1.spec())))
                .collect();
            prop_assert_eq!(read, Ok(written));
        }
    }

    #[test]
    fn any_bytes_decode_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), version in 0..Version::ALL.len()) {
        let version = Version::ALL[version];
        let file = [&version.header()[..], &bytes].concat();
        walk(&file);
        walk(&bytes);
    }

    /// Real records with one byte changed get further than random bytes.
    #[test]
    fn any_flip_decodes_without_panic(file in 0..FILES.len(), at: prop::sample::Index, bit in 0..8_u32) {
        let mut file = FILES[file].to_vec();
        let at = HEADER_BYTES + at.index(file.len() - HEADER_BYTES);
        file[at] ^= 1 << bit;
        walk(&file);
        walk(&file[..at]);
    }
}

const FILES: &[&[u8]] = &[
    include_bytes!("../../../corpus/recorded/go1.19/deep.trace"),
    include_bytes!("../../../corpus/handmade/v1-annotations.trace"),
    include_bytes!("../../../corpus/handmade/v1-cpusample.trace"),
    include_bytes!("../../../corpus/recorded/go1.22/empty.trace"),
    include_bytes!("../../../corpus/recorded/go1.27/empty.trace"),
    include_bytes!("../../../corpus/handmade/v2-sample.trace"),
    include_bytes!("../../../corpus/handmade/v2-experiment-batch.trace"),
];

/// The bytes that make a batch take such a record, or nothing for a record that has no batch.
fn data_of(spec: &EventSpec, version: Version) -> Option<Vec<u8>> {
    use go_v2::{CPUSamples, Event, Stacks, Strings, Sync};
    let mut data = Vec::new();
    match spec.name {
        "String" => Strings {}.append(0, &mut data),
        "Stack" => Stacks {}.append(0, &mut data),
        "CPUSample" => CPUSamples {}.append(0, &mut data),
        "ClockSnapshot" if version < Version::Go1_25 => return None,
        "Frequency" if version < Version::Go1_25 => {}
        "Frequency" | "ClockSnapshot" => Sync {}.append(0, &mut data),
        _ if is_framing(spec) => return None,
        _ => {}
    }
    Some(data)
}

/// Whether the record holds others together, rather than being one of them.
fn is_framing(spec: &EventSpec) -> bool {
    matches!(
        spec.name,
        "EventBatch"
            | "ExperimentalBatch"
            | "Strings"
            | "Stacks"
            | "CPUSamples"
            | "Sync"
            | "EndOfGeneration"
    )
}

/// Decodes all that there is, every way there is, and checks that it ends.
fn walk(file: &[u8]) {
    if let Ok(records) = go_v1::Records::of_file(file) {
        let version = records.version();
        for record in records.flatten() {
            let frames = record.frames(version).count();
            assert!(frames <= record.rest.len());
        }
    }
    if let Ok(records) = go_v2::Records::of_file(file) {
        for record in records.flatten() {
            assert!(record.frames().count() <= record.rest.len());
            assert!(
                record.event_type != go_v2::EventType::String
                    || record.rest.len() <= V2_STRING_BYTES_MAX
            );
        }
    }
    if let Ok(items) = go_v2::Items::of_file(file) {
        let version = items.version();
        for item in items.flatten() {
            if let go_v2::Item::Batch(batch) = item {
                batch.events().for_each(drop);
                batch.entries(version).for_each(drop);
            }
        }
    }
}
