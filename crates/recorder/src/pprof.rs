//! A profile in pprof's form, which `go tool pprof` and many others read: protobuf, packed with gzip.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use self::mappings::CodeMapping;
use self::message::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use crate::stack_frames;
use crate::symbols::{Frame, Symboliser};

mod mappings;
mod message;

/// Samples of one stack, one task and one user task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<'a> {
    /// Addresses that are looked up one before, innermost first.
    pub(crate) stack: &'a [u64],
    pub(crate) task: u64,
    pub(crate) user_task: u64,
    pub(crate) samples: u64,
}

/// When and how samples were taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) started: SystemTime,
    pub(crate) duration: Duration,
    /// CPU time between two samples.
    pub(crate) period_ns: u64,
}

/// A profile that is ready to be written.
#[derive(Clone, Debug)]
pub(crate) struct Pprof {
    profile: Profile,
}

impl Pprof {
    /// Resolves the addresses of the samples. To be called while their code is still loaded.
    pub(crate) fn new<'a>(
        groups: impl Iterator<Item = Group<'a>>,
        taken: Taken,
        comments: &[String],
    ) -> Self {
        let mut profile = stack_frames::with_symboliser(|symboliser| {
            let mut builder = Builder::new(symboliser, taken.period_ns);
            groups.for_each(|group| builder.add(group));
            for comment in comments {
                let comment = builder.string(comment);
                builder.profile.comment.push(comment);
            }
            builder.profile
        });
        let started = taken.started.duration_since(UNIX_EPOCH).unwrap_or_default();
        profile.time_nanos = signed(started.as_nanos());
        profile.duration_nanos = signed(taken.duration.as_nanos());
        Self { profile }
    }

    /// Writes it.
    pub(crate) fn write(&self, sink: impl Write) -> io::Result<()> {
        let mut packed = GzEncoder::new(sink, Compression::default());
        packed.write_all(&self.profile.encode_to_vec())?;
        packed.finish()?.flush()
    }
}

/// Fills the tables of a profile.
struct Builder<'symbols> {
    profile: Profile,
    symboliser: &'symbols mut Symboliser,
    mappings: Vec<CodeMapping>,
    strings: HashMap<String, i64>,
    /// By name and file.
    functions: HashMap<(i64, i64), u64>,
    /// By address.
    locations: HashMap<u64, u64>,
    frames: Vec<Frame>,
    period_ns: u64,
    task: i64,
    user_task: i64,
}

impl<'symbols> Builder<'symbols> {
    fn new(symboliser: &'symbols mut Symboliser, period_ns: u64) -> Self {
        let mut builder = Self {
            profile: Profile::default(),
            symboliser,
            mappings: mappings::of_process(),
            strings: HashMap::new(),
            functions: HashMap::new(),
            locations: HashMap::new(),
            frames: Vec::new(),
            period_ns,
            task: 0,
            user_task: 0,
        };
        // The first string is the empty one.
        builder.string("");
        let samples = builder.value_type("samples", "count");
        let cpu = builder.value_type("cpu", "nanoseconds");
        builder.profile.sample_type = vec![samples, cpu];
        builder.profile.period_type = Some(cpu);
        builder.profile.period = signed(u128::from(period_ns));
        builder.task = builder.string("task");
        builder.user_task = builder.string("user_task");
        builder.write_mappings();
        builder
    }

    fn add(&mut self, group: Group<'_>) {
        let location_id = group.stack.iter().map(|&pc| self.location(pc)).collect();
        let cpu_ns = u128::from(group.samples) * u128::from(self.period_ns);
        let labels = [(self.task, group.task), (self.user_task, group.user_task)];
        let label = labels.into_iter().filter(|&(_, id)| id != 0);
        self.profile.sample.push(Sample {
            location_id,
            value: vec![signed(u128::from(group.samples)), signed(cpu_ns)],
            label: label
                .map(|(key, id)| Label {
                    key,
                    num: signed(u128::from(id)),
                })
                .collect(),
        });
    }

    fn write_mappings(&mut self) {
        for (index, mapping) in std::mem::take(&mut self.mappings).into_iter().enumerate() {
            let filename = self.string(&mapping.name);
            self.profile.mapping.push(Mapping {
                id: index as u64 + 1,
                memory_start: mapping.start,
                memory_limit: mapping.end,
                file_offset: mapping.offset,
                filename,
                has_functions: true,
                has_filenames: true,
                has_line_numbers: true,
                has_inline_frames: true,
            });
        }
    }

    /// The id of the location of an address that stands on a stack.
    fn location(&mut self, pc: u64) -> u64 {
        if let Some(&id) = self.locations.get(&pc) {
            return id;
        }
        let address = pc.wrapping_sub(1);
        let mut frames = std::mem::take(&mut self.frames);
        frames.clear();
        self.symboliser.resolve(address, &mut frames);
        let line = frames.iter().map(|frame| self.line(frame)).collect();
        self.frames = frames;
        let id = self.profile.location.len() as u64 + 1;
        let mapping = self
            .profile
            .mapping
            .iter()
            .find(|it| it.memory_start <= address && address < it.memory_limit);
        self.profile.location.push(Location {
            id,
            mapping_id: mapping.map_or(0, |mapping| mapping.id),
            address,
            line,
        });
        self.locations.insert(pc, id);
        id
    }

    fn line(&mut self, frame: &Frame) -> Line {
        let name = self.symboliser.name(frame.function).to_owned();
        let file = self.symboliser.name(frame.file).to_owned();
        let (name, filename) = (self.string(&name), self.string(&file));
        let next = self.functions.len() as u64 + 1;
        let function_id = *self.functions.entry((name, filename)).or_insert(next);
        if function_id == next {
            self.profile.function.push(Function {
                id: next,
                name,
                system_name: name,
                filename,
            });
        }
        Line {
            function_id,
            line: i64::from(frame.line),
        }
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.string(kind),
            unit: self.string(unit),
        }
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(&index) = self.strings.get(text) {
            return index;
        }
        let index = self.profile.string_table.len() as i64;
        self.profile.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), index);
        index
    }
}

fn signed(value: u128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn unpacked(pprof: &Pprof) -> Profile {
        let mut packed = Vec::new();
        pprof.write(&mut packed).expect("memory takes it");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_end(&mut bytes)
            .expect("what was packed is unpacked");
        Profile::decode(&bytes[..]).expect("what was encoded is decoded")
    }

    #[test]
    fn samples_locations_functions_and_strings_refer_to_each_other() {
        let here = samples_locations_functions_and_strings_refer_to_each_other as fn() as usize;
        let stack = [
            here as u64 + 1,
            unpacked as fn(&Pprof) -> Profile as usize as u64 + 1,
        ];
        let group = |task, samples| Group {
            stack: &stack,
            task,
            user_task: task * 10,
            samples,
        };
        let taken = Taken {
            started: UNIX_EPOCH + Duration::from_secs(5),
            duration: Duration::from_secs(2),
            period_ns: 10_000_000,
        };
        let groups = [group(0, 3), group(7, 1)].into_iter();
        let profile = unpacked(&Pprof::new(groups, taken, &["a comment".to_owned()]));
        let text = |index: i64| profile.string_table[index as usize].as_str();
        assert_eq!(text(0), "");
        let types = profile.sample_type.iter();
        let types: Vec<_> = types.map(|it| (text(it.kind), text(it.unit))).collect();
        assert_eq!(types, [("samples", "count"), ("cpu", "nanoseconds")]);
        assert_eq!(profile.sample[0].value, [3, 30_000_000]);
        assert!(profile.sample[0].label.is_empty());
        let labels = profile.sample[1].label.iter();
        let labels: Vec<_> = labels.map(|it| (text(it.key), it.num)).collect();
        assert_eq!(labels, [("task", 7), ("user_task", 70)]);
        assert_eq!(profile.sample[0].location_id, profile.sample[1].location_id);
        assert_eq!(profile.location.len(), 2);
        let location = &profile.location[profile.sample[0].location_id[0] as usize - 1];
        assert_eq!(location.address, here as u64);
        let mapping = &profile.mapping[location.mapping_id as usize - 1];
        assert!((mapping.memory_start..mapping.memory_limit).contains(&location.address));
        let line = location.line.last().expect("a known function");
        let function = &profile.function[line.function_id as usize - 1];
        assert!(text(function.name).ends_with("refer_to_each_other"));
        assert!(text(function.filename).ends_with("pprof.rs") && line.line > 0);
        assert_eq!(
            (profile.time_nanos, profile.duration_nanos),
            (5_000_000_000, 2_000_000_000)
        );
        assert_eq!(profile.period, 10_000_000);
        assert_eq!(text(profile.comment[0]), "a comment");
    }

    #[test]
    fn numbers_too_large_for_the_format_are_its_largest() {
        assert_eq!(signed(u128::MAX), i64::MAX);
        assert_eq!(signed(5), 5);
    }
}
